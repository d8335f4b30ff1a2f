// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanTesting
import Testing

/// What may go wrong with a device, on command: the page "Testing without a radio", run.
@Suite struct WorldTests {
    @Test func aPolicyBringsBackWhatDropsAndWalksAway() async throws {
        try await SimulatedWorld.run(seed: 7) { world in
            let strap = try await world.addPeripheral("Strap", distance: 3) {
                LocalService(Battery.uuid) { LocalCharacteristic(Battery.level, BatteryLevel(percent: 80)) }
            }
            let peripheral = try await world.connect(to: strap, reconnection: .always())

            strap.dropLink()
            try await world.advance(by: .seconds(5))
            try await peripheral.waitUntilConnected()

            strap.respond(.delaying(.seconds(2)), to: 0x2A19)
            let start = world.now
            _ = try await peripheral.read(Battery.level, timeout: .seconds(5))
            #expect(world.now - start >= .seconds(2))

            strap.respond(.refusing(.insufficientAuthorization), to: 0x2A19)
            do throws(BluetoothError) {
                _ = try await peripheral.read(Battery.level)
                Issue.record("answered")
            } catch {
                #expect(error.attribute == 0x08)
            }

            strap.respond(.normal, to: 0x2A19)
            strap.goOutOfRange()
            try await world.advance(by: .seconds(60))
            #expect(!peripheral.isConnected)
            strap.comeBack()
            try await peripheral.waitUntilConnected()
            let level = try await peripheral.read(Battery.level)
            #expect(level.percent == 80)
            #expect(peripheral.statistics.losses == 2)
            #expect(peripheral.statistics.connections == 3)
        }
    }

    @Test func valuesAreInOrderAndNoneIsLostWhileLinksAre() async throws {
        try await SimulatedWorld.run { world in
            let samples = LocalCharacteristic(0x2A58, .notify)
            let device = try await world.addPeripheral("Logger") { LocalService(0x1815) { samples } }
            let peripheral = try await world.connect(to: device)
            try await peripheral.discover()
            let values = try await peripheral.values(of: peripheral.characteristic(0x2A58))
            device.setLoss(0.2)
            for number in 0..<50 as Range<UInt8> { try await device.update(samples, to: [number]) }
            var received: [UInt8] = []
            for try await value in values {
                received += value
                if received.count == 50 { break }
            }
            #expect(received == Array(0..<50))
        }
    }
}
