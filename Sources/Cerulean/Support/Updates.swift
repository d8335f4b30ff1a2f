// SPDX-License-Identifier: Apache-2.0

/// Runs a closure when its last holder lets go.
final class Lease: Sendable {
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
}

/// What happens over time, in order; for states the present one first, then each change.
///
/// Each call that returns one makes an independent listener; of two loops over the *same* sequence each gets a part. A listener
/// that falls behind by more than ``capacity`` loses the oldest, counted in ``droppedCount``; the newest is never lost. The
/// loop ends when its source ends, or with the task.
public struct Updates<Value: Sendable>: AsyncSequence, Sendable {
    /// What listeners get.
    public typealias Element = Value
    /// Listening does not fail.
    public typealias Failure = Never

    /// How many elements wait for a slow listener.
    public var capacity: Int { channel.capacity }
    /// How many elements were dropped because the listener was too slow.
    public var droppedCount: Int { channel.dropped }

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
