// SPDX-License-Identifier: Apache-2.0

import CeruleanAdapters
import CeruleanHost
import CeruleanStack
import CeruleanTesting
import CeruleanWire
import Testing

@testable import CoreBluetooth

/// Within one process, a manager whose file is frozen stands for a process that was killed; real processes are in
/// CeruleanPeerTests.
@Suite struct RestorationTests {
    static func options(_ name: String) -> [String: Any] {
        [CBCentralManagerOptionRestoreIdentifierKey: "\(name)-\(UUID().uuidString)"]
    }

    @Test("Checklist 31: a connection comes back with its subscription")
    func aConnectionComesBackWithItsSubscription() async throws {
        let options = Self.options("connection")
        nonisolated(unsafe) let handed = options
        try await Stage.run(options: options) { stage in
            let found = try await stage.explore()
            found.peripheral.setNotifyValue(true, for: try found[stage.measurement])
            _ = await stage.events.next("notify")
            stage.settle()
            try #require(stage.central.restoration).freeze()
            // The process is gone, and its link with it.
            stage.drop()
            _ = await stage.events.next("disconnect")

            let recorder = CentralRecorder()
            let second = CBCentralManager(
                delegate: recorder, queue: recorder.queue, options: handed, linuxAdapter: stage.phoneAdapter)
            let call = await recorder.next("willRestore")
            #expect(call.number == CBManagerState.unknown.rawValue)
            let restored = try #require(
                call.dictionary[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral])
            let peripheral = try #require(restored.first)
            #expect(restored.count == 1)
            #expect(peripheral.identifier == found.peripheral.identifier)
            #expect(peripheral.state == .connected)
            #expect(peripheral.delegate == nil)
            let measurement = try #require(
                peripheral.services?.first?.characteristics?.first { $0.uuid == stage.measurement.uuid })
            #expect(measurement.isNotifying)
            peripheral.delegate = recorder
            #expect(await recorder.next("state").number == CBManagerState.poweredOn.rawValue)
            #expect(recorder.names == ["willRestore", "state"])
            #expect(stage.manager.updateValue(Data([3]), for: stage.measurement, onSubscribedCentrals: nil))
            let value = await recorder.next("value")
            #expect(value.characteristic === measurement)
            #expect(value.value == Data([3]))
            withExtendedLifetime(second) {}
        }
    }

    @Test func anAbsentDeviceIsStillWanted() async throws {
        let options = Self.options("absent")
        nonisolated(unsafe) let handed = options
        try await Stage.run(options: options) { stage in
            let peripheral = try await stage.connect()
            stage.settle()
            try #require(stage.central.restoration).freeze()
            stage.manager.stopAdvertising()
            stage.drop()
            _ = await stage.events.next("disconnect")
            let start = stage.simulation.now
            let recorder = CentralRecorder()
            let second = CBCentralManager(
                delegate: recorder, queue: recorder.queue, options: handed, linuxAdapter: stage.phoneAdapter)
            let call = await recorder.next("willRestore")
            #expect(stage.simulation.now - start == .seconds(6))
            let restored = try #require(
                (call.dictionary[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral])?.first)
            #expect(restored.identifier == peripheral.identifier)
            #expect(restored.state == .connecting)
            stage.manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [stage.service.uuid]])
            #expect(await recorder.next("connect").peripheral === restored)
            withExtendedLifetime(second) {}
        }
    }

    @Test func aScanGoesOn() async throws {
        let options = Self.options("scan")
        nonisolated(unsafe) let handed = options
        try await Stage.run(options: options) { stage in
            stage.central.scanForPeripherals(
                withServices: [stage.service.uuid], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
            stage.settle()
            try #require(stage.central.restoration).freeze()
            let recorder = CentralRecorder()
            let second = CBCentralManager(
                delegate: recorder, queue: recorder.queue, options: handed, linuxAdapter: stage.phoneAdapter)
            let call = await recorder.next("willRestore")
            #expect(
                call.dictionary[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID] == [stage.service.uuid])
            let scan = call.dictionary[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any]
            #expect(scan?[CBCentralManagerScanOptionAllowDuplicatesKey] as? Bool == true)
            #expect(call.dictionary[CBCentralManagerRestoredStatePeripheralsKey] == nil)
            await stage.serve()
            _ = await recorder.next("discover")
            #expect(second.isScanning)
        }
    }

    /// One file for each identifier, whatever it holds and however long it is.
    @Test func identifiersHaveTheirOwnFiles() {
        let long = String(repeating: "x", count: 200)
        let texts = ["a", "A", "a/b", "a_2fb", "", ".", "..", "ä", long, long + "1", long + "2"]
        let names = texts.map(StateDirectory.fileName)
        #expect(Set(names).count == texts.count)
        #expect(names.allSatisfy { $0.utf8.count <= 200 && !$0.contains("/") && !$0.hasPrefix(".") })
        #expect(StateDirectory.fileName("com.example.app-1") == "com.example.app-1")
    }

    @Test func nothingIsRestoredWithoutNeed() async throws {
        let options = Self.options("nothing")
        nonisolated(unsafe) let handed = options
        try await Stage.run(options: options) { stage in
            let peripheral = try await stage.connect()
            stage.central.cancelPeripheralConnection(peripheral)
            _ = await stage.events.next("disconnect")
            stage.settle()
            try #require(stage.central.restoration).freeze()
            let recorder = CentralRecorder()
            let second = CBCentralManager(
                delegate: recorder, queue: recorder.queue, options: handed, linuxAdapter: stage.phoneAdapter)
            _ = await recorder.next("state")
            #expect(recorder.names == ["state"])
            withExtendedLifetime(second) {}
        }
    }

    @Test func servicesAndAdvertisementComeBack() async throws {
        let name = "server-\(UUID().uuidString)"
        try await Stage.run { stage in
            let first = ServerRecorder()
            var manager: CBPeripheralManager? = CBPeripheralManager(
                delegate: first, queue: first.queue, options: [CBPeripheralManagerOptionRestoreIdentifierKey: name],
                linuxAdapter: stage.deviceAdapter)
            _ = await first.next("state")
            stage.measurement.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Rate")]
            manager?.add(stage.service)
            _ = await first.next("add")
            manager?.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [stage.service.uuid]])
            _ = await first.next("advertising")
            first.queue.sync {}
            try #require(manager?.restoration).freeze()
            manager = nil
            first.queue.sync {}

            let recorder = ServerRecorder()
            let second = CBPeripheralManager(
                delegate: recorder, queue: recorder.queue,
                options: [CBPeripheralManagerOptionRestoreIdentifierKey: name],
                linuxAdapter: stage.deviceAdapter)
            let call = await recorder.next("willRestore")
            #expect(recorder.names.first == "willRestore")
            let services = try #require(
                call.dictionary[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService])
            #expect(services.map(\.uuid) == [stage.service.uuid])
            #expect(services.first?.characteristics?.map(\.uuid) == stage.service.characteristics?.map(\.uuid))
            #expect(services.first?.characteristics?.first?.value == Data("Cerulean".utf8))
            #expect(services.first?.characteristics?[2].descriptors?.first?.value as? String == "Rate")
            #expect(second.isAdvertising)
            _ = await recorder.next("state")
            let peripheral = try await stage.discover([stage.service.uuid])
            stage.central.connect(peripheral)
            _ = await stage.events.next("connect")
            peripheral.discoverServices(nil)
            _ = await stage.events.next("services")
            #expect(peripheral.services?.map(\.uuid) == [stage.service.uuid])
        }
    }
}
