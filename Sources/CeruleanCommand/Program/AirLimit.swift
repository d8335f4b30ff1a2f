// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// What the link layer allows at most for values of one size. Core 5.4, Vol 6, Part B, 2.1 and 4.1.
///
/// An exchange is a data packet, the space between packets, an empty answer, and the space again: 150 µs each.
struct AirLimit: Hashable, Sendable {
    /// A modulation, with its times.
    enum PHY: String, Sendable, CaseIterable {
        case le1M = "1M"
        case le2M = "2M"

        /// Microseconds of a packet with `octets` in it.
        func time(_ octets: Int) -> Int {
            switch self {
            case .le1M: (octets + 10) * 8
            case .le2M: (octets + 11) * 4
            }
        }
    }

    var phy: PHY
    /// Octets that one packet carries at most: 27, or up to 251 with data length extension.
    var dataLength: Int
    var isEncrypted = false
    /// Octets in front of a value: four of L2CAP, and three of ATT, or none.
    var overhead = 7

    /// Microseconds that a value of `size` octets takes, its answers included.
    func time(of size: Int) -> Int {
        var left = max(0, size) + overhead
        var total = 0
        while left > 0 {
            let part = min(left, max(1, dataLength))
            total += phy.time(part + (isEncrypted ? 4 : 0)) + 150 + phy.time(0) + 150
            left -= part
        }
        return total
    }

    /// Values of `size` octets in each second; with an interval only as many as end within a connection event.
    func valuesPerSecond(_ size: Int, interval: Duration? = nil) -> Double {
        let time = time(of: size)
        guard let interval else { return 1e6 / Double(time) }
        let microseconds = interval.inSeconds * 1e6
        // A value longer than an event goes on in the next one.
        guard microseconds >= Double(time) else { return 1e6 / Double(time) }
        return (microseconds / Double(time)).rounded(.down) * 1e6 / microseconds
    }

    /// Thousand bits of values in each second.
    func kilobitsPerSecond(_ size: Int, interval: Duration? = nil) -> Double {
        valuesPerSecond(size, interval: interval) * Double(size) * 8 / 1000
    }

    /// The limits that are worth telling: with and without long packets, slow and fast.
    static func all(isEncrypted: Bool) -> [AirLimit] {
        [251, 27].flatMap { length in
            PHY.allCases.map { AirLimit(phy: $0, dataLength: length, isEncrypted: isEncrypted) }
        }
    }
}
