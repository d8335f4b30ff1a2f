// SPDX-License-Identifier: Apache-2.0

extension BITalino {
    /// Finds frames in the octets that a board sends, also when some were lost, doubled, inserted or damaged.
    ///
    /// There is no mark between frames. A block is taken for a frame if its checksum is right **and** it continues the
    /// sequence, or if another right block that continues it stands behind. Section 6 of the protocol notes, policy
    /// "confirm". An undamaged stream is never delayed. Pure; keeps less than two frames; allocates nothing for a frame.
    public struct FrameReceiver: Sendable {
        /// The inputs that the frames carry.
        public let inputs: InputSet
        /// Octets in a frame.
        public let frameSize: Int
        /// Octets passed over because they belong to no frame.
        public private(set) var discardedOctets = 0
        private var buffer: [UInt8] = []
        /// The sequence number of the frame in front of the present position; nil after octets were passed over.
        private var last: UInt8? = 15

        /// A receiver for the first frames after a start; their sequence begins with 0.
        public init(inputs: InputSet) {
            self.inputs = inputs
            frameSize = FrameCodec.size(inputs: inputs.count)
            buffer.reserveCapacity(512)
        }

        /// Octets kept because they may be part of a frame; less than two frames.
        public var pendingOctets: Int { buffer.count }

        /// Takes octets, in chunks of any size, and hands out the frames found.
        ///
        /// `isContinued` is true if the frame follows the one before it without a gap in octets and sequence.
        public mutating func receive(
            _ bytes: some Collection<UInt8>, _ deliver: (_ frame: Frame, _ isContinued: Bool) -> Void
        ) {
            buffer.append(contentsOf: bytes)
            let size = frameSize
            var position = 0
            var last = self.last
            var discarded = 0
            buffer.withUnsafeBytes { raw in
                while position + size <= raw.count {
                    let sequence = raw[position + size - 1] >> 4
                    let isIntact = FrameCodec.isIntact(raw, at: position, size: size)
                    if isIntact, let before = last, sequence == (before &+ 1) & 15 {
                        deliver(FrameCodec.decode(raw, at: position, inputs: inputs), true)
                        last = sequence
                        position += size
                        continue
                    }
                    guard position + 2 * size <= raw.count else { break }
                    if isIntact, raw[position + 2 * size - 1] >> 4 == (sequence &+ 1) & 15,
                        FrameCodec.isIntact(raw, at: position + size, size: size)
                    {
                        deliver(FrameCodec.decode(raw, at: position, inputs: inputs), false)
                        last = sequence
                        position += size
                    } else {
                        position += 1
                        discarded += 1
                        last = nil
                    }
                }
            }
            self.last = last
            discardedOctets += discarded
            buffer.removeSubrange(..<position)
        }

        /// Forgets what has been received, as after a start.
        public mutating func reset() {
            buffer.removeAll(keepingCapacity: true)
            last = 15
        }
    }

    /// Counts frames lost between two that arrived.
    public enum Loss {
        /// Frames lost between two sequence numbers if it was less than 16.
        public static func modulo16(from before: UInt8, to after: UInt8) -> Int { Int((after &- before &- 1) & 15) }

        /// Frames lost between two that arrived `elapsed` seconds after each other: of the numbers that the sequence allows
        /// the one nearest to what the clock says.
        public static func withClock(from before: UInt8, to after: UInt8, elapsed: Double, rate: Double) -> Int {
            nearest(to: elapsed * rate - 1, from: modulo16(from: before, to: after))
        }

        /// The number `base + 16 k`, k at least 0, nearest to `estimate`; in the middle the greater one.
        static func nearest(to estimate: Double, from base: Int) -> Int {
            let steps = ((estimate - Double(base)) / 16 + 0.5).rounded(.down)
            // Beyond 2⁵⁰ the estimate is nonsense; NaN falls through too.
            guard steps >= 1, steps < 0x1p46 else { return base }
            return base + 16 * Int(steps)
        }
    }
}
