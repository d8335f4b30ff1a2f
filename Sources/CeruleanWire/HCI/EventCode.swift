// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// The number of an event. Core 5.4, Vol 4, Part E, 7.7.
    public struct EventCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Disconnection Complete (0x05).
        public static let disconnectionComplete = Self(rawValue: 0x05)
        /// Encryption Change [v1] (0x08).
        public static let encryptionChange = Self(rawValue: 0x08)
        /// Read Remote Version Information Complete (0x0C).
        public static let readRemoteVersionInformationComplete = Self(rawValue: 0x0C)
        /// Command Complete (0x0E).
        public static let commandComplete = Self(rawValue: 0x0E)
        /// Command Status (0x0F).
        public static let commandStatus = Self(rawValue: 0x0F)
        /// Hardware Error (0x10).
        public static let hardwareError = Self(rawValue: 0x10)
        /// Number Of Completed Packets (0x13).
        public static let numberOfCompletedPackets = Self(rawValue: 0x13)
        /// Data Buffer Overflow (0x1A).
        public static let dataBufferOverflow = Self(rawValue: 0x1A)
        /// Encryption Key Refresh Complete (0x30).
        public static let encryptionKeyRefreshComplete = Self(rawValue: 0x30)
        /// LE Meta (0x3E).
        public static let leMeta = Self(rawValue: 0x3E)
        /// Authenticated Payload Timeout Expired (0x57).
        public static let authenticatedPayloadTimeoutExpired = Self(rawValue: 0x57)
        /// Encryption Change [v2] (0x59).
        public static let encryptionChangeV2 = Self(rawValue: 0x59)
        /// Vendor (0xFF).
        public static let vendor = Self(rawValue: 0xFF)

        /// The specification's name, or the number as `event 0x12`.
        public var description: String {
            switch rawValue {
            case 0x05: "Disconnection Complete"
            case 0x08: "Encryption Change [v1]"
            case 0x0C: "Read Remote Version Information Complete"
            case 0x0E: "Command Complete"
            case 0x0F: "Command Status"
            case 0x10: "Hardware Error"
            case 0x13: "Number Of Completed Packets"
            case 0x1A: "Data Buffer Overflow"
            case 0x30: "Encryption Key Refresh Complete"
            case 0x3E: "LE Meta"
            case 0x57: "Authenticated Payload Timeout Expired"
            case 0x59: "Encryption Change [v2]"
            case 0xFF: "Vendor"
            default: "event 0x" + Hex.encode([rawValue])
            }
        }
    }
}

extension HCI {
    /// The number of an event inside an LE Meta event. Core 5.4, Vol 4, Part E, 7.7.65.
    public struct LESubevent: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// LE Connection Complete (0x01).
        public static let connectionComplete = Self(rawValue: 0x01)
        /// LE Advertising Report (0x02).
        public static let advertisingReport = Self(rawValue: 0x02)
        /// LE Connection Update Complete (0x03).
        public static let connectionUpdateComplete = Self(rawValue: 0x03)
        /// LE Read Remote Features Complete (0x04).
        public static let readRemoteFeaturesComplete = Self(rawValue: 0x04)
        /// LE Long Term Key Request (0x05).
        public static let longTermKeyRequest = Self(rawValue: 0x05)
        /// LE Remote Connection Parameter Request (0x06).
        public static let remoteConnectionParameterRequest = Self(rawValue: 0x06)
        /// LE Data Length Change (0x07).
        public static let dataLengthChange = Self(rawValue: 0x07)
        /// LE Read Local P-256 Public Key Complete (0x08).
        public static let readLocalP256PublicKeyComplete = Self(rawValue: 0x08)
        /// LE Generate DHKey Complete (0x09).
        public static let generateDHKeyComplete = Self(rawValue: 0x09)
        /// LE Enhanced Connection Complete [v1] (0x0A).
        public static let enhancedConnectionComplete = Self(rawValue: 0x0A)
        /// LE Directed Advertising Report (0x0B).
        public static let directedAdvertisingReport = Self(rawValue: 0x0B)
        /// LE PHY Update Complete (0x0C).
        public static let phyUpdateComplete = Self(rawValue: 0x0C)
        /// LE Extended Advertising Report (0x0D).
        public static let extendedAdvertisingReport = Self(rawValue: 0x0D)
        /// LE Periodic Advertising Sync Established (0x0E).
        public static let periodicAdvertisingSyncEstablished = Self(rawValue: 0x0E)
        /// LE Periodic Advertising Report (0x0F).
        public static let periodicAdvertisingReport = Self(rawValue: 0x0F)
        /// LE Periodic Advertising Sync Lost (0x10).
        public static let periodicAdvertisingSyncLost = Self(rawValue: 0x10)
        /// LE Scan Timeout (0x11).
        public static let scanTimeout = Self(rawValue: 0x11)
        /// LE Advertising Set Terminated (0x12).
        public static let advertisingSetTerminated = Self(rawValue: 0x12)
        /// LE Scan Request Received (0x13).
        public static let scanRequestReceived = Self(rawValue: 0x13)
        /// LE Channel Selection Algorithm (0x14).
        public static let channelSelectionAlgorithm = Self(rawValue: 0x14)
        /// LE Periodic Advertising Sync Transfer Received [v1] (0x18).
        public static let periodicAdvertisingSyncTransferReceived = Self(rawValue: 0x18)

        /// The specification's name, or the number as `subevent 0x12`.
        public var description: String {
            switch rawValue {
            case 0x01: "LE Connection Complete"
            case 0x02: "LE Advertising Report"
            case 0x03: "LE Connection Update Complete"
            case 0x04: "LE Read Remote Features Complete"
            case 0x05: "LE Long Term Key Request"
            case 0x06: "LE Remote Connection Parameter Request"
            case 0x07: "LE Data Length Change"
            case 0x08: "LE Read Local P-256 Public Key Complete"
            case 0x09: "LE Generate DHKey Complete"
            case 0x0A: "LE Enhanced Connection Complete [v1]"
            case 0x0B: "LE Directed Advertising Report"
            case 0x0C: "LE PHY Update Complete"
            case 0x0D: "LE Extended Advertising Report"
            case 0x0E: "LE Periodic Advertising Sync Established"
            case 0x0F: "LE Periodic Advertising Report"
            case 0x10: "LE Periodic Advertising Sync Lost"
            case 0x11: "LE Scan Timeout"
            case 0x12: "LE Advertising Set Terminated"
            case 0x13: "LE Scan Request Received"
            case 0x14: "LE Channel Selection Algorithm"
            case 0x18: "LE Periodic Advertising Sync Transfer Received [v1]"
            default: "subevent 0x" + Hex.encode([rawValue])
            }
        }
    }
}
