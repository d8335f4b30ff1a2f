// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanTesting
import Testing

/// L2CAP channels between two whole stacks on virtual time.
@Suite struct ChannelTests {
    private static func octets(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    private static func read(_ channel: L2CAPChannel, _ count: Int) async throws -> [UInt8] {
        var all: [UInt8] = []
        for try await unit in channel.units {
            all += unit
            if all.count >= count { break }
        }
        return all
    }

    @Test(arguments: [false, true])
    func carriesOctetsBothWays(isEnhanced: Bool) async throws {
        try await TwoHosts.run { hosts in
            let listening = try await hosts.server.listenForChannels()
            #expect(listening.psm == 0x80)
            let peripheral = try await hosts.connect()
            let options = ChannelOptions(isEnhanced: isEnhanced)
            async let accepted = listening.first { _ in true }
            let near = try await peripheral.openChannel(psm: listening.psm, options: options)
            let far = try #require(await accepted)
            #expect(near.info.maximumSend == 2048 && far.info.isIncoming && !near.info.isIncoming)
            let there = Self.octets(50_000)
            let back = Self.octets(30_000)
            async let atFar = Self.read(far, there.count)
            async let atNear = Self.read(near, back.count)
            async let sent: Void = near.send(there, timeout: .seconds(600))
            try await far.send(back, timeout: .seconds(600))
            try await sent
            #expect(try await atFar == there)
            #expect(try await atNear == back)
            try await near.close()
            #expect(!near.isOpen)
            // The other side's loop ends without an error.
            #expect(await collect(far.units).reason == nil)
        }
    }

    @Test func theServerOpensToTheCentral() async throws {
        try await TwoHosts.run { hosts in
            let listening = try await hosts.central.listenForChannels(psm: 0x25)
            _ = try await hosts.connect()
            let central = try #require(await hosts.server.centrals().first)
            async let accepted = listening.first { _ in true }
            let near = try await hosts.server.openChannel(to: central, psm: 0x25)
            let far = try #require(await accepted)
            try await near.send([1, 2, 3])
            #expect(try await Self.read(far, 3) == [1, 2, 3])
        }
    }

    @Test func severalChannelsOpenAtOnceAndRunSideBySide() async throws {
        try await TwoHosts.run { hosts in
            let listening = try await hosts.server.listenForChannels()
            let peripheral = try await hosts.connect()
            let near = try await peripheral.openChannels(
                5, psm: listening.psm, options: ChannelOptions(isEnhanced: true))
            #expect(near.count == 5)
            var iterator = listening.makeAsyncIterator()
            for (index, channel) in near.enumerated() {
                let far = try #require(await iterator.next())
                let octets = Self.octets(3000 + index)
                async let arrived = Self.read(far, octets.count)
                try await channel.send(octets, timeout: .seconds(60))
                #expect(try await arrived == octets)
            }
        }
    }

    /// Nobody reads: the sender is stopped by what the reader lets wait, and goes on with it.
    @Test func aSlowReaderSlowsTheSenderAndLosesNothing() async throws {
        try await TwoHosts.run { hosts in
            let listening = try await hosts.server.listenForChannels(
                options: ChannelOptions(maximumUnit: 512, window: 4096))
            let peripheral = try await hosts.connect()
            async let accepted = listening.first { _ in true }
            let near = try await peripheral.openChannel(psm: listening.psm)
            let far = try #require(await accepted)
            let octets = Self.octets(400_000)
            let stuck = await outcome { try await near.send(octets, timeout: .seconds(60)) }
            #expect(stuck.code == .timedOut)
            // What went is a beginning of it.
            try await near.close(timeout: .seconds(300))
            let rest = await collect(far.units)
            let got = rest.elements.flatMap { $0 }
            #expect(got.count < 200_000 && got.count >= 2048)
            #expect(got == Array(octets.prefix(got.count)))
        }
    }

    /// Loops that end after one unit, on a channel whose window is small: no unit is lost between them, and no room.
    @Test func whatALoopLeavesTheNextOneGets() async throws {
        try await TwoHosts.run { hosts in
            let listening = try await hosts.server.listenForChannels(
                options: ChannelOptions(maximumUnit: 512, window: 4096))
            let peripheral = try await hosts.connect()
            async let accepted = listening.first { _ in true }
            let near = try await peripheral.openChannel(psm: listening.psm)
            let far = try #require(await accepted)
            let octets = Self.octets(100_000)
            async let sent: Void = near.send(octets, timeout: .seconds(600))
            var got: [UInt8] = []
            while got.count < octets.count {
                for try await unit in far.units {
                    got += unit
                    break
                }
            }
            try await sent
            #expect(got == octets)
        }
    }

    /// Readers come and go: what each used counts.
    @Test func roomIsGivenBackWhoeverReads() async throws {
        try await Scripted.connected { scripted, peripheral in
            let channel = try await peripheral.openChannel(psm: 0x80)
            await scripted.host.receive(unit: [1, 2, 3])
            await scripted.host.receive(unit: [])
            await scripted.host.receive(unit: [4])
            let first = try await channel.units.first { _ in true }
            let second = try await channel.units.first { _ in true }
            #expect(first == [1, 2, 3] && second == [])
            var rest = channel.units.makeAsyncIterator()
            #expect(try await rest.next() == [4])
            // A reader that waits gives back what all before it used.
            async let waiting = collect(channel.units)
            await scripted.simulation.settle()
            let calls = await scripted.host.calls
            #expect(calls.filter { $0.hasPrefix("consume") } == ["consume 5"])
            try await channel.close()
            #expect(await waiting.elements.isEmpty)
        }
    }

    /// The host tells of room from inside the call that takes a unit.
    @Test func unitsGoOnceAndInOrder() async throws {
        try await Scripted.connected { scripted, peripheral in
            let channel = try await peripheral.openChannel(psm: 0x80)
            await scripted.host.setUnitRoom(0)
            async let first: Void = channel.send([1, 2, 3, 4, 5, 6])
            await scripted.simulation.settle()
            await scripted.host.setUnitRoom(10)
            try await channel.send([7])
            try await first
            #expect(await scripted.host.units == [[1, 2, 3, 4], [5, 6], [7]])
        }
    }

    /// Channels that nobody accepts are not kept.
    @Test func whatNobodyAcceptsIsClosed() async throws {
        try await TwoHosts.run { hosts in
            let peripheral = try await hosts.connect()
            var channels: [L2CAPChannel] = []
            var accepted: L2CAPChannel?
            do {
                let listening = try await hosts.server.listenForChannels(psm: 0x90)
                for _ in 0..<3 { channels.append(try await peripheral.openChannel(psm: 0x90)) }
                accepted = await listening.first { _ in true }
                #expect(channels.allSatisfy { $0.isOpen })
            }
            try await hosts.simulation.clock.sleep(for: .seconds(2))
            #expect(channels.map(\.isOpen) == [true, false, false])
            #expect(accepted?.isOpen == true)
        }
    }

    @Test func refusalsHaveTheirReasons() async throws {
        try await TwoHosts.run { hosts in
            let peripheral = try await hosts.connect()
            #expect(await outcome { try await peripheral.openChannel(psm: 0x80) }.code == .refused)
            #expect(await outcome { try await peripheral.openChannel(psm: 0) }.code == .invalidArgument)
            let listening = try await hosts.server.listenForChannels(
                psm: 0x81, options: ChannelOptions(security: .encrypted))
            #expect(await outcome { try await hosts.server.listenForChannels(psm: 0x81) }.code == .wrongState)
            #expect(await outcome { try await hosts.server.listenForChannels(psm: 0x27) }.code == .invalidArgument)
            // Nobody answers for pairing, so the link stays open.
            #expect(await outcome { try await peripheral.openChannel(psm: 0x81) }.code == .insufficientSecurity)
            await hosts.server.setPairing(responder: Self.trusting)
            try await peripheral.pair()
            let channel = try await peripheral.openChannel(psm: 0x81)
            #expect(channel.isOpen)
            listening.cancel()
            #expect(await outcome { try await peripheral.openChannel(psm: 0x81) }.code == .refused)
            #expect(channel.isOpen)
        }
    }

    @Test func aLostLinkEndsChannelsWithItsReason() async throws {
        try await TwoHosts.run { hosts in
            let listening = try await hosts.server.listenForChannels()
            let peripheral = try await hosts.connect()
            async let accepted = listening.first { _ in true }
            let near = try await peripheral.openChannel(psm: listening.psm)
            let far = try #require(await accepted)
            async let nearEnd = collect(near.units)
            async let farEnd = collect(far.units)
            async let sending = outcome { try await near.send(Self.octets(500_000), timeout: .seconds(600)) }
            try await hosts.simulation.clock.sleep(for: .seconds(1))
            hosts.dropLink()
            #expect(await nearEnd.reason?.code == .disconnected)
            #expect(await farEnd.reason?.code == .disconnected)
            #expect(await sending.code == .disconnected)
            #expect(await outcome { try await near.send([1]) }.code == .disconnected)
        }
    }

    /// Eight reads at once on a link with long intervals: on one bearer each waits for the one before.
    @Test func readsRunInParallelOnMoreBearers() async throws {
        try await TwoHosts.run { hosts in
            let stored = (0..<8).map { LocalCharacteristic(0x2A56, .read, value: [UInt8($0)]) }
            try await hosts.server.publish([LocalService(0x1815, characteristics: stored)])
            await hosts.server.setPairing(responder: Self.trusting)
            let slow = ConnectionParameterRequest(
                minimumInterval: .milliseconds(500), maximumInterval: .milliseconds(500),
                supervisionTimeout: .seconds(10))
            let peripheral = try await hosts.connect(options: ConnectOptions(parameters: slow))
            try await peripheral.discover()
            let found = peripheral.characteristics(0x2A56)
            #expect(found.count == 8)
            @Sendable func readAll() async throws -> Duration {
                let start = hosts.simulation.clock.now
                let values = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
                    for (index, one) in found.enumerated() {
                        group.addTask { (index, try await peripheral.read(one, timeout: .seconds(30))) }
                    }
                    var values: [Int: [UInt8]] = [:]
                    for try await (index, value) in group { values[index] = value }
                    return values
                }
                for (index, value) in values { #expect(value == [UInt8(index)]) }
                return start.duration(to: hosts.simulation.clock.now)
            }
            let one = try await readAll()
            try await peripheral.pair()
            #expect(try await peripheral.openParallelBearers(3) == 3)
            let four = try await readAll()
            #expect(one >= .seconds(4))
            #expect(four * 2 < one)
            // Two more are left, then none.
            #expect(try await peripheral.openParallelBearers(3) == 5)
            #expect(await outcome { try await peripheral.openParallelBearers(1) }.code == .refused)
        }
    }

    /// Agrees to every device.
    private static var trusting: PairingResponder {
        var responder = PairingResponder()
        responder.confirmJustWorks = { _ in true }
        return responder
    }
}
