// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanSensing
import Foundation
import Testing

/// Recording with a person in front of it, and recordings that come to life again.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RecordingTerminalTests {
    private static func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("terminal-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private static func files(in folder: URL) throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return Dictionary(
            names.map { ($0.split(separator: ".").last.map(String.init) ?? "", folder.path + "/" + $0) },
            uniquingKeysWith: { first, _ in first })
    }

    @Test func keysSetMarkersAndStopTheChartWhileTheRecordingGoesOn() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let terminal = try PeerProcess(
            Programs.python,
            [
                Programs.file("Tests/Peers/terminal.py"), Programs.cerulean, "record", "--adapter", "virtual", "--name",
                "bitalino", "--channels", "2,3", "--plot", "--markers", "--format", "edf,sqlite,jsonl", "--output",
                folder.path,
            ])
        var text = ""
        func show(until wanted: (String) -> Bool) async throws {
            while !wanted(text) {
                text += try await terminal.event("output")["text"] as? String ?? ""
            }
        }
        try await show { $0.contains("s on screen") }
        try terminal.send(#"{"keys": "m2\r"}"#)
        try terminal.send(#"{"keys": " "}"#)
        try await show { $0.contains("paused, space goes on") }
        let stopped = text.count
        try terminal.send(#"{"keys": " "}"#)
        // It goes on where the recording is now.
        try await show { String($0.dropFirst(stopped)).components(separatedBy: "s on screen").count > 3 }
        try terminal.send(#"{"signal": 2}"#)
        let exit = try await terminal.event("exit")
        #expect(exit["status"] as? Int == 130 && exit["same"] as? Bool == true)
        // Whatever is drawn fits into 80 columns, and each channel has its scale.
        let lines = text.replacingOccurrences(of: "\u{1B}[K", with: "").split(whereSeparator: \.isNewline)
        #expect(lines.allSatisfy { $0.count <= 80 + 6 })
        #expect(lines.contains { $0.hasPrefix("A2  ") } && lines.contains { $0.hasPrefix("A3  ") })
        let files = try Self.files(in: folder)
        for format in ["edf", "sqlite", "jsonl"] {
            let session = try RecordedSession.read(try #require(files[format]))[0]
            let texts = session.marks.map(\.text).filter { $0.hasPrefix("marker") }
            #expect(texts == ["marker", "marker 2", "marker"], "\(format)")
            #expect(session.rowCount > 0)
        }
    }

    @Test func linesOfStandardInputAreMarkers() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let recorder = try PeerProcess(
            Programs.cerulean,
            [
                "record", "--adapter", "virtual", "--name", "bitalino", "--channels", "2", "--rate", "100", "--markers",
                "--format", "jsonl", "--output", folder.path, "--seconds", "4",
            ])
        try recorder.send("eyes closed")
        #expect(await recorder.status() == 0, "\(recorder.errorText)")
        let session = try RecordedSession.read(try #require(try Self.files(in: folder)["jsonl"]))[0]
        #expect(session.marks.map(\.text) == ["eyes closed"])
        #expect(session.rowCount == 400)
    }

    @Test func aRecordingThatIsPlayedIsRecordedAgainEqual() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = Programs.file("data/bitalino/eda_hot_surface.txt")
        let radio = try await AirProcess(.cerulean)
        defer { radio.stop() }
        let player = try PeerProcess(Programs.cerulean, ["--adapter", radio.adapter, "play", file, "--json"])
        _ = try await player.event("advertising")
        let run = try await cerulean(
            "record", "--adapter", radio.adapter, "--name", "bitalino", "--seconds", "2", "--rate", "1000", "--format",
            "opensignals", "--output", folder.path, "--json")
        #expect(run.status == 0, "\(run.errors)")
        player.interrupt()
        let played = try RecordedSession.read(file)[0]
        let again = try RecordedSession.read(try #require(try Self.files(in: folder)["txt"]))[0]
        #expect(again.rowCount == 2000 && again.lost == 0)
        for (column, channel) in played.source.channels.enumerated() where channel.name.hasPrefix("A") {
            let place = try #require(again.source.channels.firstIndex { $0.name == channel.name })
            #expect(again.column(place) == Array(played.column(column).prefix(2000)), "\(channel.name)")
        }
    }

    @Test func aRecordingAsAStreamIsReadByPylsl() async throws {
        let name = "LSL board \(UUID().uuidString.prefix(8))"
        let world = FileManager.default.temporaryDirectory.appendingPathComponent("lsl-\(UUID().uuidString).json").path
        try #"{"devices":[{"kind":"bitalino","name":"\#(name)"}]}"#.write(
            toFile: world, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: world) }
        let library = Programs.file(".venv/lib")
        let found = try #require(
            FileManager.default.enumerator(atPath: library)?.compactMap { $0 as? String }
                .first { $0.hasSuffix("pylsl/lib/liblsl.so") })
        let inlet = try PeerProcess(Programs.python, [Programs.file("Tests/Peers/lsl_inlet.py"), name, "300"])
        let recorder = try PeerProcess(
            Programs.cerulean,
            [
                "record", "--adapter", "virtual:\(world)", "--name", name, "--channels", "3,4", "--set",
                "mode=simulated", "--format", "lsl",
            ], environment: ["CERULEAN_LSL": "\(library)/\(found)"])
        let stream = try await inlet.event("stream")
        #expect(stream["rate"] as? Double == 1000)
        #expect(stream["labels"] as? [String] == ["I1", "I2", "O1", "O2", "A3", "A4"])
        let samples = try await inlet.event("samples")
        recorder.interrupt()
        #expect(await recorder.status() == 130, "\(recorder.errorText)")
        let rows = try #require(samples["rows"] as? [[Double]])
        #expect(rows.count == 300)
        // The firmware's tables: a sine of 20 samples and one of 25.
        func table(_ index: Int, _ period: Double) -> Double {
            let angle: Double = 2 * Double.pi * Double(index) / period
            let level: Double = 511 + 511 * sin(angle)
            return (level + 0.5).rounded(.down)
        }
        let tables = (0..<100).map { [table($0, 20), table($0, 25)] }
        // A sine has each value twice: two rows tell where it is.
        let start = try #require(
            tables.indices.first { place in
                (0..<2).allSatisfy { tables[(place + $0) % 100] == Array(rows[$0].suffix(2)) }
            })
        for (offset, row) in rows.enumerated() { #expect(Array(row.suffix(2)) == tables[(start + offset) % 100]) }
        let times = try #require(samples["times"] as? [Double])
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        // The board's own steps; a stream that began late is put right by shorter ones, never by longer.
        #expect(times[299] - times[0] < 0.2995)
    }
}
