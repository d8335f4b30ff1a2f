// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire
import Synchronization

/// An answer that somebody waits for: given once, by whoever comes first of the answer, the timeout and cancellation.
final class Answer<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, BluetoothError>?
        var continuation: CheckedContinuation<Result<Value, BluetoothError>, Never>?
    }

    private let state = Mutex(State())

    /// Gives the answer; later ones are passed over.
    func resolve(_ result: Result<Value, BluetoothError>) {
        let continuation = state.withLock { state -> CheckedContinuation<Result<Value, BluetoothError>, Never>? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: result)
    }

    /// Waits for the answer.
    ///
    /// - Throws: ``BluetoothError`` with `timedOut` or `cancelled`, or what ``resolve(_:)`` was given.
    func value(
        on loop: any EventLoop, timeout: Duration, _ operation: @autoclosure @Sendable @escaping () -> String
    ) async throws(BluetoothError) -> Value {
        let timer = loop.schedule(at: loop.now + timeout) { [self] in
            resolve(.failure(BluetoothError(.timedOut, operation(), detail: "no answer within \(timeout)")))
        }
        let token = loop.registry?.begin(operation())
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = state.withLock { state -> Result<Value, BluetoothError>? in
                    if let result = state.result { return result }
                    state.continuation = continuation
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            resolve(.failure(BluetoothError(.cancelled, operation())))
        }
        loop.cancel(timer)
        if let token { loop.registry?.end(token) }
        return try result.get()
    }
}

/// Lets one exchange after the other use a node, in the order of the calls.
final class ExchangeLock: Sendable {
    private struct State {
        var isHeld = false
        var waiters: [Answer<Void>] = []
    }

    private let state = Mutex(State())

    /// Runs `body` alone.
    ///
    /// - Throws: ``BluetoothError`` with `timedOut` or `cancelled` while waiting, or what `body` throws.
    func run<Value: Sendable>(
        on loop: any EventLoop, timeout: Duration, _ operation: String,
        _ body: () async throws(BluetoothError) -> Value
    ) async throws(BluetoothError) -> Value {
        let turn = Answer<Void>()
        let isOurs = state.withLock { state in
            guard state.isHeld else {
                state.isHeld = true
                return true
            }
            state.waiters.append(turn)
            return false
        }
        if !isOurs {
            do {
                try await turn.value(on: loop, timeout: timeout, operation)
            } catch {
                // The turn may have come at the same moment: then it is passed on.
                let wasWaiting = state.withLock { state in
                    guard let index = state.waiters.firstIndex(where: { $0 === turn }) else { return false }
                    state.waiters.remove(at: index)
                    return true
                }
                if !wasWaiting { release() }
                throw error
            }
        }
        defer { release() }
        return try await body()
    }

    private func release() {
        let next = state.withLock { state -> Answer<Void>? in
            guard !state.waiters.isEmpty else {
                state.isHeld = false
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resolve(.success(()))
    }
}

/// Tells any number of listeners; a slow one loses the oldest.
final class Listeners<Element: Sendable>: Sendable {
    private struct State {
        var next: UInt64 = 0
        var isOver = false
        var continuations: [UInt64: AsyncStream<Element>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// How many listen.
    var count: Int { state.withLock { $0.continuations.count } }

    func send(_ element: Element) {
        let continuations = state.withLock { Array($0.continuations.values) }
        for continuation in continuations { continuation.yield(element) }
    }

    func finish() {
        let continuations = state.withLock { state in
            state.isOver = true
            defer { state.continuations = [:] }
            return Array(state.continuations.values)
        }
        for continuation in continuations { continuation.finish() }
    }

    /// A new listener. `ended` is called when it leaves.
    func listen(capacity: Int, first: Element? = nil, ended: (@Sendable () -> Void)? = nil) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(
            bufferingPolicy: .bufferingNewest(max(1, capacity)))
        if let first { continuation.yield(first) }
        let id = state.withLock { state -> UInt64? in
            guard !state.isOver else { return nil }
            state.next &+= 1
            state.continuations[state.next] = continuation
            return state.next
        }
        guard let id else {
            continuation.finish()
            ended?()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.continuations.removeValue(forKey: id) }
            ended?()
        }
        return stream
    }
}
