// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// A connection was made, or could not be. Core 5.4, Vol 4, Part E, 7.7.65.1.
    public struct LEConnectionComplete: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.connectionComplete
        /// 0x00, or why it failed.
        public var status = ErrorCode(rawValue: 0)
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
        /// Our end.
        public var role = Role(rawValue: 0)
        /// Public, random, or an identity of either.
        public var peerAddressKind = DeviceAddress.Kind.public
        /// The peer.
        public var peerAddress = BluetoothAddress.zero
        /// Units of 1.25 ms.
        public var interval: UInt16 = 0
        /// Events that the peripheral may skip.
        public var latency: UInt16 = 0
        /// Units of 10 ms.
        public var supervisionTimeout: UInt16 = 0
        /// 0 (500 ppm) to 7 (20 ppm).
        public var clockAccuracy: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(
            status: ErrorCode, handle: UInt16, role: Role, peerAddressKind: DeviceAddress.Kind,
            peerAddress: BluetoothAddress, interval: UInt16, latency: UInt16, supervisionTimeout: UInt16,
            clockAccuracy: UInt8
        ) {
            self.status = status
            self.handle = handle
            self.role = role
            self.peerAddressKind = peerAddressKind
            self.peerAddress = peerAddress
            self.interval = interval
            self.latency = latency
            self.supervisionTimeout = supervisionTimeout
            self.clockAccuracy = clockAccuracy
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("status", &status)
            try v.field("connection handle", &handle)
            try v.code("role", &role)
            try v.code("peer address type", &peerAddressKind)
            try v.address("peer address", &peerAddress)
            try v.field("connection interval", &interval)
            try v.field("peripheral latency", &latency)
            try v.field("supervision timeout", &supervisionTimeout)
            try v.field("central clock accuracy", &clockAccuracy)
        }
    }

    /// A connection was made, or could not be; with private addresses. Core 5.4, Vol 4, Part E, 7.7.65.10.
    public struct LEEnhancedConnectionComplete: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.enhancedConnectionComplete
        /// 0x00, or why it failed.
        public var status = ErrorCode(rawValue: 0)
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
        /// Our end.
        public var role = Role(rawValue: 0)
        /// Public, random, or an identity of either.
        public var peerAddressKind = DeviceAddress.Kind.public
        /// The peer.
        public var peerAddress = BluetoothAddress.zero
        /// Zeros when none was used.
        public var localResolvableAddress = BluetoothAddress.zero
        /// Zeros when none was used.
        public var peerResolvableAddress = BluetoothAddress.zero
        /// Units of 1.25 ms.
        public var interval: UInt16 = 0
        /// Events that the peripheral may skip.
        public var latency: UInt16 = 0
        /// Units of 10 ms.
        public var supervisionTimeout: UInt16 = 0
        /// 0 (500 ppm) to 7 (20 ppm).
        public var clockAccuracy: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(
            status: ErrorCode, handle: UInt16, role: Role, peerAddressKind: DeviceAddress.Kind,
            peerAddress: BluetoothAddress, localResolvableAddress: BluetoothAddress,
            peerResolvableAddress: BluetoothAddress, interval: UInt16, latency: UInt16, supervisionTimeout: UInt16,
            clockAccuracy: UInt8
        ) {
            self.status = status
            self.handle = handle
            self.role = role
            self.peerAddressKind = peerAddressKind
            self.peerAddress = peerAddress
            self.localResolvableAddress = localResolvableAddress
            self.peerResolvableAddress = peerResolvableAddress
            self.interval = interval
            self.latency = latency
            self.supervisionTimeout = supervisionTimeout
            self.clockAccuracy = clockAccuracy
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("status", &status)
            try v.field("connection handle", &handle)
            try v.code("role", &role)
            try v.code("peer address type", &peerAddressKind)
            try v.address("peer address", &peerAddress)
            try v.address("local resolvable private address", &localResolvableAddress)
            try v.address("peer resolvable private address", &peerResolvableAddress)
            try v.field("connection interval", &interval)
            try v.field("peripheral latency", &latency)
            try v.field("supervision timeout", &supervisionTimeout)
            try v.field("central clock accuracy", &clockAccuracy)
        }
    }

    /// The parameters of a connection changed, or could not be. Core 5.4, Vol 4, Part E, 7.7.65.3.
    public struct LEConnectionUpdateComplete: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.connectionUpdateComplete
        /// 0x00, or why it failed.
        public var status = ErrorCode(rawValue: 0)
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
        /// Units of 1.25 ms.
        public var interval: UInt16 = 0
        /// Events that the peripheral may skip.
        public var latency: UInt16 = 0
        /// Units of 10 ms.
        public var supervisionTimeout: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(status: ErrorCode, handle: UInt16, interval: UInt16, latency: UInt16, supervisionTimeout: UInt16) {
            self.status = status
            self.handle = handle
            self.interval = interval
            self.latency = latency
            self.supervisionTimeout = supervisionTimeout
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("status", &status)
            try v.field("connection handle", &handle)
            try v.field("connection interval", &interval)
            try v.field("peripheral latency", &latency)
            try v.field("supervision timeout", &supervisionTimeout)
        }
    }

    /// The peer's LE features are known. Core 5.4, Vol 4, Part E, 7.7.65.4.
    public struct LEReadRemoteFeaturesComplete: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.readRemoteFeaturesComplete
        /// 0x00, or why it failed.
        public var status = ErrorCode(rawValue: 0)
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
        /// The features.
        public var features = LEFeatures(rawValue: 0)

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(status: ErrorCode, handle: UInt16, features: LEFeatures) {
            self.status = status
            self.handle = handle
            self.features = features
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("status", &status)
            try v.field("connection handle", &handle)
            try v.code("LE features", &features)
        }
    }

    /// The central wants encryption. Core 5.4, Vol 4, Part E, 7.7.65.5.
    public struct LELongTermKeyRequest: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.longTermKeyRequest
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
        /// Names a legacy key; 0 for LE Secure Connections.
        public var random: UInt64 = 0
        /// Names a legacy key; 0 for LE Secure Connections.
        public var diversifier: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(handle: UInt16, random: UInt64, diversifier: UInt16) {
            self.handle = handle
            self.random = random
            self.diversifier = diversifier
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
            try v.field("random number", &random)
            try v.field("encrypted diversifier", &diversifier)
        }
    }

    /// The peer asks for other parameters. Core 5.4, Vol 4, Part E, 7.7.65.6.
    public struct LERemoteConnectionParameterRequest: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.remoteConnectionParameterRequest
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

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(
            handle: UInt16, intervalMinimum: UInt16, intervalMaximum: UInt16, latency: UInt16,
            supervisionTimeout: UInt16
        ) {
            self.handle = handle
            self.intervalMinimum = intervalMinimum
            self.intervalMaximum = intervalMaximum
            self.latency = latency
            self.supervisionTimeout = supervisionTimeout
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
            try v.field("connection interval min", &intervalMinimum)
            try v.field("connection interval max", &intervalMaximum)
            try v.field("max latency", &latency)
            try v.field("supervision timeout", &supervisionTimeout)
        }
    }

    /// The largest packets of a connection changed. Core 5.4, Vol 4, Part E, 7.7.65.7.
    public struct LEDataLengthChange: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.dataLengthChange
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
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
            handle: UInt16, maximumTXOctets: UInt16, maximumTXTime: UInt16, maximumRXOctets: UInt16,
            maximumRXTime: UInt16
        ) {
            self.handle = handle
            self.maximumTXOctets = maximumTXOctets
            self.maximumTXTime = maximumTXTime
            self.maximumRXOctets = maximumRXOctets
            self.maximumRXTime = maximumRXTime
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
            try v.field("max TX octets", &maximumTXOctets)
            try v.field("max TX time", &maximumTXTime)
            try v.field("max RX octets", &maximumRXOctets)
            try v.field("max RX time", &maximumRXTime)
        }
    }

    /// The radio modes of a connection changed, or could not be. Core 5.4, Vol 4, Part E, 7.7.65.12.
    public struct LEPHYUpdateComplete: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.phyUpdateComplete
        /// 0x00, or why it failed.
        public var status = ErrorCode(rawValue: 0)
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
        public init(status: ErrorCode, handle: UInt16, txPHY: PHY, rxPHY: PHY) {
            self.status = status
            self.handle = handle
            self.txPHY = txPHY
            self.rxPHY = rxPHY
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("status", &status)
            try v.field("connection handle", &handle)
            try v.code("TX PHY", &txPHY)
            try v.code("RX PHY", &rxPHY)
        }
    }

    /// Extended advertising of a set ended. Core 5.4, Vol 4, Part E, 7.7.65.18.
    public struct LEAdvertisingSetTerminated: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.advertisingSetTerminated
        /// 0x00, or why it failed.
        public var status = ErrorCode(rawValue: 0)
        /// The set.
        public var advertisingHandle: UInt8 = 0
        /// The connection that ended it, when the status is 0x00.
        public var handle: UInt16 = 0
        /// Events that were sent.
        public var eventCount: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(status: ErrorCode, advertisingHandle: UInt8, handle: UInt16, eventCount: UInt8) {
            self.status = status
            self.advertisingHandle = advertisingHandle
            self.handle = handle
            self.eventCount = eventCount
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("status", &status)
            try v.field("advertising handle", &advertisingHandle)
            try v.field("connection handle", &handle)
            try v.field("num completed extended advertising events", &eventCount)
        }
    }

    /// Which channel selection a connection uses. Core 5.4, Vol 4, Part E, 7.7.65.20.
    public struct LEChannelSelectionAlgorithm: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.channelSelectionAlgorithm
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
        /// 0: #1, 1: #2.
        public var algorithm: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(handle: UInt16, algorithm: UInt8) {
            self.handle = handle
            self.algorithm = algorithm
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
            try v.field("channel selection algorithm", &algorithm)
        }
    }
}
