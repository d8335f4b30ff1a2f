// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanSensing
import CeruleanWire
import Foundation
import Testing

@Suite struct RecorderTests {
    /// 2026-11-30 07:03:04.250 UTC.
    private static let start = WallTime(milliseconds: 1_796_022_184_250)

    private static func record(
        _ script: [SampleEvent], duration: Double? = nil, info: SourceDescription = .board,
        _ body: (TemporaryDirectory, RecordingSummary) throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let recorder = Recorder(
            source: ScriptedSource(script, info: info), duration: duration, clock: { start })
        let summary = try await recorder.run([.openSignals, .csv, .jsonLines], in: directory.path)
        try body(directory, summary)
    }

    @Test func writesThreeFormatsWithGapsMarked() async throws {
        let script: [SampleEvent] = [
            .rows(0, [500, 501]),
            .rows(5, [502, 503], gaps: [.init(row: 0, lost: 3), .init(row: 1, lost: 16, isAmbiguous: true)]),
            .ended(EndReason(.stopped)),
        ]
        try await Self.record(script) { directory, summary in
            #expect(summary.samples == 4)
            #expect(summary.lost == 19)
            #expect(summary.isAmbiguous)
            let name = "BITalino_BLE-20261130-070304"
            #expect(summary.files == ["txt", "csv", "jsonl"].map { "\(directory.path)/\(name).\($0)" })
            let signals = try directory.text("\(name).txt").split(separator: "\n", omittingEmptySubsequences: false)
            #expect(signals[0] == "# OpenSignals Text File Format. Version 1")
            #expect(signals[2] == "# EndOfHeader")
            #expect(
                signals[3...] == [
                    "0\t1\t1\t0\t0\t500\t", "1\t1\t1\t0\t0\t501\t", "5\t1\t1\t0\t0\t502\t", "6\t1\t1\t0\t0\t503\t", "",
                ])
            let header = try #require(try JSONText.parse(signals[1].dropFirst(2))["20:16:11:02:85:30"])
            #expect(header["device"] == "bitalino_rev")
            #expect(header["column"] == ["nSeq", "I1", "I2", "O1", "O2", "A2"])
            #expect(header["channels"] == [2])
            #expect(header["resolution"] == [4, 1, 1, 1, 1, 10])
            #expect(header["digital IO"] == [0, 0, 1, 1])
            #expect(header["firmware version"] == 1282)
            #expect(header["sampling rate"] == 100)
            #expect(header["date"] == "2026-11-30")
            #expect(header["time"] == "7:3:4.250")
            #expect(
                try directory.text("\(name).csv") == """
                    index,time,hostTime,lostBefore,I1,I2,O1,O2,A2,A2 (mV)
                    0,0,1796022184.250,0,1,1,0,0,500,-6
                    1,0.01,1796022184.250,0,1,1,0,0,501,-5.5
                    5,0.05,1796022184.300,3,1,1,0,0,502,-5
                    22,0.22,1796022184.300,16,1,1,0,0,503,-4.5

                    """)
            let lines = try directory.text("\(name).jsonl").split(separator: "\n").map { try JSONText.parse($0) }
            #expect(
                lines.map { $0["type"] } == ["header", "sample", "sample", "gap", "sample", "gap", "sample", "end"])
            #expect(lines[0]["start"] == "2026-11-30T07:03:04.250Z")
            #expect(lines[1]["values"] == ["I1": 1, "I2": 1, "O1": 0, "O2": 0, "A2": 500])
            #expect(lines[3] == ["type": "gap", "index": 2, "lost": 3])
            #expect(lines[5] == ["type": "gap", "index": 6, "lost": 16, "ambiguous": true])
            #expect(lines[7] == ["type": "end", "samples": 4, "lost": 19, "reason": "stopped"])
        }
    }

    /// Samples and lost ones make exactly duration times rate, wherever the end falls.
    @Test(arguments: [
        (0.05, 5, 0, 0), (0.02, 2, 0, 0), (0.08, 5, 3, 3), (0.1, 5, 5, 5), (0.11, 6, 5, 5), (0.12, 7, 5, 5),
    ])
    func endsExactlyAlsoInAGap(duration: Double, samples: Int, lost: Int, marked: Int) async throws {
        let script: [SampleEvent] = [
            .rows(0, [1, 2, 3, 4, 5]), .rows(10, [6, 7, 8], gaps: [.init(row: 0, lost: 5)]), .rows(13, [9]),
            .ended(EndReason(.stopped)),
        ]
        try await Self.record(script, duration: duration) { directory, summary in
            #expect(summary.samples == samples)
            #expect(summary.lost == lost)
            #expect(summary.reason.code == .finished)
            let lines = try String(contentsOfFile: summary.files[2], encoding: .utf8).split(separator: "\n")
                .map { try JSONText.parse($0) }
            let gaps = lines.filter { $0["type"] == "gap" }.map { $0["lost"] }
            #expect(gaps == (marked > 0 ? [FieldValue(integer: marked)] : []))
        }
    }

    @Test func marksLostConnections() async throws {
        let script: [SampleEvent] = [
            .rows(0, [1]), .connectionLost("out of range"), .connectionResumed,
            .marker(Marker(text: "button", index: 1, hostTime: .zero)),
            .ended(EndReason(.connectionLost, error: RecordingError(.badData, path: "x", detail: "gone"))),
        ]
        try await Self.record(script) { _, summary in
            #expect(summary.connectionsLost == 1)
            let lines = try String(contentsOfFile: summary.files[2], encoding: .utf8).split(separator: "\n")
                .map { try JSONText.parse($0) }
            #expect(
                lines.filter { $0["type"] == "marker" }.map { $0["text"] }
                    == ["connection lost: out of range", "connection resumed", "button"])
            #expect(lines.last?["reason"] == "connectionLost: x: gone")
        }
    }

    @Test func sourcesWithoutARateAreCutByTimeAndHaveNoOpenSignals() async throws {
        var info = SourceDescription(
            kind: "heartrate", name: "Strap",
            channels: [Channel(name: "Heart rate", unit: "bpm"), Channel(name: "RR")],
            rate: nil)
        let block = SampleBlock(
            firstIndex: 0, deviceTime: 0, hostTime: .zero, channelCount: 2, values: [60, .nan, 61, 0.98, 62, .nan],
            rowTimes: [0, 0.9, 2.1])
        let directory = try TemporaryDirectory()
        let recorder = Recorder(
            source: ScriptedSource([.block(block), .ended(EndReason(.stopped))], info: info), duration: 2,
            clock: { Self.start })
        let error = await #expect(throws: RecordingError.self) {
            try await recorder.run([.openSignals], in: directory.path)
        }
        #expect(error?.code == .unsupported)
        let summary = try await recorder.run([.csv], in: directory.path)
        #expect(summary.samples == 2)
        #expect(
            try String(contentsOfFile: summary.files[0], encoding: .utf8).split(separator: "\n").dropFirst()
                == ["0,0,1796022184.250,0,60,", "1,0.9,1796022184.250,0,61,0.98"])
        info.name = "x"
    }

    @Test func neverOverwritesAFile() async throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/BITalino_BLE-20261130-070304.csv"
        try "mine".write(toFile: path, atomically: true, encoding: .utf8)
        let source = ScriptedSource([.rows(0, [1]), .ended(EndReason(.stopped))])
        let recorder = Recorder(source: source, clock: { Self.start })
        let error = await #expect(throws: RecordingError.self) {
            try await recorder.run([.openSignals, .csv], in: directory.path)
        }
        #expect(error?.code == .fileExists)
        #expect(error?.path == path)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    @Test func saysWhenNothingCanBeWritten() async throws {
        let source = ScriptedSource([.rows(0, [1]), .ended(EndReason(.stopped))])
        let error = await #expect(throws: RecordingError.self) {
            try await Recorder(source: source).run([.csv], in: "/nonexistent/directory")
        }
        #expect(error?.code == .cannotWrite)
    }

    @Test func namesKeepLettersAndDigits() {
        #expect(RecordingName.sanitized("My Board/#1 ü_-") == "My_Board__1_ü_-")
        #expect(RecordingName.sanitized("") == "device")
        var other = SourceDescription.board
        other.address = BluetoothAddress("20:16:11:02:AB:CD")
        #expect(
            RecordingName.bases(of: [.board, other]) == ["BITalino_BLE-8530", "BITalino_BLE-ABCD"])
        #expect(RecordingName.bases(of: [.board]) == ["BITalino_BLE"])
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (1_709_251_199_999, "2024-02-29T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
    ])
    func writesDates(milliseconds: Int64, text: String) {
        #expect(WallTime(milliseconds: milliseconds).rfc3339 == text)
    }
}
