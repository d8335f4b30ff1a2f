// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire
import Foundation
import Synchronization

/// Virtual time for tests: hosts, the air between them and the test itself run on one thread, and the clock jumps to the next
/// timer whenever nothing is left to do.
///
/// ```swift
/// @Test func waitsForAnHour() async throws {
///     try await Simulation.run { simulation in
///         let start = simulation.clock.now
///         try await simulation.advance(by: .seconds(3600))  // takes microseconds
///         #expect(start.duration(to: simulation.clock.now) == .seconds(3600))
///     }
/// }
/// ```
///
/// The same seed gives the same run: jobs run first in, first out, on a thread of the simulation's own, and no thread of the
/// cooperative pool ever blocks. What the body awaits, its child tasks included, runs on that thread. An unstructured
/// `Task {}` does not inherit it: write `Task(executorPreference: simulation.taskExecutor)`. Work outside (a socket, a queue)
/// must hold the clock, see ``hold()``.
///
/// When nothing can happen any more and the body has not ended, the run fails with ``SimulationError`` and names the operations
/// that somebody waits for.
public final class Simulation: Sendable {
    /// The executor and clock for hosts and their actors.
    public let loop: any EventLoop
    /// Where the body and its tasks run.
    public let taskExecutor: any TaskExecutor
    /// What makes this run differ from others.
    public let seed: UInt64

    private let core: SimulationCore
    private let tasks: SimulationTasks
    private let serial: SimulationLoop
    private let generator: Mutex<SeededGenerator>

    private init(seed: UInt64, limit: Duration, jobLimit: Int) {
        let core = SimulationCore(limit: limit, jobLimit: jobLimit)
        let tasks = SimulationTasks(core)
        let serial = SimulationLoop(core, tasks)
        self.core = core
        self.tasks = tasks
        self.serial = serial
        self.seed = seed
        loop = serial
        taskExecutor = tasks
        generator = Mutex(SeededGenerator(seed: seed))
    }

    /// Runs `body` on virtual time and returns what it returns.
    ///
    /// - Parameters:
    ///   - seed: For everything random in the run.
    ///   - limit: Virtual time after which the run fails: something periodic keeps the clock going while the body waits.
    ///   - jobLimit: Jobs without any progress of the clock after which the run fails: a loop that never waits.
    ///   - body: What happens.
    /// - Throws: What `body` throws, or ``SimulationError``.
    public static func run<Value: Sendable>(
        seed: UInt64 = 1, limit: Duration = .seconds(24 * 3600), jobLimit: Int = 2_000_000,
        _ body: @escaping @Sendable (Simulation) async throws -> Value
    ) async throws -> Value {
        let simulation = Simulation(seed: seed, limit: limit, jobLimit: jobLimit)
        return try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: simulation.simulate(body)) }
            thread.stackSize = 8 << 20
            thread.name = "simulation"
            thread.start()
        }
    }

    /// Runs `body` on virtual time and blocks the calling thread, which must not be one of the cooperative pool: for programs
    /// that have no asynchronous `main`.
    ///
    /// - Throws: What `body` throws, or ``SimulationError``.
    public static func runBlocking<Value: Sendable>(
        seed: UInt64 = 1, limit: Duration = .seconds(24 * 3600), jobLimit: Int = 2_000_000,
        _ body: @escaping @Sendable (Simulation) async throws -> Value
    ) throws -> Value {
        try Simulation(seed: seed, limit: limit, jobLimit: jobLimit).simulate(body).get()
    }

    /// The present moment.
    public var now: MonotonicTime { core.now }

    /// The clock of the run, for code that takes a `Clock`.
    public var clock: SimulationClock { SimulationClock(loop: serial) }

    /// How many jobs have run: equal for equal runs.
    public var jobCount: Int { core.jobs }

    /// What somebody waits for at this moment, oldest first.
    public var pendingOperations: [String] { core.registry.pending }

    /// Sleeps for `duration` of virtual time: everything due until then happens.
    ///
    /// - Throws: `CancellationError`.
    public func advance(by duration: Duration) async throws { try await loop.sleep(for: duration) }

    /// Lets everything happen that is due now.
    public func settle() async {
        for _ in 0..<100 { await Task.yield() }
    }

    /// Keeps the clock from moving until the hold is released: for work outside of the simulation, whose end comes in through
    /// the loop.
    public func hold() -> ClockHold { ClockHold(core) }

    /// A random number of the run.
    public func random<Number: FixedWidthInteger & Sendable>(in range: ClosedRange<Number>) -> Number {
        generator.withLock { Number.random(in: range, using: &$0) }
    }

    // MARK: -

    private func simulate<Value: Sendable>(
        _ body: @escaping @Sendable (Simulation) async throws -> Value
    ) -> Result<Value, any Error> {
        let box = Box<Value>()
        let task = Task(executorPreference: tasks) { [self] in
            do {
                let value = try await body(self)
                box.value.withLock { $0 = .success(value) }
            } catch {
                box.value.withLock { $0 = .failure(error) }
            }
            core.finish()
        }
        var failure: SimulationError?
        while true {
            let stop = core.run(loop: serial.asUnownedSerialExecutor(), tasks: tasks.asUnownedTaskExecutor())
            if case .finished = stop { break }
            // The body is told to end; when even that leads nowhere, it is left behind.
            guard failure == nil else { break }
            failure = SimulationError(stop, pending: pendingOperations, at: now)
            task.cancel()
        }
        if let failure { return .failure(failure) }
        return box.value.withLock { $0 }
            ?? .failure(SimulationError(SimulationError.Reason.stuck, pending: pendingOperations, at: now))
    }

    private final class Box<Value: Sendable>: Sendable {
        let value = Mutex<Result<Value, any Error>?>(nil)
    }
}

/// Keeps the clock of a simulation from moving.
public final class ClockHold: Sendable {
    private let core: SimulationCore
    private let isReleased = Atomic(false)

    init(_ core: SimulationCore) {
        self.core = core
        core.hold()
    }

    deinit { release() }

    /// Lets the clock go on. Harmless when done before; done anyway when the last reference goes.
    public func release() {
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
        core.release()
    }
}

/// Why a simulation could not go on.
public struct SimulationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What happened.
    public enum Reason: Hashable, Sendable {
        /// Nothing is ready and no timer is set, but the body has not ended.
        case stuck
        /// The limit of virtual time was passed.
        case beyondLimit
        /// Jobs keep coming, but the clock does not move.
        case spinning
    }

    /// What happened.
    public let reason: Reason
    /// The operations that somebody waited for, oldest first.
    public let pending: [String]
    /// When it happened.
    public let moment: MonotonicTime

    init(_ reason: Reason, pending: [String], at moment: MonotonicTime) {
        self.reason = reason
        self.pending = pending
        self.moment = moment
    }

    init(_ stop: SimulationCore.Stop, pending: [String], at moment: MonotonicTime) {
        let reason: Reason =
            switch stop {
            case .finished, .stuck: .stuck
            case .beyondLimit: .beyondLimit
            case .spinning: .spinning
            }
        self.init(reason, pending: pending, at: moment)
    }

    /// The reason and what is pending.
    public var description: String {
        let what =
            switch reason {
            case .stuck: "the simulation is stuck"
            case .beyondLimit: "the simulation went beyond its limit of time"
            case .spinning: "the simulation spins without progress of its clock"
            }
        let names = pending.isEmpty ? "no pending operation of the library" : pending.joined(separator: ", ")
        return "\(what) at \((moment - .zero).inSeconds) s: \(names)"
    }
}
