// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanBITalino
import CeruleanBlueST
import CeruleanHost
import CeruleanRecording
import CeruleanSensing
import Foundation

/// The program `cerulean`.
///
/// ```swift
/// exit(await CeruleanProgram.run(Array(CommandLine.arguments.dropFirst())))
/// ```
public enum CeruleanProgram {
    /// The version that `--version` prints.
    public static let version = "0.1.0"

    /// Runs one command line on the standard streams of this process.
    ///
    /// The first SIGINT or SIGTERM cancels the verb, which finishes its files and disconnects; the second ends the process
    /// at once. Both exit with 130.
    ///
    /// - Parameter arguments: what stands behind the program's name.
    /// - Returns: the exit code; see ``ExitCode``.
    public static func run(_ arguments: [String]) async -> Int32 {
        let interrupts = Interrupts()
        let task = Task { await run(arguments, .standard) }
        interrupts.start { task.cancel() }
        let code = await task.value
        interrupts.stop()
        return interrupts.happened ? ExitCode.interrupted.rawValue : code.rawValue
    }

    /// Runs one command line on a console.
    static func run(
        _ arguments: [String], _ console: Console, program: ProgramSpecification = .cerulean
    ) async -> ExitCode {
        do {
            switch try ArgumentParser(program).parse(arguments) {
            case .help(let verb):
                try console.out(verb.map { HelpText(program).help($0) } ?? HelpText(program).overview())
                return .ok
            case .version:
                try console.line("\(program.name) \(version)")
                return .ok
            case .run(var invocation):
                var console = console
                invocation.environment = console.environment
                let levels = Console.LogLevel.allCases.map(\.rawValue)
                if let level = try invocation.choice("log", levels).flatMap(Console.LogLevel.init) {
                    console.logLevel = level
                }
                invocation.notice = { [console] in console.talk($0, .warning) }
                let report = TraceReport()
                let catalog = try KnownDrivers.catalog(of: invocation)
                let code = try await TraceReport.$current.withValue(report) { [console, invocation] in
                    try await KnownDrivers.$catalog.withValue(catalog) {
                        try await invocation.verb.run(invocation, console)
                    }
                }
                if let failure = report.failure {
                    console.complain("\(program.name): the capture is not complete: \(failure.description)")
                    return code == .ok ? .cannotWrite : code
                }
                return code
            }
        } catch {
            let error = CommandError(describing: error)
            if !error.description.isEmpty { console.complain("\(program.name): \(error.description)") }
            return error.exit
        }
    }
}

extension Console {
    /// An error message on standard error; red on a terminal.
    func complain(_ text: String) {
        let text = TerminalText.escaped(text)
        let colored = errorIsTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        writeError(Array((colored ? "\u{1B}[31m\(text)\u{1B}[0m" : text).utf8) + [0x0A])
    }
}

extension CommandError {
    /// What any error of the layers below means for the user of the program.
    init(describing error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as BluetoothError: self.init(ExitCode(error.code), error.description)
        case let error as HostError:
            self.init(ExitCode(.init(error.code)), BluetoothError(error, during: "").description)
        case let error as RecordingError: self.init(ExitCode(error.code), error.description)
        case let error as SensingError: self.init(.usage, error.detail)
        case let error as BITalinoError: self.init(ExitCode(error), error.description)
        case let error as UpgradeError: self.init(ExitCode(error.code), error.description)
        case let error as RegisterError: self.init(ExitCode(error), error.description)
        case is CancellationError: self.init(.interrupted, "")
        default: self.init(.internal, "\(error)")
        }
    }
}

extension ExitCode {
    /// How the program ends after an error of a recording.
    init(_ code: RecordingError.Code) {
        switch code {
        case .fileExists, .diskFull, .cannotWrite: self = .cannotWrite
        case .cannotRead, .badData: self = .badData
        case .unsupported: self = .usage
        default: self = .internal
        }
    }

    /// How the program ends after an error of a BITalino.
    init(_ error: BITalinoError) {
        if let cause = error.cause {
            self.init(cause.code)
            return
        }
        switch error.code {
        case .noAnswer: self = .timedOut
        case .badAnswer: self = .badData
        case .cancelled: self = .interrupted
        case .invalidParameter: self = .usage
        case .unsupportedVersion: self = .refused
        case .notBITalino: self = .notFound
        default: self = .internal
        }
    }

    /// How the program ends after an error of the library.
    init(_ code: BluetoothError.Code) {
        switch code {
        case .noAdapter, .poweredOff, .unauthorized, .adapterBusy, .adapterFailed: self = .noAdapter
        case .notFound: self = .notFound
        case .timedOut: self = .timedOut
        case .refused, .insufficientSecurity, .unsupported: self = .refused
        case .disconnected, .connectionFailed: self = .connectionLost
        case .badData, .invalidResponse, .staleAttribute: self = .badData
        case .invalidArgument: self = .usage
        case .cancelled: self = .interrupted
        default: self = .internal
        }
    }
}
