// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanVirtual
import CeruleanWire
import Testing

/// What bonded peers remember of each other: databases, signatures, features. Over whole stacks on a simulated air.
@Suite struct BondedClientTests {
    private static let service = ServiceDefinition(
        uuid: 0xFFE0,
        characteristics: [
            CharacteristicDefinition(
                uuid: 0xFFE1, properties: [.read, .write, .notify], permissions: .readWrite, value: .stored([7])),
            CharacteristicDefinition(
                uuid: 0xFFE2, properties: [.signedWrite, .read], permissions: .readWrite, value: .stored([0])),
            CharacteristicDefinition(
                uuid: 0xFFE3, properties: .read, permissions: .readable,
                value: .stored([UInt8](repeating: 3, count: 300))),
        ])

    private struct Pair {
        let rig: Rig
        let central: Rig.Node
        let peripheral: Rig.Node
        var link: LinkID
    }

    private func connect(_ rig: Rig, _ central: Rig.Node, _ peripheral: Rig.Node) throws -> LinkID {
        _ = try rig.wait {
            peripheral.engine.startAdvertising(
                AdvertisingParameters(content: .fields(name: "peripheral", services: [])), now: rig.now, completion: $0)
        }
        let address = try #require(peripheral.engine.localAddress)
        return try rig.wait {
            _ = central.engine.connect(
                PeerID(address), options: ConnectOptions(), timeout: .seconds(10), now: rig.now, completion: $0)
        }.id
    }

    /// Two that are bonded and connected.
    private func bonded(isBonded: Bool = true) throws -> Pair {
        let rig = Rig()
        let central = try rig.started(name: "central")
        let peripheral = try rig.started(name: "peripheral")
        let asked = Sink()
        asked.react = { [unowned peripheral, unowned rig] event in
            guard case .pairing(let link, .question) = event else { return }
            peripheral.engine.answerPairing(.accept, on: link, now: rig.now)
        }
        peripheral.engine.setPairing(PairingPolicy(acceptsPairing: true), asking: asked)
        peripheral.sink = Sink()
        peripheral.published = try rig.wait {
            peripheral.engine.publish([Self.service], for: peripheral.sink ?? Sink(), now: rig.now, completion: $0)
        }
        let link = try connect(rig, central, peripheral)
        if isBonded {
            _ = try rig.wait {
                _ = central.engine.secure(
                    link, options: PairingOptions(), timeout: .seconds(30), now: rig.now, completion: $0)
            }
            rig.run(for: .seconds(1))
        }
        return Pair(rig: rig, central: central, peripheral: peripheral, link: link)
    }

    private func reconnect(_ pair: inout Pair) throws {
        let (rig, central, link) = (pair.rig, pair.central, pair.link)
        try rig.wait { central.engine.disconnect(link, force: true, now: rig.now, completion: $0) }
        rig.run(for: .seconds(1))
        pair.link = try connect(rig, central, pair.peripheral)
        rig.run(for: .seconds(1))
    }

    /// All services with their characteristics and descriptors.
    private func discover(_ pair: Pair) throws -> [CharacteristicInfo] {
        let (rig, central, link) = (pair.rig, pair.central, pair.link)
        let services = try rig.wait {
            _ = central.engine.discoverServices(nil, on: link, timeout: .seconds(30), now: rig.now, completion: $0)
        }
        var all: [CharacteristicInfo] = []
        for service in services {
            let found = try rig.wait {
                _ = central.engine.discoverCharacteristics(
                    of: service.id, on: link, timeout: .seconds(30), now: rig.now, completion: $0)
            }
            for one in found {
                _ = try rig.wait {
                    _ = central.engine.discoverDescriptors(
                        of: one.id, on: link, timeout: .seconds(30), now: rig.now, completion: $0)
                }
            }
            all += found
        }
        return all
    }

    /// ATT opcodes that a node sent.
    private func requests(_ node: Rig.Node) -> [UInt8] {
        node.sent.compactMap { $0.count > 9 && $0[0] == 2 && $0[7] == 4 && $0[8] == 0 ? $0[9] : nil }
    }

    @Test func a21_theDatabaseOfABondedPeerIsFoundOnceAndThenCompared() throws {
        var pair = try bonded()
        let first = try discover(pair)
        #expect(first.contains { $0.uuid == 0xFFE1 })
        pair.rig.run(for: .seconds(1))
        try reconnect(&pair)
        pair.central.sent = []
        let second = try discover(pair)
        #expect(second.map(\.uuid) == first.map(\.uuid))
        #expect(second.map(\.id.handle) == first.map(\.id.handle))
        #expect(second.map(\.properties) == first.map(\.properties))
        // One request in all: the hash.
        #expect(requests(pair.central).filter { $0 != 0x02 } == [0x08])
        let value = try #require(second.first { $0.uuid == 0xFFE1 })
        let (rig, central, link) = (pair.rig, pair.central, pair.link)
        let read = try rig.wait {
            _ = central.engine.read(value.id, on: link, timeout: .seconds(10), now: rig.now, completion: $0)
        }
        #expect(read == [7])

        // Another database has another hash: everything is found anew.
        try rig.wait { central.engine.disconnect(link, force: true, now: rig.now, completion: $0) }
        _ = try rig.wait {
            pair.peripheral.engine.publish(
                [ServiceDefinition(uuid: 0xFFD0)], for: pair.peripheral.sink ?? Sink(), now: rig.now, completion: $0)
        }
        rig.run(for: .seconds(1))
        pair.link = try connect(rig, central, pair.peripheral)
        rig.run(for: .seconds(1))
        let link3 = pair.link
        let services = try rig.wait {
            _ = central.engine.discoverServices(nil, on: link3, timeout: .seconds(30), now: rig.now, completion: $0)
        }
        #expect(services.contains { $0.uuid == 0xFFD0 })
    }

    /// What was found is kept with the bonds: a host that starts anew asks for the hash alone.
    @Test func a21_aDatabaseIsKnownAfterARestart() throws {
        var pair = try bonded()
        let (rig, first, link) = (pair.rig, pair.central, pair.link)
        nonisolated(unsafe) var saved: BondDatabase?
        first.engine.onBondsChanged = { saved = $0 }
        let found = try discover(pair)
        try rig.wait { first.engine.disconnect(link, force: true, now: rig.now, completion: $0) }
        rig.run(for: .seconds(1))
        let kept = try #require(saved)
        #expect(kept.databases.map(\.identity) == [try #require(pair.peripheral.engine.localAddress)])
        let octets = try BondFile(adapter: "a", database: kept).encoded()
        let address = try #require(first.engine.localAddress).address
        let second = rig.add(name: "again") { $0.publicAddress = address }
        second.engine.useBonds(try BondFile(octets).database)
        try rig.wait { second.engine.start(now: rig.now, timeout: .seconds(5), completion: $0) }
        pair = Pair(
            rig: rig, central: second, peripheral: pair.peripheral, link: try connect(rig, second, pair.peripheral))
        rig.run(for: .seconds(1))
        second.sent = []
        let again = try discover(pair)
        #expect(again.map(\.uuid) == found.map(\.uuid) && again.map(\.id.handle) == found.map(\.id.handle))
        #expect(requests(second).filter { $0 != 0x02 } == [0x08])
        // Whoever is forgotten takes what was found along.
        nonisolated(unsafe) var last: BondDatabase?
        second.engine.onBondsChanged = { last = $0 }
        let peer = try #require(second.engine.bonds.first).peer
        #expect(second.engine.unpair(peer, now: rig.now))
        #expect(last?.bonds.isEmpty == true && last?.databases.isEmpty == true)
    }

    /// Server Supported Features says that there are enhanced bearers, and clients say that they know such.
    @Test func enhancedBearersAreToldOfOnBothSides() throws {
        let pair = try bonded()
        let features = try #require(try discover(pair).first { $0.uuid == 0x2B3A })
        let (rig, central, link) = (pair.rig, pair.central, pair.link)
        let value = try rig.wait {
            _ = central.engine.read(features.id, on: link, timeout: .seconds(10), now: rig.now, completion: $0)
        }
        #expect(value == [0x01])
        rig.run(for: .seconds(1))
        // Write Request of Client Supported Features: robust caching, enhanced bearers, multiple notifications.
        let written = central.sent.filter { $0.count == 13 && $0[0] == 2 && $0[7] == 4 && $0[9] == 0x12 }.map(\.last)
        #expect(written == [0x07])
    }

    @Test func a21_withoutABondNothingIsRemembered() throws {
        var pair = try bonded(isBonded: false)
        let first = try discover(pair)
        try reconnect(&pair)
        pair.central.sent = []
        _ = try discover(pair)
        #expect(requests(pair.central).count > first.count)
    }

    @Test func a20_aBondedClientHearsOfAChangeThatItMissed() throws {
        var pair = try bonded()
        _ = try discover(pair)
        pair.rig.run(for: .seconds(1))
        let bond = try #require(pair.peripheral.engine.bonds.first)
        #expect(bond.peer == PeerID(try #require(pair.central.engine.localAddress)))
        let (rig, central, link) = (pair.rig, pair.central, pair.link)
        try rig.wait { central.engine.disconnect(link, force: true, now: rig.now, completion: $0) }
        _ = try rig.wait {
            pair.peripheral.engine.publish(
                [ServiceDefinition(uuid: 0xFFD0)], for: pair.peripheral.sink ?? Sink(), now: rig.now, completion: $0)
        }
        central.events = []
        pair.link = try connect(rig, central, pair.peripheral)
        let again = pair.link
        // The client learns where Service Changed is from what it remembers.
        _ = rig.result {
            _ = central.engine.discoverServices(nil, on: again, timeout: .seconds(30), now: rig.now, completion: $0)
        }
        rig.run(for: .seconds(2))
        let ended = rig.result {
            _ = central.engine.discoverServices(nil, on: again, timeout: .seconds(30), now: rig.now, completion: $0)
        }
        #expect(try ended.get().contains { $0.uuid == 0xFFD0 })
    }

    @Test func aChangeDuringDiscoveryBeginsItAnew() throws {
        let pair = try bonded(isBonded: false)
        _ = try discover(pair)
        let (rig, central, link) = (pair.rig, pair.central, pair.link)
        rig.run(for: .seconds(1))
        let outcome = Outcome<[ServiceInfo]>()
        _ = central.engine.discoverServices(
            nil, on: link, timeout: .seconds(30), now: rig.now, completion: outcome.completion)
        // Service Changed overtakes the answers.
        _ = try rig.wait {
            pair.peripheral.engine.publish(
                [ServiceDefinition(uuid: 0xFFD0)], for: pair.peripheral.sink ?? Sink(), now: rig.now, completion: $0)
        }
        rig.run(for: .seconds(5))
        let services = try #require(outcome.value)
        #expect(services.contains { $0.uuid == 0xFFD0 })
        let last = try #require(services.first { $0.uuid == 0xFFD0 })
        let characteristics = rig.result {
            _ = central.engine.discoverCharacteristics(
                of: last.id, on: link, timeout: .seconds(30), now: rig.now, completion: $0)
        }
        #expect(try characteristics.get().isEmpty)
    }

    @Test func severalValuesAreReadAtOnce() throws {
        let pair = try bonded(isBonded: false)
        let (rig, central, link) = (pair.rig, pair.central, pair.link)
        let all = try discover(pair)
        rig.run(for: .seconds(1))
        let ids = all.filter { [0xFFE1, 0xFFE2, 0xFFE3].contains($0.uuid) }.map(\.id)
        central.sent = []
        let values = try rig.wait {
            _ = central.engine.readMultiple(
                ids, lengths: [], on: link, timeout: .seconds(10), now: rig.now, completion: $0)
        }
        #expect(values == [[7], [0], [UInt8](repeating: 3, count: 300)])
        // Read Multiple Variable Length alone: all of them fit.
        #expect(requests(central) == [0x20])
        let none = try rig.wait {
            _ = central.engine.readMultiple(
                [], lengths: [], on: link, timeout: .seconds(10), now: rig.now, completion: $0)
        }
        #expect(none.isEmpty)
        let wrong = Outcome<[[UInt8]]>()
        _ = central.engine.readMultiple(
            ids, lengths: [1], on: link, timeout: .seconds(10), now: rig.now, completion: wrong.completion)
        #expect(wrong.error?.code == .invalidArgument)
    }

    @Test func onEncryptedLinksSignedWritesGoUnsigned() throws {
        let pair = try bonded()
        let (rig, central, link) = (pair.rig, pair.central, pair.link)
        let target = try #require(try discover(pair).first { $0.uuid == 0xFFE1 })
        central.sent = []
        try rig.wait {
            _ = central.engine.write(
                [9], to: target.id, mode: .signed, on: link, timeout: .seconds(10), now: rig.now, completion: $0)
        }
        #expect(requests(central) == [0x52])
    }

    @Test func withoutABondNothingIsSigned() throws {
        let pair = try bonded(isBonded: false)
        let (rig, central, link) = (pair.rig, pair.central, pair.link)
        let target = try #require(try discover(pair).first { $0.uuid == 0xFFE2 })
        let outcome = rig.result {
            _ = central.engine.write(
                [9], to: target.id, mode: .signed, on: link, timeout: .seconds(10), now: rig.now, completion: $0)
        }
        #expect(throws: HostError.self) { try outcome.get() }
        guard case .failure(let error) = outcome else { return }
        #expect(error.code == .insufficientSecurity)
    }
}
