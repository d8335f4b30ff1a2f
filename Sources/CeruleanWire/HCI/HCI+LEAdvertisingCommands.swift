// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// Sets the random address. Core 5.4, Vol 4, Part E, 7.8.4.
    public struct LESetRandomAddress: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetRandomAddress
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The address.
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
            try v.address("random address", &address)
        }
    }

    /// Prepares legacy advertising. Core 5.4, Vol 4, Part E, 7.8.5.
    public struct LESetAdvertisingParameters: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetAdvertisingParameters
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// Units of 0.625 ms, 0x0020 to 0x4000.
        public var intervalMinimum: UInt16 = 0
        /// Units of 0.625 ms, 0x0020 to 0x4000.
        public var intervalMaximum: UInt16 = 0
        /// What is sent.
        public var type = AdvertisingType(rawValue: 0)
        /// Which own address to use.
        public var ownAddressType = OwnAddressType(rawValue: 0)
        /// Public, random, or an identity of either.
        public var peerAddressKind = DeviceAddress.Kind.public
        /// The peer.
        public var peerAddress = BluetoothAddress.zero
        /// Bits 0 to 2: channels 37, 38, 39.
        public var channelMap: UInt8 = 0
        /// Bit 0: scan requests, bit 1: connections only from the filter accept list.
        public var filterPolicy: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(
            intervalMinimum: UInt16, intervalMaximum: UInt16, type: AdvertisingType, ownAddressType: OwnAddressType,
            peerAddressKind: DeviceAddress.Kind, peerAddress: BluetoothAddress, channelMap: UInt8,
            filterPolicy: UInt8
        ) {
            self.intervalMinimum = intervalMinimum
            self.intervalMaximum = intervalMaximum
            self.type = type
            self.ownAddressType = ownAddressType
            self.peerAddressKind = peerAddressKind
            self.peerAddress = peerAddress
            self.channelMap = channelMap
            self.filterPolicy = filterPolicy
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("advertising interval min", &intervalMinimum)
            try v.field("advertising interval max", &intervalMaximum)
            try v.code("advertising type", &type)
            try v.code("own address type", &ownAddressType)
            try v.code("peer address type", &peerAddressKind)
            try v.address("peer address", &peerAddress)
            try v.field("advertising channel map", &channelMap)
            try v.field("advertising filter policy", &filterPolicy)
        }
    }

    /// Reads the power of legacy advertising. Core 5.4, Vol 4, Part E, 7.8.6.
    public struct LEReadAdvertisingChannelTXPower: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadAdvertisingChannelTXPower

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// dBm.
            public var level: Int8 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(level: Int8) {
                self.level = level
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("TX power level", &level)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Sets what is advertised. Core 5.4, Vol 4, Part E, 7.8.7.
    public struct LESetAdvertisingData: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetAdvertisingData
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// At most 31 octets.
        public var data: [UInt8] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(data: [UInt8]) {
            self.data = data
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.legacyAdvertisingData("advertising data", &data)
        }
    }

    /// Sets what is answered to scan requests. Core 5.4, Vol 4, Part E, 7.8.8.
    public struct LESetScanResponseData: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetScanResponseData
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// At most 31 octets.
        public var data: [UInt8] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(data: [UInt8]) {
            self.data = data
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.legacyAdvertisingData("scan response data", &data)
        }
    }

    /// Starts or stops legacy advertising. Core 5.4, Vol 4, Part E, 7.8.9.
    public struct LESetAdvertisingEnable: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetAdvertisingEnable
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// True to start.
        public var enable = false

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(enable: Bool) {
            self.enable = enable
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.flag("advertising enable", &enable)
        }
    }

    /// Prepares legacy scanning. Core 5.4, Vol 4, Part E, 7.8.10.
    public struct LESetScanParameters: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetScanParameters
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// Passive or active.
        public var type = ScanType(rawValue: 0)
        /// Units of 0.625 ms, 0x0004 to 0x4000.
        public var interval: UInt16 = 0
        /// Units of 0.625 ms, at most the interval.
        public var window: UInt16 = 0
        /// Which own address to use.
        public var ownAddressType = OwnAddressType(rawValue: 0)
        /// Bit 0: only advertisers on the filter accept list; bit 1: also directed ones to an unresolved address.
        public var filterPolicy: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(
            type: ScanType, interval: UInt16, window: UInt16, ownAddressType: OwnAddressType, filterPolicy: UInt8
        ) {
            self.type = type
            self.interval = interval
            self.window = window
            self.ownAddressType = ownAddressType
            self.filterPolicy = filterPolicy
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("LE scan type", &type)
            try v.field("LE scan interval", &interval)
            try v.field("LE scan window", &window)
            try v.code("own address type", &ownAddressType)
            try v.field("scanning filter policy", &filterPolicy)
        }
    }

    /// Starts or stops legacy scanning. Core 5.4, Vol 4, Part E, 7.8.11.
    public struct LESetScanEnable: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetScanEnable
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// True to start.
        public var enable = false
        /// True to report each advertiser once.
        public var filterDuplicates = false

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(enable: Bool, filterDuplicates: Bool) {
            self.enable = enable
            self.filterDuplicates = filterDuplicates
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.flag("LE scan enable", &enable)
            try v.flag("filter duplicates", &filterDuplicates)
        }
    }

    /// Reads how many devices the filter accept list holds. Core 5.4, Vol 4, Part E, 7.8.14.
    public struct LEReadFilterAcceptListSize: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadFilterAcceptListSize

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// Entries.
            public var size: UInt8 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(size: UInt8) {
                self.size = size
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("filter accept list size", &size)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Empties the filter accept list. Core 5.4, Vol 4, Part E, 7.8.15.
    public struct LEClearFilterAcceptList: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leClearFilterAcceptList
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Adds to the filter accept list. Core 5.4, Vol 4, Part E, 7.8.16.
    public struct LEAddDeviceToFilterAcceptList: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leAddDeviceToFilterAcceptList
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// Public, random, or 0xFF for anonymous advertisers.
        public var addressKind = DeviceAddress.Kind.public
        /// The device.
        public var address = BluetoothAddress.zero

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(addressKind: DeviceAddress.Kind, address: BluetoothAddress) {
            self.addressKind = addressKind
            self.address = address
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("address type", &addressKind)
            try v.address("address", &address)
        }
    }

    /// Removes from the filter accept list. Core 5.4, Vol 4, Part E, 7.8.17.
    public struct LERemoveDeviceFromFilterAcceptList: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leRemoveDeviceFromFilterAcceptList
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// Public, random, or 0xFF for anonymous advertisers.
        public var addressKind = DeviceAddress.Kind.public
        /// The device.
        public var address = BluetoothAddress.zero

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(addressKind: DeviceAddress.Kind, address: BluetoothAddress) {
            self.addressKind = addressKind
            self.address = address
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("address type", &addressKind)
            try v.address("address", &address)
        }
    }
}
