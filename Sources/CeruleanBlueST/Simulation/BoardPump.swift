// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire
import Synchronization

/// Moves a simulated board with the time of a loop, and carries what it says to whoever takes it. Everything happens on
/// the loop; the lock makes that safe to state.
final class BoardPump: Sendable {
    private struct State {
        var node: SimulatedNode
        var timer: LoopTimer?
        var armed = MonotonicTime.distantFuture
        var isBlocked = false
        var isOver = false
        /// What could not be sent yet.
        var pending: (characteristic: BluetoothUUID, value: [UInt8])?
    }

    let loop: any EventLoop
    private let state: Mutex<State>
    /// Takes a value; false when there is no room, until ``unblock()``.
    private let send: @Sendable (BluetoothUUID, [UInt8]) -> Bool
    /// The board restarts: its links end.
    private let restart: @Sendable () -> Void

    init(
        _ configuration: SimulatedNode.Configuration, loop: any EventLoop,
        send: @escaping @Sendable (BluetoothUUID, [UInt8]) -> Bool, restart: @escaping @Sendable () -> Void
    ) {
        self.loop = loop
        self.send = send
        self.restart = restart
        state = Mutex(State(node: SimulatedNode(configuration, at: loop.now)))
    }

    /// The board as it is now.
    var node: SimulatedNode { state.withLock { $0.node } }

    func subscribe(_ uuid: BluetoothUUID, isOn: Bool) {
        let now = loop.now
        state.withLock { $0.node.subscribe(uuid, isOn: isOn, at: now) }
        pump()
    }

    func write(_ bytes: [UInt8], to uuid: BluetoothUUID) -> Bool {
        let now = loop.now
        let isTaken = state.withLock { $0.node.write(bytes, to: uuid, at: now) }
        pump()
        return isTaken
    }

    func read(_ uuid: BluetoothUUID) -> [UInt8] {
        let now = loop.now
        return state.withLock { $0.node.read(uuid, at: now) }
    }

    func heard(_ bytes: [UInt8], on uuid: BluetoothUUID) { state.withLock { $0.node.heard(bytes, on: uuid) } }

    func setValueLength(_ length: Int) { state.withLock { $0.node.valueLength = max(20, length) } }

    func linkLost() {
        let now = loop.now
        state.withLock { state in
            state.node.linkLost(at: now)
            state.pending = nil
            state.isBlocked = false
        }
        pump()
    }

    func unblock() {
        state.withLock { $0.isBlocked = false }
        pump()
    }

    func stop() {
        let timer = state.withLock { state in
            state.isOver = true
            defer { state.timer = nil }
            return state.timer
        }
        if let timer { loop.cancel(timer) }
    }

    private func pump() {
        let now = loop.now
        let restarts = state.withLock { state in
            state.node.advance(to: now)
            guard let due = state.node.nextRestart, due <= now, state.pending == nil else { return false }
            state.node.restarted()
            return true
        }
        while let (uuid, value) = next() {
            if send(uuid, value) {
                state.withLock { $0.pending = nil }
            } else {
                state.withLock { $0.isBlocked = true }
                break
            }
        }
        if restarts { restart() }
        arm()
    }

    private func next() -> (characteristic: BluetoothUUID, value: [UInt8])? {
        state.withLock { state in
            guard !state.isOver, !state.isBlocked else { return nil }
            if state.pending == nil { state.pending = state.node.next() }
            return state.pending
        }
    }

    /// Sets the timer for what comes next.
    private func arm() {
        let (old, deadline) = state.withLock { state -> (LoopTimer?, MonotonicTime?) in
            guard !state.isOver else { return (nil, nil) }
            let deadline = min(state.node.nextDeadline, state.node.nextRestart ?? .distantFuture)
            if deadline == state.armed, state.timer != nil { return (nil, nil) }
            defer { state.timer = nil }
            state.armed = deadline
            return (state.timer, deadline)
        }
        if let old { loop.cancel(old) }
        guard let deadline, deadline < .distantFuture else { return }
        let timer = loop.schedule(at: deadline) { [weak self] in
            guard let self else { return }
            state.withLock { state in
                state.timer = nil
                state.armed = .distantFuture
            }
            pump()
        }
        state.withLock { $0.timer = timer }
    }
}
