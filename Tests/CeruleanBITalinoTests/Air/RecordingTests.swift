// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanBITalino
import CeruleanRecording
import CeruleanSensing
import CeruleanTesting
import CeruleanWire
import Foundation
import Testing

@Suite struct RecordingTests {
    private static let data = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("data/bitalino").path

    private static func replays() throws -> [String: RecordedSignal] {
        var replays: [String: RecordedSignal] = [:]
        for file in ["bvp_motion_artifact.txt", "eda_hot_surface.txt"] {
            let device = try OpenSignalsRecording(contentsOfFile: "\(data)/\(file)").devices[0]
            for name in device.columnNames.dropFirst() {
                replays[name] = RecordedSignal(values: device.column(named: name) ?? [], rate: device.rate ?? 0)
            }
        }
        return replays
    }

    private static func directory() throws -> String {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("cerulean-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url.path
    }

    /// The columns of the recorded file equal the first rows of the files that were replayed.
    @Test func recordingsComeBackEqual() async throws {
        let device = try #require(
            try BITalinoDriver().makeSimulated(SimulationOptions(replays: Self.replays())) as? SimulatedBITalino)
        var live = device
        for input in [BITalino.Input.a1, .a4, .a5, .a6] { live.signals[input] = .table(input) }
        let directory = try Self.directory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let summary = try await BoardRoom.run(live) { room in
            let source = try await BITalinoDriver().open(
                try await room.find().peripheral, options: SourceOptions(rate: 1000))
            return try await Recorder(source: source, duration: 32).run(
                [.openSignals, .csv, .jsonLines], in: directory)
        }
        #expect(summary.samples == 32_000)
        #expect(summary.lost == 0)
        #expect(summary.reason.code == .finished)
        let recorded = try OpenSignalsRecording(contentsOfFile: summary.files[0])
        #expect(recorded.rowCount == 32_000)
        let columns = recorded.devices[0]
        #expect(columns.columnNames == ["nSeq", "I1", "I2", "O1", "O2", "A1", "A2", "A3", "A4", "A5", "A6"])
        #expect(columns.column(named: "nSeq") == (0..<32_000).map { Double($0 % 16) })
        for (name, signal) in try Self.replays() {
            let expected = (0..<32_000).map { signal.values[$0 % signal.values.count] }
            #expect(columns.column(named: name) == expected, "\(name)")
        }
        #expect(columns.column(named: "A3")?.prefix(3) == [461, 460, 461])
        #expect(columns.column(named: "A4")?.prefix(2) == [511, 638])
        let csv = try String(contentsOfFile: summary.files[1], encoding: .utf8).split(separator: "\n")
        #expect(csv.count == 32_001)
        #expect(csv[0] == "index,time,hostTime,lostBefore,I1,I2,O1,O2,A1,A2,A3,A4,A5,A6")
        let lines = try String(contentsOfFile: summary.files[2], encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 32_002)
        #expect(lines.last == #"{"type":"end","samples":32000,"lost":0,"reason":"finished"}"#)
    }

    @Test func lostLinksAreMarkedGapsAndTheCountIsExact() async throws {
        let directory = try Self.directory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let summary = try await BoardRoom.run { room in
            let options = SourceOptions(channels: ["A1", "A2"], rate: 1000, reconnectTimeout: .seconds(30))
            let source = try await BITalinoDriver().open(try await room.find().peripheral, options: options)
            return try await withThrowingTaskGroup(of: RecordingSummary?.self) { group in
                group.addTask {
                    for _ in 0..<3 {
                        try await room.simulation.advance(by: .seconds(4))
                        room.world.drop(room.phone, room.sensor)
                    }
                    return nil
                }
                group.addTask {
                    try await Recorder(source: source, duration: 20).run([.csv, .jsonLines], in: directory)
                }
                while let result = try await group.next() {
                    if let result { return result }
                }
                throw CancellationError()
            }
        }
        #expect(summary.connectionsLost == 3)
        #expect(summary.samples + summary.lost == 20_000)
        #expect(summary.lost > 0)
        let lines = try String(contentsOfFile: summary.files[1], encoding: .utf8).split(separator: "\n")
        let gaps = try lines.map { try JSONText.parse($0) }.filter { $0["type"] == "gap" }
        #expect(gaps.count == 3)
        let rows = try String(contentsOfFile: summary.files[0], encoding: .utf8).split(separator: "\n").dropFirst()
        let marked = rows.compactMap { Int($0.split(separator: ",")[3]) }.reduce(0, +)
        #expect(marked == summary.lost)
    }

    /// The radio is silent for longer than the board's buffer lasts: frames are lost at the board, and the count is exact
    /// although it exceeds what four bits can tell.
    @Test(arguments: [1100, 1300, 1550, 1800])
    func silencesAreCountedExactly(milliseconds: Int) async throws {
        try await BoardRoom.run { room -> Void in
            let board = try await room.connect()
            let phone = try #require(room.world.station(of: room.phone))
            let sensor = try #require(room.world.station(of: room.sensor))
            var index = -1
            var frames: [BITalino.Frame] = []
            for try await frame in board.frames(channels: BITalino.Input.allCases, rate: .hz1000, mode: .simulated) {
                #expect(frame.index == index + 1 + frame.lostBefore)
                index = frame.index
                frames.append(frame)
                if index == 2000 { room.world.interrupt(phone, sensor, for: .milliseconds(milliseconds)) }
                if index >= 8000 { break }
            }
            let lost = frames.reduce(0) { $0 + $1.lostBefore }
            // Where a gap does not show in the sequence, only what comes behind it is certain.
            let isCertain = !frames.contains { $0.isLossAmbiguous }
            // The table of A6 repeats after 100 frames: it tells what the number must be.
            let wrong = frames.filter { frame in
                let angle = 2 * Double.pi * Double(frame.index % 100) / 100
                return frame[.a6] != Int((31.5 + 31 * sin(angle) + 1e-9).rounded(.down))
            }
            #expect(wrong.isEmpty || !isCertain && wrong.allSatisfy { $0.index < 6000 })
            #expect(lost > 0)
        }
    }

    /// Octets are lost, damaged and doubled on the line: the numbers of the frames stay right.
    @Test(arguments: [1, 2, 3])
    func damagedStreamsKeepTheirNumbers(seed: UInt64) async throws {
        var device = SimulatedBITalino()
        device.faults = BITalino.LineFaults(loss: 2e-4, damage: 2e-4, doubling: 1e-4, seed: seed)
        let frames = try await BoardRoom.run(device) { room in
            let board = try await room.connect()
            var frames: [BITalino.Frame] = []
            for try await frame in board.frames(channels: BITalino.Input.allCases, rate: .hz1000, mode: .simulated) {
                frames.append(frame)
                if frame.index >= 20_000 { break }
            }
            return frames
        }
        let right = frames.filter { frame in
            let angle = 2 * Double.pi * Double(frame.index % 100) / 100
            return frame[.a6] == Int((31.5 + 31 * sin(angle) + 1e-9).rounded(.down))
        }
        // Some 80 faults cost one or two frames each; a checksum of four bits lets a few wrong ones pass.
        #expect(frames.count > 19_700)
        #expect(frames.count - right.count <= 20)
        #expect(frames.reduce(0) { $0 + $1.lostBefore } + frames.count == (frames.last?.index ?? 0) + 1)
    }
}
