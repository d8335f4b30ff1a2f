// SPDX-License-Identifier: Apache-2.0

import CeruleanVirtual

/// Random numbers that a seed decides: the SplitMix64 sequence.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var random: SeededRandom

    /// A sequence for a seed.
    public init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// The next number.
    public mutating func next() -> UInt64 { random.next() }
}
