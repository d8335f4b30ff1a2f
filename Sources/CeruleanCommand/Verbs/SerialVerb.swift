// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire
import Synchronization

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
                let bridge = SerialBridge(serial: serial, received: received, console: console)
                func announce(_ event: String, _ title: String) throws(CommandError) {
                    if isJSON {
                        try console.json(["event": .text(event), "address": .text(title)])
                    } else {
                        try console.line("\(event) \(title)")
                    }
                }
                if let listener {
                    try announce("listening", "\(listener.host):\(listener.port)")
                    try await bridge.run { [bridge] in
                        while let channel = await listener.accept() {
                            console.talk("a program connected")
                            try await bridge.send(from: channel)
                            console.talk("it is gone")
                        }
                    }
                } else if invocation.has("pty") {
                    let channel = try ByteChannel.pseudoTerminal()
                    try announce("terminal", channel.title)
                    try await bridge.run { [bridge] in try await bridge.send(from: channel) }
                } else {
                    let channel = try ByteChannel.standard()
                    try await bridge.run { [bridge] in
                        try await bridge.send(from: channel)
                        // Answers to the last octets are still on their way.
                        try await serial.peripheral.host.loop.sleep(for: linger)
                    }
                }
                try Task.checkCancellation()
                return .ok
            }
        })
}

/// Octets from a channel to a device and back. The device is heard all the time; what it says while no program is there is
/// dropped, as from a serial port that nobody has open.
private final class SerialBridge: Sendable {
    private let serial: SerialService
    private let received: RawValues
    private let console: Console
    private let current = Mutex<ByteChannel?>(nil)

    init(serial: SerialService, received: RawValues, console: Console) {
        self.serial = serial
        self.received = received
        self.console = console
    }

    /// Runs until `body` has served its programs.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/connectionLost`` when the device is lost, or the error of a write.
    func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in try await receive() }
            group.addTask { try await body() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Passes on what a program sends, until it is gone.
    func send(from channel: ByteChannel) async throws {
        current.withLock { $0 = channel }
        while let bytes = await channel.read() { try await serial.write(bytes) }
        // Standard output stays where its input has ended.
        if channel.title != "-" { current.withLock { $0 = nil } }
    }

    private func receive() async throws {
        for try await bytes in received {
            let channel = current.withLock { $0 }
            if let channel, await !channel.write(bytes) { channel.stop() }
            try await serial.acknowledge()
        }
        try Task.checkCancellation()
        throw CommandError(.connectionLost, "\(serial.peripheral) disconnected")
    }
}
