// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value that any number of listeners follow: each gets the present value first, then every change.
final class Broadcaster<Value: Sendable>: Sendable {
    private let initial: Value
    private let source: EventSource<Value>

    init(_ value: Value) {
        initial = value
        source = EventSource(present: value)
    }

    var value: Value { source.present ?? initial }

    /// Tells all listeners.
    func send(_ value: Value) { source.send(value) }

    /// Ends all listeners.
    func end() { source.end() }

    func listen() -> Updates<Value> { source.listen(capacity: 64) }
}

/// Tells events to any number of listeners.
final class EventSource<Event: Sendable>: Sendable {
    private struct State {
        /// What a new listener gets first, for sources that keep the last event.
        var present: Event?
        var isOver = false
        var next: UInt64 = 0
        var listeners: [(id: UInt64, channel: Channel<Event>)] = []
    }

    private let state: Mutex<State>

    /// A source whose listeners get the last event first, when there is a `present` one.
    init(present: Event? = nil) { state = Mutex(State(present: present)) }

    /// The last event, of a source that keeps it.
    var present: Event? { state.withLock { $0.present } }

    /// Tells all listeners.
    func send(_ event: Event) {
        state.withLock { state in
            guard !state.isOver else { return }
            if state.present != nil { state.present = event }
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
            if let present = state.present { channel.send(present) }
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
