// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Bumble's central against `cerulean simulate`, over our controllers and over RootCanal.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct BumbleCentralTests {
    private func withCentral(
        _ air: PeerAir, _ device: String = Programs.file("Tests/Peers/reference-device.json"),
        name: String = "Reference",
        _ body: (_ server: PeerProcess, _ central: PeerProcess) async throws -> Void
    ) async throws {
        let radio = try await AirProcess(air)
        let server = try PeerProcess(Programs.cerulean, ["--adapter", radio.adapter, "simulate", device, "--json"])
        let ready = try await server.event("advertising")
        #expect(ready["name"] as? String == name)
        let central = try PeerProcess(
            Programs.python, [Programs.bumblePeer, "central", radio.transport, "--target", name])
        _ = try await central.event("connected")
        try await body(server, central)
        radio.stop()
    }

    /// The handle of a characteristic's value in Bumble's answer to `discover`.
    private func handles(of uuid: String, in answer: [String: Any]) throws -> [Int] {
        let services = try #require(answer["services"] as? [[String: Any]])
        let all = services.flatMap { $0["characteristics"] as? [[String: Any]] ?? [] }
        return all.filter { $0["uuid"] as? String == uuid }.compactMap { $0["handle"] as? Int }
    }

    @Test(arguments: PeerAir.allCases)
    func discoversTheWholeDatabase(air: PeerAir) async throws {
        try await withCentral(air) { _, central in
            #expect(try await central.ask("mtu", "\"mtu\":247")["mtu"] as? Int ?? 0 >= 247)
            let tree = try await central.ask("discover")
            let services = try #require(tree["services"] as? [[String: Any]])
            let uuids = services.compactMap { $0["uuid"] as? String }
            #expect(
                uuids.contains("1800") && uuids.contains("1801") && uuids.contains("FFF0") && uuids.contains("180D"))
            let reference = try #require(services.first { $0["uuid"] as? String == "FFF0" })
            let characteristics = try #require(reference["characteristics"] as? [[String: Any]])
            // Property octets as in Core 5.4, Vol 3, Part G, 3.3.1.1.
            #expect(
                characteristics.map { $0["properties"] as? Int } == [0x0A, 0x08, 0x32, 0x0A, 0x02, 0x06, 0x02, 0x02])
            #expect(characteristics[2]["descriptors"] as? [String] == ["2902"])
        }
    }

    @Test(arguments: PeerAir.allCases)
    func readsAndWritesAlsoLongAndRefused(air: PeerAir) async throws {
        try await withCentral(air) { _, central in
            let tree = try await central.ask("discover")
            let plain = try handles(of: "FFF1", in: tree)[0]
            #expect(try await central.ask("read", "\"handle\":\(plain)")["value"] as? String == "01020304")
            _ = try await central.ask("write", "\"handle\":\(plain),\"value\":\"0a0b0c\"")
            #expect(try await central.ask("read", "\"handle\":\(plain)")["value"] as? String == "0a0b0c")
            let twins = try handles(of: "FFF7", in: tree)
            #expect(try await central.ask("read", "\"handle\":\(twins[0])")["value"] as? String == "01")
            #expect(try await central.ask("read", "\"handle\":\(twins[1])")["value"] as? String == "02")
            let long = try handles(of: "FFF4", in: tree)[0]
            let value = (0..<300).map { String(format: "%02x", ($0 * 3) & 0xFF) }.joined()
            _ = try await central.ask("writeLong", "\"handle\":\(long),\"value\":\"\(value)\"")
            #expect(try await central.ask("read", "\"handle\":\(long)")["value"] as? String == value)
        }
    }

    @Test(arguments: PeerAir.allCases)
    func isRefusedWithTheRightCodes(air: PeerAir) async throws {
        try await withCentral(air) { _, central in
            let tree = try await central.ask("discover")
            for (uuid, op, code) in [("FFF2", "read", 0x02), ("FFF7", "write", 0x03), ("FFF5", "read", 0x05)] {
                let handle = try handles(of: uuid, in: tree)[0]
                try central.send("{\"op\":\"\(op)\",\"handle\":\(handle),\"value\":\"00\"}")
                let answer = try await nextObject(central)
                #expect(answer["event"] as? String == "error")
                #expect(answer["att"] as? Int == code, "\(uuid): \(answer)")
            }
        }
    }

    @Test(arguments: PeerAir.allCases)
    func receivesNotificationsOfAHeartRateStrap(air: PeerAir) async throws {
        try await withCentral(air, "heartrate", name: "Cerulean Strap") { _, central in
            let tree = try await central.ask("discover")
            let measurement = try handles(of: "2A37", in: tree)[0]
            _ = try await central.ask("subscribe", "\"handle\":\(measurement),\"count\":2")
            let values = try await central.event("values")["values"] as? [String]
            #expect(values?.count == 2)
        }
    }

    @Test(arguments: PeerAir.allCases)
    func itsSuddenDeathFreesTheServerForTheNextCentral(air: PeerAir) async throws {
        let radio = try await AirProcess(air)
        let server = try PeerProcess(
            Programs.cerulean,
            ["--adapter", radio.adapter, "simulate", Programs.file("Tests/Peers/reference-device.json"), "--json"])
        _ = try await server.event("advertising")
        for _ in 0..<2 {
            let central = try PeerProcess(
                Programs.python, [Programs.bumblePeer, "central", radio.transport, "--target", "Reference"])
            _ = try await central.event("connected")
            _ = try await central.ask("discover")
            central.kill()
            _ = await central.status()
        }
        server.interrupt()
        let status = await server.status()
        #expect(status == 130, "\(server.errorText)")
        radio.stop()
    }

    private func nextObject(_ process: PeerProcess) async throws -> [String: Any] {
        let line = try #require(await process.line())
        return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
}
