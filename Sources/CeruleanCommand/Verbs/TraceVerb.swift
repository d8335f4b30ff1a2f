// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanWire
import Foundation

extension VerbSpecification {
    /// `trace FILE`: prints a capture.
    static let trace = VerbSpecification(
        name: "trace",
        summary: "print a capture of HCI packets with every field named",
        details: """
            Reads btsnoop (also of Android and btmon), pcapng and pcap files, such as --trace writes; - reads standard input. L2CAP
            frames in several packets and units on credit based channels are put together: they are printed at their last packet.
            An arrow to the right goes to the controller. The end of a connection's packets is that of the connection: the same
            handle later is another one.
            """,
        positionals: [PositionalSpecification(placeholder: "FILE", help: "the capture", isFile: true)],
        options: [
            .value(
                "kind", "LIST", "only commands, events or data: command,event,data",
                choices: HCITrace.Kind.allCases.map(\.rawValue)),
            .value(
                "protocol", "LIST", "only packets that hold hci, l2cap, sdu, signaling, att or smp",
                choices: TraceFilter.protocols),
            .value(
                "connection", "WHICH", "only one connection: its number, its handle as 0x0040, or its peer's address"),
            .value("find", "TEXT", "only packets whose name or fields hold TEXT; case does not count"),
            .value("count", "N", "end after N packets"),
            .flag("brief", "one line for each packet: the name alone"),
            .flag("raw", "add the octets"),
        ],
        examples: ["trace scan.btsnoop --protocol att", "trace run.pcapng --connection 1 --json"],
        run: { invocation, console in
            let filter = try TraceFilter(invocation)
            let count = try invocation.integer("count", 1...Int.max) ?? .max
            let printer = TracePrinter(
                console: console, isJSON: invocation.has("json"), isBrief: invocation.has("brief"),
                addsOctets: invocation.has("raw"))
            let path = invocation.positional(0) ?? "-"
            var input = try CaptureInput(path)
            var trace = HCITrace()
            var number = 0
            var start: Int64?
            var printed = 0
            var isConnectionSeen = false
            var connections = 0
            while let records = try input.next() {
                for record in records {
                    try Task.checkCancellation()
                    number += 1
                    let isReceived = record.isReceived ?? (record.packet.first == 4)
                    let packet = trace.dissect(record.packet, isReceived: isReceived)
                    start = start ?? record.microseconds
                    connections = max(connections, packet.connection ?? 0)
                    isConnectionSeen = isConnectionSeen || filter.isOfConnection(packet)
                    guard filter.passes(packet) else { continue }
                    try printer.print(packet, record, number: number, start: start ?? 0)
                    printed += 1
                    if printed >= count { return .ok }
                }
            }
            if let which = invocation.value("connection"), !isConnectionSeen {
                let known =
                    switch connections {
                    case 0: "it has no connection"
                    case 1: "it has one, 1"
                    default: "it has \(connections), 1 to \(connections)"
                    }
                throw CommandError(.notFound, "\(path): there is no connection \(which) in the capture; \(known)")
            }
            return .ok
        })
}

/// Which packets are printed.
struct TraceFilter: Sendable {
    static let protocols = ["hci", "l2cap", "sdu", "signaling", "att", "smp"]

    private enum Connection: Sendable {
        case number(Int), handle(UInt16), peer(BluetoothAddress)
    }

    private var kinds: Set<HCITrace.Kind>?
    private var layers: Set<String>?
    private var connection: Connection?
    private var text: String?

    /// Reads the options.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage``.
    init(_ invocation: Invocation) throws(CommandError) {
        if let words = try Self.list(invocation, "kind", HCITrace.Kind.allCases.map(\.rawValue)) {
            kinds = Set(words.compactMap(HCITrace.Kind.init))
        }
        layers = try Self.list(invocation, "protocol", Self.protocols).map { Set($0) }
        if let word = invocation.value("connection") { connection = try Self.connection(word) }
        text = invocation.value("find")?.lowercased()
    }

    private static func list(
        _ invocation: Invocation, _ name: String, _ known: [String]
    ) throws(CommandError) -> [String]? {
        guard let value = invocation.value(name) else { return nil }
        let words = value.lowercased().split(separator: ",").map(String.init)
        guard !words.isEmpty, words.allSatisfy(known.contains) else {
            throw .usage("--\(name) takes some of \(known.joined(separator: ",")), not '\(value)'")
        }
        return words
    }

    private static func connection(_ word: String) throws(CommandError) -> Connection {
        if let address = BluetoothAddress(word) { return .peer(address) }
        if word.hasPrefix("0x"), let handle = UInt16(word.dropFirst(2), radix: 16) { return .handle(handle) }
        if let number = Int(word), number > 0 { return .number(number) }
        throw .usage("--connection takes a number such as 1, a handle such as 0x0040, or an address, not '\(word)'")
    }

    /// True for a packet of the wanted connection, and where none is asked for.
    func isOfConnection(_ packet: HCITrace.Packet) -> Bool {
        switch connection {
        case .number(let number): packet.connection == number
        case .handle(let handle): packet.handle == handle
        case .peer(let address): packet.peer?.address == address
        case nil: true
        }
    }

    func passes(_ packet: HCITrace.Packet) -> Bool {
        if let kinds, !kinds.contains(packet.kind) { return false }
        if let layers, !packet.layers.contains(where: { layers.contains($0.name) }) { return false }
        guard isOfConnection(packet) else { return false }
        guard let text else { return true }
        if packet.name.lowercased().contains(text) { return true }
        return packet.layers.contains { TracePrinter.text($0.fields).lowercased().contains(text) }
    }
}

/// Prints packets for people or as JSON.
struct TracePrinter: Sendable {
    var console: Console
    var isJSON: Bool
    var isBrief: Bool
    var addsOctets: Bool

    func print(
        _ packet: HCITrace.Packet, _ record: HCICaptureReader.Record, number: Int, start: Int64
    ) throws(CommandError) {
        let isReceived = record.isReceived ?? (record.packet.first == 4)
        if isJSON { return try printJSON(packet, record, number, isReceived) }
        let seconds = Double(record.microseconds &- start) / 1e6
        let time = String(format: "%11.6f", seconds)
        let place = String(repeating: " ", count: max(0, 6 - String(number).count)) + String(number)
        let connection = packet.connection.map { " [\($0)]" } ?? ""
        let kind = packet.kind.rawValue.padding(toLength: 7, withPad: " ", startingAt: 0)
        let name = TerminalText.escaped(packet.name)
        let styled = console.styled(name, isReceived ? .cyan : .green)
        try console.line("\(place) \(time) \(isReceived ? "←" : "→") \(kind)\(connection) \(styled)")
        if !isBrief {
            for layer in packet.layers {
                let text = TerminalText.escaped(Self.text(layer.fields))
                if !text.isEmpty { try console.line("                     \(layer.name): \(text)") }
            }
        }
        if addsOctets { try console.line("                     \(Hex.encode(record.packet))") }
        if record.originalLength > record.packet.count {
            try console.line("                     cut off: it had \(record.originalLength) octets")
        }
    }

    private func printJSON(
        _ packet: HCITrace.Packet, _ record: HCICaptureReader.Record, _ number: Int, _ isReceived: Bool
    ) throws(CommandError) {
        var members: [FieldValue.Member] = [
            .init("packet", FieldValue(integer: number)),
            .init("time", .text(WallTime(milliseconds: record.microseconds / 1000).rfc3339)),
            .init("microseconds", FieldValue(integer: record.microseconds)),
            .init("direction", .text(isReceived ? "received" : "sent")), .init("kind", .text(packet.kind.rawValue)),
            .init("name", .text(packet.name)),
        ]
        if let handle = packet.handle { members.append(.init("handle", FieldValue(integer: handle))) }
        if let connection = packet.connection { members.append(.init("connection", FieldValue(integer: connection))) }
        if let peer = packet.peer { members += peer.members }
        if !isBrief { members += packet.layers.map { .init($0.name, $0.fields) } }
        if addsOctets { members.append(.init("raw", .bytes(record.packet))) }
        try console.json(.object(members))
    }

    /// `name value, name value`, what is nested in braces and brackets.
    static func text(_ value: FieldValue) -> String {
        switch value {
        case .object(let members): members.map { "\($0.name) \(nested($0.value))" }.joined(separator: ", ")
        default: nested(value)
        }
    }

    private static func nested(_ value: FieldValue) -> String {
        switch value {
        case .null: "-"
        case .bool(let value): value ? "yes" : "no"
        case .integer(let value): String(value)
        case .number(let value): value.plainText
        case .text(let value): value
        case .bytes(let value): value.isEmpty ? "-" : Hex.encode(value)
        case .list(let values): "[" + values.map(nested).joined(separator: ", ") + "]"
        case .object: "{" + text(value) + "}"
        }
    }
}

/// A capture file, or standard input, a piece at a time.
struct CaptureInput {
    private let path: String
    private let handle: FileHandle
    private var reader = HCICaptureReader()

    /// - Throws: ``CommandError`` with ``ExitCode/badData`` when it cannot be opened.
    init(_ path: String) throws(CommandError) {
        self.path = path
        if path == "-" {
            handle = .standardInput
        } else if let file = FileHandle(forReadingAtPath: path) {
            handle = file
        } else {
            let reason = FileManager.default.fileExists(atPath: path) ? "cannot be opened" : "no such file"
            throw .badData("\(path): \(reason)")
        }
    }

    /// The next packets; nil at the end.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/badData`` when the file is damaged, after what was read before.
    mutating func next() throws(CommandError) -> [HCICaptureReader.Record]? {
        let data: Data?
        do {
            data = try handle.read(upToCount: 1 << 16)
        } catch {
            throw .badData("\(path): cannot be read: \(FileFault.text(error))")
        }
        do throws(HCICaptureReader.Failure) {
            guard let data, !data.isEmpty else {
                try reader.finish()
                return nil
            }
            return try reader.feed(data)
        } catch {
            throw .badData("\(path): \(error.description), at octet \(error.offset)")
        }
    }
}
