// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
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

/// What this side made for the peer to receive out of band: good for one pairing with LE Secure Connections.
public struct LocalOutOfBand: Hashable, Sendable {
    /// The key pair that the pairing will use.
    public var keyPair: P256KeyPair
    /// What the peer is to be told.
    public var data: OutOfBandData

    /// Makes a fresh key pair and the commitment to it. Core 5.4, Vol 3, Part H, 2.3.5.6.4.
    public init(crypto: some CryptoProvider) throws(CryptoError) {
        let pair = try crypto.makeKeyPair()
        let random = try crypto.randomValue()
        keyPair = pair
        data = OutOfBandData(
            confirm: try crypto.f4(pair.publicKey.x, pair.publicKey.x, random, 0), random: random)
    }
}

/// Out of band data at hand when pairing starts.
public struct OutOfBandSupply: Hashable, Sendable {
    /// A key for legacy pairing, the same on both sides.
    public var temporaryKey: Value128?
    /// What the peer made.
    public var peer: OutOfBandData?
    /// What we made and the peer was told.
    public var local: LocalOutOfBand?
    /// The application has the peer's data but gives it only when asked.
    public var isGivenWhenAsked: Bool

    /// By default there is none.
    public init(
        temporaryKey: Value128? = nil, peer: OutOfBandData? = nil, local: LocalOutOfBand? = nil,
        isGivenWhenAsked: Bool = false
    ) {
        self.temporaryKey = temporaryKey
        self.peer = peer
        self.local = local
        self.isGivenWhenAsked = isGivenWhenAsked
    }

    /// Whether we say that we have the peer's data.
    var flag: SMP.OutOfBandFlag {
        temporaryKey != nil || peer != nil || isGivenWhenAsked ? .present : .notPresent
    }
}

/// Who this device is, for bonded peers.
public struct LocalIdentity: Hashable, Sendable {
    /// The public or static random address.
    public var address: DeviceAddress
    /// The key that our private addresses are made with; zero when we use none.
    public var resolvingKey: Value128

    /// Pairs address and key.
    public init(address: DeviceAddress, resolvingKey: Value128) {
        self.address = address
        self.resolvingKey = resolvingKey
    }
}

extension LocalIdentity: CustomStringConvertible, CustomDebugStringConvertible {
    /// The address alone: keys are not printed.
    public var description: String { address.description }
    /// The address alone.
    public var debugDescription: String { description }
}

/// Everything about one pairing that is known before it starts.
public struct PairingContext: Sendable {
    /// The side of the link; the central is the initiator.
    public var role: LinkInfo.Role
    /// Our address as used on the link.
    public var localAddress: DeviceAddress
    /// The peer's address as used on the link.
    public var peerAddress: DeviceAddress
    /// What we can do and insist on.
    public var policy: PairingPolicy
    /// Who we are; nil sends no identity.
    public var identity: LocalIdentity?
    /// The bond with the peer, if it is known to be bonded.
    public var existing: BondStrength?
    /// Out of band data.
    public var outOfBand: OutOfBandSupply
    /// Cryptography and randomness.
    public var crypto: any CryptoProvider

    /// Describes a pairing to come.
    public init(
        role: LinkInfo.Role, localAddress: DeviceAddress, peerAddress: DeviceAddress, policy: PairingPolicy,
        identity: LocalIdentity? = nil, existing: BondStrength? = nil, outOfBand: OutOfBandSupply = OutOfBandSupply(),
        crypto: any CryptoProvider = SystemCrypto()
    ) {
        self.role = role
        self.localAddress = localAddress
        self.peerAddress = peerAddress
        self.policy = policy
        self.identity = identity
        self.existing = existing
        self.outOfBand = outOfBand
        self.crypto = crypto
    }

    var isInitiator: Bool { role == .central }
    var initiatorAddress: DeviceAddress { isInitiator ? localAddress : peerAddress }
    var responderAddress: DeviceAddress { isInitiator ? peerAddress : localAddress }
}
