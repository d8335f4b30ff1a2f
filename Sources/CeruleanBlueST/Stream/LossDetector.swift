// SPDX-License-Identifier: Apache-2.0

/// Counts the notifications of one characteristic that never came, from the distances of their timestamps. bluest.md
/// §5.2.
///
/// A tick may be about as long as a period (100 Hz and ticks of 8 ms give distances of 1, 1, 1, 2), so a single
/// distance does not tell whether something is missing. The detector therefore learns the period as a fraction of ticks
/// and follows its phase: a packet is given the lowest number that its timestamp allows. A number given too high,
/// because a packet was late, is taken back by those that follow. Where packets come irregularly, as of a switch,
/// nothing is counted.
public struct LossDetector: Sendable {
    /// What a packet tells about those in front of it.
    public struct Finding: Hashable, Sendable {
        /// Packets missing directly in front of this one; negative if packets counted as missing were not.
        public var lost = 0
        /// True if the packet came behind one with a later timestamp.
        public var isLate = false
    }

    /// Packets counted as missing up to now, 0 or more.
    public private(set) var lost = 0
    /// Packets that arrived.
    public private(set) var received = 0
    /// The period in ticks; nil until it is known, and while packets come irregularly.
    public var period: Double? { phase?.period }

    private let isFixed: Bool
    private var isInterrupted = false
    private var newest: Int64 = 0
    private var phase: Phase?
    /// The last distances. In order while the period is learnt, then overwritten in turn.
    private var distances: [Int64] = []
    private var turn = 0
    /// Packets since the last review that did not fit the period.
    private var misfits = 0
    /// Gaps that a late packet may fill.
    private var gaps: [Gap] = []

    private struct Gap: Sendable {
        var from: Int64
        var to: Int64
        var lost: Int
    }

    private static let window = 32
    private static let gapLimit = 64

    /// A detector. `period` in ticks if it is known beforehand; else it is learnt from the first packets.
    public init(period: Double? = nil) {
        let usable = period.flatMap { $0 > 0.05 && $0.isFinite ? $0 : nil }
        phase = usable.map { Phase(period: $0) }
        isFixed = usable != nil
    }

    /// Packets were not wanted for a while: what is missing before the next one was not lost.
    public mutating func interrupted() { isInterrupted = true }

    /// Takes the unwrapped timestamp of a packet.
    public mutating func received(_ ticks: Int64) -> Finding {
        received += 1
        if isInterrupted {
            isInterrupted = false
            newest = ticks
            gaps.removeAll(keepingCapacity: true)
            if let period { phase = Phase(period: period) } else { forget() }
            return Finding()
        }
        let distance = ticks - newest
        // Behind a long silence nobody knows what would have been sent.
        guard received > 1, distance < 1 << 20 else {
            restart(at: ticks)
            return Finding()
        }
        guard distance >= 0 else { return late(ticks) }
        remember(distance)
        if phase == nil { return learn(ticks) }
        let missing = advance(ticks, by: distance)
        if !isFixed, received & 15 == 0, let finding = review(missing) { return finding }
        return Finding(lost: missing)
    }

    // MARK: - Private

    private mutating func restart(at ticks: Int64) {
        newest = ticks
        if isFixed, let period { phase = Phase(period: period) } else { forget() }
    }

    private mutating func forget() {
        phase = nil
        distances.removeAll(keepingCapacity: true)
        turn = 0
        gaps.removeAll(keepingCapacity: true)
    }

    private mutating func remember(_ distance: Int64) {
        if distances.count < Self.window {
            distances.append(distance)
        } else {
            distances[turn] = distance
            turn = (turn + 1) % Self.window
        }
    }

    private mutating func late(_ ticks: Int64) -> Finding {
        guard let index = gaps.lastIndex(where: { $0.from < ticks && ticks < $0.to && $0.lost > 0 }) else {
            return Finding(isLate: true)
        }
        gaps[index].lost -= 1
        lost = max(0, lost - 1)
        return Finding(lost: -1, isLate: true)
    }

    private mutating func advance(_ ticks: Int64, by distance: Int64) -> Int {
        guard let steps = phase?.advance(distance, mayTakeBack: lost > 0) else { return 0 }
        let missing = steps - 1
        if missing > 0 {
            gaps.append(Gap(from: newest, to: ticks, lost: missing))
            if gaps.count > Self.gapLimit { gaps.removeFirst() }
        }
        if phase?.wasForced == true { misfits += 1 }
        lost = max(0, lost + missing)
        newest = ticks
        return missing
    }

    /// Waits until the distances say what the period is; then counts what was missing meanwhile.
    private mutating func learn(_ ticks: Int64) -> Finding {
        newest = ticks
        // Long distances are hardly touched by the tick's coarseness: few of them are enough.
        let isEnough = distances.count >= Self.window || (distances.count >= 6 && median >= 8)
        guard isEnough, turn == 0, let period = likeliestPeriod() else { return Finding() }
        var start = Phase(period: period)
        let before = lost
        misfits = 0
        for distance in distances { lost = max(before, lost + start.advance(distance, mayTakeBack: lost > before) - 1) }
        phase = start
        return Finding(lost: lost - before)
    }

    private var median: Int64 { distances.sorted()[distances.count / 2] }

    /// The period under which the fewest packets are missing or out of place; nil if packets come irregularly.
    ///
    /// What looks like a period of 51/50 ticks may as well be one of 1 tick with every fiftieth packet missing. Boards
    /// send at whole milliseconds and count 8 or 10 ms, so a fraction with a small denominator is the likelier
    /// explanation.
    private func likeliestPeriod() -> Double? {
        let middle = Double(median)
        let tolerance = max(1, 0.25 * middle)
        guard isRegular(around: middle, tolerance: tolerance) else { return nil }
        let near = distances.filter { abs(Double($0) - middle) <= tolerance }
        let mean = Double(near.reduce(0, +)) / Double(near.count)
        guard mean > 0 else { return nil }
        if middle >= 8 { return mean.rounded() - mean < 0.2 && mean - mean.rounded() < 0.2 ? mean.rounded() : mean }
        var best: (period: Double, score: Double)?
        for denominator in [1.0, 2, 3, 4, 5, 6, 7, 8, 10, 12] {
            let least = max(1, (mean * 0.85 * denominator).rounded(.up))
            let most = (mean * 1.06 * denominator).rounded(.down)
            for numerator in stride(from: least, through: most, by: 1) {
                let period = numerator / denominator
                let score = penalty(period) + 0.05 * denominator
                if score < best?.score ?? .infinity { best = (period, score) }
            }
        }
        return best?.period ?? mean
    }

    private func penalty(_ period: Double) -> Double {
        var phase = Phase(period: period)
        return distances.reduce(0) { sum, distance in
            let steps = phase.advance(distance, mayTakeBack: false)
            return sum + Double(steps - 1) + (phase.wasForced ? 4 : 0)
        }
    }

    private func isRegular(around middle: Double, tolerance: Double) -> Bool {
        let near = distances.count { abs(Double($0) - middle) <= tolerance }
        return near * 10 >= distances.count * 6
    }

    /// Every sixteen packets: gives the period up if packets come otherwise now.
    private mutating func review(_ missing: Int) -> Finding? {
        defer { misfits = 0 }
        guard let period, distances.count == Self.window else { return nil }
        let fits = isRegular(around: period, tolerance: max(1, 0.25 * period)) && (misfits <= 8 || period >= 8)
        guard !fits else { return nil }
        let first = newest - distances.reduce(0, +)
        let recent = min(lost, gaps.reduce(0) { $0 + ($1.from >= first ? $1.lost : 0) })
        lost -= recent
        forget()
        return Finding(lost: missing - recent)
    }
}

/// Follows where within a tick the packets of a regular stream truly lie.
struct Phase: Sendable {
    /// Ticks between packets.
    var period: Double
    /// True if the last distance fitted no whole number of periods.
    private(set) var wasForced = false
    /// The newest packet's true time lies between these, counted from its tick.
    private var low = 0.0
    private var high = 1.0

    /// The part of a period by which a packet may lie beside where the period puts it: clocks drift, and the period is
    /// not known exactly.
    private static let drift = 0.002

    init(period: Double) { self.period = period }

    /// Takes the distance to the next packet; returns how many periods it is, 1 if nothing is missing.
    ///
    /// - Parameter mayTakeBack: allows 0, when the packet before was given too high a number.
    mutating func advance(_ distance: Int64, mayTakeBack: Bool) -> Int {
        let ticks = Double(distance)
        // Numbers n for which some true time between low and high, n periods on, falls into the tick that was sent.
        let least = (ticks - high) / period
        let most = (ticks + 1 - low) / period
        var count = max(1, least.rounded(.down) + 1)
        wasForced = count >= most
        if wasForced { count = max(0, ((ticks + 0.5 - (low + high) / 2) / period).rounded()) }
        if count == 0, !mayTakeBack { count = 1 }
        let shift = count * period - ticks
        low = max(0, low + shift - Self.drift * period)
        high = min(1, high + shift + Self.drift * period)
        if wasForced || low >= high { (low, high) = (0, 1) }
        return Int(count)
    }
}
