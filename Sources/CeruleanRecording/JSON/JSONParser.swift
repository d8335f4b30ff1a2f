// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// A strict parser of RFC 8259 with limits. Recursion is bounded by `limits.depth`.
struct JSONParser {
    private let bytes: [UInt8]
    private let limits: JSONText.Limits
    private var position = 0
    private var depth = 0
    private var values = 0

    init(bytes: [UInt8], limits: JSONText.Limits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func parseDocument() throws(JSONError) -> FieldValue {
        skipSpace()
        let value = try parseValue()
        skipSpace()
        guard position == bytes.count else { throw failure("text behind the value") }
        return value
    }

    // MARK: - Private

    private func failure(_ message: String) -> JSONError { JSONError(offset: position, message: message) }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func parseValue() throws(JSONError) -> FieldValue {
        values += 1
        guard values <= limits.values else { throw failure("more than \(limits.values) values") }
        guard let byte = next else { throw failure("a value is missing") }
        switch byte {
        case UInt8(ascii: "{"): return try parseObject()
        case UInt8(ascii: "["): return try parseList()
        case UInt8(ascii: "\""): return .text(try parseString())
        case UInt8(ascii: "t"): return try parseWord("true", .bool(true))
        case UInt8(ascii: "f"): return try parseWord("false", .bool(false))
        case UInt8(ascii: "n"): return try parseWord("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
        default: throw failure("no value starts with this character")
        }
    }

    private mutating func parseWord(_ word: StaticString, _ value: FieldValue) throws(JSONError) -> FieldValue {
        let count = word.utf8CodeUnitCount
        let matches = word.withUTF8Buffer { bytes[position...].prefix(count).elementsEqual($0) }
        guard matches else { throw failure("unknown word") }
        position += count
        return value
    }

    private mutating func enter() throws(JSONError) {
        depth += 1
        guard depth <= limits.depth else { throw failure("more than \(limits.depth) levels") }
        position += 1
        skipSpace()
    }

    private mutating func leave() {
        depth -= 1
        position += 1
    }

    private mutating func parseList() throws(JSONError) -> FieldValue {
        try enter()
        var list: [FieldValue] = []
        if next == UInt8(ascii: "]") {
            leave()
            return .list(list)
        }
        while true {
            list.append(try parseValue())
            skipSpace()
            if next == UInt8(ascii: "]") {
                leave()
                return .list(list)
            }
            guard next == UInt8(ascii: ",") else { throw failure("a comma or ] is missing") }
            position += 1
            skipSpace()
        }
    }

    private mutating func parseObject() throws(JSONError) -> FieldValue {
        try enter()
        var members: [FieldValue.Member] = []
        var names: Set<String> = []
        if next == UInt8(ascii: "}") {
            leave()
            return .object(members)
        }
        while true {
            guard next == UInt8(ascii: "\"") else { throw failure("a name in quotes is missing") }
            let start = position
            let name = try parseString()
            guard names.insert(name).inserted else {
                throw JSONError(offset: start, message: "a second member with this name")
            }
            skipSpace()
            guard next == UInt8(ascii: ":") else { throw failure("a colon is missing") }
            position += 1
            skipSpace()
            members.append(FieldValue.Member(name, try parseValue()))
            skipSpace()
            if next == UInt8(ascii: "}") {
                leave()
                return .object(members)
            }
            guard next == UInt8(ascii: ",") else { throw failure("a comma or } is missing") }
            position += 1
            skipSpace()
        }
    }

    private mutating func parseDigits() throws(JSONError) {
        guard let byte = next, isDigit(byte) else { throw failure("a digit is missing") }
        while let byte = next, isDigit(byte) { position += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private mutating func parseNumber() throws(JSONError) -> FieldValue {
        let start = position
        var isWhole = true
        if next == UInt8(ascii: "-") { position += 1 }
        if next == UInt8(ascii: "0") { position += 1 } else { try parseDigits() }
        if next == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            try parseDigits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            isWhole = false
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try parseDigits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let number = Int64(text) { return .integer(number) }
        guard let number = Double(text), number.isFinite else {
            throw JSONError(offset: start, message: "a number out of range")
        }
        return .number(number)
    }

    private mutating func parseString() throws(JSONError) -> String {
        position += 1
        let start = position
        // Most strings hold no escape: find the end, then convert at once.
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        if next == UInt8(ascii: "\"") {
            let text = try validated(bytes[start..<position], at: start)
            position += 1
            return text
        }
        var octets = Array(bytes[start..<position])
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                let text = try validated(octets[...], at: start)
                position += 1
                return text
            case UInt8(ascii: "\\"): try parseEscape(into: &octets)
            case 0..<0x20: throw failure("a control character in a string")
            default:
                octets.append(byte)
                position += 1
            }
        }
        throw failure("the string does not end")
    }

    private func validated(_ octets: ArraySlice<UInt8>, at start: Int) throws(JSONError) -> String {
        guard let text = String(validating: octets, as: UTF8.self) else {
            throw JSONError(offset: start, message: "a string that is not UTF-8")
        }
        return text
    }

    private mutating func parseEscape(into octets: inout [UInt8]) throws(JSONError) {
        position += 1
        guard let byte = next else { throw failure("the string does not end") }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): octets.append(byte)
        case UInt8(ascii: "b"): octets.append(0x08)
        case UInt8(ascii: "f"): octets.append(0x0C)
        case UInt8(ascii: "n"): octets.append(0x0A)
        case UInt8(ascii: "r"): octets.append(0x0D)
        case UInt8(ascii: "t"): octets.append(0x09)
        case UInt8(ascii: "u"):
            let start = position - 1
            var scalar = try parseUnit()
            if scalar >= 0xD800, scalar < 0xDC00, next == UInt8(ascii: "\\"), position + 1 < bytes.count,
                bytes[position + 1] == UInt8(ascii: "u")
            {
                position += 1
                let low = try parseUnit()
                guard low >= 0xDC00, low < 0xE000 else {
                    throw JSONError(offset: start, message: "half a surrogate pair")
                }
                scalar = 0x10000 + ((scalar - 0xD800) << 10) + (low - 0xDC00)
            }
            guard let unicode = Unicode.Scalar(scalar) else {
                throw JSONError(offset: start, message: "half a surrogate pair")
            }
            octets.append(contentsOf: String(unicode).utf8)
            return
        default: throw failure("unknown escape")
        }
        position += 1
    }

    /// Reads `uXXXX`; the position stands at the `u` before and behind the last digit after.
    private mutating func parseUnit() throws(JSONError) -> UInt32 {
        position += 1
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure("four hexadecimal digits are missing")
            }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }
}
