// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanTesting
import Testing

/// What users of other libraries complained about in public, by the number of the complaint, on two whole stacks.
@Suite struct ComplaintTests {
    /// Reading the signal strength never returned when the peer dropped.
    @Test func complaint1PendingCallsEndWhenThePeerDrops() async throws {
        try await TwoHosts.run { hosts in
            try await hosts.server.publish { LocalService(0x180F) { LocalCharacteristic(0x2A19, .read, value: [1]) } }
            let peripheral = try await hosts.connect()
            let characteristic = try await peripheral.findCharacteristic(0x2A19)
            hosts.goOutOfRange()
            let start = hosts.simulation.clock.now
            async let strengths = collect(peripheral.rssiValues(every: .milliseconds(100)))
            let read = await outcome { try await peripheral.read(characteristic, timeout: .seconds(60)) }
            #expect(read.code == .disconnected)
            let (_, reason) = await strengths
            #expect(reason?.code == .disconnected)
            // The supervision timeout decides, not the operation's own.
            #expect(start.duration(to: hosts.simulation.clock.now) < .seconds(33))
        }
    }

    /// Turning Bluetooth off while scanning crashed: resumed twice.
    @Test func complaint2AnAdapterThatGoesAwayEndsScansOnce() async throws {
        try await TwoHosts.run { hosts in
            async let scan = collect(hosts.central.scan(duplicates: true))
            try await hosts.server.advertise(name: "server")
            try await hosts.simulation.advance(by: .seconds(2))
            hosts.removeCentralAdapter()
            let (seen, reason) = await scan
            #expect(!seen.isEmpty)
            #expect(reason?.code == .adapterFailed || reason?.code == .poweredOff)
        }
    }

    /// When notifications came fast, the value read later was already the next one.
    @Test func complaint3EachNotificationKeepsItsValue() async throws {
        try await TwoHosts.run { hosts in
            let stream = LocalCharacteristic(0x2A1E, .notify)
            try await hosts.server.publish { LocalService(0x1815) { stream } }
            let peripheral = try await hosts.connect()
            let values = try await peripheral.values(of: try await peripheral.findCharacteristic(0x2A1E))
            for number in 0..<100 { try await hosts.server.update(stream, to: [UInt8(number)]) }
            try await hosts.simulation.advance(by: .seconds(10))
            var iterator = values.makeAsyncIterator()
            for number in 0..<100 { #expect(try await iterator.next() == [UInt8(number)]) }
        }
    }

    /// Right after enabling, notifications came in another order.
    @Test func complaint4TheFirstNotificationsKeepTheirOrder() async throws {
        try await TwoHosts.run { hosts in
            let stream = LocalCharacteristic(0x2A1E, .notify)
            try await hosts.server.publish { LocalService(0x1815) { stream } }
            let events = hosts.server.events()
            let peripheral = try await hosts.connect()
            let characteristic = try await peripheral.findCharacteristic(0x2A1E)
            async let sent: Void = {
                for await event in events {
                    guard case .subscribed = event else { continue }
                    for number in 0..<50 { try await hosts.server.update(stream, to: [UInt8(number)]) }
                    return
                }
            }()
            let values = try await peripheral.values(of: characteristic)
            var iterator = values.makeAsyncIterator()
            for number in 0..<50 { #expect(try await iterator.next() == [UInt8(number)]) }
            try await sent
        }
    }

    /// Fast connect and disconnect presses hung, or hit an assertion.
    @Test(arguments: 0..<12)
    func complaint5FastPressesEndInAKnownState(seed: Int) async throws {
        try await TwoHosts.run(seed: UInt64(seed) + 1) { hosts in
            try await hosts.server.advertise(name: "server")
            let peripheral = try #require(await hosts.central.retrieve(hosts.serverAddress))
            let simulation = hosts.simulation
            await withTaskGroup(of: Void.self) { group in
                for press in 0..<10 {
                    group.addTask {
                        _ = await outcome {
                            if press % 2 == 0 {
                                try await peripheral.connect(timeout: .seconds(20))
                            } else {
                                try await peripheral.disconnect(timeout: .seconds(20))
                            }
                        }
                    }
                    let pause = simulation.random(in: 0...80)
                    try? await simulation.advance(by: .milliseconds(pause))
                }
                await group.waitForAll()
            }
            try await peripheral.disconnect()
            try await simulation.advance(by: .seconds(5))
            #expect(!peripheral.isConnected)
            try await peripheral.connect()
            #expect(peripheral.isConnected)
        }
    }

    /// Automatic reconnection could not be switched off.
    @Test func complaint6NothingReconnectsByItself() async throws {
        try await TwoHosts.run { hosts in
            let peripheral = try await hosts.connect()
            hosts.dropLink()
            try await hosts.simulation.advance(by: .seconds(120))
            #expect(!peripheral.isConnected)
            #expect(peripheral.statistics.connectionAttempts == 1)
            #expect(peripheral.statistics.losses == 1)
        }
    }

    /// Two characteristics or services with one UUID overwrote each other.
    @Test func complaint7EqualUUIDsAreTwoAttributes() async throws {
        try await TwoHosts.run { hosts in
            let streams = (0..<4).map { LocalCharacteristic(0x2A19, [.read, .notify], value: [UInt8($0)]) }
            try await hosts.server.publish {
                LocalService(0x180F) {
                    streams[0]; streams[1]
                }
                LocalService(0x180F) {
                    streams[2]; streams[3]
                }
            }
            let peripheral = try await hosts.connect()
            try await peripheral.discover()
            #expect(peripheral.services(0x180F).count == 2)
            let found = peripheral.characteristics(0x2A19)
            #expect(Set(found.map(\.id)).count == 4)
            for (number, characteristic) in found.enumerated() {
                #expect(try await peripheral.read(characteristic) == [UInt8(number)])
            }
            var values: [RawValues] = []
            for characteristic in found { values.append(try await peripheral.values(of: characteristic)) }
            for (number, stream) in streams.enumerated().reversed() {
                try await hosts.server.update(stream, to: [UInt8(number + 10)])
            }
            for (number, sequence) in values.enumerated() {
                var iterator = sequence.makeAsyncIterator()
                #expect(try await iterator.next() == [UInt8(number + 10)])
            }
        }
    }

    /// The timeout of connecting was fixed, or endless.
    @Test(arguments: [1, 7, 31])
    func complaint8TheTimeoutOfConnectingIsTheCallers(seconds: Int) async throws {
        try await TwoHosts.run { hosts in
            let peripheral = try #require(await hosts.central.retrieve(hosts.serverAddress))
            let start = hosts.simulation.clock.now
            let result = await outcome { try await peripheral.connect(timeout: .seconds(seconds)) }
            #expect(result.code == .timedOut)
            let waited = start.duration(to: hosts.simulation.clock.now)
            #expect(waited >= .seconds(seconds) && waited < .seconds(seconds) + .milliseconds(500))
            try await hosts.server.advertise(name: "server")
            try await peripheral.connect()
        }
    }
}

/// The complaints about devices of one kind, throughput, unknown attributes and lost links.
@Suite struct LaterComplaintTests {
    /// A second device of the same class crashed.
    @Test func complaint15TwoDevicesOfOneKindWorkSideBySide() async throws {
        try await SimulatedWorld.run { world in
            var peripherals: [Peripheral] = []
            var streams: [LocalCharacteristic] = []
            for number in 0..<2 {
                let stream = LocalCharacteristic(HeartRate.measurement)
                streams.append(stream)
                let strap = try await world.addPeripheral("Strap") {
                    LocalService(HeartRate.uuid) { stream }
                    LocalService(Battery.uuid) {
                        LocalCharacteristic(Battery.level, BatteryLevel(percent: UInt8(10 + number)))
                    }
                }
                peripherals.append(try await world.connect(to: strap))
            }
            #expect(peripherals[0] != peripherals[1])
            var iterators: [TypedValues<HeartRateMeasurement>.Iterator] = []
            for peripheral in peripherals {
                iterators.append(try await peripheral.values(of: HeartRate.measurement).makeAsyncIterator())
            }
            for number in [1, 0] {
                try await world.peripherals[number].update(
                    streams[number], to: HeartRateMeasurement(heartRate: UInt16(60 + number)))
            }
            for number in 0..<2 {
                let value = try await iterators[number].next()
                #expect(value?.heartRate == UInt16(60 + number))
                let level = try await peripherals[number].read(Battery.level)
                #expect(level.percent == UInt8(10 + number))
            }
        }
    }

    /// Writing gave 200 octets a second although the MTU was 247: fixed parts of 20 octets, each waited for.
    @Test func complaint16WritesUseTheMTUAndDoNotWaitForEachOther() async throws {
        try await SimulatedWorld.run { world in
            let received = Noted()
            let sink = LocalCharacteristic(
                0x2A1F, .writeWithoutResponse, onWrite: { received.add("\($0.value.count)") })
            let device = try await world.addPeripheral("Sink") { LocalService(0x1815) { sink } }
            let peripheral = try await world.connect(to: device)
            // The longest value that there is, in one packet.
            #expect(peripheral.maximumWriteLength == 512)
            let characteristic = try await peripheral.findCharacteristic(0x2A1F)
            let start = world.now
            let file = [UInt8](repeating: 7, count: 100_000)
            for part in stride(from: 0, to: file.count, by: peripheral.maximumWriteLength) {
                let end = min(file.count, part + peripheral.maximumWriteLength)
                try await peripheral.write(Array(file[part..<end]), to: characteristic)
            }
            let count = (file.count + 511) / 512
            for _ in 0..<100_000 where received.all.count < count { try await world.advance(by: .milliseconds(1)) }
            #expect(received.all.compactMap { Int($0) }.reduce(0, +) == file.count)
            // A hundred times what was complained about: 20,000 octets a second.
            #expect(world.now - start < .seconds(5))
        }
    }

    /// An unknown characteristic gave "sequence contains no elements".
    @Test func complaint17AnUnknownCharacteristicIsNamed() async throws {
        try await SimulatedWorld.run { world in
            let device = try await world.addPeripheral("Device") { LocalService(Battery.uuid) {} }
            let peripheral = try await world.connect(to: device)
            do throws(BluetoothError) {
                _ = try peripheral.characteristic(0x2A19)
                Issue.record("found")
            } catch {
                #expect(error.code == .wrongState)
                #expect("\(error)".contains("2A19") && "\(error)".contains("discover() first"))
            }
            do throws(BluetoothError) {
                _ = try await peripheral.read(Battery.level)
                Issue.record("found")
            } catch {
                #expect(error.code == .notFound)
                #expect("\(error)".contains("characteristic 2A19"))
                #expect("\(error)".contains("\(device.address)"))
            }
        }
    }

    /// There was no way to learn of an unexpected disconnection.
    @Test func complaint18AnUnexpectedDisconnectionIsTold() async throws {
        try await SimulatedWorld.run { world in
            let device = try await world.addPeripheral("Device")
            let peripheral = try await world.connect(to: device)
            async let told = {
                for await state in peripheral.connectionStates() {
                    if case .disconnected(let reason) = state { return reason }
                }
                return nil
            }()
            try await world.advance(by: .seconds(1))
            device.powerOff()
            let reason = await told
            // The supervision timeout. Core 5.4, Vol 1, Part F, 2.7.
            #expect(reason?.code == .disconnected && reason?.controller == 0x08)
            #expect(peripheral.statistics.losses == 1)
            try await device.powerOn()
            try await peripheral.connect()
            try await peripheral.disconnect()
            #expect(peripheral.connectionState == .disconnected(reason: nil))
            #expect(peripheral.statistics.losses == 1 && peripheral.statistics.disconnections == 2)
        }
    }
}
