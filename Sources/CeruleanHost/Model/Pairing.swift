// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Six decimal digits that two devices compare or that a user types. Core 5.4, Vol 3, Part H, 2.3.5.
public struct Passkey: Hashable, Sendable {
    /// The number, 0 to 999,999.
    public let number: UInt32

    /// The passkey with this number; nil above 999,999.
    public init?(_ number: UInt32) {
        guard number <= 999_999 else { return nil }
        self.number = number
    }

    /// The last six decimal digits of `number`, as numeric comparison shows them.
    public init(truncating number: UInt32) { self.number = number % 1_000_000 }

    /// Reads exactly six digits; nil for anything else.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 6, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt32(text)
        else { return nil }
        self.init(number)
    }

    /// The passkey as the key of legacy pairing, and as `r` of the DHKey check. Vol 3, Part H, 2.3.5.3.
    public var temporaryKey: Value128 { Value128(UInt128(number)) }

    /// Bit `index` of 20, the least significant first: what one round of passkey entry commits to. Vol 3, Part H, 2.3.5.6.3.
    public func bit(_ index: Int) -> UInt8 {
        (0..<20).contains(index) ? UInt8(truncatingIfNeeded: number >> UInt32(index)) & 1 : 0
    }
}

extension Passkey: CustomStringConvertible {
    /// Six digits with leading zeros.
    public var description: String {
        let digits = String(number)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}

/// How two devices make sure that they talk to each other. Core 5.4, Vol 3, Part H, 2.3.5.1.
public enum PairingMethod: Hashable, Sendable, CaseIterable {
    /// They do not: nobody is protected from a device in the middle.
    case justWorks
    /// One shows six digits and the other's user types them, or both users type the same.
    case passkeyEntry
    /// Both show six digits and both users say whether they are equal.
    case numericComparison
    /// Data that travelled another way.
    case outOfBand
}

/// How well a bond protects.
public struct BondStrength: Hashable, Sendable {
    /// The peer was authenticated: no device can sit in the middle.
    public var isAuthenticated: Bool
    /// The keys come from LE Secure Connections.
    public var isSecureConnections: Bool
    /// Octets of the key, 7 to 16.
    public var keySize: Int

    /// Describes a bond.
    public init(isAuthenticated: Bool, isSecureConnections: Bool, keySize: Int) {
        self.isAuthenticated = isAuthenticated
        self.isSecureConnections = isSecureConnections
        self.keySize = keySize
    }

    /// True if no part of this is weaker than `other`.
    public func isAtLeast(_ other: Self) -> Bool {
        (isAuthenticated || !other.isAuthenticated) && (isSecureConnections || !other.isSecureConnections)
            && keySize >= other.keySize
    }
}

/// What pairing asks the application. Every method has its own question, so that digits shown for one can never be taken for
/// those of another.
public enum PairingQuestion: Hashable, Sendable {
    /// May the peer pair, though nothing proves who it is? Answer `accept` or `refuse`.
    case confirmJustWorks
    /// Show these digits until pairing ends; the peer's user types them. Needs no answer; `refuse` ends pairing.
    case showPasskey(Passkey)
    /// Ask the user for the digits that the peer shows. Answer `passkey` or `refuse`.
    case enterPasskey
    /// Ask both users for the same digits, of their choice; nobody shows them. Answer `passkey` or `refuse`.
    case enterSamePasskey
    /// Show these digits and ask whether the peer shows the same. Answer `accept` or `refuse`.
    case compareNumbers(Passkey)
    /// Give the data that came from the peer out of band. Answer `temporaryKey` for legacy pairing, `outOfBand` for LE Secure
    /// Connections, or `refuse`.
    case provideOutOfBand(secureConnections: Bool)
    /// There is a bond already. May this pairing replace it? Answer `accept` or `refuse`.
    case replaceBond(old: BondStrength, new: BondStrength)
}

/// What the application answers.
public enum PairingAnswer: Hashable, Sendable {
    /// Yes.
    case accept
    /// No: pairing ends.
    case refuse
    /// The digits that the user typed.
    case passkey(Passkey)
    /// A key for legacy pairing.
    case temporaryKey(Value128)
    /// Commitment and random value of the peer, for LE Secure Connections.
    case outOfBand(OutOfBandData)
}

/// What one device hands to the other out of band for LE Secure Connections. Core 5.4, Vol 3, Part H, 2.3.5.6.4.
public struct OutOfBandData: Hashable, Sendable {
    /// The commitment to the sender's public key.
    public var confirm: Value128
    /// The random value behind it.
    public var random: Value128

    /// Pairs the two values.
    public init(confirm: Value128, random: Value128) {
        self.confirm = confirm
        self.random = random
    }
}
