// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanBlueST
import CeruleanHost
import CeruleanWire
import Synchronization

extension VerbSpecification {
    /// `fwupdate FILE`: new firmware for a BlueST board.
    static let fwupdate = VerbSpecification(
        name: "fwupdate",
        summary: "bring firmware into a BlueST board over the air",
        details: """
            The image is checked before its first octet is sent. A lost connection is made again; boards that number the packets
            go on where they were. An STM32WB is restarted into its loader first, which is looked for and given the image.
            --running only asks what runs, and with --catalog tells newer firmware.
            """,
        positionals: [
            PositionalSpecification(placeholder: "FILE", help: "the image, a .bin file", isOptional: true, isFile: true)
        ],
        options: [
            .flag("running", "only tell what firmware runs"),
            .flag("radio", "the radio's firmware, not the board's"),
            .flag("force", "send an image that looks wrong as well; what can never work is refused all the same"),
            .value("packet-size", "N", "octets of the image in a packet (default what the board wants)"),
            .value("gap", "MS", "milliseconds between packets (default what the board wants)"),
            .value("capacity", "N", "octets that the board has room for"),
            .value(
                "base", "ADDRESS", "BlueNRG: where the image goes, such as 0x10040000 (default the first that is free)"),
            .catalog,
        ],
        selectsDevice: true,
        examples: ["fwupdate BLUEST_3.2.0.bin --name boxpro", "fwupdate --running --json"],
        run: { invocation, console in
            let upgrade = try FirmwareUpgrade(invocation, console)
            return try await Session.onBoard(invocation) { session, node in try await upgrade.run(node, session) }
        })
}

/// One run of `fwupdate`.
private struct FirmwareUpgrade: Sendable {
    private let image: FirmwareImage?
    private var options = Node.UpgradeOptions()
    private let packetSize: Int?
    private let gap: Duration?
    private let isJSON: Bool
    private let console: Console

    init(_ invocation: Invocation, _ console: Console) throws(CommandError) {
        self.console = console
        isJSON = invocation.has("json")
        packetSize = try invocation.integer("packet-size", 1...500)
        gap = try invocation.integer("gap", 0...10_000).map { .milliseconds($0) }
        options.destination = invocation.has("radio") ? .radio : .board
        options.isForced = invocation.has("force")
        options.capacity = try invocation.integer("capacity", 1...Int(Int32.max))
        if let text = invocation.value("base") {
            let digits = text.lowercased().hasPrefix("0x") ? text.dropFirst(2) : text[...]
            guard let base = UInt32(digits, radix: 16) else { throw .usage("--base takes 0x…, not '\(text)'") }
            options.baseAddress = base
        }
        guard invocation.has("running") == (invocation.positional(0) == nil) else {
            throw .usage("fwupdate needs FILE, or --running")
        }
        image = try invocation.positional(0).map { path throws(CommandError) in
            FirmwareImage(try TextFile.bytes(path, limit: FirmwareImage.sizeLimit))
        }
    }

    func run(_ node: Node, _ session: Session) async throws -> ExitCode {
        guard let image else {
            guard let debug = node.console else { throw CommandError(.refused, "\(node.name) has no debug console") }
            if options.destination == .radio {
                try show(radio: try await debug.radioVersion(timeout: session.timeout), "running", node)
                return .ok
            }
            let running = try await debug.firmwareVersion(timeout: session.timeout)
            try show("running", running, node, KnownDrivers.catalog?.updates(for: running, device: node.board.id) ?? [])
            return .ok
        }
        var options = options
        options.timeout = session.timeout
        if packetSize != nil || gap != nil {
            let running = try? await node.console?.firmwareVersion(timeout: session.timeout)
            var packets = ConsoleUpgrade.Options.recommended(for: node.board, running: running)
            if let packetSize { packets.packetSize = packetSize }
            if let gap { packets.gap = gap }
            options.console = packets
        }
        let loop = session.central.host.loop
        let start = loop.now
        let progress = ProgressReport(console: console, isJSON: isJSON)
        do {
            let manager = BlueSTManager(session.central)
            try await manager.upgrade(node, with: image, options: options) { progress.event($0) }
        } catch {
            console.endStatus()
            throw error
        }
        console.endStatus()
        let seconds = (loop.now - start).inSeconds
        let crc = String(image.crc, radix: 16, uppercase: true)
        if isJSON {
            try console.json([
                "event": "finished", "octets": FieldValue(integer: image.bytes.count),
                "crc": .text("0x" + String(repeating: "0", count: 8 - crc.count) + crc),
                "seconds": .number((seconds * 1000).rounded() / 1000),
                "reconnections": FieldValue(integer: progress.reconnections),
            ])
        } else {
            try console.line(
                "\(TerminalText.escaped(node.name)) has all \(image.bytes.count) octets (CRC \(crc)), \(Int(seconds)) s"
            )
        }
        await restarted(node, session)
        return .ok
    }

    /// The board restarts; what it runs then is worth knowing, but its absence no failure.
    private func restarted(_ node: Node, _ session: Session) async {
        let loop = session.central.host.loop
        for _ in 0..<20 {
            guard (try? await loop.sleep(for: .milliseconds(500))) != nil else { return }
            if node.isConnected { continue }
            guard (try? await node.connect(timeout: .seconds(3))) != nil else { continue }
            guard let debug = node.console else { return }
            if options.destination == .radio {
                guard let radio = try? await debug.radioVersion(timeout: session.timeout) else { return }
                try? show(radio: radio, "restarted", node)
                return
            }
            guard let version = try? await debug.firmwareVersion(timeout: session.timeout) else { return }
            try? show("restarted", version, node)
            return
        }
        console.talk("the board did not come back yet")
    }

    private func show(radio version: String, _ event: String, _ node: Node) throws(CommandError) {
        if isJSON {
            try console.json([
                "event": .text(event), "name": .text(node.name), "board": .text(node.board.token),
                "radio": .text(version),
            ])
        } else {
            try console.line("the radio of \(TerminalText.escaped("\(node.name) runs \(version)"))")
        }
    }

    private func show(
        _ event: String, _ version: FirmwareVersion, _ node: Node, _ newer: [FirmwareCatalog.Entry] = []
    ) throws(CommandError) {
        if isJSON {
            var members: [FieldValue.Member] = [
                .init("event", .text(event)), .init("name", .text(node.name)), .init("board", .text(node.board.token)),
                .init("firmware", .text(version.description)),
            ]
            if !newer.isEmpty { members.append(.init("newer", .list(newer.map { .text($0.title) }))) }
            try console.json(.object(members))
        } else {
            let name = TerminalText.escaped(node.name)
            try console.line("\(name) runs \(TerminalText.escaped(version.description))")
            for entry in newer { try console.line("newer: \(TerminalText.escaped(entry.title))") }
        }
    }
}

/// Shows how far an upgrade is: a bar on a terminal, an object for each tenth with `--json`.
private final class ProgressReport: Sendable {
    private struct State {
        var tenth = 0
        var reconnections = 0
    }

    private let console: Console
    private let isJSON: Bool
    private let state = Mutex(State())

    init(console: Console, isJSON: Bool) {
        self.console = console
        self.isJSON = isJSON
    }

    var reconnections: Int { state.withLock { $0.reconnections } }

    func event(_ event: Node.UpgradeEvent) {
        switch event {
        case .running(let version):
            if isJSON {
                try? console.json(["event": "running", "firmware": .text(version.description)])
            } else {
                console.talk("the board runs \(version)")
            }
        case .radioRuns(let version):
            if isJSON {
                try? console.json(["event": "running", "radio": .text(version)])
            } else {
                console.talk("the radio runs \(version)")
            }
        case .linkLost(let reason):
            console.endStatus()
            if isJSON { try? console.json(["event": "linkLost", "reason": .text(reason)]) }
            console.talk("link lost (\(reason)), trying again")
        case .linkResumed:
            state.withLock { $0.reconnections += 1 }
            if isJSON { try? console.json(["event": "linkResumed"]) }
        case .restartingIntoLoader:
            if isJSON { try? console.json(["event": "restartingIntoLoader"]) }
            console.talk("the board restarts into its loader")
        case .loaderFound(let loader):
            if isJSON { try? console.json(["event": "loaderFound", "address": .text(loader.tag)]) }
            console.talk("found the loader \(loader.name)")
        case .progress(let progress, let remaining): show(progress, remaining)
        }
    }

    private func show(_ progress: UpgradeProgress, _ remaining: Duration?) {
        let width = 30
        let full = Int(progress.fraction * Double(width))
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: width - full)
        let rest = remaining.map { ", \(Int($0.inSeconds.rounded())) s left" } ?? ""
        console.status("[\(bar)] \(Int(progress.fraction * 100)) %  \(progress.sent) of \(progress.total)\(rest)")
        guard isJSON else { return }
        let tenth = Int(progress.fraction * 10)
        let isNew = state.withLock { state in
            defer { state.tenth = max(state.tenth, tenth) }
            return tenth > state.tenth
        }
        guard isNew else { return }
        var members: [FieldValue.Member] = [
            .init("event", "progress"), .init("sent", FieldValue(integer: progress.sent)),
            .init("total", FieldValue(integer: progress.total)),
        ]
        if let remaining { members.append(.init("remaining", .number((remaining.inSeconds * 10).rounded() / 10))) }
        try? console.json(.object(members))
    }
}

extension ExitCode {
    /// How the program ends after an upgrade that did not work.
    init(_ code: UpgradeError.Code) {
        switch code {
        case .invalidImage, .wrongBoard, .tooLarge: self = .badData
        case .noAnswer: self = .timedOut
        case .transmission, .notBack: self = .connectionLost
        case .aborted: self = .interrupted
        default: self = .refused
        }
    }

    /// How the program ends after a register operation that was not done.
    init(_ error: RegisterError) {
        switch error {
        case .valueTooLong: self = .usage
        case .accessNotAllowed, .targetNotAllowed, .refused: self = .refused
        }
    }
}
