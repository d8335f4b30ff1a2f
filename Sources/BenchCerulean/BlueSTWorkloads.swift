// SPDX-License-Identifier: Apache-2.0

import CeruleanBlueST
import CeruleanWire
import Glibc

/// Decoding of BlueST notifications: one operation is one sample of a feature, with clock and losses.
enum BlueSTWorkloads {
    /// Acceleration, angular velocity and magnetic field of one characteristic: three samples in 20 octets.
    static func inertial(_ operations: Int) -> Measurement {
        run(operations, mask: 0x00E0_0000, payload: (0..<18).map { UInt8($0 * 7) }, samples: 3) { sample in
            sample[2] ?? 0
        }
    }

    /// A quaternion of four floating point numbers.
    static func fusion(_ operations: Int) -> Measurement {
        let half: [UInt8] = [0, 0, 0, 0x3F]
        return run(operations, mask: 0x0000_0080, payload: half + half + half + half, samples: 1) { $0[3] ?? 0 }
    }

    /// Pressure, humidity and two temperatures: four samples in 12 octets.
    static func environment(_ operations: Int) -> Measurement {
        run(operations, mask: 0x001D_0000, payload: [0xCD, 0x8B, 1, 0, 0xC7, 1, 0xCB, 0xFF, 0xE7, 0], samples: 4) {
            $0[0] ?? 0
        }
    }

    private static func run(
        _ operations: Int, mask: UInt32, payload: [UInt8], samples: Int, _ value: (borrowing FeatureSample) -> Double
    ) -> Measurement {
        var node = NodeDecoder(device: 0x80, protocolVersion: 1, advertised: nil)
        guard let channel = node.add(BlueSTUUID.features(mask)) else {
            return Measurement(nanoseconds: 0, isRight: false)
        }
        let notifications = (operations + samples - 1) / samples
        // As they come from a link: an array each, with a clock that runs.
        let values = (0..<256).map { [UInt8(truncatingIfNeeded: $0), 0] + payload }
        var sum = 0.0
        var count = 0
        let start = clock()
        for index in 0..<notifications {
            node.received(values[index & 0xFF], on: channel, at: MonotonicTime(nanoseconds: Int64(index) * 10_000_000))
            {
                sum += value($0)
                count += 1
            }
        }
        let end = clock()
        return Measurement(nanoseconds: end - start, isRight: count == notifications * samples && sum.isFinite)
    }

    /// Of this thread alone: other programs do not count.
    private static func clock() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
