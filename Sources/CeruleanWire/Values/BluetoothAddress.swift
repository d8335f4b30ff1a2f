// SPDX-License-Identifier: Apache-2.0

/// A device address of 48 bits, without its type. Core 5.4, Vol 6, Part B, 1.3.
public struct BluetoothAddress: Hashable, Sendable {
    /// The 48 bits; the first octet on the wire is the least significant one.
    public let rawValue: UInt64

    /// Takes the low 48 bits of `rawValue`.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue & 0xFFFF_FFFF_FFFF }

    /// All zeros.
    public static let zero = Self(rawValue: 0)

    /// Reads `C4:7C:8D:00:11:22` (most significant octet first, colons or dashes, any case). Nil when it is anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "-" }
        guard parts.count == 6 else { return nil }
        var value: UInt64 = 0
        for part in parts {
            guard part.utf8.count == 2, part.allSatisfy({ $0.isASCII && $0.isHexDigit }),
                let octet = UInt8(part, radix: 16)
            else { return nil }
            value = value << 8 | UInt64(octet)
        }
        self.init(rawValue: value)
    }
}

extension BluetoothAddress: CustomStringConvertible, Comparable {
    /// `C4:7C:8D:00:11:22`.
    public var description: String {
        var text = ""
        for shift in stride(from: 40, through: 0, by: -8) {
            let octet = UInt8(truncatingIfNeeded: rawValue >> UInt64(shift))
            if !text.isEmpty { text += ":" }
            if octet < 16 { text += "0" }
            text += String(octet, radix: 16, uppercase: true)
        }
        return text
    }

    /// Orders by number.
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A device address with its type.
public struct DeviceAddress: Hashable, Sendable {
    /// The kind of address, as HCI numbers it. Core 5.4, Vol 4, Part E, 7.7.65.2.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Registered with the IEEE (0x00).
        public static let `public` = Self(rawValue: 0)
        /// Made up by the device (0x01).
        public static let random = Self(rawValue: 1)
        /// A public identity behind a resolved private address (0x02).
        public static let publicIdentity = Self(rawValue: 2)
        /// A random static identity behind a resolved private address (0x03).
        public static let randomIdentity = Self(rawValue: 3)
        /// No address was sent (0xFF, extended advertising).
        public static let anonymous = Self(rawValue: 0xFF)
    }

    /// The parts of the random address space. Core 5.4, Vol 6, Part B, 1.3.2.
    public enum RandomKind: Hashable, Sendable {
        /// Stays the same until a power cycle.
        case `static`
        /// Changes; whoever holds the key can resolve it.
        case resolvablePrivate
        /// Changes; nobody can resolve it.
        case nonResolvablePrivate
        /// Reserved for future use.
        case reserved
    }

    /// The 48 bits.
    public var address: BluetoothAddress
    /// Public or random, or an identity of either.
    public var kind: Kind

    /// Pairs an address with its kind.
    @inlinable
    public init(_ address: BluetoothAddress, _ kind: Kind) {
        self.address = address
        self.kind = kind
    }

    /// Which random address it is; nil for public ones.
    public var randomKind: RandomKind? {
        guard kind == .random || kind == .randomIdentity else { return nil }
        switch address.rawValue >> 46 {
        case 0b11: return .static
        case 0b01: return .resolvablePrivate
        case 0b00: return .nonResolvablePrivate
        default: return .reserved
        }
    }

    /// The kind with identities folded into public and random.
    @inlinable
    public var peerKind: Kind {
        switch kind {
        case .publicIdentity: .public
        case .randomIdentity: .random
        default: kind
        }
    }

    /// True for public and random static addresses, which name one device for good.
    public var isIdentity: Bool { kind != .anonymous && (randomKind == nil || randomKind == .static) }
}

extension DeviceAddress: CustomStringConvertible {
    /// The address alone, `C4:7C:8D:00:11:22`.
    public var description: String { address.description }
}
