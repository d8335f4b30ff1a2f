// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanTesting
import Testing

@Suite struct ReconnectionTests {
    /// A world with one device that counts.
    private static func run<Value: Sendable>(
        seed: UInt64 = 1,
        _ body: @escaping @Sendable (SimulatedWorld, SimulatedPeripheral, LocalCharacteristic) async throws -> Value
    ) async throws -> Value {
        try await SimulatedWorld.run(seed: seed) { world in
            let counter = LocalCharacteristic(0x2A1E, [.read, .notify])
            let device = try await world.addPeripheral("Counter") { LocalService(0x1815) { counter } }
            return try await body(world, device, counter)
        }
    }

    @Test func valuesGoOnAfterTheLinkWasLost() async throws {
        try await Self.run { world, device, counter in
            let peripheral = try await world.connect(to: device, reconnection: .always(pause: .seconds(1)))
            let values = try await peripheral.notifications(of: try await peripheral.findCharacteristic(0x2A1E))
            var iterator = values.makeAsyncIterator()
            for round in 1...4 {
                try await device.server.waitForSubscriber(of: counter)
                try await device.update(counter, to: [UInt8(round)])
                let value = try #require(try await iterator.next())
                #expect(value.value == [UInt8(round)])
                #expect(value.connection == round)
                device.dropLink()
                try await world.advance(by: .milliseconds(100))
                guard case .waiting(let next) = peripheral.connectionState else {
                    Issue.record("\(peripheral.connectionState)")
                    return
                }
                #expect(next.number == 1)
                #expect(next.reason.controller == 0x08)
                try await peripheral.waitUntilConnected()
            }
            let statistics = peripheral.statistics
            #expect(statistics.connections == 5)
            #expect(statistics.connectionAttempts == 5)
            #expect(statistics.losses == 4)
            #expect(statistics.timeouts == 0)
            #expect(values.droppedCount == 0)
        }
    }

    @Test func anAskedDisconnectionEndsThePolicyAndTheValues() async throws {
        try await Self.run { world, device, _ in
            let peripheral = try await world.connect(to: device, reconnection: .always())
            let values = try await peripheral.values(of: try await peripheral.findCharacteristic(0x2A1E))
            #expect(await peripheral.isKeptConnected)
            try await peripheral.disconnect()
            #expect(await collect(values).reason == nil)
            try await world.advance(by: .seconds(60))
            #expect(peripheral.connectionState == .disconnected(reason: nil))
            #expect(await !peripheral.isKeptConnected)
            #expect(peripheral.statistics.connectionAttempts == 1)
        }
    }

    @Test func disconnectingWhileItWaitsEndsTheValuesWithoutAnError() async throws {
        try await Self.run { world, device, _ in
            let peripheral = try await world.connect(to: device, reconnection: .always(pause: .seconds(30)))
            let values = try await peripheral.values(of: try await peripheral.findCharacteristic(0x2A1E))
            device.dropLink()
            try await world.advance(by: .seconds(1))
            try await peripheral.disconnect()
            #expect(peripheral.connectionState == .disconnected(reason: nil))
            #expect(await collect(values).reason == nil)
            try await world.advance(by: .seconds(60))
            #expect(!peripheral.isConnected)
            #expect(peripheral.statistics.connectionAttempts == 1)
        }
    }

    @Test func backoffGivesUpAndTheValuesTellWhy() async throws {
        try await Self.run { world, device, _ in
            let policy = ReconnectionPolicy.backoff(
                first: .seconds(1), maximum: .seconds(4), jitter: 0, attempts: 3, attemptTimeout: .seconds(5))
            let peripheral = try await world.connect(to: device, reconnection: policy)
            let values = try await peripheral.values(of: try await peripheral.findCharacteristic(0x2A1E))
            var states: [String] = []
            let updates = peripheral.connectionStates()
            device.goOutOfRange()
            let start = world.now
            for await state in updates {
                switch state {
                case .disconnected(let reason):
                    states.append("disconnected")
                    #expect(reason?.code == .timedOut)
                case .waiting(let next): states.append("waiting \(next.number)")
                case .connecting: states.append("connecting")
                case .connected: states.append("connected")
                case .disconnecting: states.append("disconnecting")
                }
                if states.last == "disconnected" { break }
            }
            #expect(
                states == [
                    "connected", "waiting 1", "connecting", "waiting 2", "connecting", "waiting 3", "connecting",
                    "disconnected",
                ])
            #expect(await collect(values).reason?.code == .timedOut)
            // The supervision timeout, pauses of 1, 2 and 4 s, and three attempts of 5 s.
            let waited = world.now - start
            #expect(waited >= .seconds(22) && waited < .seconds(22 + 33))
            let statistics = peripheral.statistics
            #expect(statistics.connectionAttempts == 4)
            #expect(statistics.connections == 1)
            #expect(statistics.losses == 1)
            #expect(statistics.timeouts == 3)
            #expect(statistics.disconnections == 1)
        }
    }

    @Test func connectedTimeCountsLinksAlone() async throws {
        try await Self.run { world, device, _ in
            let peripheral = try await world.connect(
                to: device, reconnection: .always(pause: .seconds(1), attemptTimeout: .seconds(3)))
            let began = try #require(peripheral.statistics.connectedSince)
            try await world.advance(by: .seconds(10))
            device.dropLink()
            await device.disappear()
            try await world.advance(by: .milliseconds(10))
            let first = try #require(peripheral.statistics.lastConnection)
            let ended = try #require(peripheral.statistics.disconnectedSince)
            #expect(first == ended - began)
            // Attempts that fail change nothing of it.
            try await world.advance(by: .seconds(60))
            #expect(peripheral.statistics.timeouts >= 14)
            #expect(peripheral.statistics.endedConnections == first)
            #expect(peripheral.statistics.totalConnected(at: world.now) == first)
            #expect(peripheral.statistics.disconnections == 1)
            try await device.appear()
            try await peripheral.waitUntilConnected()
            let again = try #require(peripheral.statistics.connectedSince)
            #expect(peripheral.statistics.endedDisconnections == again - ended)
            try await world.advance(by: .seconds(5))
            #expect(peripheral.statistics.totalConnected(at: world.now) == first + (world.now - again))
            #expect(peripheral.statistics.totalDisconnected(at: world.now) == again - ended)
            #expect(peripheral.statistics.connected(at: world.now) == world.now - again)
        }
    }

    @Test func aCustomPolicySeesTheReasonAndMayRefuse() async throws {
        try await Self.run { world, device, _ in
            let seen = Noted()
            let policy = ReconnectionPolicy.custom { situation in
                seen.add("\(situation.attempt) \(situation.reason.controller ?? 0)")
                return situation.reason.controller == 0x13 ? .giveUp : .retry(after: .zero)
            }
            let peripheral = try await world.connect(to: device, reconnection: policy)
            device.dropLink()
            try await world.advance(by: .seconds(5))
            #expect(peripheral.isConnected)
            device.dropLink(reason: HCI.ErrorCode(rawValue: 0x13))
            try await world.advance(by: .seconds(5))
            #expect(!peripheral.isConnected)
            #expect(seen.all == ["1 8", "1 19"])
        }
    }

    @Test func theAdapterMayBeOffMeanwhile() async throws {
        try await Self.run { world, device, counter in
            let peripheral = try await world.connect(to: device, reconnection: .always(pause: .seconds(1)))
            let values = try await peripheral.values(of: try await peripheral.findCharacteristic(0x2A1E))
            await world.switchAdapterOff()
            try await world.advance(by: .seconds(30))
            guard case .waiting(let next) = peripheral.connectionState else {
                Issue.record("\(peripheral.connectionState)")
                return
            }
            #expect(next.time == nil)
            let attempts = peripheral.statistics.connectionAttempts
            try await world.advance(by: .seconds(600))
            #expect(peripheral.statistics.connectionAttempts == attempts)
            try await world.switchAdapterOn()
            try await peripheral.waitUntilConnected()
            try await device.server.waitForSubscriber(of: counter)
            try await device.update(counter, to: [7])
            var iterator = values.makeAsyncIterator()
            #expect(try await iterator.next() == [7])
        }
    }

    @Test func aDeviceThatIsNotThereYetIsConnectedWhenItAppears() async throws {
        try await SimulatedWorld.run { world in
            let device = try await world.addPeripheral("Late", appears: false)
            let peripheral = try await world.peripheral(device)
            await peripheral.keepConnected(.always(pause: .seconds(1), attemptTimeout: .seconds(10)))
            try await world.advance(by: .seconds(100))
            #expect(!peripheral.isConnected)
            try await device.appear()
            try await peripheral.waitUntilConnected()
            await peripheral.keepConnected(.never)
            #expect(peripheral.isConnected)
            device.dropLink()
            try await world.advance(by: .seconds(60))
            #expect(!peripheral.isConnected)
        }
    }

    @Test func withoutResubscribingTheValuesFailWithTheLink() async throws {
        try await Self.run { world, device, _ in
            let peripheral = try await world.connect(to: device, reconnection: .always().withoutResubscribing())
            let values = try await peripheral.values(of: try await peripheral.findCharacteristic(0x2A1E))
            device.dropLink()
            #expect(await collect(values).reason?.code == .disconnected)
            try await peripheral.waitUntilConnected()
        }
    }

    @Test func aCharacteristicThatIsGoneEndsItsValues() async throws {
        try await Self.run { world, device, _ in
            let peripheral = try await world.connect(to: device, reconnection: .always(pause: .seconds(1)))
            let values = try await peripheral.values(of: try await peripheral.findCharacteristic(0x2A1E))
            device.dropLink()
            try await device.changeServices { LocalService(0x180A) { LocalCharacteristic(0x2A29, .read) } }
            #expect(await collect(values).reason?.code == .notFound)
            #expect(peripheral.isConnected)
        }
    }

    @Test func valuesSurviveAChangedDatabase() async throws {
        try await Self.run { world, device, _ in
            let peripheral = try await world.connect(to: device, reconnection: .always())
            let values = try await peripheral.values(of: try await peripheral.findCharacteristic(0x2A1E))
            var databases = peripheral.databases().makeAsyncIterator()
            let first = await databases.next()
            #expect(first??.isEmpty == false)
            let moved = LocalCharacteristic(0x2A1E, [.read, .notify])
            try await device.changeServices {
                LocalService(0x180A) { LocalCharacteristic(0x2A29, .read) }
                LocalService(0x1815) { moved }
            }
            try await device.server.waitForSubscriber(of: moved)
            try await device.update(moved, to: [9])
            var iterator = values.makeAsyncIterator()
            #expect(try await iterator.next() == [9])
            let second = await databases.next()
            #expect(second == .some(nil))
        }
    }

    @Test func withoutAPolicyAChangedDatabaseEndsTheValues() async throws {
        try await Self.run { world, device, _ in
            let peripheral = try await world.connect(to: device)
            let values = try await peripheral.values(of: try await peripheral.findCharacteristic(0x2A1E))
            try await device.changeServices { LocalService(0x180A) { LocalCharacteristic(0x2A29, .read) } }
            #expect(await collect(values).reason?.code == .staleAttribute)
        }
    }

    @Test func pausesGrowAndChanceShortensThem() throws {
        let policy = ReconnectionPolicy.backoff(first: .seconds(1), maximum: .seconds(30), factor: 3, jitter: 0.5)
        let reason = BluetoothError(.disconnected, "")
        func pause(_ attempt: Int, _ random: Double) -> ReconnectionPolicy.Decision {
            policy.decision(in: .init(attempt: attempt, reason: reason, elapsed: .zero, random: random))
        }
        #expect((1...6).map { pause($0, 0) } == [1, 3, 9, 27, 30, 30].map { .retry(after: .seconds($0)) })
        #expect(pause(2, 0.5) == .retry(after: .milliseconds(2250)))
        #expect(pause(Int.max, 0) == .retry(after: .seconds(30)))
        #expect(
            ReconnectionPolicy.never.decision(in: .init(attempt: 1, reason: reason, elapsed: .zero, random: 0))
                == .giveUp)
    }

    @Test func severalConnectWithALimit() async throws {
        try await SimulatedWorld.run { world in
            for number in 0..<6 { try await world.addPeripheral("Device \(number)", appears: number != 2) }
            var peripherals: [Peripheral] = []
            for device in world.peripherals { peripherals.append(try await world.peripheral(device)) }
            let outcomes = await world.central.connect(toAll: peripherals, limit: 2, timeout: .seconds(5))
            #expect(outcomes.map(\.peripheral) == peripherals)
            for (number, outcome) in outcomes.enumerated() {
                #expect(outcome.result.code == (number == 2 ? .timedOut : nil))
            }
            #expect(await world.central.connectedPeripherals().count == 5)
        }
    }
}
