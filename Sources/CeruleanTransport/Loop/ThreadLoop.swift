// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire
import Glibc
import Synchronization

/// A loop on a thread of its own, in real time: jobs, timers, and file descriptors that it watches.
///
/// The thread starts with the loop and ends with ``shutdown()``, which every loop needs. Jobs run first in, first out; a timer that is due runs
/// behind the jobs that wait already.
/// ```swift
/// let loop = try ThreadLoop(name: "bluetooth")
/// loop.execute { print("on the loop") }
/// loop.shutdown()
/// ```
public final class ThreadLoop: EventLoop {
    /// What a watched descriptor is ready for.
    public struct Readiness: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt8
        /// Wraps the bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Something can be read, the end of the stream included.
        public static let readable = Self(rawValue: 1)
        /// Something can be written.
        public static let writable = Self(rawValue: 2)
        /// The descriptor failed or was hung up.
        public static let failed = Self(rawValue: 4)
    }

    enum Work: Sendable {
        case job(UnownedJob)
        case task(UnownedJob, UnownedTaskExecutor)
        case block(@Sendable () -> Void)
    }

    struct Watch: Sendable {
        var interest: Readiness
        var handler: @Sendable (Readiness) -> Void
        /// Tells two watches of one descriptor number apart.
        var generation: UInt64
    }

    struct State: Sendable {
        var work: [Work] = []
        var timers = TimerHeap()
        var watches: [Int32: Watch] = [:]
        var generation: UInt64 = 0
        var thread: pthread_t?
        var isStarted = false
        var isStopping = false
        var isSleeping = false
        var isEnded = false
    }

    let state = Mutex(State())
    /// Both ends of the pipe that ends a sleep.
    let wakeUp: (read: Int32, write: Int32)
    let name: String

    /// Makes a loop whose thread carries `name` (at most 15 characters are shown by the system).
    ///
    /// - Throws: `adapterFailed` with the system's number when the process has no descriptors or threads left.
    public init(name: String = "cerulean") throws(HostError) {
        self.name = name
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw Self.error("pipe", name, errno) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        wakeUp = (ends[0], ends[1])
        let result = state.withLock { startIfNeeded(&$0) }
        guard result == 0 else { throw Self.error("thread", name, result) }
    }

    deinit {
        Glibc.close(wakeUp.read)
        Glibc.close(wakeUp.write)
    }

    /// The present moment of the system's monotonic clock.
    public var now: MonotonicTime { Self.now }

    /// The present moment of the system's monotonic clock.
    public static var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    // MARK: Executor

    /// Queues a job of an actor.
    public func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

    /// Runs a job on the loop behind those that wait.
    public func execute(_ job: @escaping @Sendable () -> Void) { add(.block(job)) }

    /// The loop as an executor.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    /// True on the thread of the loop.
    public func isIsolatingCurrentContext() -> Bool? { currentLoop == UInt(bitPattern: ObjectIdentifier(self)) }

    /// Traps on other threads.
    public func checkIsolated() { precondition(isCurrent, "not on the loop \(name)") }

    /// Runs tasks on the loop's thread, between its jobs.
    ///
    /// ```swift
    /// await withTaskExecutorPreference(loop.taskExecutor) { await answerQuickly() }
    /// ```
    public var taskExecutor: (any TaskExecutor)? { Tasks(loop: self) }

    /// Another object than the loop, which has no room for a second role: an executor is one or the other.
    private final class Tasks: TaskExecutor {
        private let loop: ThreadLoop
        init(loop: ThreadLoop) { self.loop = loop }
        func enqueue(_ job: consuming ExecutorJob) {
            loop.add(.task(UnownedJob(job), asUnownedTaskExecutor()))
        }
    }

    // MARK: Timers

    /// Runs a job at a moment.
    public func schedule(at moment: MonotonicTime, _ job: @escaping @Sendable () -> Void) -> LoopTimer {
        let (timer, wakes) = state.withLock { state -> (LoopTimer, Bool) in
            guard !state.isStopping else { return (LoopTimer(rawValue: 0), false) }
            let isNext = moment < state.timers.nextDeadline
            let timer = state.timers.add(at: moment, job)
            startIfNeeded(&state)
            return (timer, isNext && state.isSleeping)
        }
        if wakes { wake() }
        return timer
    }

    /// Forgets a scheduled job. Does nothing when it has run.
    public func cancel(_ timer: LoopTimer) {
        // What the job holds goes outside of the lock: its end may come back to the loop.
        let job = state.withLock { $0.timers.cancel(timer) }
        _ = job
    }

    // MARK: Descriptors

    /// Calls `handler` on the loop while `descriptor` is ready for something in `interest`; `.failed` always counts.
    /// Replaces the watch that the descriptor had. May be called from any thread.
    public func watch(
        _ descriptor: Int32, for interest: Readiness, _ handler: @escaping @Sendable (Readiness) -> Void
    ) {
        // What a handler holds goes outside of the lock: its end may come back to the loop.
        let (old, wakes) = state.withLock { state -> (Watch?, Bool) in
            state.generation += 1
            let watch = Watch(interest: interest, handler: handler, generation: state.generation)
            let old = state.watches.updateValue(watch, forKey: descriptor)
            startIfNeeded(&state)
            return (old, state.isSleeping)
        }
        if wakes { wake() }
        _ = old
    }

    /// Changes what a watched descriptor is watched for. Does nothing when it is not watched.
    public func change(_ descriptor: Int32, to interest: Readiness) {
        let wakes = state.withLock { state in
            guard state.watches[descriptor] != nil, state.watches[descriptor]?.interest != interest else {
                return false
            }
            state.watches[descriptor]?.interest = interest
            return state.isSleeping
        }
        if wakes { wake() }
    }

    /// Stops watching. The handler is not called any more when this was called on the loop.
    public func unwatch(_ descriptor: Int32) {
        let (old, wakes) = state.withLock { ($0.watches.removeValue(forKey: descriptor), $0.isSleeping) }
        if wakes { wake() }
        _ = old
    }

    // MARK: End

    /// Runs what was queued, then ends the thread and waits for it. Called on the loop itself, it does not wait.
    public func shutdown() {
        let thread = state.withLock { state -> pthread_t? in
            guard state.isStarted, !state.isStopping else {
                state.isStopping = true
                return nil
            }
            state.isStopping = true
            defer { state.thread = nil }
            return state.thread
        }
        wake()
        guard let thread else { return }
        if isCurrent { pthread_detach(thread) } else { pthread_join(thread, nil) }
    }

    // MARK: - private

    private func add(_ work: Work) {
        let wakes = state.withLock { state in
            // A job that comes after the end can only run here: a continuation must never be lost.
            state.work.append(work)
            if state.isEnded {
                state.isStarted = false
                state.isEnded = false
            }
            startIfNeeded(&state)
            return state.isSleeping
        }
        if wakes { wake() }
    }

    private func wake() {
        var octet: UInt8 = 1
        _ = unsafe Glibc.write(wakeUp.write, &octet, 1)
    }

    private static func error(_ what: String, _ name: String, _ number: Int32) -> HostError {
        HostError(
            .adapterFailed, "starting the loop \(name)", system: number,
            detail: "no \(what) for it: \(SystemError.text(number))")
    }

    /// Starts the thread; 0, or the system's number when it has none left. What is queued then waits for the next call.
    @discardableResult
    private func startIfNeeded(_ state: inout State) -> Int32 {
        guard !state.isStarted else { return 0 }
        var thread = pthread_t()
        let retained = unsafe Unmanaged.passRetained(self)
        let context = unsafe retained.toOpaque()
        let result = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<ThreadLoop>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context)
        guard result == 0 else {
            unsafe retained.release()
            return result
        }
        state.isStarted = true
        if state.isStopping { pthread_detach(thread) } else { state.thread = thread }
        return 0
    }
}
