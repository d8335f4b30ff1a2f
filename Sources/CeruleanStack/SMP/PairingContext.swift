// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

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
    /// The link is encrypted with the key of that bond: the peer is who it says.
    public var provesBond = false
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
