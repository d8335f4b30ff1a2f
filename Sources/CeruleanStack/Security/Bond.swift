// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// What is kept about a bonded peer.
public struct Bond: Hashable, Sendable {
    /// The address that names the peer for good.
    public var identity: DeviceAddress
    /// The key for links on which we are peripheral.
    public var localKey: LongTermKey?
    /// The key for links on which we are central.
    public var peerKey: LongTermKey?
    /// What resolves the peer's private addresses.
    public var resolvingKey: Value128?
    /// What we sign with, and the next number to sign with.
    public var localSignature: SignatureKey?
    /// What the peer signs with, and the lowest number that is accepted next.
    public var peerSignature: SignatureKey?
    /// What the peer subscribed to on our server, by the handle of the configuration. Active on encrypted links only (row R3).
    public var configurations: [UInt16: UInt16]
    /// The features that the peer's client wrote (Client Supported Features, 0x2B29), at most 8 octets.
    public var clientFeatures: [UInt8]
    /// The hash of our database when the peer last knew it; nil when it never did. Core 5.4, Vol 3, Part G, 2.5.2.1.
    public var knownDatabase: Value128?
    /// The peer's name, if it said one.
    public var name: String?

    /// A bond without keys.
    public init(
        identity: DeviceAddress, localKey: LongTermKey? = nil, peerKey: LongTermKey? = nil,
        resolvingKey: Value128? = nil, localSignature: SignatureKey? = nil, peerSignature: SignatureKey? = nil,
        configurations: [UInt16: UInt16] = [:], clientFeatures: [UInt8] = [], knownDatabase: Value128? = nil,
        name: String? = nil
    ) {
        self.identity = DeviceAddress(identity.address, identity.peerKind)
        self.localKey = localKey
        self.peerKey = peerKey
        self.resolvingKey = resolvingKey
        self.localSignature = localSignature
        self.peerSignature = peerSignature
        self.configurations = configurations
        self.clientFeatures = clientFeatures
        self.knownDatabase = knownDatabase
        self.name = name
    }

    /// A bond with what pairing yielded.
    public init(identity: DeviceAddress, outcome: PairingOutcome) {
        self.init(
            identity: identity, localKey: outcome.localKey, peerKey: outcome.peerKey,
            resolvingKey: outcome.resolvingKey, localSignature: outcome.localSignatureKey.map { SignatureKey(key: $0) },
            peerSignature: outcome.peerSignatureKey.map { SignatureKey(key: $0) })
    }

    /// What the bond is worth: the weaker of its keys. Nil without keys.
    public var strength: BondStrength? {
        let strengths = [localKey, peerKey].compactMap { $0?.strength }
        guard var weakest = strengths.first else { return nil }
        for strength in strengths.dropFirst() {
            weakest.isAuthenticated = weakest.isAuthenticated && strength.isAuthenticated
            weakest.isSecureConnections = weakest.isSecureConnections && strength.isSecureConnections
            weakest.keySize = min(weakest.keySize, strength.keySize)
        }
        return weakest
    }
}

/// A key that signs, and a number that only grows. Core 5.4, Vol 3, Part H, 2.4.5.
public struct SignatureKey: Hashable, Sendable {
    /// The key.
    public var key: Value128
    /// The next number.
    public var counter: UInt32

    /// A key that has not signed.
    public init(key: Value128, counter: UInt32 = 0) {
        self.key = key
        self.counter = counter
    }
}

extension Bond: CustomStringConvertible, CustomDebugStringConvertible {
    /// Identity and strength; keys are not printed.
    public var description: String { "\(identity), \(strength?.level ?? .open)" }
    /// Identity and strength.
    public var debugDescription: String { description }
}

extension SignatureKey: CustomStringConvertible, CustomDebugStringConvertible {
    /// The number alone: the key is not printed.
    public var description: String { "counter \(counter)" }
    /// The number alone.
    public var debugDescription: String { description }
}

/// Everything that a host keeps between runs.
public struct BondDatabase: Hashable, Sendable {
    /// Bonds above which a new one is refused.
    public static let limit = 256

    /// The key that our private addresses are made with.
    public var resolvingKey: Value128?
    /// The address of the controller that the bonds were made with; other controllers are refused.
    public var adapterAddress: DeviceAddress?
    /// The bonds, oldest first; no two have one identity.
    public private(set) var bonds: [Bond]
    /// What was found in the databases of bonded peers, that which was used longest ago first.
    public private(set) var databases: [PeerDatabase] = []

    /// A database; of bonds with one identity the last counts, and those above ``limit`` are left out.
    public init(resolvingKey: Value128? = nil, adapterAddress: DeviceAddress? = nil, bonds: [Bond] = []) {
        self.resolvingKey = resolvingKey
        self.adapterAddress = adapterAddress
        self.bonds = []
        for bond in bonds { _ = put(bond) }
    }

    /// The bond with this identity.
    public subscript(identity: DeviceAddress) -> Bond? {
        let wanted = DeviceAddress(identity.address, identity.peerKind)
        return bonds.first { $0.identity == wanted }
    }

    /// Adds a bond, or replaces the one with its identity. False, with nothing changed, when there is no room.
    public mutating func put(_ bond: Bond) -> Bool {
        if let index = bonds.firstIndex(where: { $0.identity == bond.identity }) {
            bonds[index] = bond
            return true
        }
        guard bonds.count < Self.limit else { return false }
        bonds.append(bond)
        return true
    }

    /// Removes a bond; nil if there was none.
    public mutating func remove(_ identity: DeviceAddress) -> Bond? {
        let wanted = DeviceAddress(identity.address, identity.peerKind)
        guard let index = bonds.firstIndex(where: { $0.identity == wanted }) else { return nil }
        databases.removeAll { $0.identity == wanted }
        return bonds.remove(at: index)
    }

    /// Keeps the databases of those that are bonded, the last ``PeerDatabase/capacity`` of them.
    public mutating func keep(_ new: [PeerDatabase]) {
        var seen: Set<DeviceAddress> = []
        databases = new.reversed().filter { self[$0.identity] != nil && seen.insert($0.identity).inserted }
            .prefix(PeerDatabase.capacity).reversed()
    }
}
