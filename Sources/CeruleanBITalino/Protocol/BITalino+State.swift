// SPDX-License-Identifier: Apache-2.0

extension BITalino {
    /// What a board says of itself when it is idle.
    public struct BoardState: Hashable, Sendable {
        /// The readings of A1 to A6, all with 10 bits.
        public var analog: [Int]
        /// The reading of the battery, 10 bits behind a divider by two.
        public var battery: Int
        /// The battery threshold, 0 to 63.
        public var batteryThreshold: Int
        /// The PWM value, 0 to 255; nil before firmware 5.2.
        public var pwm: Int?
        /// The lines I1, I2, O1, O2, each 0 or 1.
        public var digital: [Int]

        /// Describes a state.
        public init(analog: [Int], battery: Int, batteryThreshold: Int, pwm: Int?, digital: [Int]) {
            self.analog = analog
            self.battery = battery
            self.batteryThreshold = batteryThreshold
            self.pwm = pwm
            self.digital = digital
        }

        /// The voltage of the battery in volts.
        public var batteryVoltage: Double { Battery.voltage(raw: battery) }

        /// Octets of a state reply: 17, before firmware 5.2 16.
        public static func size(for version: Version) -> Int { version.hasLongState ? 17 : 16 }

        /// Reads a state reply.
        ///
        /// - Throws: ``BITalinoError`` `.badAnswer` for a wrong length or checksum, `.unsupportedVersion` for an original board.
        public init(answer bytes: [UInt8], version: Version) throws(BITalinoError) {
            guard version.isRevolution else {
                throw BITalinoError(.unsupportedVersion, "firmware \(version) has no state reply")
            }
            let size = Self.size(for: version)
            guard bytes.count == size else {
                throw BITalinoError(
                    .badAnswer, "a state reply of \(bytes.count) octets; firmware \(version) sends \(size)")
            }
            guard CRC4.checksum(bytes) == bytes[size - 1] & 15 else {
                throw BITalinoError(.badAnswer, "a state reply with a wrong checksum")
            }
            func word(_ index: Int) -> Int { Int(bytes[2 * index]) | Int(bytes[2 * index + 1]) << 8 }
            analog = (0..<6).map(word)
            battery = word(6)
            batteryThreshold = Int(bytes[14])
            pwm = version.hasLongState ? Int(bytes[15]) : nil
            digital = (0..<4).map { Int(bytes[size - 1] >> UInt8(7 - $0) & 1) }
        }

        /// The octets of a state reply, with the PWM value if there is one. Numbers are cut to their width.
        public var encoded: [UInt8] {
            var bytes: [UInt8] = []
            let words = analog.prefix(6) + repeatElement(0, count: max(0, 6 - analog.count)) + [battery]
            for word in words {
                bytes.append(UInt8(truncatingIfNeeded: word))
                bytes.append(UInt8(truncatingIfNeeded: word >> 8))
            }
            bytes.append(UInt8(truncatingIfNeeded: batteryThreshold))
            if let pwm { bytes.append(UInt8(truncatingIfNeeded: pwm)) }
            let lines = digital.prefix(4).enumerated().reduce(UInt8(0)) {
                $0 | UInt8($1.element & 1) << UInt8(7 - $1.offset)
            }
            bytes.append(lines)
            bytes[bytes.count - 1] |= CRC4.checksum(bytes)
            return bytes
        }
    }

    /// Battery numbers. Section 12 of the protocol notes.
    public enum Battery {
        /// Volts of a 10-bit reading, which stands behind a divider by two.
        public static func voltage(raw: Int) -> Double { 6.6 * Double(raw) / 1024 }

        /// Volts of a threshold step, 0 to 63, as published: 3.4 V to 3.8 V.
        public static func voltage(threshold: Int) -> Double { 3.4 + 0.4 * Double(threshold) / 63 }

        /// The threshold step nearest to a voltage, held within 0 to 63.
        public static func threshold(voltage: Double) -> Int {
            let step = ((voltage - 3.4) / 0.4 * 63).rounded()
            return step.isNaN ? 0 : Int(min(max(step, 0), 63))
        }

        /// The reading below which the battery LED goes on.
        public static func ledLimit(threshold: Int) -> Int { 527 + threshold }
    }
}
