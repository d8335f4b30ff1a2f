// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire
import Synchronization

/// Carries the values of some characteristics of one link, and the ticks of a clock, in the order of the host's loop
/// to one
/// reader. Holds up to 4096 items; beyond it the newest are dropped and counted.
final class CharacteristicFeed: HostEventSink, Sendable {
    enum Item: Sendable {
        case value(feed: Int, bytes: [UInt8], time: MonotonicTime, droppedBefore: Int)
        case tick(MonotonicTime)
        case closed(BluetoothError)
    }

    private struct State {
        var feeds: [AttributeID: Int] = [:]
        var timer: LoopTimer?
        var next: MonotonicTime = .distantFuture
        var period: Duration?
        var dropped = 0
        var isOver = false
        /// Each keeps the peer's subscription; the values themselves come as events.
        var subscriptions: [Notifications] = []
    }

    private let peripheral: Peripheral
    private let host: any Host
    private let link: LinkID
    private let state: Mutex<State>
    private let continuation: AsyncStream<Item>.Continuation
    let items: AsyncStream<Item>

    /// A feed on the present link of a device.
    ///
    /// - Throws: ``BluetoothError`` when it has none.
    init(_ peripheral: Peripheral, _ characteristics: [Characteristic]) throws(BluetoothError) {
        guard let link = peripheral.link?.id else {
            throw BluetoothError(.disconnected, "subscribing on \(peripheral)")
        }
        self.peripheral = peripheral
        host = peripheral.host
        self.link = link
        var state = State()
        for (index, characteristic) in characteristics.enumerated() { state.feeds[characteristic.id] = index }
        self.state = Mutex(state)
        (items, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(4096))
    }

    /// Begins to listen, then subscribes, so that nothing is missed in between.
    ///
    /// - Parameter period: Ticks come so often from the first value on; nil for none.
    func begin(
        _ characteristics: [Characteristic], period: Duration?, timeout: Duration
    ) async throws(BluetoothError) {
        state.withLock { $0.period = period }
        await addSink(to: host)
        do throws(BluetoothError) {
            for characteristic in characteristics {
                let subscription = try await peripheral.notifications(
                    of: characteristic, capacity: 1, overflow: .dropNewest, timeout: timeout)
                state.withLock { $0.subscriptions.append(subscription) }
            }
        } catch {
            end()
            throw error
        }
        if !peripheral.isConnected { close(BluetoothError(.disconnected, "subscribing on \(peripheral)")) }
    }

    private func addSink(to host: isolated any Host) { host.addSink(self) }

    /// Stops listening; what has arrived can still be read.
    func end() {
        let (timer, subscriptions) = state.withLock { state -> (LoopTimer?, [Notifications]) in
            state.isOver = true
            defer {
                state.timer = nil
                state.subscriptions = []
            }
            return (state.timer, state.subscriptions)
        }
        if let timer { host.loop.cancel(timer) }
        for subscription in subscriptions { subscription.cancel() }
        continuation.finish()
        let host = host
        host.loop.execute { [self] in host.assumeIsolated { $0.removeSink(self) } }
    }

    func receive(_ event: HostEvent) {
        switch event {
        case .value(let link, let attribute, let value, _) where link == self.link:
            let now = host.loop.now
            let taken = state.withLock { state -> (feed: Int, dropped: Int, starts: Bool)? in
                guard !state.isOver, let feed = state.feeds[attribute] else { return nil }
                defer { state.dropped = 0 }
                return (feed, state.dropped, state.period != nil && state.timer == nil)
            }
            guard let taken else { return }
            let item = Item.value(feed: taken.feed, bytes: value, time: now, droppedBefore: taken.dropped)
            if case .dropped = continuation.yield(item) {
                state.withLock { $0.dropped += taken.dropped + 1 }
            }
            if taken.starts { tick(at: now) }
        case .linkClosed(let link, let reason) where link.id == self.link:
            close(BluetoothError(reason, during: "link to \(peripheral)"))
        default: break
        }
    }

    private func close(_ error: BluetoothError) {
        _ = continuation.yield(.closed(error))
        end()
    }

    /// Says that a tick is due now, and sets the timer for the next. Late ticks are caught up with by the reader.
    private func tick(at moment: MonotonicTime) {
        _ = continuation.yield(.tick(moment))
        state.withLock { state in
            guard !state.isOver, let period = state.period else { return }
            let next = max(moment + period, host.loop.now)
            state.timer = host.loop.schedule(at: next) { [weak self] in self?.tick(at: next) }
        }
    }
}
