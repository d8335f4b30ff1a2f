// SPDX-License-Identifier: Apache-2.0

extension BITalino {
    /// One sample of all acquired inputs and the digital lines.
    ///
    /// ```swift
    /// print(frame.sequence, frame[.a1], frame.lostBefore)
    /// ```
    public struct Frame: Hashable, Sendable {
        /// The inputs that were acquired.
        public var inputs: InputSet
        /// The board's counter, 0 to 15.
        public var sequence: UInt8
        /// The digital lines: bit 3 is I1, then I2, O1, O2 (original board: I1 to I4).
        public var digital: UInt8
        /// Raw values by position; those not acquired are 0.
        public var analog: SIMD8<UInt16>
        /// The number of the frame since the start, lost ones counted.
        public var index: Int = 0
        /// Frames lost in front of this one.
        public var lostBefore: Int = 0
        /// True if ``lostBefore`` is only the likeliest number.
        public var isLossAmbiguous = false

        /// A frame that carries these inputs.
        public init(inputs: InputSet, sequence: UInt8 = 0, digital: UInt8 = 0, analog: SIMD8<UInt16> = .zero) {
            self.inputs = inputs
            self.sequence = sequence & 15
            self.digital = digital & 15
            self.analog = analog
        }

        /// The raw value of an input; 0 if it was not acquired. The first four positions of a frame have 10 bits, the fifth
        /// and sixth the upper 6 bits of the reading.
        @inlinable
        public subscript(input: Input) -> Int {
            guard let position = inputs.position(of: input) else { return 0 }
            return Int(analog[position])
        }

        /// The level of a digital line by its position: 0 is I1, 1 I2, 2 O1, 3 O2.
        @inlinable
        public func line(_ position: Int) -> Int { Int(digital >> UInt8(truncatingIfNeeded: 3 - position) & 1) }
    }

    /// Frames to octets and back. Section 4 of the protocol notes.
    public enum FrameCodec {
        /// Octets of a frame with `count` inputs, 0 to 6.
        @inlinable
        public static func size(inputs count: Int) -> Int {
            switch count {
            case ...0: 2
            case 1...4: (12 + 10 * count + 7) / 8
            default: 8
            }
        }

        /// Bits of the value at a position of a frame: 10 for the first four, 6 for the others.
        @inlinable
        public static func bits(position: Int) -> Int { position < 4 ? 10 : 6 }

        /// True if the checksum over the frame that begins at `start` is right. It must lie within `bytes`.
        @inlinable
        static func isIntact(_ bytes: UnsafeRawBufferPointer, at start: Int, size: Int) -> Bool {
            CRC4.checksum(bytes, at: start, count: size) == bytes[start + size - 1] & 15
        }

        /// The frame that begins at `start`; its checksum is not looked at.
        @inlinable
        static func decode(_ bytes: UnsafeRawBufferPointer, at start: Int, inputs: InputSet) -> Frame {
            let count = inputs.count
            let last = start + size(inputs: count) - 1
            // The layout is plain only from the end. An octet in front of the frame is never looked at.
            func octet(_ back: Int) -> UInt16 { UInt16(bytes[last - back]) }
            var analog = SIMD8<UInt16>.zero
            if count > 0 { analog[0] = (octet(1) & 15) << 6 | octet(2) >> 2 }
            if count > 1 { analog[1] = (octet(2) & 3) << 8 | octet(3) }
            if count > 2 { analog[2] = octet(4) << 2 | octet(5) >> 6 }
            if count > 3 { analog[3] = (octet(5) & 63) << 4 | octet(6) >> 4 }
            if count > 4 { analog[4] = (octet(6) & 15) << 2 | octet(7) >> 6 }
            if count > 5 { analog[5] = octet(7) & 63 }
            return Frame(
                inputs: inputs, sequence: bytes[last] >> 4, digital: bytes[last - 1] >> 4, analog: analog)
        }

        /// Reads one frame.
        ///
        /// - Returns: nil if `bytes` has not exactly the size of such a frame, or the checksum is wrong.
        public static func decode(_ bytes: [UInt8], inputs: InputSet) -> Frame? {
            let size = size(inputs: inputs.count)
            guard bytes.count == size else { return nil }
            return bytes.withUnsafeBytes { raw in
                isIntact(raw, at: 0, size: size) ? decode(raw, at: 0, inputs: inputs) : nil
            }
        }

        /// Appends a frame with its checksum. Values too large for their position lose their upper bits.
        public static func encode(_ frame: Frame, into bytes: inout [UInt8]) {
            let count = frame.inputs.count
            let size = size(inputs: count)
            let a = frame.analog
            let p1 = count > 0 ? a[0] & 1023 : 0
            let p2 = count > 1 ? a[1] & 1023 : 0
            let p3 = count > 2 ? a[2] & 1023 : 0
            let p4 = count > 3 ? a[3] & 1023 : 0
            let p5 = count > 4 ? a[4] & 63 : 0
            let p6 = count > 5 ? a[5] & 63 : 0
            let start = bytes.count
            bytes.append(contentsOf: repeatElement(0, count: size))
            func put(_ back: Int, _ value: UInt16, _ bytes: inout [UInt8]) {
                if back < size { bytes[start + size - 1 - back] = UInt8(truncatingIfNeeded: value) }
            }
            put(0, UInt16(frame.sequence & 15) << 4, &bytes)
            put(1, UInt16(frame.digital & 15) << 4 | p1 >> 6, &bytes)
            put(2, p1 << 2 | p2 >> 8, &bytes)
            put(3, p2, &bytes)
            put(4, p3 >> 2, &bytes)
            put(5, p3 << 6 | p4 >> 4, &bytes)
            put(6, p4 << 4 | p5 >> 2, &bytes)
            put(7, p5 << 6 | p6, &bytes)
            let checksum = bytes.withUnsafeBytes { CRC4.checksum($0, at: start, count: size) }
            bytes[start + size - 1] |= checksum
        }
    }

    /// The checksum of frames and state replies: x⁴ + x + 1 from 0, over everything with the checksum itself taken as 0.
    public enum CRC4 {
        /// The checksum of `bytes`, whose last four bits are taken as 0; 0 for no octet.
        public static func checksum(_ bytes: [UInt8]) -> UInt8 {
            bytes.isEmpty ? 0 : bytes.withUnsafeBytes { checksum($0, at: 0, count: bytes.count) }
        }

        @inlinable
        static func checksum(_ bytes: UnsafeRawBufferPointer, at start: Int, count: Int) -> UInt8 {
            var sum: UInt8 = 0
            for index in start..<start + count - 1 {
                sum = step(step(sum) ^ bytes[index] >> 4) ^ bytes[index] & 15
            }
            return step(step(sum) ^ bytes[start + count - 1] >> 4)
        }

        /// Four bits of the division: the remainder of `sum · x⁴`.
        @inlinable
        static func step(_ sum: UInt8) -> UInt8 {
            // One nibble for each remainder, from 0: 0 3 6 5 C F A 9 B 8 D E 7 4 1 2.
            UInt8(truncatingIfNeeded: 0x2147_ED8B_9AFC_5630 >> (UInt64(sum & 15) &* 4)) & 15
        }
    }
}
