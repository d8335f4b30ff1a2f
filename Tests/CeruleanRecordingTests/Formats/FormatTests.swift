// SPDX-License-Identifier: Apache-2.0

import CeruleanSensing
import CeruleanWire
import Foundation
import Testing

@testable import CeruleanRecording

/// What one format writes, all of them read.
@Suite struct FormatTests {
    private static let start = WallTime(rfc3339: "2026-11-30T19:33:00Z") ?? .now

    private static func session(rate: Double? = 100, lost: Range<Int> = 130..<150) -> RecordedSession {
        let source = SourceDescription(
            kind: "bitalino", name: "Board", address: BluetoothAddress("C7:CE:00:00:00:10"), firmware: "5.2",
            model: "bitalino_rev",
            channels: [
                Channel(name: "I1", quantity: .logicLevel, resolution: 1, range: 0...1, role: .digitalInput),
                Channel(name: "A1", resolution: 10, range: 0...1023, sensor: "RAW"),
                Channel(name: "temperature", quantity: .temperature, unit: "°C", range: -40...80),
            ], rate: rate, sequenceBits: 16)
        let indices = (0..<300).filter { !lost.contains($0) }
        return RecordedSession(
            source: source, start: start,
            values: indices.flatMap { [Double($0 % 2), Double($0 * 3 % 1024), Double($0) / 8] }, indices: indices,
            times: rate == nil ? indices.map { Double($0) / 7 } : [],
            marks: [.init(index: 50, text: "begin"), .init(index: 200, text: "end")])
    }

    private func write(_ session: RecordedSession, _ formats: [RecordingFormat]) async throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("formats-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try await Recorder(source: ReplaySource(session), clock: { Self.start }).run(formats, in: folder.path)
            .files
    }

    private func remove(_ files: [String]) {
        for file in files { try? FileManager.default.removeItem(atPath: (file as NSString).deletingLastPathComponent) }
    }

    @Test(arguments: ["opensignals", "csv", "jsonl", "sqlite"])
    func whatIsWrittenIsReadBack(name: String) async throws {
        let session = Self.session()
        let files = try await write(session, [try #require(RecordingFormat.named(name))])
        defer { remove(files) }
        let read = try #require(try RecordedSession.read(files[0]).first)
        #expect(read.values == session.values)
        #expect(read.indices == session.indices)
        #expect(read.lost == 20)
        #expect(read.source.rate == 100)
        #expect(read.source.channels.map(\.name) == ["I1", "A1", "temperature"])
        #expect(!read.isCut)
        #expect(read.start?.milliseconds ?? 0 == Self.start.milliseconds)
        if name == "jsonl" || name == "sqlite" {
            #expect(read.marks == session.marks)
            #expect(read.source.kind == "bitalino" && read.source.firmware == "5.2")
        }
    }

    @Test func edfKeepsWholeNumbersAndFillsGaps() async throws {
        let session = Self.session()
        let files = try await write(session, [.edf])
        defer { remove(files) }
        let read = try #require(try RecordedSession.read(files[0]).first)
        #expect(read.rowCount == 300)
        let filled = (0..<300).map { (130..<150).contains($0) ? 129 : $0 }
        #expect(read.column(0) == filled.map { Double($0 % 2) })
        #expect(read.column(1) == filled.map { Double($0 * 3 % 1024) })
        for (value, index) in zip(read.column(2), filled) { #expect(abs(value - Double(index) / 8) < 0.002) }
        #expect(read.source.channels[2].unit == "degC")
        #expect(read.marks.map(\.text) == ["begin", "20 samples lost", "end"])
        #expect(read.marks.map(\.index) == [50, 130, 200])
        #expect(read.start == Self.start)
    }

    /// The file is whole behind every record: what EDFlib would write only at the end is there already.
    @Test func edfIsWholeAtAnyMoment() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("edf-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("a.edf").path
        let source = Self.session().source
        let writer = try RecordingFormat.edf.makeWriter(
            RecordingHeader(source: source, start: Self.start), to: .file(path))
        for block in 0..<10 {
            let values = (0..<25).flatMap { row -> [Double] in [0, Double(block * 25 + row), 20] }
            try writer.write(
                SampleBlock(
                    firstIndex: block * 25, deviceTime: Double(block) / 4, hostTime: .zero, channelCount: 3,
                    values: values), arrival: Self.start)
            try writer.writeMarker("block \(block)", index: block * 25, arrival: Self.start)
            let copy = folder.appendingPathComponent("copy\(block).edf")
            try FileManager.default.copyItem(atPath: path, toPath: copy.path)
            guard block > 0 else { continue }
            let read = try #require(try RecordedSession.read(copy.path).first)
            // A record holds ten rows.
            #expect(read.rowCount == (block + 1) * 25 / 10 * 10)
            #expect(read.column(1) == (0..<read.rowCount).map { Double($0) })
            #expect(read.marks.count >= block)
        }
        try writer.finish(samples: 250, lost: 0, reason: EndReason(.finished))
        let read = try #require(try RecordedSession.read(path).first)
        #expect(read.marks.map(\.text) == (0..<10).map { "block \($0)" })
    }

    @Test func edfNotesWhatItCannotHold() async throws {
        var session = Self.session(lost: 0..<0)
        session.marks = [.init(index: 3, text: String(repeating: "ü", count: 150))]
        session.values[3 * 40 + 2] = 1000
        session.values[3 * 60 + 2] = .nan
        session.values = Array(session.values.prefix(3 * 295))
        session.indices = []
        let files = try await write(session, [.edf])
        defer { remove(files) }
        let read = try #require(try RecordedSession.read(files[0]).first)
        let texts = read.marks.map(\.text)
        #expect(texts[0].allSatisfy { $0 == "ü" } && (20..<150).contains(texts[0].count))
        #expect(
            texts.dropFirst() == [
                "temperature beyond its range from here", "temperature is back", "no value of temperature from here",
                "end of recording, 5 samples of padding",
            ])
        #expect(abs(read.column(2)[40] - 80) < 0.01)
    }

    @Test func irregularSamplesAreRefusedOrKept() async throws {
        let session = Self.session(rate: nil, lost: 0..<0)
        for format in [RecordingFormat.openSignals] {
            await #expect(throws: RecordingError.self) { try await write(session, [format]) }
        }
        let files = try await write(session, [.sqlite, .csv, .jsonLines])
        defer { remove(files) }
        for file in files {
            let read = try #require(try RecordedSession.read(file).first)
            #expect(read.source.rate == 7 || read.times.count == 300)
            #expect(read.values == session.values)
        }
    }

    @Test func aDatabaseTakesManySessionsAndNothingElse() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("many-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/all.sqlite"
        for _ in 0..<3 {
            let recorder = Recorder(source: ReplaySource(Self.session()), clock: { Self.start })
            let summary = try await recorder.run([.sqlite], in: folder, database: path)
            #expect(summary.files == [path])
        }
        let sessions = try RecordedSession.read(path)
        #expect(sessions.count == 3)
        #expect(sessions.allSatisfy { $0.values == Self.session().values })
        let other = folder + "/other.sqlite"
        try SQLiteDatabase(other, writes: true).execute("CREATE TABLE mine(a)")
        await #expect(throws: RecordingError.self) {
            try await Recorder(source: ReplaySource(Self.session())).run([.sqlite], in: folder, database: other)
        }
    }

    @Test func severalDevicesJoinInOneFile() async throws {
        var left = Self.session(lost: 0..<0)
        var right = Self.session()
        left.source.address = BluetoothAddress("C7:CE:00:00:00:01")
        right.source.address = BluetoothAddress("C7:CE:00:00:00:02")
        // The right one began half a second later.
        right.start = WallTime(milliseconds: Self.start.milliseconds + 500)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("join-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = try OpenSignalsJoin.write([left, right], in: folder)
        let joined = try OpenSignalsRecording(contentsOfFile: path)
        #expect(joined.devices.map(\.id) == ["C7:CE:00:00:00:01", "C7:CE:00:00:00:02"])
        #expect(joined.rowCount == 250)
        #expect(joined.devices[0].column(named: "A1")?.first == 150)
        #expect(joined.devices[1].column(named: "A1")?.first == 0)
        let gap = joined.devices[1].column(named: "A1")?[130..<150] ?? []
        #expect(gap.filter(\.isNaN).count == 20)
        #expect(joined.devices[1].column(named: "nSeq") == (0..<250).map { Double($0) })
        #expect(throws: RecordingError.self) { try OpenSignalsJoin.write([left], in: folder) }
    }

    /// Damaged files are refused or cut, never a trap.
    @Test(arguments: ["opensignals", "csv", "jsonl", "sqlite", "edf"])
    func damagedFilesAreNoTrap(name: String) async throws {
        let files = try await write(Self.session(), [try #require(RecordingFormat.named(name))])
        defer { remove(files) }
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: files[0])))
        var state: UInt64 = 7
        func chance(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        for round in 0..<40 {
            var damaged = bytes
            if round % 2 == 0 { damaged = Array(damaged.prefix(chance(bytes.count))) }
            for _ in 0..<(round % 5) where !damaged.isEmpty { damaged[chance(damaged.count)] = UInt8(chance(256)) }
            let path = files[0] + ".damaged"
            try Data(damaged).write(to: URL(fileURLWithPath: path))
            _ = try? RecordedSession.read(path)
        }
    }
}
