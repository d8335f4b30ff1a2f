// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanRecording
import CeruleanSensing
import CeruleanWire

extension VerbSpecification {
    /// `play FILE`: a recording comes to life again.
    static let play = VerbSpecification(
        name: "play",
        summary: "play a recording as a simulated device, or as an LSL stream",
        details: """
            Without --lsl a simulated board advertises and sends what was recorded, in a loop: a BITalino for recordings with
            A1 to A6, a BlueST board for columns such as acceleration.X, a Red Bear shield for slider1 to slider3. With --lsl
            the recording goes once through the Lab Streaming Layer at the pace at which it was recorded. --list tells what
            a file holds.
            """,
        positionals: [PositionalSpecification(placeholder: "FILE", help: "a recording", isFile: true)],
        options: [
            .value("session", "N", "which device or session of the file, from 1 (default 1)"),
            .flag("lsl", "stream through the Lab Streaming Layer"),
            .value("speed", "FACTOR", "with --lsl: so many times faster than recorded (default 1)"),
            .flag("list", "print the devices and sessions in the file, and end"),
            .value("device-name", "NAME", "advertise this name"),
            .value("seconds", "S", "end after S seconds (default until Ctrl-C)"),
        ],
        examples: ["play ecg.txt --lsl", "play ecg.edf --adapter tcp:127.0.0.1:7400"],
        run: { invocation, console in
            let path = invocation.positional(0) ?? ""
            let sessions = try RecordedSession.read(path)
            if invocation.has("list") {
                for (index, session) in sessions.enumerated() { try console.list(session, index + 1, invocation) }
                return .ok
            }
            let number = try invocation.integer("session", 1...max(sessions.count, 1)) ?? 1
            guard sessions.indices.contains(number - 1) else {
                throw CommandError.badData("\(path): no recording in it")
            }
            let session = sessions[number - 1]
            if invocation.has("lsl") { return try await stream(session, invocation, console) }
            let device = try SimulatedRoom.device(playing: session, name: invocation.value("device-name"))
            return try await Serving.run([(device, nil)], invocation, console)
        })

    private static func stream(
        _ session: RecordedSession, _ invocation: Invocation, _ console: Console
    ) async throws -> ExitCode {
        var speed = 1.0
        if let text = invocation.value("speed") {
            guard let number = Double(text), (0.001...1000).contains(number) else {
                throw CommandError.usage("--speed takes 0.001 to 1000, not '\(text)'")
            }
            speed = number
        }
        let seconds = try invocation.seconds("seconds")?.inSeconds
        console.talk("streaming \(session.source.name), \(session.rowCount) samples, as \(session.source.name)")
        let recorder = Recorder(
            source: ReplaySource(session, speed: speed), duration: seconds, progress: { console.status($0.text) })
        let summary = try await recorder.run(.lsl, to: .network(session.source.name))
        console.endStatus()
        try console.report([summary], json: invocation.has("json"), outputIsData: false)
        return summary.exit
    }
}

extension Console {
    /// One line about a session of a file.
    fileprivate func list(
        _ session: RecordedSession, _ number: Int, _ invocation: Invocation
    ) throws(CommandError) {
        let source = session.source
        guard invocation.has("json") else {
            let rate = source.rate.map { "\($0.plainText) Hz" } ?? "irregular"
            let names = source.channels.map(\.name).joined(separator: " ")
            let start = session.start?.rfc3339 ?? "?"
            return try line(
                TerminalText.escaped(
                    "\(number)  \(source.name)  \(start)  \(rate)  \(session.rowCount) samples, \(session.lost) lost  \(names)"
                ))
        }
        var members: [FieldValue.Member] = [
            .init("session", FieldValue(integer: number)), .init("name", .text(source.name)),
            .init("kind", .text(source.kind)), .init("samples", FieldValue(integer: session.rowCount)),
            .init("lost", FieldValue(integer: session.lost)),
            .init("channels", .list(source.channels.map { .text($0.name) })),
        ]
        if let rate = source.rate { members.append(.init("rate", .number(rate))) }
        if let start = session.start { members.append(.init("start", .text(start.rfc3339))) }
        if session.isCut { members.append(.init("cut", .bool(true))) }
        try json(.object(members))
    }
}

extension SimulatedRoom {
    /// The device that can send what was recorded.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/badData`` if none can.
    static func device(
        playing session: RecordedSession, name: String?, settings: [String: String] = [:]
    ) throws(CommandError) -> any SimulatedDevice {
        let names = session.source.channels.map(\.name)
        let kind: String
        if names.contains(where: { $0.contains(".") }) {
            kind = "bluest"
        } else if names.contains("slider1") {
            kind = "redbear"
        } else {
            kind = "bitalino"
        }
        guard let driver = KnownDrivers.all.driver(kind: kind) else { throw .badData("no simulated \(kind)") }
        var options = SimulationOptions(name: name, settings: settings)
        for (column, channel) in names.enumerated() {
            options.replays[channel] = RecordedSignal(
                values: filled(session, column), rate: session.source.rate ?? 1)
        }
        do {
            return try driver.makeSimulated(options)
        } catch {
            throw CommandError(
                .badData, "no simulated board sends these channels: \(CommandError(describing: error).description)")
        }
    }

    /// A channel with what was lost filled by the value before, so that its time is right; at most ten million values.
    private static func filled(_ session: RecordedSession, _ column: Int) -> [Double] {
        let values = session.column(column)
        guard !session.indices.isEmpty, let first = session.indices.first, let last = session.indices.last,
            last - first < 10_000_000
        else { return values }
        var all: [Double] = []
        all.reserveCapacity(last - first + 1)
        for (row, index) in session.indices.enumerated() {
            while all.count < index - first { all.append(all.last ?? 0) }
            all.append(values[row])
        }
        return all
    }
}
