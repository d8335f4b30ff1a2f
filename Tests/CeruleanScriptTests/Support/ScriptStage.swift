// SPDX-License-Identifier: Apache-2.0

import CeruleanAdapters
import CeruleanHost
import CeruleanScript
import CeruleanStack
import CeruleanTesting
import CeruleanVirtual
import CeruleanWire
import CoreBluetooth
import Foundation
import Synchronization
import Testing

/// Scripts on one air and on virtual time, each with a radio of its own.
struct ScriptStage: Sendable {
    let simulation: Simulation
    let world: VirtualWorld
    private let folder: String
    private let count = Counter()

    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
    }

    /// What all scripts of this process leave behind goes to one folder of their own.
    private static let home: String = {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("cerulean-scripts-\(getpid())").path
        setenv("CERULEAN_STATE_DIR", path, 1)
        return path
    }()

    static func run(limit: Duration = .seconds(7200), _ body: @escaping @Sendable (ScriptStage) async throws -> Void)
        async throws
    {
        let folder = home + "/" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await Simulation.run(limit: limit) { simulation in
            try await body(
                ScriptStage(
                    simulation: simulation, world: VirtualWorld(on: simulation.loop, seed: simulation.seed),
                    folder: folder))
        }
    }

    /// Runs one script without a radio.
    static func lines(_ source: String, _ configure: @escaping @Sendable (inout ScriptOptions) -> Void = { _ in })
        async throws -> [String]
    {
        let lines = Box()
        try await run { stage in
            let script = try stage.script(source, configure)
            _ = try await script.run()
            lines.set(script.lines)
        }
        return lines.value
    }

    /// Writes a file beside the scripts.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let path = folder + "/" + name
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// A host of the air.
    func host(_ name: String) -> StackHost {
        let number = count.value.add(1, ordering: .relaxed).newValue
        return world.makeHost(
            name: name,
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0000 | UInt64(number)), .random),
            position: Position(x: Double(number)))
    }

    /// A script that has not begun.
    func script(
        _ source: String, name: String = "app.js", _ configure: (inout ScriptOptions) -> Void = { _ in }
    ) throws -> StagedScript {
        try StagedScript(write(source, to: name), self, configure)
    }

    /// One of the example scripts.
    func example(_ name: String, _ arguments: [String] = []) -> StagedScript {
        StagedScript(Self.examples + "/" + name, self) { $0.arguments = arguments }
    }

    static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../../../Examples/Scripts"
    ).standardizedFileURL.path
}

/// A script and what it wrote.
final class StagedScript: Sendable {
    private struct State {
        var lines: [String] = []
        var times: [MonotonicTime] = []
        var talk: [String] = []
        var waiter: (text: String, continuation: CheckedContinuation<Void, Never>)?
    }

    let program: ScriptProgram
    let host: StackHost
    private let state: Log

    private final class Log: Sendable {
        let value = Mutex(State())

        func add(_ line: String, at time: MonotonicTime) {
            let ready = value.withLock { state -> CheckedContinuation<Void, Never>? in
                state.lines.append(line)
                state.times.append(time)
                guard let waiter = state.waiter, line.contains(waiter.text) else { return nil }
                state.waiter = nil
                return waiter.continuation
            }
            ready?.resume()
        }
    }

    init(_ path: String, _ stage: ScriptStage, _ configure: (inout ScriptOptions) -> Void) {
        let log = Log()
        state = log
        let simulation = stage.simulation
        let host = stage.host("script")
        self.host = host
        var options = ScriptOptions()
        options.adapter = CBLinuxAdapter(
            central: Adapter(name: "virtual") { () throws(HostError) -> any CeruleanHost.Host in host },
            hold: { simulation.hold() }, execute: { simulation.loop.execute($0) })
        configure(&options)
        let output = ScriptOutput(
            log: { level, text in log.add(level == "INFO" ? text : "[\(level)] \(text)", at: simulation.now) },
            talk: { text in log.value.withLock { $0.talk.append(text) } })
        program = ScriptProgram(path, options: options, output: output, loop: simulation.loop)
    }

    /// Runs it to its end.
    @discardableResult
    func run() async throws(ScriptFault) -> ScriptEnd { try await program.run() }

    /// The error with which it ends.
    func fault() async -> ScriptFault? {
        do throws(ScriptFault) {
            try await run()
            return nil
        } catch {
            return error
        }
    }

    /// Waits until it has written a line with this text.
    func line(with text: String) async {
        await withCheckedContinuation { continuation in
            let isThere = state.value.withLock { state in
                if state.lines.contains(where: { $0.contains(text) }) { return true }
                state.waiter = (text, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Its lines, each with the milliseconds since `start` in front.
    func timed(from start: MonotonicTime) -> [String] {
        state.value.withLock { state in
            zip(state.times, state.lines).map { "\(Int(($0 - start) / .milliseconds(1))) \($1)" }
        }
    }

    var lines: [String] { state.value.withLock { $0.lines } }
    var talk: [String] { state.value.withLock { $0.talk } }
}

/// What a run hands out.
final class Box: Sendable {
    private let lines = Mutex<[String]>([])
    func set(_ value: [String]) { lines.withLock { $0 = value } }
    var value: [String] { lines.withLock { $0 } }
}

/// A script on a host that does what the test says.
struct ScriptedStage: Sendable {
    let stage: ScriptStage
    let host: ScriptedHost

    init(_ stage: ScriptStage, database: [ServiceDefinition] = []) {
        self.stage = stage
        host = ScriptedHost(loop: stage.simulation.loop, database: database)
    }

    func script(
        _ source: String, name: String = "app.js", _ configure: (inout ScriptOptions) -> Void = { _ in }
    ) throws -> StagedScript {
        let (simulation, host) = (stage.simulation, host)
        return try stage.script(source, name: name) { options in
            options.adapter = CBLinuxAdapter(
                central: Adapter(name: "scripted") { () throws(HostError) -> any CeruleanHost.Host in host },
                hold: { simulation.hold() }, execute: { simulation.loop.execute($0) })
            configure(&options)
        }
    }
}
