// SPDX-License-Identifier: Apache-2.0
import CeruleanWire
import Foundation
import Testing

@testable import CeruleanCommand

/// The verbs for BlueST boards in the simulated room, on virtual time.
@Suite struct BlueSTVerbTests {
    @Test func scanNamesBoardFirmwareAndFeatures() async throws {
        let outcome = try await RoomVerbTests.run("scan", "--timeout", "2", "--json")
        let board = try #require(outcome.test.objects.first { $0["name"] == "BoxPro" })
        guard case .list(let kinds)? = board["decoded"], let decoded = kinds.first,
            case .list(let features)? = decoded["features"]
        else {
            Issue.record("not decoded")
            return
        }
        #expect(decoded["kind"] == "bluest")
        #expect(decoded["board"] == "SENSOR_TILE_BOX_PRO")
        #expect(decoded["firmware"] == "BLUEST 2.0.0")
        #expect(features.contains("sensorFusion"))
    }

    @Test func scanExplainsWhatIsNoBoard() async throws {
        let outcome = try await RoomVerbTests.run("scan", "--timeout", "2", "--explain", "--json")
        let lines = outcome.test.error.split(separator: "\n").filter { $0.contains("is no BlueST board") }
        // The beacons of the room have other makers' data, and each is spoken of once.
        #expect(!lines.isEmpty && Set(lines).count == lines.count)
        #expect(!lines.contains { $0.contains("BoxPro") })
        #expect(try await RoomVerbTests.run("scan", "--timeout", "1").test.error.contains("no BlueST board") == false)
    }

    @Test func infoShowsFeatures() async throws {
        let outcome = try await RoomVerbTests.run("info", "--name", "boxpro", "--json")
        #expect(outcome.code == .ok)
        let object = try #require(outcome.test.objects.first)
        guard case .list(let features)? = object["features"], case .list(let services)? = object["services"] else {
            Issue.record("no features")
            return
        }
        #expect(features.contains("gyroscope"))
        let all = services.flatMap { service -> [FieldValue] in
            if case .list(let list)? = service["characteristics"] { return list }
            return []
        }
        let inertial = try #require(all.first { $0["uuid"] == "00E00000-0001-11E1-AC36-0002A5D5C51B" })
        #expect(inertial["name"] == "Accelerometer, Gyroscope, Magnetometer")
        #expect(inertial["decoded"]?["features"] != nil)
        let console = try #require(all.first { $0["uuid"] == "00000001-000E-11E1-AC36-0002A5D5C51B" })
        #expect(console["name"] != nil)
    }

    @Test func notifyFollowsFeatures() async throws {
        let outcome = try await RoomVerbTests.run("notify", "--feature", "sensorFusion", "--count", "20", "--json")
        #expect(outcome.code == .ok)
        let objects = outcome.test.objects
        #expect(objects.count == 20)
        for object in objects {
            #expect(object["feature"] == "sensorFusion")
            #expect(object["lost"] == 0)
            var sum = 0.0
            for name in ["qi", "qj", "qk", "qs"] {
                guard case .number(let part)? = object["decoded"]?[name] else { continue }
                sum += part * part
            }
            #expect(abs(sum - 1) < 1e-5)
        }
        let compact = try await RoomVerbTests.run(
            "notify", "--feature", "sensorFusionCompact,compass", "--seconds", "1", "--json")
        #expect(compact.test.objects.filter { $0["feature"] == "sensorFusionCompact" }.count > 80)
        #expect(compact.test.objects.contains { $0["feature"] == "compass" })
        #expect(try await RoomVerbTests.run("notify", "--feature", "nonsense").code == .notFound)
        #expect(try await RoomVerbTests.run("notify").code == .usage)
        #expect(try await RoomVerbTests.run("notify", "--feature", "heartRate", "--name", "boxpro").code == .notFound)
        // A device that is no board refuses, as it does other verbs for boards.
        for line in [
            ["notify", "--feature", "acceleration", "--name", "cerulean lock"],
            ["notify", "--feature", "acceleration", "--name", "cerulean strap"],
            ["feature", "read", "battery", "--name", "cerulean lock"],
            ["registers", "read", "FW_VER", "--name", "cerulean lock"],
        ] {
            let none = try await RoomVerbTests.run(line, in: .demonstration())
            #expect(none.code == .refused, "\(line): \(none.test.error)")
            #expect(none.test.error.count > 30 && !none.test.error.contains("it has \n"), "\(none.test.error)")
        }
    }

    @Test func recordsFeatures() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "bluest-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let outcome = try await RoomVerbTests.run(
            "record", "--feature", "acceleration,gyroscope,magnetometer", "--format", "csv", "--seconds", "4",
            "--output",
            directory, "--json")
        #expect(outcome.code == .ok)
        guard case .list(let devices)? = outcome.test.objects.first?["devices"], let device = devices.first,
            case .text(let path)? = device["file"]
        else {
            Issue.record("no file")
            return
        }
        #expect(device["kind"] == "bluest" && device["lost"] == 0 && device["samples"] == 200)
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 201)
        #expect(
            lines[0].hasPrefix(
                "index,time,hostTime,lostBefore,acceleration.X,acceleration.Y,acceleration.Z,gyroscope.X"))
    }

    @Test func theConsoleAnswers() async throws {
        let outcome = try await RoomVerbTests.run("console", "versionFw", "getName", "nonsense")
        #expect(outcome.code == .ok)
        #expect(outcome.test.lines == ["U585_BLUEST_2.0.0", "BoxPro"])
        #expect(outcome.test.error.contains("unknown command nonsense"))
        #expect(try await RoomVerbTests.run("console", "help", "--service", "180D").code == .refused)
    }

    @Test func registersAreReadAndWritten() async throws {
        let list = try await RoomVerbTests.run("registers", "list")
        #expect(list.test.lines.contains { $0.hasPrefix("LED_CONFIG") })
        let version = try await RoomVerbTests.run("registers", "read", "FW_VER", "--json")
        #expect(version.test.objects.first?["decoded"] == "2.0.0")
        let write = try await RoomVerbTests.run("registers", "write", "LED_CONFIG", "u16:5", "--json")
        #expect(write.test.objects.first?["value"] == "0500")
        #expect(try await RoomVerbTests.run("registers", "write", "FW_VER", "u16:5").code == .refused)
        #expect(try await RoomVerbTests.run("registers", "read", "NONSENSE").code == .usage)
        #expect(try await RoomVerbTests.run("registers", "erase").code == .usage)
        let dump = try await RoomVerbTests.run("registers", "dump", "--json")
        #expect(dump.code == .ok && dump.test.objects.count > 60)
    }

    @Test func firmwareIsBroughtIntoTheBoard() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "fw-\(UUID().uuidString).bin").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        // A stack in RAM, handlers in flash, then anything.
        let words: [UInt32] = [0x200C_0000] + (0..<15).map { 0x0800_0101 + 8 * $0 }
        var image = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
        image += (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 5) }
        image += [0] + Array("U585_BLUEST_2.1.7".utf8) + [0, 0]
        try Data(image).write(to: URL(filePath: path))
        let outcome = try await RoomVerbTests.run("fwupdate", path, "--json")
        #expect(outcome.code == .ok)
        #expect(outcome.test.objects.first == ["event": "running", "firmware": "U585_BLUEST_2.0.0"])
        let finished = try #require(outcome.test.objects.first { $0["event"] == "finished" })
        #expect(finished["octets"] == FieldValue(integer: image.count))
        #expect(outcome.test.objects.last?["firmware"] == "U585_BLUEST_2.1.7")

        let full = try await RoomVerbTests.run("fwupdate", path, "--capacity", "1000", "--force")
        #expect(full.code == .badData && full.test.error.contains("has room for 1000"))
        let radio = try await RoomVerbTests.run("fwupdate", path, "--radio", "--json")
        #expect(radio.code == .ok)
        #expect(radio.test.objects.first == ["event": "running", "radio": "BLUENRG2_2.1.0"])
        #expect(radio.test.objects.last?["event"] == "restarted" && radio.test.objects.last?["radio"] != nil)

        try Data(image.dropFirst(64)).write(to: URL(filePath: path))
        let noise = try await RoomVerbTests.run("fwupdate", path)
        #expect(noise.code == .badData && noise.test.error.contains("--force"))
        #expect(try await RoomVerbTests.run("fwupdate", path, "--force").code == .ok)
        try Data().write(to: URL(filePath: path))
        let empty = try await RoomVerbTests.run("fwupdate", path, "--force")
        #expect(empty.code == .badData && empty.test.error.contains("is empty"))
        try Data(Array("<html>this is no firmware</html>".utf8)).write(to: URL(filePath: path))
        #expect(try await RoomVerbTests.run("fwupdate", path).code == .badData)
        #expect(try await RoomVerbTests.run("fwupdate", "/nonexistent").code == .badData)
        let running = try await RoomVerbTests.run("fwupdate", "--running", "--json")
        #expect(running.test.objects.first?["firmware"] == "U585_BLUEST_2.0.0")
        let runningRadio = try await RoomVerbTests.run("fwupdate", "--running", "--radio")
        #expect(runningRadio.test.lines == ["the radio of BoxPro runs BLUENRG2_2.1.0"])
    }

    @Test func decodesNotifications() async throws {
        let test = TestConsole()
        let code = await test.run(
            "decode", "bluest", "--device", "06", "--mask", "0x4000", "--uuid", "00004000-0001-11e1-ac36-0002a5d5c51b",
            "470000c0b343000044c100004040", "47 00 00")
        #expect(code == .badData)
        #expect(test.objects[0]["ok"] == true)
        #expect(
            test.objects[0]["value"] == [
                "timestamp": 71,
                "features": [
                    ["feature": "eulerAngle", "fields": ["yaw": 359.5, "pitch": -12.25, "roll": 3.0]]
                ], "consumed": 14,
            ])
        #expect(test.objects[1]["error"]?["code"] == "truncated")
    }
}
