// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension BITalino.SimulatedBoard {
    /// What an analog input measures in live mode.
    public enum Signal: Hashable, Sendable {
        /// Always the same 10-bit reading.
        case constant(UInt16)
        /// The signal that the firmware keeps in a table for an input, put into frames as the simulated mode does: the values
        /// of A5 and A6 stay within 0 to 62 in every position.
        case table(BITalino.Input)
        /// 10-bit readings taken at `rate` Hz, repeated from the first one at the end; none means 0.
        case recording([UInt16], rate: Int)

        /// The value in frame `index`, cut to the upper 6 bits where the position is short.
        func value(at index: Int, rate: BITalino.Rate, isShort: Bool) -> UInt16 {
            switch self {
            case .constant(let reading): return isShort ? (reading & 1023) >> 4 : reading & 1023
            case .table(let input):
                let table = Self.tables[input.rawValue]
                // Only A5 and A6 can stand in a short position, and their values fit into six bits.
                return table[index % table.count]
            case .recording(let readings, let recorded):
                guard !readings.isEmpty else { return 0 }
                let reading =
                    readings[Replay.row(at: index, rate: rate, recorded: recorded, count: readings.count)] & 1023
                return isShort ? reading >> 4 : reading
            }
        }

        /// Section 10 of the protocol notes: a beat, random numbers, and four sines.
        private static let tables: [[UInt16]] = [
            [
                440, 440, 440, 443, 456, 468, 477, 480, 472, 451, 440, 440, 440, 440, 437, 415, 579, 703, 484, 392, 439,
                440, 440, 440, 440, 440, 440, 440, 440, 446, 456, 466, 474, 482, 488, 494, 497, 499, 499, 493, 482, 467,
                448, 440, 440, 441, 450, 450, 441, 440,
            ],
            [
                437, 977, 741, 594, 553, 722, 5, 801, 948, 8, 844, 785, 1020, 233, 941, 657, 108, 274, 781, 824, 107,
                481,
                224, 944, 328, 877, 266, 898, 193, 777, 32, 657, 580, 385, 217, 810, 149, 500, 13, 191, 496, 858, 144,
                749,
                707, 35, 500, 994, 115, 760,
            ],
            sine(period: 20, amplitude: 511),
            sine(period: 25, amplitude: 511),
            sine(period: 50, amplitude: 31),
            sine(period: 100, amplitude: 31),
        ]

        private static func sine(period: Int, amplitude: Double) -> [UInt16] {
            (0..<period).map { step in
                let value = amplitude + amplitude * sin(2 * Double.pi * Double(step) / Double(period))
                // Half up; the small term keeps 0.5 from becoming 0.4999….
                return UInt16(max(0, (value + 0.5 + 1e-9).rounded(.down)))
            }
        }
    }

    /// The digital lines of a recording, repeated from the first row at the end.
    public struct DigitalReplay: Hashable, Sendable {
        /// Rows of four bits: bit 3 is I1, then I2, O1, O2.
        public var rows: [UInt8]
        /// Rows per second.
        public var rate: Int

        /// Lines recorded at `rate` Hz.
        public init(rows: [UInt8], rate: Int) {
            self.rows = rows
            self.rate = rate
        }

        func value(at index: Int, rate: BITalino.Rate) -> UInt8 {
            guard !rows.isEmpty else { return 0 }
            return rows[Replay.row(at: index, rate: rate, recorded: self.rate, count: rows.count)] & 15
        }
    }

    enum Replay {
        /// The row that is due in frame `index`; slower acquisitions pass rows over, faster ones repeat them.
        static func row(at index: Int, rate: BITalino.Rate, recorded: Int, count: Int) -> Int {
            if recorded == rate.rawValue { return index % count }
            return Int(Double(index) * Double(max(recorded, 1)) / Double(rate.rawValue)) % count
        }
    }

    /// What the board measures in live mode.
    public struct Signals: Hashable, Sendable {
        private var inputs: [Signal]
        /// The digital lines as recorded; nil for the pins themselves.
        public var digital: DigitalReplay?

        /// All inputs at the same reading.
        public init(_ signal: Signal = .constant(0)) { inputs = Array(repeating: signal, count: 6) }

        /// The firmware's own tables on all inputs, in live mode too.
        public static var tables: Self {
            var signals = Self()
            for input in BITalino.Input.allCases { signals[input] = .table(input) }
            return signals
        }

        /// What one input measures.
        public subscript(input: BITalino.Input) -> Signal {
            get { inputs[input.rawValue] }
            set { inputs[input.rawValue] = newValue }
        }
    }
}
