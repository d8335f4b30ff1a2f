// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import Synchronization

/// Why a waiting operation is given up.
enum GiveUp: Sendable {
    case cancelled, timedOut
}

/// Ends one awaited operation exactly once, whichever of result, timeout and cancellation comes first.
///
/// The operation itself is started on the loop and says how to give it up. When it can be given up, its own completion ends
/// the waiting; when it cannot, the waiting ends at once and a late result goes to `abandoned`.
final class PendingOperation<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, BluetoothError>

    private struct State {
        var continuation: CheckedContinuation<Outcome, Never>?
        var giveUp: (@Sendable (GiveUp) -> Void)?
        var isStarted = false
        var isOver = false
        var isGivenUp: GiveUp?
        var timer: LoopTimer?
        var entry: UInt64?
    }

    private let loop: any EventLoop
    private let describe: @Sendable () -> String
    private let abandoned: @Sendable (Value) -> Void
    private let state = Mutex(State())

    init(
        loop: any EventLoop, describe: @escaping @Sendable () -> String,
        abandoned: @escaping @Sendable (Value) -> Void
    ) {
        self.loop = loop
        self.describe = describe
        self.abandoned = abandoned
    }

    /// Begins on the loop. `start` returns how to give the operation up, or nil when it cannot be.
    ///
    /// What was given up before it began is not started, unless it `startsAnyway`; then only the waiting ends.
    func begin(
        _ continuation: CheckedContinuation<Outcome, Never>, timeout: Duration?, startsAnyway: Bool,
        start: @escaping @Sendable (@escaping HostCompletion<Value>) -> (@Sendable (GiveUp) -> Void)?
    ) {
        let isCancelled = state.withLock { state in
            guard startsAnyway || state.isGivenUp == nil else { return true }
            state.continuation = continuation
            return false
        }
        guard !isCancelled else {
            return continuation.resume(returning: .failure(BluetoothError(.cancelled, describe())))
        }
        if let registry = loop.registry {
            let entry = registry.begin(describe())
            state.withLock { $0.entry = entry }
        }
        let job: @Sendable () -> Void = { [self] in run(timeout: timeout, startsAnyway: startsAnyway, start: start) }
        if loop.isCurrent { job() } else { loop.execute(job) }
    }

    /// Gives the operation up; the reason becomes its error unless a result is faster.
    func giveUp(_ reason: GiveUp) {
        let (mustEnd, action) = state.withLock { state -> (Bool, (@Sendable (GiveUp) -> Void)?) in
            guard !state.isOver, state.isGivenUp == nil else { return (false, nil) }
            state.isGivenUp = reason
            return (state.isStarted && state.giveUp == nil, state.isStarted ? state.giveUp : nil)
        }
        if let action {
            if loop.isCurrent {
                action(reason)
            } else {
                loop.execute { [self] in
                    // A result may have been faster: what it brought must not be taken back.
                    if !state.withLock({ $0.isOver }) { action(reason) }
                }
            }
        }
        if mustEnd { end(.failure(error(reason))) }
    }

    // MARK: - On the loop

    private func run(
        timeout: Duration?, startsAnyway: Bool,
        start: @Sendable (@escaping HostCompletion<Value>) -> (@Sendable (GiveUp) -> Void)?
    ) {
        if !startsAnyway, let reason = state.withLock({ $0.isGivenUp }) {
            end(.failure(error(reason)))
            return
        }
        if let timeout {
            let timer = loop.schedule(at: loop.now + timeout) { [self] in giveUp(.timedOut) }
            state.withLock { $0.timer = timer }
        }
        let action = start { [self] result in completed(result) }
        let late = state.withLock { state -> GiveUp? in
            state.isStarted = true
            guard !state.isOver else { return nil }
            state.giveUp = action
            return state.isGivenUp
        }
        guard let late else { return }
        if let action { action(late) } else { end(.failure(error(late))) }
    }

    private func completed(_ result: Result<Value, HostError>) {
        switch result {
        case .success(let value):
            if !end(.success(value)) { abandoned(value) }
        case .failure(let cause):
            // The engine says "cancelled" of what we gave up for being too slow.
            if cause.code == .cancelled, let reason = state.withLock({ $0.isGivenUp }) {
                end(.failure(error(reason)))
            } else {
                end(.failure(BluetoothError(cause, during: describe())))
            }
        }
    }

    private func error(_ reason: GiveUp) -> BluetoothError {
        switch reason {
        case .cancelled: BluetoothError(.cancelled, describe())
        case .timedOut: BluetoothError(.timedOut, describe())
        }
    }

    /// False when it had ended before.
    @discardableResult
    private func end(_ outcome: Outcome) -> Bool {
        let ended = state.withLock { state -> State? in
            guard !state.isOver else { return nil }
            let before = state
            state.isOver = true
            state.continuation = nil
            state.giveUp = nil
            state.timer = nil
            return before
        }
        guard let ended else { return false }
        if let timer = ended.timer { loop.cancel(timer) }
        if let entry = ended.entry { loop.registry?.end(entry) }
        ended.continuation?.resume(returning: outcome)
        return true
    }
}

/// Awaits an operation that is started on `loop` and ends through a completion.
///
/// - Parameters:
///   - timeout: How long to wait at most, where the operation itself has no timeout.
///   - startsAnyway: Starts the operation even in a cancelled task, whose waiting then ends at once: for what takes things down.
///   - describe: What is being done, for errors.
///   - abandoned: Gets a result that came after the waiting was over.
///   - start: Called on the loop; returns how to give up, or nil when that is not possible.
func awaitOperation<Value: Sendable>(
    on loop: any EventLoop, timeout: Duration? = nil, startsAnyway: Bool = false,
    describe: @escaping @Sendable () -> String, abandoned: @escaping @Sendable (Value) -> Void = { _ in },
    start: @escaping @Sendable (@escaping HostCompletion<Value>) -> (@Sendable (GiveUp) -> Void)?
) async throws(BluetoothError) -> Value {
    let operation = PendingOperation<Value>(loop: loop, describe: describe, abandoned: abandoned)
    let outcome = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            operation.begin(continuation, timeout: timeout, startsAnyway: startsAnyway, start: start)
        }
    } onCancel: {
        operation.giveUp(.cancelled)
    }
    return try outcome.get()
}

/// Awaits an operation of a host that can be cancelled.
func awaitHost<Value: Sendable>(
    _ host: any Host, describe: @escaping @Sendable () -> String,
    start: @escaping @Sendable (isolated any Host, @escaping HostCompletion<Value>) -> OperationID
) async throws(BluetoothError) -> Value {
    try await awaitOperation(on: host.loop, describe: describe) { completion in
        let operation = host.assumeIsolated { start($0, completion) }
        return { _ in host.assumeIsolated { $0.cancel(operation) } }
    }
}
