// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire
import Foundation

/// JSON of boards' messages as `FieldValue`: whole numbers stay whole.
public enum MessageJSON {
    /// Deeper messages are refused: no board nests so far.
    static let depthLimit = 64

    /// The value of a text; nil if it is no JSON. Members of objects come in the order of their names.
    public static func parse(_ text: String) -> FieldValue? {
        guard isShallow(text) else { return nil }
        return try? JSONDecoder().decode(Node.self, from: Data(text.utf8)).value
    }

    /// The text of a value, without blanks.
    public static func text(_ value: FieldValue) -> String {
        switch value {
        case .null: return "null"
        case .bool(let flag): return flag ? "true" : "false"
        case .integer(let number): return "\(number)"
        case .number(let number): return number.isFinite ? "\(number)" : "null"
        case .text(let text): return quoted(text)
        case .bytes(let bytes): return quoted(Hex.encode(bytes))
        case .list(let values): return "[" + values.map(Self.text).joined(separator: ",") + "]"
        case .object(let members):
            return "{" + members.map { quoted($0.name) + ":" + Self.text($0.value) }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Counts brackets outside of texts, so that the parser below is never led too deep.
    private static func isShallow(_ text: String) -> Bool {
        var depth = 0
        var isInText = false
        var isEscaped = false
        for byte in text.utf8 {
            if isInText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInText = false
                }
            } else if byte == UInt8(ascii: "\"") {
                isInText = true
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                depth += 1
                if depth > depthLimit { return false }
            } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                depth -= 1
            }
        }
        return true
    }

    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Node: Decodable {
        var value: FieldValue

        init(from decoder: any Decoder) throws {
            if let object = try? decoder.container(keyedBy: Name.self) {
                var members: [FieldValue.Member] = []
                for name in object.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
                    members.append(.init(name.stringValue, try object.decode(Node.self, forKey: name).value))
                }
                value = .object(members)
                return
            }
            if var list = try? decoder.unkeyedContainer() {
                var values: [FieldValue] = []
                while !list.isAtEnd { values.append(try list.decode(Node.self).value) }
                value = .list(values)
                return
            }
            let single = try decoder.singleValueContainer()
            if single.decodeNil() {
                value = .null
            } else if let flag = try? single.decode(Bool.self) {
                value = .bool(flag)
            } else if let number = try? single.decode(Int64.self) {
                value = .integer(number)
            } else if let number = try? single.decode(Double.self) {
                value = .number(number)
            } else {
                value = .text(try single.decode(String.self))
            }
        }
    }
}
