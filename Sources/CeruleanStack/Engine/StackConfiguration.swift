// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// How one host presents itself and what it allows itself to keep.
public struct StackConfiguration: Sendable {
    /// Which address the host uses on the air.
    public enum OwnAddress: Hashable, Sendable {
        /// The controller's public address; a random static one made from ``seed`` when it has none.
        case automatic
        /// The controller's public address.
        case `public`
        /// This random static address. Its two highest bits are set if they are not.
        case random(BluetoothAddress)
    }

    /// The device name of the GAP service (0x2A00), at most 248 octets.
    public var name: String
    /// The appearance of the GAP service (0x2A01).
    public var appearance: UInt16
    /// The address on the air.
    public var address: OwnAddress
    /// Everything that is made up (a random address, hashing) comes from this number: the same seed, the same run.
    public var seed: UInt64
    /// The ATT MTU that is offered, 23 to 517 octets.
    public var mtu: Int
    /// Bearers of enhanced ATT that one link may have beside its first, 0 to 16; 0 refuses them.
    public var enhancedBearers: Int
    /// Advertisers that are remembered; above it the one silent for longest is dropped.
    public var maximumAdvertisers: Int
    /// Links at one time, 1 to 3,840.
    public var maximumLinks: Int
    /// Use extended advertising where the controller has it; without it, legacy commands alone, for controllers that tell more
    /// than they can.
    public var usesExtendedAdvertising: Bool
    /// Let the controller find bonded peers behind their private addresses, where it has a list for that; the host does the rest.
    public var usesResolvingList: Bool
    /// How links are paired until an application says otherwise.
    public var pairing: PairingPolicy
    /// An operation that the peer refuses for lack of security raises it, and is repeated once.
    public var raisesSecurity: Bool
    /// Use private addresses that only bonded peers can resolve, and make a new one after this time: 1 s to 1 h, 15 minutes is
    /// usual. Nil shows the identity address to everybody.
    public var addressRotation: Duration?
    /// How long a controller that failed or went away is looked for, before the adapter counts as off; nil does not look for it.
    public var recoveryTime: Duration?
    /// Cryptography and randomness of pairing.
    public var crypto: any CryptoProvider
    /// Where bonds are kept; nil keeps them as long as the host lives.
    public var bonds: (any BondStore)?

    /// A host called "Cerulean" with the controller's own address.
    ///
    /// - Parameters:
    ///   - name: The name of the device.
    ///   - address: The address of the device.
    ///   - seed: nil takes a random one.
    public init(name: String = "Cerulean", address: OwnAddress = .automatic, seed: UInt64? = nil) {
        self.name = name
        self.address = address
        self.seed = seed ?? .random(in: 0 ... .max)
        appearance = 0
        mtu = 517
        enhancedBearers = 5
        maximumAdvertisers = 16_384
        maximumLinks = 3_840
        usesExtendedAdvertising = true
        usesResolvingList = true
        pairing = PairingPolicy()
        raisesSecurity = true
        recoveryTime = .seconds(30)
        addressRotation = nil
        crypto = SystemCrypto()
        bonds = nil
    }

    /// A random static address that belongs to ``seed``. Core 5.4, Vol 6, Part B, 1.3.2.1.
    public var randomAddress: BluetoothAddress {
        var mixed = seed &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        // The random part may be neither all zeros nor all ones.
        let part = mixed & 0x3FFF_FFFF_FFFF
        return BluetoothAddress(rawValue: 0xC000_0000_0000 | (part == 0 || part == 0x3FFF_FFFF_FFFF ? 1 : part))
    }
}
