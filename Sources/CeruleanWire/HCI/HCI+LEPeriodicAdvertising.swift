// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// Prepares periodic advertising of a set. Core 5.4, Vol 4, Part E, 7.8.61.
    public struct LESetPeriodicAdvertisingParameters: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetPeriodicAdvertisingParameters
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The set, 0x00 to 0xEF.
        public var advertisingHandle: UInt8 = 0
        /// Units of 1.25 ms, 0x0006 to 0xFFFF.
        public var intervalMinimum: UInt16 = 0
        /// Units of 1.25 ms, 0x0006 to 0xFFFF.
        public var intervalMaximum: UInt16 = 0
        /// Bit 6: include the transmit power.
        public var properties: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(advertisingHandle: UInt8, intervalMinimum: UInt16, intervalMaximum: UInt16, properties: UInt16) {
            self.advertisingHandle = advertisingHandle
            self.intervalMinimum = intervalMinimum
            self.intervalMaximum = intervalMaximum
            self.properties = properties
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("advertising handle", &advertisingHandle)
            try v.field("periodic advertising interval min", &intervalMinimum)
            try v.field("periodic advertising interval max", &intervalMaximum)
            try v.field("periodic advertising properties", &properties)
        }
    }

    /// Sets what a set advertises periodically, or a part of it. Core 5.4, Vol 4, Part E, 7.8.62.
    public struct LESetPeriodicAdvertisingData: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetPeriodicAdvertisingData
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The set, 0x00 to 0xEF.
        public var advertisingHandle: UInt8 = 0
        /// Which part of the data this is.
        public var operation = DataOperation(rawValue: 0)
        /// At most 252 octets.
        public var data: [UInt8] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(advertisingHandle: UInt8, operation: DataOperation, data: [UInt8]) {
            self.advertisingHandle = advertisingHandle
            self.operation = operation
            self.data = data
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("advertising handle", &advertisingHandle)
            try v.code("operation", &operation)
            try v.counted("advertising data", &data)
        }
    }

    /// Starts or stops periodic advertising of a set. Core 5.4, Vol 4, Part E, 7.8.63.
    public struct LESetPeriodicAdvertisingEnable: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetPeriodicAdvertisingEnable
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// Bit 0: on; bit 1: include the ADI field.
        public var enable: UInt8 = 0
        /// The set, 0x00 to 0xEF.
        public var advertisingHandle: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(enable: UInt8, advertisingHandle: UInt8) {
            self.enable = enable
            self.advertisingHandle = advertisingHandle
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("enable", &enable)
            try v.field("advertising handle", &advertisingHandle)
        }
    }

    /// Synchronizes to a periodic advertiser; extended scanning must find it. Core 5.4, Vol 4, Part E, 7.8.67.
    public struct LEPeriodicAdvertisingCreateSync: HCICommandWithStatus, Hashable {
        /// The command's number.
        public static let opcode = Opcode.lePeriodicAdvertisingCreateSync
        /// Bit 0: use the periodic advertiser list; bit 1: reports disabled at first; bit 2: report only changes.
        public var options: UInt8 = 0
        /// Number of the set on the air, 0x00 to 0x0F.
        public var sid: UInt8 = 0
        /// Public or random (identity).
        public var advertiserAddressKind = DeviceAddress.Kind.public
        /// The advertiser.
        public var advertiserAddress = BluetoothAddress.zero
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
        public init(
            options: UInt8, sid: UInt8, advertiserAddressKind: DeviceAddress.Kind, advertiserAddress: BluetoothAddress,
            skip: UInt16, timeout: UInt16, cteType: UInt8
        ) {
            self.options = options
            self.sid = sid
            self.advertiserAddressKind = advertiserAddressKind
            self.advertiserAddress = advertiserAddress
            self.skip = skip
            self.timeout = timeout
            self.cteType = cteType
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("options", &options)
            try v.field("advertising SID", &sid)
            try v.code("advertiser address type", &advertiserAddressKind)
            try v.address("advertiser address", &advertiserAddress)
            try v.field("skip", &skip)
            try v.field("sync timeout", &timeout)
            try v.field("sync CTE type", &cteType)
        }
    }

    /// Gives up synchronizing; LE Periodic Advertising Sync Established follows with error 0x44. Core 5.4, Vol 4,
    /// Part E, 7.8.68.
    public struct LEPeriodicAdvertisingCreateSyncCancel: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.lePeriodicAdvertisingCreateSyncCancel
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Ends a synchronization. Core 5.4, Vol 4, Part E, 7.8.69.
    public struct LEPeriodicAdvertisingTerminateSync: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.lePeriodicAdvertisingTerminateSync
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The synchronization, 0x0000 to 0x0EFF.
        public var syncHandle: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(syncHandle: UInt16) {
            self.syncHandle = syncHandle
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("sync handle", &syncHandle)
        }
    }
}
