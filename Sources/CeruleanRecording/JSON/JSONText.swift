// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// JSON text (RFC 8259) from and to `CeruleanWire/FieldValue`: members keep their order, whole numbers stay exact.
///
/// ```swift
/// JSONText.encode(["name": "BITalino", "value": .bytes([1, 255])])   // {"name":"BITalino","value":"01ff"}
/// try JSONText.parse(#"{"a":1,"b":1.0}"#)                            // .integer(1) and .number(1)
/// ```
public enum JSONText {
    /// What ``parse(_:limits:)`` is ready to take. Text beyond it is an error, so that hostile input costs little.
    public struct Limits: Hashable, Sendable {
        /// The longest text, in octets.
        public var octets: Int
        /// How many lists and objects may stand inside each other.
        public var depth: Int
        /// How many values there may be in all.
        public var values: Int

        /// At most `octets` of text, `depth` levels and `values` values.
        public init(octets: Int = 64 << 20, depth: Int = 64, values: Int = 4_000_000) {
            self.octets = octets
            self.depth = depth
            self.values = values
        }
    }

    /// The value on one line, without a line feed.
    public static func encode(_ value: FieldValue) -> String {
        var text: [UInt8] = []
        append(value, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the value as UTF-8.
    ///
    /// Octets become lower-case hexadecimal text; a number is the shortest text that reads back the same; one that is not
    /// finite becomes `null`, for which JSON leaves no other way.
    public static func append(_ value: FieldValue, to text: inout [UInt8]) {
        switch value {
        case .null: text.append(ascii: "null")
        case .bool(let flag): text.append(ascii: flag ? "true" : "false")
        case .integer(let number): text.append(decimal: number)
        case .number(let number):
            if number.isFinite { text.append(contentsOf: number.description.utf8) } else { text.append(ascii: "null") }
        case .text(let string): append(string: string, to: &text)
        case .bytes(let bytes):
            text.append(UInt8(ascii: "\""))
            text.append(hexadecimal: bytes)
            text.append(UInt8(ascii: "\""))
        case .list(let values):
            text.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                append(value, to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                append(string: member.name, to: &text)
                text.append(UInt8(ascii: ":"))
                append(member.value, to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    /// Appends `string` in quotes, with what JSON forbids escaped.
    public static func append(string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""): text.append(ascii: "\\\"")
            case UInt8(ascii: "\\"): text.append(ascii: "\\\\")
            case 0x0A: text.append(ascii: "\\n")
            case 0x0D: text.append(ascii: "\\r")
            case 0x09: text.append(ascii: "\\t")
            case 0..<0x20, 0x7F:
                text.append(ascii: "\\u00")
                text.append(hexadecimal: CollectionOfOne(byte))
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }

    /// Reads one value that fills the whole text.
    ///
    /// A number without fraction and exponent that fits `Int64` is `.integer`, any other `.number`.
    /// - Throws: ``JSONError`` with the offset in octets: bad syntax, a name used twice in one object, broken UTF-8, a number
    ///   too large for a `Double`, or a limit passed.
    public static func parse(_ text: some StringProtocol, limits: Limits = Limits()) throws(JSONError) -> FieldValue {
        try parse(utf8: Array(text.utf8), limits: limits)
    }

    /// Reads one value from UTF-8, as ``parse(_:limits:)`` does.
    public static func parse(utf8 bytes: [UInt8], limits: Limits = Limits()) throws(JSONError) -> FieldValue {
        guard bytes.count <= limits.octets else {
            throw JSONError(offset: limits.octets, message: "more than \(limits.octets) octets")
        }
        var parser = JSONParser(bytes: bytes, limits: limits)
        return try parser.parseDocument()
    }
}

/// Says where and why text is no JSON.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Octets from the start of the text.
    public var offset: Int
    /// What is wrong there, for people.
    public var message: String

    /// An error at `offset`.
    public init(offset: Int, message: String) {
        self.offset = offset
        self.message = message
    }

    /// The message with its offset.
    public var description: String { "\(message) at offset \(offset)" }
}
