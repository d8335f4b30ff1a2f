// SPDX-License-Identifier: Apache-2.0

import CeruleanBlueST
import CeruleanWire
import Foundation
import Testing

@Suite struct LogAndAudioTests {
    private func sample(_ bytes: [UInt8], of mask: UInt32) throws -> FeatureSample {
        var node = NodeDecoder(device: 0x80, protocolVersion: 1, advertised: nil)
        let channel = node.add(BlueSTUUID.features(mask))
        var found: FeatureSample?
        node.received(bytes, on: try #require(channel), at: .zero) { found = copy $0 }
        return try #require(found)
    }

    /// The format of the legacy SDK, bluest.md §15.
    @Test func writesSTsFormat() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "st-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let start = Date(timeIntervalSince1970: 1_700_000_000)
        let utc = try #require(TimeZone(identifier: "UTC"))
        let sample = try self.sample([0x0A, 0x00, 0xD2, 0x04, 0x2E, 0xFB, 0x05, 0x00], of: 0x0040_0000)
        let battery = try self.sample([0x14, 0x00, 0x6B, 0x03, 0x18, 0x10, 0xDD, 0xFF, 0x03], of: 0x0002_0000)
        let log = try FeatureLog(directory: directory, nodes: ["A @112233", "B, x @445566"], start: start, zone: utc)
        try log.append(sample, nodeName: "A @112233", date: start + 12.034)
        try log.append(sample, nodeName: "B, x @445566", date: start + 0.034)
        try log.append(battery, nodeName: "A @112233", date: start + 1)
        log.close()
        #expect(
            log.files.map { $0.split(separator: "/").last.map(String.init) } == [
                "20231114_221320_Gyroscope.csv", "20231114_221320_Battery.csv",
            ])
        let text = try String(contentsOfFile: log.files[0], encoding: .utf8)
        #expect(
            text == """
                Logged started on,14/11/2023 22:13:20
                Feature,Gyroscope
                Nodes,A @112233,"B, x @445566"

                Date,HostTimestamp,NodeName,NodeTimestamp,RawData,X (dps),Y (dps),Z (dps)
                14/11/2023 22:13:32.034,12034,A @112233,10,D2042EFB0500,123.4,-123.4,0.5
                14/11/2023 22:13:20.034,0034,"B, x @445566",10,D2042EFB0500,123.4,-123.4,0.5

                """)
        #expect(FeatureLog.logs(in: directory).count == 2)
        // A log is never overwritten.
        let again = try FeatureLog(directory: directory, nodes: ["A"], start: start, zone: utc)
        #expect(throws: (any Error).self) { try again.append(sample, nodeName: "A", date: start) }
        #expect(try FeatureLog.removeLogs(in: directory) == 2)
    }

    @Test(arguments: FeatureLogFormat.allCases)
    func hasAllVariants(format: FeatureLogFormat) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "st-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let log = try FeatureLog(directory: directory, nodes: ["N"], format: format)
        try log.append(try sample([1, 0, 0xCD, 0x8B, 1, 0], of: 0x0010_0000), nodeName: "N")
        log.close()
        let lines = try String(contentsOfFile: log.files[0], encoding: .utf8).split(separator: "\n")
        #expect(lines.last?.hasSuffix("1013.25") == true)
        #expect(lines.contains { $0.hasSuffix("pressure (mBar)") })
    }

    @Test func aToneSurvivesADPCM() {
        let tone = (0..<8000).map { Int16(10000 * sin(Double($0) * 2 * .pi * 440 / 8000)) }
        var encoder = ADPCM()
        var decoder = ADPCM()
        var recording = AudioRecording(rate: ADPCM.sampleRate, channels: 1)
        for start in stride(from: 0, to: tone.count, by: 40) {
            recording.append(decoder.decode(encoder.encode(Array(tone[start..<start + 40]))))
        }
        var noise = 0.0
        for index in 1000..<8000 { noise += pow(Double(recording.samples[index]) - Double(tone[index]), 2) }
        // Four bits a sample: at least 20 dB between tone and noise.
        #expect((noise / 7000).squareRoot() < 10000 / 2.0.squareRoot() / 10)
        #expect(recording.duration == 1)
        #expect(abs(AudioRecording.level(of: tone) - (20 * log10(10000.0 / 32768) - 3.01)) < 0.1)
        #expect(AudioRecording.level(of: [0, 0]) == -96)
        let wave = recording.wave
        #expect(wave.count == 44 + 16000)
        #expect(Array(wave[0..<4]) == Array("RIFF".utf8))
        #expect(Array(wave[24..<28]) == [0x40, 0x1F, 0, 0])
    }

    /// A sync brings a decoder that lost packets back in step.
    @Test func aSyncHealsALoss() {
        let tone = (0..<1600).map { Int16(8000 * sin(Double($0) * 2 * .pi * 300 / 8000)) }
        var encoder = ADPCM()
        var right = ADPCM()
        var damaged = ADPCM()
        var last: ([Int16], [Int16]) = ([], [])
        for (number, start) in stride(from: 0, to: tone.count, by: 40).enumerated() {
            if number == 20 {
                let (index, predictor) = encoder.state
                damaged.synchronize(index: index, predictor: predictor)
            }
            let packet = encoder.encode(Array(tone[start..<start + 40]))
            last = (right.decode(packet), number == 10 ? [] : damaged.decode(packet))
        }
        #expect(last.0 == last.1)
    }

    @Test func opusIsDecodedWhereItsLibraryIs() {
        guard let decoder = OpusDecoder(rate: 16000, channels: 1) else { return }
        // A packet with an empty frame of 20 ms: silence.
        let silence = decoder.decode([0x08, 0xFF, 0xFE])
        #expect(silence == nil || silence?.count == 320)
        #expect(OpusDecoder(rate: 11025) == nil)
    }

    @Test func rawStreamsAreReadByTheBoardsDescription() throws {
        let status: FieldValue = [
            "devices": [
                [
                    "components": [
                        [
                            "imu": [
                                "st_ble_stream": [
                                    "id": 3,
                                    "acc": ["format": "int16_t", "elements": 1, "channels": 3, "multiply_factor": 0.1],
                                    "state": ["format": "enum", "labels": ["off", "on"]],
                                ]
                            ]
                        ]
                    ]
                ]
            ]
        ]
        let layouts = RawStreamLayout.layouts(in: status)
        #expect(layouts.map(\.id) == [3])
        let values = try layouts[0].decode([0x0A, 0, 0xF6, 0xFF, 0x64, 0, 1])
        #expect(values.map(\.name) == ["acc", "state"])
        #expect(values[0].values == [1, -1, 10])
        #expect(values[1].values == [1])
        #expect(throws: FeatureError.self) { try layouts[0].decode([0x0A]) }
    }

    @Test func theCatalogueNamesFirmwareAndOptions() throws {
        let text = """
            {"bluestsdk_v2": [{"ble_dev_id": "0x0D", "ble_fw_id": "0x0E", "brd_name": "SensorTile.box-Pro",
              "fw_name": "FP-SNS-DATALOG2", "fw_version": "2.0.0",
              "characteristics": [{"name": "PnPL", "uuid": "0000001b-0002-11e1-ac36-0002a5d5c51b", "max_write_length": 244}],
              "option_bytes": [{"format": "int", "name": "Battery", "negative_offset": 0, "scale_factor": 1, "type": "%",
                "escape_value": 255, "escape_message": "no battery"}],
              "fota": {"type": "yes", "max_chunk_length": 220, "max_divisor_constraint": 8}}]}
            """
        let catalog = try FirmwareCatalog(json: text)
        let octets: [UInt8] = [0x30, 0x00, 0x02, 0x0D, 0x0E, 87, 0, 0, 1, 2, 3, 4, 5, 6]
        let found = try BlueSTAdvertisement(decoding: [15, 0xFF] + octets)
        let entry = try #require(catalog.entry(for: found))
        #expect(entry.title == "FP-SNS-DATALOG2 2.0.0")
        #expect(entry.upgrade?.maximumChunk == 220)
        #expect(catalog.optionTexts(of: found).map(\.text) == ["87 %"])
        #expect(entry.options[0].text(of: 255) == "no battery")
        #expect(throws: FeatureError.self) { try FirmwareCatalog(json: "[1") }
    }

    /// A firmware whose notifications and connectionless payload only its catalogue describes.
    private static let described = """
        {"bluestsdk_v2": [{"ble_dev_id": "0x0D", "ble_fw_id": "0x21", "brd_name": "SensorTile.box-Pro",
          "fw_name": "GAS", "fw_version": "1.0.0",
          "characteristics": [{"name": "Gas Sensor", "uuid": "0000ff01-0002-11e1-ac36-0002a5d5c51b", "format_notify": [
            {"length": 2, "name": "timestamp"},
            {"length": 2, "name": "Gas", "type": "Int16", "unit": "ppm", "scalefactor": 0.5, "offset": -10, "min": -10,
             "max": 1000},
            {"length": 1, "name": "State", "type": "UInt8", "string_values": [{"value": 1, "display_name": "warm"}]},
            {"name": "Heat", "type": "Float", "optional": true}]}],
          "protocols": [{"protocol_id": "0x0102", "name": "Air", "formats": [
            {"name": "Temperature", "type": "Int16", "unit": "C", "scalefactor": 0.1},
            {"name": "Level", "type": "UInt8"}]}]}]}
        """

    @Test func theCatalogueDescribesFeaturesThatNobodyElseKnows() throws {
        let catalog = try FirmwareCatalog(json: Self.described)
        let feature = try #require(catalog.feature(id: "gassensor"))
        #expect(feature.id == "gasSensor" && feature.fields.map(\.name) == ["Gas", "State", "Heat"])
        #expect(feature.fields[0].range == -10...1000 && feature.fields[0].unit == "ppm")
        var decoder = CharacteristicDecoder(BlueSTUUID.extended(0xFF01), slots: [.init(feature: feature)])
        var seen: [FieldValue] = []
        let whole = decoder.decode([7, 0, 0xFE, 0xFF, 1, 0, 0, 0x20, 0x41]) { seen.append(.object($0.members)) }
        #expect(whole.error == nil && whole.rawTimestamp == 7)
        _ = decoder.decode([8, 0, 40, 0, 2]) { seen.append(.object($0.members)) }
        // -2 · 0.5 - 10, and 40 · 0.5 - 10.
        #expect(
            seen == [
                ["Gas": -11.0, "State": 1, "StateLabel": "warm", "Heat": 10.0],
                ["Gas": 10.0, "State": 2, "StateLabel": "unknown"],
            ])
        #expect(decoder.decode([9, 0, 40]) { _ in Issue.record("truncated") }.error?.code == .truncated)
        #expect(catalog.feature(id: "battery") == nil)
    }

    @Test func aConnectionlessPayloadIsDecodedAsTheCatalogueSays() throws {
        let driver = BlueSTDriver(catalog: try FirmwareCatalog(json: Self.described))
        func values(_ octets: [UInt8]) throws -> FieldValue? {
            let manufacturer: [UInt8] = [0x30, 0x00, 0x03, 0x0D, 0x21] + octets
            let found = try BlueSTAdvertisement(
                decoding: [UInt8(manufacturer.count + 1), 0xFF] + manufacturer)
            return FieldValue.object(driver.details(of: found))["payload"]
        }
        #expect(try values([0x01, 0x02, 0xD7, 0x00, 9]) == ["Temperature": 21.5, "Level": 9])
        // Another protocol, and one octet too few.
        #expect(try values([0x01, 0x03, 0xD7, 0x00, 9]) == nil)
        #expect(try values([0x01, 0x02, 0xD7, 0x00]) == nil)
    }
}
