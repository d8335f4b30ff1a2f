// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Keeps an EDF+ file whole while EDFlib writes it: EDFlib puts annotations and the number of records into the file only
/// at the end, where a killed process never comes. It writes the room for them with each record; this fills it.
struct EDFPatcher {
    /// Something to note at a moment of the recording.
    struct Annotation {
        var onset: Double
        var duration: Double?
        var text: String
    }

    private let path: String
    private var descriptor: Int32
    private let headerSize: Int
    private var recordSize = 0
    private let samplesSize: Int
    /// How much of the room in the newest record is used.
    private var used = 0
    private var usedIn = -1

    init(_ path: String, signals: Int, rowsInRecord: Int) throws(RecordingError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw OutputFile.failure(.file(path), "cannot be opened") }
        // One signal more: that of the annotations.
        headerSize = (signals + 2) * 256
        samplesSize = signals * rowsInRecord * 2
    }

    mutating func close() {
        if descriptor >= 0 { _ = OutputFile.closeDescriptor(descriptor) }
        descriptor = -1
    }

    /// Writes the number of records into the header.
    func count(_ records: Int) throws(RecordingError) {
        let digits = Array("\(records)".utf8)
        guard digits.count <= 8 else { return }
        try write(digits + [UInt8](repeating: 0x20, count: 8 - digits.count), at: 236)
    }

    /// Puts annotations into the room of the newest record; returns those that found no place.
    mutating func place(_ annotations: [Annotation], records: Int) throws(RecordingError) -> [Annotation] {
        guard !annotations.isEmpty, records > 0 else { return annotations }
        if recordSize == 0 {
            let size = lseek(descriptor, 0, SEEK_END)
            recordSize = (Int(size) - headerSize) / records
        }
        let room = recordSize - samplesSize
        guard room > 16 else { return annotations }
        let start = headerSize + (records - 1) * recordSize + samplesSize
        if usedIn != records {
            used = try lengthOfTimeStamp(at: start, room: room)
            usedIn = records
        }
        var rest = annotations[...]
        while let next = rest.first {
            let bytes = Self.encoded(next, room: room - used)
            // A text that no record has room for is cut; others wait for the next.
            guard let bytes = bytes ?? Self.encoded(next, room: room - used, cuts: used <= 24) else { break }
            try write(bytes, at: start + used)
            used += bytes.count
            rest.removeFirst()
        }
        return Array(rest)
    }

    // MARK: - Private

    /// Onset, duration and text with the separators of EDF+ 2.2.2; nil if there is not enough room.
    private static func encoded(_ annotation: Annotation, room: Int, cuts: Bool = false) -> [UInt8]? {
        var bytes = Array("+\(decimals(annotation.onset))".utf8)
        if let duration = annotation.duration { bytes += [0x15] + Array(decimals(duration).utf8) }
        bytes.append(0x14)
        let text = annotation.text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }
        var octets: [UInt8] = []
        for scalar in text {
            let more = Array(String(scalar).utf8)
            // One more octet than separators: the record must end with a zero.
            guard bytes.count + octets.count + more.count + 3 <= room else {
                guard cuts else { return nil }
                break
            }
            octets += more
        }
        guard bytes.count + octets.count + 3 <= room else { return nil }
        return bytes + octets + [0x14, 0x00]
    }

    private static func decimals(_ seconds: Double) -> String {
        let micro = Int64(min(max(seconds, 0), 1e10) * 1e6 + 0.5)
        let rest = "\(micro % 1_000_000)"
        return "\(micro / 1_000_000)." + String(repeating: "0", count: 6 - rest.count) + rest
    }

    /// The octets of the first entry, which tells the time of the record.
    private func lengthOfTimeStamp(at start: Int, room: Int) throws(RecordingError) -> Int {
        var bytes = [UInt8](repeating: 0, count: room)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(start)) }
        guard count == room, let end = bytes.firstIndex(of: 0) else {
            throw OutputFile.failure(.file(path), "cannot be read back")
        }
        return end + 1
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws(RecordingError) {
        let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        guard count == bytes.count else { throw OutputFile.failure(.file(path), "cannot be written") }
    }
}
