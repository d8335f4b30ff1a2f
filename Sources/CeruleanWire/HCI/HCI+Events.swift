// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// A connection ended. Core 5.4, Vol 4, Part E, 7.7.5.
    public struct DisconnectionComplete: HCIEvent, Hashable {
        /// The event's number.
        public static let code = EventCode.disconnectionComplete
        /// 0x00, or why it failed.
        public var status = ErrorCode(rawValue: 0)
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
        /// Why.
        public var reason = ErrorCode(rawValue: 0)

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(status: ErrorCode, handle: UInt16, reason: ErrorCode) {
            self.status = status
            self.handle = handle
            self.reason = reason
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("status", &status)
            try v.field("connection handle", &handle)
            try v.code("reason", &reason)
        }
    }

    /// Encryption went on or off. Core 5.4, Vol 4, Part E, 7.7.8.
    public struct EncryptionChange: HCIEvent, Hashable {
        /// The event's number.
        public static let code = EventCode.encryptionChange
        /// 0x00, or why it failed.
        public var status = ErrorCode(rawValue: 0)
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
        /// 0 off, 1 on (AES-CCM on LE).
        public var enabled: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(status: ErrorCode, handle: UInt16, enabled: UInt8) {
            self.status = status
            self.handle = handle
            self.enabled = enabled
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("status", &status)
            try v.field("connection handle", &handle)
            try v.field("encryption enabled", &enabled)
        }
    }

    /// Encryption went on or off, with the size of the key. Core 5.4, Vol 4, Part E, 7.7.8.
    public struct EncryptionChangeV2: HCIEvent, Hashable {
        /// The event's number.
        public static let code = EventCode.encryptionChangeV2
        /// 0x00, or why it failed.
        public var status = ErrorCode(rawValue: 0)
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
        /// 0 off, 1 on (AES-CCM on LE).
        public var enabled: UInt8 = 0
        /// Octets, 7 to 16.
        public var keySize: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(status: ErrorCode, handle: UInt16, enabled: UInt8, keySize: UInt8) {
            self.status = status
            self.handle = handle
            self.enabled = enabled
            self.keySize = keySize
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("status", &status)
            try v.field("connection handle", &handle)
            try v.field("encryption enabled", &enabled)
            try v.field("encryption key size", &keySize)
        }
    }

    /// The peer's version is known. Core 5.4, Vol 4, Part E, 7.7.12.
    public struct ReadRemoteVersionInformationComplete: HCIEvent, Hashable {
        /// The event's number.
        public static let code = EventCode.readRemoteVersionInformationComplete
        /// 0x00, or why it failed.
        public var status = ErrorCode(rawValue: 0)
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
        /// Version of the link layer.
        public var version = Version(rawValue: 0)
        /// The maker; Assigned Numbers, 7.1.
        public var company: UInt16 = 0
        /// Chosen by the maker.
        public var subversion: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(status: ErrorCode, handle: UInt16, version: Version, company: UInt16, subversion: UInt16) {
            self.status = status
            self.handle = handle
            self.version = version
            self.company = company
            self.subversion = subversion
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("status", &status)
            try v.field("connection handle", &handle)
            try v.code("version", &version)
            try v.field("company identifier", &company)
            try v.field("subversion", &subversion)
        }
    }

    /// A command was carried out. Core 5.4, Vol 4, Part E, 7.7.14.
    public struct CommandComplete: HCIEvent, Hashable {
        /// The event's number.
        public static let code = EventCode.commandComplete
        /// Commands that the host may send now.
        public var credits: UInt8 = 0
        /// Which command; ``Opcode/none`` tells credits only.
        public var opcode = Opcode(rawValue: 0)
        /// The status octet and what follows it.
        public var returnParameters: [UInt8] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(credits: UInt8, opcode: Opcode, returnParameters: [UInt8]) {
            self.credits = credits
            self.opcode = opcode
            self.returnParameters = returnParameters
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("num HCI command packets", &credits)
            try v.code("command opcode", &opcode)
            try v.rest("return parameters", &returnParameters)
        }
    }

    /// A command was begun, or refused. Core 5.4, Vol 4, Part E, 7.7.15.
    public struct CommandStatus: HCIEvent, Hashable {
        /// The event's number.
        public static let code = EventCode.commandStatus
        /// 0x00 when it was begun.
        public var status = ErrorCode(rawValue: 0)
        /// Commands that the host may send now.
        public var credits: UInt8 = 0
        /// Which command; ``Opcode/none`` tells credits only.
        public var opcode = Opcode(rawValue: 0)

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(status: ErrorCode, credits: UInt8, opcode: Opcode) {
            self.status = status
            self.credits = credits
            self.opcode = opcode
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("status", &status)
            try v.field("num HCI command packets", &credits)
            try v.code("command opcode", &opcode)
        }
    }

    /// The controller is in trouble; only a reset helps. Core 5.4, Vol 4, Part E, 7.7.16.
    public struct HardwareError: HCIEvent, Hashable {
        /// The event's number.
        public static let code = EventCode.hardwareError
        /// Known to the maker.
        public var hardwareCode: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(hardwareCode: UInt8) {
            self.hardwareCode = hardwareCode
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("hardware code", &hardwareCode)
        }
    }

    /// The key was changed. Core 5.4, Vol 4, Part E, 7.7.39.
    public struct EncryptionKeyRefreshComplete: HCIEvent, Hashable {
        /// The event's number.
        public static let code = EventCode.encryptionKeyRefreshComplete
        /// 0x00, or why it failed.
        public var status = ErrorCode(rawValue: 0)
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(status: ErrorCode, handle: UInt16) {
            self.status = status
            self.handle = handle
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("status", &status)
            try v.field("connection handle", &handle)
        }
    }

    /// The host sent more than there is room for. Core 5.4, Vol 4, Part E, 7.7.26.
    public struct DataBufferOverflow: HCIEvent, Hashable {
        /// The event's number.
        public static let code = EventCode.dataBufferOverflow
        /// 0 synchronous, 1 ACL, 2 isochronous.
        public var linkType: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(linkType: UInt8) {
            self.linkType = linkType
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("link type", &linkType)
        }
    }
}
