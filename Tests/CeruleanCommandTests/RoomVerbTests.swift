// SPDX-License-Identifier: Apache-2.0
import Cerulean
import CeruleanAdapters
import CeruleanHost
import CeruleanTesting
import CeruleanWire
import Foundation
import Testing

@testable import CeruleanCommand

/// Runs verbs in the simulated room, on virtual time.
@Suite struct RoomVerbTests {
    struct Outcome: Sendable {
        var code: ExitCode
        var test: TestConsole
    }

    static func run(_ arguments: String...) async throws -> Outcome {
        try await run(arguments, in: .demonstration())
    }

    static func run(_ arguments: [String], in room: SimulatedRoom) async throws -> Outcome {
        try await Simulation.run { simulation in
            try await room.run(on: simulation.loop) { world in
                await AdapterChoice.$override.withValue({ _ in .virtual(world) }) {
                    let test = TestConsole()
                    return Outcome(code: await CeruleanProgram.run(arguments, test.console), test: test)
                }
            }
        }
    }

    @Test func scanPrintsOneObjectForEachDevice() async throws {
        let outcome = try await Self.run("scan", "--timeout", "3", "--json")
        #expect(outcome.code == .ok)
        let objects = outcome.test.objects
        #expect(objects.count == SimulatedRoom.demonstrationNames.count && objects.count >= 5)
        let board = try #require(objects.first { $0["name"] == "BITalino BLE" })
        #expect(board["address"] == "C7:CE:00:00:00:10" && board["addressType"] == "random")
        #expect(board["connectable"] == true)
        #expect(board["decoded"] == [["kind": "bitalino"]])
        #expect(board["services"] == ["180A", "C566488A-0882-4E1B-A6D0-0B717E652234"])
        let beacon = try #require(objects.first { $0["manufacturerData"] != nil })
        #expect(beacon["connectable"] == false && beacon["name"] == nil)
        for object in objects {
            guard case .text(let time) = object["time"], case .integer(let rssi) = object["rssi"] else {
                Issue.record("no time or rssi")
                continue
            }
            #expect(time.hasSuffix("Z") && time.count == 24)
            #expect((-127...20).contains(rssi))
        }
    }

    @Test func scanFiltersAndFindsNothingWithoutAnError() async throws {
        let strap = try await Self.run("scan", "--service", "heart_rate", "--timeout", "2", "--json")
        #expect(strap.test.objects.map { $0["name"] } == ["Cerulean Strap"])
        let none = try await Self.run("--json", "--name", "nobody", "scan", "--timeout", "1")
        #expect(none.code == .ok && none.test.out.isEmpty)
    }

    @Test func infoPrintsTheDatabase() async throws {
        let outcome = try await Self.run("info", "--name", "cerulean strap", "--json")
        #expect(outcome.code == .ok)
        let object = try #require(outcome.test.objects.first)
        #expect(object["name"] == "Cerulean Strap")
        guard case .list(let services) = object["services"] else {
            Issue.record("no services")
            return
        }
        #expect(services.map { $0["uuid"] } == ["1800", "1801", "180D", "180F", "180A"])
        #expect(services[2]["name"] == "Heart Rate")
        guard case .list(let characteristics) = services[2]["characteristics"] else {
            Issue.record("no characteristics")
            return
        }
        #expect(characteristics[0]["properties"] == ["notify"])
        #expect(characteristics[0]["descriptors"] != nil)
        #expect(characteristics[1]["decoded"] == ["value": 1])
    }

    @Test func readsWritesAndNotifies() async throws {
        let level = try await Self.run("read", "battery_level", "--name", "cerulean s", "--json")
        #expect(level.code == .ok)
        #expect(level.test.objects.first?["value"] == "57")
        #expect(level.test.objects.first?["decoded"] == ["value": 87])
        let text = try await Self.run("read", "180F/2A19", "--service", "180D")
        #expect(text.test.out == "87 %\n")
        let write = try await Self.run("write", "2A39", "u8:1", "--service", "180D")
        #expect(write.code == .ok)
        let refused = try await Self.run("write", "2A39", "hex:02", "--service", "180D")
        #expect(refused.code == .refused)
        #expect(refused.test.error.contains("ATT 0x80"))
        let values = try await Self.run(
            "notify", "heart_rate_measurement", "--service", "180D", "--count", "3", "--json")
        #expect(values.code == .ok)
        #expect(values.test.objects.count == 3)
        #expect(values.test.objects.allSatisfy { $0["decoded"]?["sensorContact"] == "detected" })
        let some = try await Self.run("notify", "2A6E", "--service", "181A", "--seconds", "4.5")
        #expect(some.code == .ok)
        #expect(some.test.lines.count >= 3)
        #expect(some.test.lines.allSatisfy { $0.hasSuffix(" °C") })
    }

    @Test(arguments: [
        (["read", "2A99", "--service", "180D"], ExitCode.notFound, "has no attribute 2A99"),
        (["read", "2A19", "--name", "nobody", "--timeout", "2"], .notFound, "was not seen within 2 s"),
        (["read", "2A19", "--name", "nobody", "--timeout", "2"], .notFound, "seen: "),
        (["read", "2A19", "--name", "nobody", "--timeout", "2"], .notFound, "Cerulean Strap"),
        (["read", "2A19", "--name", "cerulean", "--pick", "only"], .notFound, "is not unique"),
        (["read", "2A37", "--service", "180D"], .refused, "ATT 0x02"),
        (["read", "nonsense"], .notFound, "names no attribute"),
        (["write", "nonsense/2A37", "u8:1"], .notFound, "no known service"),
        (["feature", "read", "nonsense"], .notFound, "is no feature"),
        (["read", ""], .usage, "names no attribute"), (["read", "180D/"], .usage, "names no attribute"),
        (["read", "handle:0x0000"], .usage, "is no handle"),
        (["write", "2A39", "u8:256"], .usage, "no whole number"),
        (["write", "2A39", "0102"], .usage, "is no value"),
        (["write", "2A39", "@/nonexistent"], .badData, "cannot be opened"),
        (["notify", "2A38", "--service", "180D"], .refused, "neither notifies nor indicates"),
        (["scan", "--rssi-min", "x"], .usage, "whole number"),
        (["record", "--name", "cerulean uart"], .notFound, "cannot be recorded"),
        (["record", "--channels", "9", "--output", "/tmp"], .usage, "channel 9"),
        (["record", "--format", "xls"], .usage, "--format takes"),
        (["record", "--output", "-", "--format", "csv,jsonl"], .usage, "takes one format"),
    ])
    func faultsHaveTheirExitCodes(arguments: [String], code: ExitCode, text: String) async throws {
        let outcome = try await Self.run(arguments, in: .demonstration())
        #expect(outcome.code == code, "\(outcome.test.error)")
        #expect(outcome.test.error.contains(text), "\(outcome.test.error)")
        #expect(outcome.test.out.isEmpty)
    }

    @Test func recordsEverySampleOfTheRecordings() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "record-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let outcome = try await Self.run(
            "record", "--name", "bitalino", "--channels", "A2,A3", "--seconds", "2", "--format", "csv", "--output",
            directory, "--json")
        #expect(outcome.code == .ok, "\(outcome.test.error)")
        let device = try #require(
            outcome.test.objects.first?["devices"].flatMap { list -> FieldValue? in
                if case .list(let values) = list { values.first } else { nil }
            })
        #expect(device["samples"] == 2000 && device["lost"] == 0 && device["kind"] == "bitalino")
        guard case .text(let path) = device["file"] else {
            Issue.record("no file")
            return
        }
        let rows = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst()
        let a2 = EmbeddedRecording.bvpMotionArtifact.readings
        let a3 = EmbeddedRecording.edaHotSurface.readings
        #expect(rows.count == 2000)
        for (index, row) in rows.enumerated() {
            let cells = row.split(separator: ",").map(String.init)
            #expect(Array(cells.suffix(2)) == ["\(a2[index])", "\(a3[index])"])
        }
    }

    @Test func recordingsAreThoseOfTheFiles() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        for (file, recording) in [
            ("bvp_motion_artifact", EmbeddedRecording.bvpMotionArtifact), ("eda_hot_surface", .edaHotSurface),
        ] {
            let text = try String(contentsOf: root.appending(path: "data/bitalino/\(file).txt"), encoding: .utf8)
            let rows = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }
            let values = rows.compactMap { $0.split(separator: "\t").dropFirst(5).first.flatMap { UInt16($0) } }
            #expect(values.count == rows.count)
            #expect(recording.readings == values)
        }
    }

    @Test func aTraceHoldsTheWholeStartAndIsNeverOverwritten() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID().uuidString).btsnoop").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let test = TestConsole()
        // An empty air in real time: opening it is all that is wanted.
        let world = FileManager.default.temporaryDirectory.appending(path: "world-\(UUID().uuidString).json").path
        defer { try? FileManager.default.removeItem(atPath: world) }
        try Data(#"{"devices":[]}"#.utf8).write(to: URL(filePath: world))
        let line = ["scan", "--adapter", "virtual:\(world)", "--timeout", "0", "--trace", path]
        #expect(await CeruleanProgram.run(line, test.console) == .ok)
        let bytes = try Data(contentsOf: URL(filePath: path))
        #expect(Array(bytes.prefix(16)) == HCICapture(.btsnoop).header)
        // The first packet is HCI Reset, sent.
        #expect(Array(bytes[40..<44]) == [0x01, 0x03, 0x0C, 0x00])
        #expect(await CeruleanProgram.run(line, test.console) == .cannotWrite)
        #expect(test.error.contains("never overwritten"))
    }

    @Test func aVirtualAdapterKeepsItsAir() async throws {
        let session = try await Session.run(Adapter(parsing: "virtual"), timeout: .seconds(10)) { session in
            session.central.state
        }
        #expect(session == .poweredOn)
    }
}
