// SPDX-License-Identifier: Apache-2.0

import CeruleanWire
import Foundation
import Testing

/// The verbs for BlueST boards on Bumble's simulated air, a process for each side.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct BlueSTVerbsTests {
    /// Runs a verb to its end.
    private func run(_ air: AirProcess, _ arguments: String...) async throws -> (status: Int32, lines: [[String: Any]])
    {
        let process = try PeerProcess(Programs.cerulean, ["--adapter", air.adapter, "--json"] + arguments)
        let lines = await process.rest()
        let status = await process.status()
        #expect(status == 0, "\(arguments): \(process.errorText)")
        return (status, lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] })
    }

    @Test func allVerbsWorkOnBumblesAir() async throws {
        let air = try await AirProcess(bumble: Programs.file("Tests/Peers/bumble_air.py"))
        defer { air.stop() }
        let board = try PeerProcess(
            Programs.cerulean,
            ["--adapter", air.adapter, "simulate", "bluest", "--board", "SENSOR_TILE_BOX", "--json"])
        _ = try await board.event("advertising")

        let scan = try await run(air, "scan", "--timeout", "3")
        let seen = try #require(scan.lines.first { $0["name"] as? String == "BoxTile" })
        let decoded = try #require((seen["decoded"] as? [[String: Any]])?.first)
        #expect(decoded["kind"] as? String == "bluest")
        #expect(decoded["board"] as? String == "SENSOR_TILE_BOX")
        #expect((decoded["features"] as? [String])?.contains("sensorFusion") == true)

        let info = try await run(air, "info", "--name", "boxtile")
        #expect((info.lines.first?["features"] as? [String])?.contains("eulerAngle") == true)

        let fusion = try await run(air, "notify", "--feature", "sensorFusion", "--count", "50", "--name", "boxtile")
        #expect(fusion.lines.count == 50)
        #expect(fusion.lines.allSatisfy { $0["feature"] as? String == "sensorFusion" && $0["lost"] as? Int == 0 })

        let directory = FileManager.default.temporaryDirectory.appending(path: "air-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let record = try await run(
            air, "record", "--feature", "acceleration,gyroscope,magnetometer", "--format", "csv", "--seconds", "2",
            "--output", directory.path(), "--name", "boxtile")
        let device = try #require((record.lines.last?["devices"] as? [[String: Any]])?.first)
        #expect(device["samples"] as? Int ?? 0 >= 90)
        #expect(device["lost"] as? Int == 0)

        let console = try await run(air, "console", "versionFw", "nonsense", "--name", "boxtile")
        #expect(console.lines.map { $0["text"] as? String } == ["L4R9_BLUEST_3.1.0", "unknown command nonsense"])
        #expect(console.lines.last?["stream"] as? String == "stderr")

        let register = try await run(air, "registers", "read", "FW_VER", "--name", "boxtile")
        #expect(register.lines.first?["decoded"] as? String == "3.1.0")
        let answer = try await run(air, "feature", "command", "battery", "1", "--name", "boxtile")
        #expect((answer.lines.first?["decoded"] as? [String: Any])?["batteryCapacity"] as? Int == 500)

        let image = directory.appending(path: "image.bin")
        let words: [UInt32] = [0x2004_0000] + (0..<15).map { 0x0800_0101 + 8 * $0 }
        var octets = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
        octets += (0..<8000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 5) }
        octets += [0] + Array("L4R9_BLUEST_3.2.0".utf8) + [0, 0]
        try Data(octets).write(to: image)
        let update = try await run(air, "fwupdate", image.path(), "--name", "boxtile")
        #expect(update.lines.first { $0["event"] as? String == "finished" }?["octets"] as? Int == octets.count)
        #expect(update.lines.last?["firmware"] as? String == "L4R9_BLUEST_3.2.0")
    }
}

/// Sound from the host, a process for each side.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct BlueSTSoundTests {
    /// A WAV file of a tone: 16 bits, one channel.
    private func wave(seconds: Double, rate: Int) -> Data {
        func little(_ number: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        let samples = (0..<Int(seconds * Double(rate))).flatMap { index in
            little(Int(8000 * sin(Double(index) * 2 * .pi * 440 / Double(rate))), 2)
        }
        let format = little(16, 4) + little(1, 2) + little(1, 2) + little(rate, 4) + little(2 * rate, 4)
        let head = Array("RIFF".utf8) + little(36 + samples.count, 4) + Array("WAVEfmt ".utf8) + format
        return Data(head + little(2, 2) + little(16, 2) + Array("data".utf8) + little(samples.count, 4) + samples)
    }

    @Test func aFileIsPlayedOnTheBoard() async throws {
        let air = try await AirProcess(.cerulean)
        defer { air.stop() }
        let board = try PeerProcess(
            Programs.cerulean,
            [
                "--adapter", air.adapter, "simulate", "bluest", "--features", "opusAudio,opusAudioConf", "--set",
                "sound=1", "--json",
            ])
        _ = try await board.event("advertising")
        let file = FileManager.default.temporaryDirectory.appending(path: "tone-\(UUID().uuidString).wav")
        defer { try? FileManager.default.removeItem(at: file) }
        try wave(seconds: 1, rate: 16000).write(to: file)
        let play = try PeerProcess(
            Programs.cerulean, ["--adapter", air.adapter, "--json", "feature", "play", file.path()])
        let lines = await play.rest()
        #expect(await play.status() == 0, "\(play.errorText)")
        #expect(lines == [#"{"played":1.0}"#])
        // A rate that Opus does not have.
        try wave(seconds: 1, rate: 11025).write(to: file)
        let odd = try PeerProcess(Programs.cerulean, ["--adapter", air.adapter, "feature", "play", file.path()])
        _ = await odd.rest()
        #expect(await odd.status() == 8)
        // A board that does not listen to its host.
        board.kill()
        let deaf = try PeerProcess(Programs.cerulean, ["--adapter", air.adapter, "simulate", "bluest", "--json"])
        _ = try await deaf.event("advertising")
        try wave(seconds: 1, rate: 16000).write(to: file)
        let unheard = try PeerProcess(
            Programs.cerulean, ["--adapter", air.adapter, "--timeout", "2", "feature", "play", file.path()])
        _ = await unheard.rest()
        #expect(await unheard.status() == 5)
    }
}

/// The interactive console on a terminal of its own.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ConsoleTerminalTests {
    private func terminal(_ adapter: String) throws -> PeerProcess {
        try PeerProcess(
            Programs.python,
            [Programs.file("Tests/Peers/terminal.py"), Programs.cerulean, "--adapter", adapter, "console"])
    }

    /// Reads what is shown until it contains a text.
    private func wait(_ terminal: PeerProcess, for text: String) async throws {
        var shown = ""
        while let line = await terminal.line() {
            guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                continue
            }
            if object["event"] as? String == "exit" { break }
            shown += object["text"] as? String ?? ""
            if shown.contains(text) { return }
        }
        Issue.record("no '\(text)' in '\(shown)'")
    }

    private func type(_ keys: String, to terminal: PeerProcess) throws {
        let order = try JSONSerialization.data(withJSONObject: ["keys": keys])
        try terminal.send(String(decoding: order, as: UTF8.self))
    }

    @Test func linesAreEditedAndRemembered() async throws {
        let terminal = try terminal("virtual")
        try await wait(terminal, for: "BoxPro> ")
        // An error is corrected before the line is sent.
        try type("versionFx\u{7F}w\n", to: terminal)
        try await wait(terminal, for: "U585_BLUEST_2.0.0")
        try type("getName\n", to: terminal)
        try await wait(terminal, for: "BoxPro\r\n")
        // Two lines up stands the first.
        try type("\u{1B}[A\u{1B}[A\n", to: terminal)
        try await wait(terminal, for: "U585_BLUEST_2.0.0")
        try type("\u{04}", to: terminal)
        let end = try await terminal.event("exit")
        #expect(end["status"] as? Int == 0)
        #expect(end["same"] as? Bool == true)
    }

    @Test func controlCLeavesTheTerminalAsItWas() async throws {
        let terminal = try terminal("virtual")
        try await wait(terminal, for: "BoxPro> ")
        try type("half a li", to: terminal)
        try await wait(terminal, for: "half a li")
        try type("\u{03}", to: terminal)
        let end = try await terminal.event("exit")
        #expect(end["status"] as? Int == 130)
        #expect(end["same"] as? Bool == true)
    }

    @Test func aLostBoardEndsTheConsole() async throws {
        let air = try await AirProcess(.cerulean)
        defer { air.stop() }
        let board = try PeerProcess(
            Programs.cerulean, ["--adapter", air.adapter, "simulate", "bluest", "--json"])
        _ = try await board.event("advertising")
        let terminal = try terminal(air.adapter)
        try await wait(terminal, for: "BoxPro> ")
        try type("half a li", to: terminal)
        board.kill()
        let end = try await terminal.event("exit")
        #expect(end["status"] as? Int == 7)
        #expect(end["same"] as? Bool == true)
    }
}
