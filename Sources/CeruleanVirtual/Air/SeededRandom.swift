// SPDX-License-Identifier: Apache-2.0

/// Numbers that depend on nothing but a seed (SplitMix64).
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The sequence of a seed.
    package init(seed: UInt64) { state = seed }

    /// The next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// 0 up to, not including, 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// True with `probability`.
    mutating func happens(_ probability: Double) -> Bool {
        probability > 0 && (probability >= 1 || unit() < probability)
    }

    /// About normal with mean 0 and deviation 1, never beyond 6.
    mutating func normal() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += unit() }
        return sum
    }
}
