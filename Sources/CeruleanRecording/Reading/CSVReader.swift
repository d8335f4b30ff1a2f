// SPDX-License-Identifier: Apache-2.0

import CeruleanSensing
import CeruleanWire

/// Reads the CSV files that this library writes. Converted columns are left out: they follow from the raw ones.
enum CSVReader {
    static func read(_ bytes: [UInt8], path: String) throws(RecordingError) -> RecordedSession {
        var position = 0
        func failure(_ detail: String, at offset: Int) -> RecordingError {
            RecordingError(.badData, path: path, offset: offset, detail: detail)
        }
        guard let end = bytes.firstIndex(of: 0x0A) else { throw failure("no line of names", at: 0) }
        let names = fields(String(decoding: bytes[..<end], as: UTF8.self))
        guard names.count >= 5, names.count <= 4100 else { throw failure("no channel, or too many", at: 0) }
        position = end + 1
        let all = Array(names.dropFirst(4))
        // A converted column repeats a name with a unit in brackets.
        let channelNames = all.filter { name in
            !all.contains { name.hasPrefix("\($0) (") && name.hasSuffix(")") && name != $0 }
        }
        let count = channelNames.count
        var values: [Double] = []
        var indices: [Int] = []
        var times: [Double] = []
        var start: WallTime?
        var isCut = false
        while position < bytes.count {
            guard let end = bytes[position...].firstIndex(of: 0x0A) else {
                isCut = true
                break
            }
            let row = bytes[position..<end].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            guard row.count == names.count, let index = integer(row[0]), let time = number(row[1]), time.isFinite else {
                throw failure("a line that is no sample", at: position)
            }
            guard values.count + count <= RecordedSession.valueLimit else {
                throw failure("too many values", at: position)
            }
            if start == nil, let host = number(row[2]), (0..<1e11).contains(host - time) {
                start = WallTime(milliseconds: Int64((host - time) * 1000))
            }
            indices.append(index)
            times.append(time)
            for column in 0..<count {
                guard let value = row[4 + column].isEmpty ? .some(.nan) : number(row[4 + column]) else {
                    throw failure("no number", at: row[4 + column].startIndex)
                }
                values.append(value)
            }
            position = end + 1
        }
        guard zip(indices, indices.dropFirst()).allSatisfy({ $0 < $1 }), indices.first ?? 0 >= 0 else {
            throw failure("the indices do not rise", at: 0)
        }
        // Named like the file, as far as the name of a recording goes.
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let rate = rate(indices, times)
        let channels = channelNames.enumerated().map { column, name in
            guess(name, column: column, count: count, values: values, rate: rate)
        }
        let source = SourceDescription(
            kind: "source", name: file.split(separator: ".").first.map(String.init) ?? file, channels: channels,
            rate: rate)
        let isGapless = indices.first ?? 0 == 0 && indices.count == (indices.last ?? -1) + 1
        return RecordedSession(
            source: source, start: start, values: values, indices: isGapless ? [] : indices,
            times: rate == nil ? times : [], isCut: isCut)
    }

    /// A channel of which only values are known.
    static func guess(_ name: String, column: Int, count: Int, values: [Double], rate: Double?) -> Channel {
        var isWhole = true
        var least = Double.infinity
        var greatest = -Double.infinity
        for index in stride(from: column, to: values.count, by: count) {
            let value = values[index]
            guard value.isFinite else { continue }
            if value != value.rounded() { isWhole = false }
            least = min(least, value)
            greatest = max(greatest, value)
        }
        guard least <= greatest else { return Channel(name: name, rate: rate) }
        let isUnsigned = isWhole && least >= 0 && greatest <= 65535
        let bits = isUnsigned ? [1, 6, 10, 12, 16].first { greatest < Double(1 << $0) } : nil
        return Channel(
            name: name, resolution: bits,
            range: bits.map { 0...Double((1 << $0) - 1) } ?? (least < greatest ? least...greatest : least...least + 1),
            rate: rate)
    }

    /// Samples a second, if times and indices agree on one rate.
    static func rate(_ indices: [Int], _ times: [Double]) -> Double? {
        guard let first = indices.first, let last = indices.last, let begin = times.first, let end = times.last,
            last > first, end > begin
        else { return nil }
        let rate = Double(last - first) / (end - begin)
        for (index, time) in zip(indices, times) {
            guard abs(time - begin - Double(index - first) / rate) <= 0.02 / rate else { return nil }
        }
        let rounded = (rate * 1e6).rounded() / 1e6
        return abs(rounded - rate.rounded()) < 1e-4 ? rate.rounded() : rounded
    }

    private static func integer(_ text: ArraySlice<UInt8>) -> Int? {
        guard !text.isEmpty, text.count <= 15 else { return nil }
        var value = 0
        for byte in text {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return value
    }

    private static func number(_ text: ArraySlice<UInt8>) -> Double? {
        if let whole = integer(text) { return Double(whole) }
        return text.count <= 64 ? Double(String(decoding: text, as: UTF8.self)) : nil
    }

    /// The fields of a line, with quotes taken off.
    private static func fields(_ line: String) -> [String] {
        var fields: [String] = []
        var field = ""
        var isQuoted = false
        var previous: Character?
        for character in line where character != "\r" {
            if character == "\"" {
                if isQuoted == false, previous == "\"" { field.append("\"") }
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                fields.append(field)
                field = ""
            } else {
                field.append(character)
            }
            previous = character
        }
        return fields + [field]
    }
}
