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

    @Test func descriptorsHandlesAndKeySizesAreKept() async throws {
        try await TwoHosts.run { hosts in
            let secret = AttributePermissions(
                read: .init(security: .authenticated, minimumKeySize: 16), write: .init(security: .encrypted))
            try await hosts.server.publish([
                LocalService(
                    ServiceDefinition(
                        uuid: 0x181C,
                        characteristics: [
                            CharacteristicDefinition(
                                uuid: 0x2A8A, properties: [.read, .write], permissions: secret, value: .stored([9]))
                        ], handle: 0x0100, endHandle: 0x01FF)),
                LocalService(0x1815) {
                    LocalCharacteristic(
                        0x2A56, [.read, .notify], value: [1],
                        descriptors: [
                            DescriptorDefinition(uuid: 0x2909, permissions: .readable, value: .stored([4])),
                            DescriptorDefinition(uuid: 0x2901, permissions: .readWrite, value: .stored([0x41])),
                        ])
                },
            ])
            let extended = ExtendedAdvertising(primaryPHY: .le1M, secondaryPHY: .le2M, setID: 3)
            try await hosts.server.advertise(name: "Device", services: [0x1815], restart: .immediately)
            var further = AdvertisingParameters(
                content: .fields(name: "Far", services: []), interval: .milliseconds(200), extended: extended,
                duration: .seconds(30))
            further.isConnectable = false
            further.isScannable = false
            try await hosts.server.advertise(further, restart: .never)
            let peripheral = try await hosts.connect()
            let signals = try await peripheral.findCharacteristic(0x2A56)
            let note = try #require(signals.descriptor(0x2901))
            try await peripheral.write([0x42, 0x43], to: note)
            let whole = try peripheral.service(0x181C)
            let snapshot = await hosts.server.snapshot()
            #expect(snapshot.services.map(\.handle) == [0x0100, 0x0200])
            #expect(snapshot.services[0].endHandle == 0x01FF)
            let kept = snapshot.services[0].characteristics[0]
            #expect(kept.read?.minimumKeySize == 16 && kept.read?.security == 3 && kept.write?.minimumKeySize == 7)
            #expect(snapshot.services[1].characteristics[0].descriptors.map(\.value) == ["04", "4243"])
            #expect(snapshot.services[1].characteristics[0].descriptors[1].handle == note.handle)
            let read = try ServerSnapshot(json: snapshot.json)
            #expect(read == snapshot)
            #expect(read.advertisements.last?.extended?.secondaryPHY == 2)
            #expect(read.advertisements.last?.duration == 30_000)
            try await hosts.server.shutdown()
            try await hosts.simulation.advance(by: .seconds(1))

            let host = hosts.serverHost
            let server = try await PeripheralServer(Adapter(name: "again") { () throws(HostError) -> any Host in host })
            try await server.restore(snapshot)
            #expect(await server.snapshot() == snapshot)
            try await peripheral.connect()
            try await peripheral.discover()
            let again = try peripheral.characteristic(0x2A56)
            #expect(again.handle == signals.handle)
            #expect(again.descriptors.map(\.uuid) == signals.descriptors.map(\.uuid))
            #expect(again.descriptors.map(\.handle) == signals.descriptors.map(\.handle))
            #expect(try await peripheral.read(try #require(again.descriptor(0x2901))) == [0x42, 0x43])
            #expect(try peripheral.service(0x181C).endHandle == whole.endHandle && whole.endHandle == 0x01FF)
            #expect(await server.characteristics(0x2A8A).first?.permissions == secret)
        }
    }

    @Test func aServiceThatChangedTakesTheValuesThatItHasAPlaceFor() async throws {
        try await TwoHosts.run { hosts in
            func battery(_ more: Bool) -> LocalService {
                LocalService(0x180F) {
                    if more { LocalCharacteristic(0x2A1A, .read, value: [0]) }
                    LocalCharacteristic(0x2A19, [.read, .write], value: [50])
                }
            }
            try await hosts.server.publish([battery(false)])
            let other = try await hosts.server.publish { LocalService(0x1815) { LocalCharacteristic(0x2A56, .read) } }
            try await hosts.server.publish {
                LocalService(0x180A, includes: [other[0].id]) { LocalCharacteristic(0x2A29, .read) }
            }
            try await hosts.server.update(hosts.server.characteristics(0x2A19)[0], to: [33])
            let snapshot = await hosts.server.snapshot()
            try await hosts.server.shutdown()
            try await hosts.simulation.advance(by: .seconds(1))

            let host = hosts.serverHost
            let server = try await PeripheralServer(Adapter(name: "again") { () throws(HostError) -> any Host in host })
            let published = try await server.restore(snapshot, services: [battery(true)])
            #expect(await server.services().map(\.uuid) == [0x1815, 0x180A, 0x180F])
            #expect(published.map(\.id.handle)[1] == snapshot.services[1].handle)
            #expect(await server.services(0x180A).first?.includes == [published[1].id])
            #expect(await server.characteristics(0x2A19).first?.value == [33])
            #expect(await server.characteristics(0x2A1A).first?.value == [0])
        }
    }

    @Test func aRestorationThatFailsLeavesNothing() async throws {
        try await TwoHosts.run { hosts in
            try await hosts.server.publish { LocalService(0x180F) { LocalCharacteristic(0x2A19, .read, value: [1]) } }
            var snapshot = await hosts.server.snapshot()
            snapshot.services.append(snapshot.services[0])
            try await hosts.server.shutdown()
            let host = hosts.serverHost
            let server = try await PeripheralServer(Adapter(name: "again") { () throws(HostError) -> any Host in host })
            // Both want the same handles.
            await #expect(throws: BluetoothError.self) { try await server.restore(snapshot) }
            #expect(await server.services().isEmpty)
            snapshot.services[1].handle = nil
            snapshot.services[1].characteristics[0].handle = nil
            snapshot.services[1].characteristics[0].value = "0g"
            await #expect(throws: BluetoothError.self) { try await server.restore(snapshot) }
            #expect(await server.services().isEmpty)
        }
    }

    @Test func aDescriptorThatNobodyAnswersIsNotPublished() async throws {
        try await TwoHosts.run { hosts in
            let descriptor = DescriptorDefinition(uuid: 0x2901, permissions: .readable, value: .dynamic)
            do throws(BluetoothError) {
                try await hosts.server.publish {
                    LocalService(0x1815) { LocalCharacteristic(0x2A56, .read, descriptors: [descriptor]) }
                }
                Issue.record("published")
            } catch {
                #expect(error.code == .invalidArgument)
            }
        }
    }

    @Test func filesThatCannotBeReadOrWrittenSayWhy() throws {
        do throws(BluetoothError) {
            try CentralSnapshot().save(to: "/nonexistent/snapshot.json")
            Issue.record("written")
        } catch {
            #expect(error.code == .notFound)
            #expect(error.description.hasPrefix("writing /nonexistent/snapshot.json: not found"))
        }
        do throws(BluetoothError) {
            _ = try ServerSnapshot(from: "/nonexistent.json")
            Issue.record("read")
        } catch {
            #expect(error.code == .notFound)
        }
        do throws(BluetoothError) {
            _ = try CentralSnapshot(json: Array(#"{"format":2,"peers":[],"scans":[],"bonds":[]}"#.utf8))
            Issue.record("read")
        } catch {
            #expect(error.code == .badData && error.detail == "its form is 2, known is 1")
        }
        do throws(BluetoothError) {
            _ = try CentralSnapshot(json: Array(#"{"format":1,"peers":[{}],"scans":[],"bonds":[]}"#.utf8))
            Issue.record("read")
        } catch {
            #expect(error.detail == "peers[0] 'id' is missing")
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
