// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanWire
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Standard input, output and error of the program; tests put their own in place.
struct Console: Sendable {
    /// Appends to standard output; throws ``CommandError`` with ``ExitCode/cannotWrite``.
    var writeOut: @Sendable ([UInt8]) throws(CommandError) -> Void
    /// Appends to standard error; what cannot be written is lost.
    var writeError: @Sendable ([UInt8]) -> Void
    /// The next line of standard input without its end; nil at the end of input.
    var nextLine: @Sendable () throws(CommandError) -> String?
    /// Lines of standard input are there at once: reading one never waits.
    var inputIsImmediate = false
    /// Standard input is a terminal: a person is asked there.
    var inputIsTerminal = false
    /// Standard output is a terminal.
    var outIsTerminal: Bool
    /// Standard error is a terminal.
    var errorIsTerminal: Bool
    /// The environment.
    var environment: [String: String]
    /// What is said on standard error beside errors.
    var logLevel = LogLevel.info

    /// How much is said on standard error.
    enum LogLevel: String, Comparable, CaseIterable, Sendable {
        case error, warning, info, debug

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
        static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
    }

    /// Text on standard output, as it is.
    func out(_ text: String) throws(CommandError) { try writeOut(Array(text.utf8)) }

    /// One line of data on standard output.
    func line(_ text: String) throws(CommandError) { try writeOut(Array(text.utf8) + [0x0A]) }

    /// One object on one line of standard output. Keys without a value are left out.
    func json(_ value: FieldValue) throws(CommandError) { try jsonAsIs(value.withoutEmptyKeys) }

    /// One object on one line of standard output, with `null` where its maker says so.
    func jsonAsIs(_ value: FieldValue) throws(CommandError) {
        var bytes: [UInt8] = []
        JSONText.append(value, to: &bytes)
        bytes.append(0x0A)
        try writeOut(bytes)
    }

    /// One line of talk on standard error, if the level asks for it. Control characters are escaped.
    func talk(_ text: String, _ level: LogLevel = .info) {
        if level <= logLevel { writeError(Array(TerminalText.escaped(text).utf8) + [0x0A]) }
    }

    /// True when colors may be used on standard output: a terminal, and no `NO_COLOR`.
    var usesColor: Bool { outIsTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb" }

    /// `text` in a color, where colors may be used.
    func styled(_ text: String, _ style: TerminalText.Style) -> String {
        usesColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Columns and lines of the terminal; 80 by 24 when it does not tell.
    var size: (width: Int, height: Int) {
        var size = winsize()
        if unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 {
            return (Int(size.ws_col), Int(size.ws_row))
        }
        return (80, 24)
    }

    /// The console of this process.
    static let standard: Console = {
        let input = LineInput(descriptor: 0)
        return Console(
            writeOut: { bytes throws(CommandError) in
                guard let code = writeAll(1, bytes) else { return }
                throw CommandError(.cannotWrite, "standard output: \(String(cString: strerror(code)))")
            },
            writeError: { _ = writeAll(2, $0) },
            nextLine: { () throws(CommandError) in try input.next() },
            inputIsTerminal: isatty(0) == 1, outIsTerminal: isatty(1) == 1, errorIsTerminal: isatty(2) == 1,
            environment: ProcessInfo.processInfo.environment)
    }()

    /// Writes all octets; the error number when that fails.
    private static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Int32? {
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes[start...].withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { start += count } else if count < 0, errno != EINTR { return errno }
        }
        return nil
    }
}

extension FieldValue {
    /// The same without members of objects that have no value, at any depth.
    var withoutEmptyKeys: FieldValue {
        switch self {
        case .object(let members):
            .object(members.compactMap { $0.value == .null ? nil : .init($0.name, $0.value.withoutEmptyKeys) })
        case .list(let values): .list(values.map(\.withoutEmptyKeys))
        default: self
        }
    }
}

/// Reads lines of a file descriptor, each at most 16 MiB long.
private final class LineInput: Sendable {
    private struct State {
        var buffer: [UInt8] = []
        var position = 0
        var isAtEnd = false
    }

    private static let limit = 16 << 20
    private let descriptor: Int32
    private let state = Mutex(State())

    init(descriptor: Int32) { self.descriptor = descriptor }

    func next() throws(CommandError) -> String? {
        let outcome: Result<String?, CommandError> = state.withLock { state in
            var searched = state.position
            while true {
                if let end = state.buffer[searched...].firstIndex(of: 0x0A) {
                    let line = state.buffer[state.position..<end]
                    state.position = end + 1
                    return .success(Self.text(line))
                }
                let pending = state.buffer.count - state.position
                if state.isAtEnd {
                    guard pending > 0 else { return .success(nil) }
                    let line = state.buffer[state.position...]
                    state.position = state.buffer.count
                    return .success(Self.text(line))
                }
                guard pending <= Self.limit else {
                    return .failure(.badData("standard input: a line is longer than \(Self.limit) octets"))
                }
                state.buffer.removeSubrange(..<state.position)
                state.position = 0
                searched = state.buffer.count
                var chunk = [UInt8](repeating: 0, count: 65536)
                let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
                if count > 0 {
                    state.buffer.append(contentsOf: chunk[..<count])
                } else if count == 0 {
                    state.isAtEnd = true
                } else if errno != EINTR {
                    return .failure(.badData("standard input: \(String(cString: strerror(errno)))"))
                }
            }
        }
        return try outcome.get()
    }

    private static func text(_ line: ArraySlice<UInt8>) -> String {
        String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
    }
}
