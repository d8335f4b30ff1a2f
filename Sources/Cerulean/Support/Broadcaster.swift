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
        let channel = Channel<Value>(capacity: 64, overflow: .dropOldest)
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

/// Tells events to any number of listeners.
final class EventSource<Event: Sendable>: Sendable {
    private struct State {
        var isOver = false
        var next: UInt64 = 0
        var listeners: [(id: UInt64, channel: Channel<Event>)] = []
    }

    private let state = Mutex(State())

    /// Tells all listeners.
    func send(_ event: Event) {
        state.withLock { state in
            for listener in state.listeners { listener.channel.send(event) }
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

    func listen(capacity: Int) -> Updates<Event> {
        let channel = Channel<Event>(capacity: capacity, overflow: .dropOldest)
        let id = state.withLock { state in
            state.next &+= 1
            if state.isOver { channel.end() } else { state.listeners.append((state.next, channel)) }
            return state.next
        }
        return Updates(
            channel: channel,
            lease: Lease { [weak self] in
                self?.state.withLock { state in state.listeners.removeAll { $0.id == id } }
            })
    }
}
