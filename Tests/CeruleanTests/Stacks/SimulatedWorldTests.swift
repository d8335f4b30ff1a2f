// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanTesting
import Testing

/// All that may happen to a simulated device, as a user's test makes it happen.
@Suite struct SimulatedWorldTests {
    private static func run(
        _ body:
            @escaping @Sendable (
                _ world: SimulatedWorld, _ device: SimulatedPeripheral, _ peripheral: Peripheral,
                _ level: Characteristic
            ) async throws -> Void
    ) async throws {
        try await SimulatedWorld.run { world in
            let device = try await world.addPeripheral("Device") {
                LocalService(Battery.uuid) {
                    LocalCharacteristic(0x2A19, [.read, .write, .notify], value: [50])
                    LocalCharacteristic(0x2A1B, .read, value: [1])
                }
            }
            let peripheral = try await world.connect(to: device)
            try await body(world, device, peripheral, try await peripheral.findCharacteristic(0x2A19))
        }
    }

    @Test func itRefusesReadsAndWrites() async throws {
        try await Self.run { _, device, peripheral, level in
            device.respond(.refusing(RequestFailure(code: 0x83)))
            guard case .failure(let read) = await outcome({ try await peripheral.read(level) }),
                case .failure(let write) = await outcome({ try await peripheral.write([1], to: level) })
            else {
                Issue.record("answered")
                return
            }
            #expect(read.code == .refused && read.attribute == 0x83 && write.attribute == 0x83)
            device.respond(.normal)
            let value = try await peripheral.read(level)
            #expect(value == [50])
        }
    }

    @Test func itIsSilentToOneCharacteristicAlone() async throws {
        try await Self.run { world, device, peripheral, level in
            let other = try peripheral.characteristic(0x2A1B)
            device.respond(.silent, to: 0x2A19)
            #expect(try await peripheral.read(other) == [1])
            let start = world.now
            let read = await outcome { try await peripheral.read(level, timeout: .seconds(7)) }
            #expect(read.code == .timedOut)
            #expect(world.now - start == .seconds(7))
        }
    }

    @Test func itAnswersLateAndALateAnswerAnswersNobodyElse() async throws {
        try await Self.run { world, device, peripheral, level in
            let other = try peripheral.characteristic(0x2A1B)
            device.respond(.delaying(.seconds(3)), to: 0x2A19)
            let start = world.now
            #expect(try await peripheral.read(level) == [50])
            let waited = world.now - start
            #expect(waited >= .seconds(3) && waited < .seconds(4))
            async let late = outcome { try await peripheral.read(level, timeout: .seconds(1)) }
            #expect(await late.code == .timedOut)
            // The answer to the first is still to come.
            #expect(try await peripheral.read(other) == [1])
            device.respond(nil, to: 0x2A19)
            #expect(try await peripheral.read(level) == [50])
        }
    }

    @Test func itGoesOutOfRangeAndComesBack() async throws {
        try await Self.run { world, device, peripheral, _ in
            device.goOutOfRange()
            try await world.advance(by: .seconds(40))
            #expect(!peripheral.isConnected)
            let far = await outcome { try await peripheral.connect(timeout: .seconds(5)) }
            #expect(far.code == .timedOut)
            device.comeBack()
            try await peripheral.connect()
            device.move(to: 5)
            #expect(try await peripheral.readRSSI() < 0)
        }
    }

    @Test func itAdvertisesTheServicesThatItChangedTo() async throws {
        try await SimulatedWorld.run { world in
            let device = try await world.addPeripheral("Device") {
                LocalService(0x180F) { LocalCharacteristic(0x2A19, .read, value: [1]) }
            }
            let first = try await world.central.first(.name("Device"))
            #expect(first.fields.services == [0x180F])
            let peripheral = try await world.connect(to: device)
            try await peripheral.discover()
            var databases = peripheral.databases().makeAsyncIterator()
            try await device.changeServices {
                LocalService(0x1815) { LocalCharacteristic(0x2A56, .read, value: [2]) }
            }
            // The present one comes first; nil says that what was found is no more.
            while case .some(.some) = await databases.next() {}
            try await peripheral.discover()
            let value = try await peripheral.read(peripheral.characteristic(0x2A56))
            #expect(value == [2])
            #expect(peripheral.services(0x180F).isEmpty)
            try await peripheral.disconnect()
            let found = try await world.central.first(.services([0x1815]), timeout: .seconds(10))
            #expect(found.name == "Device")
        }
    }

    @Test func itIsCarriedBackToWhereItWas() async throws {
        try await SimulatedWorld.run { world in
            let device = try await world.addPeripheral("Device", distance: 1)
            func strength() async throws -> Int {
                try await world.advance(by: .seconds(2))
                let found = try await world.central.first(.name("Device"))
                return try #require(found.rssi)
            }
            let near = try await strength()
            device.move(to: 20)
            device.goOutOfRange()
            device.comeBack()
            let far = try await strength()
            // 20 times the distance: 26 dB less in free space, and more indoors.
            #expect(far < near - 15)
        }
    }

    @Test func itHangsIsResetAndLosesPackets() async throws {
        try await Self.run { world, device, peripheral, level in
            device.setLoss(0.2, burstLength: 2)
            for _ in 0..<10 { #expect(try await peripheral.read(level) == [50]) }
            device.setLoss(0)
            device.hang()
            let read = await outcome { try await peripheral.read(level, timeout: .seconds(60)) }
            #expect(read.code == .disconnected)
            device.hang(false)
            try await device.reset()
            try await peripheral.connect()
            try await device.reset()
            try await world.advance(by: .seconds(40))
            #expect(!peripheral.isConnected)
            try await peripheral.connect()
            #expect(try await peripheral.read(try await peripheral.findCharacteristic(0x2A19)) == [50])
        }
    }

    @Test func itDisappearsAndTheAdapterMayBePulledOut() async throws {
        try await Self.run { world, device, peripheral, _ in
            try await peripheral.disconnect()
            await device.disappear()
            try await world.advance(by: .seconds(5))
            let gone = await outcome { try await world.central.first(.name("Device"), timeout: .seconds(5)) }
            #expect(gone.code == .notFound)
            try await device.appear()
            #expect(try await world.central.first(.name("Device")).peripheral == peripheral)
            world.removeAdapter()
            try await world.advance(by: .seconds(5))
            #expect(world.central.state != .poweredOn)
        }
    }

    @Test func severalCentralsShareAHostAndKnowItsLinks() async throws {
        try await Self.run { world, device, peripheral, _ in
            let other = await Central(host: world.central.host)
            #expect(await other.connectedPeripherals().isEmpty)
            let linked = await other.connectedPeripherals(withServices: [])
            #expect(linked.map(\.address) == [device.address])
            #expect(await world.central.connectedPeripherals(withServices: [Battery.uuid]) == [peripheral])
            #expect(await world.central.connectedPeripherals(withServices: [HeartRate.uuid]).isEmpty)
            let shared = try #require(linked.first)
            #expect(try await shared.connect().id == peripheral.link?.id)
            // One that leaves does not take the link from the other.
            try await peripheral.disconnect()
            try await world.advance(by: .seconds(1))
            #expect(shared.isConnected)
        }
    }
}
