// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
public import CeruleanWire

/// The clock of a ``Simulation``.
public struct SimulationClock: Clock {
    /// A moment of virtual time.
    public struct Instant: InstantProtocol {
        /// The moment as the loop tells it.
        public var moment: MonotonicTime

        /// Wraps a moment.
        public init(_ moment: MonotonicTime) { self.moment = moment }

        /// The moment `duration` later.
        public func advanced(by duration: Duration) -> Instant { Instant(moment + duration) }
        /// The time to `other`.
        public func duration(to other: Instant) -> Duration { other.moment - moment }
        /// Compares moments.
        public static func < (a: Instant, b: Instant) -> Bool { a.moment < b.moment }
    }

    let loop: SimulationLoop

    /// The present moment.
    public var now: Instant { Instant(loop.now) }
    /// One nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Sleeps on virtual time.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await loop.sleep(until: deadline.moment)
    }
}
