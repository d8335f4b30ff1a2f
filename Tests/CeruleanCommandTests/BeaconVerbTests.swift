// SPDX-License-Identifier: Apache-2.0
import CeruleanTesting
import CeruleanWire
import Testing

@testable import CeruleanCommand

/// Beacons on the command line, in the simulated room, on virtual time.
@Suite struct BeaconVerbTests {
    private static let uuid = "A495B155-C5B1-4B44-B512-1370F02D74DE"

    @Test func scanAndDecodeShowBeacons() async throws {
        let scan = try await RoomVerbTests.run("scan", "--timeout", "3", "--json")
        let decoded = scan.test.objects.compactMap { $0["decoded"] }
        #expect(
            decoded.contains([
                ["kind": "ibeacon", "uuid": .text(Self.uuid), "major": 5, "minor": 6, "measured_power": -59]
            ]))
        #expect(decoded.contains([["kind": "eddystone-url", "tx_power_0m": -20, "url": "https://example.org"]]))
        let table = try await RoomVerbTests.run("scan", "--timeout", "3")
        #expect(table.test.lines.contains { $0.split(separator: "\t").dropFirst(3).first == "ibeacon" })
        let test = TestConsole()
        let hex = "0201061aff4c000215a495b155c5b14b44b5121370f02d74de00050006c5"
        #expect(await test.run("decode", "beacon", hex, "020106") == .ok)
        #expect(test.objects[0]["ok"] == true && test.objects[1] == ["ok": true, "value": ["beacons": []]])
        #expect(
            test.objects[0]["value"] == [
                "beacons": [
                    ["kind": "ibeacon", "uuid": .text(Self.uuid), "major": 5, "minor": 6, "measured_power": -59]
                ]
            ])
        let all = TestConsole()
        #expect(await all.run("decode", "advertisement", hex) == .ok)
        #expect(all.objects[0]["value"]?["decoded"] == test.objects[0]["value"]?["beacons"])
        let cut = TestConsole()
        #expect(await cut.run("decode", "beacon", "0201061aff4c00") == .badData)
    }

    @Test func rangePrintsAReportEachSecond() async throws {
        let outcome = try await RoomVerbTests.run("beacon", "range", "r=\(Self.uuid)/5", "--seconds", "3", "--json")
        #expect(outcome.code == .ok, "\(outcome.test.error)")
        let reports = outcome.test.objects.filter { $0["event"] == "rangedBeacons" }
        #expect(reports.count == 3 && reports.allSatisfy { $0["region"] == "r" })
        guard case .list(let beacons)? = reports[1]["beacons"] else {
            Issue.record("no beacons")
            return
        }
        #expect(beacons.count == 1)
        #expect(beacons[0]["uuid"] == .text(Self.uuid) && beacons[0]["major"] == 5 && beacons[0]["minor"] == 6)
        #expect(outcome.test.objects.contains { $0["event"] == "proximityChange" })
        let text = try await RoomVerbTests.run("beacon", "range", "--uuid", Self.uuid, "--count", "2")
        #expect(text.code == .ok && text.test.lines.count == 2)
        #expect(text.test.lines.allSatisfy { $0.hasPrefix("\(Self.uuid)\t\(Self.uuid)/5/6\t-") })
    }

    @Test func monitorPrintsEvents() async throws {
        let outcome = try await RoomVerbTests.run(
            "beacon", "monitor", "here=\(Self.uuid)", "gone=\(Self.uuid)/6", "--seconds", "15", "--json")
        #expect(outcome.code == .ok, "\(outcome.test.error)")
        let events = outcome.test.objects
        #expect(events.map { $0["event"] } == ["enteredRegion", "regionStateUpdated", "regionStateUpdated"])
        #expect(events.map { $0["region"] } == ["here", "here", "gone"])
        #expect(events.map { $0["state"] } == [nil, "inside", "outside"])
        let text = try await RoomVerbTests.run(
            "beacon", "monitor", "here=\(Self.uuid)", "--seconds", "2", "--state-every", "5")
        #expect(
            text.test.lines.map { $0.split(separator: "\t").dropFirst().joined(separator: " ") }
                == ["regionStateUpdated here unknown", "enteredRegion here", "regionStateUpdated here inside"])
    }

    @Test(arguments: [
        (["--uuid", uuid, "--major", "1", "--minor", "2"], "ibeacon"), (["altbeacon", "--uuid", uuid], "altbeacon"),
        (["eddystone-url", "--url", "https://example.org/"], "eddystone-url"),
        (["eddystone-uid", "--namespace", "00112233445566778899", "--instance", "aabbccddeeff"], "eddystone-uid"),
        (["eddystone-tlm", "--battery", "3000", "--temperature", "-3.5"], "eddystone-tlm"),
        (["eddystone-eid", "--eid", "1122334455667788"], "eddystone-eid"),
        (
            ["eddystone-eid", "--identity-key", "00112233445566778899aabbccddeeff", "--exponent", "0", "--clock", "5"],
            "eddystone-eid"
        ),
        (["eddystone-etlm", "--identity-key", "00112233445566778899aabbccddeeff"], "eddystone-etlm"),
        (["ruuvi-3"], "ruuvi-3"), (["ruuvi-5", "--humidity", "40"], "ruuvi-5"),
    ])
    func advertiseIsEveryFormat(arguments: [String], kind: String) async throws {
        let room = SimulatedRoom(places: [])
        let outcome = try await RoomVerbTests.run(
            ["beacon", "advertise"] + arguments + ["--seconds", "25", "--json"], in: room)
        #expect(outcome.code == .ok, "\(outcome.test.error)")
        let object = try #require(outcome.test.objects.first)
        #expect(outcome.test.objects.count == 1)
        #expect(object["event"] == "advertising" && object["beacon"]?["kind"] == .text(kind))
        guard case .text(let hex)? = object["data"] else {
            Issue.record("no data")
            return
        }
        let decoded = TestConsole()
        #expect(await decoded.run("decode", "beacon", hex) == .ok)
        #expect(
            decoded.objects.first?["value"]?["beacons"]?.withoutEmptyKeys == .list([try #require(object["beacon"])]))
    }

    @Test(arguments: [
        ["beacon", "fly"], ["beacon", "range"], ["beacon", "range", "nonsense"], ["beacon", "range", "\(uuid)/65536"],
        ["beacon", "range", "\(uuid)/1/2/3"], ["beacon", "range", "--major", "1"], ["beacon", "range", uuid, uuid],
        ["beacon", "range", uuid, "--uuid", uuid], ["beacon", "range", uuid, "--model", "best"],
        ["beacon", "advertise"], ["beacon", "advertise", "morse"], ["beacon", "advertise", "--url", "https://a.com"],
        ["beacon", "advertise", "eddystone-url", "--url", "ftp://example.org"],
        ["beacon", "advertise", "eddystone-url", "--url", "https://a-name-that-is-much-too-long.example.org/"],
        ["beacon", "advertise", "eddystone-eid"], ["beacon", "advertise", "eddystone-etlm"],
        ["beacon", "advertise", "eddystone-uid", "--namespace", "00", "--instance", "00"],
        ["beacon", "advertise", "ruuvi-5", "--temperature", "1000"],
        ["beacon", "advertise", "--uuid", uuid, "--interval", "11"],
        ["beacon", "advertise", "--uuid", uuid, "--power", "128"],
        ["beacon", "monitor"] + (0...20).map { "\(uuid)/\($0)" },
    ])
    func whatCannotBeIsAUsageError(arguments: [String]) async {
        let test = TestConsole()
        #expect(await CeruleanProgram.run(arguments, test.console) == .usage)
        #expect(!test.error.isEmpty && test.out.isEmpty)
    }
}
