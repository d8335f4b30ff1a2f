// SPDX-License-Identifier: Apache-2.0

extension BITalino {
    /// Faults of the serial line between a simulated board and its radio module, for testing receivers. The same seed gives the
    /// same faults.
    public struct LineFaults: Hashable, Sendable {
        /// The probability, 0 to 1, that an octet is lost.
        public var loss: Double
        /// The probability that bits of an octet change.
        public var damage: Double
        /// The probability that an octet comes twice.
        public var doubling: Double
        private var state: UInt64

        /// No faults unless said otherwise.
        public init(loss: Double = 0, damage: Double = 0, doubling: Double = 0, seed: UInt64 = 1) {
            self.loss = loss
            self.damage = damage
            self.doubling = doubling
            state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        }

        /// Appends octets as they arrive. What is doubled beyond `limit` is lost.
        mutating func append(_ octets: [UInt8], to value: inout [UInt8], limit: Int) {
            guard loss + damage + doubling > 0 else {
                value += octets
                return
            }
            for octet in octets {
                let chance = next()
                if chance < loss { continue }
                var octet = octet
                if chance < loss + damage { octet ^= UInt8(1 + Int(next() * 255)) }
                value.append(octet)
                if chance >= loss + damage, chance < loss + damage + doubling, value.count < limit {
                    value.append(octet)
                }
            }
            if value.count > limit { value.removeLast(value.count - limit) }
        }

        /// A number from 0 to less than 1 (xorshift).
        private mutating func next() -> Double {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Double(state >> 11) * 0x1p-53
        }
    }
}
