// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// Says which LE events may be sent. Core 5.4, Vol 4, Part E, 7.8.1.
    public struct LESetEventMask: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetEventMask
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The subevents.
        public var mask = LEEventMask(rawValue: 0)

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(mask: LEEventMask) {
            self.mask = mask
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("LE event mask", &mask)
        }
    }

    /// Reads the LE buffers. Core 5.4, Vol 4, Part E, 7.8.2.
    public struct LEReadBufferSize: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadBufferSize

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// Largest ACL data in octets; 0: shared with BR/EDR.
            public var aclLength: UInt16 = 0
            /// ACL packets; 0: shared with BR/EDR.
            public var aclCount: UInt8 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(aclLength: UInt16, aclCount: UInt8) {
                self.aclLength = aclLength
                self.aclCount = aclCount
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("LE ACL data packet length", &aclLength)
                try v.field("total num LE ACL data packets", &aclCount)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Reads the LE buffers, isochronous ones too. Core 5.4, Vol 4, Part E, 7.8.2.
    public struct LEReadBufferSizeV2: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadBufferSizeV2

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// Largest ACL data in octets; 0: shared with BR/EDR.
            public var aclLength: UInt16 = 0
            /// ACL packets; 0: shared with BR/EDR.
            public var aclCount: UInt8 = 0
            /// Largest isochronous data in octets.
            public var isochronousLength: UInt16 = 0
            /// Isochronous packets.
            public var isochronousCount: UInt8 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(aclLength: UInt16, aclCount: UInt8, isochronousLength: UInt16, isochronousCount: UInt8) {
                self.aclLength = aclLength
                self.aclCount = aclCount
                self.isochronousLength = isochronousLength
                self.isochronousCount = isochronousCount
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("LE ACL data packet length", &aclLength)
                try v.field("total num LE ACL data packets", &aclCount)
                try v.field("ISO data packet length", &isochronousLength)
                try v.field("total num ISO data packets", &isochronousCount)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Reads the LE features. Core 5.4, Vol 4, Part E, 7.8.3.
    public struct LEReadLocalSupportedFeatures: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadLocalSupportedFeatures

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// The features.
            public var features = LEFeatures(rawValue: 0)

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(features: LEFeatures) {
                self.features = features
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.code("LE features", &features)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Encrypts one block with AES-128. Core 5.4, Vol 4, Part E, 7.8.22.
    public struct LEEncrypt: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leEncrypt

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// 16 octets, least significant first.
            public var ciphertext: [UInt8] = []

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(ciphertext: [UInt8]) {
                self.ciphertext = ciphertext
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.bytes("encrypted data", &ciphertext, count: 16)
            }
        }

        /// 16 octets, least significant first.
        public var key: [UInt8] = []
        /// 16 octets, least significant first.
        public var plaintext: [UInt8] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(key: [UInt8], plaintext: [UInt8]) {
            self.key = key
            self.plaintext = plaintext
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.bytes("key", &key, count: 16)
            try v.bytes("plaintext data", &plaintext, count: 16)
        }
    }

    /// Draws a random number. Core 5.4, Vol 4, Part E, 7.8.23.
    public struct LERand: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leRand

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// 64 random bits.
            public var number: UInt64 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(number: UInt64) {
                self.number = number
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("random number", &number)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Starts encryption, or changes the key. Core 5.4, Vol 4, Part E, 7.8.24.
    public struct LEEnableEncryption: HCICommandWithStatus, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leEnableEncryption
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
        /// Names a legacy key; 0 for LE Secure Connections.
        public var random: UInt64 = 0
        /// Names a legacy key; 0 for LE Secure Connections.
        public var diversifier: UInt16 = 0
        /// 16 octets, least significant first.
        public var key: [UInt8] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(handle: UInt16, random: UInt64, diversifier: UInt16, key: [UInt8]) {
            self.handle = handle
            self.random = random
            self.diversifier = diversifier
            self.key = key
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
            try v.field("random number", &random)
            try v.field("encrypted diversifier", &diversifier)
            try v.bytes("long term key", &key, count: 16)
        }
    }

    /// Gives the key that the controller asked for. Core 5.4, Vol 4, Part E, 7.8.25.
    public struct LELongTermKeyRequestReply: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leLongTermKeyRequestReply

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
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

        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
        /// 16 octets, least significant first.
        public var key: [UInt8] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(handle: UInt16, key: [UInt8]) {
            self.handle = handle
            self.key = key
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
            try v.bytes("long term key", &key, count: 16)
        }
    }

    /// Says that there is no key. Core 5.4, Vol 4, Part E, 7.8.26.
    public struct LELongTermKeyRequestNegativeReply: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leLongTermKeyRequestNegativeReply

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
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

    /// Reads which roles can be had at once. Core 5.4, Vol 4, Part E, 7.8.27.
    public struct LEReadSupportedStates: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadSupportedStates

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// Bits of the table in 7.8.27.
            public var states: UInt64 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(states: UInt64) {
                self.states = states
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("LE states", &states)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Reads the range of transmit power. Core 5.4, Vol 4, Part E, 7.8.74.
    public struct LEReadTransmitPower: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadTransmitPower

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// dBm.
            public var minimum: Int8 = 0
            /// dBm.
            public var maximum: Int8 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(minimum: Int8, maximum: Int8) {
                self.minimum = minimum
                self.maximum = maximum
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("min TX power", &minimum)
                try v.field("max TX power", &maximum)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }
}
