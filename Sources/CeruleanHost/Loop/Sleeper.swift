// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Ends one sleep exactly once, whichever of timer and cancellation comes first.
final class Sleeper: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Void, any Error>?
        var timer: LoopTimer?
        var isOver = false
    }

    private let state = Mutex(State())

    /// False when the sleep was cancelled before it began.
    func start(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
        state.withLock { state in
            if state.isOver { return false }
            state.continuation = continuation
            return true
        }
    }

    /// Remembers the timer; false when the sleep is over already.
    func keep(_ timer: LoopTimer) -> Bool {
        state.withLock { state in
            if state.isOver { return false }
            state.timer = timer
            return true
        }
    }

    func wake() { end()?.resume() }

    /// Ends the sleep with `CancellationError`; the timer is to be cancelled by the caller.
    func abandon() -> LoopTimer? {
        let timer = state.withLock { $0.timer }
        end()?.resume(throwing: CancellationError())
        return timer
    }

    private func end() -> CheckedContinuation<Void, any Error>? {
        state.withLock { state in
            state.isOver = true
            defer { state.continuation = nil }
            return state.continuation
        }
    }
}

/// What a loop's timer holds of a sleep: a loop that drops its timers ends the sleep with `CancellationError`.
final class Alarm: Sendable {
    private let sleeper: Sleeper

    init(_ sleeper: Sleeper) { self.sleeper = sleeper }

    deinit { _ = sleeper.abandon() }

    func ring() { sleeper.wake() }
}
