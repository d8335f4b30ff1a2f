// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// What an advertising set sends. Core 5.4, Vol 4, Part E, 7.8.53.
    public struct AdvertisingProperties: OptionSet, Hashable, Sendable {
        /// The bits on the wire.
        public let rawValue: UInt16
        /// Wraps bits.
        @inlinable
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// Takes connections (bit 0).
        public static let connectable = Self(rawValue: 1 << 0)
        /// Answers scan requests (bit 1).
        public static let scannable = Self(rawValue: 1 << 1)
        /// For one peer (bit 2).
        public static let directed = Self(rawValue: 1 << 2)
        /// High duty cycle, for directed legacy packets (bit 3).
        public static let highDutyCycle = Self(rawValue: 1 << 3)
        /// Packets that old scanners understand, at most 31 octets (bit 4).
        public static let legacy = Self(rawValue: 1 << 4)
        /// Without an address (bit 5).
        public static let anonymous = Self(rawValue: 1 << 5)
        /// Tells the transmit power (bit 6).
        public static let includesTXPower = Self(rawValue: 1 << 6)
    }

    /// Which part of its data a set is given. Core 5.4, Vol 4, Part E, 7.8.54.
    public struct DataOperation: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// A part with others before and behind it (0x00).
        public static let intermediate = Self(rawValue: 0)
        /// The first part of several (0x01).
        public static let first = Self(rawValue: 1)
        /// The last part of several (0x02).
        public static let last = Self(rawValue: 2)
        /// All of it (0x03).
        public static let complete = Self(rawValue: 3)
        /// The data stay and are sent as if they were new (0x04).
        public static let unchanged = Self(rawValue: 4)
    }

    /// Whether a report holds all of an advertiser's data. Core 5.4, Vol 4, Part E, 7.7.65.13.
    public struct DataStatus: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// This is all, or the last part (0x00).
        public static let complete = Self(rawValue: 0)
        /// More parts will come (0x01).
        public static let moreToCome = Self(rawValue: 1)
        /// The rest was lost; no more parts will come (0x02).
        public static let truncated = Self(rawValue: 2)
    }

    /// What kind of packet an extended advertising report tells of. Core 5.4, Vol 4, Part E, 7.7.65.13.
    public struct ExtendedReportType: OptionSet, Hashable, Sendable {
        /// The bits on the wire.
        public let rawValue: UInt16
        /// Wraps bits.
        @inlinable
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// The advertiser takes connections (bit 0).
        public static let connectable = Self(rawValue: 1 << 0)
        /// The advertiser answers scan requests (bit 1).
        public static let scannable = Self(rawValue: 1 << 1)
        /// For one peer (bit 2).
        public static let directed = Self(rawValue: 1 << 2)
        /// The answer to a scan request (bit 3).
        public static let scanResponse = Self(rawValue: 1 << 3)
        /// A packet of legacy advertising (bit 4).
        public static let legacy = Self(rawValue: 1 << 4)

        /// These kinds with a data status in bits 5 and 6.
        @inlinable
        public init(_ kinds: Self, _ status: DataStatus) {
            self.init(rawValue: kinds.rawValue & 0x1F | UInt16(status.rawValue & 3) << 5)
        }

        /// Whether the data are whole.
        @inlinable
        public var dataStatus: DataStatus { DataStatus(rawValue: UInt8(truncatingIfNeeded: rawValue >> 5 & 3)) }
    }
}
