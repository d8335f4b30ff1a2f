// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The simulated radio that both sides of a test share.
enum PeerAir: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// Our own controllers, served by `cerulean controller`.
    case cerulean
    /// Android's.
    case rootCanal

    var testDescription: String { rawValue }
}

/// A running air: H4 controllers for whoever connects to its port.
final class AirProcess: Sendable {
    let port: Int
    private let process: PeerProcess

    var transport: String { "tcp-client:127.0.0.1:\(port)" }
    var adapter: String { "tcp:127.0.0.1:\(port)" }

    /// - Parameter arguments: more of them for `cerulean controller`.
    init(_ air: PeerAir, arguments: [String] = []) async throws {
        switch air {
        case .cerulean:
            process = try PeerProcess(
                Programs.cerulean, ["controller", "--listen", "127.0.0.1:0", "--json"] + arguments)
            let ready = try await process.event("listening")
            guard let port = ready["port"] as? Int else { throw PeerError(description: "no port in \(ready)") }
            self.port = port
        case .rootCanal:
            var started: PeerProcess?
            var port = 0
            // Its ports cannot be chosen by the system: take free ones, and others when somebody was faster.
            for _ in 0..<10 where started == nil {
                let ports = try (0..<4).map { _ in try freePort() }
                let candidate = try PeerProcess(
                    Programs.rootCanal,
                    [
                        "-test_port", "\(ports[0])", "-hci_port", "\(ports[1])", "-link_port", "\(ports[2])",
                        "-link_ble_port", "\(ports[3])",
                    ], environment: ["LD_PRELOAD": Programs.rootCanalPreload])
                if await listens(candidate, on: ports[1]) {
                    started = candidate
                    port = ports[1]
                }
            }
            guard let started else { throw PeerError(description: "RootCanal did not start") }
            process = started
            self.port = port
        }
    }

    /// Bumble's air: `Tests/Peers/bumble_air.py`.
    init(bumble script: String) async throws {
        process = try PeerProcess(Programs.python, [script])
        let ready = try await process.event("listening")
        guard let port = ready["port"] as? Int else { throw PeerError(description: "no port in \(ready)") }
        self.port = port
    }

    func stop() { process.kill() }
}

/// A TCP port of the loopback interface that nobody uses at this moment.
func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> UInt16? in
            guard bind(descriptor, generic, length) == 0, getsockname(descriptor, generic, &length) == 0 else {
                return nil
            }
            return pointer.pointee.sin_port.bigEndian
        }
    }
    guard let port else { throw PeerError(description: "no free port") }
    return Int(port)
}

/// Waits for RootCanal's word that it listens; false when it ended first, since a port was taken.
private func listens(_ process: PeerProcess, on port: Int) async -> Bool {
    while let line = await process.line() {
        if line.contains("Listening on: \(port) ") { return true }
    }
    return false
}
