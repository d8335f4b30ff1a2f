// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value that any number of listeners follow: each gets the present value first, then every change.
final class Broadcaster<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var isOver = false
        var next: UInt64 = 0
        var listeners: [(id: UInt64, channel: Channel<Value>)] = []
    }

    private let state: Mutex<State>

    init(_ value: Value) { state = Mutex(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    /// Tells all listeners.
    func send(_ value: Value) {
        state.withLock { state in
            guard !state.isOver else { return }
            state.value = value
            for listener in state.listeners { listener.channel.send(value) }
        }
    }

    /// Ends all listeners.
    func end() {
        let listeners = state.withLock { state in
            state.isOver = true
            defer { state.listeners = [] }
            return state.listeners
        }
        for listener in listeners { listener.channel.end() }
    }

    func listen() -> Updates<Value> {
        let channel = Channel<Value>(capacity: Updates<Value>.capacity, overflow: .dropOldest)
        let id = state.withLock { state in
            channel.send(state.value)
            if state.isOver { channel.end() }
            state.next &+= 1
            if !state.isOver { state.listeners.append((state.next, channel)) }
            return state.next
        }
        return Updates(
            channel: channel,
            lease: Lease { [weak self] in
                self?.state.withLock { state in state.listeners.removeAll { $0.id == id } }
            })
    }
}

/// Runs a closure when its last holder lets go.
final class Lease: Sendable {
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
}

/// A value over time: the present one first, then each change in order.
///
/// Each call that returns one makes an independent listener; of two loops over the *same* sequence each gets a part of the
/// changes. A listener that falls behind by more than 64 changes loses the oldest; the newest is never lost. The loop ends
/// when its source ends, or with the task.
public struct Updates<Value: Sendable>: AsyncSequence, Sendable {
    /// What listeners get.
    public typealias Element = Value
    /// Listening does not fail.
    public typealias Failure = Never

    /// How many changes wait for a slow listener.
    public static var capacity: Int { 64 }

    let channel: Channel<Value>
    let lease: Lease

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: ChannelReader(channel), lease: lease) }

    /// Reads ``Updates``.
    public struct Iterator: AsyncIteratorProtocol {
        var reader: ChannelReader<Value>
        let lease: Lease

        /// The next change; nil at the end and when the task is cancelled.
        public mutating func next() async -> Value? { await next(isolation: nil) }

        /// The next change; nil at the end and when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            // This channel is never ended with an error.
            try? await reader.next(isolation: actor)?.element
        }
    }
}
