// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

/// Where the programs of a test run are.
enum Programs {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of our own programs: `CERULEAN_BIN`, else the debug build.
    static var binaries: URL {
        if let path = ProcessInfo.processInfo.environment["CERULEAN_BIN"] { return URL(fileURLWithPath: path) }
        return root.appendingPathComponent(".build/debug")
    }

    static var cerulean: String { binaries.appendingPathComponent("cerulean").path }
    static var python: String { root.appendingPathComponent(".venv/bin/python").path }
    static var bumblePeer: String { root.appendingPathComponent("Tests/Peers/bumble_peer.py").path }
    static var rootCanal: String { root.appendingPathComponent(".venv/rootcanal/rootcanal").path }
    static var rootCanalPreload: String { root.appendingPathComponent(".venv/rootcanal/loopback.so").path }
    static func file(_ path: String) -> String { root.appendingPathComponent(path).path }
}

struct PeerError: Error, CustomStringConvertible {
    var description: String
}

/// A program that runs beside a test and speaks in lines. It ends with the object.
final class PeerProcess: Sendable {
    private let process: Process
    private let input: FileHandle
    private let lines: LineQueue
    private let errors: LineQueue
    let name: String

    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw PeerError(description: "\(program) is missing: run Scripts/setup test")
        }
        name = URL(fileURLWithPath: program).lastPathComponent + " " + arguments.joined(separator: " ")
        process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        // A peer that is gone is an error of the write, not the end of the test run.
        signal(SIGPIPE, SIG_IGN)
        let toProcess = Pipe()
        let output = Pipe()
        let errorOutput = Pipe()
        process.standardInput = toProcess
        process.standardOutput = output
        process.standardError = errorOutput
        input = toProcess.fileHandleForWriting
        lines = LineQueue(output.fileHandleForReading)
        errors = LineQueue(errorOutput.fileHandleForReading)
        try process.run()
    }

    deinit { kill() }

    /// The next line of standard output; nil at its end.
    func line() async -> String? { await lines.next() }

    /// The next line of standard error; nil at its end.
    func errorLine() async -> String? { await errors.next() }

    /// Reads lines up to the JSON object whose `event` is `event`; fails on `error` events and at the end of output.
    func event(_ event: String) async throws -> [String: Any] {
        var seen: [String] = []
        while let line = await line() {
            seen.append(line)
            guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                continue
            }
            if object["event"] as? String == event { return object }
            if object["event"] as? String == "error" { break }
        }
        throw PeerError(
            description:
                "\(name): no \(event); it said \(seen.suffix(5)) and \(errors.all.suffix(20).joined(separator: "\n"))")
    }

    /// Writes one line to standard input.
    func send(_ line: String) throws { try input.write(contentsOf: Data((line + "\n").utf8)) }

    /// Writes a command and waits for the event of the same name.
    func ask(_ op: String, _ values: String = "") async throws -> [String: Any] {
        try send("{\"op\":\"\(op)\"\(values.isEmpty ? "" : "," + values)}")
        return try await event(op)
    }

    /// Ends it at once, as a power failure would.
    func kill() { if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) } }

    /// As Ctrl-C does.
    func interrupt() { if process.isRunning { Foundation.kill(process.processIdentifier, SIGINT) } }

    /// Waits for its end.
    func status() async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread {
                self.process.waitUntilExit()
                continuation.resume(returning: self.process.terminationStatus)
            }.start()
        }
    }

    /// All of standard output that has not been read, up to its end.
    func rest() async -> [String] {
        var all: [String] = []
        while let line = await line() { all.append(line) }
        return all
    }

    var errorText: String { errors.all.joined(separator: "\n") }
}

/// Reads lines on a thread of its own.
final class LineQueue: Sendable {
    private struct State {
        var lines: [String] = []
        var read = 0
        var isOver = false
        var waiter: CheckedContinuation<String?, Never>?
    }

    private let state = Mutex(State())

    init(_ handle: FileHandle) {
        Thread { [self] in
            var pending = Data()
            while true {
                let chunk = handle.availableData
                if chunk.isEmpty { break }
                pending.append(chunk)
                while let end = pending.firstIndex(of: 10) {
                    add(String(decoding: pending[pending.startIndex..<end], as: UTF8.self))
                    pending = Data(pending[(end + 1)...])
                }
            }
            if !pending.isEmpty { add(String(decoding: pending, as: UTF8.self)) }
            state.withLock { state -> CheckedContinuation<String?, Never>? in
                state.isOver = true
                defer { state.waiter = nil }
                return state.waiter
            }?.resume(returning: nil)
        }.start()
    }

    var all: [String] { state.withLock { $0.lines } }

    func next() async -> String? {
        await withCheckedContinuation { continuation in
            let now: String?? = state.withLock { state in
                if state.read < state.lines.count {
                    state.read += 1
                    return .some(state.lines[state.read - 1])
                }
                if state.isOver { return .some(nil) }
                state.waiter = continuation
                return nil
            }
            if let now { continuation.resume(returning: now) }
        }
    }

    private func add(_ line: String) {
        state.withLock { state -> CheckedContinuation<String?, Never>? in
            state.lines.append(line)
            guard let waiter = state.waiter else { return nil }
            state.waiter = nil
            state.read += 1
            return waiter
        }?.resume(returning: line)
    }
}
