// SPDX-License-Identifier: Apache-2.0

/// A decoded value as a tree of names and numbers: what a dissector, `decode` and JSON output share.
///
/// Members keep their order. Equality compares it too.
public indirect enum FieldValue: Hashable, Sendable {
    /// Not known, or not there.
    case null
    /// True or false.
    case bool(Bool)
    /// A whole number.
    case integer(Int64)
    /// A number with a fraction.
    case number(Double)
    /// Text.
    case text(String)
    /// Octets; printed as lower-case hexadecimal.
    case bytes([UInt8])
    /// Values in order.
    case list([FieldValue])
    /// Named values in order.
    case object([Member])

    /// One named value.
    public struct Member: Hashable, Sendable {
        /// The name, in lower camel case.
        public var name: String
        /// The value.
        public var value: FieldValue

        /// Pairs a name with a value.
        public init(_ name: String, _ value: FieldValue) {
            self.name = name
            self.value = value
        }
    }

    /// A whole number; one beyond `Int64` becomes a `.number`.
    public init<T: FixedWidthInteger>(integer: T) {
        if let exact = Int64(exactly: integer) { self = .integer(exact) } else { self = .number(Double(integer)) }
    }

    /// The member called `name`, if this is an object that has one.
    public subscript(name: String) -> FieldValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }
}

extension FieldValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// An object with the given members in order.
    public init(dictionaryLiteral elements: (String, FieldValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }

    /// A list.
    public init(arrayLiteral elements: FieldValue...) { self = .list(elements) }

    /// Text.
    public init(stringLiteral value: String) { self = .text(value) }

    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }

    /// True or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Null.
    public init(nilLiteral: ()) { self = .null }
}
