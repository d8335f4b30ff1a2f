// SPDX-License-Identifier: Apache-2.0

import CeruleanHost

/// Whether, when and how often a lost peripheral is connected again.
///
/// A policy is a value that belongs to one peripheral: see ``Peripheral/connect(reconnection:options:timeout:)`` and
/// ``Peripheral/keepConnected(_:options:)``. Without one nothing reconnects by itself.
///
/// ```swift
/// try await peripheral.connect(reconnection: .backoff(first: .seconds(1), maximum: .seconds(60)))
/// ```
///
/// A disconnection that was asked for ends the policy. While the adapter is off no attempts are made; they go on when
/// it is on.
public struct ReconnectionPolicy: Sendable {
    /// What is known when the next attempt is decided.
    public struct Situation: Sendable {
        /// The number of the attempt to be decided: 1 for the first since the link was lost.
        public var attempt: Int
        /// Why the link was lost, or the attempt before failed.
        public var reason: BluetoothError
        /// Time since the link was lost.
        public var elapsed: Duration
        /// A random number, at least 0 and below 1.
        public var random: Double

        /// A situation, for testing a policy of one's own.
        public init(attempt: Int, reason: BluetoothError, elapsed: Duration, random: Double) {
            self.attempt = attempt
            self.reason = reason
            self.elapsed = elapsed
            self.random = random
        }
    }

    /// What to do.
    public enum Decision: Hashable, Sendable {
        /// Try after this time; zero tries at once.
        case retry(after: Duration)
        /// Leave it disconnected.
        case giveUp
    }

    /// How long one attempt may take.
    public var attemptTimeout: Duration
    /// Whether the sequences of values that were running go on after the reconnection. When false they fail when the
    /// link is lost, as they do without a policy.
    public var resubscribes: Bool
    let decide: (@Sendable (Situation) -> Decision)?

    private init(_ attemptTimeout: Duration, _ decide: (@Sendable (Situation) -> Decision)?) {
        self.attemptTimeout = attemptTimeout
        resubscribes = true
        self.decide = decide
    }

    /// Nothing reconnects by itself.
    public static let never = Self(.seconds(10), nil)

    /// Tries for ever, with the same pause before each attempt.
    public static func always(
        pause: Duration = .seconds(1), attemptTimeout: Duration = .seconds(10)
    ) -> Self {
        Self(attemptTimeout) { _ in .retry(after: max(.zero, pause)) }
    }

    /// Tries with growing pauses, shortened by chance so that many devices do not come back at the same moment.
    ///
    /// - Parameters:
    ///   - first: The pause before the first attempt.
    ///   - maximum: The longest pause.
    ///   - factor: By how much the pause grows with each attempt; at least 1.
    ///   - jitter: The share of the pause that chance may take away, 0 to 1.
    ///   - attempts: Gives up after that many; nil never does.
    ///   - attemptTimeout: How long one attempt may take.
    public static func backoff(
        first: Duration = .seconds(1), maximum: Duration = .seconds(60), factor: Double = 2, jitter: Double = 0.5,
        attempts: Int? = nil, attemptTimeout: Duration = .seconds(10)
    ) -> Self {
        Self(attemptTimeout) { situation in
            if let attempts, situation.attempt > attempts { return .giveUp }
            let limit = seconds(max(.zero, maximum))
            var pause = min(seconds(max(.zero, first)), limit)
            let growth = factor.isFinite ? max(1, factor) : 1
            for _ in 1..<max(1, min(situation.attempt, 1000)) where pause < limit {
                pause = min(limit, pause * growth)
            }
            let share = jitter.isFinite ? min(max(jitter, 0), 1) : 0
            return .retry(after: .nanoseconds(Int64((pause * (1 - share * situation.random)) * 1e9)))
        }
    }

    /// Decides by a closure, which is called on the host's loop and must not block.
    public static func custom(
        attemptTimeout: Duration = .seconds(10), _ decide: @escaping @Sendable (Situation) -> Decision
    ) -> Self {
        Self(attemptTimeout, decide)
    }

    /// What the policy does in a situation.
    public func decision(in situation: Situation) -> Decision { decide?(situation) ?? .giveUp }

    /// The same policy, whose sequences of values end with the link.
    public func withoutResubscribing() -> Self {
        var copy = self
        copy.resubscribes = false
        return copy
    }

    /// At most 31 years, so that nanoseconds fit.
    private static func seconds(_ duration: Duration) -> Double { min(duration.inSeconds, 1e9) }
}

/// The next attempt to reconnect a peripheral, see ``ConnectionState/waiting(_:)``.
public struct NextAttempt: Hashable, Sendable {
    /// Its number: 1 for the first since the link was lost.
    public var number: Int
    /// When it begins on the host's clock; nil when it begins as soon as the adapter is on.
    public var time: MonotonicTime?
    /// Why the link was lost, or the attempt before failed.
    public var reason: BluetoothError

    /// Describes an attempt.
    public init(number: Int, time: MonotonicTime?, reason: BluetoothError) {
        self.number = number
        self.time = time
        self.reason = reason
    }
}
