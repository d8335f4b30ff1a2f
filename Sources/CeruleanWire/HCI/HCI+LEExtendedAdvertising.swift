// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// Sets the random address of an advertising set. Core 5.4, Vol 4, Part E, 7.8.52.
    public struct LESetAdvertisingSetRandomAddress: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetAdvertisingSetRandomAddress
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The set, 0x00 to 0xEF.
        public var advertisingHandle: UInt8 = 0
        /// The address.
        public var address = BluetoothAddress.zero

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(advertisingHandle: UInt8, address: BluetoothAddress) {
            self.advertisingHandle = advertisingHandle
            self.address = address
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("advertising handle", &advertisingHandle)
            try v.address("random address", &address)
        }
    }

    /// Makes an advertising set, or changes it. Core 5.4, Vol 4, Part E, 7.8.53.
    public struct LESetExtendedAdvertisingParameters: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetExtendedAdvertisingParameters

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// dBm, as chosen by the controller.
            public var txPower: Int8 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(txPower: Int8) {
                self.txPower = txPower
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("selected TX power", &txPower)
            }
        }

        /// The set, 0x00 to 0xEF.
        public var advertisingHandle: UInt8 = 0
        /// What is sent.
        public var properties = AdvertisingProperties(rawValue: 0)
        /// Units of 0.625 ms, 0x000020 to 0xFFFFFF.
        public var intervalMinimum: UInt32 = 0
        /// Units of 0.625 ms, 0x000020 to 0xFFFFFF.
        public var intervalMaximum: UInt32 = 0
        /// Bits 0 to 2: channels 37, 38, 39.
        public var channelMap: UInt8 = 0
        /// Which own address to use.
        public var ownAddressType = OwnAddressType(rawValue: 0)
        /// Public or random (identity).
        public var peerAddressKind = DeviceAddress.Kind.public
        /// The peer of directed advertising, or whose entry of the resolving list is used.
        public var peerAddress = BluetoothAddress.zero
        /// Bit 0: scan requests, bit 1: connections only from the filter accept list.
        public var filterPolicy: UInt8 = 0
        /// dBm, -127 to 20; 127: no preference.
        public var txPower: Int8 = 0
        /// LE 1M or LE Coded.
        public var primaryPHY = PHY(rawValue: 0)
        /// Events that may be left out on the secondary channel.
        public var maximumSkip: UInt8 = 0
        /// LE 1M, LE 2M or LE Coded.
        public var secondaryPHY = PHY(rawValue: 0)
        /// Number of the set on the air, 0x00 to 0x0F.
        public var sid: UInt8 = 0
        /// True for LE Scan Request Received events.
        public var notifiesScanRequests = false

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(
            advertisingHandle: UInt8, properties: AdvertisingProperties, intervalMinimum: UInt32,
            intervalMaximum: UInt32, channelMap: UInt8, ownAddressType: OwnAddressType,
            peerAddressKind: DeviceAddress.Kind, peerAddress: BluetoothAddress, filterPolicy: UInt8, txPower: Int8,
            primaryPHY: PHY, maximumSkip: UInt8, secondaryPHY: PHY, sid: UInt8, notifiesScanRequests: Bool
        ) {
            self.advertisingHandle = advertisingHandle
            self.properties = properties
            self.intervalMinimum = intervalMinimum
            self.intervalMaximum = intervalMaximum
            self.channelMap = channelMap
            self.ownAddressType = ownAddressType
            self.peerAddressKind = peerAddressKind
            self.peerAddress = peerAddress
            self.filterPolicy = filterPolicy
            self.txPower = txPower
            self.primaryPHY = primaryPHY
            self.maximumSkip = maximumSkip
            self.secondaryPHY = secondaryPHY
            self.sid = sid
            self.notifiesScanRequests = notifiesScanRequests
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("advertising handle", &advertisingHandle)
            try v.code("advertising event properties", &properties)
            try v.uint24("primary advertising interval min", &intervalMinimum)
            try v.uint24("primary advertising interval max", &intervalMaximum)
            try v.field("primary advertising channel map", &channelMap)
            try v.code("own address type", &ownAddressType)
            try v.code("peer address type", &peerAddressKind)
            try v.address("peer address", &peerAddress)
            try v.field("advertising filter policy", &filterPolicy)
            try v.field("advertising TX power", &txPower)
            try v.code("primary advertising PHY", &primaryPHY)
            try v.field("secondary advertising max skip", &maximumSkip)
            try v.code("secondary advertising PHY", &secondaryPHY)
            try v.field("advertising SID", &sid)
            try v.flag("scan request notification enable", &notifiesScanRequests)
        }
    }

    /// Sets what a set advertises, or a part of it. Core 5.4, Vol 4, Part E, 7.8.54.
    public struct LESetExtendedAdvertisingData: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetExtendedAdvertisingData
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The set, 0x00 to 0xEF.
        public var advertisingHandle: UInt8 = 0
        /// Which part of the data this is.
        public var operation = DataOperation(rawValue: 0)
        /// 0: the controller may cut the data into fragments; 1: it should not.
        public var allowsFragments: UInt8 = 0
        /// At most 251 octets.
        public var data: [UInt8] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(advertisingHandle: UInt8, operation: DataOperation, allowsFragments: UInt8, data: [UInt8]) {
            self.advertisingHandle = advertisingHandle
            self.operation = operation
            self.allowsFragments = allowsFragments
            self.data = data
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("advertising handle", &advertisingHandle)
            try v.code("operation", &operation)
            try v.field("fragment preference", &allowsFragments)
            try v.counted("advertising data", &data)
        }
    }

    /// Sets what a set answers to scan requests, or a part of it. Core 5.4, Vol 4, Part E, 7.8.55.
    public struct LESetExtendedScanResponseData: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetExtendedScanResponseData
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The set, 0x00 to 0xEF.
        public var advertisingHandle: UInt8 = 0
        /// Which part of the data this is.
        public var operation = DataOperation(rawValue: 0)
        /// 0: the controller may cut the data into fragments; 1: it should not.
        public var allowsFragments: UInt8 = 0
        /// At most 251 octets.
        public var data: [UInt8] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(advertisingHandle: UInt8, operation: DataOperation, allowsFragments: UInt8, data: [UInt8]) {
            self.advertisingHandle = advertisingHandle
            self.operation = operation
            self.allowsFragments = allowsFragments
            self.data = data
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("advertising handle", &advertisingHandle)
            try v.code("operation", &operation)
            try v.field("fragment preference", &allowsFragments)
            try v.counted("scan response data", &data)
        }
    }

    /// Starts or stops extended advertising of some sets, or stops it of all. Core 5.4, Vol 4, Part E, 7.8.56.
    public struct LESetExtendedAdvertisingEnable: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetExtendedAdvertisingEnable
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty

        /// One set, and when it shall stop by itself.
        public struct AdvertisingSet: WirePacket, Hashable {
            /// The set, 0x00 to 0xEF.
            public var advertisingHandle: UInt8 = 0
            /// Units of 10 ms; 0: until stopped.
            public var duration: UInt16 = 0
            /// Events after which it stops; 0: no limit.
            public var maximumEvents: UInt8 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(advertisingHandle: UInt8, duration: UInt16, maximumEvents: UInt8) {
                self.advertisingHandle = advertisingHandle
                self.duration = duration
                self.maximumEvents = maximumEvents
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("advertising handle", &advertisingHandle)
                try v.field("duration", &duration)
                try v.field("max extended advertising events", &maximumEvents)
            }
        }

        /// True to start.
        public var enable = false
        /// The sets, each once; none: stop all.
        public var sets: [AdvertisingSet] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(enable: Bool, sets: [AdvertisingSet]) {
            self.enable = enable
            self.sets = sets
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.flag("enable", &enable)
            var count = UInt8(truncatingIfNeeded: sets.count)
            try v.field("num sets", &count)
            try v.repeated("sets", &sets, count: v.remaining == nil ? sets.count : Int(count))
        }
    }

    /// Reads how much data a set can hold. Core 5.4, Vol 4, Part E, 7.8.57.
    public struct LEReadMaximumAdvertisingDataLength: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadMaximumAdvertisingDataLength

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// Octets, 0x001F to 0x0672.
            public var length: UInt16 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(length: UInt16) {
                self.length = length
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("max advertising data length", &length)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Reads how many sets there can be at once. Core 5.4, Vol 4, Part E, 7.8.58.
    public struct LEReadNumberOfSupportedAdvertisingSets: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadNumberOfSupportedAdvertisingSets

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// 1 to 240.
            public var count: UInt8 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(count: UInt8) {
                self.count = count
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("num supported advertising sets", &count)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Removes a set that does not advertise. Core 5.4, Vol 4, Part E, 7.8.59.
    public struct LERemoveAdvertisingSet: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leRemoveAdvertisingSet
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The set, 0x00 to 0xEF.
        public var advertisingHandle: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(advertisingHandle: UInt8) {
            self.advertisingHandle = advertisingHandle
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("advertising handle", &advertisingHandle)
        }
    }

    /// Removes all sets; none may advertise. Core 5.4, Vol 4, Part E, 7.8.60.
    public struct LEClearAdvertisingSets: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leClearAdvertisingSets
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }
}
