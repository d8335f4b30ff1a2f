// SPDX-License-Identifier: Apache-2.0

/// Says why bytes could not be read, or a value could not be written, and where.
public struct WireError: Error, Hashable, Sendable {
    /// What is wrong with the bytes.
    public enum Reason: Hashable, Sendable {
        /// The bytes end inside a field.
        case truncated
        /// Bytes are left over behind the last field.
        case trailing
        /// The field holds a number that the format forbids.
        case invalid(StaticStringKey)
        /// A value does not fit into the room that the format gives it (encoding only).
        case tooLong
    }

    /// Octets from the start of what was being decoded or encoded.
    public var offset: Int
    /// What is wrong there.
    public var reason: Reason

    /// Creates an error at `offset` octets.
    @inlinable
    public init(offset: Int, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }

    /// Creates an `.invalid` error that names the field.
    @inlinable
    public static func invalid(_ field: StaticString, at offset: Int) -> Self {
        Self(offset: offset, reason: .invalid(StaticStringKey(field)))
    }

    /// The same error, `count` octets further on: for a part decoded on its own.
    @inlinable
    public func shifted(by count: Int) -> Self { Self(offset: offset + count, reason: reason) }
}

extension WireError: CustomStringConvertible {
    /// A short English sentence with the offset.
    public var description: String {
        switch reason {
        case .truncated: "truncated at offset \(offset)"
        case .trailing: "surplus octets at offset \(offset)"
        case .invalid(let field): "invalid \(field) at offset \(offset)"
        case .tooLong: "value too long at offset \(offset)"
        }
    }
}

/// A compile-time string that can be compared and hashed: names a field without allocating.
public struct StaticStringKey: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    @usableFromInline let text: StaticString

    /// Wraps `text`.
    @inlinable
    public init(_ text: StaticString) { self.text = text }

    /// Wraps a literal.
    @inlinable
    public init(stringLiteral value: StaticString) { self.init(value) }

    /// The text itself.
    public var description: String { text.description }

    /// Compares by content.
    public static func == (a: Self, b: Self) -> Bool { a.description == b.description }

    /// Hashes the content.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
