// SPDX-License-Identifier: Apache-2.0

import CeruleanBlueST
import CeruleanWire
import Foundation
import Testing

/// ST's own Python SDK reads what our simulated board advertises and sends, over Bumble's central.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct BlueSTSDKTests {
    @Test(arguments: [
        ("SENSOR_TILE", 0x02, "AM1V310"), ("NUCLEO", 0x80, "NUCLEO"), ("SENSOR_TILE_BOX", 0x06, "BoxTile"),
    ])
    func theSDKDecodesOurBoard(token: String, device: Int, name: String) async throws {
        var wanted = ["acceleration", "gyroscope", "magnetometer", "pressure", "humidity", "temperature", "activity"]
        if device != 0x06 { wanted += ["proximity", "proximityGesture"] }
        let radio = try await AirProcess(.cerulean)
        let board = try PeerProcess(
            Programs.cerulean,
            [
                "--adapter", radio.adapter, "simulate", "bluest", "--board", token, "--features",
                wanted.joined(separator: ","), "--json",
            ])
        _ = try await board.event("advertising")
        let sdk = try PeerProcess(
            Programs.python,
            [Programs.file("Tests/Peers/bluest_sdk.py"), radio.transport, "--target", name, "--count", "3"])
        let found = try await sdk.event("advertisement")
        #expect(found["protocol"] as? Int == 1)
        #expect(found["device"] as? Int == device)
        let mask = try #require(found["mask"] as? Int)

        var seen: Set<String> = []
        var samples = 0
        while let line = await sdk.line() {
            guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                continue
            }
            if object["event"] as? String == "done" { break }
            #expect(object["event"] as? String == "sample", "\(object)")
            guard let raw = object["raw"] as? String, let text = object["uuid"] as? String,
                let uuid = BluetoothUUID(text), let features = object["features"] as? [[String: Any]]
            else { continue }
            samples += 1
            var decoder = CharacteristicDecoder(
                uuid, device: UInt8(device), protocolVersion: 1, advertised: UInt32(mask))
            var index = 0
            let outcome = decoder.decode(try Hex.decode(raw)) { sample in
                defer { index += 1 }
                guard index < features.count, let values = features[index]["data"] as? [Double] else { return }
                seen.insert(sample.feature.id)
                for (field, value) in values.enumerated() {
                    // The SDK keeps floating point numbers of four octets.
                    guard let ours = sample[field] else { continue }
                    #expect(abs(ours - value) <= 1e-4 * max(1, abs(ours)), "\(sample.feature) \(field)")
                }
            }
            #expect(outcome.error == nil)
            #expect(index == features.count)
        }
        #expect(samples >= 9)
        #expect(seen == Set(wanted))
        radio.stop()
    }
}
