// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// A Core specification version, as HCI and the link layer number it. Assigned Numbers, 2.1.
    public struct Version: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// 4.0 (6), the first with LE.
        public static let core40 = Self(rawValue: 6)
        /// 4.1 (7).
        public static let core41 = Self(rawValue: 7)
        /// 4.2 (8).
        public static let core42 = Self(rawValue: 8)
        /// 5.0 (9).
        public static let core50 = Self(rawValue: 9)
        /// 5.1 (10).
        public static let core51 = Self(rawValue: 10)
        /// 5.2 (11).
        public static let core52 = Self(rawValue: 11)
        /// 5.3 (12).
        public static let core53 = Self(rawValue: 12)
        /// 5.4 (13).
        public static let core54 = Self(rawValue: 13)

        /// `5.4`, or `version 42`.
        public var description: String {
            let names = [
                "1.0b", "1.1", "1.2", "2.0", "2.1", "3.0", "4.0", "4.1", "4.2", "5.0", "5.1", "5.2", "5.3", "5.4",
                "6.0",
            ]
            return Int(rawValue) < names.count ? names[Int(rawValue)] : "version \(rawValue)"
        }

        /// Orders by age.
        public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    /// Our end of a connection. Core 5.4, Vol 4, Part E, 7.7.65.1.
    public struct Role: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The side that initiated (0x00).
        public static let central = Self(rawValue: 0)
        /// The side that advertised (0x01).
        public static let peripheral = Self(rawValue: 1)

        /// `central`, `peripheral`, or the number.
        public var description: String {
            switch self {
            case .central: "central"
            case .peripheral: "peripheral"
            default: "role \(rawValue)"
            }
        }
    }

    /// What a legacy advertiser sends. Core 5.4, Vol 4, Part E, 7.8.5.
    public struct AdvertisingType: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// ADV_IND: connectable and scannable (0x00).
        public static let connectable = Self(rawValue: 0)
        /// ADV_DIRECT_IND, high duty cycle: at most 1.28 s (0x01).
        public static let directedHighDuty = Self(rawValue: 1)
        /// ADV_SCAN_IND: scannable (0x02).
        public static let scannable = Self(rawValue: 2)
        /// ADV_NONCONN_IND: neither (0x03).
        public static let nonConnectable = Self(rawValue: 3)
        /// ADV_DIRECT_IND, low duty cycle (0x04).
        public static let directedLowDuty = Self(rawValue: 4)
    }

    /// Which own address a procedure uses. Core 5.4, Vol 4, Part E, 7.8.5.
    public struct OwnAddressType: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The public address (0x00).
        public static let `public` = Self(rawValue: 0)
        /// The random address that was set (0x01).
        public static let random = Self(rawValue: 1)
        /// A resolvable private address, else the public one (0x02).
        public static let resolvableOrPublic = Self(rawValue: 2)
        /// A resolvable private address, else the random one (0x03).
        public static let resolvableOrRandom = Self(rawValue: 3)
    }

    /// How a scanner looks. Core 5.4, Vol 4, Part E, 7.8.10.
    public struct ScanType: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Only listens (0x00).
        public static let passive = Self(rawValue: 0)
        /// Also asks for scan responses (0x01).
        public static let active = Self(rawValue: 1)
    }

    /// A radio mode. Core 5.4, Vol 4, Part E, 7.8.47.
    public struct PHY: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// LE 1M (0x01).
        public static let le1M = Self(rawValue: 1)
        /// LE 2M (0x02).
        public static let le2M = Self(rawValue: 2)
        /// LE Coded (0x03).
        public static let leCoded = Self(rawValue: 3)

        /// `LE 1M`, `LE 2M`, `LE Coded`, or the number.
        public var description: String {
            switch self {
            case .le1M: "LE 1M"
            case .le2M: "LE 2M"
            case .leCoded: "LE Coded"
            default: "PHY \(rawValue)"
            }
        }
    }

    /// A set of radio modes. Core 5.4, Vol 4, Part E, 7.8.48.
    public struct PHYMask: OptionSet, Hashable, Sendable {
        /// The bits on the wire.
        public let rawValue: UInt8
        /// Wraps bits.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// LE 1M (bit 0).
        public static let le1M = Self(rawValue: 1)
        /// LE 2M (bit 1).
        public static let le2M = Self(rawValue: 2)
        /// LE Coded (bit 2).
        public static let leCoded = Self(rawValue: 4)
    }

    /// What a controller's LE link layer can do. Core 5.4, Vol 6, Part B, 4.6.
    public struct LEFeatures: OptionSet, Hashable, Sendable {
        /// The bits on the wire.
        public let rawValue: UInt64
        /// Wraps bits.
        @inlinable
        public init(rawValue: UInt64) { self.rawValue = rawValue }
        /// LE Encryption (bit 0).
        public static let encryption = Self(rawValue: 1 << 0)
        /// Connection Parameters Request Procedure (bit 1).
        public static let connectionParametersRequest = Self(rawValue: 1 << 1)
        /// Extended Reject Indication (bit 2).
        public static let extendedReject = Self(rawValue: 1 << 2)
        /// Peripheral-initiated Features Exchange (bit 3).
        public static let peripheralInitiatedFeatures = Self(rawValue: 1 << 3)
        /// LE Ping (bit 4).
        public static let ping = Self(rawValue: 1 << 4)
        /// LE Data Packet Length Extension (bit 5).
        public static let dataLengthExtension = Self(rawValue: 1 << 5)
        /// LL Privacy (bit 6).
        public static let privacy = Self(rawValue: 1 << 6)
        /// Extended Scanner Filter Policies (bit 7).
        public static let extendedFilterPolicies = Self(rawValue: 1 << 7)
        /// LE 2M PHY (bit 8).
        public static let le2M = Self(rawValue: 1 << 8)
        /// LE Coded PHY (bit 11).
        public static let leCoded = Self(rawValue: 1 << 11)
        /// LE Extended Advertising (bit 12).
        public static let extendedAdvertising = Self(rawValue: 1 << 12)
        /// LE Periodic Advertising (bit 13).
        public static let periodicAdvertising = Self(rawValue: 1 << 13)
        /// Channel Selection Algorithm #2 (bit 14).
        public static let channelSelection2 = Self(rawValue: 1 << 14)
        /// Periodic Advertising Sync Transfer - Sender (bit 24).
        public static let periodicSyncTransferSender = Self(rawValue: 1 << 24)
        /// Periodic Advertising Sync Transfer - Recipient (bit 25).
        public static let periodicSyncTransferRecipient = Self(rawValue: 1 << 25)
        /// Remote Public Key Validation (bit 27).
        public static let remotePublicKeyValidation = Self(rawValue: 1 << 27)
        /// Periodic Advertising ADI support (bit 36).
        public static let periodicAdvertisingADI = Self(rawValue: 1 << 36)
    }

    /// Which events a controller may send. Core 5.4, Vol 4, Part E, 7.3.1.
    public struct EventMask: OptionSet, Hashable, Sendable {
        /// The bits on the wire.
        public let rawValue: UInt64
        /// Wraps bits.
        @inlinable
        public init(rawValue: UInt64) { self.rawValue = rawValue }
        /// Disconnection Complete (bit 4).
        public static let disconnectionComplete = Self(rawValue: 1 << 4)
        /// Encryption Change [v1] (bit 7).
        public static let encryptionChange = Self(rawValue: 1 << 7)
        /// Read Remote Version Information Complete (bit 11).
        public static let readRemoteVersionInformationComplete = Self(rawValue: 1 << 11)
        /// Hardware Error (bit 15).
        public static let hardwareError = Self(rawValue: 1 << 15)
        /// Data Buffer Overflow (bit 25).
        public static let dataBufferOverflow = Self(rawValue: 1 << 25)
        /// Encryption Key Refresh Complete (bit 47).
        public static let encryptionKeyRefreshComplete = Self(rawValue: 1 << 47)
        /// LE Meta (bit 61): without it no LE event at all.
        public static let leMeta = Self(rawValue: 1 << 61)
        /// What a controller starts with: everything of Bluetooth 1.2, LE Meta not.
        public static let initial = Self(rawValue: 0x0000_1FFF_FFFF_FFFF)
        /// All that an LE host wants.
        public static let leHost: Self = [
            .disconnectionComplete, .encryptionChange, .readRemoteVersionInformationComplete, .hardwareError,
            .dataBufferOverflow, .encryptionKeyRefreshComplete, .leMeta,
        ]
    }

    /// Which LE Meta subevents a controller may send: bit n stands for subevent n + 1. Core 5.4, Vol 4, Part E, 7.8.1.
    public struct LEEventMask: OptionSet, Hashable, Sendable {
        /// The bits on the wire.
        public let rawValue: UInt64
        /// Wraps bits.
        @inlinable
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// A mask of these subevents; codes outside 1...64 are left out.
        public init(_ subevents: [LESubevent]) {
            rawValue = subevents.reduce(0) { mask, subevent in
                (1...64).contains(subevent.rawValue) ? mask | 1 << (UInt64(subevent.rawValue) - 1) : mask
            }
        }

        /// What a controller starts with: subevents 1 to 5.
        public static let initial = Self(rawValue: 0x1F)

        /// True when `subevent` may be sent.
        public func allows(_ subevent: LESubevent) -> Bool {
            guard (1...64).contains(subevent.rawValue) else { return false }
            return rawValue >> (UInt64(subevent.rawValue) - 1) & 1 == 1
        }
    }
}
