// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// A place in the room, in meters.
public struct Position: Hashable, Sendable {
    /// To the east.
    public var x: Double
    /// To the north.
    public var y: Double
    /// Upwards.
    public var z: Double

    /// The place with these coordinates in meters.
    public init(x: Double = 0, y: Double = 0, z: Double = 0) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// The middle of the room.
    public static let origin = Self()

    /// Square meters to `other`.
    func squaredDistance(to other: Self) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return dx * dx + dy * dy + dz * dz
    }
}

extension Air {
    /// How the air weakens signals and how strong one must be to be heard.
    ///
    /// Strength at a distance d is `transmit power - lossAtOneMeter - 10 * exponent * log10(d)`, the log-distance model.
    public struct Configuration: Hashable, Sendable {
        /// dB lost over the first meter.
        public var lossAtOneMeter = 40.0
        /// 2 in free space, 2.7 to 3.5 in buildings.
        public var exponent = 2.7
        /// The weakest signal that is heard, in dBm: with 0 dBm sent about 109 m.
        public var sensitivity = -95.0
        /// By how much weaker a signal may be in the mode LE Coded, in dB.
        public var codedGain = 8.0
        /// Deviation of one measured strength, in dB.
        public var deviation = 2.0

        /// The default: a building.
        public init() {}
    }
}

extension Air.Configuration {
    /// The weakest signal that is heard in a radio mode, in dBm.
    func sensitivity(on phy: HCI.PHY) -> Double { phy == .leCoded ? sensitivity - codedGain : sensitivity }

    /// Strength in dBm at a distance, without deviation. Distances below 10 cm count as 10 cm.
    func strength(power: Double, squaredDistance: Double) -> Double {
        guard squaredDistance.isFinite else { return -200 }
        // Half the logarithm of the square.
        return power - lossAtOneMeter - 5 * exponent * decimalLogarithm(max(squaredDistance, 0.01))
    }
}

/// Logarithm to the base 10 of a positive normal number, to 1e-9.
func decimalLogarithm(_ value: Double) -> Double {
    // ln(m) = 2 artanh((m - 1) / (m + 1)) with m in 1..<2: the ratio is below 1/3 and the series short.
    let ratio = (value.significand - 1) / (value.significand + 1)
    let square = ratio * ratio
    var term = ratio
    var sum = 0.0
    var divisor = 1.0
    while divisor < 22 {
        sum += term / divisor
        term *= square
        divisor += 2
    }
    return (2 * sum + Double(value.exponent) * 0.693_147_180_559_945_3) * 0.434_294_481_903_251_8
}
