// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// An application written against Apple's documentation, and Bumble in the other role.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct CoreBluetoothSampleTests {
    /// A state directory of the test's own.
    private final class Home: Sendable {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("cerulean-\(UUID().uuidString)").path
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    /// What is written in a folder from now on.
    private final class Changes: Sendable {
        private let home: Home
        private let descriptor: Int32

        init(in home: Home) throws {
            self.home = home
            try FileManager.default.createDirectory(atPath: home.path, withIntermediateDirectories: true)
            descriptor = inotify_init1(Int32(IN_CLOEXEC))
            try #require(inotify_add_watch(descriptor, home.path, UInt32(IN_MOVED_TO | IN_CLOSE_WRITE)) >= 0)
        }

        deinit { close(descriptor) }

        /// Waits until a file holds a text.
        func wait(for text: String, in file: String) throws {
            let path = home.path + "/" + file
            while (try? String(contentsOfFile: path, encoding: .utf8))?.contains(text) != true {
                // Ends when something in the folder was written.
                var note = [UInt8](repeating: 0, count: 4096)
                try #require(read(descriptor, &note, note.count) > 0)
            }
        }
    }

    private func sample(_ arguments: [String], _ radio: AirProcess, _ home: Home) throws -> PeerProcess {
        try PeerProcess(
            Programs.binaries.appendingPathComponent("CoreBluetoothSample").path, arguments,
            environment: ["CERULEAN_ADAPTER": radio.adapter, "CERULEAN_STATE_DIR": home.path])
    }

    private func bumble(_ arguments: [String]) throws -> PeerProcess {
        try PeerProcess(Programs.python, [Programs.bumblePeer] + arguments)
    }

    @Test(arguments: PeerAir.allCases)
    func theCentralUsesBumblesPeripheral(air: PeerAir) async throws {
        let home = Home()
        let radio = try await AirProcess(air)
        let peer = try bumble(["peripheral", radio.transport, "--name", "Bumble One"])
        _ = try await peer.event("ready")
        let app = try sample(["central"], radio, home)
        #expect(try await app.event("state")["state"] as? Int == 5)
        _ = try await app.event("found")
        _ = try await app.event("connected")
        let discovered = try await app.event("discovered")
        #expect(
            discovered["characteristics"] as? [String] == [
                "FFF1", "FFF2", "FFF3", "FFF4", "FFF5", "FFF6", "FFF7", "FFF7",
            ])
        #expect(try await app.event("value")["value"] as? String == "01020304")
        let long = (0..<300).map { String(format: "%02x", $0 & 0xFF) }.joined()
        #expect(try await app.event("value")["value"] as? String == long)
        #expect(try await app.event("written")["code"] as? Int == 0)
        // Bumble refuses FFF2 with an application's error.
        #expect(try await app.event("written")["code"] as? Int == 0x80)
        #expect(try await app.event("subscribed")["isNotifying"] as? Bool == true)
        _ = try await peer.ask("notify", "\"count\":3,\"length\":4")
        for number in 0..<3 {
            #expect(try await app.event("value")["value"] as? String == String(format: "%02x000000", number))
        }
        try peer.send("{\"op\":\"disconnect\"}")
        #expect(try await app.event("disconnected")["code"] as? Int == 7)
        radio.stop()
    }

    @Test(arguments: PeerAir.allCases)
    func thePeripheralServesBumblesCentral(air: PeerAir) async throws {
        let home = Home()
        let radio = try await AirProcess(air)
        let app = try sample(["peripheral"], radio, home)
        #expect(try await app.event("advertising")["code"] as? Int == 0)
        let central = try bumble(["central", radio.transport, "--target", "Sample"])
        _ = try await central.event("connected")
        #expect(try await central.ask("mtu", "\"mtu\":100")["mtu"] as? Int == 100)
        let tree = try await central.ask("discover")
        let services = try #require(tree["services"] as? [[String: Any]])
        let service = try #require(services.first { $0["uuid"] as? String == "FFF0" })
        let characteristics = try #require(service["characteristics"] as? [[String: Any]])
        let handles = characteristics.compactMap { $0["handle"] as? Int }
        #expect(characteristics.map { $0["uuid"] as? String } == ["FFF1", "FFF3", "2A29"])
        #expect(characteristics.map { $0["properties"] as? Int } == [0x0A, 0x32, 0x02])
        #expect(try await central.ask("read", "\"handle\":\(handles[0])")["value"] as? String == "01020304")
        #expect(try await central.ask("read", "\"handle\":\(handles[2])")["value"] as? String == "53616d706c65")
        let long = (0..<300).map { String(format: "%02x", $0 & 0xFF) }.joined()
        _ = try await central.ask("writeLong", "\"handle\":\(handles[0]),\"value\":\"\(long)\"")
        let written = try await app.event("written")
        #expect(written["value"] as? String == long)
        #expect(written["requests"] as? Int ?? 0 > 1)
        #expect(try await central.ask("read", "\"handle\":\(handles[0])")["value"] as? String == long)
        _ = try await central.ask("subscribe", "\"handle\":\(handles[1]),\"count\":3")
        #expect(try await app.event("subscribed")["length"] as? Int == 97)
        for text in ["one", "two", "three"] { try app.send(text) }
        let values = try await central.event("values")
        #expect(values["values"] as? [String] == ["6f6e65", "74776f", "7468726565"])
        try central.send("{\"op\":\"disconnect\"}")
        _ = try await app.event("unsubscribed")
        radio.stop()
    }

    /// The streams of a channel, with Bumble at the other end: the octets come back as they were.
    @Test(arguments: PeerAir.allCases)
    func theChannelCarriesOctetsThereAndBack(air: PeerAir) async throws {
        let home = Home()
        let radio = try await AirProcess(air, arguments: air == .cerulean ? ["--speed", "20"] : [])
        let peer = try PeerProcess(
            Programs.python, [Programs.file("Tests/Peers/bumble_channel_peer.py"), radio.transport, "--name", "Pipe"])
        _ = try await peer.event("ready")
        let app = try sample(["channel", "Pipe", "128"], radio, home)
        #expect(try await app.event("opened")["psm"] as? Int == 128)
        _ = try await peer.event("opened")
        let count = air == .cerulean ? 200_000 : 20_000
        try peer.send("{\"op\":\"expect\",\"count\":\(count)}")
        try peer.send("{\"op\":\"send\",\"count\":\(count)}")
        let returned = try await peer.event("received")
        #expect(returned["equal"] as? Bool == true)
        #expect(returned["total"] as? Int == count)
        try peer.send("{\"op\":\"close\"}")
        #expect(try await app.event("ended")["total"] as? Int == count)
        radio.stop()
    }

    /// Killed while connected and subscribed, started again, it gets the next notification.
    @Test func aKilledCentralIsRestored() async throws {
        let home = Home()
        let radio = try await AirProcess(.cerulean)
        let peer = try bumble(["peripheral", radio.transport, "--name", "Bumble One"])
        _ = try await peer.event("ready")
        let changes = try Changes(in: home)
        let first = try sample(["central", "--restore", "sample"], radio, home)
        #expect(try await first.event("subscribed")["isNotifying"] as? Bool == true)
        _ = try await peer.ask("notify", "\"count\":1,\"length\":4")
        _ = try await first.event("value")
        try changes.wait(for: "\"isNotifying\":true", in: "restore-central-sample.json")
        first.kill()
        let second = try sample(["central", "--restore", "sample"], radio, home)
        let restored = try await second.event("restored")
        #expect(restored["count"] as? Int == 1)
        #expect(restored["subscribed"] as? [String] == ["FFF3"])
        if restored["state"] as? Int != 2 { _ = try await second.event("connected") }
        #expect(try await peer.event("subscription")["notify"] as? Bool == true)
        _ = try await peer.ask("notify", "\"count\":1,\"length\":4")
        let value = try await second.event("value")
        #expect(value["uuid"] as? String == "FFF3")
        radio.stop()
    }

    @Test func aKilledPeripheralIsRestored() async throws {
        let home = Home()
        let radio = try await AirProcess(.cerulean)
        let changes = try Changes(in: home)
        let first = try sample(["peripheral", "--restore", "sample"], radio, home)
        _ = try await first.event("advertising")
        // The file is written right behind the announcement.
        try changes.wait(for: "advertisement", in: "restore-peripheral-sample.json")
        first.kill()
        let second = try sample(["peripheral", "--restore", "sample"], radio, home)
        #expect(try await second.event("restored")["services"] as? [String] == ["FFF0"])
        let central = try bumble(["central", radio.transport, "--target", "Sample"])
        _ = try await central.event("connected")
        radio.stop()
    }
}
