// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// What the owner of a ``SecurityManager`` is to do, in this order.
public enum SecurityAction: Hashable, Sendable {
    /// Send a PDU on channel 6 of the link.
    case send([UInt8], LinkID)
    /// Encrypt the link: LE Enable Encryption with the key, its diversifier and random number.
    case encrypt(LongTermKey, LinkID)
    /// Answer the controller's request for a key: the key, or a negative answer.
    case answerKeyRequest(Value128?, LinkID)
    /// End the link with a reason.
    case disconnect(HCI.ErrorCode, LinkID)
    /// Ask the application. Digits are shown until ``paired(_:_:)`` or ``failed(_:_:)``.
    case ask(PairingQuestion, LinkID)
    /// Tell the application what the peer's user types.
    case peerKeypress(SMP.KeypressKind, LinkID)
    /// The link's security is what ``SecurityManager/status(of:)`` says now.
    case statusChanged(LinkID)
    /// The peer of the link is the bonded device with this identity.
    case identified(DeviceAddress, LinkID)
    /// What was asked for with ``SecurityManager/raise(_:on:request:now:)`` is reached.
    case raised(SecurityLevel, LinkID)
    /// What was asked for is not reached, or what the peer began failed. The link stays up unless `disconnect` follows.
    case failed(SecurityFailure, LinkID)
    /// Pairing is complete. With bonding the bond is in the database; ``PairingOutcome/isBonded`` is false when it was not
    /// kept.
    case paired(PairingOutcome, LinkID)
    /// Save the database.
    case bondsChanged
}

/// Why a link is not as secure as wanted.
public enum SecurityFailure: Error, Hashable, Sendable {
    /// Pairing failed.
    case pairing(PairingFailure)
    /// The bonded peer says that it has lost the key (HCI error 0x06). Never paired again without being asked (row R1).
    case keyMissing
    /// The controller could not encrypt; its error code.
    case encryption(UInt8)
    /// Too soon after a failure; the moment from which on pairing is tried again (row S11).
    case tooSoon(until: MonotonicTime)
    /// Pairing timed out on this link before: nothing more until it is connected anew (row S13).
    case notOnThisLink
    /// Pairing succeeded, but the level is lower than wanted.
    case insufficient(SecurityLevel)
    /// The peer did not do what it was asked for in 30 seconds.
    case timedOut
    /// Pairing with a bonded device was not agreed to.
    case bondKept
    /// The link went down.
    case linkClosed
}

/// How secure a link is.
public struct LinkSecurityStatus: Hashable, Sendable {
    /// The level.
    public var level: SecurityLevel
    /// Octets of the key in use; 0 without encryption.
    public var keySize: Int
    /// The bonded device at the other end.
    public var identity: DeviceAddress?
    /// We hold a key for the peer: a server answers "insufficient encryption" rather than "insufficient authentication".
    public var hasKeys: Bool
    /// The peer is bonded and the link is not encrypted yet: nothing may be read, written or believed (row R1).
    public var mustWait: Bool
}

/// How to reach a level.
public struct SecurityRequest: Hashable, Sendable {
    /// Pair even if a key is there.
    public var pairsAgain: Bool
    /// The policy for this link; nil for the manager's.
    public var policy: PairingPolicy?
    /// Out of band data for this link; nil for the manager's.
    public var outOfBand: OutOfBandSupply?

    /// By default the bond's key is used, or a new pairing under the manager's policy.
    public init(pairsAgain: Bool = false, policy: PairingPolicy? = nil, outOfBand: OutOfBandSupply? = nil) {
        self.pairsAgain = pairsAgain
        self.policy = policy
        self.outOfBand = outOfBand
    }
}
