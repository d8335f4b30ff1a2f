// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Makes an endless count of ticks out of 16-bit timestamps. One for each node, shared by its characteristics.
/// bluest.md §5.2.
///
/// A packet that comes a little late, also one from before a wrap, gets the count that it should have; it does not
/// disturb those that follow.
public struct TimestampUnwrapper: Sendable {
    /// The length of a tick. Older firmware counts 8 ms, newer 10 ms; the protocol does not say.
    public var tick: Duration {
        didSet { tickNanoseconds = tick.wholeNanoseconds }
    }

    private var tickNanoseconds: Int64
    private var last: Int?
    private var wraps: Int64 = 0
    private var lastTime: MonotonicTime?

    /// An unwrapper that has seen nothing. The length of a tick matters only for silences of more than half a wrap.
    public init(tick: Duration = .milliseconds(8)) {
        self.tick = tick
        tickNanoseconds = tick.wholeNanoseconds
    }

    /// The count of a timestamp. `time`, when the packet arrived by the host's clock, tells how often the timestamp
    /// wrapped in a long silence.
    public mutating func unwrap(_ raw: UInt16, at time: MonotonicTime? = nil) -> Int64 {
        let new = Int(raw)
        guard let last else {
            self.last = new
            lastTime = time
            return Int64(new)
        }
        if let count = unwrapSilence(new, after: last, at: time) { return count }
        let distance = new - last
        if distance > 32768, wraps > 0 { return (wraps - 1) << 16 + Int64(new) }
        if distance < -32768 { wraps += 1 }
        self.last = new
        lastTime = time ?? lastTime
        return wraps << 16 + Int64(new)
    }

    private mutating func unwrapSilence(_ new: Int, after last: Int, at time: MonotonicTime?) -> Int64? {
        guard let time, let lastTime, tickNanoseconds > 0 else { return nil }
        let elapsed = Double(time.nanoseconds &- lastTime.nanoseconds) / Double(tickNanoseconds)
        guard elapsed > 32768, elapsed < 1e12 else { return nil }
        let expected = Double(wraps << 16 + Int64(last)) + elapsed
        let turns = Int64(((expected - Double(new)) / 65536).rounded())
        wraps = max(wraps, turns)
        self.last = new
        self.lastTime = time
        return wraps << 16 + Int64(new)
    }
}
