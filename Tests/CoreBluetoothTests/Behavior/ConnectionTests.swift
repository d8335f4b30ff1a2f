// SPDX-License-Identifier: Apache-2.0

import CeruleanAdapters
import CeruleanHost
import CeruleanStack
import CeruleanVirtual
import CeruleanWire
import Testing

@testable import CoreBluetooth

@Suite struct ConnectionTests {
    @Test("Checklist 8: connecting never times out")
    func connectingNeverTimesOut() async throws {
        try await Stage.run { stage in
            await stage.serve()
            let peripheral = try await stage.discover()
            stage.world.move(stage.device, to: Position(x: 100_000))
            stage.central.connect(peripheral)
            #expect(peripheral.state == .connecting)
            try await stage.wait(.seconds(3600))
            #expect(peripheral.state == .connecting)
            stage.world.move(stage.device, to: Position(x: 1))
            let call = await stage.events.next("connect")
            #expect(call.peripheral === peripheral)
            #expect(!stage.events.names.contains("fail"))
        }
    }

    /// An absent device does not keep others waiting.
    @Test("Checklist 8: several are waited for at once")
    func severalAreWaitedForAtOnce() async throws {
        try await Stage.run { stage in
            await stage.serve()
            let peripheral = try await stage.discover()
            let absent = PeerID(DeviceAddress(BluetoothAddress(rawValue: 0xC0DE_0000_0001), .random))
            let missing = try #require(
                stage.central.retrievePeripherals(withIdentifiers: [Identities.host.identifier(of: absent)]).first)
            stage.central.connect(missing)
            try await stage.wait(.seconds(60))
            stage.central.connect(peripheral)
            let call = await stage.events.next("connect")
            #expect(call.peripheral === peripheral)
            #expect(missing.state == .connecting)
            stage.central.cancelPeripheralConnection(missing)
            #expect(missing.state == .disconnected)
            let end = await stage.events.next("disconnect")
            #expect(end.peripheral === missing)
            #expect(end.error == nil)
        }
    }

    @Test func disconnectingEndsWithoutAnError() async throws {
        try await Stage.run { stage in
            let found = try await stage.explore()
            stage.central.cancelPeripheralConnection(found.peripheral)
            #expect(found.peripheral.state == .disconnecting)
            let call = await stage.events.next("disconnect")
            #expect(call.error == nil)
            #expect(call.isOnQueue)
            #expect(found.peripheral.state == .disconnected)
            #expect(found.peripheral.services == nil)
            #expect(!found.peripheral.canSendWriteWithoutResponse)
            #expect(found.peripheral.maximumWriteValueLength(for: .withResponse) == 0)
            // Again, and it works again.
            stage.central.connect(found.peripheral)
            _ = await stage.events.next("connect")
        }
    }

    @Test func aLostLinkTellsWhy() async throws {
        try await Stage.run { stage in
            let peripheral = try await stage.connect()
            stage.drop()
            let call = await stage.events.next("disconnect")
            #expect((call.error as? CBError)?.code == .connectionTimeout)
            #expect(call.number == 0)
            #expect(peripheral.state == .disconnected)
        }
    }

    @Test func aPeerThatLeavesIsTold() async throws {
        try await Stage.run { stage in
            _ = try await stage.connect()
            stage.world.drop(stage.phone, stage.device, reason: .remoteUserTerminated)
            let call = await stage.events.next("disconnect")
            #expect((call.error as? CBError)?.code == .peripheralDisconnected)
        }
    }

    @Test("Checklist 10: the short form is called when there is no other")
    func theShortFormIsCalledWhenThereIsNoOther() async throws {
        final class Short: Recorder, CBCentralManagerDelegate, @unchecked Sendable {
            func centralManagerDidUpdateState(_ central: CBCentralManager) {
                record(Call(name: "state", number: central.state.rawValue))
            }
            func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
                record(Call(name: "connect"))
            }
            func centralManager(
                _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
            ) {
                record(Call(name: "short", error: error))
            }
        }
        try await Stage.run { stage in
            await stage.serve()
            let first = try await stage.discover()
            let recorder = Short()
            let manager = CBCentralManager(delegate: recorder, queue: recorder.queue, linuxAdapter: stage.phoneAdapter)
            _ = await recorder.next("state")
            let peripheral = try #require(manager.retrievePeripherals(withIdentifiers: [first.identifier]).first)
            manager.connect(peripheral)
            _ = await recorder.next("connect")
            stage.drop()
            let call = await recorder.next("short")
            #expect((call.error as? CBError)?.code == .connectionTimeout)
        }
    }

    @Test("Checklist 9: two managers share a link")
    func twoManagersShareALink() async throws {
        try await Stage.run { stage in
            let found = try await stage.explore()
            let recorder = CentralRecorder()
            let other = CBCentralManager(delegate: recorder, queue: recorder.queue, linuxAdapter: stage.phoneAdapter)
            _ = await recorder.next("state")
            let same = try #require(
                other.retrievePeripherals(withIdentifiers: [found.peripheral.identifier]).first)
            // A peripheral of another manager is ignored.
            stage.central.connect(same)
            #expect(same.state == .disconnected)
            other.connect(same)
            _ = await recorder.next("connect")
            #expect(await stage.phone.links.count == 1)
            same.discoverServices([CBUUID(string: "180D")])
            _ = await recorder.next("services")
            same.discoverCharacteristics(nil, for: try #require(same.services?.first))
            _ = await recorder.next("characteristics")
            let theirs = try #require(
                same.services?.first?.characteristics?.first { $0.uuid == stage.measurement.uuid })
            found.peripheral.setNotifyValue(true, for: try found[stage.measurement])
            _ = await stage.events.next("notify")
            same.setNotifyValue(true, for: theirs)
            _ = await recorder.next("notify")
            #expect(stage.manager.updateValue(Data([1]), for: stage.measurement, onSubscribedCentrals: nil))
            #expect(await stage.events.next("value").value == Data([1]))
            #expect(await recorder.next("value").value == Data([1]))
            // One leaves: the other keeps link and subscription.
            stage.central.cancelPeripheralConnection(found.peripheral)
            _ = await stage.events.next("disconnect")
            #expect(same.state == .connected)
            #expect(stage.manager.updateValue(Data([2]), for: stage.measurement, onSubscribedCentrals: nil))
            #expect(await recorder.next("value").value == Data([2]))
            #expect(stage.events.calls("value").count == 1)
            other.cancelPeripheralConnection(same)
            _ = await recorder.next("disconnect")
            _ = await stage.server.next("unsubscribe")
        }
    }

    @Test("Checklist 11: reconnecting keeps services and subscriptions")
    func reconnectingKeepsServicesAndSubscriptions() async throws {
        try await Stage.run { stage in
            let found = try await stage.explore([CBConnectPeripheralOptionEnableAutoReconnect: true])
            let measurement = try found[stage.measurement]
            found.peripheral.setNotifyValue(true, for: measurement)
            _ = await stage.events.next("notify")
            stage.drop()
            let end = await stage.events.next("disconnect")
            #expect(end.number == 1)
            #expect((end.error as? CBError)?.code == .connectionTimeout)
            let again = await stage.events.next("connect")
            #expect(again.peripheral === found.peripheral)
            #expect(found.peripheral.services == [found.service])
            #expect(measurement.isNotifying)
            #expect(stage.manager.updateValue(Data([7]), for: stage.measurement, onSubscribedCentrals: nil))
            let value = await stage.events.next("value")
            #expect(value.characteristic === measurement)
            #expect(value.value == Data([7]))
            // Cancelled, it stays away.
            stage.central.cancelPeripheralConnection(found.peripheral)
            _ = await stage.events.next("disconnect")
            try await stage.wait(.seconds(60))
            #expect(found.peripheral.state == .disconnected)
        }
    }

    @Test("Checklist 12: without power the state alone tells")
    func withoutPowerTheStateAloneTells() async throws {
        try await Stage.run { stage in
            let found = try await stage.explore()
            stage.world.remove(try #require(stage.world.station(of: stage.phone)))
            _ = await stage.events.next("state")
            #expect(found.peripheral.state == .disconnected)
            #expect(found.peripheral.services == nil)
            try await stage.wait(.seconds(1))
            #expect(!stage.events.names.contains("disconnect"))
        }
    }

    @Test("Checklist 35: letting go of a peripheral ends the attempt")
    func lettingGoOfAPeripheralEndsTheAttempt() async throws {
        try await Stage.run { stage in
            await stage.serve(name: nil)
            // Held by the call that the recorder keeps in vain: known by its identifier alone.
            let peer = PeerID(DeviceAddress(BluetoothAddress(rawValue: 0xC47C_8D00_1122), .random))
            let identifier = Identities.host.identifier(of: peer)
            stage.world.move(stage.device, to: Position(x: 100_000))
            weak var gone: CBPeripheral?
            do {
                let peripheral = try #require(
                    stage.central.retrievePeripherals(withIdentifiers: [identifier]).first)
                stage.central.connect(peripheral)
                gone = peripheral
                stage.settle()
            }
            #expect(gone == nil)
            try await stage.wait(.seconds(1))
            stage.world.move(stage.device, to: Position(x: 1))
            try await stage.wait(.seconds(60))
            #expect(await stage.device.links.isEmpty)
            #expect(!stage.events.names.contains("connect"))
        }
    }

    @Test("Checklist 36: connections of others are told")
    func connectionsOfOthersAreTold() async throws {
        try await Stage.run { stage in
            await stage.serve()
            let first = try await stage.discover()
            let recorder = CentralRecorder()
            let watcher = CBCentralManager(delegate: recorder, queue: recorder.queue, linuxAdapter: stage.phoneAdapter)
            _ = await recorder.next("state")
            let others = ["1809", "180F", "1810", "1816"].map { CBUUID(string: $0) }
            // Of more than four services the first four count.
            watcher.registerForConnectionEvents(options: [.serviceUUIDs: others + [CBUUID(string: "180D")]])
            stage.central.connect(first)
            _ = await stage.events.next("connect")
            try await stage.wait(.seconds(5))
            #expect(recorder.calls("event").isEmpty)
            stage.central.cancelPeripheralConnection(first)
            _ = await stage.events.next("disconnect")
            watcher.registerForConnectionEvents(
                options: [.serviceUUIDs: Array(others.prefix(3)) + [CBUUID(string: "180D")]])
            stage.central.connect(first)
            let came = await recorder.next("event")
            #expect(came.number == CBConnectionEvent.peerConnected.rawValue)
            #expect(came.peripheral?.identifier == first.identifier)
            stage.central.cancelPeripheralConnection(first)
            let left = await recorder.next("event")
            #expect(left.number == CBConnectionEvent.peerDisconnected.rawValue)
        }
    }

    @Test("Checklist 34: a delegate that is gone misses events")
    func aDelegateThatIsGoneMissesEvents() async throws {
        try await Stage.run { stage in
            let found = try await stage.explore()
            let control = try found[stage.control]
            found.peripheral.readValue(for: control)
            found.peripheral.delegate = nil
            try await stage.wait(.seconds(1))
            #expect(stage.events.calls("value").isEmpty)
            found.peripheral.delegate = stage.events
            stage.server["2A39"] = Data([9])
            found.peripheral.readValue(for: control)
            #expect(await stage.events.next("value").value == Data([9]))
        }
    }

    /// Of several calls the last one says when the link is tried.
    @Test func aDelayBelongsToItsCall() async throws {
        try await Stage.run { stage in
            await stage.serve()
            let peripheral = try await stage.discover()
            func connect(after seconds: Double?) {
                stage.central.connect(
                    peripheral, options: seconds.map { [CBConnectPeripheralOptionStartDelayKey: NSNumber(value: $0)] })
            }
            connect(after: 10)
            try await stage.wait(.seconds(5))
            stage.central.cancelPeripheralConnection(peripheral)
            connect(after: 100)
            // The first delay is over, and was given up.
            try await stage.wait(.seconds(50))
            #expect(peripheral.state == .connecting)
            #expect(await stage.phone.links.isEmpty)
            try await stage.wait(.seconds(60))
            #expect(peripheral.state == .connected)
            stage.central.cancelPeripheralConnection(peripheral)
            _ = await stage.events.next("disconnect")
            try await stage.wait(.seconds(1))
            connect(after: 100)
            try await stage.wait(.seconds(1))
            connect(after: nil)
            try await stage.wait(.seconds(10))
            #expect(peripheral.state == .connected)
        }
    }

    @Test func connectingToAConnectedOneIsAnsweredAgain() async throws {
        try await Stage.run { stage in
            let peripheral = try await stage.connect()
            stage.central.connect(peripheral)
            let call = await stage.events.next("connect")
            #expect(call.peripheral === peripheral)
        }
    }
}
