// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanWire
import Foundation
import Testing

@Suite struct OpenSignalsReaderTests {
    private static let data = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("data/bitalino")

    /// Numbers of `expected.json`, which were computed by another program.
    @Test(arguments: ["bvp_motion_artifact.txt", "eda_hot_surface.txt", "sync_cable_acoustic.txt"])
    func readsRealRecordings(name: String) throws {
        let expected = try JSONText.parse(
            utf8: [UInt8](Data(contentsOf: Self.data.appendingPathComponent("expected.json"))))
        let file = try #require(expected["files"]?[name])
        let recording = try OpenSignalsRecording(contentsOfFile: Self.data.appendingPathComponent(name).path)
        #expect(FieldValue(integer: recording.rowCount) == file["rows"])
        #expect(!recording.isCut)
        let columns = recording.devices.flatMap(\.columns)
        func list(_ values: [Double?]) -> FieldValue { .list(values.map { FieldValue(integer: Int($0 ?? -1)) }) }
        #expect(list(columns.map(\.first)) == file["first"])
        #expect(list(columns.map(\.last)) == file["last"])
        #expect(list(columns.map { $0.min() }) == file["min"])
        #expect(list(columns.map { $0.max() }) == file["max"])
        #expect(list(columns.map { $0.reduce(0, +) }) == file["sum"])
        var devices: [FieldValue] = []
        if case .list(let list)? = file["devices"] { devices = list }
        #expect(devices.count == recording.devices.count)
        for (device, wanted) in zip(recording.devices, devices) {
            #expect(.text(device.id) == wanted["id"])
            #expect(.list(device.columnNames.map { .text($0) }) == wanted["column"])
            #expect(device.rate == 1000)
            #expect(.list(device.labels.map { .text($0) }) == wanted["label"])
        }
    }

    private static func read(_ text: String) throws -> OpenSignalsRecording {
        try OpenSignalsRecording(Array(text.utf8))
    }

    private static let header =
        "# OpenSignals Text File Format\n# {\"X\": {\"column\": [\"nSeq\", \"A1\"], \"sampling rate\": 10}}\n# EndOfHeader\n"

    @Test(arguments: [
        ("0\t5\t\n1\t6\t\n", 2, false), ("0\t5\n1\t6\n", 2, false), ("0\t5\t\r\n1\t6\t\r\n", 2, false),
        ("0\t5\t\n1\t6\t", 2, false), ("0\t5\t\n1\t6", 1, true), ("0\t5\t\n1", 1, true), ("0\t5\t\n\n", 1, false),
        ("", 0, false),
        ("0 5\n1 6\n", 2, false), ("0\t-5.25\t\n", 1, false),
    ])
    func readsDialects(rows: String, count: Int, isCut: Bool) throws {
        let recording = try Self.read(Self.header + rows)
        #expect(recording.rowCount == count)
        #expect(recording.isCut == isCut)
        #expect(recording.devices[0].columns.allSatisfy { $0.count == count })
    }

    @Test func namesColumnsOfFilesThatDoNot() throws {
        let recording = try Self.read(
            "# OpenSignals Text File Format\n# {\"X\": {\"label\": [\"ECG\"], \"resolution\": 10}}\n# more\n# EndOfHeader\n0\t1\t0\t9\t\n"
        )
        #expect(recording.devices[0].columnNames == ["nSeq", "D1", "D2", "ECG"])
        #expect(recording.devices[0].column(named: "ECG") == [9])
    }

    @Test(arguments: [
        "", "hello", "# OpenSignals Text File Format\n", "# OpenSignals Text File Format\n# {\n# EndOfHeader\n",
        "# OpenSignals Text File Format\n# EndOfHeader\n1\t2\n",
        "# OpenSignals Text File Format\n# {\"X\":1}\n# EndOfHeader\n",
    ])
    func refusesOtherFiles(text: String) {
        let error = #expect(throws: RecordingError.self) { try Self.read(text) }
        #expect(error?.code == .badData)
    }

    @Test(arguments: [("0\t5\t\nx\t6\t\n", 5), ("0\t5\t\n1\t\n2\t7\t\n", 5), ("0\t5\t\n1\t6\t7\t\n", 9)])
    func namesTheOffsetOfBadRows(rows: String, offset: Int) {
        let error = #expect(throws: RecordingError.self) { try Self.read(Self.header + rows) }
        #expect(error?.code == .badData)
        #expect(error?.offset == Self.header.utf8.count + offset)
    }
}
