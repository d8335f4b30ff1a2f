// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
import CeruleanWire

/// A stream of octets to a device, beside the attributes: an L2CAP channel with credit based flow control.
///
/// Nothing is lost on it while the link is up: who reads slowly slows the sender down. Octets travel in units; a ``send(_:timeout:)``
/// of more than the peer takes at once is cut, and each element that is read is one unit of the sender's. The channel is closed with
/// ``close(timeout:)``, or when nobody holds it any more.
/// ```swift
/// let channel = try await peripheral.openChannel(psm: 0x0080)
/// try await channel.send(Array("hello".utf8))
/// for try await unit in channel.units { print(unit) }
/// ```
public final class L2CAPChannel: Sendable {
    let port: ChannelPort
    /// The channel, its link and the lengths that were agreed on.
    public var info: ChannelInfo { port.info }

    init(_ port: ChannelPort) { self.port = port }

    deinit {
        let (host, id) = (port.host, port.info.id)
        guard !port.isClosed else { return }
        host.loop.execute { host.assumeIsolated { $0.closeChannel(id) { _ in } } }
    }

    /// True until either side closed it or the link was lost.
    public var isOpen: Bool { !port.isClosed }

    /// Sends octets in order. Ends when all are queued; waits where the peer gives no room: await it before making the next
    /// octets, and nothing piles up.
    ///
    /// After a timeout or cancellation part of the octets may have gone.
    /// - Throws: ``BluetoothError`` with `disconnected`, `timedOut` or `cancelled`.
    public func send(_ octets: [UInt8], timeout: Duration = .seconds(30)) async throws(BluetoothError) {
        let (port, psm) = (port, info.psm)
        let _: Void = try await awaitOperation(
            on: port.host.loop, timeout: timeout, describe: { "sending on PSM \(psm)" },
            start: { completion in
                let writer = port.write(octets, completion)
                return { _ in port.giveUp(writer) }
            })
    }

    /// What the peer sends, unit by unit. Of two loops over it each gets a part; what a loop leaves, the next one gets. The loop
    /// ends when either side closes the channel, and with its task.
    public var units: Units { Units(channel: self) }

    /// Closes the channel behind what is queued. Ends when it is gone.
    ///
    /// - Throws: ``BluetoothError`` with `timedOut` or `cancelled`; closing goes on.
    public func close(timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        let (host, id) = (port.host, info.id)
        let _: Void = try await awaitOperation(
            on: host.loop, timeout: timeout, startsAnyway: true, describe: { "closing a channel" },
            start: { completion in
                host.assumeIsolated { $0.closeChannel(id, completion: completion) }
                return nil
            })
    }

    /// What a channel's peer sends, see ``L2CAPChannel/units``.
    public struct Units: AsyncSequence, Sendable {
        /// One unit of the sender's.
        public typealias Element = [UInt8]
        /// Why the units ended.
        public typealias Failure = BluetoothError

        let channel: L2CAPChannel

        /// Begins to read.
        public func makeAsyncIterator() -> Iterator { Iterator(channel) }

        /// Reads ``Units``. The peer gets room again for what was returned, in steps.
        public struct Iterator: AsyncIteratorProtocol {
            private let channel: L2CAPChannel

            init(_ channel: L2CAPChannel) { self.channel = channel }

            /// The next unit; nil at the end and when the task is cancelled.
            ///
            /// - Throws: ``BluetoothError`` when the link is lost or the peer broke the protocol.
            public mutating func next() async throws(BluetoothError) -> [UInt8]? { try await next(isolation: nil) }

            /// The next unit; nil at the end and when the task is cancelled.
            ///
            /// - Throws: ``BluetoothError`` when the link is lost or the peer broke the protocol.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(BluetoothError) -> [UInt8]? {
                try await channel.port.nextUnit(isolation: actor)
            }
        }
    }
}

/// Channels that devices open to a PSM of ours, in the order in which they come. Listening ends with ``cancel()``, or when nobody
/// holds this value or an iterator of it; channels that nobody accepted by then are closed.
public struct L2CAPChannels: AsyncSequence, Sendable {
    /// A channel that a device opened.
    public typealias Element = L2CAPChannel
    /// Listening does not fail.
    public typealias Failure = Never

    /// The PSM: tell it to the devices, as in a characteristic.
    public let psm: UInt16
    let port: ListenerPort
    let lease: Lease

    /// Takes no more channels. Those that were accepted stay; those that still wait for it are closed when nobody holds this value
    /// or an iterator of it.
    public func cancel() {
        let (host, psm) = (port.host, psm)
        port.accepted.end()
        host.loop.execute { host.assumeIsolated { $0.stopListening(to: psm) } }
    }

    /// Begins to accept.
    public func makeAsyncIterator() -> Iterator { Iterator(port: port, lease: lease) }

    /// Accepts channels.
    public struct Iterator: AsyncIteratorProtocol {
        let port: ListenerPort
        let lease: Lease

        /// The next channel; nil after ``L2CAPChannels/cancel()`` and when the task is cancelled.
        public mutating func next() async -> L2CAPChannel? { await next(isolation: nil) }

        /// The next channel; nil after ``L2CAPChannels/cancel()`` and when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> L2CAPChannel? {
            // This channel is never ended with an error.
            guard let next = try? await port.accepted.next(isolation: actor) else { return nil }
            return L2CAPChannel(next)
        }
    }
}
