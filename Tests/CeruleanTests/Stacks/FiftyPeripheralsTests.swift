// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanTesting
import Synchronization
import Testing

@Suite struct FiftyPeripheralsTests {
    /// A value of a device: its number, and a count.
    private static func value(_ device: Int, _ number: Int) -> [UInt8] {
        [UInt8(device), UInt8(number & 0xFF), UInt8(number >> 8)]
    }

    /// How many values each device has sent.
    private final class Sent: Sendable {
        let counts = Mutex([Int](repeating: 0, count: 50))
    }

    /// What did not arrive, as the reader and the device count it.
    private final class Losses: Sendable {
        let missed = Mutex([Int](repeating: 0, count: 50))
        let undelivered = Mutex([Int](repeating: 0, count: 50))
    }

    @Test(arguments: [1, 2])
    func valuesOfFiftyComeInOrderWhileFiveReconnect(seed: UInt64) async throws {
        let perDevice = 120
        let restless = Array(0..<5)
        try await SimulatedWorld.run(seed: seed) { world in
            var counters: [LocalCharacteristic] = []
            for number in 0..<50 {
                let counter = LocalCharacteristic(0x2A1E, .notify)
                counters.append(counter)
                try await world.addPeripheral("Device \(number)") { LocalService(0x1815) { counter } }
            }
            let devices = world.peripherals
            var peripherals: [Peripheral] = []
            for device in devices { peripherals.append(try await world.peripheral(device)) }
            let outcomes = await world.central.connect(toAll: peripherals, limit: 5, timeout: .seconds(30))
            for outcome in outcomes { _ = try outcome.result.get() }
            for number in restless { await peripherals[number].keepConnected(.backoff(first: .milliseconds(200))) }
            let handles = peripherals
            let streams = counters
            let losses = Losses()
            let events = devices.map { $0.server.events() }

            try await withThrowingTaskGroup(of: Void.self) { group in
                let sent = Sent()
                // One consumer each.
                for number in 0..<50 {
                    let characteristic = try await handles[number].findCharacteristic(0x2A1E)
                    let values = try await handles[number].notifications(of: characteristic)
                    group.addTask {
                        var last = -1
                        var connection = 1
                        var count = 0
                        for try await value in values {
                            try #require(value.value.count == 3 && Int(value.value[0]) == number)
                            let received = Int(value.value[1]) | Int(value.value[2]) << 8
                            if value.connection == connection {
                                #expect(received == last + 1, "device \(number)")
                            } else {
                                // Only what was on its way when the link was lost may be missing: it is counted.
                                #expect(received > last && value.connection > connection, "device \(number)")
                                losses.missed.withLock { $0[number] += received - last - 1 }
                            }
                            #expect(value.droppedBefore == 0)
                            (last, connection) = (received, value.connection)
                            count += 1
                            if received == perDevice - 1 { break }
                        }
                        #expect(last == perDevice - 1)
                        #expect(handles[number].statistics.values == count)
                        #expect(count + losses.missed.withLock { $0[number] } == perDevice)
                        if !restless.contains(number) { #expect(count == perDevice) }
                    }
                }
                // Each device sends at its own pace.
                for number in 0..<50 {
                    group.addTask {
                        for value in 0..<perDevice {
                            try await devices[number].server.waitForSubscriber(of: streams[number])
                            let readers = try await devices[number].update(
                                streams[number], to: Self.value(number, value))
                            // The link went between the two calls: it went to nobody, and that was said.
                            if readers == 0 { losses.undelivered.withLock { $0[number] += 1 } }
                            sent.counts.withLock { $0[number] = value + 1 }
                            try await world.advance(by: .milliseconds(20 + number))
                        }
                    }
                }
                // Five lose their links at random, before their last value.
                for number in restless {
                    group.addTask {
                        for _ in 0..<3 {
                            try await world.advance(by: .milliseconds(world.simulation.random(in: 100...700)))
                            guard sent.counts.withLock({ $0[number] }) < perDevice - 20 else { return }
                            devices[number].dropLink()
                            try await world.advance(by: .milliseconds(50))
                            try await handles[number].waitUntilConnected()
                        }
                    }
                }
                try await group.waitForAll()
            }

            var lostLinks = 0
            for (number, peripheral) in handles.enumerated() {
                let statistics = peripheral.statistics
                lostLinks += statistics.losses
                #expect(statistics.droppedValues == 0)
                #expect(statistics.connections == statistics.losses + 1)
                #expect(statistics.connectionAttempts == statistics.connections + statistics.timeouts)
                #expect(statistics.disconnections == statistics.losses)
                if !restless.contains(number) { #expect(statistics.connections == 1) }
                let since = try #require(statistics.connectedSince)
                #expect(statistics.totalConnected(at: world.now) == statistics.endedConnections + (world.now - since))
                if statistics.losses == 0 { #expect(statistics.endedConnections == .zero) }
            }
            #expect(lostLinks >= 5)
            // Nothing is lost unnoticed: what a reader missed is what its device was told.
            for (number, device) in devices.enumerated() {
                try await device.server.shutdown()
                for await case .undelivered(_, let count, _) in events[number] {
                    losses.undelivered.withLock { $0[number] += count }
                }
            }
            #expect(losses.missed.withLock { $0 } == losses.undelivered.withLock { $0 })
            #expect(losses.missed.withLock { $0.reduce(0, +) } > 0)
        }
    }
}
