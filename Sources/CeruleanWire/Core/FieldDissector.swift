// SPDX-License-Identifier: Apache-2.0

/// Collects the fields of a decoded packet with their names.
public struct FieldDissector: FieldVisitor {
    /// Name and value of each field in wire order.
    public private(set) var fields: [FieldValue.Member] = []

    /// Starts with no field.
    public init() {}

    /// Always 0: a dissector reads values, not octets.
    public var offset: Int { 0 }

    /// Always nil.
    public var remaining: Int? { nil }

    /// Adds one field.
    public mutating func append(_ name: String, _ value: FieldValue) {
        fields.append(FieldValue.Member(name, value))
    }

    /// A little-endian integer.
    public mutating func field<T: FixedWidthInteger & BitwiseCopyable & Sendable>(
        _ name: StaticString, _ value: inout T
    ) throws(WireError) {
        append(name.description, FieldValue(integer: value))
    }

    /// A big-endian integer.
    public mutating func bigEndian<T: FixedWidthInteger & BitwiseCopyable & Sendable>(
        _ name: StaticString, _ value: inout T
    ) throws(WireError) {
        append(name.description, FieldValue(integer: value))
    }

    /// A little-endian integer.
    public mutating func field(_ name: StaticString, _ value: inout UInt64, bytes: Int) throws(WireError) {
        append(name.description, FieldValue(integer: value))
    }

    /// Part of a little-endian integer.
    public mutating func bits<T: FixedWidthInteger & Sendable>(
        _ name: StaticString, _ value: inout T, width: Int, unit: Int
    ) throws(WireError) {
        append(name.description, FieldValue(integer: value))
    }

    /// A number from an open set.
    public mutating func code<C: RawRepresentable & Sendable>(
        _ name: StaticString, _ value: inout C
    ) throws(WireError) where C.RawValue: FixedWidthInteger & BitwiseCopyable & Sendable {
        if let named = value as? any CustomStringConvertible {
            append(name.description, .text(named.description))
        } else {
            append(name.description, FieldValue(integer: value.rawValue))
        }
    }

    /// A device address.
    public mutating func address(_ name: StaticString, _ value: inout BluetoothAddress) throws(WireError) {
        append(name.description, .text(value.description))
    }

    /// A UUID of 2 or 16 octets.
    public mutating func uuid(_ name: StaticString, _ value: inout BluetoothUUID, size: Int) throws(WireError) {
        append(name.description, .text(value.description))
    }

    /// A counted run of octets.
    public mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int) throws(WireError) {
        append(name.description, .bytes(value))
    }

    /// All octets up to the end.
    public mutating func rest(_ name: StaticString, _ value: inout [UInt8]) throws(WireError) {
        append(name.description, .bytes(value))
    }

    /// All octets up to the end.
    public mutating func rest(_ name: StaticString, _ value: inout Range<Int>) throws(WireError) {
        append(name.description, .text("\(value.count) octets"))
    }

    /// A counted run of octets.
    public mutating func bytes(_ name: StaticString, _ value: inout Range<Int>, count: Int) throws(WireError) {
        append(name.description, .text("\(value.count) octets"))
    }

    /// A packet inside the packet.
    public mutating func nested<P: WirePacket>(_ name: StaticString, _ value: inout P) throws(WireError) {
        append(name.description, value.dissected())
    }

    /// Packets one behind the other.
    public mutating func repeated<P: WirePacket>(
        _ name: StaticString, _ value: inout [P], count: Int?
    ) throws(WireError) {
        append(name.description, .list(value.map { $0.dissected() }))
    }
}
