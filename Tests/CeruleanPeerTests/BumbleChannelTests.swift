// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanHost
import Foundation
import Testing

/// LE credit based channels with Bumble: opened by either side, the same octets there and back.
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
}
