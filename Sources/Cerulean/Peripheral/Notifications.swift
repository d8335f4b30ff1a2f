// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
public import CeruleanWire
import Synchronization

/// A value that a peripheral sent by itself.
public struct Notification: Hashable, Sendable {
    /// The value.
    public var value: [UInt8]
    /// Host time at which it arrived.
    public var time: MonotonicTime
    /// True when the peer waited for our confirmation, which the host gives at once.
    public var isIndication: Bool
    /// How many values were dropped between the one before and this one because the reader was too slow.
    public var droppedBefore: Int
    /// Which connection of the peripheral brought it, counted as ``PeripheralStatistics/connections``. When it is
    /// another one than before, what the peer sent in between never arrived.
    public var connection: Int

    /// A value that arrived.
    public init(
        value: [UInt8], time: MonotonicTime, isIndication: Bool = false, droppedBefore: Int = 0, connection: Int = 1
    ) {
        self.value = value
        self.time = time
        self.isIndication = isIndication
        self.droppedBefore = droppedBefore
        self.connection = connection
    }
}

/// The values that a characteristic sends, in the order of the air, see
/// ``Peripheral/notifications(of:mode:capacity:overflow:timeout:)``.
///
/// The subscription lasts as long as this value or one of its iterators; when the last reader of the characteristic is
/// gone it is ended on the peer too. Every subscriber gets every value; of two loops over the *same* sequence each gets
/// a part.
///
/// The loop ends without an error after ``cancel()``, after a disconnection that was asked for, and with its task; it
/// throws ``BluetoothError`` when the link is lost, after what had arrived before was read. Under a
/// ``ReconnectionPolicy`` it goes on instead: the characteristic is found and subscribed again on each new link, see
/// ``Notification/connection``, and the loop throws when the policy gives up, when the device refuses the subscription,
/// or when it does not have the characteristic any more. A change of the peer's database that touches the
/// characteristic is handled in the same way; without a policy the loop throws `staleAttribute`.
public struct Notifications: AsyncSequence, Sendable {
    /// A value with its time and what was lost before it.
    public typealias Element = Notification
    /// Why the values ended.
    public typealias Failure = BluetoothError

    let subscription: Subscription

    /// The characteristic, as it was when it was subscribed.
    public var characteristic: Characteristic { subscription.characteristic }
    /// How many values were dropped because the reader was too slow.
    public var droppedCount: Int { subscription.channel.dropped }

    /// Ends the subscription for this reader. What has arrived can still be read.
    public func cancel() { subscription.end() }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription) }

    /// Reads ``Notifications``.
    ///
    /// Values are handed over in batches: one wake-up of the task brings all that have arrived. With
    /// ``OverflowRule/dropOldest`` those that an iterator has taken over but not returned yet are not dropped any more,
    /// so up to twice the capacity may be on their way. Cancelling the task drops them.
    public struct Iterator: AsyncIteratorProtocol {
        private let subscription: Subscription
        private var reader: ChannelReader<Notification>

        init(_ subscription: Subscription) {
            self.subscription = subscription
            reader = ChannelReader(subscription.channel)
        }

        /// The next value; nil at the end and when the task is cancelled.
        ///
        /// - Throws: ``BluetoothError`` when the link is lost.
        public mutating func next() async throws(BluetoothError) -> Notification? {
            if let entry = reader.nextAtHand() { return Self.notification(entry) }
            return try await reader.next(isolation: nil).map(Self.notification)
        }

        /// The next value; nil at the end and when the task is cancelled.
        ///
        /// - Throws: ``BluetoothError`` when the link is lost.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BluetoothError) -> Notification? {
            if let entry = reader.nextAtHand() { return Self.notification(entry) }
            return try await reader.next(isolation: actor).map(Self.notification)
        }

        private static func notification(_ entry: Channel<Notification>.Entry) -> Notification {
            guard entry.droppedBefore > 0 else { return entry.element }
            var notification = entry.element
            notification.droppedBefore = entry.droppedBefore
            return notification
        }
    }
}

extension Peripheral {
    /// What a characteristic sent last on this connection, for those who come late; nil before the first value, and when
    /// nobody is subscribed.
    public func lastNotification(of characteristic: Characteristic) async -> Notification? {
        await central.core.lastNotification(of: characteristic.id, on: record.link?.id)
    }
}

/// One reader's hold on the values of a characteristic.
final class Subscription: Sendable {
    let characteristic: Characteristic
    let channel: Channel<Notification>
    private let core: CentralCore
    private let id: UInt64
    private let central: Central

    init(_ characteristic: Characteristic, channel: Channel<Notification>, central: Central, id: UInt64) {
        self.characteristic = characteristic
        self.channel = channel
        self.central = central
        self.id = id
        core = central.core
    }

    deinit { end() }

    func end() {
        channel.end()
        let (core, id) = (core, id)
        core.loop.execute { core.assumeIsolated { $0.unsubscribe(id) } }
    }
}

/// The values of a characteristic as octets, see ``Peripheral/values(of:mode:capacity:overflow:timeout:)``. Ends and
/// fails as ``Notifications`` do.
public struct RawValues: AsyncSequence, Sendable {
    /// The octets of a value.
    public typealias Element = [UInt8]
    /// Why the values ended.
    public typealias Failure = BluetoothError

    /// The values with their time and what was lost before each.
    public let notifications: Notifications

    /// How many values were dropped because the reader was too slow.
    public var droppedCount: Int { notifications.droppedCount }

    /// Ends the subscription for this reader. What has arrived can still be read.
    public func cancel() { notifications.cancel() }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(base: notifications.makeAsyncIterator()) }

    /// Reads ``RawValues``; what ``Notifications/Iterator`` says of batches holds here too.
    public struct Iterator: AsyncIteratorProtocol {
        var base: Notifications.Iterator

        /// The next value; nil at the end and when the task is cancelled.
        ///
        /// - Throws: ``BluetoothError`` when the link is lost.
        public mutating func next() async throws(BluetoothError) -> [UInt8]? { try await next(isolation: nil) }

        /// The next value; nil at the end and when the task is cancelled.
        ///
        /// - Throws: ``BluetoothError`` when the link is lost.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BluetoothError) -> [UInt8]? {
            try await base.next(isolation: actor)?.value
        }
    }
}
