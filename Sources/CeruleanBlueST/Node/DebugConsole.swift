// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
import CeruleanWire
import Synchronization

/// What a board's console says.
public enum ConsoleOutput: Hashable, Sendable {
    /// On its output.
    case standardOutput([UInt8])
    /// On its error output.
    case standardError([UInt8])

    /// The octets.
    public var bytes: [UInt8] {
        switch self {
        case .standardOutput(let bytes), .standardError(let bytes): bytes
        }
    }

    /// The text.
    public var text: String { ConsoleText.decode(bytes) }
}

/// A board's debug console. bluest.md §12.
///
/// ```swift
/// if let console = node.console {
///     let version = try await console.firmwareVersion()
///     print(try await console.ask("help"))
/// }
/// ```
public struct DebugConsole: Sendable {
    let core: NodeCore
    let terminal: PortKey
    let standardError: PortKey?

    /// What the console says from now on, and the end of the stream switches notifications off again. Of a slow reader
    /// the newest 1024 notifications are kept.
    ///
    /// - Throws: `BluetoothError`.
    public func output(timeout: Duration = .seconds(10)) async throws(BluetoothError) -> AsyncStream<ConsoleOutput> {
        let keys = [terminal] + (standardError.map { [$0] } ?? [])
        for (index, key) in keys.enumerated() {
            do throws(BluetoothError) {
                try await core.use(key, timeout: timeout)
            } catch {
                for used in keys[..<index] { core.release(used) }
                throw error
            }
        }
        return core.console.listen(capacity: 1024) { [weak core] in
            for key in keys { core?.release(key) }
        }
    }

    /// Writes octets in chunks of 20, each acknowledged before the next.
    ///
    /// - Returns: How many were accepted: all.
    /// - Throws: `BluetoothError`.
    @discardableResult
    public func write(_ bytes: [UInt8], timeout: Duration = .seconds(10)) async throws(BluetoothError) -> Int {
        for chunk in ConsoleText.chunks(bytes) {
            try await core.port.write(chunk, to: terminal, withResponse: true, timeout: timeout)
        }
        return bytes.count
    }

    /// Writes text. Nothing is put behind it: most commands want an end of line, `\r\n`.
    ///
    /// - Throws: `BluetoothError`.
    @discardableResult
    public func write(_ text: String, timeout: Duration = .seconds(10)) async throws(BluetoothError) -> Int {
        try await write(ConsoleText.encode(text), timeout: timeout)
    }

    /// Writes octets without waiting for acknowledgements, as fast as the link takes them, in chunks as long as the
    /// link carries.
    ///
    /// - Throws: `BluetoothError`.
    public func writeFast(_ bytes: [UInt8], timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        for chunk in ConsoleText.chunks(bytes, size: core.port.writeLength) {
            try await core.port.write(chunk, to: terminal, withResponse: false, timeout: timeout)
        }
    }

    /// Sends a command with an end of line, and collects what comes until the console falls silent.
    ///
    /// - Returns: Lines of output and of error output, in order.
    /// - Throws: `BluetoothError` with `timedOut` when nothing comes at all.
    public func ask(
        _ command: String, silence: Duration = .seconds(1), timeout: Duration = .seconds(5)
    ) async throws(BluetoothError) -> [String] {
        try await exchange(command, silence: silence, timeout: timeout).map(\.text)
    }

    /// Sends a command with an end of line, and collects what comes until the console falls silent, with where it came
    /// from.
    ///
    /// - Parameters:
    ///   - command: What is sent.
    ///   - silence: How long nothing must come behind the first answer.
    ///   - timeout: For the first answer.
    ///   - longest: For a console that does not fall silent: then what came is returned.
    /// - Returns: Lines of output and of error output, in order.
    /// - Throws: `BluetoothError` with `timedOut` when nothing comes at all.
    public func exchange(
        _ command: String, silence: Duration = .seconds(1), timeout: Duration = .seconds(5),
        longest: Duration = .seconds(30)
    ) async throws(BluetoothError) -> [ConsoleAnswer] {
        let operation = "console command '\(command)'"
        return try await core.exchange.run(on: core.port.loop, timeout: timeout, operation) {
            () throws(BluetoothError) -> [ConsoleAnswer] in
            let collector = ConsoleCollector()
            let keys = [terminal] + (standardError.map { [$0] } ?? [])
            var waiting: [UInt64] = []
            for key in keys {
                try await core.use(key, timeout: timeout)
                let isError = key == standardError
                waiting.append(core.watch(key, { collector.received($0, isError: isError) }))
            }
            defer {
                core.unwatch(waiting)
                for key in keys { core.release(key) }
            }
            try await write(command + "\r\n", timeout: timeout)
            let loop = core.port.loop
            let start = loop.now
            while true {
                let (last, count) = collector.progress
                let deadline = count == 0 ? start + timeout : min((last ?? start) + silence, start + longest)
                if loop.now >= deadline {
                    guard count > 0 else {
                        throw BluetoothError(.timedOut, operation, detail: "the board said nothing within \(timeout)")
                    }
                    return collector.lines
                }
                do { try await loop.sleep(until: min(deadline, loop.now + .milliseconds(20))) } catch {
                    throw BluetoothError(.cancelled, operation)
                }
                guard core.nodeState == .connected else {
                    throw BluetoothError(.disconnected, operation)
                }
                collector.note(loop.now)
            }
        }
    }

    /// The version of the board's firmware.
    ///
    /// - Throws: `BluetoothError` with `badData` when the answer names none.
    public func firmwareVersion(timeout: Duration = .seconds(5)) async throws(BluetoothError) -> FirmwareVersion {
        let lines = try await ask("versionFw", silence: .milliseconds(300), timeout: timeout)
        for line in lines { if let version = try? FirmwareVersion(line) { return version } }
        throw BluetoothError(
            .badData, "firmware version", detail: "the board answered '\(lines.joined(separator: " ").prefix(100))'")
    }

    /// The version of the radio's firmware as the board says it: boards agree on no form.
    ///
    /// - Throws: `BluetoothError` with `badData` when the board answers on its error output alone.
    public func radioVersion(timeout: Duration = .seconds(5)) async throws(BluetoothError) -> String {
        let lines = try await exchange("versionBle", silence: .milliseconds(300), timeout: timeout)
        for line in lines { if case .output(let text) = line { return String(text.prefix(100)) } }
        throw BluetoothError(
            .badData, "radio version",
            detail: "the board answered '\(lines.map(\.text).joined(separator: " ").prefix(100))'")
    }
}

extension Node {
    /// The debug console; nil if the board has none, or was never connected.
    public var console: DebugConsole? {
        guard let terminal = core.allKeys(BlueSTUUID.terminal, needing: [.write, .writeWithoutResponse]).first else {
            return nil
        }
        let error = core.allKeys(BlueSTUUID.standardError, needing: [.notify, .indicate]).first
        return DebugConsole(core: core, terminal: terminal, standardError: error)
    }
}

extension NodeCore {
    /// Lets `look` see each value of a characteristic, until it is taken away or the link goes.
    func watch(
        _ key: PortKey, _ look: @escaping @Sendable ([UInt8]) -> Void,
        _ fail: @escaping @Sendable (BluetoothError) -> Void = { _ in }
    ) -> UInt64 {
        state.withLock { state in
            state.nextListener &+= 1
            state.waiters[state.nextListener] = Waiter(
                key: key,
                take: { bytes in
                    look(bytes)
                    return false
                }, fail: fail)
            return state.nextListener
        }
    }

    func unwatch(_ ids: [UInt64]) {
        state.withLock { state in for id in ids { state.waiters[id] = nil } }
    }
}

/// A line that a console said.
public enum ConsoleAnswer: Hashable, Sendable {
    /// On its output.
    case output(String)
    /// On its error output.
    case error(String)

    /// The line.
    public var text: String {
        switch self {
        case .output(let text), .error(let text): text
        }
    }
}

/// Puts what a console says in answer to a command together.
private final class ConsoleCollector: Sendable {
    private struct State {
        var output = ConsoleLines()
        var errors = ConsoleLines()
        var lines: [ConsoleAnswer] = []
        var count = 0
        var noted = 0
        var last: MonotonicTime?
    }

    private static let limit = 1 << 20
    private let state = Mutex(State())

    func received(_ bytes: [UInt8], isError: Bool) {
        state.withLock { state in
            guard state.count + bytes.count <= Self.limit else { return }
            state.count += bytes.count
            if isError {
                state.lines += state.errors.received(bytes).map { .error($0) }
            } else {
                state.lines += state.output.received(bytes).map { .output($0) }
            }
        }
    }

    /// Remembers when something came.
    func note(_ now: MonotonicTime) {
        state.withLock { state in
            guard state.count != state.noted else { return }
            state.noted = state.count
            state.last = now
        }
    }

    var progress: (last: MonotonicTime?, count: Int) { state.withLock { ($0.last, $0.noted) } }

    var lines: [ConsoleAnswer] {
        state.withLock { state in
            var (output, errors) = (state.output, state.errors)
            return state.lines + (output.finish().map { [.output($0)] } ?? [])
                + (errors.finish().map { [.error($0)] } ?? [])
        }
    }
}

/// An assembler that a handler of events uses.
final class SharedAssembler: Sendable {
    private let state = Mutex(MessageAssembler())

    func received(_ frame: [UInt8], _ operation: String) -> Result<[UInt8], BluetoothError>? {
        state.withLock { assembler -> Result<[UInt8], BluetoothError>? in
            do throws(FeatureError) {
                guard let message = try assembler.received(frame) else { return nil }
                return .success(message)
            } catch {
                return .failure(BluetoothError(.badData, operation, detail: error.description))
            }
        }
    }
}
