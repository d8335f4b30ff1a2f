// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Linux and BlueZ as the peer, in a virtual machine that joins the air of our controllers: its kernel's L2CAP and SMP, and
/// bluetoothd's GATT over D-Bus.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct BlueZTests {
    /// What only an encrypted link reads in Rigs/bluez_peer.py.
    private static let protected = "C0DE0003-0000-4000-8000-000000000001"
    private static let open = "C0DE0004-0000-4000-8000-000000000001"

    private static func machine(_ air: AirProcess, _ command: [String]) throws -> PeerProcess {
        try PeerProcess(
            Programs.file("Rigs/bluez-vm"),
            ["--hci", "tcp:127.0.0.1:\(air.port)", "--timeout", "240", "--"] + command)
    }

    @Test func bluezFindsPairsWithAndComesBackToOurPeripheral() async throws {
        let air = try await AirProcess(.cerulean)
        defer { air.stop() }
        let device = try PeerProcess(
            Programs.cerulean,
            ["--adapter", air.adapter, "simulate", Programs.file("Tests/Peers/bluez-device.json"), "--json"])
        defer { device.kill() }
        _ = try await device.event("advertising")
        let machine = try Self.machine(
            air, [Programs.file("Tests/Peers/bluez-central.sh"), Programs.file("Rigs"), "Cerulean Twin"])
        // Each time that BlueZ subscribes a few new values follow.
        let pump = Task {
            while let line = await device.errorLine() {
                guard line.hasPrefix("subscribed: 2A37") else { continue }
                for beats in 60..<66 { try device.send("set 2A37 hex:00" + String(beats, radix: 16)) }
            }
        }
        defer { pump.cancel() }
        let lines = await machine.rest()
        let text = lines.joined(separator: "\n") + "\n" + machine.errorText
        #expect(lines.contains("status first: 0"), "\(text)")
        #expect(lines.contains("status again: 0"), "\(text)")
        #expect(lines.contains { $0.contains("paired True bonded True") }, "\(text)")
        #expect(lines.contains { $0.contains("protected b'secret'") }, "\(text)")
        #expect(lines.filter { $0.contains("battery 40") }.count == 2, "\(text)")
        #expect(lines.filter { $0.contains("read back b'hello from BlueZ'") }.count == 2, "\(text)")
    }

    @Test func ourCentralUsesPairsWithAndComesBackToBlueZ() async throws {
        let air = try await AirProcess(.cerulean)
        defer { air.stop() }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bluez-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let common = ["--adapter", air.adapter, "--timeout", "60", "--json", "--bonds", folder.path + "/bonds"]
        let machine = try Self.machine(
            air, [Programs.file("Rigs/bluez_peer.py"), "peripheral", "--name", "BlueZ Rig", "--seconds", "200"])
        defer { machine.kill() }
        var advertised = false
        while !advertised, let line = await machine.line() { advertised = line.contains("advertising BlueZ Rig") }
        #expect(advertised, "\(machine.errorText)")

        func run(_ verb: String...) async throws -> ToolRun {
            let process = try PeerProcess(Programs.cerulean, verb + ["--name", "BlueZ Rig"] + common)
            let output = await process.rest()
            return ToolRun(status: await process.status(), output: output, errors: process.errorText)
        }
        let info = try await run("info").object()
        let services = try #require(info["services"] as? [[String: Any]])
        #expect(Set(["180D", "180F"]).isSubset(of: Set(services.compactMap { $0["uuid"] as? String })))
        #expect(try await run("read", "2A19").object()["value"] as? String == "40")
        #expect(try await run("write", Self.open, "utf8:from Cerulean").status == 0)
        #expect(try await run("read", Self.open).object()["value"] as? String == "66726f6d20436572756c65616e")
        let beats = try await run("notify", "2A37", "--count", "3")
        #expect(beats.status == 0 && beats.objects.count == 3, "\(beats)")
        #expect(beats.objects.allSatisfy { ($0["value"] as? String)?.hasPrefix("00") == true }, "\(beats)")

        let pairing = try await run("pair", "--io", "none")
        #expect(try pairing.object()["bonded"] as? Bool == true, "\(pairing)")
        // Another process, another connection: the key of the bond file encrypts it.
        #expect(try await run("read", Self.protected).object()["value"] as? String == "736563726574")
    }
}
