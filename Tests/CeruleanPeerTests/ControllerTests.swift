// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Our controllers under other people's hosts.
@Suite(.timeLimit(.minutes(5)))
struct ControllerTests {
    /// BlueZ's tester of controllers: 18 cases, of which Inquiry and Create Connection are for BR/EDR.
    @Test func passWhatBlueZAsksOfLowEnergyControllers() async throws {
        let air = try await AirProcess(.cerulean)
        defer { air.stop() }
        let machine = try PeerProcess(
            Programs.file("Rigs/bluez-vm"),
            [
                "--no-bluetoothd", "--timeout", "200", "--hci", air.adapter, "--hci", air.adapter, "--",
                "hci-tester",
            ])
        let lines = await machine.rest()
        _ = await machine.status()
        let passed = lines.filter { $0.contains("Passed  ") }
        let text = lines.suffix(30).joined(separator: "\n")
        #expect(passed.count == 16, "\(text)\n\(machine.errorText)")
        #expect(
            passed.contains { $0.contains("LE Generate DHKey") } && passed.contains { $0.contains("TP/DSU/BV-02-C") })
    }

    @Test func carryTwoBumbleHostsThroughEverythingExtended() async throws {
        let air = try await AirProcess(.cerulean)
        defer { air.stop() }
        let hosts = try PeerProcess(
            Programs.python, [Programs.file("Tests/Peers/bumble_on_controllers.py"), air.transport])
        let bits = try #require(try await hosts.event("features")["bits"] as? Int)
        // Extended and periodic advertising.
        #expect(bits >> 12 & 3 == 3)
        let first = try await hosts.event("report")
        #expect(first["octets"] as? Int == 60 && first["connectable"] as? Bool == true)
        #expect(first["primary"] as? Int == 1 && first["secondary"] as? Int == 2)
        let second = try await hosts.event("report")
        #expect(second["octets"] as? Int == 220 && second["truncated"] as? Bool == false)
        #expect(second["primary"] as? Int == 3 && second["secondary"] as? Int == 3 && second["sid"] as? Int == 4)
        #expect(try await hosts.event("periodic")["octets"] as? Int == 200)
        let link = try await hosts.event("connected")
        #expect(link["tx"] as? Int == 2 && link["rx"] as? Int == 2 && link["mtu"] as? Int == 247)
        #expect(try await hosts.event("paired")["encrypted"] as? [Bool] == [true, true])
        _ = try await hosts.event("done")
    }
}
