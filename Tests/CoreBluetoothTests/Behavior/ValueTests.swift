// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanTesting
import CeruleanWire
import Synchronization
import Testing

@testable import CoreBluetooth

@Suite struct ValueTests {
    @Test("Checklist 13, 14: discovery accumulates and keeps objects")
    func discoveryAccumulatesAndKeepsObjects() async throws {
        try await Stage.run { stage in
            let battery = CBMutableService(type: CBUUID(string: "180F"), primary: true)
            stage.manager.add(battery)
            _ = await stage.server.next("add")
            let peripheral = try await stage.connect()
            #expect(peripheral.services == nil)
            peripheral.discoverServices([CBUUID(string: "FEED")])
            let none = await stage.events.next("services")
            #expect(none.error == nil)
            #expect(peripheral.services == [])
            peripheral.discoverServices([CBUUID(string: "180D")])
            _ = await stage.events.next("services")
            let first = try #require(peripheral.services?.first)
            #expect(first.peripheral === peripheral)
            #expect(first.isPrimary)
            peripheral.discoverServices(nil)
            _ = await stage.events.next("services")
            // Generic Access and Generic Attribute are the system's own.
            #expect(peripheral.services?.map(\.uuid.uuidString) == ["180D", "180F"])
            #expect(peripheral.services?.first === first)
            #expect(first.characteristics == nil)
            peripheral.discoverCharacteristics([CBUUID(string: "2A39")], for: first)
            _ = await stage.events.next("characteristics")
            #expect(first.characteristics?.map(\.uuid.uuidString) == ["2A39"])
            let control = first.characteristics?.first
            peripheral.discoverCharacteristics(nil, for: first)
            _ = await stage.events.next("characteristics")
            #expect(first.characteristics?.map(\.uuid.uuidString) == ["2A39", "2A29", "2A37", "2A46"])
            #expect(first.characteristics?.first === control)
            #expect(control?.service === first)
            #expect(control?.properties == [.read, .write, .writeWithoutResponse])
        }
    }

    @Test func theNameOfTheDeviceTakesOver() async throws {
        try await Stage.run { stage in
            await stage.serve(name: "Advertised")
            stage.central.scanForPeripherals(withServices: nil)
            let call = await stage.events.next("discover") { $0.peripheral?.name == "Advertised" }
            let peripheral = try #require(call.peripheral)
            peripheral.delegate = stage.events
            stage.central.connect(peripheral)
            _ = await stage.events.next("name")
            #expect(peripheral.name == "Strap")
        }
    }

    @Test func staticAndDynamicValuesAreRead() async throws {
        try await Stage.run { stage in
            let found = try await stage.explore()
            found.peripheral.readValue(for: try found[stage.fixed])
            let fixed = await stage.events.next("value")
            #expect(fixed.value == Data("Cerulean".utf8))
            stage.server["2A39"] = Data([1, 2])
            found.peripheral.readValue(for: try found[stage.control])
            #expect(await stage.events.next("value").value == Data([1, 2]))
            #expect(stage.server.calls("read").count == 1)
        }
    }

    @Test("Checklist 16: long values are read and written whole")
    func longValuesAreReadAndWrittenWhole() async throws {
        try await Stage.run { stage in
            let found = try await stage.explore()
            let long = Data((0..<512).map { UInt8(truncatingIfNeeded: $0) })
            stage.server["2A39"] = long
            let control = try found[stage.control]
            // A small packet, so that it takes several.
            found.peripheral.readValue(for: control)
            #expect(await stage.events.next("value").value == long)
            let other = Data((0..<512).map { UInt8(truncatingIfNeeded: 255 - $0) })
            found.peripheral.writeValue(other, for: control, type: .withResponse)
            #expect(await stage.events.next("write").error == nil)
            #expect(stage.server["2A39"] == other)
            // A write does not change the client's own value.
            #expect(control.value == long)
            found.peripheral.writeValue(Data(count: 513), for: control, type: .withResponse)
            let error = await stage.events.next("write").error as? CBATTError
            #expect(error?.code == .invalidAttributeValueLength)
        }
    }

    @Test func refusalsCarryTheCodeOfThePeer() async throws {
        try await Stage.run { stage in
            let found = try await stage.explore()
            found.peripheral.writeValue(Data([1]), for: try found[stage.fixed], type: .withResponse)
            let error = await stage.events.next("write").error
            #expect((error as? CBATTError)?.code == .writeNotPermitted)
            stage.server.isManual.store(true, ordering: .relaxed)
            found.peripheral.readValue(for: try found[stage.control])
            let call = await stage.server.next("read")
            stage.manager.respond(to: call.requests[0], withResult: .insufficientResources)
            // The second answer counts for nothing.
            stage.manager.respond(to: call.requests[0], withResult: .success)
            let refused = await stage.events.next("value")
            #expect((refused.error as? CBATTError)?.code == .insufficientResources)
            #expect(refused.value == nil)
            found.peripheral.readValue(for: try found[stage.control])
            let second = await stage.server.next("read")
            let own = try #require(CBATTError.Code(rawValue: 0x81))
            stage.manager.respond(to: second.requests[0], withResult: own)
            #expect((await stage.events.next("value").error as? CBATTError)?.code == own)
        }
    }

    @Test("Checklist 19: notifications are told apart from each other")
    func notificationsAreToldApartFromEachOther() async throws {
        try await Stage.run { stage in
            let found = try await stage.explore()
            let measurement = try found[stage.measurement]
            found.peripheral.setNotifyValue(true, for: measurement)
            let on = await stage.events.next("notify")
            #expect(on.number == 1)
            let subscribed = await stage.server.next("subscribe")
            #expect(subscribed.characteristic === stage.measurement)
            #expect(subscribed.number == 1)
            #expect(subscribed.central?.maximumUpdateValueLength == 512)
            for number in UInt8(0)..<15 {
                #expect(stage.manager.updateValue(Data([number]), for: stage.measurement, onSubscribedCentrals: nil))
            }
            for number in UInt8(0)..<15 { #expect(await stage.events.next("value").value == Data([number])) }
            // What it is already is answered again.
            found.peripheral.setNotifyValue(true, for: measurement)
            #expect(await stage.events.next("notify").error == nil)
            found.peripheral.setNotifyValue(false, for: measurement)
            #expect(await stage.events.next("notify").number == 0)
            #expect(await stage.server.next("unsubscribe").number == 0)
            found.peripheral.setNotifyValue(true, for: try found[stage.control])
            let refused = await stage.events.next("notify")
            #expect((refused.error as? CBATTError)?.code == .requestNotSupported)
        }
    }

    @Test("Checklist 19: indications are used where there is nothing else")
    func indicationsAreUsedWhereThereIsNothingElse() async throws {
        try await Stage.run { stage in
            let found = try await stage.explore()
            found.peripheral.setNotifyValue(true, for: try found[stage.alarm])
            _ = await stage.events.next("notify")
            for number in UInt8(0)..<3 {
                #expect(stage.manager.updateValue(Data([number]), for: stage.alarm, onSubscribedCentrals: nil))
            }
            for number in UInt8(0)..<3 { #expect(await stage.events.next("value").value == Data([number])) }
        }
    }

    @Test("Checklist 26: a full queue says no and then ready")
    func aFullQueueSaysNoAndThenReady() async throws {
        try await Stage.run { stage in
            let found = try await stage.explore()
            found.peripheral.setNotifyValue(true, for: try found[stage.measurement])
            _ = await stage.events.next("notify")
            var sent = 0
            var refused = false
            // Nothing leaves while the test holds the loop's thread.
            while !refused, sent < 1000 {
                let value = Data([UInt8(truncatingIfNeeded: sent)])
                if stage.manager.updateValue(value, for: stage.measurement, onSubscribedCentrals: nil) {
                    sent += 1
                } else {
                    refused = true
                }
            }
            #expect(refused)
            #expect(sent == CBPeripheralManager.updateWindow.full)
            _ = await stage.server.next("ready")
            #expect(stage.manager.updateValue(Data([0xFF]), for: stage.measurement, onSubscribedCentrals: nil))
            for number in 0..<sent {
                #expect(await stage.events.next("value").value == Data([UInt8(truncatingIfNeeded: number)]))
            }
            #expect(await stage.events.next("value").value == Data([0xFF]))
            #expect(stage.server.calls("ready").count == 1)
        }
    }

    @Test("Checklist 26: updates go to those who are named")
    func updatesGoToThoseWhoAreNamed() async throws {
        try await Stage.run { stage in
            let found = try await stage.explore()
            found.peripheral.setNotifyValue(true, for: try found[stage.measurement])
            let central = try #require(await stage.server.next("subscribe").central)
            let stranger = CBCentral(PeerID(DeviceAddress(BluetoothAddress(rawValue: 1), .public)))
            #expect(stage.manager.updateValue(Data([1]), for: stage.measurement, onSubscribedCentrals: [stranger]))
            #expect(stage.manager.updateValue(Data([2]), for: stage.measurement, onSubscribedCentrals: [central]))
            #expect(await stage.events.next("value").value == Data([2]))
            // What is longer than a packet is cut.
            #expect(
                stage.manager.updateValue(Data(count: 600), for: stage.measurement, onSubscribedCentrals: [central]))
            #expect(await stage.events.next("value").value?.count == central.maximumUpdateValueLength)
            let unpublished = CBMutableCharacteristic(
                type: CBUUID(string: "2A37"), properties: .notify, value: nil, permissions: [])
            #expect(!stage.manager.updateValue(Data([1]), for: unpublished, onSubscribedCentrals: nil))
        }
    }

    @Test("Checklist 17: writes without response are held back")
    func writesWithoutResponseAreHeldBack() async throws {
        try await Stage.run { stage in
            let found = try await stage.explore()
            let control = try found[stage.control]
            #expect(found.peripheral.canSendWriteWithoutResponse)
            var sent = 0
            while found.peripheral.canSendWriteWithoutResponse, sent < 1000 {
                found.peripheral.writeValue(
                    Data([UInt8(truncatingIfNeeded: sent)]), for: control, type: .withoutResponse)
                sent += 1
            }
            #expect(sent == CBPeripheral.writeWindow.full)
            let ready = await stage.events.next("ready")
            #expect(ready.number == 1)
            for number in 0..<sent {
                #expect(await stage.server.next("written").value == Data([UInt8(truncatingIfNeeded: number)]))
            }
            #expect(stage.events.calls("ready").count == 1)
            let length = found.peripheral.maximumWriteValueLength(for: .withoutResponse)
            #expect(length == 512)
            #expect(found.peripheral.maximumWriteValueLength(for: .withResponse) == 512)
            found.peripheral.writeValue(Data(count: 600), for: control, type: .withoutResponse)
            #expect(await stage.server.next("written").value?.count == length)
        }
    }

    @Test("Checklist 21, 22: descriptors have their types")
    func descriptorsHaveTheirTypes() async throws {
        try await Stage.run { stage in
            stage.measurement.descriptors = [
                CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Rate"),
                CBMutableDescriptor(type: CBUUID(string: "2904"), value: Data([4, 0, 0xAF, 0x27, 1, 0, 0])),
            ]
            let found = try await stage.explore()
            let measurement = try found[stage.measurement]
            found.peripheral.discoverDescriptors(for: measurement)
            _ = await stage.events.next("descriptors")
            #expect(Set(measurement.descriptors?.map(\.uuid.uuidString) ?? []) == ["2901", "2902", "2904"])
            func value(_ uuid: String) async throws -> Any? {
                let descriptor = try #require(measurement.descriptors?.first { $0.uuid.uuidString == uuid })
                found.peripheral.readValue(for: descriptor)
                return await stage.events.next("descriptor").descriptor?.value
            }
            #expect(try await value("2901") as? String == "Rate")
            #expect(try await value("2904") as? Data == Data([4, 0, 0xAF, 0x27, 1, 0, 0]))
            #expect((try await value("2902") as? NSNumber)?.intValue == 0)
            found.peripheral.setNotifyValue(true, for: measurement)
            _ = await stage.events.next("notify")
            #expect((try await value("2902") as? NSNumber)?.intValue == 1)
            let configuration = try #require(measurement.descriptors?.first { $0.uuid.uuidString == "2902" })
            found.peripheral.writeValue(Data([0, 0]), for: configuration)
            let refused = await stage.events.next("writeDescriptor")
            #expect((refused.error as? CBError)?.code == .invalidParameters)
        }
    }

    @Test("Checklist 15: changed services have to be found again")
    func changedServicesHaveToBeFoundAgain() async throws {
        try await Stage.run { stage in
            let found = try await stage.explore()
            let battery = CBMutableService(type: CBUUID(string: "180F"), primary: true)
            stage.manager.remove(stage.service)
            let gone = await stage.events.next("modified")
            #expect(gone.services == [found.service])
            #expect(found.peripheral.services == [])
            // What comes before the system has looked again is found by whoever looks now.
            try await stage.wait(.seconds(1))
            stage.manager.add(battery)
            _ = await stage.events.next("modified")
            found.peripheral.discoverServices(nil)
            _ = await stage.events.next("services")
            #expect(found.peripheral.services?.map(\.uuid.uuidString) == ["180F"])
            // The old objects are of no use any more.
            found.peripheral.discoverCharacteristics(nil, for: found.service)
            found.peripheral.readRSSI()
            let call = await stage.events.next("rssi")
            #expect(try #require(call.number) < 0)
            #expect(stage.events.calls("characteristics").count == 1)
        }
    }

    /// Calls are answered in their order, and the last one counts.
    @Test func subscriptionsAreChangedOneBehindTheOther() async throws {
        try await Stage.run { stage in
            let found = try await stage.explore()
            let measurement = try found[stage.measurement]
            for isOn in [true, false, true, true, false, true] {
                found.peripheral.setNotifyValue(isOn, for: measurement)
            }
            for isOn in [1, 0, 1, 1, 0, 1] {
                let call = await stage.events.next("notify")
                #expect(call.number == isOn)
                #expect(call.error == nil)
            }
            #expect(stage.measurement.subscribedCentrals?.count == 1)
            #expect(stage.manager.updateValue(Data([5]), for: stage.measurement, onSubscribedCentrals: nil))
            #expect(await stage.events.next("value").value == Data([5]))
            // Two managers, one of which leaves while the other comes.
            let recorder = CentralRecorder()
            let other = CBCentralManager(delegate: recorder, queue: recorder.queue, linuxAdapter: stage.phoneAdapter)
            _ = await recorder.next("state")
            let same = try #require(other.retrievePeripherals(withIdentifiers: [found.peripheral.identifier]).first)
            other.connect(same)
            _ = await recorder.next("connect")
            same.discoverServices([stage.service.uuid])
            _ = await recorder.next("services")
            same.discoverCharacteristics([stage.measurement.uuid], for: try #require(same.services?.first))
            _ = await recorder.next("characteristics")
            let theirs = try #require(same.services?.first?.characteristics?.first)
            stage.central.cancelPeripheralConnection(found.peripheral)
            same.setNotifyValue(true, for: theirs)
            #expect(await recorder.next("notify").error == nil)
            #expect(stage.manager.updateValue(Data([6]), for: stage.measurement, onSubscribedCentrals: nil))
            #expect(await recorder.next("value").value == Data([6]))
        }
    }

    /// A change between the first look at the services and the subscription to Service Changed is told to nobody.
    @Test func aChangeInTheFirstMomentsIsNoticed() async throws {
        try await Stage.run { stage in
            let peripheral = try await stage.connect()
            peripheral.discoverServices(nil)
            _ = await stage.events.next("services")
            let service = try #require(peripheral.services?.first)
            stage.manager.remove(stage.service)
            let gone = await stage.events.next("modified")
            #expect(gone.services == [service])
            #expect(peripheral.services == [])
        }
    }

    /// Each call has the value of its own event, whichever order they come in.
    @Test("Checklist 20: reads and notifications keep their values")
    func readsAndNotificationsKeepTheirValues() async throws {
        try await Stage.run { stage in
            let both = CBMutableCharacteristic(
                type: CBUUID(string: "FEED"), properties: [.read, .notify], value: nil, permissions: .readable)
            stage.service.characteristics?.append(both)
            let found = try await stage.explore()
            let remote = try found[both]
            found.peripheral.setNotifyValue(true, for: remote)
            _ = await stage.events.next("notify")
            for number in UInt8(0)..<10 {
                stage.server["FEED"] = Data([0xF0, number])
                found.peripheral.readValue(for: remote)
                #expect(stage.manager.updateValue(Data([number]), for: both, onSubscribedCentrals: nil))
                #expect(stage.manager.updateValue(Data([number, 1]), for: both, onSubscribedCentrals: nil))
                var values: Set<Data> = []
                for _ in 0..<3 { values.insert(try #require(await stage.events.next("value").value)) }
                #expect(values == [Data([0xF0, number]), Data([number]), Data([number, 1])])
            }
            let notified = stage.events.calls("value").compactMap(\.value).filter { $0.first != 0xF0 }
            #expect(notified == (UInt8(0)..<10).flatMap { [Data([$0]), Data([$0, 1])] })
        }
    }

    @Test func nothingComesBehindTheDisconnection() async throws {
        try await Stage.run { stage in
            let found = try await stage.explore()
            stage.server.isManual.store(true, ordering: .relaxed)
            found.peripheral.readValue(for: try found[stage.control])
            _ = await stage.server.next("read")
            stage.drop()
            _ = await stage.events.next("disconnect")
            try await stage.wait(.seconds(40))
            #expect(stage.events.names.last == "disconnect")
        }
    }
}
