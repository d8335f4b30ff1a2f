// SPDX-License-Identifier: Apache-2.0

import CeruleanAdapters
import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

@testable import CoreBluetooth

@Suite struct ScanTests {
    @Test("Checklist 1: the first state comes later on the queue")
    func theFirstStateComesLaterOnTheQueue() async throws {
        try await Stage.run { stage in
            let recorder = CentralRecorder()
            let manager = CBCentralManager(
                delegate: recorder, queue: recorder.queue, linuxAdapter: stage.phoneAdapter)
            #expect(manager.state == .unknown)
            let call = await recorder.next("state")
            #expect(call.isOnQueue)
            #expect(call.number == CBManagerState.poweredOn.rawValue)
        }
    }

    @Test("Checklist 7: advertisement and scan response are merged")
    func advertisementAndScanResponseAreMerged() async throws {
        try await Stage.run { stage in
            await stage.serve()
            stage.central.scanForPeripherals(withServices: nil)
            #expect(stage.central.isScanning)
            let first = await stage.events.next("discover")
            #expect(first.isOnQueue)
            #expect(first.dictionary[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "180D")])
            #expect(first.dictionary[CBAdvertisementDataIsConnectable] as? Bool == true)
            #expect(try #require(first.number) < 0)
            // The name comes in the scan response: the device is reported once more.
            let second = await stage.events.next("discover")
            #expect(second.peripheral === first.peripheral)
            #expect(second.dictionary[CBAdvertisementDataLocalNameKey] as? String == "Strap")
            #expect(second.peripheral?.name == "Strap")
            try await stage.wait(.seconds(5))
            #expect(stage.events.calls("discover").count == 2)
        }
    }

    @Test("Checklist 5: duplicates are reported when wanted")
    func duplicatesAreReportedWhenWanted() async throws {
        try await Stage.run { stage in
            await stage.serve(name: nil)
            stage.central.scanForPeripherals(
                withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
            try await stage.wait(.seconds(2))
            // Every 100 ms, and each may be a packet and its scan response.
            #expect(stage.events.calls("discover").count > 15)
        }
    }

    @Test("Checklist 5: stopping forgets what was seen")
    func stoppingForgetsWhatWasSeen() async throws {
        try await Stage.run { stage in
            await stage.serve(name: nil)
            let first = try await stage.discover()
            #expect(!stage.central.isScanning)
            let second = try await stage.discover()
            #expect(first === second)
            let count = stage.events.calls("discover").count
            try await stage.wait(.seconds(2))
            #expect(stage.events.calls("discover").count == count)
        }
    }

    @Test("Checklist 4, 6: one of the services is enough")
    func oneOfTheServicesIsEnough() async throws {
        try await Stage.run { stage in
            await stage.serve()
            stage.central.scanForPeripherals(withServices: [CBUUID(string: "180F")])
            try await stage.wait(.seconds(2))
            #expect(stage.events.calls("discover").isEmpty)
            // The scan is replaced; 128 bits equal 16.
            stage.central.scanForPeripherals(
                withServices: [CBUUID(string: "180F"), CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB")])
            _ = await stage.events.next("discover")
        }
    }

    @Test("Checklist 3: commands without an adapter are ignored")
    func commandsWithoutAnAdapterAreIgnored() async throws {
        try await Stage.run { stage in
            stage.world.remove(try #require(stage.world.station(of: stage.phone)))
            let call = await stage.events.next("state")
            #expect(try #require(call.number) < CBManagerState.poweredOn.rawValue)
            stage.central.scanForPeripherals(withServices: nil)
            #expect(!stage.central.isScanning)
            #expect(stage.central.retrievePeripherals(withIdentifiers: [UUID()]).isEmpty)
        }
    }

    @Test("Checklist 30: identifiers hide the address and last")
    func identifiersHideTheAddressAndLast() throws {
        let address = DeviceAddress(BluetoothAddress(rawValue: 0xC47C_8D00_1122), .random)
        let peer = PeerID(address)
        let host = Identities(secret: 1)
        let identifier = host.identifier(of: peer)
        #expect(Identities(secret: 1).identifier(of: peer) == identifier)
        #expect(Identities(secret: 2).identifier(of: peer) != identifier)
        #expect(!identifier.uuidString.replacingOccurrences(of: "-", with: "").contains("C47C8D001122"))
        #expect(host.peer(of: identifier) == peer)
        #expect(Identities(secret: 2).peer(of: identifier) == nil)
        #expect(host.peer(of: try #require(UUID(uuidString: "00000000-0000-0000-0000-000000000000"))) == nil)
    }

    @Test("Checklist 29: known peripherals are retrieved in order")
    func knownPeripheralsAreRetrievedInOrder() async throws {
        try await Stage.run { stage in
            await stage.serve()
            let peripheral = try await stage.discover()
            let found = stage.central.retrievePeripherals(withIdentifiers: [UUID(), peripheral.identifier])
            #expect(found == [peripheral])
            // Another manager has another object with the same identifier, without having scanned.
            let recorder = CentralRecorder()
            let other = CBCentralManager(delegate: recorder, queue: recorder.queue, linuxAdapter: stage.phoneAdapter)
            _ = await recorder.next("state")
            let same = try #require(other.retrievePeripherals(withIdentifiers: [peripheral.identifier]).first)
            #expect(same !== peripheral)
            #expect(same.identifier == peripheral.identifier)
            #expect(other.retrieveConnectedPeripherals(withServices: [stage.service.uuid]).isEmpty)
            other.connect(same)
            _ = await recorder.next("connect")
            same.discoverServices(nil)
            _ = await recorder.next("services")
            let connected = stage.central.retrieveConnectedPeripherals(withServices: [stage.service.uuid])
            #expect(connected == [peripheral])
            #expect(stage.central.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180F")]).isEmpty)
            #expect(peripheral.state == .disconnected)
        }
    }
}
