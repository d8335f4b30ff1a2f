// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// Reads the text format of OpenSignals in one pass.
struct OpenSignalsParser {
    private let bytes: [UInt8]
    private let path: String?
    private var position = 0

    /// More columns than any device has; what is beyond is an attack or another format.
    private static let columnLimit = 4096

    init(bytes: [UInt8], path: String?) {
        self.bytes = bytes
        self.path = path
    }

    mutating func parse() throws(RecordingError) -> OpenSignalsRecording {
        var devices = try parseHeader()
        let first = position
        let width = try countFields()
        try fitColumns(&devices, width: width, at: first)
        var columns = [[Double]](repeating: [], count: devices.reduce(0) { $0 + $1.columnNames.count })
        var rows = 0
        var isCut = false
        while position < bytes.count {
            if skipEmptyLine() { continue }
            let start = position
            guard try parseRow(into: &columns) else {
                // Only the last line may be short: the writer was stopped in its middle.
                guard position >= bytes.count else { throw failure("a line with another number of columns", at: start) }
                for index in columns.indices where columns[index].count > rows { columns[index].removeLast() }
                isCut = true
                break
            }
            rows += 1
        }
        var offset = 0
        for index in devices.indices {
            let count = devices[index].columnNames.count
            devices[index].columns = Array(columns[offset..<offset + count])
            offset += count
        }
        return OpenSignalsRecording(devices: devices, rowCount: rows, isCut: isCut)
    }

    // MARK: - Header

    private func failure(_ detail: String, at offset: Int? = nil) -> RecordingError {
        RecordingError(.badData, path: path, offset: offset ?? position, detail: detail)
    }

    /// The next line without its end; nil at the end of the file.
    private mutating func line() -> Range<Int>? {
        guard position < bytes.count else { return nil }
        let start = position
        let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
        position = min(end + 1, bytes.count)
        return start..<(end > start && bytes[end - 1] == 0x0D ? end - 1 : end)
    }

    private mutating func parseHeader() throws(RecordingError) -> [OpenSignalsRecording.Device] {
        guard let title = line(), bytes[title].starts(with: "# OpenSignals Text File Format".utf8) else {
            throw failure("no OpenSignals text file: its first line is missing", at: 0)
        }
        var header: (value: FieldValue, offset: Int)?
        while true {
            guard let range = line(), bytes[range].first == UInt8(ascii: "#") else {
                throw failure("the line \"# EndOfHeader\" is missing")
            }
            if bytes[range].starts(with: "# EndOfHeader".utf8) { break }
            var start = range.lowerBound + 1
            while start < range.upperBound, bytes[start] == 0x20 { start += 1 }
            guard header == nil, start < range.upperBound, bytes[start] == UInt8(ascii: "{") else { continue }
            do {
                let limits = JSONText.Limits(octets: 4 << 20, values: 100_000)
                header = (try JSONText.parse(utf8: Array(bytes[start..<range.upperBound]), limits: limits), start)
            } catch {
                throw failure("the header is no JSON: \(error.message)", at: start + error.offset)
            }
        }
        guard let header, case .object(let members) = header.value, !members.isEmpty else {
            throw failure("the header names no device")
        }
        var devices: [OpenSignalsRecording.Device] = []
        for member in members { devices.append(try device(member, at: header.offset)) }
        return devices
    }

    private func device(
        _ member: FieldValue.Member, at offset: Int
    ) throws(RecordingError) -> OpenSignalsRecording.Device {
        let header = member.value
        guard case .object = header else { throw failure("the header of \(member.name) is no object", at: offset) }
        var device = OpenSignalsRecording.Device(
            id: member.name, model: text(header["device"]), rate: number(header["sampling rate"]),
            columnNames: texts(header["column"]), columns: [], resolution: integers(header["resolution"]),
            channels: integers(header["channels"]), labels: texts(header["label"]), sensors: texts(header["sensor"]),
            header: header)
        if let rate = device.rate, !(rate > 0) || rate > 1e9 { device.rate = nil }
        return device
    }

    private func text(_ value: FieldValue?) -> String? {
        if case .text(let text)? = value { text } else { nil }
    }

    private func number(_ value: FieldValue?) -> Double? {
        switch value {
        case .integer(let number)?: Double(number)
        case .number(let number)?: number
        default: nil
        }
    }

    private func texts(_ value: FieldValue?) -> [String] {
        guard case .list(let list)? = value else { return text(value).map { [$0] } ?? [] }
        return list.compactMap(text)
    }

    private func integers(_ value: FieldValue?) -> [Int] {
        switch value {
        case .integer(let number)?: [Int(number)]
        case .list(let list)?:
            list.compactMap { value in
                if case .integer(let number) = value { Int(number) } else { nil }
            }
        default: []
        }
    }

    // MARK: - Columns and rows

    /// The number of fields in the first row; 0 without one.
    private mutating func countFields() throws(RecordingError) -> Int {
        let start = position
        defer { position = start }
        while position < bytes.count {
            if skipEmptyLine() { continue }
            guard let range = line() else { return 0 }
            let fields = bytes[range].split(whereSeparator: { $0 == 0x09 || $0 == 0x20 })
            return fields.count
        }
        return 0
    }

    /// Names the columns of devices whose header does not: `nSeq`, digital lines as many as there is room for, the labels.
    private func fitColumns(
        _ devices: inout [OpenSignalsRecording.Device], width: Int, at offset: Int
    ) throws(RecordingError) {
        guard width <= Self.columnLimit else { throw failure("more than \(Self.columnLimit) columns", at: offset) }
        let named = devices.reduce(0) { $0 + $1.columnNames.count }
        let unnamed = devices.indices.filter { devices[$0].columnNames.isEmpty }
        for index in unnamed {
            let labels = devices[index].labels
            var names = ["nSeq"]
            if unnamed.count == 1, width > 0 {
                let lines = width - named - 1 - labels.count
                if lines > 0 { names += (1...lines).map { "D\($0)" } }
            }
            devices[index].columnNames = names + labels
        }
        let total = devices.reduce(0) { $0 + $1.columnNames.count }
        guard total <= Self.columnLimit else { throw failure("more than \(Self.columnLimit) columns", at: offset) }
        guard width == 0 || width == total || isLastLine(from: offset) else {
            throw failure("the header names \(total) columns, the first row has \(width)", at: offset)
        }
    }

    private func isLastLine(from offset: Int) -> Bool {
        guard let end = bytes[offset...].firstIndex(of: 0x0A) else { return true }
        return bytes[(end + 1)...].allSatisfy { $0 == 0x0A || $0 == 0x0D }
    }

    private mutating func skipEmptyLine() -> Bool {
        var end = position
        while end < bytes.count, bytes[end] == 0x0D || bytes[end] == 0x09 || bytes[end] == 0x20 { end += 1 }
        guard end >= bytes.count || bytes[end] == 0x0A else { return false }
        position = min(end + 1, bytes.count)
        return true
    }

    /// Reads one line; false if it has not one field for each column, or is the last one and has no end.
    private mutating func parseRow(into columns: inout [[Double]]) throws(RecordingError) -> Bool {
        var column = 0
        while true {
            while position < bytes.count, bytes[position] == 0x09 || bytes[position] == 0x20 { position += 1 }
            // With the tab behind it the last number is whole, even without an end of the line.
            guard position < bytes.count else { return column == columns.count }
            if bytes[position] == 0x0D || bytes[position] == 0x0A { break }
            let start = position
            let value = try parseNumber()
            // A number at the very end of the file may have lost digits.
            guard position < bytes.count else { return false }
            guard column < columns.count else {
                throw failure("a line with more columns than the header names", at: start)
            }
            columns[column].append(value)
            column += 1
        }
        _ = skipEmptyLine()
        return column == columns.count
    }

    private mutating func parseNumber() throws(RecordingError) -> Double {
        let start = position
        var whole = 0
        var isWhole = true
        while position < bytes.count {
            let byte = bytes[position]
            if byte == 0x09 || byte == 0x20 || byte == 0x0D || byte == 0x0A { break }
            if byte >= 0x30, byte <= 0x39, position - start < 15 {
                whole = whole * 10 + Int(byte - 0x30)
            } else {
                isWhole = false
            }
            position += 1
        }
        if isWhole, position > start { return Double(whole) }
        guard position - start <= 64, let value = Double(String(decoding: bytes[start..<position], as: UTF8.self))
        else {
            throw failure("no number", at: start)
        }
        return value
    }
}
