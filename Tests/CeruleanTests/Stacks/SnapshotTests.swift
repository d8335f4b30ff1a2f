// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanTesting
import Testing

@Suite struct SnapshotTests {
    @Test func aCentralTakesUpWhatAnEarlierOneDid() async throws {
        try await SimulatedWorld.run { world in
            let counter = LocalCharacteristic(0x2A1E, [.read, .notify])
            let other = LocalCharacteristic(0x2A1E, .indicate)
            let device = try await world.addPeripheral("Counter", advertises: [0x1815]) {
                LocalService(0x1815) {
                    counter; other
                }
            }
            try await world.addPeripheral("Seen only", advertises: [0x180F])
            let json: [UInt8]
            do {
                let peripheral = try await world.connect(to: device)
                _ = try await world.central.first(.name("Seen only"))
                try await peripheral.discover()
                let found = peripheral.characteristics(0x2A1E)
                let values = [
                    try await peripheral.values(of: found[0]), try await peripheral.values(of: found[1]),
                ]
                var scan = world.central.scan(.services([0x180D])).makeAsyncIterator()
                async let nothing = outcome { try await scan.next() }
                try await world.advance(by: .seconds(1))
                let snapshot = await world.central.snapshot()
                #expect(snapshot.scans == [["180D"]])
                #expect(Set(snapshot.peers.map(\.name)) == ["Counter", "Seen only"])
                let wanted = snapshot.peers.filter(\.isWanted)
                #expect(wanted.map(\.name) == ["Counter"])
                #expect(wanted.first?.subscriptions.map(\.indications) == [false, true])
                json = snapshot.json
                // The process ends.
                try await world.central.shutdown()
                _ = await nothing
                for sequence in values { _ = await collect(sequence) }
            }
            try await world.advance(by: .seconds(5))

            let central = try await Central(world.adapter())
            let restored = await central.restore(try CentralSnapshot(json: json))
            #expect(restored.count == 2)
            let wanted = try #require(restored.first { $0.isWanted })
            #expect(wanted.peripheral.name == "Counter")
            #expect(wanted.peripheral.lastAdvertisement?.fields.services == [0x1815])
            let values = try await wanted.resume(reconnection: .always())
            #expect(values.count == 2)
            try await device.server.waitForSubscriber(of: other)
            try await device.update(counter, to: [1])
            try await device.update(other, to: [2])
            var first = values[0].makeAsyncIterator()
            var second = values[1].makeAsyncIterator()
            let one = try await first.next()
            let two = try await second.next()
            #expect(one?.value == [1] && one?.isIndication == false)
            #expect(two?.value == [2] && two?.isIndication == true)
        }
    }

    @Test func aServerTakesUpWhatAnEarlierOneServed() async throws {
        try await TwoHosts.run { hosts in
            let asked = Noted()
            func services() -> [LocalService] {
                [
                    LocalService(0x1815) {
                        LocalCharacteristic(0x2A1C, [.read, .write], value: [1], onWrite: { asked.add("\($0.value)") })
                    }
                ]
            }
            try await hosts.server.publish {
                LocalService(Battery.uuid) { LocalCharacteristic(0x2A19, [.read, .write], value: [50]) }
            }
            try await hosts.server.publish(services())
            try await hosts.server.advertise(name: "Device", services: [0x180F], restart: .immediately)
            let peripheral = try await hosts.connect()
            let battery = try await peripheral.findCharacteristic(0x2A19)
            let handled = try await peripheral.findCharacteristic(0x2A1C)
            try await peripheral.write([42], to: battery)
            try await peripheral.write([7], to: handled)
            let json = await hosts.server.snapshot().json
            try await hosts.server.shutdown()
            try await hosts.simulation.advance(by: .seconds(1))

            let host = hosts.serverHost
            let server = try await PeripheralServer(Adapter(name: "again") { () throws(HostError) -> any Host in host })
            try await server.restore(try ServerSnapshot(json: json), services: services())
            let found = try await hosts.central.first(.services([0x180F]))
            #expect(found.name == "Device")
            try await peripheral.connect()
            try await peripheral.discover()
            let again = try peripheral.characteristic(0x2A19)
            #expect(again.handle == battery.handle)
            #expect(try await peripheral.read(again) == [42])
            let handledAgain = try peripheral.characteristic(0x2A1C)
            #expect(handledAgain.handle == handled.handle)
            #expect(try await peripheral.read(handledAgain) == [7])
            try await peripheral.write([8], to: handledAgain)
            #expect(asked.all == ["[7]", "[8]"])
        }
    }

    @Test func aBondThatIsLostIsTold() async throws {
        try await TwoHosts.run { hosts in
            var questions = PairingResponder()
            questions.confirmJustWorks = { _ in true }
            await hosts.central.setPairing(PairingPolicy(ioCapability: .noInputNoOutput), responder: questions)
            await hosts.server.setPairing(
                PairingPolicy(ioCapability: .noInputNoOutput, acceptsPairing: true), responder: questions)
            let peripheral = try await hosts.connect()
            try await peripheral.pair(PairingOptions(level: .encrypted))
            let snapshot = await hosts.central.snapshot()
            #expect(snapshot.bonds == [peripheral.id.description])
            // The same host has the keys, another one does not.
            let same = await Central(host: hosts.central.host)
            let kept = try #require(await same.restore(snapshot).first)
            #expect(kept.isBonded && !kept.lostBond && kept.isWanted)
            let other = await Central(host: hosts.serverHost)
            let lost = try #require(await other.restore(snapshot).first)
            #expect(!lost.isBonded && lost.lostBond)
        }
    }

    @Test(arguments: [
        "", "[]", "{\"format\":1}", "{\"peers\":1}", "\u{0}\u{1}",
        "{\"format\":\"a\",\"peers\":[],\"scans\":[],\"bonds\":[]}",
    ])
    func aTextThatHoldsNoSnapshotIsRefused(text: String) {
        do throws(BluetoothError) {
            _ = try CentralSnapshot(json: Array(text.utf8))
            Issue.record("accepted")
        } catch {
            #expect(error.code == .badData)
        }
    }

    @Test func entriesThatNameNothingAreLeftOut() async throws {
        try await SimulatedWorld.run { world in
            var snapshot = CentralSnapshot()
            let text = """
                {"format":1,"bonds":["x"],"scans":[["zz"]],"peers":[
                {"id":"nothing","isWanted":true,"subscriptions":[]},
                {"id":"CE501EA4-B1E0-8001-8000-C47C8D001122","address":"??","advertisement":"0g","isWanted":true,"subscriptions":[
                {"service":"??","characteristic":"2A19","ordinal":-5,"indications":false}]}]}
                """
            snapshot = try CentralSnapshot(json: Array(text.utf8))
            let restored = await world.central.restore(snapshot)
            #expect(restored.count == 1)
            #expect(restored.first?.peripheral.lastAdvertisement == nil)
        }
    }
}
