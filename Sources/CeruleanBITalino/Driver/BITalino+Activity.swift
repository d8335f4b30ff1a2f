// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import Synchronization

extension BITalino {
    /// What a board is doing.
    public enum Activity: Hashable, Sendable {
        /// Connected, and waiting for commands.
        case idle
        /// Sending frames.
        case acquiring
        /// The link is gone; this value cannot be used any more.
        case disconnected
    }

    /// What the board is doing, now.
    public var activity: Activity { !isConnected ? .disconnected : isAcquiring ? .acquiring : .idle }

    /// Follows what the board is doing: the present activity first, then each change. Ends behind ``Activity/disconnected``. Any
    /// number of listeners; of more than 16 changes that wait for a slow one the oldest are dropped.
    public func activities() -> AsyncStream<Activity> {
        let (stream, continuation) = AsyncStream.makeStream(of: Activity.self, bufferingPolicy: .bufferingNewest(16))
        let watch = ActivityWatch(peripheral, continuation)
        let id = watchers.add(watch)
        let watchers = watchers
        continuation.onTermination = { _ in watchers.remove(id) }
        watch.begin(activity)
        return stream
    }
}

/// Who follows the activities of a board.
final class ActivityWatchers: Sendable {
    private struct State {
        var next: UInt64 = 0
        var watches: [UInt64: ActivityWatch] = [:]
    }

    private let state = Mutex(State())

    func add(_ watch: ActivityWatch) -> UInt64 {
        state.withLock { state in
            state.next += 1
            state.watches[state.next] = watch
            return state.next
        }
    }

    func remove(_ id: UInt64) { state.withLock { $0.watches.removeValue(forKey: id) }?.end() }

    func tell(_ activity: BITalino.Activity) {
        for watch in state.withLock({ Array($0.watches.values) }) { watch.tell(activity) }
    }
}

/// Passes activities on, each once, and the end of the link.
final class ActivityWatch: HostEventSink, Sendable {
    private let host: any Host
    private let link: LinkID?
    private let continuation: AsyncStream<BITalino.Activity>.Continuation
    private let last = Mutex<BITalino.Activity?>(nil)

    init(_ peripheral: Peripheral, _ continuation: AsyncStream<BITalino.Activity>.Continuation) {
        host = peripheral.host
        link = peripheral.link?.id
        self.continuation = continuation
    }

    func begin(_ activity: BITalino.Activity) {
        tell(link == nil ? .disconnected : activity)
        guard link != nil else { return }
        let host = host
        host.loop.execute { [self] in host.assumeIsolated { $0.addSink(self) } }
    }

    func end() {
        let host = host
        host.loop.execute { [self] in host.assumeIsolated { $0.removeSink(self) } }
    }

    func receive(_ event: HostEvent) {
        if case .linkClosed(let closed, _) = event, closed.id == link { tell(.disconnected) }
    }

    func tell(_ activity: BITalino.Activity) {
        let isNew = last.withLock { last in
            guard last != activity, last != .disconnected else { return false }
            last = activity
            return true
        }
        guard isNew else { return }
        continuation.yield(activity)
        if activity == .disconnected { continuation.finish() }
    }
}
