// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanHost
import CeruleanWire
import Foundation
import Testing

/// Credit based channels of both kinds and enhanced ATT with Bumble: opened by either side, the same octets there and back.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct BumbleChannelTests {
    /// What both sides send, again and again.
    private static let pattern = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    /// Octets each way: `CHANNEL_OCTETS` for the long runs.
    private static func amount(_ air: PeerAir) -> Int {
        if let text = ProcessInfo.processInfo.environment["CHANNEL_OCTETS"], let all = Int(text) {
            return air == .cerulean ? all : min(all, 1_000_000)
        }
        return air == .cerulean ? 1_000_000 : 200_000
    }

    private static func octets(_ count: Int) -> [UInt8] {
        var all: [UInt8] = []
        all.reserveCapacity(count + pattern.count)
        while all.count < count { all += pattern }
        return Array(all.prefix(count))
    }

    /// Reads `count` octets and compares them with the pattern.
    private static func receive(_ channel: L2CAPChannel, _ count: Int) async throws -> Bool {
        var total = 0
        for try await unit in channel.units {
            for (index, octet) in unit.enumerated() where octet != pattern[(total + index) % pattern.count] {
                return false
            }
            total += unit.count
            if total >= count { return total == count }
        }
        return false
    }

    @Test(arguments: PeerAir.allCases)
    func carriesTheSameOctetsThereAndBack(air: PeerAir) async throws {
        let process = try await AirProcess(air, arguments: air == .cerulean ? ["--speed", "20"] : [])
        defer { process.stop() }
        let peer = try PeerProcess(
            Programs.python, [Programs.file("Tests/Peers/bumble_channel_peer.py"), process.transport, "--name", "Pipe"])
        _ = try await peer.event("ready")
        let central = try await Central(try Adapter(parsing: process.adapter))
        let fast = ConnectionParameterRequest(
            minimumInterval: .milliseconds(15), maximumInterval: .milliseconds(15), supervisionTimeout: .seconds(30))
        let peripheral = try await central.first(.name("Pipe"), timeout: .seconds(20)).connect(
            options: ConnectOptions(parameters: fast), timeout: .seconds(20))
        let count = Self.amount(air)
        let octets = Self.octets(count)

        // We open: there and back on one channel.
        let ours = try await peripheral.openChannel(psm: 0x80)
        _ = try await peer.event("opened")
        try peer.send("{\"op\":\"expect\",\"count\":\(count)}")
        let start = ContinuousClock.now
        try await ours.send(octets, timeout: .seconds(1500))
        let arrived = try await peer.event("received")
        #expect(arrived["equal"] as? Bool == true && arrived["total"] as? Int == count)
        try peer.send("{\"op\":\"send\",\"count\":\(count)}")
        #expect(try await Self.receive(ours, count))
        print("channel over \(air.rawValue): \(count) octets each way in \(ContinuousClock.now - start)")
        _ = try await peer.event("send")
        try await ours.close()
        _ = try await peer.event("closed")

        // The peer opens, and closes.
        let listening = try await central.listenForChannels()
        try peer.send("{\"op\":\"open\",\"psm\":\(listening.psm)}")
        let theirs = try #require(await listening.first { _ in true })
        _ = try await peer.event("opened")
        try peer.send("{\"op\":\"send\",\"count\":50000}")
        #expect(try await Self.receive(theirs, 50_000))
        try peer.send("{\"op\":\"close\"}")
        _ = try await peer.event("close")
        #expect(try await theirs.units.first { _ in true } == nil)
        #expect(!theirs.isOpen)
        try await central.shutdown()
    }

    /// Takes every question with yes.
    private static var trusting: PairingResponder {
        var responder = PairingResponder()
        responder.confirmJustWorks = { _ in true }
        return responder
    }

    /// Octets both ways on all channels at once, each compared by its receiver.
    private func exchange(_ channels: [L2CAPChannel], _ peer: PeerProcess) async throws {
        let count = 20_000
        for index in channels.indices { try peer.send("{\"op\":\"expect\",\"count\":\(count),\"channel\":\(index)}") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for channel in channels {
                group.addTask { try await channel.send(Self.octets(count), timeout: .seconds(120)) }
            }
            try await group.waitForAll()
        }
        var seen: Set<Int> = []
        for _ in channels {
            let arrived = try await peer.event("received")
            #expect(arrived["equal"] as? Bool == true && arrived["total"] as? Int == count)
            if let number = arrived["channel"] as? Int { seen.insert(number) }
        }
        #expect(seen == Set(channels.indices))
        for (index, channel) in channels.enumerated() {
            try peer.send("{\"op\":\"send\",\"count\":\(count),\"channel\":\(index)}")
            #expect(try await Self.receive(channel, count))
        }
    }

    /// Several channels in one request, and bearers of enhanced ATT, as those who ask.
    @Test(arguments: PeerAir.allCases)
    func weOpenSeveralChannelsAndBearers(air: PeerAir) async throws {
        let process = try await AirProcess(air)
        defer { process.stop() }
        let peer = try PeerProcess(
            Programs.python, [Programs.file("Tests/Peers/bumble_channel_peer.py"), process.transport, "--name", "Pipe"])
        _ = try await peer.event("ready")
        let central = try await Central(try Adapter(parsing: process.adapter))
        let peripheral = try await central.first(.name("Pipe"), timeout: .seconds(20)).connect(timeout: .seconds(20))
        let channels = try await peripheral.openChannels(3, psm: 0x80, options: ChannelOptions(isEnhanced: true))
        #expect(channels.count == 3)
        for _ in channels { #expect(try await peer.event("opened")["mtu"] as? Int == 2048) }
        try await exchange(channels, peer)

        // Bumble says that it has bearers, and hears that we know such.
        await central.setPairing(responder: Self.trusting)
        try await peripheral.pair()
        let features = try await peripheral.findCharacteristic(0x2B3A)
        #expect(try await peripheral.read(features) == [1])
        #expect(try await peripheral.openParallelBearers(3) == 3)
        var found: [Characteristic] = []
        for number in 1...8 {
            found.append(try await peripheral.findCharacteristic(BluetoothUUID(UInt16(0xFFF0 + number))))
        }
        let values = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
            for (index, one) in found.enumerated() { group.addTask { (index, try await peripheral.read(one)) } }
            var values: [Int: [UInt8]] = [:]
            for try await (index, value) in group { values[index] = value }
            return values
        }
        for index in 0..<8 { #expect(values[index] == [UInt8](repeating: UInt8(index + 1), count: 20)) }
        // Bumble 0.0.236 never takes an end again that was closed: this comes last.
        try await channels[1].close()
        #expect(try await peer.event("closed")["channel"] as? Int == 1)
        #expect(channels[0].isOpen && channels[2].isOpen)
        try await central.shutdown()
    }

    /// Several channels in one request, and bearers of enhanced ATT, as those who are asked.
    @Test(arguments: PeerAir.allCases)
    func thePeerOpensSeveralChannelsAndBearers(air: PeerAir) async throws {
        let process = try await AirProcess(air)
        defer { process.stop() }
        let server = try await PeripheralServer(Adapter(parsing: process.adapter))
        let stored = (1...6).map { LocalCharacteristic(0x2A56, .read, value: [UInt8](repeating: UInt8($0), count: 20)) }
        let published = try await server.publish([LocalService(0x1815, characteristics: stored)])
        let listening = try await server.listenForChannels()
        await server.setPairing(PairingPolicy(acceptsPairing: true), responder: Self.trusting)
        try await server.advertise(name: "Cerulean", restart: .immediately)
        let peer = try PeerProcess(
            Programs.python,
            [Programs.file("Tests/Peers/bumble_channel_peer.py"), process.transport, "--target", "Cerulean"])
        _ = try await peer.event("connected")
        try peer.send("{\"op\":\"openMany\",\"psm\":\(listening.psm),\"count\":3}")
        var channels: [L2CAPChannel] = []
        for await channel in listening {
            channels.append(channel)
            if channels.count == 3 { break }
        }
        _ = try await peer.event("openMany")
        try await exchange(channels, peer)

        // Without encryption there are no bearers.
        try peer.send("{\"op\":\"bearers\",\"count\":2}")
        #expect(try await peer.event("error")["op"] as? String == "bearers")
        _ = try await peer.ask("pair")
        _ = try await peer.ask("bearers", "\"count\":2")
        let handles = published[0].characteristics.compactMap { $0.id.handle }.map(String.init).joined(separator: ",")
        let answer = try await peer.ask("read", "\"handles\":[\(handles)]")
        #expect(answer["values"] as? [String] == (1...6).map { String(repeating: "0\($0)", count: 20) })
        try await server.shutdown()
    }
}
