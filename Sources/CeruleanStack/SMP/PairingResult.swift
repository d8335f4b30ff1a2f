// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// What the owner of a ``PairingMachine`` is to do, in this order.
public enum PairingAction: Hashable, Sendable {
    /// Send a PDU on channel 6.
    case send([UInt8])
    /// Ask the application; digits are shown until pairing ends.
    case ask(PairingQuestion)
    /// Tell the application what the peer's user types.
    case peerKeypress(SMP.KeypressKind)
    /// Encrypt the link (we are central).
    case startEncryption(LongTermKey)
    /// Answer the controller's request for a key: the key, or a negative answer.
    case answerKeyRequest(Value128?)
    /// Pairing succeeded.
    case finished(PairingOutcome)
    /// Pairing failed; questions that are open are void.
    case failed(PairingFailure)
}

/// Why pairing failed.
public enum PairingFailure: Error, Hashable, Sendable {
    /// We ended it, and told the peer this reason.
    case refused(SMP.FailureReason)
    /// The peer ended it with this reason.
    case refusedByPeer(SMP.FailureReason)
    /// Nothing came for 30 seconds. No more pairing on this link. Core 5.4, Vol 3, Part H, 3.4.
    case timedOut
    /// The controller could not encrypt the link; its error code.
    case encryptionFailed(UInt8)
    /// The link went down.
    case linkClosed
}

/// A key that encrypts links, with what names it.
public struct LongTermKey: Hashable, Sendable {
    /// The key, already cut to its size.
    public var key: Value128
    /// The encrypted diversifier; 0 for LE Secure Connections.
    public var diversifier: UInt16
    /// The random number; 0 for LE Secure Connections.
    public var random: UInt64
    /// What the key is worth.
    public var strength: BondStrength

    /// Describes a key.
    public init(key: Value128, diversifier: UInt16 = 0, random: UInt64 = 0, strength: BondStrength) {
        self.key = key
        self.diversifier = diversifier
        self.random = random
        self.strength = strength
    }
}

extension LongTermKey: CustomStringConvertible, CustomDebugStringConvertible {
    /// What the key is worth; the key itself is not printed.
    public var description: String { "key of \(strength.keySize) octets, \(strength.level)" }
    /// What the key is worth.
    public var debugDescription: String { description }
}

extension BondStrength {
    /// The level that a link encrypted with such a key has. Core 5.4, Vol 3, Part C, 10.2.1.
    public var level: SecurityLevel {
        guard isAuthenticated else { return .encrypted }
        return isSecureConnections && keySize == 16 ? .secureConnections : .authenticated
    }
}

/// What pairing yielded.
public struct PairingOutcome: Hashable, Sendable {
    /// How the two made sure of each other.
    public var method: PairingMethod
    /// What the keys are worth.
    public var strength: BondStrength
    /// Both sides keep the keys.
    public var isBonded: Bool
    /// A debug key was used: everybody can read along.
    public var usedDebugKey: Bool
    /// The application agreed that an old bond is replaced.
    public var mayReplaceBond: Bool
    /// The key for links on which we are peripheral.
    public var localKey: LongTermKey?
    /// The key for links on which we are central.
    public var peerKey: LongTermKey?
    /// Who the peer says it is.
    public var identity: DeviceAddress?
    /// What resolves its private addresses; nil when it has none.
    public var resolvingKey: Value128?
    /// What we sign with.
    public var localSignatureKey: Value128?
    /// What the peer signs with.
    public var peerSignatureKey: Value128?
}

extension PairingOutcome: CustomStringConvertible, CustomDebugStringConvertible {
    /// Method and strength; keys are not printed.
    public var description: String {
        "paired by \(method), \(strength.level), \(isBonded ? "bonded" : "not bonded")"
    }
    /// Method and strength.
    public var debugDescription: String { description }
}
