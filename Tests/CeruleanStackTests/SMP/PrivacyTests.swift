// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanVirtual
import CeruleanWire
import Testing

/// A peripheral that rotates its address, and a bonded central that still finds it.
@Suite struct PrivacyTests {
    private func advertise(_ rig: Rig, _ node: Rig.Node) throws {
        _ = try rig.wait {
            node.engine.startAdvertising(
                AdvertisingParameters(content: .fields(name: "private", services: [])), now: rig.now, completion: $0)
        }
    }

    private func seen(_ node: Rig.Node) -> [(peer: PeerID, address: DeviceAddress)] {
        node.events.compactMap { event in
            guard case .advertisement(let advertisement, _) = event, let address = advertisement.address else {
                return nil
            }
            return (advertisement.peer, address)
        }
    }

    @Test(arguments: [true, false])
    func r4_rotatesItsAddressAndBondedPeersStillFindIt(controllerResolves: Bool) throws {
        let rig = Rig()
        let central = try rig.started(name: "central", rotation: .seconds(60)) {
            if !controllerResolves { $0.features.remove(.privacy) }
        }
        let peripheral = try rig.started(name: "peripheral", rotation: .seconds(60))
        let identity = try #require(peripheral.engine.localAddress)
        peripheral.engine.setPairing(PairingPolicy(acceptsPairing: true), asking: nil)
        let asked = Sink()
        asked.react = { [unowned peripheral, unowned rig] event in
            guard case .pairing(let link, .question(.confirmJustWorks)) = event else { return }
            peripheral.engine.answerPairing(.accept, on: link, now: rig.now)
        }
        peripheral.engine.setPairing(PairingPolicy(acceptsPairing: true), asking: asked)
        try advertise(rig, peripheral)
        let scan: ScanID = try rig.wait {
            central.engine.startScan(ScanParameters(reportsDuplicates: true), now: rig.now, completion: $0)
        }
        rig.run(for: .seconds(2))
        let first = try #require(seen(central).last)
        #expect(first.address.randomKind == .resolvablePrivate)
        #expect(first.peer == PeerID(first.address))

        // A stranger sees other addresses every minute.
        rig.run(for: .seconds(200))
        let strange = Set(seen(central).map(\.address))
        #expect((4...5).contains(strange.count))
        #expect(strange.allSatisfy { $0.randomKind == .resolvablePrivate })

        let last = try #require(seen(central).last)
        let link: LinkInfo = try rig.wait {
            _ = central.engine.connect(
                last.peer, options: ConnectOptions(), timeout: .seconds(10), now: rig.now, completion: $0)
        }
        #expect(link.peer == last.peer)
        let level: SecurityLevel = try rig.wait {
            _ = central.engine.secure(
                link.id, options: PairingOptions(), timeout: .seconds(30), now: rig.now, completion: $0)
        }
        #expect(level == .encrypted)
        #expect(central.links.first?.peer == PeerID(identity))
        #expect(central.links.first?.address == identity)
        #expect(
            central.events.contains {
                if case .identityResolved(last.peer, PeerID(identity)) = $0 { true } else { false }
            })
        try rig.wait { central.engine.disconnect(link.id, force: true, now: rig.now, completion: $0) }

        // Bonded, it is one device whatever its address, and can be called by its identity.
        central.events = []
        try advertise(rig, peripheral)
        rig.run(for: .seconds(200))
        #expect(Set(seen(central).map(\.peer)) == [PeerID(identity)])
        if controllerResolves {
            #expect(Set(seen(central).map(\.address.address)) == [identity.address])
        } else {
            #expect(Set(seen(central).map(\.address)).count >= 3)
        }
        let again: LinkInfo = try rig.wait {
            _ = central.engine.connect(
                PeerID(identity), options: ConnectOptions(), timeout: .seconds(10), now: rig.now, completion: $0)
        }
        #expect(again.peer == PeerID(identity))
        #expect(again.security == .encrypted)
        #expect(peripheral.links.first?.security == .encrypted)
        // The peripheral knows its central too, which has a private address of its own.
        #expect(peripheral.links.first?.address == central.engine.localAddress)
        #expect(asked.events.count { if case .pairing(_, .question) = $0 { true } else { false } } == 1)
        central.engine.stopScan(scan, now: rig.now)
    }

    @Test func aListedPeerIsCalledByItsIdentityWithoutHavingBeenHeard() throws {
        let rig = Rig()
        let peripheral = try rig.started(name: "peripheral", rotation: .seconds(60))
        let identity = try #require(peripheral.engine.localAddress)
        // The central has the bond from another day.
        let stored = Box<BondDatabase>()
        let first = try rig.started(name: "central")
        first.engine.onBondsChanged = { stored.value = $0 }
        let asked = Sink()
        asked.react = { [unowned peripheral, unowned rig] event in
            guard case .pairing(let link, .question) = event else { return }
            peripheral.engine.answerPairing(.accept, on: link, now: rig.now)
        }
        peripheral.engine.setPairing(PairingPolicy(acceptsPairing: true), asking: asked)
        try advertise(rig, peripheral)
        let scan: ScanID = try rig.wait { first.engine.startScan(ScanParameters(), now: rig.now, completion: $0) }
        rig.run(for: .seconds(1))
        let heard = try #require(seen(first).last)
        let link = try rig.wait {
            _ = first.engine.connect(
                heard.peer, options: ConnectOptions(), timeout: .seconds(10), now: rig.now, completion: $0)
        }
        _ = try rig.wait {
            _ = first.engine.secure(
                link.id, options: PairingOptions(), timeout: .seconds(30), now: rig.now, completion: $0)
        }
        rig.run(for: .seconds(2))
        first.engine.stopScan(scan, now: rig.now)
        try rig.wait { first.engine.disconnect(link.id, force: true, now: rig.now, completion: $0) }
        // A reset forgets what was heard and what the controller was given.
        first.engine.shutDown(now: rig.now)
        try rig.wait { first.engine.start(now: rig.now, timeout: .seconds(5), completion: $0) }
        rig.run(for: .seconds(1))
        #expect(first.sent.contains { $0.starts(with: [1, 0x27, 0x20]) }, "LE Add Device To Resolving List")
        try advertise(rig, peripheral)
        rig.run(for: .seconds(100))
        let again = try rig.wait {
            _ = first.engine.connect(
                PeerID(identity), options: ConnectOptions(), timeout: .seconds(10), now: rig.now, completion: $0)
        }
        #expect(again.peer == PeerID(identity))
        #expect(again.security == .encrypted)
        #expect(stored.value?.bonds.count == 1)
    }

    @Test func s20_keysThatTellNobodyApartAreNotListed() {
        var configuration = StackConfiguration(seed: 7)
        configuration.usesResolvingList = true
        let script = Script(start: false, configuration)
        let features: HCI.LEFeatures = [.privacy]
        script.answers[.leReadLocalSupportedFeatures] = (0..<8).map {
            UInt8(truncatingIfNeeded: features.rawValue >> (8 * UInt64($0)))
        }
        script.answers[.leReadResolvingListSize] = [2]
        func bond(_ number: UInt64, _ key: Value128?) -> Bond {
            Bond(
                identity: DeviceAddress(BluetoothAddress(rawValue: 0xC0_0000_000000 | number), .random),
                resolvingKey: key)
        }
        script.engine.useBonds(
            BondDatabase(bonds: [
                bond(1, Value128(1)), bond(2, Value128(7)), bond(3, Value128(7)), bond(4, .zero), bond(5, nil),
                bond(6, Value128(6)), bond(7, Value128(8)),
            ]))
        script.engine.start(now: script.now, timeout: .seconds(5)) { _ in }
        let added = script.commands.filter { $0.opcode == .leAddDeviceToResolvingList }.map { $0.parameters[1] }
        // Two have room: the newest.
        #expect(added == [6, 7])
        #expect(script.commands.last { $0.opcode == .leSetAddressResolutionEnable }?.parameters == [1])
        // Whatever the controller says of it, it stays with that until the bonds change.
        #expect(script.count(.leClearResolvingList) == 1)
    }

    @Test func theAddressStaysWhileALinkIsBeingMade() throws {
        let rig = Rig()
        let central = try rig.started(name: "central", rotation: .seconds(10))
        _ = central.engine.connect(
            PeerID(DeviceAddress(BluetoothAddress(rawValue: 0xC011_2233_4455), .random)), options: ConnectOptions(),
            timeout: .seconds(100), now: rig.now
        ) { _ in }
        central.sent = []
        rig.run(for: .seconds(50))
        #expect(!central.sent.contains { $0.starts(with: [1, 0x05, 0x20]) })
        rig.run(for: .seconds(60))
        #expect(central.sent.contains { $0.starts(with: [1, 0x05, 0x20]) })
    }
}

/// Holds what a callback told. Used on one thread.
private final class Box<Value> {
    var value: Value?
}
