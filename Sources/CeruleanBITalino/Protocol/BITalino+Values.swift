// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

extension BITalino {
    /// The service "Exchange Data", by which a board is found.
    public static let service: BluetoothUUID = "C566488A-0882-4E1B-A6D0-0B717E652234"
    /// The characteristic that takes command bytes, by write with response only.
    public static let commandsCharacteristic: BluetoothUUID = "4051EB11-BF0A-4C74-8730-A48F4193FCEA"
    /// The characteristic that notifies what the board sends: a stream of octets.
    public static let framesCharacteristic: BluetoothUUID = "40FDBA6B-672E-47C4-808A-E529ADFF3633"

    /// One of the six analog inputs.
    public enum Input: Int, CaseIterable, Comparable, Hashable, Sendable, CustomStringConvertible {
        /// Input A1.
        case a1
        /// Input A2.
        case a2
        /// Input A3.
        case a3
        /// Input A4.
        case a4
        /// Input A5.
        case a5
        /// Input A6.
        case a6

        /// Orders inputs as frames do.
        public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

        /// The name printed on the board, `A1`.
        public var description: String { "A\(rawValue + 1)" }
    }

    /// Some of the six analog inputs. Frames carry them in ascending order.
    public struct InputSet: OptionSet, Hashable, Sendable {
        /// Bit 0 is A1, bit 5 A6.
        public let rawValue: UInt8
        /// Wraps the lower six bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue & 0x3F }
        /// The set of these inputs.
        public init(_ inputs: some Sequence<Input>) {
            rawValue = inputs.reduce(0) { $0 | 1 << UInt8($1.rawValue) }
        }

        /// Input A1.
        public static let a1 = Self(rawValue: 1)
        /// Input A2.
        public static let a2 = Self(rawValue: 2)
        /// Input A3.
        public static let a3 = Self(rawValue: 4)
        /// Input A4.
        public static let a4 = Self(rawValue: 8)
        /// Input A5.
        public static let a5 = Self(rawValue: 16)
        /// Input A6.
        public static let a6 = Self(rawValue: 32)
        /// All six.
        public static let all = Self(rawValue: 0x3F)

        /// How many there are.
        public var count: Int { rawValue.nonzeroBitCount }
        /// The inputs in ascending order.
        public var inputs: [Input] { Input.allCases.filter { rawValue & 1 << UInt8($0.rawValue) != 0 } }
        /// Where an input stands in a frame, from 0; nil if it is not in the set.
        @inlinable
        public func position(of input: Input) -> Int? {
            let bit: UInt8 = 1 << UInt8(truncatingIfNeeded: input.rawValue)
            return rawValue & bit == 0 ? nil : (rawValue & (bit - 1)).nonzeroBitCount
        }
    }

    /// Samples per second.
    public enum Rate: Int, CaseIterable, Hashable, Sendable {
        /// 1 Hz.
        case hz1 = 1
        /// 10 Hz.
        case hz10 = 10
        /// 100 Hz.
        case hz100 = 100
        /// 1000 Hz, the board's own setting after power-on.
        case hz1000 = 1000

        /// The two upper bits of the command that selects this rate.
        var code: UInt8 {
            switch self {
            case .hz1: 0
            case .hz10: 1
            case .hz100: 2
            case .hz1000: 3
            }
        }
    }

    /// Where an acquisition takes its samples from.
    public enum Mode: Hashable, Sendable {
        /// The inputs.
        case live
        /// The signals that the firmware keeps in tables. The digital lines then show the sequence number.
        case simulated
    }
}
