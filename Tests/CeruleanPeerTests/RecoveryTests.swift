// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanHost
import Testing

/// A controller behind a socket dies and comes back: every call ends once with the reason, and the adapter recovers by itself.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct RecoveryTests {
    private static func controller(port: Int) async throws -> PeerProcess {
        let process = try PeerProcess(
            Programs.cerulean, ["controller", "--listen", "127.0.0.1:\(port)", "--world", "demo", "--json"])
        _ = try await process.event("listening")
        return process
    }

    @Test func aControllerThatDiedIsTakenAgain() async throws {
        let port = try freePort()
        let first = try await Self.controller(port: port)
        let central = try await Central(.tcp(host: "127.0.0.1", port: port))
        let strap = try await central.first(.namePrefix("Cerulean Strap"), timeout: .seconds(20))
        let peripheral = try await strap.connect(timeout: .seconds(20))
        try await peripheral.discover()
        let states = central.states()
        let values = try await peripheral.notifications(of: try peripheral.characteristic(0x2A37))
        async let ended = { () async -> BluetoothError.Code? in
            do {
                for try await _ in values {}
                return nil
            } catch {
                return (error as? BluetoothError)?.code
            }
        }()
        first.kill()
        #expect(await ended == .adapterFailed)
        #expect(await states.first { $0 == .resetting } != nil)
        #expect(!peripheral.isConnected)
        let second = try await Self.controller(port: port)
        defer { second.kill() }
        #expect(await states.first { $0 == .poweredOn } != nil)
        let again = try await central.first(.namePrefix("Cerulean Strap"), timeout: .seconds(20))
        let level = try await again.connect(timeout: .seconds(20)).read(Battery.level)
        #expect(level.percent == 87)
        try await central.shutdown()
    }
}
