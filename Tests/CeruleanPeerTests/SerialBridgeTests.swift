// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `cerulean serial` between other programs and devices.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SerialBridgeTests {
    private static func world(_ profile: String) throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("uart-\(UUID().uuidString).json").path
        let text = #"{"devices":[{"kind":"uart","options":{"profile":"\#(profile)"}}]}"#
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private func echo(_ bridge: PeerProcess, at place: String, times: Int) async throws {
        let program = try PeerProcess(
            Programs.python, [Programs.file("Tests/Peers/serial_program.py"), place, "--times", "\(times)"])
        for _ in 0..<times {
            let echo = try await program.event("echo")
            let sent = try #require(echo["sent"] as? String)
            #expect(echo["received"] as? String == sent)
        }
        bridge.interrupt()
        #expect(await bridge.status() == 130)
    }

    @Test(arguments: ["nordic-uart", "hm-10", "microchip-transparent-uart", "redbear"])
    func programsTalkThroughATerminalOneAfterTheOther(profile: String) async throws {
        let world = try Self.world(profile)
        defer { try? FileManager.default.removeItem(atPath: world) }
        let bridge = try PeerProcess(
            Programs.cerulean,
            ["serial", "--adapter", "virtual:\(world)", "--name", "cerulean uart", "--pty", "--json"])
        let place = try await bridge.event("terminal")
        try await echo(bridge, at: try #require(place["address"] as? String), times: 2)
    }

    @Test func programsTalkThroughAPortOneAfterTheOther() async throws {
        let world = try Self.world("nordic-uart")
        defer { try? FileManager.default.removeItem(atPath: world) }
        let bridge = try PeerProcess(
            Programs.cerulean,
            ["serial", "--adapter", "virtual:\(world)", "--name", "cerulean uart", "--listen", "127.0.0.1:0", "--json"])
        let place = try await bridge.event("listening")
        try await echo(bridge, at: try #require(place["address"] as? String), times: 2)
    }

    @Test func standardInputGoesToADeviceOfAnotherStackAndItsAnswersToStandardOutput() async throws {
        let radio = try await AirProcess(.cerulean)
        defer { radio.stop() }
        let device = try PeerProcess(Programs.python, [Programs.file("Tests/Peers/uart_peer.py"), radio.transport])
        _ = try await device.event("ready")
        let bridge = try PeerProcess(
            Programs.cerulean, ["serial", "--adapter", radio.adapter, "--name", "nordic_uart"])
        try bridge.send("hello, serial line")
        #expect(await bridge.line() == "HELLO, SERIAL LINE")
        // A device that is gone ends the bridge at once.
        device.kill()
        #expect(await bridge.status() == 7, "\(bridge.errorText)")
    }
}
