// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire
import Dispatch
import Foundation
import Synchronization

/// The queue, the timers and the clock of one simulation: ready jobs first, in the order in which they came, then the clock
/// jumps to the next timer.
final class SimulationCore: Sendable {
    enum Work {
        case loop(UnownedJob)
        case task(UnownedJob)
        case block(@Sendable () -> Void)
        /// It was taken: what it held is not kept until the queue is emptied.
        case taken
    }

    enum Stop: Sendable {
        case finished, stuck, beyondLimit, spinning
    }

    private struct State {
        var ready: [Work] = []
        var head = 0
        var timers = TimerHeap()
        var now = MonotonicTime.zero
        var holds = 0
        var isWaiting = false
        var isFinished = false
        var jobsSinceClockMoved = 0
        var jobs = 0
    }

    let registry = OperationRegistry()
    private let state = Mutex(State())
    private let thread = Atomic<UInt>(0)
    private let wake = DispatchSemaphore(value: 0)
    private let limit: MonotonicTime
    private let jobLimit: Int

    init(limit: Duration, jobLimit: Int) {
        self.limit = .zero + limit
        self.jobLimit = jobLimit
    }

    var now: MonotonicTime { state.withLock { $0.now } }
    var jobs: Int { state.withLock { $0.jobs } }
    var isCurrent: Bool { thread.load(ordering: .acquiring) == Self.currentThread }

    func enqueue(_ work: Work) {
        let mustWake = state.withLock { state in
            state.ready.append(work)
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if mustWake { wake.signal() }
    }

    func schedule(at moment: MonotonicTime, _ job: @escaping @Sendable () -> Void) -> LoopTimer {
        state.withLock { $0.timers.add(at: moment, job) }
    }

    func cancel(_ timer: LoopTimer) {
        // What the job holds goes outside of the lock: its end may come back here.
        let job = state.withLock { $0.timers.cancel(timer) }
        _ = job
    }

    func hold() { state.withLock { $0.holds += 1 } }

    func release() {
        let mustWake = state.withLock { state in
            state.holds -= 1
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if mustWake { wake.signal() }
    }

    func finish() { state.withLock { $0.isFinished = true } }

    // MARK: - The thread

    private enum Step {
        case work(Work)
        case timer(@Sendable () -> Void)
        case wait
        case stop(Stop)
    }

    /// Runs on the calling thread until `finish()` was called, or nothing can happen any more.
    func run(loop: UnownedSerialExecutor, tasks: UnownedTaskExecutor) -> Stop {
        thread.store(Self.currentThread, ordering: .releasing)
        defer { thread.store(0, ordering: .releasing) }
        while true {
            switch step() {
            case .work(.loop(let job)): unsafe job.runSynchronously(isolatedTo: loop, taskExecutor: tasks)
            case .work(.task(let job)): unsafe job.runSynchronously(on: tasks)
            case .work(.block(let body)): body()
            case .work(.taken): break
            case .timer(let body): body()
            case .wait: wake.wait()
            case .stop(let reason): return reason
            }
        }
    }

    private func step() -> Step {
        state.withLock { state in
            if state.head < state.ready.count {
                guard state.jobsSinceClockMoved < jobLimit else {
                    state.jobsSinceClockMoved = 0
                    return .stop(.spinning)
                }
                return .work(Self.nextJob(&state))
            }
            if state.isFinished { return .stop(.finished) }
            if state.holds > 0 {
                state.isWaiting = true
                return .wait
            }
            guard state.timers.count > 0 else { return .stop(.stuck) }
            let next = state.timers.nextDeadline
            guard next <= limit else { return .stop(.beyondLimit) }
            if next > state.now {
                state.now = next
                state.jobsSinceClockMoved = 0
            }
            state.jobsSinceClockMoved += 1
            guard let job = state.timers.popDue(at: state.now) else { return .stop(.stuck) }
            return .timer(job)
        }
    }

    private static func nextJob(_ state: inout State) -> Work {
        let work = state.ready[state.head]
        state.ready[state.head] = .taken
        state.head += 1
        if state.head == state.ready.count {
            state.ready.removeAll(keepingCapacity: true)
            state.head = 0
        } else if state.head == 4096 {
            state.ready.removeFirst(state.head)
            state.head = 0
        }
        state.jobs += 1
        state.jobsSinceClockMoved += 1
        return work
    }

    private static var currentThread: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }
}
