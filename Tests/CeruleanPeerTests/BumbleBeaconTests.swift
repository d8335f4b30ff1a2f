// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Beacons that Bumble sends are heard by ours, and ours by Bumble.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct BumbleBeaconTests {
    /// Frames of the published vectors, and what `scan` says of them.
    static let frames: [(data: String, kind: String, member: String, value: String)] = [
        (
            "0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5", "ibeacon", "uuid",
            "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
        ),
        ("0201060303aafe0d16aafe10ec02676f6f676c6507", "eddystone-url", "url", "http://google.com"),
    ]

    @Test(arguments: frames.indices)
    func whatBumbleSendsIsHeard(index: Int) async throws {
        let frame = Self.frames[index]
        let radio = try await AirProcess(.cerulean)
        let peer = try PeerProcess(
            Programs.python, [Programs.bumblePeer, "beacon", radio.transport, "--data", frame.data])
        _ = try await peer.event("ready")
        let run = try await cerulean("--adapter", radio.adapter, "scan", "--timeout", "2", "--json")
        let found = try #require(run.objects.first { $0["address"] as? String == "F0:F1:F2:F3:F4:F5" }, "\(run)")
        #expect(found["connectable"] as? Bool == false)
        #expect(found["raw"] as? String == frame.data)
        let decoded = try #require((found["decoded"] as? [[String: Any]])?.first)
        #expect(decoded["kind"] as? String == frame.kind)
        #expect(decoded[frame.member] as? String == frame.value)
        radio.stop()
    }

    @Test func whatBumbleSendsIsRangedAndMonitored() async throws {
        let radio = try await AirProcess(.cerulean)
        let peer = try PeerProcess(
            Programs.python, [Programs.bumblePeer, "beacon", radio.transport, "--data", Self.frames[0].data])
        _ = try await peer.event("ready")
        let region = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
        let ranged = try await cerulean("--adapter", radio.adapter, "beacon", "range", region, "--count", "2", "--json")
        #expect(ranged.status == 0, "\(ranged)")
        #expect(ranged.output.contains { $0.contains("\"major\":1") && $0.contains("\"minor\":2") }, "\(ranged)")
        let monitored = try await cerulean(
            "--adapter", radio.adapter, "beacon", "monitor", "shop=\(region)", "--seconds", "2", "--json")
        #expect(monitored.output.contains { $0.contains("shop") && $0.lowercased().contains("enter") }, "\(monitored)")
        radio.stop()
    }

    @Test(arguments: [
        (
            [
                "ibeacon", "--uuid", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "--major", "1", "--minor", "2", "--power",
                "-59",
            ],
            "ff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5"
        ),
        (["eddystone-url", "--url", "http://google.com", "--power", "-20"], "16aafe10ec02676f6f676c6507"),
    ])
    func whatWeSendIsHeardByBumble(arguments: [String], octets: String) async throws {
        let radio = try await AirProcess(.cerulean)
        let peer = try PeerProcess(Programs.python, [Programs.bumblePeer, "listener", radio.transport])
        _ = try await peer.event("ready")
        let sender = try PeerProcess(
            Programs.cerulean, ["--adapter", radio.adapter, "beacon", "advertise"] + arguments)
        var heard: [String: Any] = [:]
        repeat { heard = try await peer.event("heard") } while (heard["data"] as? String)?.contains(octets) != true
        #expect(heard["connectable"] as? Bool == false)
        sender.interrupt()
        #expect(await sender.status() == 130)
        radio.stop()
    }
}
