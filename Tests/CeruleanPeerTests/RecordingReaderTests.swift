// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanSensing
import CeruleanWire
import Foundation
import Testing

/// Our files in programs that others wrote.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RecordingReaderTests {
    /// Three seconds at 1000 Hz with a gap of 100 samples and a marker, of two inputs and a line.
    private static let source = SourceDescription(
        kind: "bitalino", name: "Board", address: BluetoothAddress("C7:CE:00:00:00:10"), firmware: "5.2",
        model: "bitalino_rev",
        channels: [
            Channel(name: "I1", quantity: .logicLevel, resolution: 1, range: 0...1, role: .digitalInput),
            Channel(
                name: "A1", quantity: .voltage, resolution: 10, range: 0...1023,
                conversion: Conversion(
                    name: "ECG", unit: "mV", formula: .linear(slope: 3.0 / 1024, intercept: -1.5)), sensor: "ECGBITREV"),
            Channel(name: "A2", resolution: 10, range: 0...1023, sensor: "RAW"),
        ], rate: 1000, sequenceBits: 4)
    private static let lost = 1500..<1600

    private static func value(_ index: Int, _ channel: Int) -> Double {
        switch channel {
        case 0: Double(index / 500 % 2)
        case 1: Double((index * 7) % 1024)
        default: Double(1023 - index % 1000)
        }
    }

    private static var session: RecordedSession {
        let indices = (0..<3000).filter { !lost.contains($0) }
        return RecordedSession(
            source: source, start: WallTime(rfc3339: "2026-11-30T19:33:00Z"),
            values: indices.flatMap { index in (0..<3).map { value(index, $0) } }, indices: indices,
            marks: [.init(index: 500, text: "Stoß, eins"), .init(index: 2000, text: "two")])
    }

    private func files(_ formats: [RecordingFormat]) async throws -> (folder: URL, files: [String]) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("readers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let summary = try await Recorder(
            source: ReplaySource(Self.session), clock: { WallTime(rfc3339: "2026-11-30T19:33:00Z") ?? .now }
        ).run(formats, in: folder.path)
        #expect(summary.samples == 2900 && summary.lost == 100)
        return (folder, summary.files)
    }

    private func read(_ reader: String, _ file: String) async throws -> [String: Any] {
        let process = try PeerProcess(Programs.python, [Programs.file("Tests/Peers/read_recordings.py"), reader, file])
        let lines = await process.rest()
        guard await process.status() == 0, let line = lines.last,
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        else { throw PeerError(description: "\(reader): \(process.errorText)") }
        return object
    }

    private var rows: [Int] { (0..<3000).filter { !Self.lost.contains($0) } }
    /// As a file without room for gaps holds it: the value before stands for what was lost.
    private func filled(_ channel: Int) -> [Double] {
        (0..<3000).map { Self.value(Self.lost.contains($0) ? Self.lost.lowerBound - 1 : $0, channel) }
    }

    @Test func openSignalsInTheEcosystemsReaders() async throws {
        let (folder, files) = try await files([.openSignals])
        defer { try? FileManager.default.removeItem(at: folder) }
        let plain = try await read("opensignalsreader", files[0])
        #expect(plain["rate"] as? Int == 1000)
        let notebooks = try await read("biosignalsnotebooks", files[0])
        #expect(notebooks["device"] as? String == "bitalino_rev")
        let channels = try #require(notebooks["channels"] as? [String: [Double]])
        #expect(channels["CH1"] == rows.map { Self.value($0, 1) })
        #expect(channels["CH2"] == rows.map { Self.value($0, 2) })
        let others = try #require(plain["channels"] as? [String: [Double]])
        #expect(others.count == 2 && others.values.allSatisfy { $0.count == 2900 })
    }

    @Test func edfInPyEDFlibAndMNE() async throws {
        let (folder, files) = try await files([.edf])
        defer { try? FileManager.default.removeItem(at: folder) }
        let edf = try await read("pyedflib", files[0])
        #expect(edf["rate"] as? Double == 1000)
        #expect(edf["labels"] as? [String] == ["I1", "A1", "A2"])
        #expect(edf["units"] as? [String] == ["", "mV", ""])
        let digital = try #require(edf["digital"] as? [[Double]])
        let physical = try #require(edf["physical"] as? [[Double]])
        for channel in 0..<3 { #expect(digital[channel] == filled(channel), "channel \(channel)") }
        for (value, raw) in zip(physical[1], filled(1)) { #expect(abs(value - (raw * 3 / 1024 - 1.5)) < 1e-5) }
        let annotations = try #require(edf["annotations"] as? [[Any]])
        let texts = annotations.map { $0[2] as? String }
        #expect(texts == ["Stoß, eins", "100 samples lost", "two"])
        #expect(annotations.map { $0[0] as? Double } == [0.5, 1.5, 2.0])
        #expect(annotations[1][1] as? Double == 0.1)
        let mne = try await read("mne", files[0])
        #expect(mne["samples"] as? Int == 3000)
        #expect((mne["annotations"] as? [[Any]])?.map { $0[2] as? String } == texts)
        #expect((mne["annotations"] as? [[Any]])?.map { $0[0] as? Double } == [0.5, 1.5, 2.0])
        // MNE converts to volts.
        let first = try #require((mne["first"] as? [Double])?[1])
        #expect(abs(first - -1.5e-3) < 1e-8)
    }

    @Test func sqliteInPythonsModule() async throws {
        let (folder, files) = try await files([.sqlite])
        defer { try? FileManager.default.removeItem(at: folder) }
        let sessions = try #require(try await read("sqlite3", files[0])["sessions"] as? [[String: Any]])
        let session = try #require(sessions.first)
        #expect(session["samples"] as? Int == 2900 && session["lost"] as? Int == 100)
        #expect(session["reason"] as? String == "finished")
        #expect(session["indices"] as? [Int] == rows)
        let columns = try #require(session["columns"] as? [[Double]])
        for channel in 0..<3 { #expect(columns[channel] == rows.map { Self.value($0, channel) }) }
        #expect(session["gaps"] as? [[Int]] == [[1500, 100]])
        #expect((session["markers"] as? [[Any]])?.map { $0[1] as? String } == ["Stoß, eins", "two"])
    }

    @Test func lslInPylsl() async throws {
        let (folder, files) = try await files([.sqlite])
        defer { try? FileManager.default.removeItem(at: folder) }
        let name = "Board"
        let inlet = try PeerProcess(Programs.python, [Programs.file("Tests/Peers/lsl_inlet.py"), name, "300"])
        let library = Programs.file(".venv/lib")
        let found = try #require(
            FileManager.default.enumerator(atPath: library)?.compactMap { $0 as? String }
                .first { $0.hasSuffix("pylsl/lib/liblsl.so") })
        let player = try PeerProcess(
            Programs.cerulean, ["play", files[0], "--lsl", "--speed", "0.1"],
            environment: ["CERULEAN_LSL": "\(library)/\(found)"])
        let stream = try await inlet.event("stream")
        #expect(stream["rate"] as? Double == 1000)
        #expect(stream["labels"] as? [String] == ["I1", "A1", "A2"])
        let samples = try await inlet.event("samples")
        player.kill()
        let rows = try #require(samples["rows"] as? [[Double]])
        #expect(rows.count == 300)
        // Whatever was there first, one row follows the other as they were recorded.
        let start = try #require(self.rows.first { Self.value($0, 1) == rows[0][1] && Self.value($0, 2) == rows[0][2] })
        let place = try #require(self.rows.firstIndex(of: start))
        for (offset, row) in rows.enumerated() where place + offset < self.rows.count {
            let index = self.rows[place + offset]
            #expect(row == (0..<3).map { Self.value(index, $0) })
        }
    }
}
