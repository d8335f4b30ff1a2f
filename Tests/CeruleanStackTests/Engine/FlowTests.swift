// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanVirtual
import CeruleanWire
import Testing

/// Flow control and changes of the database, over whole stacks on a simulated air.
@Suite struct FlowTests {
    private static let service = ServiceDefinition(
        uuid: 0xFFE0,
        characteristics: [
            CharacteristicDefinition(
                uuid: 0xFFE1, properties: [.notify, .writeWithoutResponse, .write], permissions: .readWrite,
                value: .dynamic)
        ])

    private func characteristic(_ rig: Rig, _ node: Rig.Node, _ link: LinkID) throws -> AttributeID {
        let services = try rig.wait {
            _ = node.engine.discoverServices(nil, on: link, timeout: .seconds(30), now: rig.now, completion: $0)
        }
        let service = try #require(services.first { $0.uuid == 0xFFE0 })
        let found = try rig.wait {
            _ = node.engine.discoverCharacteristics(
                of: service.id, on: link, timeout: .seconds(30), now: rig.now, completion: $0)
        }
        return try #require(found.first).id
    }

    @Test func notificationsAreRefusedWhenTheQueueIsFullAndNoneIsLost() throws {
        let rig = Rig()
        let (central, link, peripheral, _) = try rig.connected(services: [Self.service])
        let id = try characteristic(rig, central, link)
        try rig.wait {
            _ = central.engine.subscribe(
                to: id, mode: .notifications, on: link, timeout: .seconds(30), now: rig.now, completion: $0)
        }
        let mine = peripheral.published[0].characteristics[0].id
        var sent: UInt32 = 0
        var refusals = 0
        while sent < 2_000 {
            let value =
                [UInt8](withUnsafeBytes(of: sent.littleEndian) { unsafe Array($0) }) + [UInt8](repeating: 7, count: 200)
            if peripheral.engine.update(value, of: mine, for: .allSubscribers, now: rig.now) {
                sent += 1
            } else {
                refusals += 1
                let before = peripheral.events.count
                let isReady = rig.run(until: rig.now + .seconds(60)) {
                    peripheral.events[before...].contains { if case .readyToUpdate = $0 { true } else { false } }
                }
                #expect(isReady, "the ready event comes")
                guard isReady else { return }
            }
        }
        rig.run(for: .seconds(10))
        #expect(refusals > 0)
        let numbers = central.values.map { UInt32($0[0]) | UInt32($0[1]) << 8 }
        #expect(numbers == Array(0..<2_000))
    }

    @Test func writesWithoutResponseArriveInOrderAndEndWhenHandedOver() throws {
        let rig = Rig()
        let (central, link, peripheral, _) = try rig.connected(services: [Self.service])
        let id = try characteristic(rig, central, link)
        let writes = (0..<60).map { number -> Outcome<Void> in
            let outcome = Outcome<Void>()
            _ = central.engine.write(
                [UInt8(number)] + [UInt8](repeating: 1, count: 400), to: id, mode: .withoutResponse, on: link,
                timeout: .seconds(30), now: rig.now, completion: outcome.completion)
            return outcome
        }
        #expect(writes[0].value != nil)
        #expect(!central.engine.canWriteWithoutResponse(link))
        rig.run(for: .seconds(20))
        #expect(writes.allSatisfy { $0.value != nil })
        #expect(central.engine.canWriteWithoutResponse(link))
        #expect(central.events.contains { if case .readyToWrite = $0 { true } else { false } })
        let numbers = (peripheral.sink?.events ?? []).flatMap { event -> [UInt8] in
            guard case .requests(let batch) = event else { return [] }
            return batch.requests.compactMap { request in
                if case .write(let value, _) = request.kind { value[0] } else { nil }
            }
        }
        #expect(numbers == Array(0..<60))
    }

    @Test func aChangedDatabaseMakesIdentifiersStale() throws {
        let rig = Rig()
        let (central, link, peripheral, _) = try rig.connected(services: [Self.service])
        let id = try characteristic(rig, central, link)
        rig.run(for: .seconds(2))
        let sink = try #require(peripheral.sink)
        try rig.wait {
            peripheral.engine.unpublish(peripheral.published[0].id, now: rig.now, completion: $0)
        }
        _ = try rig.wait { peripheral.engine.publish([Self.service], for: sink, now: rig.now, completion: $0) }
        rig.run(for: .seconds(2))
        let changes = central.events.count { if case .servicesChanged = $0 { true } else { false } }
        #expect(changes > 0)
        let result: Result<Void, HostError> = rig.result {
            _ = central.engine.write(
                [1], to: id, mode: .withResponse, on: link, timeout: .seconds(5), now: rig.now, completion: $0)
        }
        guard case .failure(let error) = result else { return #expect(Bool(false), "the identifier is stale") }
        #expect(error.code == .staleAttribute)
        _ = try characteristic(rig, central, link)
    }

    @Test func aPeerOutOfRangeIsLostAfterTheSupervisionTimeout() throws {
        let rig = Rig()
        let (central, link, peripheral, _) = try rig.connected(services: [Self.service])
        let id = try characteristic(rig, central, link)
        peripheral.controller.move(to: Position(x: 10_000), now: rig.now)
        let start = rig.now
        let result: Result<[UInt8], HostError> = rig.result {
            _ = central.engine.read(id, on: link, timeout: .seconds(25), now: rig.now, completion: $0)
        }
        guard case .failure(let error) = result else { return #expect(Bool(false), "nobody answers") }
        #expect(error.controller == 0x08)
        #expect(rig.now - start <= .seconds(5))
        rig.run(for: .seconds(5))
        #expect(peripheral.links.isEmpty)
    }

    @Test func manyLinksShareOneController() throws {
        let rig = Rig()
        let central = try rig.started(name: "central")
        var links: [LinkID] = []
        var peripherals: [Rig.Node] = []
        for _ in 0..<20 {
            let peripheral = try rig.started()
            let sink = Sink()
            peripheral.sink = sink
            peripheral.published = try rig.wait {
                peripheral.engine.publish([Self.service], for: sink, now: rig.now, completion: $0)
            }
            _ = try rig.wait {
                peripheral.engine.startAdvertising(
                    AdvertisingParameters(content: .fields(name: "p", services: [])), now: rig.now, completion: $0)
            }
            let address = try #require(peripheral.engine.localAddress)
            let info = try rig.wait {
                _ = central.engine.connect(
                    PeerID(address), options: ConnectOptions(), timeout: .seconds(30), now: rig.now, completion: $0)
            }
            links.append(info.id)
            peripherals.append(peripheral)
        }
        for (index, link) in links.enumerated() {
            let id = try characteristic(rig, central, link)
            try rig.wait {
                _ = central.engine.subscribe(
                    to: id, mode: .notifications, on: link, timeout: .seconds(30), now: rig.now, completion: $0)
            }
            #expect(
                peripherals[index].engine.update(
                    [UInt8(index)], of: peripherals[index].published[0].characteristics[0].id, for: .allSubscribers,
                    now: rig.now))
        }
        rig.run(for: .seconds(5))
        let pairs = central.events.compactMap { event -> (LinkID, UInt8)? in
            if case .value(let link, _, let value, _) = event { (link, value[0]) } else { nil }
        }
        #expect(pairs.count == 20)
        #expect(pairs.allSatisfy { links[Int($0.1)] == $0.0 })
    }
}
