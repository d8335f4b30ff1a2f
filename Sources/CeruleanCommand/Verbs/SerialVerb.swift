// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire

extension VerbSpecification {
    /// `serial`: a UART-like service as a terminal or TCP port.
    static let serial = VerbSpecification(
        name: "serial",
        summary: "bridge a device's serial service to a pseudo terminal, a TCP port, or standard input and output",
        details: """
            Knows the services of Nordic (and Adafruit), HM-10 modules, Microchip and RedBearLab. Prints 'terminal PATH' or
            'listening HOST:PORT' when others can open it; without --pty and --listen, standard input goes to the device and
            what it sends to standard output, until the end of input. There is no flow control on the air: a slow device
            drops octets.
            """,
        options: [
            .flag("pty", "make a pseudo terminal, which other programs open by its path"),
            .value("listen", "HOST:PORT", "listen on this address (default host 127.0.0.1); port 0 picks one"),
            .value(
                "profile", "NAME", "the service to use (default the first that is known)",
                choices: SerialProfile.all.map(\.name).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }),
            .value("linger", "S", "standard input: wait so long for answers behind its end (default 1)"),
        ],
        selectsDevice: true,
        examples: ["serial --name \"Nordic_UART\" --pty", "serial --name hmsoft --listen 127.0.0.1:7500"],
        run: { invocation, console in
            if invocation.has("pty"), invocation.has("listen") {
                throw CommandError.usage("--pty or --listen, not both")
            }
            let listener = try invocation.value("listen").map { text throws(CommandError) in try ByteListener(text) }
            let linger = try invocation.seconds("linger") ?? .seconds(1)
            let profile = try invocation.value("profile").map { name throws(CommandError) in
                guard let known = SerialProfile.all.first(where: { $0.name == name }) else {
                    throw CommandError.usage("--profile: no service '\(name)'")
                }
                return known
            }
            let isJSON = invocation.has("json")
            return try await Session.onDevice(invocation) { session, peripheral in
                let serial = try await SerialService(peripheral, profile: profile, timeout: session.timeout)
                let received = try await serial.received(timeout: session.timeout)
                console.talk("\(peripheral): \(serial.profile.name), \(serial.packetLength) octets in a packet")
                let bridge = SerialBridge(serial: serial, received: received, linger: linger)
                func announce(_ event: String, _ title: String) throws(CommandError) {
                    if isJSON {
                        try console.json(["event": .text(event), "address": .text(title)])
                    } else {
                        try console.line("\(event) \(title)")
                    }
                }
                if let listener {
                    try announce("listening", "\(listener.host):\(listener.port)")
                    while peripheral.isConnected, let channel = await listener.accept() {
                        console.talk("a program connected")
                        try await bridge.run(channel)
                        console.talk("it is gone")
                    }
                } else if invocation.has("pty") {
                    let channel = try ByteChannel.pseudoTerminal()
                    try announce("terminal", channel.title)
                    try await bridge.run(channel)
                } else {
                    try await bridge.run(.standard)
                    return .ok
                }
                try Task.checkCancellation()
                throw CommandError(.connectionLost, "\(peripheral) disconnected")
            }
        })
}

/// Octets from a channel to a device and back.
private struct SerialBridge: Sendable {
    let serial: SerialService
    let received: RawValues
    let linger: Duration

    /// Runs until the channel ends.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/connectionLost`` when the device is lost, or the error of a write.
    func run(_ channel: ByteChannel) async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask { try await receive(into: channel) }
            group.addTask { try await send(from: channel) }
            defer {
                channel.stop()
                group.cancelAll()
            }
            while let isOver = try await group.next() {
                if isOver { return }
            }
        }
    }

    /// Returns false when the channel takes no more: sending may go on.
    private func receive(into channel: ByteChannel) async throws -> Bool {
        for try await bytes in received {
            guard channel.write(bytes) else { return true }
            try await serial.acknowledge()
        }
        try Task.checkCancellation()
        throw CommandError(.connectionLost, "\(serial.peripheral) disconnected")
    }

    private func send(from channel: ByteChannel) async throws -> Bool {
        while let bytes = await channel.read() { try await serial.write(bytes) }
        // Answers to the last octets are still on their way.
        try await serial.peripheral.host.loop.sleep(for: linger)
        return true
    }
}
