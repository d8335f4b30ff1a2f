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

    @Test func r4_rotatesItsAddressAndBondedPeersStillFindIt() throws {
        let rig = Rig()
        let central = try rig.started(name: "central", rotation: .seconds(60))
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
        #expect(Set(seen(central).map(\.address)).count >= 3)
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
