// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanTesting
import Testing

@Suite struct ConnectionTests {
    @Test func statesReportThePresentOneFirst() async throws {
        try await Scripted.run { scripted in
            let peripheral = try #require(await scripted.central.retrieve(scripted.host.address))
            var early = peripheral.connectionStates().makeAsyncIterator()
            #expect(await early.next() == .disconnected(reason: nil))
            try await peripheral.connect()
            var late = peripheral.connectionStates().makeAsyncIterator()
            #expect(await late.next() == .connected)
            let link = try #require(peripheral.link)
            await scripted.host.drop(link.id, HostError(.disconnected, controller: 0x08))
            #expect(await early.next() == .connecting)
            #expect(await early.next() == .connected)
            for state in [await early.next(), await late.next()] {
                guard case .disconnected(let reason?) = state else {
                    return #expect(Bool(false), "\(String(describing: state))")
                }
                #expect(reason.controller == 0x08)
            }
        }
    }

    @Test func aTimeoutGivesTheAttemptUpAndTheNextOneWorks() async throws {
        try await Scripted.run { scripted in
            await scripted.host.script { $0.connect = { _ in .silence } }
            let peripheral = try #require(await scripted.central.retrieve(scripted.host.address))
            let start = scripted.clock.now
            let result = await outcome {
                try await peripheral.connect(timeout: .seconds(5))
            }
            #expect(result.code == .timedOut)
            #expect(start.duration(to: scripted.clock.now) == .seconds(5))
            #expect(await scripted.host.calls.suffix(2) == ["connect", "cancel"])
            await scripted.host.script { $0.connect = { _ in .success(()) } }
            try await peripheral.connect()
            let statistics = peripheral.statistics
            #expect(statistics.connectionAttempts == 2)
            #expect(statistics.connections == 1)
            #expect(statistics.timeouts == 1)
            #expect(statistics.losses == 0)
        }
    }

    @Test func oneOfTwoWaitersMayGiveUp() async throws {
        try await Scripted.run { scripted in
            await scripted.host.script { $0.connect = { _ in .success((), after: .seconds(4)) } }
            let peripheral = try #require(await scripted.central.retrieve(scripted.host.address))
            async let patient = peripheral.connect(timeout: .seconds(10))
            async let hasty = outcome {
                try await peripheral.connect(timeout: .seconds(1))
            }
            #expect(await hasty.code == .timedOut)
            #expect(try await patient.peer == peripheral.id)
            #expect(await scripted.host.calls.filter { $0 == "connect" }.count == 1)
        }
    }

    @Test func anAnswerThatCrossesTheCancellationLeavesNoLinkBehind() async throws {
        try await Scripted.run { scripted in
            await scripted.host.script { $0.connect = { _ in .success((), after: .seconds(1)) } }
            let peripheral = try #require(await scripted.central.retrieve(scripted.host.address))
            // Both come at the same moment; whichever is first, the state afterwards is consistent.
            let result = await outcome {
                try await peripheral.connect(timeout: .seconds(1))
            }
            try await scripted.simulation.advance(by: .seconds(5))
            if case .success = result {
                #expect(peripheral.isConnected)
            } else {
                #expect(!peripheral.isConnected)
                #expect(await scripted.host.links.isEmpty)
            }
        }
    }

    @Test func connectingTwiceIsOneLink() async throws {
        try await Scripted.connected { scripted, peripheral in
            let again = try await peripheral.connect()
            #expect(again.id == peripheral.link?.id)
            #expect(await scripted.host.links.count == 1)
        }
    }

    /// Handles made under two private addresses of one device, which is identified only when it is connected.
    @Test(arguments: [true, false])
    func twoHandlesOfOneDeviceShareItsLink(isLost: Bool) async throws {
        try await Scripted.run { scripted in
            let identity = PeerID(scripted.host.address)
            await scripted.host.script { $0.identity = { _ in identity } }
            let addresses = try ["41:00:00:00:00:01", "42:00:00:00:00:02"].map { text in
                DeviceAddress(try #require(BluetoothAddress(text)), .random)
            }
            let first = await scripted.central.retrieve(PeerID(addresses[0]))
            let second = await scripted.central.retrieve(PeerID(addresses[1]))
            let link = try await first.connect()
            #expect(try await second.connect().id == link.id)
            #expect(first.id == identity)
            #expect(second.id == identity)
            #expect(await scripted.central.retrieve(identity) == first)
            #expect(await scripted.central.connectedPeripherals() == [first])
            if isLost { await scripted.host.drop(link.id) } else { try await second.disconnect() }
            #expect(await scripted.host.links.isEmpty)
            for peripheral in [first, second] {
                #expect(!peripheral.isConnected)
                guard case .disconnected(let reason) = peripheral.connectionState else {
                    Issue.record("\(peripheral.connectionState)")
                    continue
                }
                #expect((reason == nil) == !isLost)
                #expect(peripheral.statistics.losses == (isLost ? 1 : 0))
            }
            #expect(await scripted.host.calls.filter { $0 == "disconnect" }.count == (isLost ? 0 : 2))
        }
    }

    @Test func connectingDuringADisconnectionMakesANewLink() async throws {
        try await Scripted.connected { scripted, peripheral in
            let first = try #require(peripheral.link)
            await scripted.host.script { $0.disconnect = { _ in .success((), after: .seconds(1)) } }
            async let gone: Void = peripheral.disconnect()
            try await scripted.simulation.advance(by: .milliseconds(10))
            #expect(peripheral.connectionState == .disconnecting)
            let second = try await peripheral.connect()
            try await gone
            #expect(second.id != first.id)
            #expect(peripheral.isConnected)
        }
    }

    @Test func anAskedDisconnectionIsNoLoss() async throws {
        try await Scripted.connected { scripted, peripheral in
            let values = try await peripheral.values(of: try peripheral.characteristic(0x2A19))
            await scripted.host.send([1], from: values.notifications.characteristic.id)
            try await scripted.simulation.advance(by: .seconds(90))
            try await peripheral.disconnect()
            #expect(peripheral.connectionState == .disconnected(reason: nil))
            var read: [[UInt8]] = []
            for try await value in values { read.append(value) }
            #expect(read == [[1]])
            #expect(peripheral.statistics.losses == 0)
            #expect(peripheral.statistics.endedConnections >= .seconds(90))
            #expect(peripheral.statistics.connectedSince == nil)
        }
    }

    @Test func switchingOffEndsLinksWithTheReason() async throws {
        try await Scripted.connected { scripted, peripheral in
            await scripted.host.script { $0.read = { _ in .silence } }
            let characteristic = try peripheral.characteristic(0x2A19)
            async let read = outcome { try await peripheral.read(characteristic) }
            try await scripted.simulation.advance(by: .seconds(1))
            await scripted.host.changeState(.poweredOff)
            #expect(await read.code == .poweredOff)
            #expect(scripted.central.state == .poweredOff)
            async let waiting: Void = scripted.central.waitUntilPoweredOn()
            try await scripted.simulation.advance(by: .seconds(1))
            await scripted.host.changeState(.poweredOn)
            try await waiting
        }
    }

    @Test func anyNumberOfListenersFollowTheAdapter() async throws {
        try await Scripted.run { scripted in
            var first = scripted.central.states().makeAsyncIterator()
            var second = scripted.central.states().makeAsyncIterator()
            #expect(await first.next() == .poweredOn)
            await scripted.host.changeState(.poweredOff)
            #expect(await first.next() == .poweredOff)
            #expect(await second.next() == .poweredOn)
            #expect(await second.next() == .poweredOff)
        }
    }

    @Test func shutdownEndsEverything() async throws {
        try await Scripted.connected { scripted, peripheral in
            await scripted.host.script { $0.read = { _ in .silence } }
            let values = try await peripheral.values(of: try peripheral.characteristic(0x2A19))
            var scan = scripted.central.scan().makeAsyncIterator()
            async let seen = outcome { try await scan.next() }
            try await scripted.simulation.advance(by: .seconds(1))
            try await scripted.central.shutdown()
            #expect(await seen.code == .cancelled)
            var iterator = values.makeAsyncIterator()
            _ = await outcome { try await iterator.next() }
            #expect(!peripheral.isConnected)
            let again = await outcome { try await peripheral.connect() }
            #expect(again.code == .wrongState)
        }
    }

    @Test func droppingTheLastHandleLeavesTheLink() async throws {
        try await Simulation.run { simulation in
            let host = ScriptedHost(loop: simulation.loop)
            await host.changeState(.poweredOn)
            do {
                let central = await Central(host: host)
                let peripheral = try await central.connect(to: host.address)
                #expect(peripheral.isConnected)
            }
            await simulation.settle()
            try await simulation.advance(by: .seconds(1))
            #expect(await host.links.isEmpty)
        }
    }
}
