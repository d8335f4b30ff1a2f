// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

extension BITalino {
    /// Gives frames their numbers: counts what was lost from the 4-bit sequence, and with the host's clock where 16 frames or
    /// more may be missing.
    ///
    /// The clock alone cannot tell: after a silence of the radio the board first sends what its buffer holds, late. So after
    /// a gap or a long silence frames are held back until the delay of their arrival has settled (0.6 s at 100 Hz and above,
    /// longer if much is late), and then the gap gets the number that fits sequence and delay. Undisturbed streams are never
    /// held. Pure.
    public struct FrameTimeline: Sendable {
        /// The delay has settled when its minimum is the same in two periods of this many seconds, one after the other.
        public static let settlingPeriod = 0.3
        /// Frames held at most; then a gap is decided on what is known.
        public static let heldLimit = 16_384

        /// Frames per second.
        public let rate: Double
        /// The number of the next frame if nothing is lost.
        public private(set) var nextIndex = 0
        /// Frames lost so far, those in gaps not yet decided counted as the sequence says.
        public private(set) var lost = 0

        private let stallLimit: Double
        private let bufferedFrames: Int
        private var last: UInt8 = 15
        private var lastArrival: Double?
        private var delay = DelayFloor()
        private var held: [Frame] = []
        private var isHolding = false
        /// Where among the held frames others are missing, as the sequence says, and at how many places.
        private var gap = 0
        private var gapCount = 0
        private var periodStart = 0.0
        private var periodDelay = Double.infinity
        private var lastDelay = Double.infinity
        private var firstDelay = Double.nan
        private var isRestart = false

        /// A timeline that begins with the first frame of an acquisition.
        public init(rate: Rate, frameSize: Int) {
            self.rate = Double(rate.rawValue)
            // A silence that may fill the board's buffer. At low rates it would be longer than any link survives.
            bufferedFrames = SimulatedBoard.bufferSize / max(frameSize, 1)
            stallLimit = 0.75 * Double(bufferedFrames) / Double(rate.rawValue)
        }

        /// True while frames are held back.
        public var isSettling: Bool { isHolding }

        /// Takes the frames that arrived at one moment, in order, and appends to `output` those whose number is known.
        ///
        /// - Parameters:
        ///   - frames: Frames that arrived together.
        ///   - breakBefore: The first frame that does not follow the one before it octet by octet, because something was
        ///     damaged or dropped: frames may be missing even if the sequence goes on.
        ///   - moment: When they arrived.
        ///   - output: Is given the frames with their indices.
        public mutating func receive(
            _ frames: [Frame], breakBefore: Int? = nil, at moment: MonotonicTime, into output: inout [Frame]
        ) {
            guard !frames.isEmpty else { return }
            let time = Double(moment.nanoseconds) * 1e-9
            let mayHaveMore = rate >= 100
            var restartLoss = isRestart ? lossAtRestart(frames, time: time) : nil
            if restartLoss == nil, mayHaveMore, let before = lastArrival, time - before > stallLimit, !isHolding {
                hold(from: time)
            }
            for (position, frame) in frames.enumerated() {
                var frame = frame
                frame.lostBefore = Loss.modulo16(from: last, to: frame.sequence)
                last = frame.sequence
                if let known = restartLoss {
                    frame.lostBefore = known
                    restartLoss = nil
                } else if frame.lostBefore > 0 || position == breakBefore {
                    if mayHaveMore, !isHolding { hold(from: time) }
                    if isHolding, gapCount == 0 { gap = held.count }
                    gapCount += 1
                }
                lost += frame.lostBefore
                frame.index = nextIndex + frame.lostBefore
                nextIndex = frame.index + 1
                if isHolding { held.append(frame) } else { output.append(frame) }
            }
            lastArrival = time
            settle(time: time, into: &output)
        }

        /// The acquisition was started anew, as after a lost link: the next frame's number comes from the clock alone.
        public mutating func restart(into output: inout [Frame]) {
            finish(into: &output)
            isRestart = true
        }

        /// Decides on what is still held: nothing more will arrive.
        public mutating func finish(into output: inout [Frame]) {
            if isHolding { release(into: &output) }
        }

        // MARK: - Private

        private mutating func lossAtRestart(_ frames: [Frame], time: Double) -> Int {
            isRestart = false
            last = (frames[0].sequence &- 1) & 15
            let expected = (time * rate - delay.value(orElse: time * rate - Double(nextIndex))).rounded()
            let index = expected - Double(frames.count - 1)
            // A clock that says less than nothing was lost is wrong by the time of a few frames.
            return index > Double(nextIndex) && index < 0x1p52 ? Int(index) - nextIndex : 0
        }

        private mutating func hold(from time: Double) {
            isHolding = true
            gap = 0
            gapCount = 0
            periodStart = time
            periodDelay = .infinity
            lastDelay = .infinity
            firstDelay = .nan
        }

        private mutating func settle(time: Double, into output: inout [Frame]) {
            let delay = time * rate - Double(nextIndex - 1)
            guard isHolding else {
                self.delay.note(delay, at: time)
                return
            }
            periodDelay = min(periodDelay, delay)
            if firstDelay.isNaN { firstDelay = delay }
            guard time - periodStart >= Self.settlingPeriod || held.count >= Self.heldLimit else { return }
            // While a buffer empties the delay falls faster than this.
            if abs(lastDelay - periodDelay) < 4 || held.count >= Self.heldLimit { return release(into: &output) }
            lastDelay = periodDelay
            periodDelay = .infinity
            periodStart = time
        }

        private mutating func release(into output: inout [Frame]) {
            let settled = periodDelay.isFinite ? periodDelay : lastDelay
            let steps = settled.isFinite ? (settled - delay.value(orElse: settled)) / 16 : 0
            let whole = max(0, steps.rounded())
            let more = whole < 0x1p40 ? 16 * Int(whole) : 0
            // A gap of a multiple of 16 does not show. It lies at the silence, or, if much came late, behind what the board's
            // buffer held.
            if gapCount == 0 { gap = firstDelay - settled < 4 ? 0 : max(0, min(bufferedFrames, held.count - 1)) }
            // Sure is what lies near a whole step and stands at a gap that the sequence shows.
            let isAmbiguous = abs(steps - whole) > 0.3 || (more > 0 && (gapCount > 1 || gapCount == 0 && gap > 0))
            for index in held.indices {
                if index == gap, more > 0 || held[index].lostBefore > 0 {
                    held[index].lostBefore += more
                    held[index].isLossAmbiguous = isAmbiguous
                }
                if index >= gap { held[index].index += more }
            }
            nextIndex += more
            lost += more
            output.append(contentsOf: held)
            held.removeAll(keepingCapacity: true)
            isHolding = false
        }
    }

    /// The least delay of arrival seen in the last seconds, in frames.
    struct DelayFloor: Sendable {
        private var current = Double.infinity
        private var previous = Double.infinity
        private var started = -Double.infinity

        mutating func note(_ delay: Double, at time: Double) {
            if time - started > 5 {
                previous = current
                current = .infinity
                started = time
            }
            current = min(current, delay)
        }

        func value(orElse other: Double) -> Double {
            let least = min(current, previous)
            return least.isFinite ? least : other
        }
    }
}
