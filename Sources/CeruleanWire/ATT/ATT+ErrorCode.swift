// SPDX-License-Identifier: Apache-2.0

extension ATT {
    /// Why a server refused a request. Core 5.4, Vol 3, Part F, 3.4.1.1 and the Core Specification Supplement, Part B.
    public struct ErrorCode: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8

        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The handle does not exist on this server (0x01).
        public static let invalidHandle = Self(rawValue: 0x01)
        /// The attribute cannot be read (0x02).
        public static let readNotPermitted = Self(rawValue: 0x02)
        /// The attribute cannot be written (0x03).
        public static let writeNotPermitted = Self(rawValue: 0x03)
        /// The request was malformed (0x04).
        public static let invalidPDU = Self(rawValue: 0x04)
        /// The link must be authenticated first (0x05).
        public static let insufficientAuthentication = Self(rawValue: 0x05)
        /// The server does not support the request (0x06).
        public static let requestNotSupported = Self(rawValue: 0x06)
        /// The offset lies beyond the end of the value (0x07).
        public static let invalidOffset = Self(rawValue: 0x07)
        /// The application does not authorize the access (0x08).
        public static let insufficientAuthorization = Self(rawValue: 0x08)
        /// Too many prepared writes are waiting (0x09).
        public static let prepareQueueFull = Self(rawValue: 0x09)
        /// No attribute in the range has that type (0x0A).
        public static let attributeNotFound = Self(rawValue: 0x0A)
        /// The value cannot be read in parts (0x0B).
        public static let attributeNotLong = Self(rawValue: 0x0B)
        /// The encryption key is too short (0x0C).
        public static let encryptionKeySizeTooShort = Self(rawValue: 0x0C)
        /// The value has a length that the attribute does not take (0x0D).
        public static let invalidAttributeValueLength = Self(rawValue: 0x0D)
        /// Something else went wrong (0x0E).
        public static let unlikelyError = Self(rawValue: 0x0E)
        /// The link must be encrypted first (0x0F).
        public static let insufficientEncryption = Self(rawValue: 0x0F)
        /// The type is no grouping type of this server (0x10).
        public static let unsupportedGroupType = Self(rawValue: 0x10)
        /// The server is out of resources (0x11).
        public static let insufficientResources = Self(rawValue: 0x11)
        /// The client's picture of the database is old (0x12).
        public static let databaseOutOfSync = Self(rawValue: 0x12)
        /// The value is one that the attribute does not take (0x13).
        public static let valueNotAllowed = Self(rawValue: 0x13)
        /// The write was refused by the profile (0xFC).
        public static let writeRequestRejected = Self(rawValue: 0xFC)
        /// The Client Characteristic Configuration is not as the profile asks (0xFD).
        public static let improperConfiguration = Self(rawValue: 0xFD)
        /// The procedure is running already (0xFE).
        public static let procedureAlreadyInProgress = Self(rawValue: 0xFE)
        /// The value is out of its range (0xFF).
        public static let outOfRange = Self(rawValue: 0xFF)

        /// True for the codes that a profile defines (0x80 to 0x9F).
        @inlinable
        public var isApplicationDefined: Bool { (0x80...0x9F).contains(rawValue) }

        /// True when more security on the link may help: 0x05, 0x08, 0x0C and 0x0F.
        @inlinable
        public var asksForSecurity: Bool {
            switch rawValue {
            case 0x05, 0x08, 0x0C, 0x0F: true
            default: false
            }
        }
    }
}

extension ATT.ErrorCode: CustomStringConvertible {
    /// The meaning in words, such as `attribute not found`.
    public var description: String {
        switch rawValue {
        case 0x01: "invalid handle"
        case 0x02: "read not permitted"
        case 0x03: "write not permitted"
        case 0x04: "invalid PDU"
        case 0x05: "insufficient authentication"
        case 0x06: "request not supported"
        case 0x07: "invalid offset"
        case 0x08: "insufficient authorization"
        case 0x09: "prepare queue full"
        case 0x0A: "attribute not found"
        case 0x0B: "attribute not long"
        case 0x0C: "encryption key size too short"
        case 0x0D: "invalid attribute value length"
        case 0x0E: "unlikely error"
        case 0x0F: "insufficient encryption"
        case 0x10: "unsupported group type"
        case 0x11: "insufficient resources"
        case 0x12: "database out of sync"
        case 0x13: "value not allowed"
        case 0x80...0x9F: "application error 0x" + Hex.encode([rawValue])
        case 0xFC: "write request rejected"
        case 0xFD: "client characteristic configuration descriptor improperly configured"
        case 0xFE: "procedure already in progress"
        case 0xFF: "out of range"
        default: "reserved error 0x" + Hex.encode([rawValue])
        }
    }
}
