// SPDX-License-Identifier: Apache-2.0

/// A number of 128 bits: a key, a random or confirm value, a cipher block.
///
/// The byte order turns here and in ``Value256`` and nowhere else: the air and HCI want the least significant octet first, the
/// cryptographic functions the most significant one.
public struct Value128: Hashable, Sendable {
    /// The number.
    public var number: UInt128

    /// Wraps a number.
    @inlinable
    public init(_ number: UInt128) { self.number = number }

    /// All bits zero.
    public static let zero = Self(0)

    /// Reads 16 octets, least significant first. Nil for another count.
    public init?(littleEndian octets: some Collection<UInt8>) {
        guard octets.count == 16 else { return nil }
        var number: UInt128 = 0
        var shift = 0
        for octet in octets {
            number |= UInt128(octet) << UInt128(shift)
            shift += 8
        }
        self.init(number)
    }

    /// Reads 16 octets, most significant first. Nil for another count.
    public init?(bigEndian octets: some Collection<UInt8>) {
        guard octets.count == 16 else { return nil }
        self.init(octets.reduce(UInt128(0)) { $0 << 8 | UInt128($1) })
    }

    /// 16 octets, least significant first: as sent over the air and to a controller.
    public var littleEndian: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: number >> UInt128(8 * $0)) }
    }

    /// 16 octets, most significant first: as cryptographic functions take them and the specification prints them.
    public var bigEndian: [UInt8] { littleEndian.reversed() }

    /// The number with all octets above the lowest `size` set to zero. Core 5.4, Vol 3, Part H, 2.3.4.
    ///
    /// - Parameter size: octets to keep; 16 and more keep all.
    public func masked(toSize size: Int) -> Self {
        guard size < 16 else { return self }
        return Self(number & ((UInt128(1) << UInt128(8 * max(0, size))) - 1))
    }
}

extension Value128: CustomStringConvertible {
    /// 32 hexadecimal digits, most significant first.
    public var description: String { Hex.encode(bigEndian) }
}

/// A number of 256 bits: a coordinate on P-256, a private key, a shared secret.
public struct Value256: Hashable, Sendable {
    /// The upper half.
    public var high: UInt128
    /// The lower half.
    public var low: UInt128

    /// Joins two halves.
    @inlinable
    public init(high: UInt128, low: UInt128) {
        self.high = high
        self.low = low
    }

    /// All bits zero.
    public static let zero = Self(high: 0, low: 0)

    /// Reads 32 octets, least significant first. Nil for another count.
    public init?(littleEndian octets: some Collection<UInt8>) {
        guard let low = Value128(littleEndian: octets.prefix(16)),
            let high = Value128(littleEndian: octets.dropFirst(16))
        else { return nil }
        self.init(high: high.number, low: low.number)
    }

    /// Reads 32 octets, most significant first. Nil for another count.
    public init?(bigEndian octets: some Collection<UInt8>) {
        guard let high = Value128(bigEndian: octets.prefix(16)), let low = Value128(bigEndian: octets.dropFirst(16))
        else { return nil }
        self.init(high: high.number, low: low.number)
    }

    /// 32 octets, least significant first.
    public var littleEndian: [UInt8] { Value128(low).littleEndian + Value128(high).littleEndian }

    /// 32 octets, most significant first.
    public var bigEndian: [UInt8] { Value128(high).bigEndian + Value128(low).bigEndian }
}

extension Value256: CustomStringConvertible {
    /// 64 hexadecimal digits, most significant first.
    public var description: String { Hex.encode(bigEndian) }
}

extension DeviceAddress {
    /// Type and address as the 7 octets that f5 and f6 take, most significant first: an octet 0 (public) or 1 (random), then the
    /// address. Core 5.4, Vol 3, Part H, 2.2.7.
    public var pairingOctets: [UInt8] {
        [peerKind.rawValue & 1] + address.bigEndian
    }
}

extension BluetoothAddress {
    /// 6 octets, most significant first.
    public var bigEndian: [UInt8] {
        stride(from: 40, through: 0, by: -8).map { UInt8(truncatingIfNeeded: rawValue >> UInt64($0)) }
    }
}

extension FieldVisitor where Self: ~Escapable {
    /// A number of 128 bits, least significant octet first.
    @inlinable
    public mutating func value128(_ name: StaticString, _ value: inout Value128) throws(WireError) {
        let start = offset
        var octets = value.littleEndian
        try bytes(name, &octets, count: 16)
        guard let read = Value128(littleEndian: octets) else { throw .invalid(name, at: start) }
        value = read
    }

    /// A number of 256 bits, least significant octet first.
    @inlinable
    public mutating func value256(_ name: StaticString, _ value: inout Value256) throws(WireError) {
        let start = offset
        var octets = value.littleEndian
        try bytes(name, &octets, count: 32)
        guard let read = Value256(littleEndian: octets) else { throw .invalid(name, at: start) }
        value = read
    }
}
