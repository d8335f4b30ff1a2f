// SPDX-License-Identifier: Apache-2.0

/// Writes fields behind each other into an array.
public struct FieldEncoder: FieldVisitor {
    /// All octets, those that were there before included.
    public private(set) var bytes: [UInt8]
    private let start: Int
    private var unitBits: UInt64 = 0
    private var unitBitsUsed = 0

    /// Appends to `bytes`.
    public init(appendingTo bytes: [UInt8] = []) {
        self.bytes = bytes
        start = bytes.count
    }

    /// Octets written by this encoder.
    public var offset: Int { bytes.count - start }

    /// Always nil: nothing is being read.
    public var remaining: Int? { nil }

    /// A little-endian integer.
    public mutating func field<T: FixedWidthInteger & BitwiseCopyable & Sendable>(
        _ name: StaticString, _ value: inout T
    ) throws(WireError) {
        append(value, count: MemoryLayout<T>.size)
    }

    /// A big-endian integer.
    public mutating func bigEndian<T: FixedWidthInteger & BitwiseCopyable & Sendable>(
        _ name: StaticString, _ value: inout T
    ) throws(WireError) {
        append(value.byteSwapped, count: MemoryLayout<T>.size)
    }

    /// A little-endian integer.
    public mutating func field(_ name: StaticString, _ value: inout UInt64, bytes count: Int) throws(WireError) {
        guard count >= 8 || value >> (8 * UInt64(count)) == 0 else { throw WireError(offset: offset, reason: .tooLong) }
        append(value, count: count)
    }

    /// Part of a little-endian integer.
    public mutating func bits<T: FixedWidthInteger & Sendable>(
        _ name: StaticString, _ value: inout T, width: Int, unit: Int
    ) throws(WireError) {
        let raw = UInt64(truncatingIfNeeded: value)
        guard raw >> UInt64(width) == 0 else { throw WireError(offset: offset, reason: .tooLong) }
        unitBits |= raw << UInt64(unitBitsUsed)
        unitBitsUsed += width
        if unitBitsUsed == unit {
            append(unitBits, count: unit / 8)
            unitBits = 0
            unitBitsUsed = 0
        }
    }

    /// A number from an open set.
    public mutating func code<C: RawRepresentable & Sendable>(
        _ name: StaticString, _ value: inout C
    ) throws(WireError) where C.RawValue: FixedWidthInteger & BitwiseCopyable & Sendable {
        append(value.rawValue, count: MemoryLayout<C.RawValue>.size)
    }

    /// A device address.
    public mutating func address(_ name: StaticString, _ value: inout BluetoothAddress) throws(WireError) {
        append(value.rawValue, count: 6)
    }

    /// A UUID of 2 or 16 octets.
    public mutating func uuid(_ name: StaticString, _ value: inout BluetoothUUID, size: Int) throws(WireError) {
        switch size {
        case 2:
            guard let short = value.short else { throw .invalid(name, at: offset) }
            append(short, count: 2)
        case 16:
            append(value.low, count: 8)
            append(value.high, count: 8)
        default:
            throw .invalid(name, at: offset)
        }
    }

    /// A counted run of octets.
    public mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int) throws(WireError) {
        guard value.count == count else {
            throw WireError(offset: offset, reason: value.count > count ? .tooLong : .truncated)
        }
        bytes.append(contentsOf: value)
    }

    /// All octets up to the end.
    public mutating func rest(_ name: StaticString, _ value: inout [UInt8]) throws(WireError) {
        bytes.append(contentsOf: value)
    }

    /// Ranges point into a receive buffer and cannot be written; hot packets have their own writers.
    public mutating func rest(_ name: StaticString, _ value: inout Range<Int>) throws(WireError) {
        guard value.isEmpty else { throw .invalid(name, at: offset) }
    }

    /// Ranges point into a receive buffer and cannot be written; hot packets have their own writers.
    public mutating func bytes(_ name: StaticString, _ value: inout Range<Int>, count: Int) throws(WireError) {
        guard value.isEmpty, count == 0 else { throw .invalid(name, at: offset) }
    }

    /// A packet inside the packet.
    public mutating func nested<P: WirePacket>(_ name: StaticString, _ value: inout P) throws(WireError) {
        try value.visit(&self)
    }

    /// Packets one behind the other.
    public mutating func repeated<P: WirePacket>(
        _ name: StaticString, _ value: inout [P], count: Int?
    ) throws(WireError) {
        if let count, count != value.count { throw .invalid(name, at: offset) }
        for index in value.indices { try value[index].visit(&self) }
    }

    // MARK: - private

    private mutating func append<T: FixedWidthInteger>(_ value: T, count: Int) {
        var rest = UInt64(truncatingIfNeeded: value)
        for _ in 0..<count {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }
}
