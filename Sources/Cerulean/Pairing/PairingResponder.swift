// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// The device that pairing is about.
public struct PairingPeer: Hashable, Sendable {
    /// The device's identifier.
    public let id: PeerID
    /// Its address, where the engine knows it.
    public let address: DeviceAddress?
    /// Whether it connected to us, or we to it.
    public let role: LinkInfo.Role

    /// Names a device.
    public init(id: PeerID, address: DeviceAddress?, role: LinkInfo.Role) {
        self.id = id
        self.address = address
        self.role = role
    }
}

/// Answers what pairing asks: one closure for each method, so that the digits of one are never taken for those of another.
///
/// Each closure says no by default: what the application does not answer, nobody can pair with. A closure may take as long as
/// its user does; after 30 s without progress the devices give up, and its task is cancelled.
/// ```swift
/// var responder = PairingResponder()
/// responder.compareNumbers = { peer, digits in await ask("Does \(peer.id) show \(digits)?") }
/// responder.confirmJustWorks = { peer in await ask("Pair with \(peer.id)? Nothing proves who it is.") }
/// await central.setPairing(PairingPolicy(ioCapability: .displayYesNo), responder: responder)
/// ```
public struct PairingResponder: Sendable {
    /// May this device pair, though nothing proves who it is?
    public var confirmJustWorks: @Sendable (PairingPeer) async -> Bool = { _ in false }
    /// Show these digits until ``ended`` is called; the user of the other device types them. False ends pairing.
    public var showPasskey: @Sendable (PairingPeer, Passkey) async -> Bool = { _, _ in false }
    /// Ask the user for the digits that the other device shows. Nil ends pairing.
    public var enterPasskey: @Sendable (PairingPeer) async -> Passkey? = { _ in nil }
    /// Ask the user for digits, the same on both devices, that nobody shows. Nil ends pairing.
    public var enterSamePasskey: @Sendable (PairingPeer) async -> Passkey? = { _ in nil }
    /// Show these digits; does the other device show the same?
    public var compareNumbers: @Sendable (PairingPeer, Passkey) async -> Bool = { _, _ in false }
    /// Give the data that came another way, for LE Secure Connections. Nil ends pairing.
    public var outOfBand: @Sendable (PairingPeer) async -> OutOfBandData? = { _ in nil }
    /// Give the key that came another way, for legacy pairing. Nil ends pairing.
    public var temporaryKey: @Sendable (PairingPeer) async -> Value128? = { _ in nil }
    /// There is a bond with this device. May a new pairing of this strength replace it?
    public var replaceBond: @Sendable (PairingPeer, _ old: BondStrength, _ new: BondStrength) async -> Bool = {
        _, _, _ in false
    }
    /// The user of the other device typed something.
    public var keypress: @Sendable (PairingPeer, SMP.KeypressKind) -> Void = { _, _ in }
    /// Pairing is over: nil when it succeeded. Digits are to be taken off the display.
    public var ended: @Sendable (PairingPeer, BluetoothError?) -> Void = { _, _ in }

    /// A responder that says no to everything.
    public init() {}
}
