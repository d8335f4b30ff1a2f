// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanTesting
import Testing

/// What users of BlueCap reported in public, by the number of the issue or pull request, on whole stacks.
@Suite struct BlueCapFaultTests {
    /// A device that was found again kept its first advertisement.
    @Test func fault55ADeviceFoundAgainShowsItsNewAdvertisement() async throws {
        try await SimulatedWorld.run { world in
            let device = try await world.addPeripheral("First", advertises: [0x180F])
            let first = try await world.central.first(.address(device.address))
            #expect(first.name == "First")
            var names = first.peripheral.names().makeAsyncIterator()
            #expect(await names.next() == .some("First"))
            await device.disappear()
            try await device.server.advertise(name: "Second", services: [0x180D])
            let second = try await world.central.first(.services([0x180D]))
            #expect(second.peripheral == first.peripheral)
            #expect(await names.next() == .some("Second"))
            #expect(first.peripheral.name == "Second")
            #expect(first.peripheral.lastAdvertisement?.fields.services == [0x180D])
            // What was received then is still what was received then.
            #expect(first.fields.services == [0x180F])
        }
    }

    /// Two services with one UUID became one.
    @Test func fault56TwoServicesWithOneUUIDAreTwo() async throws {
        try await SimulatedWorld.run { world in
            let device = try await world.addPeripheral("Two batteries") {
                LocalService(Battery.uuid) { LocalCharacteristic(Battery.level, BatteryLevel(percent: 11)) }
                LocalService(Battery.uuid) { LocalCharacteristic(Battery.level, BatteryLevel(percent: 22)) }
            }
            let peripheral = try await world.connect(to: device)
            try await peripheral.discover()
            let batteries = peripheral.services(Battery.uuid)
            #expect(Set(batteries.map(\.id)).count == 2)
            var levels: [UInt8] = []
            for characteristic in peripheral.characteristics(0x2A19) {
                levels.append(try await peripheral.read(Battery.level, from: characteristic).percent)
            }
            #expect(levels == [11, 22])
        }
    }

    /// Whoever listened second to the adapter's state heard "unsupported", and the first one nothing more; system
    /// errors came bare.
    @Test func fault62AllListenersHearOfTheAdapterAndErrorsAreOfOneType() async throws {
        try await SimulatedWorld.run { world in
            let device = try await world.addPeripheral("Device")
            let peripheral = try await world.connect(to: device)
            var first = world.central.states().makeAsyncIterator()
            var second = world.central.states().makeAsyncIterator()
            #expect(await first.next() == .poweredOn)
            #expect(await second.next() == .poweredOn)
            await world.switchAdapterOff()
            guard case .disconnected(let reason?) = peripheral.connectionState else {
                Issue.record("\(peripheral.connectionState)")
                return
            }
            // The host's own words are inside.
            #expect(reason.cause?.code == .disconnected && reason.code == .disconnected)
            try await world.switchAdapterOn()
            for state in [AdapterState.poweredOff, .poweredOn] {
                while let heard = await first.next() { if heard == state { break } }
                while let heard = await second.next() { if heard == state { break } }
            }
        }
    }

    /// A write without response told nothing.
    @Test func fault66WritesWithoutResponseAreAwaitedAndNoneIsLost() async throws {
        try await SimulatedWorld.run { world in
            let received = Noted()
            let sink = LocalCharacteristic(
                0x2A1F, .writeWithoutResponse,
                onWrite: { request in
                    received.add("\(request.value.count) \(request.value[0]) \(request.needsResponse)")
                })
            let device = try await world.addPeripheral("Sink") { LocalService(0x1815) { sink } }
            let peripheral = try await world.connect(to: device)
            let characteristic = try await peripheral.findCharacteristic(0x2A1F)
            let length = peripheral.maximumWriteLength
            let start = world.now
            for number in 0..<400 {
                try await peripheral.write(
                    [UInt8(number & 0xFF)] + Array(repeating: 0, count: length - 1), to: characteristic)
            }
            // Awaiting is the flow control: the air is slower than the loop.
            #expect(world.now > start)
            let tooLong = await outcome {
                try await peripheral.write(Array(repeating: 0, count: length + 1), to: characteristic)
            }
            #expect(tooLong.code == .invalidArgument)
            try await world.advance(by: .seconds(30))
            #expect(received.all == (0..<400).map { "\(length) \($0 & 0xFF) false" })
        }
    }

    /// Connecting again after the device was switched off and on hung.
    @Test(arguments: [true, false])
    func fault81ADeviceThatWasPowerCycledIsConnectedAgain(byPolicy: Bool) async throws {
        try await SimulatedWorld.run { world in
            let level = LocalCharacteristic(Battery.level, BatteryLevel(percent: 50))
            let device = try await world.addPeripheral("Strap") { LocalService(Battery.uuid) { level } }
            let peripheral = try await world.connect(to: device, reconnection: byPolicy ? .always() : .never)
            let values = try await peripheral.values(of: Battery.level)
            for round in 1...3 {
                device.powerOff()
                try await world.advance(by: .seconds(60))
                #expect(!peripheral.isConnected)
                if !byPolicy {
                    let early = await outcome { try await peripheral.connect(timeout: .seconds(5)) }
                    #expect(early.code == .timedOut)
                }
                try await device.powerOn()
                if byPolicy { try await peripheral.waitUntilConnected() } else { try await peripheral.connect() }
                let percent = try await peripheral.read(Battery.level).percent
                #expect(percent == 50 && peripheral.statistics.connections == round + 1)
            }
            guard byPolicy else {
                #expect(await collect(values).reason?.code == .disconnected)
                return
            }
            try await device.server.waitForSubscriber(of: level)
            try await device.update(level, to: BatteryLevel(percent: 49))
            var iterator = values.makeAsyncIterator()
            let next = try await iterator.next()
            #expect(next?.percent == 49)
        }
    }

    /// A second call of connect got no callbacks.
    @Test func fault82ASecondConnectAndASecondListenerHearThePresentState() async throws {
        try await SimulatedWorld.run { world in
            let device = try await world.addPeripheral("Device")
            let peripheral = try await world.connect(to: device)
            var first = peripheral.connectionStates().makeAsyncIterator()
            #expect(await first.next() == .connected)
            let link = try await peripheral.connect()
            #expect(link.id == peripheral.link?.id)
            var second = peripheral.connectionStates().makeAsyncIterator()
            #expect(await second.next() == .connected)
            device.dropLink()
            for state in [await first.next(), await second.next()] {
                guard case .disconnected(let reason?) = state else {
                    Issue.record("\(String(describing: state))")
                    continue
                }
                #expect(reason.controller == 0x08)
            }
        }
    }

    /// Writing after subscribing failed with the Nordic UART service.
    @Test func fault83AUARTEchoesWhileItIsReadAndWritten() async throws {
        let uart: BluetoothUUID = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
        let rx: BluetoothUUID = "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"
        let tx: BluetoothUUID = "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"
        try await SimulatedWorld.run { world in
            let out = LocalCharacteristic(tx, [.read, .notify], value: [0xEE])
            let lines = Noted()
            let device = try await world.addPeripheral("UART") {
                LocalService(uart) {
                    LocalCharacteristic(
                        rx, [.write, .writeWithoutResponse],
                        onWrite: { lines.add(String(decoding: $0.value, as: UTF8.self)) })
                    out
                }
            }
            let peripheral = try await world.connect(to: device)
            let values = try await peripheral.values(of: try await peripheral.findCharacteristic(tx))
            let input = try peripheral.characteristic(rx)
            var iterator = values.makeAsyncIterator()
            for number in 0..<20 {
                let line = Array("line \(number)".utf8)
                let mode: WriteMode = number % 2 == 0 ? .withResponse : .withoutResponse
                try await peripheral.write(line, to: input, mode: mode)
                async let read = peripheral.read(values.notifications.characteristic)
                try await device.update(out, to: line)
                #expect(try await iterator.next() == line)
                // A notification never answers a read.
                let value = try await read
                #expect(value == line || value == Array("line \(number - 1)".utf8) || value == [0xEE])
            }
            #expect(lines.all == (0..<20).map { "line \($0)" })
        }
    }

    /// The timeout of a scan did nothing once a device had been found by an earlier one.
    @Test func fault85EachScanHasItsOwnTimeout() async throws {
        try await SimulatedWorld.run { world in
            try await world.addPeripheral("Found", advertises: [0x180F])
            #expect(try await world.central.first(.name("Found")).name == "Found")
            let start = world.now
            async let long = collect(world.central.scan(.services([0x180F]), timeout: .seconds(20)))
            let nothing = await collect(world.central.scan(.name("Nobody"), timeout: .seconds(5)))
            #expect(nothing.elements.isEmpty && nothing.reason == nil)
            #expect(world.now - start == .seconds(5))
            // An old timer ends no new scan, and this one ended no other.
            let again = await outcome { try await world.central.first(.name("Nobody"), timeout: .seconds(7)) }
            #expect(again.code == .notFound)
            #expect(world.now - start == .seconds(12))
            #expect(await long.elements.count == 1)
            #expect(world.now - start == .seconds(20))
        }
    }

    /// Peripherals that were retrieved had lost their advertisement.
    @Test func fault97RetrievedPeripheralsKeepTheirAdvertisement() async throws {
        try await SimulatedWorld.run { world in
            let device = try await world.addPeripheral("Known", advertises: [0x180F])
            // No handle of it is kept.
            let id = try await world.central.first(.address(device.address)).id
            let byID = await world.central.retrieve(id)
            #expect(byID.name == "Known")
            #expect(byID.lastAdvertisement?.fields.services == [0x180F])
            #expect(byID.lastRSSI != nil && !byID.signalReadings.isEmpty)
            let byAddress = await world.central.retrieve(device.address)
            #expect(byAddress == byID)
            try await byID.connect()
            #expect(await world.central.connectedPeripherals().first?.lastAdvertisement?.fields.services == [0x180F])
            #expect(await world.central.knownPeripherals().contains(byID))
        }
    }
}
