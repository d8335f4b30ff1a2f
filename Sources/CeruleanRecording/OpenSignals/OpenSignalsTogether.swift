// SPDX-License-Identifier: Apache-2.0

public import CeruleanSensing
import CeruleanWire
import Synchronization

/// One OpenSignals file that several devices are recorded into at once, side by side.
///
/// ```swift
/// let together = try OpenSignalsTogether(sources.map(\.info), in: "recordings")
/// // each source in a task of its own:
/// try await Recorder(source: sources[0]).run([.csv, together.format(of: 0)], in: "recordings")
/// ```
///
/// The file begins with the first moment that all devices share, by the host's clock: half a second of each is looked at
/// first. A line is written as soon as all devices have come so far. A device that is silent holds the others up for ten
/// seconds; from then on, and where it lost samples, its columns hold `nan` and its `nSeq` goes on. The file ends with the
/// first device that ends, but for one whose link was lost for good.
public final class OpenSignalsTogether: Sendable {
    private struct Device {
        let source: SourceDescription
        let id: String
        /// Rows that are not written yet, by index.
        var indices: [Int] = []
        var values: [Double] = []
        var first = 0
        /// The index behind the last row.
        var next = 0
        /// The host's moment of sample 0, by the earliest arrival.
        var begin = Double.infinity
        /// Samples of this device in front of the first line.
        var shift = 0
        /// Behind the last sample; nil while it goes on.
        var end: Int?
        /// Its link is gone for good: nothing but `nan` follows.
        var isGone = false
    }

    private struct State {
        var devices: [Device]
        var file: OutputFile?
        var path: String?
        var line = 0
        var wall: (host: Double, time: WallTime)?
        var open: Int
        var isOver = false
    }

    private let rate: Double
    private let directory: String
    private let state: Mutex<State>

    /// Seconds of each device that are looked at before the first line.
    private static let settling = 0.5
    /// Seconds for which a silent device holds the others up.
    private static let patience = 10.0

    /// A file for these devices; it is created when all have sent something.
    ///
    /// - Throws: ``RecordingError`` `.unsupported` when there are fewer than two, or their rates differ.
    public init(_ sources: [SourceDescription], in directory: String) throws(RecordingError) {
        guard sources.count >= 2 else {
            throw RecordingError(.unsupported, path: nil, detail: "there is only one device; nothing is to be joined")
        }
        guard let rate = sources[0].rate, rate > 0, sources.allSatisfy({ $0.rate == rate }) else {
            throw RecordingError(
                .unsupported, path: nil, detail: "devices of different rates, or without one, cannot share a file")
        }
        self.rate = rate
        self.directory = directory
        let ids = OpenSignalsJoin.ids(of: sources)
        state = Mutex(State(devices: zip(sources, ids).map { Device(source: $0, id: $1) }, open: sources.count))
    }

    /// The file; nil before all devices have sent something.
    public var path: String? { state.withLock { $0.path } }

    /// The format with which the device at this place of the list is recorded; to be used once.
    public func format(of place: Int) -> RecordingFormat {
        RecordingFormat(name: "together", fileExtension: "txt", title: "OpenSignals text, several devices") {
            (_, _) throws(RecordingError) in Writer(self, place)
        }
    }

    // MARK: - Private

    private final class Writer: RecordingWriter {
        private let owner: OpenSignalsTogether
        private let place: Int
        var destination: RecordingDestination { owner.path.map { .file($0) } ?? .network("together") }

        init(_ owner: OpenSignalsTogether, _ place: Int) {
            self.owner = owner
            self.place = place
        }

        func write(_ block: SampleBlock, arrival: WallTime) throws(RecordingError) {
            try owner.take(block, arrival, place)
        }
        func writeGap(index: Int, lost: Int) throws(RecordingError) { try owner.skip(to: index + lost, place) }
        func writeMarker(_ text: String, index: Int, arrival: WallTime) throws(RecordingError) {}
        func finish(samples: Int, lost: Int, reason: EndReason) throws(RecordingError) {
            try owner.finish(place, isGone: reason.code == .connectionLost || reason.code == .failed)
        }
    }

    private func change(_ body: (inout State) -> Void) throws(RecordingError) {
        let failure = state.withLock { state -> RecordingError? in
            body(&state)
            do throws(RecordingError) {
                try advance(&state)
                return nil
            } catch {
                state.isOver = true
                return error
            }
        }
        if let failure { throw failure }
    }

    private func take(_ block: SampleBlock, _ arrival: WallTime, _ place: Int) throws(RecordingError) {
        try change { state in
            guard !state.isOver, state.devices.indices.contains(place), block.rowCount > 0 else { return }
            let indices = block.rowIndices
            let host = (block.hostTime - .zero).inSeconds
            state.wall = state.wall ?? (host, arrival)
            let last = indices[indices.count - 1]
            let begin = host - block.time(ofRow: indices.count - 1, index: last, rate: rate)
            if state.file == nil { state.devices[place].begin = min(state.devices[place].begin, begin) }
            state.devices[place].indices += indices
            state.devices[place].values += block.values.prefix(indices.count * block.channelCount)
            state.devices[place].next = last + 1
            // One that sends nothing at all must not let the others grow.
            let limit = Int(Self.patience * rate) + 1
            if state.file == nil, state.devices[place].indices.count > 2 * limit {
                state.devices[place].values.removeFirst(
                    (state.devices[place].indices.count - limit) * block.channelCount)
                state.devices[place].indices.removeFirst(state.devices[place].indices.count - limit)
            }
        }
    }

    private func skip(to index: Int, _ place: Int) throws(RecordingError) {
        try change { state in
            guard state.devices.indices.contains(place) else { return }
            state.devices[place].next = max(state.devices[place].next, index)
        }
    }

    private func finish(_ place: Int, isGone: Bool) throws(RecordingError) {
        try change { state in
            guard state.devices.indices.contains(place) else { return }
            state.devices[place].end = state.devices[place].next
            state.devices[place].isGone = isGone
            state.open -= 1
        }
    }

    /// Writes the lines that are complete.
    private func advance(_ state: inout State) throws(RecordingError) {
        guard !state.isOver else { return }
        if state.file == nil {
            let isSettled = state.devices.allSatisfy { device in
                device.end != nil || Double(device.next) / rate >= Self.settling
            }
            if isSettled, state.devices.allSatisfy({ $0.begin.isFinite }) { try begin(&state) }
        }
        guard let file = state.file else {
            if state.open == 0 { state.isOver = true }
            return
        }
        let furthest = state.devices.map { $0.next - $0.shift }.max() ?? 0
        let forced = furthest - Int(Self.patience * rate)
        // A device that ended as it was meant to ends the file.
        let end = state.devices.compactMap { device in device.isGone ? nil : device.end.map { $0 - device.shift } }
            .min()
        var buffer: [UInt8] = []
        while state.line < end ?? .max {
            let line = state.line
            let isComplete = state.devices.allSatisfy { $0.isGone || $0.next - $0.shift > line }
            guard isComplete && line < furthest || line < forced else { break }
            for place in state.devices.indices { append(&state.devices[place], line, &buffer) }
            buffer.append(0x0A)
            state.line += 1
        }
        if !buffer.isEmpty { try file.write(buffer) }
        if state.open == 0 || state.line >= end ?? .max {
            state.isOver = true
            state.file = nil
            state.devices = state.devices.map { Device(source: $0.source, id: $0.id) }
            try file.close()
        }
    }

    private func begin(_ state: inout State) throws(RecordingError) {
        let begin = state.devices.map(\.begin).max() ?? 0
        for place in state.devices.indices {
            state.devices[place].shift = Int(((begin - state.devices[place].begin) * rate).rounded())
        }
        let wall = state.wall ?? (begin, .now)
        let start = WallTime(milliseconds: wall.time.milliseconds + Int64((begin - wall.host) * 1000))
        let base = RecordingName.sanitized(state.devices.map(\.source.name).joined(separator: "_"))
        let path = RecordingName.path(directory: directory, base: base, start: start, format: .openSignals)
        let file = try OutputFile(.file(path))
        try file.write(
            OpenSignalsJoin.header(
                state.devices.map { ($0.source, $0.id) }, rate: rate, start: start))
        state.file = file
        state.path = path
    }

    private func append(_ device: inout Device, _ line: Int, _ buffer: inout [UInt8]) {
        let index = line + device.shift
        let count = device.source.channels.count
        buffer.append(decimal: Int64(index & ((1 << OpenSignalsWriter.bits(of: device.source)) - 1)))
        buffer.append(0x09)
        while device.first < device.indices.count, device.indices[device.first] < index { device.first += 1 }
        let isThere = device.first < device.indices.count && device.indices[device.first] == index
        for column in 0..<count {
            let value = isThere ? device.values[device.first * count + column] : .nan
            if value.isFinite { buffer.append(number: value) } else { buffer.append(ascii: "nan") }
            buffer.append(0x09)
        }
        if device.first >= 4096 {
            device.indices.removeFirst(device.first)
            device.values.removeFirst(device.first * count)
            device.first = 0
        }
    }
}
