// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lets one operation after the other use a board, in the order of their calls.
final class AsyncLock: Sendable {
    private struct State {
        var isHeld = false
        var next: UInt64 = 0
        var waiters: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state = Mutex(State())

    /// Takes the lock; false, without it, when the task is cancelled before its turn.
    func acquire() async -> Bool {
        let id = state.withLock { state in
            state.next &+= 1
            return state.next
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    if !state.isHeld {
                        state.isHeld = true
                        return true
                    }
                    state.waiters.append((id, continuation))
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
                return state.waiters.remove(at: index).continuation
            }
            waiter?.resume(returning: false)
        }
    }

    /// Gives the lock to the next in line.
    func release() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.waiters.isEmpty else {
                state.isHeld = false
                return nil
            }
            return state.waiters.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
