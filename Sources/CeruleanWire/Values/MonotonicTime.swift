// SPDX-License-Identifier: Apache-2.0

/// A moment on a clock that never goes back, in nanoseconds since that clock's own start.
///
/// State machines are given the present moment and tell their next deadline in this type; real and virtual clocks both
/// produce it. Moments of different clocks must not be compared.
public struct MonotonicTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since the start of the clock.
    public var nanoseconds: Int64

    /// A moment `nanoseconds` after the start of the clock.
    @inlinable
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The start of the clock.
    public static let zero = Self(nanoseconds: 0)

    /// Later than any moment: "no deadline".
    public static let distantFuture = Self(nanoseconds: .max)

    /// Compares moments of one clock.
    @inlinable
    public static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }

    /// The moment `duration` later; ``distantFuture`` when it would be beyond it.
    @inlinable
    public static func + (moment: Self, duration: Duration) -> Self {
        let (sum, overflow) = moment.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return overflow ? .distantFuture : Self(nanoseconds: sum)
    }

    /// The time from `earlier` to `later`.
    @inlinable
    public static func - (later: Self, earlier: Self) -> Duration {
        .nanoseconds(later.nanoseconds.subtractingReportingOverflow(earlier.nanoseconds).partialValue)
    }
}

extension Duration {
    /// The duration in whole nanoseconds, held within `Int64` (about 292 years).
    @inlinable
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, overflowSum) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflowSum ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in seconds.
    @inlinable
    public var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
