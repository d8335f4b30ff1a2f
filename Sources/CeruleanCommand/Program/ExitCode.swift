// SPDX-License-Identifier: Apache-2.0

/// How the program ends. Scripts rely on the numbers.
public enum ExitCode: Int32, Sendable, CaseIterable {
    /// All went well.
    case ok = 0
    /// A fault of the program.
    case `internal` = 1
    /// The command line is wrong.
    case usage = 2
    /// No adapter, it is off, in use or not permitted.
    case noAdapter = 3
    /// No such device was seen in time, or it has no such attribute.
    case notFound = 4
    /// An operation on a device that was found took too long.
    case timedOut = 5
    /// The device said no.
    case refused = 6
    /// The connection was lost.
    case connectionLost = 7
    /// Input does not hold what it should.
    case badData = 8
    /// Output cannot be written.
    case cannotWrite = 9
    /// Ctrl-C or SIGTERM.
    case interrupted = 130

    static var documented: [ExitCode] { allCases }

    /// What the code says, for help.
    var meaning: String {
        switch self {
        case .ok: "all went well"
        case .internal: "a fault of the program"
        case .usage: "wrong command line: unknown verb, option or kind"
        case .noAdapter: "no adapter, it is off, in use, or not permitted"
        case .notFound: "no such device seen in time, or no such attribute"
        case .timedOut: "an operation on a found device took too long"
        case .refused: "refused by the device"
        case .connectionLost: "the connection was lost"
        case .badData: "bad data"
        case .cannotWrite: "output cannot be written: disk full, file exists"
        case .interrupted: "interrupted"
        }
    }
}

/// Ends a verb with a code and a message for people.
struct CommandError: Error, Hashable, Sendable, CustomStringConvertible {
    /// How the program ends.
    var exit: ExitCode
    /// What failed, on what, and what to try. Empty when everything was said already.
    var description: String

    init(_ exit: ExitCode, _ description: String) {
        self.exit = exit
        self.description = description
    }

    /// The command line is wrong.
    static func usage(_ text: String) -> Self { Self(.usage, text) }

    /// Input does not hold what it should.
    static func badData(_ text: String) -> Self { Self(.badData, text) }
}
