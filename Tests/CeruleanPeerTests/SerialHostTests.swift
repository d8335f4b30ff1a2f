// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanHost
import Foundation
import Testing

/// Whole hosts on a controller behind a serial port: the program, and one whose port is pulled out and put in again.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SerialHostTests {
    /// A controller on an air with the simulated devices, behind a pseudo terminal.
    private struct Port {
        let air: PeerProcess
        let bridge: PeerProcess
        let path: String

        init() async throws {
            air = try PeerProcess(
                Programs.cerulean, ["controller", "--listen", "127.0.0.1:0", "--world", "demo", "--json"])
            let number = try #require(try await air.event("listening")["port"] as? Int)
            path = FileManager.default.temporaryDirectory.appending(path: "port-\(UUID().uuidString)").path
            bridge = try PeerProcess(
                Programs.python, [Programs.file("Tests/Peers/serial_bridge.py"), path, "127.0.0.1", "\(number)"])
            _ = try await bridge.event("ready")
        }

        func end() {
            bridge.kill()
            air.kill()
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    @Test(arguments: [115_200, 1_000_000])
    func theProgramFindsAndReadsThroughASerialPort(baud: Int) async throws {
        let port = try await Port()
        defer { port.end() }
        let adapter = "serial:\(port.path)@\(baud)"
        let value = try await cerulean(
            "read", "2A19", "--adapter", adapter, "--name", "cerulean strap", "--pick", "first", "--json")
        #expect(value.status == 0, "\(value.errors)")
        #expect(value.objects.first?["value"] as? String == "57")
        let absent = try await cerulean("scan", "--adapter", "serial:\(port.path)-absent", "--timeout", "1")
        #expect(absent.status == 3)
        let strange = try await cerulean("scan", "--adapter", "serial:\(port.path)@12345")
        #expect(strange.status == 3 && strange.errors.contains("no speed 12345"))
    }

    @Test func aPortThatWasPulledOutIsTakenAgain() async throws {
        let port = try await Port()
        defer { port.end() }
        let central = try await Central(try Adapter(parsing: "serial:\(port.path)@921600"))
        let peripheral = try await central.first(.namePrefix("Cerulean Strap"), timeout: .seconds(20))
            .connect(timeout: .seconds(20))
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
        _ = try await port.bridge.ask("unplug")
        #expect(await ended == .adapterFailed)
        #expect(await states.first { $0 == .resetting } != nil)
        #expect(!peripheral.isConnected)
        _ = try await port.bridge.ask("plug")
        #expect(await states.first { $0 == .poweredOn } != nil)
        let again = try await central.first(.namePrefix("Cerulean Strap"), timeout: .seconds(20))
        #expect(try await again.connect(timeout: .seconds(20)).read(Battery.level).percent == 87)
        try await central.shutdown()
    }
}
