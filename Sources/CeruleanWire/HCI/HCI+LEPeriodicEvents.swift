// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// A synchronization was made, or could not be. Core 5.4, Vol 4, Part E, 7.7.65.14.
    public struct LEPeriodicAdvertisingSyncEstablished: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.periodicAdvertisingSyncEstablished
        /// 0x00, or why it failed.
        public var status = ErrorCode(rawValue: 0)
        /// The synchronization, 0x0000 to 0x0EFF.
        public var syncHandle: UInt16 = 0
        /// Number of the set on the air.
        public var sid: UInt8 = 0
        /// Public, random, or an identity of either.
        public var advertiserAddressKind = DeviceAddress.Kind.public
        /// The advertiser.
        public var advertiserAddress = BluetoothAddress.zero
        /// Mode of the advertiser.
        public var phy = PHY(rawValue: 0)
        /// Units of 1.25 ms.
        public var interval: UInt16 = 0
        /// 0 (500 ppm) to 7 (20 ppm).
        public var clockAccuracy: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(
            status: ErrorCode, syncHandle: UInt16, sid: UInt8, advertiserAddressKind: DeviceAddress.Kind,
            advertiserAddress: BluetoothAddress, phy: PHY, interval: UInt16, clockAccuracy: UInt8
        ) {
            self.status = status
            self.syncHandle = syncHandle
            self.sid = sid
            self.advertiserAddressKind = advertiserAddressKind
            self.advertiserAddress = advertiserAddress
            self.phy = phy
            self.interval = interval
            self.clockAccuracy = clockAccuracy
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("status", &status)
            try v.field("sync handle", &syncHandle)
            try v.field("advertising SID", &sid)
            try v.code("advertiser address type", &advertiserAddressKind)
            try v.address("advertiser address", &advertiserAddress)
            try v.code("advertiser PHY", &phy)
            try v.field("periodic advertising interval", &interval)
            try v.field("advertiser clock accuracy", &clockAccuracy)
        }
    }

    /// A part of what a periodic advertiser sent. Core 5.4, Vol 4, Part E, 7.7.65.15.
    public struct LEPeriodicAdvertisingReport: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.periodicAdvertisingReport
        /// The synchronization, 0x0000 to 0x0EFF.
        public var syncHandle: UInt16 = 0
        /// dBm as the advertiser tells it; 127: not told.
        public var txPower: Int8 = 0
        /// Received signal strength in dBm; 127 when it is not known.
        public var rssi: Int8 = 0
        /// Constant tone extension; 0xFF: none.
        public var cteType: UInt8 = 0
        /// Whether more parts follow.
        public var dataStatus = DataStatus(rawValue: 0)
        /// At most 247 octets.
        public var data: [UInt8] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(
            syncHandle: UInt16, txPower: Int8, rssi: Int8, cteType: UInt8, dataStatus: DataStatus, data: [UInt8]
        ) {
            self.syncHandle = syncHandle
            self.txPower = txPower
            self.rssi = rssi
            self.cteType = cteType
            self.dataStatus = dataStatus
            self.data = data
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("sync handle", &syncHandle)
            try v.field("TX power", &txPower)
            try v.field("RSSI", &rssi)
            try v.field("CTE type", &cteType)
            try v.code("data status", &dataStatus)
            try v.counted("data", &data)
        }
    }

    /// A synchronization was lost. Core 5.4, Vol 4, Part E, 7.7.65.16.
    public struct LEPeriodicAdvertisingSyncLost: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.periodicAdvertisingSyncLost
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

    /// A connected peer handed a synchronization over. Core 5.4, Vol 4, Part E, 7.7.65.24.
    public struct LEPeriodicAdvertisingSyncTransferReceived: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.periodicAdvertisingSyncTransferReceived
        /// 0x00, or why it failed.
        public var status = ErrorCode(rawValue: 0)
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
        /// Chosen by the host, told to the peer.
        public var serviceData: UInt16 = 0
        /// The synchronization, 0x0000 to 0x0EFF.
        public var syncHandle: UInt16 = 0
        /// Number of the set on the air.
        public var sid: UInt8 = 0
        /// Public, random, or an identity of either.
        public var advertiserAddressKind = DeviceAddress.Kind.public
        /// The advertiser.
        public var advertiserAddress = BluetoothAddress.zero
        /// Mode of the advertiser.
        public var phy = PHY(rawValue: 0)
        /// Units of 1.25 ms.
        public var interval: UInt16 = 0
        /// 0 (500 ppm) to 7 (20 ppm).
        public var clockAccuracy: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(
            status: ErrorCode, handle: UInt16, serviceData: UInt16, syncHandle: UInt16, sid: UInt8,
            advertiserAddressKind: DeviceAddress.Kind, advertiserAddress: BluetoothAddress, phy: PHY, interval: UInt16,
            clockAccuracy: UInt8
        ) {
            self.status = status
            self.handle = handle
            self.serviceData = serviceData
            self.syncHandle = syncHandle
            self.sid = sid
            self.advertiserAddressKind = advertiserAddressKind
            self.advertiserAddress = advertiserAddress
            self.phy = phy
            self.interval = interval
            self.clockAccuracy = clockAccuracy
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("status", &status)
            try v.field("connection handle", &handle)
            try v.field("service data", &serviceData)
            try v.field("sync handle", &syncHandle)
            try v.field("advertising SID", &sid)
            try v.code("advertiser address type", &advertiserAddressKind)
            try v.address("advertiser address", &advertiserAddress)
            try v.code("advertiser PHY", &phy)
            try v.field("periodic advertising interval", &interval)
            try v.field("advertiser clock accuracy", &clockAccuracy)
        }
    }

    /// Extended scanning ended because its duration is over. Core 5.4, Vol 4, Part E, 7.7.65.17.
    public struct LEScanTimeout: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.scanTimeout

        /// The event; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// A scanner asked one of our sets for its scan response. Core 5.4, Vol 4, Part E, 7.7.65.19.
    public struct LEScanRequestReceived: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.scanRequestReceived
        /// The set, 0x00 to 0xEF.
        public var advertisingHandle: UInt8 = 0
        /// Public, random, or an identity of either.
        public var scannerAddressKind = DeviceAddress.Kind.public
        /// The scanner.
        public var scannerAddress = BluetoothAddress.zero

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(
            advertisingHandle: UInt8, scannerAddressKind: DeviceAddress.Kind, scannerAddress: BluetoothAddress
        ) {
            self.advertisingHandle = advertisingHandle
            self.scannerAddressKind = scannerAddressKind
            self.scannerAddress = scannerAddress
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("advertising handle", &advertisingHandle)
            try v.code("scanner address type", &scannerAddressKind)
            try v.address("scanner address", &scannerAddress)
        }
    }
}
