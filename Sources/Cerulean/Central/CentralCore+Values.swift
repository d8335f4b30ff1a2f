// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire
import Synchronization

/// The values of one characteristic, for all who read them: on one link after the other where a policy wants that.
final class Feed {
    enum Phase {
        case off, enabling, on, disabling
    }

    struct Subscriber {
        let id: UInt64
        let channel: Channel<Notification>
        /// False for those who came while an earlier subscription was being ended: what is left of that is not theirs,
        /// or there would be a gap before the first value of their own.
        var isActive: Bool
        /// Set until the subscription is known to be in force.
        var completion: HostCompletion<Void>?
    }

    let number: UInt64
    let record: PeerRecord
    let origin: FeedOrigin
    /// On the present link.
    var attribute: AttributeID
    /// Nil while the next link is waited for.
    var link: LinkID?
    /// Which connection of the peripheral that is.
    var connection = 0
    var mode: SubscriptionMode
    var phase = Phase.off
    var subscribers: [Subscriber] = []
    /// What arrived last, for those who come later.
    var last: Notification?

    init(number: UInt64, record: PeerRecord, origin: FeedOrigin, attribute: AttributeID, mode: SubscriptionMode) {
        self.number = number
        self.record = record
        self.origin = origin
        self.attribute = attribute
        self.mode = mode
    }
}

extension CentralCore {
    private static var unsubscribeTimeout: Duration { .seconds(10) }

    /// Adds a reader. It gets values from now on, those before the peer's confirmation included.
    func subscribe(
        to characteristic: Characteristic, on link: LinkID, mode: SubscriptionMode,
        channel: Channel<Notification>, timeout: Duration, _ completion: @escaping HostCompletion<UInt64>
    ) -> (@Sendable (GiveUp) -> Void)? {
        guard let state = linkTable[link], !state.isLeaving else {
            completion(.failure(HostError(.disconnected)))
            return nil
        }
        let attribute = characteristic.id
        let feed =
            state.feeds[attribute]
            ?? Feed(
                number: number(), record: state.record,
                origin: FeedOrigin(characteristic, in: state.records.lazy.compactMap(\.services).first),
                attribute: attribute, mode: mode)
        state.feeds[attribute] = feed
        let id = number()
        subscriberFeeds[id] = feed
        feed.subscribers.append(
            .init(id: id, channel: channel, isActive: feed.phase != .disabling) { completion($0.map { id }) })
        switch feed.phase {
        case .on: confirm(feed, .success(()))
        case .off: enable(feed, on: link, mode: mode, timeout: timeout)
        case .enabling, .disabling: break
        }
        return { [self] _ in assumeIsolated { $0.unsubscribe(id, HostError(.cancelled)) } }
    }

    /// Removes a reader; with the last one the subscription ends.
    func unsubscribe(_ id: UInt64, _ reason: HostError? = nil) {
        guard let feed = subscriberFeeds.removeValue(forKey: id),
            let index = feed.subscribers.firstIndex(where: { $0.id == id })
        else { return }
        let subscriber = feed.subscribers.remove(at: index)
        subscriber.channel.end()
        if let reason { subscriber.completion?(.failure(reason)) }
        guard feed.subscribers.isEmpty else { return }
        if let link = feed.link {
            if feed.phase == .on { disable(feed, on: link) }
        } else {
            for keeper in reconnectors.values { keeper.suspended.removeAll { $0 === feed } }
        }
    }

    /// Ends all readers of a feed: those who wait are told, those who read come to the end of what is queued.
    func end(_ feed: Feed, _ reason: BluetoothError?) {
        let all = feed.subscribers
        feed.subscribers = []
        for subscriber in all {
            subscriberFeeds[subscriber.id] = nil
            subscriber.channel.end(reason)
            subscriber.completion?(.failure(reason?.cause ?? HostError(.disconnected)))
        }
    }

    /// The link of these feeds, or their place in the database, is gone.
    func detach(_ feeds: [Feed], of link: CentralLink, _ reason: BluetoothError?) {
        lastFeed = nil
        var going: [Feed] = []
        for feed in feeds.sorted(by: { $0.number < $1.number }) {
            link.feeds[feed.attribute] = nil
            // Who was never confirmed is told so.
            let unconfirmed = feed.subscribers.filter { $0.completion != nil }
            for subscriber in unconfirmed {
                feed.subscribers.removeAll { $0.id == subscriber.id }
                subscriberFeeds[subscriber.id] = nil
                subscriber.channel.end(reason)
                subscriber.completion?(.failure(reason?.cause ?? HostError(.disconnected)))
            }
            if !feed.subscribers.isEmpty { going.append(feed) }
        }
        guard !going.isEmpty else { return }
        if reason != nil, suspend(going, of: link) { return }
        for feed in going { end(feed, reason) }
    }

    /// The peer's database changed between two handles.
    func databaseChanged(on link: LinkID, _ range: ClosedRange<UInt16>?) {
        guard let state = linkTable[link] else { return }
        for record in state.records { record.forgetServices() }
        for walk in walks.values where walk.link == link { walk.mustRestart = true }
        lastFeed = nil
        let stale = state.feeds.values.filter { feed in
            guard let range, let handle = feed.attribute.handle else { return true }
            return range.contains(handle)
        }
        guard !stale.isEmpty else { return }
        let error = BluetoothError(
            .staleAttribute, "values of \(state.record.label)", cause: HostError(.staleAttribute))
        detach(stale, of: state, error)
        for record in state.records { if let keeper = reconnector(of: record) { resubscribe(keeper) } }
    }

    func enable(_ feed: Feed, on link: LinkID, mode: SubscriptionMode, timeout: Duration) {
        feed.phase = .enabling
        feed.mode = mode
        feed.link = link
        feed.connection = feed.record.statistics.connections
        for index in feed.subscribers.indices { feed.subscribers[index].isActive = true }
        let (attribute, number) = (feed.attribute, feed.number)
        host.assumeIsolated { host in
            _ = host.subscribe(to: attribute, mode: mode, on: link, timeout: timeout) { [self] result in
                assumeIsolated { $0.enabled(attribute, number, on: link, result) }
            }
        }
    }

    private func enabled(
        _ attribute: AttributeID, _ number: UInt64, on link: LinkID, _ result: Result<Void, HostError>
    ) {
        guard let feed = linkTable[link]?.feeds[attribute], feed.number == number else { return }
        switch result {
        case .success:
            feed.phase = .on
            confirm(feed, result)
            if feed.subscribers.isEmpty { disable(feed, on: link) }
        case .failure(let cause):
            feed.phase = .off
            guard let state = linkTable[link] else { return }
            let error = BluetoothError(cause, during: "subscribing to \(feed.origin.uuid) on \(feed.record.label)")
            if Self.isLoss(cause) { return detach([feed], of: state, error) }
            state.feeds[feed.attribute] = nil
            lastFeed = nil
            end(feed, error)
        }
    }

    private func confirm(_ feed: Feed, _ result: Result<Void, HostError>) {
        for index in feed.subscribers.indices {
            let completion = feed.subscribers[index].completion
            feed.subscribers[index].completion = nil
            completion?(result)
        }
    }

    private func disable(_ feed: Feed, on link: LinkID) {
        guard linkTable[link]?.isLeaving == false else { return }
        feed.phase = .disabling
        let (attribute, number) = (feed.attribute, feed.number)
        host.assumeIsolated { host in
            _ = host.subscribe(to: attribute, mode: .off, on: link, timeout: Self.unsubscribeTimeout) {
                [self] _ in assumeIsolated { $0.disabled(attribute, number, on: link) }
            }
        }
    }

    private func disabled(_ attribute: AttributeID, _ number: UInt64, on link: LinkID) {
        guard let feed = linkTable[link]?.feeds[attribute], feed.number == number else { return }
        feed.phase = .off
        guard feed.subscribers.isEmpty else {
            // Somebody came while the subscription was being ended.
            return enable(feed, on: link, mode: feed.mode, timeout: Self.unsubscribeTimeout)
        }
        linkTable[link]?.feeds[feed.attribute] = nil
        feed.link = nil
        lastFeed = nil
    }

    func received(_ value: [UInt8], of attribute: AttributeID, on link: LinkID, mode: SubscriptionMode) {
        if let last = lastFeed, last.link == link, last.attribute == attribute {
            return deliver(value, to: last.feed, mode)
        }
        guard let feed = linkTable[link]?.feed(of: attribute) else { return }
        lastFeed = (link, attribute, feed)
        deliver(value, to: feed, mode)
    }

    private func deliver(_ value: [UInt8], to feed: Feed, _ mode: SubscriptionMode) {
        let notification = Notification(
            value: value, time: loop.now, isIndication: mode == .indications, connection: feed.connection)
        feed.last = notification
        feed.record.values.add(1, ordering: .relaxed)
        for subscriber in feed.subscribers where subscriber.isActive {
            let sent = subscriber.channel.enqueue(notification)
            if !sent.isKept { feed.record.droppedValues.add(1, ordering: .relaxed) }
            if sent.needsWake { wakeLater(subscriber.channel) }
        }
    }

    /// What a characteristic sent last, while somebody is subscribed.
    func lastNotification(of attribute: AttributeID, on link: LinkID?) -> Notification? {
        link.flatMap { linkTable[$0]?.feed(of: attribute)?.last }
    }

    /// Wakes a reader behind the packets that the transport read together: one wake-up, many values.
    private func wakeLater(_ channel: Channel<Notification>) {
        sleepers.append(channel)
        guard sleepers.count == 1 else { return }
        loop.execute { [self] in
            assumeIsolated { core in
                let channels = core.sleepers
                core.sleepers = []
                for channel in channels { channel.wake() }
            }
        }
    }
}
