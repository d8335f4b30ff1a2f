// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

extension Central {
    /// Says how devices are paired and who answers. The last call on a host counts, whichever central or server made it.
    ///
    /// Without a responder nobody is asked: only ``Peripheral/pair(_:timeout:)`` pairs, with what its options agree to.
    public func setPairing(_ policy: PairingPolicy = PairingPolicy(), responder: PairingResponder?) async {
        await core.setPairing(policy, responder)
    }

    /// Devices that keys are kept for, oldest first.
    public func bonds() async -> [BondedPeer] { await core.bonds }

    /// Forgets the keys of a device, and ends its links.
    ///
    /// - Throws: ``BluetoothError`` with `notFound` when there are none, `badData` when it could not be saved, `timedOut`.
    public func unpair(_ peer: PeerID, timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        try await PairingCalls.unpair(peer, core.host, timeout)
    }
}

extension PeripheralServer {
    /// Says how centrals are paired and who answers; see ``Central/setPairing(_:responder:)``.
    ///
    /// A central may pair only under a policy that accepts it.
    public func setPairing(
        _ policy: PairingPolicy = PairingPolicy(acceptsPairing: true), responder: PairingResponder?
    ) async {
        await core.setPairing(policy, responder)
    }

    /// Devices that keys are kept for, oldest first.
    public func bonds() async -> [BondedPeer] { await core.bonds }

    /// Forgets the keys of a device, and ends its links.
    ///
    /// - Throws: ``BluetoothError`` with `notFound` when there are none, `badData` when it could not be saved, `timedOut`.
    public func unpair(_ peer: PeerID, timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        try await PairingCalls.unpair(peer, core.host, timeout)
    }

    /// Asks a connected central to encrypt the link, or to pair.
    ///
    /// - Returns: The level reached.
    /// - Throws: ``BluetoothError``, with `insufficientSecurity` when it came to nothing, `refused` when the central does not want to.
    @discardableResult
    public func pair(
        _ central: RemoteCentral, _ options: PairingOptions = PairingOptions(), timeout: Duration = .seconds(60)
    ) async throws(BluetoothError) -> SecurityLevel {
        try await awaitHost(
            core.host, describe: { "pairing with \(central.id)" },
            start: { host, completion in
                host.secure(central.link, options: options, timeout: timeout, completion: completion)
            })
    }
}

extension Peripheral {
    /// How the link is secured now; `open` without a link.
    public var security: SecurityLevel { record.link?.security ?? .open }

    /// Makes the link as secure as wanted: encrypts it with the key of a bond, or pairs.
    ///
    /// Links to bonded devices are encrypted by themselves when they come up. A bonded device that lost its key ends the call
    /// with `insufficientSecurity`, and the link; nothing is paired again unless it was unpaired first.
    /// ```swift
    /// try await peripheral.pair(PairingOptions(level: .authenticated))
    /// ```
    /// - Returns: The level reached.
    /// - Throws: ``BluetoothError``, with `insufficientSecurity` when it came to nothing, `refused` when the device ended it.
    @discardableResult
    public func pair(
        _ options: PairingOptions = PairingOptions(), timeout: Duration = .seconds(60)
    ) async throws(BluetoothError) -> SecurityLevel {
        try await onLink(
            { "pairing" },
            start: { host, link, completion in
                host.secure(link, options: options, timeout: timeout, completion: completion)
            })
    }

    /// Tells the device what the user types, where both sides want that.
    public func sendKeypress(_ kind: SMP.KeypressKind) async throws(BluetoothError) {
        let link = try requireLink("keypress")
        let host = central.core.host
        host.loop.execute { host.assumeIsolated { $0.sendKeypress(kind, on: link) } }
    }
}

enum PairingCalls {
    static func unpair(_ peer: PeerID, _ host: any Host, _ timeout: Duration) async throws(BluetoothError) {
        let _: Void = try await awaitOperation(
            on: host.loop, timeout: timeout, describe: { "unpairing \(peer)" },
            start: { completion in
                host.assumeIsolated { $0.unpair(peer, completion: completion) }
                return nil
            })
    }

    /// Puts a desk in place of the one before; called on the loop.
    static func replace(
        _ desk: inout PairingDesk?, on host: any Host, _ policy: PairingPolicy, _ responder: PairingResponder?
    ) {
        desk?.close()
        desk = responder.map { PairingDesk(host: host, responder: $0) }
        if let desk { return desk.open(policy) }
        host.assumeIsolated { $0.setPairing(policy, asking: nil) }
    }
}

extension CentralCore {
    var bonds: [BondedPeer] { host.assumeIsolated { $0.bonds } }

    func setPairing(_ policy: PairingPolicy, _ responder: PairingResponder?) {
        guard !isOver else { return }
        PairingCalls.replace(&desk, on: host, policy, responder)
    }
}

extension ServerCore {
    var bonds: [BondedPeer] { host.assumeIsolated { $0.bonds } }

    func setPairing(_ policy: PairingPolicy, _ responder: PairingResponder?) {
        guard !isOver else { return }
        PairingCalls.replace(&desk, on: host, policy, responder)
    }
}
