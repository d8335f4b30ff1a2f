// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// Suggests the largest packets of a connection. Core 5.4, Vol 4, Part E, 7.8.33.
    public struct LESetDataLength: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetDataLength

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
        /// 0x001B to 0x00FB.
        public var octets: UInt16 = 0
        /// Microseconds, 0x0148 to 0x4290.
        public var time: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(handle: UInt16, octets: UInt16, time: UInt16) {
            self.handle = handle
            self.octets = octets
            self.time = time
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
            try v.field("TX octets", &octets)
            try v.field("TX time", &time)
        }
    }

    /// Reads the largest packets of new connections. Core 5.4, Vol 4, Part E, 7.8.34.
    public struct LEReadSuggestedDefaultDataLength: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadSuggestedDefaultDataLength

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// 0x001B to 0x00FB.
            public var octets: UInt16 = 0
            /// Microseconds.
            public var time: UInt16 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(octets: UInt16, time: UInt16) {
                self.octets = octets
                self.time = time
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("suggested max TX octets", &octets)
                try v.field("suggested max TX time", &time)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Sets the largest packets of new connections. Core 5.4, Vol 4, Part E, 7.8.35.
    public struct LEWriteSuggestedDefaultDataLength: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leWriteSuggestedDefaultDataLength
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// 0x001B to 0x00FB.
        public var octets: UInt16 = 0
        /// Microseconds, 0x0148 to 0x4290.
        public var time: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(octets: UInt16, time: UInt16) {
            self.octets = octets
            self.time = time
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("suggested max TX octets", &octets)
            try v.field("suggested max TX time", &time)
        }
    }

    /// Reads the largest packets that the controller can do. Core 5.4, Vol 4, Part E, 7.8.46.
    public struct LEReadMaximumDataLength: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadMaximumDataLength

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// Octets sent.
            public var maximumTXOctets: UInt16 = 0
            /// Microseconds.
            public var maximumTXTime: UInt16 = 0
            /// Octets received.
            public var maximumRXOctets: UInt16 = 0
            /// Microseconds.
            public var maximumRXTime: UInt16 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(
                maximumTXOctets: UInt16, maximumTXTime: UInt16, maximumRXOctets: UInt16, maximumRXTime: UInt16
            ) {
                self.maximumTXOctets = maximumTXOctets
                self.maximumTXTime = maximumTXTime
                self.maximumRXOctets = maximumRXOctets
                self.maximumRXTime = maximumRXTime
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("supported max TX octets", &maximumTXOctets)
                try v.field("supported max TX time", &maximumTXTime)
                try v.field("supported max RX octets", &maximumRXOctets)
                try v.field("supported max RX time", &maximumRXTime)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Reads the radio modes of a connection. Core 5.4, Vol 4, Part E, 7.8.47.
    public struct LEReadPHY: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadPHY

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// The connection, 0x0000 to 0x0EFF.
            public var handle: UInt16 = 0
            /// Mode of sending.
            public var txPHY = PHY(rawValue: 0)
            /// Mode of receiving.
            public var rxPHY = PHY(rawValue: 0)

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(handle: UInt16, txPHY: PHY, rxPHY: PHY) {
                self.handle = handle
                self.txPHY = txPHY
                self.rxPHY = rxPHY
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("connection handle", &handle)
                try v.code("TX PHY", &txPHY)
                try v.code("RX PHY", &rxPHY)
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

    /// Sets the preferred radio modes of new connections. Core 5.4, Vol 4, Part E, 7.8.48.
    public struct LESetDefaultPHY: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetDefaultPHY
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// Bit 0: none for sending; bit 1: none for receiving.
        public var noPreference: UInt8 = 0
        /// Modes of sending.
        public var txPHYs = PHYMask(rawValue: 0)
        /// Modes of receiving.
        public var rxPHYs = PHYMask(rawValue: 0)

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(noPreference: UInt8, txPHYs: PHYMask, rxPHYs: PHYMask) {
            self.noPreference = noPreference
            self.txPHYs = txPHYs
            self.rxPHYs = rxPHYs
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("all PHYs", &noPreference)
            try v.code("TX PHYs", &txPHYs)
            try v.code("RX PHYs", &rxPHYs)
        }
    }

    /// Asks for other radio modes on a connection. Core 5.4, Vol 4, Part E, 7.8.49.
    public struct LESetPHY: HCICommandWithStatus, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetPHY
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
        /// Bit 0: none for sending; bit 1: none for receiving.
        public var noPreference: UInt8 = 0
        /// Modes of sending.
        public var txPHYs = PHYMask(rawValue: 0)
        /// Modes of receiving.
        public var rxPHYs = PHYMask(rawValue: 0)
        /// Preferred coding: 0 none, 1 S=2, 2 S=8.
        public var options: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(handle: UInt16, noPreference: UInt8, txPHYs: PHYMask, rxPHYs: PHYMask, options: UInt16) {
            self.handle = handle
            self.noPreference = noPreference
            self.txPHYs = txPHYs
            self.rxPHYs = rxPHYs
            self.options = options
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
            try v.field("all PHYs", &noPreference)
            try v.code("TX PHYs", &txPHYs)
            try v.code("RX PHYs", &rxPHYs)
            try v.field("PHY options", &options)
        }
    }
}
