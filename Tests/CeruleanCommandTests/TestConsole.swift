// SPDX-License-Identifier: Apache-2.0
import CeruleanRecording
import CeruleanWire
import Synchronization

@testable import CeruleanCommand

/// Runs command lines and keeps what they print.
final class TestConsole: Sendable {
    private struct State {
        var out: [UInt8] = []
        var error: [UInt8] = []
        var input: [String] = []
    }

    private let state: Mutex<State>
    private let isTerminal: Bool
    private let environment: [String: String]

    init(input: [String] = [], isTerminal: Bool = false, environment: [String: String] = [:]) {
        state = Mutex(State(input: input.reversed()))
        self.isTerminal = isTerminal
        self.environment = environment
    }

    var out: String { state.withLock { String(decoding: $0.out, as: UTF8.self) } }
    var error: String { state.withLock { String(decoding: $0.error, as: UTF8.self) } }
    var lines: [String] { out.split(separator: "\n").map(String.init) }
    var objects: [FieldValue] { lines.map { (try? JSONText.parse($0)) ?? .null } }

    var console: Console {
        Console(
            writeOut: { bytes throws(CommandError) in self.state.withLock { $0.out += bytes } },
            writeError: { bytes in self.state.withLock { $0.error += bytes } },
            nextLine: { () throws(CommandError) in self.state.withLock { $0.input.popLast() } },
            inputIsImmediate: true, outIsTerminal: isTerminal, errorIsTerminal: isTerminal, environment: environment)
    }

    func run(_ arguments: String...) async -> ExitCode { await CeruleanProgram.run(arguments, console) }
}
