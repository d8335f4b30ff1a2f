// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// Adds to the periodic advertiser list. Core 5.4, Vol 4, Part E, 7.8.70.
    public struct LEAddDeviceToPeriodicAdvertiserList: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leAddDeviceToPeriodicAdvertiserList
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// Public or random (identity).
        public var advertiserAddressKind = DeviceAddress.Kind.public
        /// The advertiser.
        public var advertiserAddress = BluetoothAddress.zero
        /// Number of the set on the air, 0x00 to 0x0F.
        public var sid: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(advertiserAddressKind: DeviceAddress.Kind, advertiserAddress: BluetoothAddress, sid: UInt8) {
            self.advertiserAddressKind = advertiserAddressKind
            self.advertiserAddress = advertiserAddress
            self.sid = sid
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("advertiser address type", &advertiserAddressKind)
            try v.address("advertiser address", &advertiserAddress)
            try v.field("advertising SID", &sid)
        }
    }

    /// Removes from the periodic advertiser list. Core 5.4, Vol 4, Part E, 7.8.71.
    public struct LERemoveDeviceFromPeriodicAdvertiserList: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leRemoveDeviceFromPeriodicAdvertiserList
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// Public or random (identity).
        public var advertiserAddressKind = DeviceAddress.Kind.public
        /// The advertiser.
        public var advertiserAddress = BluetoothAddress.zero
        /// Number of the set on the air, 0x00 to 0x0F.
        public var sid: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(advertiserAddressKind: DeviceAddress.Kind, advertiserAddress: BluetoothAddress, sid: UInt8) {
            self.advertiserAddressKind = advertiserAddressKind
            self.advertiserAddress = advertiserAddress
            self.sid = sid
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("advertiser address type", &advertiserAddressKind)
            try v.address("advertiser address", &advertiserAddress)
            try v.field("advertising SID", &sid)
        }
    }

    /// Empties the periodic advertiser list. Core 5.4, Vol 4, Part E, 7.8.72.
    public struct LEClearPeriodicAdvertiserList: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leClearPeriodicAdvertiserList
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Reads how many advertisers the periodic advertiser list holds. Core 5.4, Vol 4, Part E, 7.8.73.
    public struct LEReadPeriodicAdvertiserListSize: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadPeriodicAdvertiserListSize

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
                try v.field("periodic advertiser list size", &size)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Turns the reports of a synchronization on or off. Core 5.4, Vol 4, Part E, 7.8.88.
    public struct LESetPeriodicAdvertisingReceiveEnable: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetPeriodicAdvertisingReceiveEnable
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The synchronization, 0x0000 to 0x0EFF.
        public var syncHandle: UInt16 = 0
        /// Bit 0: reports; bit 1: only of changes.
        public var enable: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(syncHandle: UInt16, enable: UInt8) {
            self.syncHandle = syncHandle
            self.enable = enable
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("sync handle", &syncHandle)
            try v.field("enable", &enable)
        }
    }

    /// Hands a synchronization over to a connected peer. Core 5.4, Vol 4, Part E, 7.8.89.
    public struct LEPeriodicAdvertisingSyncTransfer: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.lePeriodicAdvertisingSyncTransfer

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
        /// Chosen by the host, told to the peer.
        public var serviceData: UInt16 = 0
        /// The synchronization, 0x0000 to 0x0EFF.
        public var syncHandle: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(handle: UInt16, serviceData: UInt16, syncHandle: UInt16) {
            self.handle = handle
            self.serviceData = serviceData
            self.syncHandle = syncHandle
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
            try v.field("service data", &serviceData)
            try v.field("sync handle", &syncHandle)
        }
    }

    /// Tells a connected peer of our own periodic advertising. Core 5.4, Vol 4, Part E, 7.8.90.
    public struct LEPeriodicAdvertisingSetInfoTransfer: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.lePeriodicAdvertisingSetInfoTransfer

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
        /// Chosen by the host, told to the peer.
        public var serviceData: UInt16 = 0
        /// The set, 0x00 to 0xEF.
        public var advertisingHandle: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(handle: UInt16, serviceData: UInt16, advertisingHandle: UInt8) {
            self.handle = handle
            self.serviceData = serviceData
            self.advertisingHandle = advertisingHandle
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
            try v.field("service data", &serviceData)
            try v.field("advertising handle", &advertisingHandle)
        }
    }

    /// Says what to do with synchronizations that a peer hands over. Core 5.4, Vol 4, Part E, 7.8.91.
    public struct LESetPeriodicAdvertisingSyncTransferParameters: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetPeriodicAdvertisingSyncTransferParameters

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
        /// 0: ignore; 1: no reports; 2: reports; 3: reports of changes.
        public var mode: UInt8 = 0
        /// Events that may be left out after one was received, 0 to 499.
        public var skip: UInt16 = 0
        /// Units of 10 ms, 0x000A to 0x4000.
        public var timeout: UInt16 = 0
        /// Bits 0 to 4: constant tone extensions not to synchronize to.
        public var cteType: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(handle: UInt16, mode: UInt8, skip: UInt16, timeout: UInt16, cteType: UInt8) {
            self.handle = handle
            self.mode = mode
            self.skip = skip
            self.timeout = timeout
            self.cteType = cteType
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
            try v.field("mode", &mode)
            try v.field("skip", &skip)
            try v.field("sync timeout", &timeout)
            try v.field("CTE type", &cteType)
        }
    }

    /// Says the same for connections to come. Core 5.4, Vol 4, Part E, 7.8.92.
    public struct LESetDefaultPeriodicAdvertisingSyncTransferParameters: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetDefaultPeriodicAdvertisingSyncTransferParameters
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// 0: ignore; 1: no reports; 2: reports; 3: reports of changes.
        public var mode: UInt8 = 0
        /// Events that may be left out after one was received, 0 to 499.
        public var skip: UInt16 = 0
        /// Units of 10 ms, 0x000A to 0x4000.
        public var timeout: UInt16 = 0
        /// Bits 0 to 4: constant tone extensions not to synchronize to.
        public var cteType: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(mode: UInt8, skip: UInt16, timeout: UInt16, cteType: UInt8) {
            self.mode = mode
            self.skip = skip
            self.timeout = timeout
            self.cteType = cteType
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("mode", &mode)
            try v.field("skip", &skip)
            try v.field("sync timeout", &timeout)
            try v.field("CTE type", &cteType)
        }
    }
}
