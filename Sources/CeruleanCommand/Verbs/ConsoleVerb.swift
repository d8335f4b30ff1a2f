// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanBlueST
import CeruleanHost
import CeruleanWire
import Synchronization

extension VerbSpecification {
    /// `console [COMMAND…]`: a BlueST board's debug console.
    static let console = VerbSpecification(
        name: "console",
        summary: "talk to a BlueST board's debug console",
        details: """
            With COMMAND each is sent and its answer printed. Without, lines are read from standard input: on a terminal with
            editing and history until Ctrl-D, else as a script, one command after the other. What the board says on its error
            output goes to standard error. 'help' lists what a board understands.
            """,
        positionals: [
            PositionalSpecification(
                placeholder: "COMMAND", help: "what to send, one argument for each", isOptional: true, repeats: true)
        ],
        options: [.value("silence", "S", "an answer ends after so long a silence (default 0.5)")],
        selectsDevice: true,
        examples: ["console versionFw --name boxpro --adapter virtual", "console < commands.txt"],
        run: { invocation, console in
            let silence = try invocation.seconds("silence") ?? .milliseconds(500)
            return try await Session.onBoard(invocation) { session, node in
                guard let debug = node.console else {
                    throw CommandError(.refused, "\(node.name) has no debug console")
                }
                let dialog = ConsoleDialog(
                    debug: debug, node: node, session: session, console: console, silence: silence,
                    isJSON: invocation.has("json"))
                if !invocation.positionals.isEmpty {
                    for command in invocation.positionals { try await dialog.ask(command) }
                } else if console.outIsTerminal, let editor = LineEditor() {
                    try await dialog.converse(editor)
                } else {
                    while let line = try console.nextLine() {
                        try Task.checkCancellation()
                        if !line.allSatisfy(\.isWhitespace) { try await dialog.ask(line) }
                    }
                }
                return .ok
            }
        })
}

/// Commands on one side, what the board says on the other.
private struct ConsoleDialog: Sendable {
    let debug: DebugConsole
    let node: Node
    let session: Session
    let console: Console
    let silence: Duration
    let isJSON: Bool

    /// Sends a command and prints all that comes until the console falls silent.
    func ask(_ command: String) async throws {
        let answer = try await debug.exchange(command, silence: silence, timeout: session.timeout)
        for line in answer { try print(line) }
    }

    /// An interactive terminal: what the board says is printed whenever it comes.
    func converse(_ editor: LineEditor) async throws {
        let output = try await debug.output(timeout: session.timeout)
        console.talk("connected to \(node.name); Ctrl-D ends, 'help' lists commands")
        editor.start("\(TerminalText.escaped(node.name))> ")
        defer { editor.stop() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            let pieces = ConsolePieces()
            group.addTask {
                for await part in output {
                    for line in pieces.received(part) { editor.interject { try? print(line) } }
                }
            }
            group.addTask {
                // What stands without an end of line is shown once nothing follows.
                let loop = session.central.host.loop
                while true {
                    try await loop.sleep(for: .milliseconds(300))
                    for line in pieces.rest() { editor.interject { try? print(line) } }
                }
            }
            group.addTask {
                for await change in node.stateChanges() where change.state != .connected {
                    throw CommandError(.connectionLost, "\(node.name) disconnected")
                }
            }
            group.addTask {
                for await line in editor.lines where !line.allSatisfy(\.isWhitespace) {
                    try await debug.write(line + "\r\n", timeout: session.timeout)
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
        try Task.checkCancellation()
    }

    private func print(_ line: ConsoleAnswer) throws(CommandError) {
        let (stream, text) =
            switch line {
            case .output(let text): ("stdout", text)
            case .error(let text): ("stderr", text)
            }
        if isJSON {
            try console.json([
                "time": .text(session.clock.now), "name": .text(node.name), "stream": .text(stream),
                "text": .text(text),
            ])
        } else if case .error = line {
            console.talk(text)
        } else {
            try console.line(TerminalText.escaped(text))
        }
    }
}

/// Puts both outputs of a console into lines.
private final class ConsolePieces: Sendable {
    private struct State {
        var output = ConsoleLines()
        var errors = ConsoleLines()
        var isFresh = false
    }

    private let state = Mutex(State())

    func received(_ part: ConsoleOutput) -> [ConsoleAnswer] {
        state.withLock { state in
            state.isFresh = true
            switch part {
            case .standardOutput(let bytes): return state.output.received(bytes).map { .output($0) }
            case .standardError(let bytes): return state.errors.received(bytes).map { .error($0) }
            }
        }
    }

    /// What is left, if nothing came since the last call.
    func rest() -> [ConsoleAnswer] {
        state.withLock { state in
            defer { state.isFresh = false }
            guard !state.isFresh else { return [] }
            return (state.output.finish().map { [.output($0)] } ?? [])
                + (state.errors.finish().map { [.error($0)] } ?? [])
        }
    }
}
