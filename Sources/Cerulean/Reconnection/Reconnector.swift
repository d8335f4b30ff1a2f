// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// Keeps one peripheral connected as its policy says.
final class Reconnector {
    let number: UInt64
    let record: PeerRecord
    let policy: ReconnectionPolicy
    let options: ConnectOptions
    /// Attempts since the link was lost.
    var attempts = 0
    var lostAt: MonotonicTime?
    /// Set while the next attempt is waited for.
    var next: NextAttempt?
    var timer: LoopTimer?
    /// Ends the attempt under way.
    var attemptTimer: LoopTimer?
    var giveUp: (@Sendable (GiveUp) -> Void)?
    /// Those whose readers wait for the next link, in the order of their subscriptions.
    var suspended: [Feed] = []
    /// The database is being discovered for those above.
    var isResubscribing = false

    init(_ number: UInt64, _ record: PeerRecord, _ policy: ReconnectionPolicy, _ options: ConnectOptions) {
        self.number = number
        self.record = record
        self.policy = policy
        self.options = options
    }
}

extension CentralCore {
    func reconnector(of record: PeerRecord) -> Reconnector? { reconnectors[ObjectIdentifier(record)] }

    /// Sets the policy of a peripheral. Without `connects` it is in force from the present link on.
    func keep(_ record: PeerRecord, _ policy: ReconnectionPolicy, _ options: ConnectOptions, connects: Bool) {
        guard !isOver else { return }
        let key = ObjectIdentifier(record)
        let former = reconnectors[key]
        guard policy.decide != nil else {
            if former != nil { forgo(record, nil) }
            return
        }
        let keeper = Reconnector(former?.number ?? number(), record, policy, options)
        if let former {
            // An attempt under way goes on under the new policy's time.
            let giveUp = former.giveUp
            stopTimers(former)
            if let giveUp, attempts[key] != nil { limit(keeper, giveUp) }
            keeper.suspended = former.suspended
            keeper.attempts = former.attempts
            keeper.lostAt = former.lostAt
            if former.isResubscribing { keeper.isResubscribing = true }
        }
        reconnectors[key] = keeper
        keep(record)
        guard record.link == nil, connects || former != nil else { return }
        if keeper.lostAt == nil { keeper.lostAt = loop.now }
        if attempts[key] == nil { attempt(keeper) }
    }

    /// Ends the policy of a peripheral and the sequences that wait for it.
    func forgo(_ record: PeerRecord, _ reason: BluetoothError?) {
        guard let keeper = reconnectors.removeValue(forKey: ObjectIdentifier(record)) else { return }
        let giveUp = keeper.giveUp
        stopTimers(keeper)
        giveUp?(.cancelled)
        let wasWaiting = keeper.next != nil
        keeper.next = nil
        let suspended = keeper.suspended
        keeper.suspended = []
        for feed in suspended { end(feed, reason) }
        guard wasWaiting else { return }
        record.update { $0.lastError = reason }
        report(record, .disconnected(reason: reason))
    }

    private func stopTimers(_ keeper: Reconnector) {
        for timer in [keeper.timer, keeper.attemptTimer] { if let timer { loop.cancel(timer) } }
        keeper.timer = nil
        keeper.attemptTimer = nil
        keeper.giveUp = nil
    }

    /// The link is gone, or an attempt has failed: the policy decides what comes next. False when nothing does.
    func goOn(_ record: PeerRecord, _ reason: BluetoothError) -> Bool {
        guard !isOver, let keeper = reconnector(of: record) else { return false }
        if let timer = keeper.attemptTimer { loop.cancel(timer) }
        keeper.attemptTimer = nil
        keeper.giveUp = nil
        // Somebody else's attempt failed while the next one of ours was waited for.
        if let next = keeper.next {
            report(record, .waiting(next))
            return true
        }
        let now = loop.now
        let lostAt = keeper.lostAt ?? now
        keeper.lostAt = lostAt
        keeper.attempts += 1
        let situation = ReconnectionPolicy.Situation(
            attempt: keeper.attempts, reason: reason, elapsed: now - lostAt,
            random: Double.random(in: 0..<1, using: &chance))
        switch keeper.policy.decision(in: situation) {
        case .giveUp:
            forgo(record, reason)
            return false
        case .retry(let pause):
            let next = NextAttempt(number: keeper.attempts, time: now + max(.zero, pause), reason: reason)
            keeper.next = next
            keeper.timer = loop.schedule(at: now + max(.zero, pause)) { [self] in
                assumeIsolated { core in
                    guard let keeper = core.reconnector(of: record) else { return }
                    keeper.timer = nil
                    core.attempt(keeper)
                }
            }
            report(record, .waiting(next))
            return true
        }
    }

    /// Tries now, or when the adapter is on.
    private func attempt(_ keeper: Reconnector) {
        guard states.value == .poweredOn else {
            let reason = keeper.next?.reason ?? BluetoothError(.poweredOff, "connecting to \(keeper.record.label)")
            let next = NextAttempt(number: max(1, keeper.attempts), time: nil, reason: reason)
            keeper.next = next
            return report(keeper.record, .waiting(next))
        }
        keeper.next = nil
        let record = keeper.record
        guard let giveUp = connect(record, options: keeper.options, { _ in }) else { return }
        limit(keeper, giveUp)
    }

    /// Ends an attempt when its time is over.
    private func limit(_ keeper: Reconnector, _ giveUp: @escaping @Sendable (GiveUp) -> Void) {
        keeper.giveUp = giveUp
        keeper.attemptTimer = loop.schedule(at: loop.now + keeper.policy.attemptTimeout) { giveUp(.timedOut) }
    }

    /// The adapter is on: what waited for it goes on.
    func attemptWaiting() {
        let waiting = reconnectors.values.filter { $0.next != nil && $0.next?.time == nil }
        for keeper in waiting.sorted(by: { $0.number < $1.number }) { attempt(keeper) }
    }

    /// The link is up, whoever asked for it.
    func reconnected(_ record: PeerRecord) {
        guard let keeper = reconnector(of: record) else { return }
        stopTimers(keeper)
        keeper.next = nil
        keeper.attempts = 0
        keeper.lostAt = nil
        resubscribe(keeper)
    }

    // MARK: Subscriptions

    /// Takes over the readers of a link that was lost. False when the policy does not want that.
    func suspend(_ feeds: [Feed], of link: CentralLink) -> Bool {
        guard let keeper = link.records.lazy.compactMap({ self.reconnector(of: $0) }).first,
            keeper.policy.resubscribes, !isOver
        else { return false }
        for feed in feeds {
            feed.link = nil
            feed.phase = .off
            keeper.suspended.append(feed)
        }
        return true
    }

    /// Discovers the database and subscribes again to what was subscribed.
    func resubscribe(_ keeper: Reconnector) {
        let record = keeper.record
        guard !keeper.suspended.isEmpty, !keeper.isResubscribing, let link = record.link?.id,
            linkTable[link]?.isLeaving == false
        else { return }
        keeper.isResubscribing = true
        discover(nil, on: link, of: record, timeout: Self.resubscriptionTimeout) { [self] result in
            assumeIsolated { $0.rediscovered(record, link, result) }
        }
    }

    private static var resubscriptionTimeout: Duration { .seconds(30) }

    private func rediscovered(
        _ record: PeerRecord, _ link: LinkID, _ result: Result<[Service], HostError>
    ) {
        guard let keeper = reconnector(of: record) else { return }
        keeper.isResubscribing = false
        // Another link, or another database: what was found is of no use.
        guard record.link?.id == link else { return resubscribe(keeper) }
        switch result {
        case .success(let services):
            guard record.services != nil else { return resubscribe(keeper) }
            let feeds = keeper.suspended
            keeper.suspended = []
            for feed in feeds { resume(feed, in: services, on: link) }
        case .failure(let cause) where Self.isLoss(cause):
            break  // The end of the link is told next, and the readers go on waiting.
        case .failure(let cause):
            let feeds = keeper.suspended
            keeper.suspended = []
            let error = BluetoothError(cause, during: "subscribing again to \(record.label)")
            for feed in feeds { end(feed, error) }
        }
    }

    private func resume(_ feed: Feed, in services: [Service], on link: LinkID) {
        guard let state = linkTable[link], let characteristic = feed.origin.find(in: services) else {
            let what = "subscribing again to \(feed.origin.uuid) on \(feed.record.label)"
            return end(feed, BluetoothError(.notFound, what, detail: "the device does not have it any more"))
        }
        if let other = state.feeds[characteristic.id] {
            // Somebody subscribed anew meanwhile.
            for subscriber in feed.subscribers {
                subscriberFeeds[subscriber.id] = other
                other.subscribers.append(subscriber)
            }
            feed.subscribers = []
            return
        }
        feed.attribute = characteristic.id
        state.feeds[characteristic.id] = feed
        enable(feed, on: link, mode: feed.mode, timeout: Self.resubscriptionTimeout)
    }

    /// True when the link is gone, or about to be told of.
    static func isLoss(_ cause: HostError) -> Bool {
        [.disconnected, .poweredOff, .adapterFailed].contains(cause.code)
    }
}

/// Where a characteristic was found, for finding it again in another generation of the database.
struct FeedOrigin: Sendable {
    let service: BluetoothUUID
    let uuid: BluetoothUUID
    let handle: UInt16?
    /// Its place among those of the same types.
    let ordinal: Int

    init(_ characteristic: Characteristic, in services: [Service]?) {
        service = characteristic.serviceUUID
        uuid = characteristic.uuid
        handle = characteristic.handle
        let alike = Self.alike(service, uuid, in: services ?? [])
        ordinal = alike.firstIndex { $0.id == characteristic.id } ?? 0
    }

    init(service: BluetoothUUID, uuid: BluetoothUUID, handle: UInt16?, ordinal: Int) {
        self.service = service
        self.uuid = uuid
        self.handle = handle
        self.ordinal = ordinal
    }

    /// The one at the same handle, else the one at the same place.
    func find(in services: [Service]) -> Characteristic? {
        let alike = Self.alike(service, uuid, in: services)
        if let handle, let same = alike.first(where: { $0.handle == handle }) { return same }
        return alike.indices.contains(ordinal) ? alike[ordinal] : nil
    }

    private static func alike(
        _ service: BluetoothUUID, _ uuid: BluetoothUUID, in services: [Service]
    ) -> [Characteristic] {
        services.filter { $0.uuid == service }.flatMap(\.characteristics).filter { $0.uuid == uuid }
    }
}
