// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanBlueST
import CeruleanHost
import CeruleanRecording
import CeruleanWire

extension VerbSpecification {
    /// `feature ACTION …`: everything that a BlueST board's features take beside being followed.
    static let feature = VerbSpecification(
        name: "feature",
        summary: "read, command and configure the features of a BlueST board",
        details: """
            list [NAME]            the features that are known, with their fields; needs no board
            read NAME              reads a feature once
            command NAME ID [VALUE]  sends a command and prints the answer; ID is a number, 0x0A, or a letter
            write NAME VALUE       octets to the feature's own characteristic
            message NAME JSON      a message to extendedConfiguration, pnpl, hsDataLogConfiguration, jsonNFC …, and its answer
            calibrate NAME         calibrates sensorFusion, sensorFusionCompact, compass or eulerAngle: turn the board
            log start|stop         logging to the board's memory card, of --features every --interval seconds
            robot MOVE [SPEED]     topology, forward, backward, left, right or stop
            play FILE.wav          plays sound on a board that listens to its host (Opus, needs libopus)
            VALUE is as for the verb write: hex:0102, u8:, u16:, utf8:text …; 'notify --feature' follows features.
            """,
        positionals: [
            PositionalSpecification(
                placeholder: "ACTION", help: "what to do",
                choices: ["list", "read", "command", "write", "message", "calibrate", "log", "robot", "play"]),
            PositionalSpecification(placeholder: "NAME", help: "the feature, such as battery", isOptional: true),
            PositionalSpecification(
                placeholder: "ARGUMENT", help: "what the action needs", isOptional: true, repeats: true),
        ],
        options: [
            .flag("no-answer", "wait for no answer to a command or message"),
            .value("features", "LIST", "log: features with commas, such as acceleration,pressure"),
            .value("interval", "S", "log: seconds between samples (default 1)"),
            .catalog,
        ],
        selectsDevice: true,
        examples: [
            "feature list battery", "feature command battery 1 --name boxpro --adapter virtual",
            "feature command switch 1 --no-answer", "feature message extendedConfiguration '{\"command\":\"UID\"}'",
            "feature calibrate sensorFusion",
        ],
        run: { invocation, console in
            let job = try FeatureJob(invocation, console)
            if case .list(let features) = job.action {
                try job.list(features)
                return .ok
            }
            return try await Session.onBoard(invocation) { session, node in
                try await job.run(on: node, session)
                return .ok
            }
        })
}

/// One run of `feature`.
private struct FeatureJob: Sendable {
    enum Action: Sendable {
        case list([Feature])
        case read(String)
        case command(String, UInt8, [UInt8])
        case write(String, [UInt8])
        case message(String, FieldValue)
        case calibrate(String)
        case log(isOn: Bool, mask: UInt32, interval: UInt32)
        case robot(RobotMessage)
        case play(AudioRecording)
    }

    let action: Action
    private let waits: Bool
    private let isJSON: Bool
    private let console: Console

    init(_ invocation: Invocation, _ console: Console) throws(CommandError) {
        self.console = console
        isJSON = invocation.has("json")
        waits = !invocation.has("no-answer")
        let name = invocation.positional(0) ?? ""
        let arguments = Array(invocation.positionals.dropFirst())
        func needs(_ counts: ClosedRange<Int>, _ what: String) throws(CommandError) {
            guard counts.contains(arguments.count) else { throw .usage("feature \(name) takes \(what)") }
        }
        switch name {
        case "list":
            try needs(0...1, "at most one NAME")
            let all = FeatureRegistry().allFeatures
            guard let wanted = arguments.first else {
                action = .list(all)
                return
            }
            action = .list([try Self.known(wanted)])
        case "read":
            try needs(1...1, "NAME")
            action = .read(try Self.known(arguments[0]).id)
        case "command":
            try needs(2...3, "NAME ID [VALUE]")
            let value = arguments.count == 3 ? try ValueText.bytes(arguments[2]) : []
            action = .command(try Self.known(arguments[0]).id, try Self.number(arguments[1]), value)
        case "write":
            try needs(2...2, "NAME VALUE")
            action = .write(try Self.known(arguments[0]).id, try ValueText.bytes(arguments[1]))
        case "message":
            try needs(2...2, "NAME JSON")
            let id = try Self.known(arguments[0]).id
            do {
                action = .message(id, try JSONText.parse(arguments[1]))
            } catch {
                throw .usage("feature message: \(error)")
            }
        case "calibrate":
            try needs(1...1, "NAME")
            let feature = try Self.known(arguments[0])
            guard [.sensorFusion, .sensorFusionCompact, .compass, .eulerAngle].contains(feature) else {
                throw .usage("\(feature) is not calibrated; sensorFusion, sensorFusionCompact, compass, eulerAngle are")
            }
            action = .calibrate(feature.id)
        case "log":
            try needs(1...1, "start or stop")
            action = try Self.log(arguments[0], invocation)
        case "robot":
            try needs(1...2, "MOVE [SPEED]")
            action = .robot(try Self.robot(arguments))
        case "play":
            try needs(1...1, "FILE")
            action = .play(try Self.sound(arguments[0]))
        default: throw .usage("'\(name)' is no action; 'help feature' lists them")
        }
    }

    // MARK: - Arguments

    private static func known(_ name: String) throws(CommandError) -> Feature {
        let features = FeatureRegistry()
        if let found = features.feature(id: name) ?? KnownDrivers.catalog?.feature(id: name) { return found }
        throw CommandError(.notFound, "'\(name)' is no feature; 'feature list' shows all")
    }

    /// `5`, `0x0A` or a letter.
    private static func number(_ text: String) throws(CommandError) -> UInt8 {
        let lower = text.lowercased()
        if let number = lower.hasPrefix("0x") ? UInt8(lower.dropFirst(2), radix: 16) : UInt8(text) { return number }
        if text.count == 1, let letter = text.first, let code = letter.asciiValue, letter.isLetter { return code }
        throw .usage("'\(text)' is no command: a number from 0 to 255, 0x0A, or a letter")
    }

    private static func log(_ word: String, _ invocation: Invocation) throws(CommandError) -> Action {
        guard word == "start" else {
            guard word == "stop" else { throw .usage("feature log takes start or stop, not '\(word)'") }
            return .log(isOn: false, mask: 0, interval: 0)
        }
        let names = (invocation.value("features") ?? "").split(separator: ",").map(String.init)
        guard !names.isEmpty else { throw .usage("feature log start needs --features") }
        let slots = FeatureRegistry().features(device: 0, protocolVersion: 1)
        var mask: UInt32 = 0
        for name in names {
            let bits = slots.filter { $0.feature.id.lowercased() == name.lowercased() }.map(\.mask)
            guard !bits.isEmpty else { throw .usage("'\(name)' cannot be logged: it has no bit in the mask") }
            mask = bits.reduce(mask, |)
        }
        let interval = try invocation.integer("interval", 1...86400) ?? 1
        return .log(isOn: true, mask: mask, interval: UInt32(interval))
    }

    private static func robot(_ arguments: [String]) throws(CommandError) -> RobotMessage {
        let directions: [String: RobotMessage.Direction] = [
            "forward": .forward, "backward": .backward, "left": .left, "right": .right, "stop": .stop,
        ]
        if arguments[0] == "topology" { return .readTopology }
        guard let direction = directions[arguments[0]] else {
            throw .usage("feature robot takes topology, forward, backward, left, right or stop")
        }
        var speed: UInt8 = direction == .stop ? 0 : 50
        if arguments.count == 2 {
            guard let given = UInt8(arguments[1]) else { throw .usage("SPEED is a number from 0 to 255") }
            speed = given
        }
        return .move(direction, speed: speed)
    }

    private static func sound(_ path: String) throws(CommandError) -> AudioRecording {
        let bytes = try TextFile.bytes(path, limit: 256 << 20)
        guard let sound = AudioRecording(wave: bytes) else {
            throw .badData("\(path): no WAV file with samples of 16 bits")
        }
        guard OpusConfiguration(rate: sound.rate, channels: sound.channels).encoded != nil else {
            throw .badData("\(path): boards play 8000, 16000, 24000 or 48000 Hz, mono or stereo")
        }
        return sound
    }

    // MARK: - Work

    /// Shows features and their fields.
    func list(_ features: [Feature]) throws(CommandError) {
        var rows: [[String]] = []
        for feature in features {
            for field in feature.fields {
                let range = field.range.map { "\($0.lowerBound.plainText)…\($0.upperBound.plainText)" } ?? ""
                if !isJSON {
                    rows.append([feature.id, field.name, field.unit ?? "", field.form.rawValue, range])
                }
            }
            guard isJSON else { continue }
            let fields = feature.fields.map { field -> FieldValue in
                var members: [FieldValue.Member] = [
                    .init("name", .text(field.name)), .init("type", .text(field.form.rawValue)),
                ]
                if let unit = field.unit { members.append(.init("unit", .text(unit))) }
                if let range = field.range {
                    members.append(.init("range", [.number(range.lowerBound), .number(range.upperBound)]))
                }
                if let labels = field.labels {
                    let names = labels.names.sorted { $0.key < $1.key }
                    members.append(.init("labels", .object(names.map { .init("\($0.key)", .text($0.value)) })))
                }
                return .object(members)
            }
            try console.json([
                "feature": .text(feature.id), "name": .text(feature.name), "fields": .list(fields),
            ])
        }
        for line in TerminalText.table(rows) { try console.line(line) }
    }

    func run(on node: Node, _ session: Session) async throws {
        switch action {
        case .list: break
        case .read(let id):
            for sample in try await node.read(try node.wanted(id).feature, timeout: session.timeout) {
                try show(
                    [
                        .init("feature", .text(sample.feature.id)), .init("value", .bytes(Array(sample.raw))),
                        .init("decoded", .object(sample.members)),
                    ], "\(sample)")
            }
        case .command(let id, let number, let value): try await command(id, number, value, node, session)
        case .write(let id, let value):
            try await node.write(value, to: try node.wanted(id).feature, timeout: session.timeout)
        case .message(let id, let message): try await exchange(id, message, node, session)
        case .calibrate(let id):
            try await node.calibrate(try node.wanted(id).feature) { status in
                console.status("calibrated to \(status) %")
                if isJSON { try? console.json(["feature": .text(id), "calibration": FieldValue(integer: status)]) }
            }
            console.endStatus()
            if !isJSON { try console.line("\(id) is calibrated") }
        case .log(let isOn, let mask, let interval):
            let octets = isOn ? FeatureWrite.sdLogging(mask: mask, interval: interval) : FeatureWrite.sdLoggingStop
            try await node.write(octets, to: .sdLogging, timeout: session.timeout)
            guard try node.feature(.sdLogging).canRead else { return }
            for sample in try await node.read(.sdLogging, timeout: session.timeout) {
                try show([.init("feature", "sdLogging"), .init("decoded", .object(sample.members))], "\(sample)")
            }
        case .robot(let message):
            let answer = try await node.ask(message, timeout: session.timeout)
            var members: [FieldValue.Member] = [.init("value", .bytes(answer.encoded))]
            if let topology = answer.topology {
                members.append(.init("topology", .list(topology.names.map { .text($0) })))
            }
            try show(members, answer.topology.map { $0.names.joined(separator: ", ") } ?? "\(answer)")
        case .play(let sound): try await play(sound, on: node, session)
        }
    }

    private func command(
        _ id: String, _ number: UInt8, _ value: [UInt8], _ node: Node, _ session: Session
    ) async throws {
        let found = try node.wanted(id)
        guard waits else {
            return try await node.send(number, value, to: found.feature, timeout: session.timeout)
        }
        let command = FeatureCommand(mask: found.mask, id: number, payload: value)
        let answer = try await node.ask(command, timeout: session.timeout)
        var members: [FieldValue.Member] = [
            .init("feature", .text(found.feature.id)), .init("command", FieldValue(integer: answer.id)),
            .init("timestamp", FieldValue(integer: answer.rawTimestamp)), .init("value", .bytes(answer.payload)),
        ]
        var text = "\(found.feature.id) answers \(Hex.encode(answer.payload))"
        switch answer.meaning {
        case .batteryCapacity(let capacity)?:
            members.append(.init("decoded", ["batteryCapacity": FieldValue(integer: capacity)]))
            text += "  \(capacity) mAh"
        case .maxAbsorbedCurrent(let current)?:
            members.append(.init("decoded", ["maxAbsorbedCurrent": .number(current)]))
            text += "  \(current.plainText) mA"
        case .calibration(let status)?:
            members.append(.init("decoded", ["calibrationStatus": FieldValue(integer: status)]))
            text += "  calibrated to \(status) %"
        case nil: break
        }
        try show(members, text)
    }

    private func exchange(_ id: String, _ message: FieldValue, _ node: Node, _ session: Session) async throws {
        let feature = try node.wanted(id).feature
        guard waits else { return try await node.tell(message, feature: feature, timeout: session.timeout) }
        let answer = try await node.ask(message, of: feature, timeout: session.timeout)
        if isJSON { try console.jsonAsIs(answer) } else { try console.out(TextFile.pretty(answer) + "\n") }
    }

    /// Sends packets as they would be heard.
    private func play(_ sound: AudioRecording, on node: Node, _ session: Session) async throws {
        let configuration = OpusConfiguration(rate: sound.rate, channels: sound.channels)
        guard let encoder = OpusEncoder(configuration) else {
            throw CommandError(.refused, "libopus is not installed; install libopus0")
        }
        let server = await PeripheralServer(host: session.central.host)
        let audio = try await AudioServer(server)
        do {
            console.talk("waiting for \(node.name) to listen")
            try await audio.waitForListener(of: .music, timeout: session.timeout)
            try await audio.announce(configuration, timeout: session.timeout)
            try await audio.announce(isOn: true, timeout: session.timeout)
            let loop = session.central.host.loop
            let start = loop.now
            let size = configuration.frameSamples * configuration.channels
            let count = (sound.samples.count + size - 1) / size
            for index in 0..<count {
                let frame = sound.samples[(index * size)..<min(sound.samples.count, (index + 1) * size)]
                if let packet = encoder.encode(Array(frame)) {
                    try await audio.send(packet, on: .music, timeout: session.timeout)
                }
                console.status("\(index * configuration.frameTenths / 10000) s of \(Int(sound.duration)) s")
                try await loop.sleep(until: start + .microseconds(100 * configuration.frameTenths * (index + 1)))
            }
            try await audio.announce(isOn: false, timeout: session.timeout)
        } catch {
            console.endStatus()
            await audio.close()
            throw error
        }
        console.endStatus()
        await audio.close()
        try show([.init("played", .number(sound.duration))], "played \(sound.duration.plainText) s")
    }

    private func show(_ members: [FieldValue.Member], _ text: String) throws(CommandError) {
        if isJSON { try console.json(.object(members)) } else { try console.line(TerminalText.escaped(text)) }
    }
}
