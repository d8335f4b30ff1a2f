// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// One thread (or one virtual thread) on which a host, its transport and its clients' actors run: a serial executor with a
/// clock.
///
/// A host, its transport and the actors built on it all return this loop as their `unownedExecutor`, so a received packet
/// goes from the transport up to the consumer's buffer in one synchronous pass. Implementations answer
/// `isIsolatingCurrentContext()` and `checkIsolated()`, so that `assumeIsolated` works inside callbacks.
public protocol EventLoop: SerialExecutor {
    /// The present moment on the loop's clock. May be called from any thread.
    var now: MonotonicTime { get }

    /// Runs `job` on the loop after the jobs already waiting. May be called from any thread; never runs inside the call.
    func execute(_ job: @escaping @Sendable () -> Void)

    /// Runs `job` on the loop at `moment`, or as soon as possible when that has passed. May be called from any thread.
    func schedule(at moment: MonotonicTime, _ job: @escaping @Sendable () -> Void) -> LoopTimer

    /// Forgets a scheduled job. Does nothing when it has run or was cancelled. May be called from any thread.
    func cancel(_ timer: LoopTimer)

    /// Waits until every job that `execute` queued has run and the loop's thread has ended; timers are dropped.
    /// Loops that others own (a simulation) do nothing.
    func shutdown()

    /// Runs tasks on the loop itself: awaiting an operation of its host then costs no change of threads, and a task that blocks
    /// stops the host. Nil where the loop offers none.
    var taskExecutor: (any TaskExecutor)? { get }

    /// Where tasks run that the library itself must start: nil for the process's own pool. A simulation returns its own.
    var backgroundExecutor: (any TaskExecutor)? { get }

    /// Where pending operations are noted by name; nil where nobody asks.
    var registry: OperationRegistry? { get }
}

extension EventLoop {
    /// None.
    public var taskExecutor: (any TaskExecutor)? { nil }
    /// The process's own pool.
    public var backgroundExecutor: (any TaskExecutor)? { nil }
    /// None.
    public var registry: OperationRegistry? { nil }
}

/// Names a job scheduled on an ``EventLoop``.
public struct LoopTimer: Hashable, Sendable {
    /// The loop's own number; never used twice.
    public let rawValue: UInt64

    /// Wraps a loop's number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

extension EventLoop {
    /// True when the caller runs on this loop.
    public var isCurrent: Bool { isIsolatingCurrentContext() == true }

    /// Suspends the task until `moment`; returns early, throwing, when it is cancelled or the loop ends.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(until moment: MonotonicTime) async throws {
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard sleeper.start(continuation) else { return continuation.resume(throwing: CancellationError()) }
                let alarm = Alarm(sleeper)
                let timer = schedule(at: moment) { alarm.ring() }
                if !sleeper.keep(timer) { cancel(timer) }
            }
        } onCancel: {
            if let timer = sleeper.abandon() { cancel(timer) }
        }
    }

    /// Suspends the task for `duration` of the loop's clock.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(for duration: Duration) async throws { try await sleep(until: now + duration) }
}
