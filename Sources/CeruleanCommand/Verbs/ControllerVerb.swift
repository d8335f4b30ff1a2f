// SPDX-License-Identifier: Apache-2.0

import CeruleanAdapters
import CeruleanHost
import CeruleanTransport
import CeruleanWire

extension VerbSpecification {
    /// `controller`: a simulated air that other hosts join.
    static let controller = VerbSpecification(
        name: "controller",
        summary: "serve controllers of a simulated air over TCP or a Unix socket",
        details: """
            Each connection is one more controller that speaks H4 (HCI over a stream), all on one simulated air. Prints
            'listening HOST:PORT' when ready, and runs until Ctrl-C or --seconds.
            """,
        options: [
            .value("listen", "HOST:PORT", "where to listen (default 127.0.0.1:6402); port 0 picks one; or unix:PATH"),
            .value("world", "FILE", "put the devices of a world file on the air; 'demo' for the simulated room"),
            .value("seed", "N", "decides all that chance decides"),
            .value("speed", "N", "let N seconds pass on the air in each second, 0.1 to 1000 (default 1)"),
            .value("seconds", "S", "end after S seconds"),
        ],
        examples: ["controller --listen 127.0.0.1:6402", "controller --listen unix:/tmp/air --world demo"],
        run: { invocation, console in
            let seconds = try invocation.seconds("seconds")
            var room = SimulatedRoom(places: [])
            if let world = invocation.value("world") {
                room = world == "demo" ? try .demonstration() : try SimulatedRoom(contentsOf: world)
            }
            if let seed = try invocation.integer("seed", 0...Int.max) { room.seed = UInt64(seed) }
            if let speed = try invocation.seconds("speed", minimum: 0.1) { room.speed = min(speed.inSeconds, 1000) }
            let address = try ListenAddress(invocation.value("listen") ?? "127.0.0.1:6402")
            let loop = try ThreadLoop(name: "air")
            return try await room.run(on: loop) { world in
                let server = try address.listen(on: loop) { transport in
                    console.talk("controller for \(transport.name)")
                    _ = world.attach(transport) { _ in console.talk("\(transport.name) is gone") }
                }
                defer { server.close() }
                let text = address.text(port: server.port)
                if invocation.has("json") {
                    var members: [FieldValue.Member] = [
                        .init("event", "listening"), .init("address", .text(text)),
                    ]
                    if server.port != 0 { members.append(.init("port", FieldValue(integer: server.port))) }
                    try console.json(.object(members))
                } else {
                    try console.line("listening \(text)")
                }
                try await loop.sleep(for: seconds ?? .seconds(31_536_000))
                return .ok
            }
        })
}

/// Where `controller` listens.
private enum ListenAddress: Sendable {
    case tcp(host: String, port: UInt16)
    case unix(path: String)

    /// - Throws: ``CommandError`` with ``ExitCode/usage``.
    init(_ text: String) throws(CommandError) {
        if text.hasPrefix("unix:"), text.count > 5 {
            self = .unix(path: String(text.dropFirst(5)))
            return
        }
        let plain = text.hasPrefix("tcp:") ? String(text.dropFirst(4)) : text
        guard let colon = plain.lastIndex(of: ":"), let port = UInt16(plain[plain.index(after: colon)...]) else {
            throw .usage("--listen takes HOST:PORT or unix:PATH, not '\(text)'")
        }
        var host = String(plain[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        self = .tcp(host: host.isEmpty ? "127.0.0.1" : host, port: port)
    }

    /// - Throws: ``CommandError`` with ``ExitCode/noAdapter`` when the port is in use or not permitted.
    func listen(
        on loop: ThreadLoop, _ accepted: @escaping @Sendable (StreamTransport) -> Void
    ) throws(CommandError) -> HCIServer {
        do {
            switch self {
            case .tcp(let host, let port):
                return try HCIServer(host: host, port: port, on: loop, accepted: accepted)
            case .unix(let path): return try HCIServer(path: path, on: loop, accepted: accepted)
            }
        } catch {
            let text = CommandError(describing: error).description
            throw CommandError(error.code == .invalidArgument ? .usage : .noAdapter, text)
        }
    }

    func text(port: UInt16) -> String {
        switch self {
        case .tcp(let host, _): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
