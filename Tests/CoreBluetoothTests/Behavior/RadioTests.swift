// SPDX-License-Identifier: Apache-2.0

import CeruleanAdapters
import CeruleanHost
import CeruleanTesting
import CeruleanWire
import Testing

@testable import CoreBluetooth

/// What hosts do that ours on the virtual air does not: answers that come late, or not.
@Suite struct RadioTests {
    private static func run(
        _ script: @escaping @Sendable (inout Script) -> Void = { _ in },
        _ body: @escaping @Sendable (Simulation, ScriptedHost, CBLinuxAdapter) async throws -> Void
    ) async throws {
        try await Simulation.run(limit: .seconds(7200)) { simulation in
            let host = ScriptedHost(loop: simulation.loop)
            await host.script(script)
            try await body(simulation, host, CBLinuxAdapter(host: host, hold: { simulation.hold() }))
        }
    }

    private static func server(_ adapter: CBLinuxAdapter) async -> (ServerRecorder, CBPeripheralManager) {
        let recorder = ServerRecorder()
        let manager = CBPeripheralManager(delegate: recorder, queue: recorder.queue, linuxAdapter: adapter)
        _ = await recorder.next("state")
        return (recorder, manager)
    }

    private static func service() -> CBMutableService { CBMutableService(type: CBUUID(string: "180F"), primary: true) }

    /// The manager goes, or gives its service up, while the host is at it: the service does not stay.
    @Test(arguments: [false, true]) func aServiceGoesWithItsManager(isWithdrawn: Bool) async throws {
        try await Self.run({ $0.publish = { _ in .success((), after: .seconds(5)) } }) { simulation, host, adapter in
            let recorder = ServerRecorder()
            var manager: CBPeripheralManager? = CBPeripheralManager(
                delegate: recorder, queue: recorder.queue, linuxAdapter: adapter)
            _ = await recorder.next("state")
            let service = Self.service()
            manager?.add(service)
            try await simulation.advance(by: .seconds(1))
            if isWithdrawn { manager?.remove(service) } else { manager = nil }
            try await simulation.advance(by: .seconds(10))
            recorder.queue.sync {}
            #expect(await host.calls.contains { $0.hasPrefix("publish") })
            #expect(await host.publishedServices.isEmpty)
            #expect(!recorder.names.contains("add"))
            withExtendedLifetime(manager) {}
        }
    }

    /// What is included is published first, however long that takes.
    @Test func servicesArePublishedOneBehindTheOther() async throws {
        try await Self.run({ $0.publish = { _ in .success((), after: .seconds(5)) } }) { simulation, host, adapter in
            let (recorder, manager) = await Self.server(adapter)
            let inner = Self.service()
            let outer = CBMutableService(type: CBUUID(string: "180A"), primary: true)
            outer.includedServices = [inner]
            manager.add(inner)
            manager.add(outer)
            let first = await recorder.next("add")
            #expect(first.service === inner)
            #expect(first.error == nil)
            let second = await recorder.next("add")
            #expect(second.service === outer)
            #expect(second.error == nil)
            #expect(await host.publishedServices.count == 2)
        }
    }

    /// No scan fails on Apple's systems: it begins as soon as it can.
    @Test func aScanThatCannotBeginIsTriedAgain() async throws {
        try await Self.run({ $0.scan = { _ in .failure(HostError(.queueFull)) } }) { simulation, host, adapter in
            let recorder = CentralRecorder()
            let central = CBCentralManager(delegate: recorder, queue: recorder.queue, linuxAdapter: adapter)
            _ = await recorder.next("state")
            central.scanForPeripherals(withServices: nil)
            try await simulation.advance(by: .seconds(10))
            #expect(await host.scans.isEmpty)
            #expect(central.isScanning)
            await host.script { $0.scan = { _ in .success(()) } }
            try await simulation.advance(by: .seconds(2))
            #expect(await host.scans.count == 1)
            await host.advertise(AdvertisementFields())
            #expect(await recorder.next("discover").error == nil)
            // Ended, it stays away.
            await host.script { $0.scan = { _ in .failure(HostError(.queueFull)) } }
            central.scanForPeripherals(withServices: nil)
            try await simulation.advance(by: .seconds(3))
            central.stopScan()
            await host.script { $0.scan = { _ in .success(()) } }
            try await simulation.advance(by: .seconds(10))
            #expect(await host.scans.isEmpty)
        }
    }

    /// 127 where the controller measured nothing; a key for what was sent alone, but for whether it can be connected.
    @Test("Checklist 7: sightings have what was sent")
    func sightingsHaveWhatWasSent() async throws {
        try await Self.run { simulation, host, adapter in
            let recorder = CentralRecorder()
            let central = CBCentralManager(delegate: recorder, queue: recorder.queue, linuxAdapter: adapter)
            _ = await recorder.next("state")
            central.scanForPeripherals(
                withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
            try await simulation.advance(by: .seconds(1))
            await host.advertise(AdvertisementFields(), rssi: nil, isConnectable: false)
            let bare = await recorder.next("discover")
            #expect(bare.number == 127)
            #expect(Set(bare.dictionary.keys) == [CBAdvertisementDataIsConnectable])
            #expect(bare.dictionary[CBAdvertisementDataIsConnectable] as? Bool == false)
            #expect(bare.peripheral?.name == nil)
            var fields = AdvertisementFields()
            fields.services = [0x180D]
            fields.txPower = -12
            fields.manufacturerData = [AdvertisementFields.ManufacturerData(company: 0x0059, data: [1, 2])]
            await host.advertise(fields, rssi: -40)
            let full = await recorder.next("discover")
            #expect(full.number == -40)
            #expect(full.peripheral === bare.peripheral)
            #expect(full.dictionary[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "180D")])
            #expect((full.dictionary[CBAdvertisementDataTxPowerLevelKey] as? NSNumber)?.intValue == -12)
            #expect(full.dictionary[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0x59, 0, 1, 2]))
            #expect(full.dictionary[CBAdvertisementDataIsConnectable] as? Bool == true)
            #expect(full.dictionary.count == 4)
        }
    }

    /// The MTU is exchanged behind the connection: three octets of each packet are the header. Core 5.4, Vol 3, Part F,
    /// 3.4.5.3.
    @Test("Checklist 18: the length of writes follows the MTU")
    func theLengthOfWritesFollowsTheMTU() async throws {
        try await Self.run { simulation, host, adapter in
            let recorder = CentralRecorder()
            let central = CBCentralManager(delegate: recorder, queue: recorder.queue, linuxAdapter: adapter)
            _ = await recorder.next("state")
            let identifier = Identities.host.identifier(of: host.peer)
            let peripheral = try #require(central.retrievePeripherals(withIdentifiers: [identifier]).first)
            #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 0)
            #expect(peripheral.maximumWriteValueLength(for: .withResponse) == 0)
            central.connect(peripheral)
            _ = await recorder.next("connect")
            for (mtu, length) in [(23, 20), (185, 182), (517, 512)] {
                var info = try #require(await host.links.first)
                info.mtu = mtu
                await host.emit(.linkUpdated(info))
                recorder.queue.sync {}
                #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == length)
                #expect(peripheral.maximumWriteValueLength(for: .withResponse) == 512)
            }
        }
    }

    /// However often a peer says that its services changed, it is asked for them once at a time.
    @Test func changesOfServicesDoNotPileUp() async throws {
        try await Self.run({ $0.discover = { .success((), after: .seconds(10)) } }) { simulation, host, adapter in
            let recorder = CentralRecorder()
            let central = CBCentralManager(delegate: recorder, queue: recorder.queue, linuxAdapter: adapter)
            _ = await recorder.next("state")
            let identifier = Identities.host.identifier(of: host.peer)
            let peripheral = try #require(central.retrievePeripherals(withIdentifiers: [identifier]).first)
            central.connect(peripheral)
            _ = await recorder.next("connect")
            let link = try #require(await host.links.first).id
            for _ in 0..<1000 { await host.emit(.servicesChanged(link, range: nil)) }
            try await simulation.advance(by: .seconds(100))
            // The first look, and one more behind the changes.
            #expect(await host.calls.filter { $0.contains("discover") }.count == 2)
        }
    }

    /// Of many private addresses the last ones are remembered, and those that are in use.
    @Test func whatPeersTurnedOutToBeIsForgotten() {
        func peer(_ number: Int) -> PeerID {
            PeerID(DeviceAddress(BluetoothAddress(rawValue: UInt64(number)), .random))
        }
        var aliases = Aliases()
        let identity = peer(1)
        for number in 10..<10_000 { aliases.learn(peer(number), identity) { $0 == peer(10) } }
        #expect(aliases.count <= Aliases.limit)
        #expect(aliases[peer(9_999)] == identity)
        #expect(aliases[peer(10)] == identity)
        #expect(aliases[peer(11)] == nil)
    }

    /// Managers without a queue call on the main one.
    @Test("Checklist 2: without a queue it is the main one")
    func withoutAQueueItIsTheMainOne() async throws {
        final class Watcher: NSObject, CBCentralManagerDelegate, CBPeripheralManagerDelegate, @unchecked Sendable {
            let calls = AsyncStream<Bool>.makeStream()
            let key = DispatchSpecificKey<Bool>()
            func centralManagerDidUpdateState(_ central: CBCentralManager) {
                calls.continuation.yield(DispatchQueue.getSpecific(key: key) == true)
            }
            func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
                calls.continuation.yield(DispatchQueue.getSpecific(key: key) == true)
            }
        }
        try await Self.run { _, host, adapter in
            let watcher = Watcher()
            DispatchQueue.main.setSpecific(key: watcher.key, value: true)
            let central = CBCentralManager(delegate: watcher, queue: nil, linuxAdapter: adapter)
            let server = CBPeripheralManager(delegate: watcher, queue: nil, linuxAdapter: adapter)
            var seen = 0
            for await isMain in watcher.calls.stream {
                #expect(isMain)
                seen += 1
                if seen == 2 { break }
            }
            withExtendedLifetime((central, server)) {}
        }
    }
}
