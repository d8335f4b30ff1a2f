// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanSensing
import CeruleanWire
import Foundation
import Testing

@testable import CeruleanCommand

/// Boards and recordings on the command line, in the simulated room.
@Suite struct BoardVerbTests {
    private static func folder() throws -> String {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("verbs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url.path
    }

    private static func files(_ outcome: RoomVerbTests.Outcome) -> [String] {
        guard case .list(let devices)? = outcome.test.objects.last?["devices"] else { return [] }
        return devices.flatMap { device -> [String] in
            guard case .list(let files)? = device["files"] else { return [] }
            return files.compactMap { if case .text(let path) = $0 { path } else { nil } }
        }
    }

    @Test func devicesAreListed() async throws {
        let test = TestConsole()
        #expect(await test.run("devices", "--json") == .ok)
        #expect(
            test.objects.map { $0["kind"] } == ["bitalino", "bluest", "redbear", "sensortag", "heartrate", "source"])
    }

    @Test func boardsAreDecoded() async throws {
        let test = TestConsole()
        #expect(await test.run("decode", "redbear", "rbl", "470f3209", "4705") == .badData)
        #expect(test.objects[0] == ["ok": true, "value": ["messages": [["pin": 15, "mode": 2, "value": 777]]]])
        #expect(test.objects[1]["error"]?["code"] == "truncated")
        #expect(await test.run("decode", "redbear", "nothing", "00") == .usage)
        let tag = TestConsole()
        #expect(
            await tag.run("decode", "sensortag", "--model", "CC2541", "--firmware", "1.4", "--uuid", "AA11", "40c000")
                == .ok)
        #expect(tag.objects[0]["value"] == ["x": 1.0, "y": -1.0, "z": 0.0])
        #expect(await tag.run("decode", "sensortag", "--model", "CC2541", "--uuid", "AA41", "d9f6cb84") == .badData)
        #expect(tag.objects[1]["error"]?["code"] == "missingCalibration")
        #expect(await tag.run("decode", "sensortag", "--model", "CC2541", "--uuid", "AA71", "6400") == .usage)
    }

    @Test(arguments: [
        ("CC2650 SensorTag", "sensortag", 10, 20), ("BLE Shield", "redbear", 20, 40),
    ])
    func everyDeviceIsRecordedInEveryFormat(name: String, kind: String, rate: Int, samples: Int) async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let outcome = try await RoomVerbTests.run(
            "record", "--name", name, "--seconds", "2", "--format", "opensignals,csv,jsonl,edf,sqlite", "--output",
            folder,
            "--json")
        #expect(outcome.code == .ok)
        guard case .list(let devices)? = outcome.test.objects.last?["devices"] else {
            Issue.record("no summary")
            return
        }
        #expect(devices[0]["kind"] == .text(kind) && devices[0]["samples"] == FieldValue(integer: samples))
        let files = Self.files(outcome)
        #expect(files.count == 5)
        let read = try files.map { try RecordedSession.read($0)[0] }
        for session in read { #expect(session.rowCount == samples && session.source.rate == Double(rate)) }
        // The text formats hold the same numbers.
        #expect(read[0].values.description == read[1].values.description)
        #expect(read[1].values.description == read[2].values.description)
        #expect(read[2].values.description == read[4].values.description)
    }

    @Test func whatComesIrregularlyIsRecordedWithItsOwnTimes() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let outcome = try await RoomVerbTests.run(
            "record", "--name", "cerulean strap", "--seconds", "5", "--format", "csv,jsonl,edf,sqlite", "--output",
            folder, "--json")
        #expect(outcome.code == .ok)
        let files = Self.files(outcome)
        #expect(files.count == 4)
        let read = try files.map { try RecordedSession.read($0)[0] }
        #expect(read[1].source.rate == nil && read[3].source.rate == nil)
        #expect(read[0].values.description == read[1].values.description)
        #expect(read[0].values.description == read[3].values.description)
        // EDF+ has the newest value of each second, and says so.
        #expect(read[2].source.rate == 1)
        #expect(read[2].marks.contains { $0.text.contains("irregularly") })
        let beats = read[0].column(0)
        for (second, value) in read[2].column(0).enumerated() {
            let newest = Array(zip(read[1].times, beats)).last { $0.0 <= Double(second) }?.1 ?? .nan
            #expect(abs(value - newest) < 0.01)
        }
        let refused = try await RoomVerbTests.run(
            "record", "--name", "cerulean strap", "--seconds", "1", "--format", "opensignals", "--output", folder)
        #expect(refused.code != .ok)
    }

    @Test func aGlucoseMeterGivesItsRecordsAndAMonitorGoesOn() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let world = folder + "/meters.json"
        try #"{"devices":[{"kind":"glucose"},{"kind":"cgm"}]}"#.write(toFile: world, atomically: true, encoding: .utf8)
        let room = try SimulatedRoom(contentsOf: world)
        let meter = try await RoomVerbTests.run(
            ["record", "--name", "cerulean glucose", "--seconds", "2", "--output", folder, "--json"], in: room)
        #expect(meter.code == .ok)
        let records = try RecordedSession.read(try #require(Self.files(meter).first))[0]
        #expect(records.source.channels.map(\.name) == ["sequenceNumber", "glucose", "measured", "status"])
        #expect(records.column(0) == (1...12).map(Double.init))
        // 93 mg/dL are 93e-5 kg/L; half an hour behind 2026-11-30 06:00.
        #expect(records.column(1)[0] == 93 && records.column(2)[0] == 1_796_020_200)
        let last = try await RoomVerbTests.run(
            [
                "record", "--name", "cerulean glucose", "--seconds", "1", "--set", "records=last", "--format", "jsonl",
                "--output", folder, "--json",
            ], in: room)
        let newest = try RecordedSession.read(try #require(Self.files(last).first))[0]
        #expect(newest.column(0) == [12] && newest.column(1) == [126])
        let monitor = try await RoomVerbTests.run(
            [
                "record", "--name", "cerulean cgm", "--seconds", "4", "--format", "jsonl", "--output", folder, "--json",
            ], in: room)
        let minutes = try RecordedSession.read(try #require(Self.files(monitor).first))[0].column(0)
        // Kept ones first, three in a value; then those that are measured.
        #expect(minutes.count > 14 && minutes == minutes.indices.map { Double($0 + 1) })
        let wrong = try await RoomVerbTests.run(
            ["record", "--name", "cerulean cgm", "--set", "records=some", "--output", "-"], in: room)
        #expect(wrong.code == .usage)
    }

    @Test func aCharacteristicWithAPresentationFormatIsRecorded() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let outcome = try await RoomVerbTests.run(
            "record", "--name", "cerulean climate", "--seconds", "3", "--output", folder, "--json")
        #expect(outcome.code == .ok)
        let file = try #require(Self.files(outcome).first)
        // Without a rate, CSV is the default.
        #expect(file.hasSuffix(".csv"))
        let session = try RecordedSession.read(file)[0]
        #expect(session.source.channels.map(\.name) == ["Temperature", "Humidity"])
        #expect(session.column(0).allSatisfy { (21...23).contains($0) })
    }

    @Test func allBoardsAreRecordedOnOneClockAndConverted() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var room = try SimulatedRoom(contentsOf: Self.world(in: folder))
        room.seed = 3
        let outcome = try await RoomVerbTests.run(
            [
                "record", "--all", "--join", "--rate", "1000", "--channels", "1,2,3", "--seconds", "2", "--database",
                folder + "/all.sqlite", "--output", folder, "--json",
            ], in: room)
        #expect(outcome.code == .ok)
        guard case .list(let devices)? = outcome.test.objects.last?["devices"] else {
            Issue.record("no summary")
            return
        }
        #expect(devices.count == 3)
        for device in devices {
            #expect(device["samples"] == 2000 && device["lost"] == 0)
            #expect(device["firstSample"] != nil)
        }
        let sessions = try RecordedSession.read(folder + "/all.sqlite")
        #expect(sessions.count == 3 && sessions.allSatisfy { $0.rowCount == 2000 })
        // The file of all holds what each recorded, from the moment that all share.
        let together = try RecordedSession.read(try #require(Self.files(outcome).first { $0.hasSuffix(".txt") }))
        #expect(together.map(\.source.name) == sessions.map { $0.source.address?.description ?? "" })
        for (whole, alone) in zip(together, sessions) {
            #expect(whole.rowCount > 1800 && whole.rowCount <= 2000 && whole.lost == 0)
            let a1 = whole.column(4)
            let start = (0...(2000 - whole.rowCount)).first { shift in
                a1 == Array(alone.column(4)[shift..<shift + whole.rowCount])
            }
            #expect(start != nil)
        }
        let test = TestConsole()
        #expect(await test.run("convert", folder + "/all.sqlite", "--join", "--output", folder + "/joined") == .ok)
        let joined = try OpenSignalsRecording(contentsOfFile: String(test.out.dropLast()))
        #expect(joined.devices.count == 3 && joined.rowCount > 1900)
        let list = TestConsole()
        #expect(await list.run("play", folder + "/all.sqlite", "--list", "--json") == .ok)
        #expect(list.objects.count == 3)
    }

    private static func world(in folder: String) throws -> String {
        let text = """
            {"seed": 1, "devices": [{"kind": "bitalino", "name": "B1"}, {"kind": "bitalino", "name": "B2"},
             {"kind": "bitalino", "name": "B3"}]}
            """
        let path = folder + "/world.json"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test func chartsShowWhatCameWithAScaleOfTheirOwn() throws {
        let source = SourceDescription(
            kind: "source", name: "x",
            channels: [Channel(name: "a", unit: "mV"), Channel(name: "b"), Channel(name: "I1", role: .digitalInput)],
            rate: 100)
        var chart = BrailleChart(source, size: (width: 62, height: 20))
        let values = (0..<500).flatMap { row -> [Double] in [Double(row % 100), 5, 1] }
        chart.add(
            SampleBlock(firstIndex: 0, deviceTime: 0, hostTime: .zero, channelCount: 3, values: values))
        let lines = chart.lines
        #expect(lines.count == chart.lineCount)
        #expect(lines[0] == "a  99 mV")
        #expect(lines[1].contains("99 │") && lines.contains { $0.contains(" 0 │") })
        #expect(lines.contains("b  5"))
        #expect(!lines.contains { $0.contains("I1") })
        let dots = lines.joined().unicodeScalars.filter { (0x2801...0x28FF).contains($0.value) }
        #expect(dots.count > 50)
    }

    @Test func serialDevicesOfEveryProfileAreServed() async throws {
        for profile in ["nordic-uart", "hm-10", "microchip-transparent-uart", "redbear"] {
            let folder = try Self.folder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let text = #"{"devices":[{"kind":"uart","options":{"profile":"\#(profile)"}}]}"#
            try text.write(toFile: folder + "/uart.json", atomically: true, encoding: .utf8)
            let room = try SimulatedRoom(contentsOf: folder + "/uart.json")
            let outcome = try await RoomVerbTests.run(["info", "--name", "cerulean uart", "--json"], in: room)
            #expect(outcome.code == .ok, "\(profile)")
        }
    }
}
