// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// Ends a connection. Core 5.4, Vol 4, Part E, 7.1.6.
    public struct Disconnect: HCICommandWithStatus, Hashable {
        /// The command's number.
        public static let opcode = Opcode.disconnect
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
        /// Told to the peer: 0x05, 0x13, 0x14, 0x15, 0x1A, 0x29 or 0x3B.
        public var reason = ErrorCode(rawValue: 0)

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(handle: UInt16, reason: ErrorCode) {
            self.handle = handle
            self.reason = reason
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
            try v.code("reason", &reason)
        }
    }

    /// Asks for the peer's version. Core 5.4, Vol 4, Part E, 7.1.23.
    public struct ReadRemoteVersionInformation: HCICommandWithStatus, Hashable {
        /// The command's number.
        public static let opcode = Opcode.readRemoteVersionInformation
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(handle: UInt16) {
            self.handle = handle
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
        }
    }

    /// Says which events may be sent. Core 5.4, Vol 4, Part E, 7.3.1.
    public struct SetEventMask: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.setEventMask
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The events.
        public var mask = EventMask(rawValue: 0)

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(mask: EventMask) {
            self.mask = mask
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("event mask", &mask)
        }
    }

    /// Brings the controller into its initial state. Core 5.4, Vol 4, Part E, 7.3.2.
    public struct Reset: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.reset
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Reads the power of a connection. Core 5.4, Vol 4, Part E, 7.3.35.
    public struct ReadTransmitPowerLevel: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.readTransmitPowerLevel

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// The connection, 0x0000 to 0x0EFF.
            public var handle: UInt16 = 0
            /// dBm.
            public var level: Int8 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(handle: UInt16, level: Int8) {
                self.handle = handle
                self.level = level
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("connection handle", &handle)
                try v.field("transmit power level", &level)
            }
        }

        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
        /// 0 current, 1 maximum.
        public var type: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(handle: UInt16, type: UInt8) {
            self.handle = handle
            self.type = type
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
            try v.field("type", &type)
        }
    }

    /// Turns flow control towards the host on or off. Core 5.4, Vol 4, Part E, 7.3.38.
    public struct SetControllerToHostFlowControl: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.setControllerToHostFlowControl
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// 0 off, 1 ACL, 2 synchronous, 3 both.
        public var enable: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(enable: UInt8) {
            self.enable = enable
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("flow control enable", &enable)
        }
    }

    /// Tells the controller what the host can take. Core 5.4, Vol 4, Part E, 7.3.39.
    public struct HostBufferSize: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.hostBufferSize
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// Largest ACL data in octets.
        public var aclLength: UInt16 = 0
        /// Largest synchronous data in octets.
        public var synchronousLength: UInt8 = 0
        /// ACL packets.
        public var aclCount: UInt16 = 0
        /// Synchronous packets.
        public var synchronousCount: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(aclLength: UInt16, synchronousLength: UInt8, aclCount: UInt16, synchronousCount: UInt16) {
            self.aclLength = aclLength
            self.synchronousLength = synchronousLength
            self.aclCount = aclCount
            self.synchronousCount = synchronousCount
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("host ACL data packet length", &aclLength)
            try v.field("host synchronous data packet length", &synchronousLength)
            try v.field("host total num ACL data packets", &aclCount)
            try v.field("host total num synchronous data packets", &synchronousCount)
        }
    }

    /// Says which events of the second page may be sent. Core 5.4, Vol 4, Part E, 7.3.69.
    public struct SetEventMaskPage2: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.setEventMaskPage2
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The events.
        public var mask: UInt64 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(mask: UInt64) {
            self.mask = mask
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("event mask page 2", &mask)
        }
    }

    /// Reads version and maker. Core 5.4, Vol 4, Part E, 7.4.1.
    public struct ReadLocalVersionInformation: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.readLocalVersionInformation

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// Version of HCI.
            public var hciVersion = Version(rawValue: 0)
            /// Chosen by the maker.
            public var hciSubversion: UInt16 = 0
            /// Version of the link layer.
            public var lmpVersion = Version(rawValue: 0)
            /// The maker; Assigned Numbers, 7.1.
            public var company: UInt16 = 0
            /// Chosen by the maker.
            public var lmpSubversion: UInt16 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(
                hciVersion: Version, hciSubversion: UInt16, lmpVersion: Version, company: UInt16,
                lmpSubversion: UInt16
            ) {
                self.hciVersion = hciVersion
                self.hciSubversion = hciSubversion
                self.lmpVersion = lmpVersion
                self.company = company
                self.lmpSubversion = lmpSubversion
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.code("HCI version", &hciVersion)
                try v.field("HCI subversion", &hciSubversion)
                try v.code("LMP version", &lmpVersion)
                try v.field("company identifier", &company)
                try v.field("LMP subversion", &lmpSubversion)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Reads the LMP features. Core 5.4, Vol 4, Part E, 7.4.3.
    public struct ReadLocalSupportedFeatures: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.readLocalSupportedFeatures

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// Bit 37 is BR/EDR not supported, bit 38 LE supported.
            public var features: UInt64 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(features: UInt64) {
                self.features = features
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("LMP features", &features)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Reads the BR/EDR buffers, shared with LE when LE Read Buffer Size answers 0. Core 5.4, Vol 4, Part E, 7.4.5.
    public struct ReadBufferSize: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.readBufferSize

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// Largest ACL data in octets.
            public var aclLength: UInt16 = 0
            /// Largest synchronous data in octets.
            public var synchronousLength: UInt8 = 0
            /// ACL packets.
            public var aclCount: UInt16 = 0
            /// Synchronous packets.
            public var synchronousCount: UInt16 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(aclLength: UInt16, synchronousLength: UInt8, aclCount: UInt16, synchronousCount: UInt16) {
                self.aclLength = aclLength
                self.synchronousLength = synchronousLength
                self.aclCount = aclCount
                self.synchronousCount = synchronousCount
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("ACL data packet length", &aclLength)
                try v.field("synchronous data packet length", &synchronousLength)
                try v.field("total num ACL data packets", &aclCount)
                try v.field("total num synchronous data packets", &synchronousCount)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Reads the public address. Core 5.4, Vol 4, Part E, 7.4.6.
    public struct ReadBDADDR: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.readBDADDR

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// The address; zeros when the controller has none.
            public var address = BluetoothAddress.zero

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(address: BluetoothAddress) {
                self.address = address
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.address("BD_ADDR", &address)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Reads the signal strength of a connection. Core 5.4, Vol 4, Part E, 7.5.4.
    public struct ReadRSSI: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.readRSSI

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// The connection, 0x0000 to 0x0EFF.
            public var handle: UInt16 = 0
            /// dBm, -127 to 20; 127 when not known.
            public var rssi: Int8 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(handle: UInt16, rssi: Int8) {
                self.handle = handle
                self.rssi = rssi
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("connection handle", &handle)
                try v.field("RSSI", &rssi)
            }
        }

        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(handle: UInt16) {
            self.handle = handle
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
        }
    }
}
