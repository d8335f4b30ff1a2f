// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// What this device can do in pairing and what it insists on.
///
/// The defaults accept no pairing from peers, ask about everything, want keys of 16 octets and prefer LE Secure Connections.
public struct PairingPolicy: Hashable, Sendable {
    /// What the application can show and take in.
    public var ioCapability: SMP.IOCapability
    /// Whether keys are kept.
    public var bonds: Bool
    /// Whether a peer may start pairing, or ask for it. Without it a peer's request is refused (row S18).
    public var acceptsPairing: Bool
    /// The level that pairing must reach; less ends it with "authentication requirements".
    public var minimumLevel: SecurityLevel
    /// Whether protection against a device in the middle is asked for. Without abilities to authenticate it stays a wish.
    public var wantsProtection: Bool
    /// Whether LE Secure Connections is offered.
    public var supportsSecureConnections: Bool
    /// The shortest key that is accepted, 7 to 16 octets (row S5).
    public var minimumKeySize: Int
    /// The longest key that is offered, 7 to 16 octets.
    public var maximumKeySize: Int
    /// Whether keypress notifications are offered.
    public var offersKeypress: Bool
    /// Whether Just Works is asked about. Without it, a pairing that this side started goes through without a question.
    public var confirmsJustWorks: Bool
    /// Whether a bond may be replaced after the question about it; else pairing with a bonded peer is refused (row S6).
    public var replacesBonds: Bool
    /// Whether the debug key of the specification is accepted. The link then counts as open (row S4).
    public var acceptsDebugKey: Bool
    /// Digits to show instead of random ones. Each attempt lets an attacker learn some of them: attempts are held back as
    /// after a failure (row S9).
    public var fixedPasskey: Passkey?
    /// Keys that this side sends, as far as it has them.
    public var sends: SMP.KeyDistribution
    /// Keys that this side takes.
    public var takes: SMP.KeyDistribution

    /// A policy; see the properties.
    public init(
        ioCapability: SMP.IOCapability = .noInputNoOutput, bonds: Bool = true, acceptsPairing: Bool = false,
        minimumLevel: SecurityLevel = .encrypted, wantsProtection: Bool? = nil, supportsSecureConnections: Bool = true,
        minimumKeySize: Int = 16, maximumKeySize: Int = 16, offersKeypress: Bool = false,
        confirmsJustWorks: Bool = true, replacesBonds: Bool = true, acceptsDebugKey: Bool = false,
        fixedPasskey: Passkey? = nil, sends: SMP.KeyDistribution = [.encryption, .identity, .signing],
        takes: SMP.KeyDistribution = [.encryption, .identity, .signing]
    ) {
        self.ioCapability = ioCapability
        self.bonds = bonds
        self.acceptsPairing = acceptsPairing
        self.minimumLevel = minimumLevel
        self.wantsProtection =
            wantsProtection ?? (ioCapability != .noInputNoOutput || minimumLevel >= .authenticated)
        self.supportsSecureConnections = supportsSecureConnections
        self.minimumKeySize = min(max(minimumKeySize, 7), 16)
        self.maximumKeySize = min(max(maximumKeySize, self.minimumKeySize), 16)
        self.offersKeypress = offersKeypress
        self.confirmsJustWorks = confirmsJustWorks
        self.replacesBonds = replacesBonds
        self.acceptsDebugKey = acceptsDebugKey
        self.fixedPasskey = fixedPasskey
        self.sends = sends.intersection([.encryption, .identity, .signing])
        self.takes = takes.intersection([.encryption, .identity, .signing])
    }
}

/// How one link is to be secured.
public struct PairingOptions: Hashable, Sendable {
    /// The level to reach. A link that has it already is left alone.
    public var level: SecurityLevel
    /// Pair even if a key for the peer is there.
    public var pairsAgain: Bool
    /// The caller knows that Just Works proves nothing, and agrees: it is not asked about.
    public var allowsJustWorks: Bool
    /// The caller agrees that the pairing replaces a bond: it is not asked about.
    public var replacesBond: Bool

    /// By default: encrypted, with the key of the bond if there is one, else by any method.
    public init(
        level: SecurityLevel = .encrypted, pairsAgain: Bool = false, allowsJustWorks: Bool = true,
        replacesBond: Bool = false
    ) {
        self.level = level
        self.pairsAgain = pairsAgain
        self.allowsJustWorks = allowsJustWorks
        self.replacesBond = replacesBond
    }
}

/// What happens while a link is being paired.
public enum PairingEvent: Hashable, Sendable {
    /// Answer with ``Host/answerPairing(_:on:)``. Sent only to the sink that was named for it.
    case question(PairingQuestion)
    /// The peer's user types. Sent only to the sink that was named for it.
    case keypress(SMP.KeypressKind)
    /// Pairing succeeded. Digits on display are void.
    case finished(method: PairingMethod, strength: BondStrength, isBonded: Bool)
    /// Pairing or encryption failed. Digits on display, and open questions, are void.
    case failed(HostError)
}

/// A device that keys are kept for.
public struct BondedPeer: Hashable, Sendable {
    /// The device.
    public var peer: PeerID
    /// Its identity address, where the engine knows it.
    public var address: DeviceAddress?
    /// Its name, if it said one.
    public var name: String?
    /// What the bond is worth, where the engine knows it.
    public var strength: BondStrength?

    /// Describes a bonded device.
    public init(peer: PeerID, address: DeviceAddress?, name: String? = nil, strength: BondStrength? = nil) {
        self.peer = peer
        self.address = address
        self.name = name
        self.strength = strength
    }
}
