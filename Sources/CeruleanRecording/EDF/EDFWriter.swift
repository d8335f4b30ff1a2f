// SPDX-License-Identifier: Apache-2.0

import CCeruleanEDF
import CeruleanSensing
import CeruleanWire

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An EDF+ file (continuous). Lost samples are filled with the last value, and an annotation says where and how many;
/// markers, lost links and values beyond a channel's range are annotations too. Samples that complete the last record at
/// the end are announced by an annotation as well. A source without a rate gets one sample a second with the newest values,
/// which an annotation says; the times of its own are for the other formats.
///
/// A record of a tenth of a second (at slow rates half a second, or one sample) reaches the operating system as a whole,
/// with its annotations, and only then the header counts it: a process that is killed leaves a file that opens. No reader
/// takes a file without a record, so until the first one is complete the file is called `….edf.part`.
final class EDFWriter: RecordingWriter {
    let destination: RecordingDestination
    private let path: String
    /// What the file is called before its first record.
    private let draft: String
    private let rate: Double
    /// Rows come irregularly: each sample is the newest value at its moment.
    private let isHeld: Bool
    private let scales: [EDFScale]
    private let names: [String]
    private let rowsInRecord: Int
    private let handle: Int32
    private var patcher: EDFPatcher
    private var record: [Int32]
    private var rows = 0
    private var written = 0
    private var last: [Int32]
    private var hasValue: [Bool]
    private var isNoted: [Bool]
    private var isClippedNow: [Bool]
    private var annotations: [EDFPatcher.Annotation] = []
    private var heldTime = 0.0
    private var isClosed = false

    /// Samples a second of sources that have no rate.
    private static let heldRate = 1.0
    /// Annotations that wait for a place; what comes beyond is left out, and the number noted.
    private static let annotationLimit = 4096
    /// Seconds of a gap that are filled at most.
    private static let gapLimit = 86_400.0
    /// Records that are added at the end for annotations at most.
    private static let extraLimit = 256

    init(_ header: RecordingHeader, to destination: RecordingDestination) throws(RecordingError) {
        self.destination = destination
        let source = header.source
        guard case .file(let path) = destination else {
            throw RecordingError(.unsupported, path: destination.path, detail: "EDF+ needs a new file of its own")
        }
        let rate = source.rate ?? Self.heldRate
        guard rate > 0, rate <= 1e6 else {
            throw RecordingError(
                .unsupported, path: path,
                detail: "EDF+ cannot hold \(rate) samples a second; choose csv, jsonl or sqlite")
        }
        guard (1...512).contains(source.channels.count) else {
            throw RecordingError(.unsupported, path: path, detail: "EDF+ holds 1 to 512 channels")
        }
        self.path = path
        self.rate = rate
        isHeld = source.rate == nil
        names = source.channels.map(\.name)
        let labels = EDFScale.labels(names)
        scales = zip(source.channels, labels).map { EDFScale($0, label: $1) }
        // A record must not be longer than 61,440 octets by the recommendation.
        let wanted = rate >= 100 ? rate / 10 : max(rate / 2, 1)
        rowsInRecord = max(1, min(Int(wanted.rounded()), 30_000 / source.channels.count))
        draft = path + ".part"
        // Says so when the name is taken.
        try OutputFile(destination).close()
        unlink(path)
        try OutputFile(.file(draft)).close()
        handle = cerulean_edf_create(draft, Int32(source.channels.count))
        guard handle >= 0 else { throw Self.failure(path, "cannot be created", handle) }
        patcher = try EDFPatcher(draft, signals: scales.count, rowsInRecord: rowsInRecord)
        record = [Int32](repeating: 0, count: scales.count * rowsInRecord)
        last = scales.map(\.zero)
        hasValue = [Bool](repeating: false, count: scales.count)
        isNoted = hasValue
        isClippedNow = hasValue
        do throws(RecordingError) {
            try describe(header)
        } catch {
            cerulean_edf_close(handle)
            unlink(draft)
            isClosed = true
            throw error
        }
    }

    deinit { if !isClosed { cerulean_edf_close(handle) } }

    func write(_ block: SampleBlock, arrival: WallTime) throws(RecordingError) {
        if isHeld { return try hold(block) }
        var gap = 0
        for row in 0..<block.rowCount {
            while gap < block.gaps.count, block.gaps[gap].row <= row {
                try fill(block.gaps[gap].lost, isAmbiguous: block.gaps[gap].isAmbiguous)
                gap += 1
            }
            let values = block[row: row]
            if position == 0 {
                let missing = values.count { !$0.isFinite }
                if missing > 0 { annotate("\(missing) channels have no value at first", at: 0) }
            }
            for column in scales.indices {
                let value = column < values.count ? values[values.startIndex + column] : .nan
                put(value, column)
            }
            try advance()
        }
    }

    func writeGap(index: Int, lost: Int) throws(RecordingError) {
        if isHeld { annotate("\(lost) values lost", at: heldTime) } else { try fill(lost, isAmbiguous: false) }
    }

    func writeMarker(_ text: String, index: Int, arrival: WallTime) throws(RecordingError) {
        annotate(text, at: isHeld ? heldTime : Double(index) / rate)
    }

    func finish(samples: Int, lost: Int, reason: EndReason) throws(RecordingError) {
        guard !isClosed else { return }
        if isHeld, hasValue.contains(true) { try advanceHeld() }
        let end = position
        if reason.code != .finished { annotate("recording ended: \(reason.code)", at: Double(end) / rate) }
        // Readers take no file without a record.
        if rows > 0 || written == 0 {
            annotate(
                "end of recording, \(rowsInRecord - rows) samples of padding", at: Double(end) / rate)
            try pad()
        }
        // Annotations that found no place in the records so far get records of their own.
        var extra = 0
        while !annotations.isEmpty, extra < Self.extraLimit {
            annotations = try patcher.place(annotations, records: written)
            guard !annotations.isEmpty else { break }
            if extra == 0 { annotate("end of recording, the rest is padding", at: Double(end) / rate) }
            extra += 1
            try pad()
        }
        isClosed = true
        let code = cerulean_edf_close(handle)
        patcher.close()
        if code != 0 { throw Self.failure(path, "cannot be completed", code) }
    }

    // MARK: - Private

    private var position: Int { written * rowsInRecord + rows }

    private func describe(_ header: RecordingHeader) throws(RecordingError) {
        let source = header.source
        for (index, scale) in scales.enumerated() {
            var signal = cerulean_edf_signal()
            signal.physical_minimum = scale.isInverted ? scale.physical.upperBound : scale.physical.lowerBound
            signal.physical_maximum = scale.isInverted ? scale.physical.lowerBound : scale.physical.upperBound
            signal.digital_minimum = Int32(scale.digital.lowerBound)
            signal.digital_maximum = Int32(scale.digital.upperBound)
            signal.samples_in_record = Int32(rowsInRecord)
            Self.copy(scale.label, to: &signal.label)
            Self.copy(scale.unit, to: &signal.unit)
            let code = cerulean_edf_set_signal(handle, Int32(index), &signal)
            if code != 0 { throw Self.failure(path, "channel \(scale.label) cannot be described", code) }
        }
        var described = cerulean_edf_header()
        let parts = header.start.calendar
        described.year = Int32(min(max(parts.year, 1985), 2084))
        described.month = Int32(parts.month)
        described.day = Int32(parts.day)
        described.hour = Int32(parts.hour)
        described.minute = Int32(parts.minute)
        described.second = Int32(parts.second)
        let model = [source.model ?? source.kind, source.firmware].compactMap(\.self).joined(separator: "-")
        Self.copy(Self.plain(model), to: &described.equipment)
        Self.copy(
            Self.plain([source.name, source.address?.description].compactMap(\.self).joined(separator: " ")),
            to: &described.name)
        // Units of ten microseconds.
        let duration = (Double(rowsInRecord) / rate * 100_000).rounded()
        guard (100...6_000_000).contains(duration) else {
            throw RecordingError(.unsupported, path: path, detail: "\(rate) samples a second are too few for EDF+")
        }
        let code = cerulean_edf_set_header(handle, &described, Int32(duration))
        if code != 0 { throw Self.failure(path, "cannot be described", code) }
    }

    private static func plain(_ text: String) -> String {
        String(text.unicodeScalars.prefix(24).map { (0x21...0x7E).contains($0.value) ? Character($0) : "_" })
    }

    /// Copies as much as there is room for.
    private static func copy<Buffer>(_ text: String, to buffer: inout Buffer) {
        withUnsafeMutableBytes(of: &buffer) { bytes in
            let octets = Array(text.utf8.prefix(bytes.count - 1))
            bytes.copyBytes(from: octets)
            bytes[octets.count] = 0
        }
    }

    /// Takes rows at their own times: the samples up to each keep the values before it.
    private func hold(_ block: SampleBlock) throws(RecordingError) {
        let indices = block.rowIndices
        for row in 0..<block.rowCount {
            let time = block.time(ofRow: row, index: indices[row], rate: nil)
            guard time.isFinite else { continue }
            let limit = position + Int(Self.gapLimit * rate)
            while Double(position) / rate < time, position < limit { try advanceHeld() }
            for gap in block.gaps where gap.row == row { annotate("\(gap.lost) values lost", at: max(time, 0)) }
            heldTime = max(time, 0)
            for (column, value) in zip(scales.indices, block[row: row]) where value.isFinite {
                hasValue[column] = true
                let (number, isClipped) = scales[column].number(value)
                if isClipped, !isClippedNow[column] {
                    note("\(names[column]) beyond its range from here", column, true)
                }
                if !isClipped, isClippedNow[column] { note("\(names[column]) is back", column, false) }
                last[column] = number
            }
        }
    }

    private func advanceHeld() throws(RecordingError) {
        if position == 0 { annotate("values come irregularly: each sample is the newest value", at: 0) }
        for column in scales.indices { store(last[column], column) }
        try advance()
    }

    /// Completes a record with the last values.
    private func pad() throws(RecordingError) {
        repeat {
            for column in scales.indices { store(last[column], column) }
            try advance()
        } while rows > 0
    }

    private func put(_ value: Double, _ column: Int) {
        guard value.isFinite else {
            // Once for each channel: some have a value only now and then.
            if hasValue[column], !isNoted[column] {
                isNoted[column] = true
                annotate("no value of \(names[column]) from here", at: Double(position) / rate)
            }
            return store(last[column], column)
        }
        hasValue[column] = true
        let (number, isClipped) = scales[column].number(value)
        if isClipped {
            if !isClippedNow[column] { note("\(names[column]) beyond its range from here", column, true) }
        } else if isClippedNow[column] {
            note("\(names[column]) is back", column, false)
        }
        last[column] = number
        store(number, column)
    }

    private func note(_ text: String, _ column: Int, _ isClipped: Bool) {
        isClippedNow[column] = isClipped
        annotate(text, at: Double(position) / rate)
    }

    private func store(_ number: Int32, _ column: Int) { record[column * rowsInRecord + rows] = number }

    private func advance() throws(RecordingError) {
        rows += 1
        guard rows == rowsInRecord else { return }
        rows = 0
        let code = record.withUnsafeMutableBufferPointer { cerulean_edf_write_record(handle, $0.baseAddress) }
        if code != 0 { throw Self.failure(path, "cannot be written", code) }
        written += 1
        annotations = try patcher.place(annotations, records: written)
        try patcher.count(written)
        guard written == 1 else { return }
        // Somebody may have taken the name meanwhile.
        try OutputFile(destination).close()
        guard rename(draft, path) == 0 else { throw Self.failure(path, "cannot be named", 0) }
    }

    private func fill(_ lost: Int, isAmbiguous: Bool) throws(RecordingError) {
        guard lost > 0 else { return }
        annotate(
            "\(lost) samples lost\(isAmbiguous ? " (likely number)" : "")", at: Double(position) / rate,
            lasting: Double(lost) / rate)
        let limit = Int(min(Double(lost), max(Self.gapLimit * rate, 1)))
        if limit < lost { annotate("only \(limit) of them are filled in", at: Double(position) / rate) }
        for _ in 0..<limit {
            for column in scales.indices { store(last[column], column) }
            try advance()
        }
    }

    private func annotate(_ text: String, at onset: Double, lasting duration: Double? = nil) {
        guard annotations.count < Self.annotationLimit else { return }
        annotations.append(EDFPatcher.Annotation(onset: onset, duration: duration, text: text))
    }

    static func failure(_ path: String, _ what: String, _ code: Int32) -> RecordingError {
        if code == CERULEAN_EDF_UNAVAILABLE {
            return RecordingError(.unsupported, path: path, detail: "EDFlib is not available on this system")
        }
        return OutputFile.failure(.file(path), what)
    }
}
