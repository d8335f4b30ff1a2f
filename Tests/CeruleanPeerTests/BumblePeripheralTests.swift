// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Our central against Bumble's peripheral, over our controllers and over RootCanal.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct BumblePeripheralTests {
    private func withPeripheral(
        _ air: PeerAir, _ body: (_ adapter: String, _ peer: PeerProcess) async throws -> Void
    ) async throws {
        let radio = try await AirProcess(air)
        let peer = try PeerProcess(
            Programs.python, [Programs.bumblePeer, "peripheral", radio.transport, "--name", "Bumble One"])
        _ = try await peer.event("ready")
        try await body(radio.adapter, peer)
        radio.stop()
    }

    @Test(arguments: PeerAir.allCases)
    func isScannedWithNameServicesAndTransmitPower(air: PeerAir) async throws {
        try await withPeripheral(air) { adapter, _ in
            let run = try await cerulean("--adapter", adapter, "scan", "--timeout", "2", "--json")
            let found = try #require(run.objects.first { $0["name"] as? String == "Bumble One" }, "\(run)")
            #expect(run.status == 0)
            #expect(found["address"] as? String == "F0:F1:F2:F3:F4:F5")
            #expect(found["addressType"] as? String == "random")
            #expect(found["connectable"] as? Bool == true)
            #expect(found["services"] as? [String] == ["FFF0"])
        }
    }

    @Test(arguments: PeerAir.allCases)
    func itsDatabaseIsDiscovered(air: PeerAir) async throws {
        try await withPeripheral(air) { adapter, _ in
            let run = try await cerulean("--adapter", adapter, "info", "--name", "bumble one", "--json")
            let info = try run.object()
            let services = try #require(info["services"] as? [[String: Any]])
            #expect(
                services.map { $0["uuid"] as? String } == [
                    "1800", "1801", "FFF0", "12345678-1234-5678-1234-56789ABCDEF0",
                ])
            let characteristics = try #require(services[2]["characteristics"] as? [[String: Any]])
            #expect(
                characteristics.map { $0["uuid"] as? String } == [
                    "FFF1", "FFF2", "FFF3", "FFF4", "FFF5", "FFF6", "FFF7", "FFF7",
                ])
            #expect(characteristics[0]["value"] as? String == "01020304")
            #expect(characteristics[2]["properties"] as? [String] == ["read", "notify", "indicate"])
            #expect(characteristics[6]["value"] as? String == "01")
            #expect(characteristics[7]["value"] as? String == "02")
            let long = (0..<300).map { String(format: "%02x", $0 & 0xFF) }.joined()
            #expect(characteristics[3]["value"] as? String == long)
            #expect(info["mtu"] as? Int ?? 0 > 23)
        }
    }

    @Test(arguments: PeerAir.allCases)
    func valuesAreReadAndWrittenLongAndRefused(air: PeerAir) async throws {
        try await withPeripheral(air) { adapter, peer in
            let device = ["--adapter", adapter, "--name", "Bumble One", "--json"]
            func tool(_ arguments: String...) async throws -> ToolRun {
                let process = try PeerProcess(Programs.cerulean, device + arguments)
                let output = await process.rest()
                return ToolRun(status: await process.status(), output: output, errors: process.errorText)
            }
            #expect(try await tool("write", "FFF1", "hex:0a0b").object()["uuid"] as? String == "FFF1")
            #expect(try await tool("read", "FFF1").object()["value"] as? String == "0a0b")
            let refused = try await tool("write", "FFF2", "u8:1")
            #expect(refused.status == 6, "\(refused)")
            #expect(refused.errors.contains("0x80"))
            #expect(try await tool("read", "FFF5").status == 6)
            let missing = try await tool("read", "2A19")
            #expect(missing.status == 4, "\(missing)")
            let long = (0..<400).map { String(format: "%02x", ($0 * 7) & 0xFF) }.joined()
            let written = try await tool("write", "FFF4", "hex:\(long)")
            #expect(written.status == 0, "\(written)")
            #expect(try await peer.ask("long")["value"] as? String == long)
            _ = try await tool("write", "FFF6", "hex:c0ffee")
            #expect(try await peer.ask("written")["values"] as? [String] == ["c0ffee"])
        }
    }

    @Test(arguments: PeerAir.allCases, [false, true])
    func notificationsArriveInOrderAndComplete(air: PeerAir, indications: Bool) async throws {
        try await withPeripheral(air) { adapter, peer in
            let count = indications ? 20 : 200
            let process = try PeerProcess(
                Programs.cerulean,
                ["--adapter", adapter, "notify", "FFF3", "--name", "Bumble One", "--count", "\(count)", "--json"]
                    + (indications ? ["--indicate"] : []))
            _ = try await peer.event("subscription")
            try peer.send("{\"op\":\"notify\",\"count\":\(count)\(indications ? ",\"indicate\":true" : "")}")
            let lines = await process.rest()
            let status = await process.status()
            #expect(status == 0, "\(process.errorText)")
            let numbers = lines.compactMap { line -> Int? in
                let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                guard let value = object?["value"] as? String, value.count == 40 else { return nil }
                return Int(value.prefix(2), radix: 16)
            }
            #expect(numbers == Array(0..<count))
        }
    }

    @Test(arguments: PeerAir.allCases)
    func itsSuddenDeathEndsTheStreamWithStatusSeven(air: PeerAir) async throws {
        try await withPeripheral(air) { adapter, peer in
            let process = try PeerProcess(
                Programs.cerulean, ["--adapter", adapter, "notify", "FFF3", "--name", "Bumble One", "--json"])
            _ = try await peer.event("subscription")
            try peer.send("{\"op\":\"notify\",\"count\":1}")
            _ = await process.line()
            peer.kill()
            let status = await process.status()
            #expect(status == 7, "\(process.errorText)")
        }
    }
}
