// SPDX-License-Identifier: Apache-2.0

import CeruleanSensing
import CeruleanWire

/// Reads the JSON Lines files that this library writes.
struct JSONLinesReader {
    private let path: String
    private var source = SourceDescription(kind: "source", name: "", channels: [], rate: nil)
    private var start: WallTime?
    private var values: [Double] = []
    private var indices: [Int] = []
    private var times: [Double] = []
    private var marks: [RecordedSession.Mark] = []
    private var columns: [String: Int] = [:]
    private var hasEnd = false

    static func read(_ bytes: [UInt8], path: String) throws(RecordingError) -> RecordedSession {
        var reader = JSONLinesReader(path: path)
        return try reader.read(bytes)
    }

    private init(path: String) { self.path = path }

    private func failure(_ detail: String, at offset: Int) -> RecordingError {
        RecordingError(.badData, path: path, offset: offset, detail: detail)
    }

    private mutating func read(_ bytes: [UInt8]) throws(RecordingError) -> RecordedSession {
        var position = 0
        while position < bytes.count, let end = bytes[position...].firstIndex(of: 0x0A) {
            if end > position { try line(Array(bytes[position..<end]), at: position) }
            position = end + 1
        }
        guard !columns.isEmpty else { throw failure("no header", at: 0) }
        let isGapless = indices.first ?? 0 == 0 && indices.count == (indices.last ?? -1) + 1
        return RecordedSession(
            source: source, start: start, values: values, indices: isGapless ? [] : indices,
            times: source.rate == nil ? times : [], marks: marks, isCut: !hasEnd)
    }

    private mutating func line(_ bytes: [UInt8], at offset: Int) throws(RecordingError) {
        let value: FieldValue
        do {
            value = try JSONText.parse(utf8: bytes, limits: JSONText.Limits(octets: 1 << 20, values: 10_000))
        } catch {
            throw failure("no JSON: \(error.message)", at: offset + error.offset)
        }
        guard case .text(let type)? = value["type"] else { throw failure("a line without a type", at: offset) }
        switch type {
        case "header": try header(value, at: offset)
        case "sample": try sample(value, at: offset)
        case "marker":
            if case .text(let text)? = value["text"], case .integer(let index)? = value["index"] {
                marks.append(RecordedSession.Mark(index: Int(index), text: text))
            }
        case "end": hasEnd = true
        default: break
        }
    }

    private mutating func header(_ value: FieldValue, at offset: Int) throws(RecordingError) {
        func text(_ value: FieldValue?) -> String? { if case .text(let text)? = value { text } else { nil } }
        func number(_ value: FieldValue?) -> Double? {
            switch value {
            case .integer(let number)?: Double(number)
            case .number(let number)?: number
            default: nil
            }
        }
        guard columns.isEmpty, case .list(let list)? = value["channels"], !list.isEmpty else {
            throw failure("a header without channels, or a second one", at: offset)
        }
        let rate = number(value["rate"]).flatMap { $0 > 0 && $0 <= 1e9 ? $0 : nil }
        var channels: [Channel] = []
        for entry in list {
            guard let name = text(entry["name"]), columns[name] == nil else {
                throw failure("a channel without a name of its own", at: offset)
            }
            columns[name] = channels.count
            var channel = Channel(name: name, unit: text(entry["unit"]) ?? "", rate: rate)
            if let quantity = text(entry["quantity"]) { channel.quantity = Quantity(rawValue: quantity) }
            if case .integer(let bits)? = entry["resolution"], (1...64).contains(bits) {
                channel.resolution = Int(bits)
            }
            if case .list(let range)? = entry["range"], range.count == 2, let least = number(range[0]),
                let greatest = number(range[1]), least <= greatest
            {
                channel.range = least...greatest
            }
            if channel.quantity == .logicLevel { channel.role = name.hasPrefix("O") ? .digitalOutput : .digitalInput }
            channels.append(channel)
        }
        let device = value["device"]
        source = SourceDescription(
            kind: text(device?["kind"]) ?? "source", name: text(device?["name"]) ?? "recording",
            address: text(device?["address"]).flatMap { BluetoothAddress($0) }, firmware: text(device?["firmware"]),
            channels: channels, rate: rate)
        start = text(value["start"]).flatMap { WallTime(rfc3339: $0) }
    }

    private mutating func sample(_ value: FieldValue, at offset: Int) throws(RecordingError) {
        guard !columns.isEmpty, case .integer(let index)? = value["index"], index >= 0, index < 1 << 52,
            Int(index) > indices.last ?? -1, case .object(let members)? = value["values"],
            values.count + columns.count <= RecordedSession.valueLimit
        else { throw failure("a line that is no sample", at: offset) }
        var row = [Double](repeating: .nan, count: columns.count)
        for member in members {
            guard let column = columns[member.name] else { throw failure("\(member.name) is no channel", at: offset) }
            switch member.value {
            case .integer(let number): row[column] = Double(number)
            case .number(let number): row[column] = number
            default: throw failure("\(member.name) is no number", at: offset)
            }
        }
        values += row
        indices.append(Int(index))
        switch value["time"] {
        case .integer(let time)?: times.append(Double(time))
        case .number(let time)?: times.append(time)
        default: throw failure("a sample without a time", at: offset)
        }
    }
}
