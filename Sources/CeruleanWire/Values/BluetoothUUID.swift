// SPDX-License-Identifier: Apache-2.0

/// A UUID of 128 bits, of which the assigned ones have short forms of 16 and 32 bits. Core 5.4, Vol 3, Part B, 2.5.1.
///
/// Two UUIDs are equal when their 128 bits are: `0x180D` equals `0000180D-0000-1000-8000-00805F9B34FB`.
/// ```swift
/// let service: BluetoothUUID = 0x180D
/// let exchange: BluetoothUUID = "C566488A-0882-4E1B-A6D0-0B717E652234"
/// ```
public struct BluetoothUUID: Hashable, Sendable {
    /// The most significant 64 bits.
    public let high: UInt64
    /// The least significant 64 bits.
    public let low: UInt64

    @usableFromInline static let baseHigh: UInt64 = 0x0000_0000_0000_1000
    @usableFromInline static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

    /// The UUID with these 128 bits.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// All zeros.
    @inlinable
    public init() { self.init(high: 0, low: 0) }

    /// An assigned UUID of 16 bits.
    @inlinable
    public init(_ short: UInt16) { self.init(UInt32(short)) }

    /// An assigned UUID of 32 bits.
    @inlinable
    public init(_ long: UInt32) { self.init(high: UInt64(long) << 32 | Self.baseHigh, low: Self.baseLow) }

    /// Reads `180D`, `0x180D`, `0000180D` or the 36-character form, in any case. Nil when it is anything else.
    public init?(_ text: some StringProtocol) {
        var digits = text[...]
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") { digits = digits.dropFirst(2) }
        guard digits.allSatisfy({ $0.isASCII && ($0.isHexDigit || $0 == "-") }) else { return nil }
        switch digits.count {
        case 4, 8:
            guard let number = UInt32(digits, radix: 16) else { return nil }
            self.init(number)
        case 36:
            let parts = digits.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.map(\.count) == [8, 4, 4, 4, 12] else { return nil }
            guard let high = UInt64(parts[0...2].joined(), radix: 16),
                let low = UInt64(parts[3...4].joined(), radix: 16)
            else { return nil }
            self.init(high: high, low: low)
        default:
            return nil
        }
    }

    /// Reads 2, 4 or 16 octets, least significant first as on the air. Nil for other lengths.
    public init?(littleEndian bytes: some Collection<UInt8>) {
        var low: UInt64 = 0
        var high: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            if index < 8 { low |= UInt64(byte) << (8 * UInt64(index)) }
            if index >= 8, index < 16 { high |= UInt64(byte) << (8 * UInt64(index - 8)) }
        }
        switch bytes.count {
        case 2, 4: self.init(UInt32(low))
        case 16: self.init(high: high, low: low)
        default: return nil
        }
    }

    /// The 16-bit form, if it has one.
    @inlinable
    public var short: UInt16? {
        guard let value = medium, value <= 0xFFFF else { return nil }
        return UInt16(value)
    }

    /// The 32-bit form, if it has one; every 16-bit UUID has.
    @inlinable
    public var medium: UInt32? {
        guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh else { return nil }
        return UInt32(truncatingIfNeeded: high >> 32)
    }

    /// The octets as ATT sends them: 2 for a 16-bit UUID, else 16; least significant first.
    public var attBytes: [UInt8] {
        if let short { return [UInt8(truncatingIfNeeded: short), UInt8(truncatingIfNeeded: short >> 8)] }
        return littleEndian128
    }

    /// All 16 octets, least significant first.
    public var littleEndian128: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: low >> (8 * UInt64($0))) }
            + (0..<8).map { UInt8(truncatingIfNeeded: high >> (8 * UInt64($0))) }
    }
}

extension BluetoothUUID: CustomStringConvertible, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, Comparable {
    /// Upper case: 4 digits for a 16-bit UUID, 8 for a 32-bit one, else the 36-character form.
    public var description: String {
        if let short { return Self.hex(UInt64(short), digits: 4) }
        if let medium { return Self.hex(UInt64(medium), digits: 8) }
        let upper = Self.hex(high, digits: 16)
        let lower = Self.hex(low, digits: 16)
        return upper.prefix(8) + "-" + upper.dropFirst(8).prefix(4) + "-" + upper.suffix(4) + "-" + lower.prefix(4)
            + "-"
            + lower.dropFirst(4)
    }

    /// An assigned UUID of 16 bits.
    @inlinable
    public init(integerLiteral value: UInt16) { self.init(value) }

    /// A UUID in source code. Traps on text that is no UUID: a mistake of the programmer, never of a peer.
    public init(stringLiteral value: StaticString) {
        guard let uuid = Self(value.description) else { preconditionFailure("not a UUID: \(value)") }
        self = uuid
    }

    /// Orders by number.
    public static func < (a: Self, b: Self) -> Bool { (a.high, a.low) < (b.high, b.low) }

    private static func hex(_ value: UInt64, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
