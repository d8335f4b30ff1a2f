// SPDX-License-Identifier: Apache-2.0

/// Reads fields out of a span, checked at every step.
public struct FieldDecoder: FieldVisitor, ~Escapable {
    @usableFromInline let span: RawSpan
    @usableFromInline var position = 0
    @usableFromInline var unitBits: UInt64 = 0
    @usableFromInline var unitBitsLeft = 0

    /// Starts at the first octet of `span`.
    @inlinable
    @_lifetime(copy span)
    public init(_ span: RawSpan) { self.span = span }

    /// Octets read so far.
    @inlinable public var offset: Int { position }

    /// Octets left to be read.
    @inlinable public var remaining: Int? { span.byteCount - position }

    @inlinable
    mutating func take(_ count: Int) throws(WireError) -> Int {
        guard count >= 0, span.byteCount - position >= count else {
            throw WireError(offset: position, reason: .truncated)
        }
        let start = position
        position += count
        return start
    }

    /// A little-endian integer.
    @inlinable
    public mutating func field<T: FixedWidthInteger & BitwiseCopyable & Sendable>(
        _ name: StaticString, _ value: inout T
    ) throws(WireError) {
        let start = try take(MemoryLayout<T>.size)
        value = T(littleEndian: unsafe span.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: T.self))
    }

    /// A big-endian integer.
    @inlinable
    public mutating func bigEndian<T: FixedWidthInteger & BitwiseCopyable & Sendable>(
        _ name: StaticString, _ value: inout T
    ) throws(WireError) {
        let start = try take(MemoryLayout<T>.size)
        value = T(bigEndian: unsafe span.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: T.self))
    }

    /// A little-endian integer.
    @inlinable
    public mutating func field(_ name: StaticString, _ value: inout UInt64, bytes: Int) throws(WireError) {
        let start = try take(bytes)
        var result: UInt64 = 0
        for index in 0..<bytes { result |= UInt64(span[start + index]) << (8 * UInt64(index)) }
        value = result
    }

    /// Part of a little-endian integer.
    @inlinable
    public mutating func bits<T: FixedWidthInteger & Sendable>(
        _ name: StaticString, _ value: inout T, width: Int, unit: Int
    ) throws(WireError) {
        if unitBitsLeft == 0 {
            var fresh: UInt64 = 0
            try field(name, &fresh, bytes: unit / 8)
            unitBits = fresh
            unitBitsLeft = unit
        }
        value = T(truncatingIfNeeded: unitBits & ((1 << UInt64(width)) - 1))
        unitBits >>= UInt64(width)
        unitBitsLeft -= width
    }

    /// A number from an open set.
    @inlinable
    public mutating func code<C: RawRepresentable & Sendable>(
        _ name: StaticString, _ value: inout C
    ) throws(WireError) where C.RawValue: FixedWidthInteger & BitwiseCopyable & Sendable {
        var raw: C.RawValue = 0
        let start = position
        try field(name, &raw)
        guard let decoded = C(rawValue: raw) else { throw .invalid(name, at: start) }
        value = decoded
    }

    /// A device address.
    @inlinable
    public mutating func address(_ name: StaticString, _ value: inout BluetoothAddress) throws(WireError) {
        var raw: UInt64 = 0
        try field(name, &raw, bytes: 6)
        value = BluetoothAddress(rawValue: raw)
    }

    /// A UUID of 2 or 16 octets.
    @inlinable
    public mutating func uuid(_ name: StaticString, _ value: inout BluetoothUUID, size: Int) throws(WireError) {
        switch size {
        case 2:
            var short: UInt16 = 0
            try field(name, &short)
            value = BluetoothUUID(short)
        case 16:
            var low: UInt64 = 0
            var high: UInt64 = 0
            _ = try take(16)
            position -= 16
            try field(name, &low)
            try field(name, &high)
            value = BluetoothUUID(high: high, low: low)
        default:
            throw .invalid(name, at: position)
        }
    }

    /// A counted run of octets.
    @inlinable
    public mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int) throws(WireError) {
        let start = try take(count)
        value = unsafe span.extracting(start..<start + count).withUnsafeBytes { unsafe Array($0) }
    }

    /// All octets up to the end.
    @inlinable
    public mutating func rest(_ name: StaticString, _ value: inout [UInt8]) throws(WireError) {
        try bytes(name, &value, count: span.byteCount - position)
    }

    /// All octets up to the end.
    @inlinable
    public mutating func rest(_ name: StaticString, _ value: inout Range<Int>) throws(WireError) {
        value = position..<span.byteCount
        position = span.byteCount
    }

    /// A counted run of octets.
    @inlinable
    public mutating func bytes(_ name: StaticString, _ value: inout Range<Int>, count: Int) throws(WireError) {
        let start = try take(count)
        value = start..<start + count
    }

    /// A packet inside the packet.
    @inlinable
    public mutating func nested<P: WirePacket>(_ name: StaticString, _ value: inout P) throws(WireError) {
        try value.visit(&self)
    }

    /// Packets one behind the other.
    @inlinable
    public mutating func repeated<P: WirePacket>(
        _ name: StaticString, _ value: inout [P], count: Int?
    ) throws(WireError) {
        value.removeAll(keepingCapacity: true)
        if let count {
            for _ in 0..<count {
                var element = P()
                try element.visit(&self)
                value.append(element)
            }
        } else {
            while position < span.byteCount {
                let start = position
                var element = P()
                try element.visit(&self)
                guard position > start else { throw .invalid(name, at: start) }
                value.append(element)
            }
        }
    }
}
