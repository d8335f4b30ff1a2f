// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// Connects to a legacy advertiser. Core 5.4, Vol 4, Part E, 7.8.12.
    public struct LECreateConnection: HCICommandWithStatus, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leCreateConnection
        /// Units of 0.625 ms, 0x0004 to 0x4000.
        public var scanInterval: UInt16 = 0
        /// Units of 0.625 ms, at most the interval.
        public var scanWindow: UInt16 = 0
        /// 0: the peer named here; 1: any device on the filter accept list.
        public var filterPolicy: UInt8 = 0
        /// Public, random, or an identity of either.
        public var peerAddressKind = DeviceAddress.Kind.public
        /// The peer.
        public var peerAddress = BluetoothAddress.zero
        /// Which own address to use.
        public var ownAddressType = OwnAddressType(rawValue: 0)
        /// Smallest interval in units of 1.25 ms, 6 to 3200.
        public var intervalMinimum: UInt16 = 0
        /// Largest interval in units of 1.25 ms, 6 to 3200.
        public var intervalMaximum: UInt16 = 0
        /// Events that the peripheral may skip, 0 to 499.
        public var latency: UInt16 = 0
        /// Units of 10 ms, 10 to 3200.
        public var supervisionTimeout: UInt16 = 0
        /// Hint in units of 0.625 ms.
        public var eventLengthMinimum: UInt16 = 0
        /// Hint in units of 0.625 ms.
        public var eventLengthMaximum: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(
            scanInterval: UInt16, scanWindow: UInt16, filterPolicy: UInt8, peerAddressKind: DeviceAddress.Kind,
            peerAddress: BluetoothAddress, ownAddressType: OwnAddressType, intervalMinimum: UInt16,
            intervalMaximum: UInt16, latency: UInt16, supervisionTimeout: UInt16, eventLengthMinimum: UInt16,
            eventLengthMaximum: UInt16
        ) {
            self.scanInterval = scanInterval
            self.scanWindow = scanWindow
            self.filterPolicy = filterPolicy
            self.peerAddressKind = peerAddressKind
            self.peerAddress = peerAddress
            self.ownAddressType = ownAddressType
            self.intervalMinimum = intervalMinimum
            self.intervalMaximum = intervalMaximum
            self.latency = latency
            self.supervisionTimeout = supervisionTimeout
            self.eventLengthMinimum = eventLengthMinimum
            self.eventLengthMaximum = eventLengthMaximum
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("LE scan interval", &scanInterval)
            try v.field("LE scan window", &scanWindow)
            try v.field("initiator filter policy", &filterPolicy)
            try v.code("peer address type", &peerAddressKind)
            try v.address("peer address", &peerAddress)
            try v.code("own address type", &ownAddressType)
            try v.field("connection interval min", &intervalMinimum)
            try v.field("connection interval max", &intervalMaximum)
            try v.field("max latency", &latency)
            try v.field("supervision timeout", &supervisionTimeout)
            try v.field("min CE length", &eventLengthMinimum)
            try v.field("max CE length", &eventLengthMaximum)
        }
    }

    /// Gives up connecting; LE Connection Complete follows with error 0x02. Core 5.4, Vol 4, Part E, 7.8.13.
    public struct LECreateConnectionCancel: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leCreateConnectionCancel
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Changes the parameters of a connection. Core 5.4, Vol 4, Part E, 7.8.18.
    public struct LEConnectionUpdate: HCICommandWithStatus, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leConnectionUpdate
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
        /// Smallest interval in units of 1.25 ms, 6 to 3200.
        public var intervalMinimum: UInt16 = 0
        /// Largest interval in units of 1.25 ms, 6 to 3200.
        public var intervalMaximum: UInt16 = 0
        /// Events that the peripheral may skip, 0 to 499.
        public var latency: UInt16 = 0
        /// Units of 10 ms, 10 to 3200.
        public var supervisionTimeout: UInt16 = 0
        /// Hint in units of 0.625 ms.
        public var eventLengthMinimum: UInt16 = 0
        /// Hint in units of 0.625 ms.
        public var eventLengthMaximum: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(
            handle: UInt16, intervalMinimum: UInt16, intervalMaximum: UInt16, latency: UInt16,
            supervisionTimeout: UInt16, eventLengthMinimum: UInt16, eventLengthMaximum: UInt16
        ) {
            self.handle = handle
            self.intervalMinimum = intervalMinimum
            self.intervalMaximum = intervalMaximum
            self.latency = latency
            self.supervisionTimeout = supervisionTimeout
            self.eventLengthMinimum = eventLengthMinimum
            self.eventLengthMaximum = eventLengthMaximum
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
            try v.field("connection interval min", &intervalMinimum)
            try v.field("connection interval max", &intervalMaximum)
            try v.field("max latency", &latency)
            try v.field("supervision timeout", &supervisionTimeout)
            try v.field("min CE length", &eventLengthMinimum)
            try v.field("max CE length", &eventLengthMaximum)
        }
    }

    /// Says which data channels are bad. Core 5.4, Vol 4, Part E, 7.8.19.
    public struct LESetHostChannelClassification: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetHostChannelClassification
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// Bits 0 to 36; 0 is bad.
        public var channelMap: UInt64 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(channelMap: UInt64) {
            self.channelMap = channelMap
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("channel map", &channelMap, bytes: 5)
        }
    }

    /// Reads the channels of a connection. Core 5.4, Vol 4, Part E, 7.8.20.
    public struct LEReadChannelMap: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadChannelMap

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// The connection, 0x0000 to 0x0EFF.
            public var handle: UInt16 = 0
            /// Bits 0 to 36; 1 is used.
            public var channelMap: UInt64 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(handle: UInt16, channelMap: UInt64) {
                self.handle = handle
                self.channelMap = channelMap
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("connection handle", &handle)
                try v.field("channel map", &channelMap, bytes: 5)
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

    /// Asks for the peer's LE features. Core 5.4, Vol 4, Part E, 7.8.21.
    public struct LEReadRemoteFeatures: HCICommandWithStatus, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadRemoteFeatures
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

    /// Accepts what the peer asked for. Core 5.4, Vol 4, Part E, 7.8.31.
    public struct LERemoteConnectionParameterRequestReply: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leRemoteConnectionParameterRequestReply

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
        /// Smallest interval in units of 1.25 ms, 6 to 3200.
        public var intervalMinimum: UInt16 = 0
        /// Largest interval in units of 1.25 ms, 6 to 3200.
        public var intervalMaximum: UInt16 = 0
        /// Events that the peripheral may skip, 0 to 499.
        public var latency: UInt16 = 0
        /// Units of 10 ms, 10 to 3200.
        public var supervisionTimeout: UInt16 = 0
        /// Hint in units of 0.625 ms.
        public var eventLengthMinimum: UInt16 = 0
        /// Hint in units of 0.625 ms.
        public var eventLengthMaximum: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(
            handle: UInt16, intervalMinimum: UInt16, intervalMaximum: UInt16, latency: UInt16,
            supervisionTimeout: UInt16, eventLengthMinimum: UInt16, eventLengthMaximum: UInt16
        ) {
            self.handle = handle
            self.intervalMinimum = intervalMinimum
            self.intervalMaximum = intervalMaximum
            self.latency = latency
            self.supervisionTimeout = supervisionTimeout
            self.eventLengthMinimum = eventLengthMinimum
            self.eventLengthMaximum = eventLengthMaximum
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
            try v.field("connection interval min", &intervalMinimum)
            try v.field("connection interval max", &intervalMaximum)
            try v.field("max latency", &latency)
            try v.field("supervision timeout", &supervisionTimeout)
            try v.field("min CE length", &eventLengthMinimum)
            try v.field("max CE length", &eventLengthMaximum)
        }
    }

    /// Refuses what the peer asked for. Core 5.4, Vol 4, Part E, 7.8.32.
    public struct LERemoteConnectionParameterRequestNegativeReply: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leRemoteConnectionParameterRequestNegativeReply

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
        /// Told to the peer.
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
}
