// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The Linux HCI user channel, in a virtual machine whose kernel has Bluetooth: our program is both hosts, BlueZ's emulated
/// controllers are the radio.
@Suite(.timeLimit(.minutes(5)))
struct UserChannelTests {
    @Test func servesAndConnectsAndSaysWhoHoldsTheAdapter() async throws {
        let machine = try PeerProcess(
            Programs.file("Rigs/bluez-vm"),
            [
                "--btvirt", "2", "--no-bluetoothd", "--no-power", "--timeout", "240", "--",
                Programs.file("Tests/Peers/user-channel.sh"), Programs.cerulean,
            ])
        let lines = await machine.rest()
        let status = await machine.status()
        let text = lines.joined(separator: "\n")
        #expect(status == 0, "\(text)\n\(machine.errorText)")
        let objects = lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        #expect(objects.contains { $0["event"] as? String == "advertising" }, "\(text)")
        let info = try #require(objects.first { $0["services"] != nil }, "\(text)")
        let services = try #require(info["services"] as? [[String: Any]])
        #expect(services.contains { $0["uuid"] as? String == "180D" })
        #expect(objects.filter { $0["uuid"] as? String == "2A37" }.count == 2, "\(text)")
        // Exit codes as the program's contract has them: 3 no adapter, in use, or no permission; 130 interrupted.
        for line in [
            "status busy: 3", "status info: 0", "status notify: 0", "status absent: 3", "status forbidden: 3",
            "status server: 130",
        ] { #expect(lines.contains(line), "\(line) is missing:\n\(text)") }
    }
}
