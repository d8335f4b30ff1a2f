// SPDX-License-Identifier: Apache-2.0

public import CeruleanSensing
import CeruleanWire

/// One device's part of a recording, read whole: what ``ReplaySource`` plays, and `convert` writes anew.
///
/// ```swift
/// for session in try RecordedSession.read("ecg.sqlite") { print(session.source.name, session.rowCount, session.lost) }
/// ```
public struct RecordedSession: Sendable {
    /// Something that was noted in front of a sample.
    public struct Mark: Hashable, Sendable {
        /// The index of the next sample.
        public var index: Int
        /// What was noted.
        public var text: String

        /// Something that was noted.
        public init(index: Int, text: String) {
            self.index = index
            self.text = text
        }
    }

    /// The device and its channels, as far as the file tells.
    public var source: SourceDescription
    /// When it began; nil if the file does not tell.
    public var start: WallTime?
    /// The values, row after row; not a number where a channel has none.
    public var values: [Double]
    /// The index of each row, lost ones counted; empty if none was lost.
    public var indices: [Int]
    /// Seconds of the device's clock of each row; empty where index and rate tell.
    public var times: [Double]
    /// What was noted, in the order of the indices.
    public var marks: [Mark]
    /// True if the file was cut off: the recording goes on behind its last sample.
    public var isCut: Bool

    /// A recording in memory.
    public init(
        source: SourceDescription, start: WallTime? = nil, values: [Double], indices: [Int] = [], times: [Double] = [],
        marks: [Mark] = [], isCut: Bool = false
    ) {
        self.source = source
        self.start = start
        self.values = values
        self.indices = indices
        self.times = times
        self.marks = marks
        self.isCut = isCut
    }

    /// How many rows there are.
    public var rowCount: Int { source.channels.isEmpty ? 0 : values.count / source.channels.count }

    /// How many samples are missing between rows.
    public var lost: Int { (indices.last ?? rowCount - 1) + 1 - rowCount }

    /// The values of one channel.
    public func column(_ channel: Int) -> [Double] {
        stride(from: channel, to: values.count, by: max(source.channels.count, 1)).map { values[$0] }
    }

    /// Values that are read at most, over all channels: one gigabyte.
    public static let valueLimit = 1 << 27

    /// Reads a file of any format that this library writes, told apart by its first octets.
    ///
    /// - Returns: One session for each device of an OpenSignals file and each session of a database; else one.
    /// - Throws: ``RecordingError`` `.cannotRead`, `.badData` or `.unsupported`.
    public static func read(_ path: String) throws(RecordingError) -> [RecordedSession] {
        let head = try InputFile.head(path, 64)
        if head.starts(with: "SQLite format 3".utf8) { return try SQLiteReader.read(path) }
        if head.starts(with: "0       ".utf8) { return [try EDFReader.read(path)] }
        return try read(InputFile.read(path, limit: OpenSignalsRecording.sizeLimit), path: path)
    }

    /// Reads a recording in one of the text formats from memory.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - path: Names it in errors, and the session where the format has no name.
    /// - Throws: ``RecordingError`` `.badData` or `.unsupported`.
    public static func read(_ bytes: [UInt8], path: String) throws(RecordingError) -> [RecordedSession] {
        if bytes.starts(with: "# OpenSignals".utf8) { return try openSignals(OpenSignalsRecording(bytes, path: path)) }
        if bytes.first == UInt8(ascii: "{") { return [try JSONLinesReader.read(bytes, path: path)] }
        if bytes.starts(with: "index,time,hostTime,lostBefore".utf8) { return [try CSVReader.read(bytes, path: path)] }
        throw RecordingError(
            .badData, path: path, offset: 0,
            detail: "no recording: neither OpenSignals, CSV, JSON Lines, EDF nor SQLite")
    }

    // MARK: - OpenSignals

    private static func openSignals(_ recording: OpenSignalsRecording) throws(RecordingError) -> [RecordedSession] {
        recording.devices.map { device in
            let sequence = device.columnNames.firstIndex { $0.lowercased() == "nseq" }
            let columns = device.columnNames.indices.filter { $0 != sequence }
            let resolution = device.resolution.count == device.columnNames.count ? device.resolution : []
            var inputs = 0
            let channels = columns.map { column -> Channel in
                let name = device.columnNames[column]
                let isLine = isDigital(name)
                let bits = resolution.isEmpty ? nil : resolution[column]
                let sensor = isLine || inputs >= device.sensors.count ? nil : device.sensors[inputs]
                if !isLine { inputs += 1 }
                let values = device.columns[column]
                let isWhole = !values.contains { $0 != $0.rounded() }
                let used = isWhole ? bits : nil
                return Channel(
                    name: name, quantity: isLine ? .logicLevel : .unspecified, resolution: used,
                    range: used.map { 0...Double((1 << min(max($0, 1), 52)) - 1) } ?? limits(values),
                    rate: device.rate, role: isLine ? (name.hasPrefix("O") ? .digitalOutput : .digitalInput) : .value,
                    sensor: sensor)
            }
            let bits = sequence.flatMap { resolution.isEmpty ? nil : resolution[$0] } ?? 4
            let source = SourceDescription(
                kind: (device.model ?? "").hasPrefix("bitalino") ? "bitalino" : "source", name: device.id,
                address: BluetoothAddress(device.id), model: device.model, channels: channels, rate: device.rate,
                sequenceBits: sequence == nil ? nil : bits)
            var values: [Double] = []
            values.reserveCapacity(recording.rowCount * columns.count)
            for row in 0..<recording.rowCount { for column in columns { values.append(device.columns[column][row]) } }
            let indices = sequence.map { self.indices(device.columns[$0], bits: bits) } ?? []
            return RecordedSession(
                source: source, start: start(of: device), values: values, indices: indices, isCut: recording.isCut)
        }
    }

    private static func isDigital(_ name: String) -> Bool {
        guard name.count == 2, let first = name.first, let second = name.last else { return false }
        return "IOD".contains(first) && second.isNumber
    }

    private static func limits(_ values: [Double]) -> ClosedRange<Double>? {
        let finite = values.filter(\.isFinite)
        guard let least = finite.min(), let greatest = finite.max(), least < greatest else { return nil }
        return least...greatest
    }

    /// Indices from a number that begins anew; the shortest jump is the likeliest. Empty if nothing is missing.
    private static func indices(_ sequence: [Double], bits: Int) -> [Int] {
        let size = 1 << min(max(bits, 1), 32)
        var indices: [Int] = []
        indices.reserveCapacity(sequence.count)
        var isGapless = true
        var last: (number: Int, index: Int)?
        for value in sequence {
            let number = value.isFinite ? Int(min(max(value, 0), 0x1p40)) & (size - 1) : 0
            guard let before = last else {
                last = (number, 0)
                indices.append(0)
                continue
            }
            let step = ((number - before.number) % size + size) % size
            // The same number twice is a file that numbers in its own way.
            let advance = step == 0 ? size : step
            if advance != 1 { isGapless = false }
            last = (number, before.index + advance)
            indices.append(before.index + advance)
        }
        return isGapless ? [] : indices
    }

    private static func start(of device: OpenSignalsRecording.Device) -> WallTime? {
        guard case .text(let date)? = device.header["date"], case .text(let time)? = device.header["time"] else {
            return nil
        }
        let day = date.split(separator: "-").compactMap { Int($0) }
        let parts = time.split(separator: ":")
        guard day.count == 3, parts.count == 3, (1970...9999).contains(day[0]), (1...12).contains(day[1]),
            (1...31).contains(day[2]), let hour = Int(parts[0]), let minute = Int(parts[1]),
            let second = Double(parts[2]), (0..<24).contains(hour), (0..<60).contains(minute), (0..<61).contains(second)
        else { return nil }
        return WallTime(
            year: day[0], month: day[1], day: day[2], hour: hour, minute: minute, second: Int(second),
            millisecond: Int((second - second.rounded(.down)) * 1000 + 0.5))
    }
}
