// SPDX-License-Identifier: Apache-2.0

extension AdvertisingData {
    /// A broadcast isochronous group. Core 5.4, Vol 6, Part B, 4.4.6.11.
    public struct BIGInfo: WirePacket, Hashable {
        /// Time to the next BIG event, in units of 30 µs or 300 µs.
        public var offset: UInt16 = 0
        /// 0: the unit of the offset is 30 µs; 1: 300 µs.
        public var offsetUnits: UInt8 = 0
        /// Time between BIG events in units of 1.25 ms.
        public var isoInterval: UInt16 = 0
        /// Streams in the group, 1 to 31.
        public var streamCount: UInt8 = 0
        /// Subevents in each BIG event, 1 to 31.
        public var subeventCount: UInt8 = 0
        /// New payloads in each BIS event.
        public var burstNumber: UInt8 = 0
        /// Time between subevents in µs.
        public var subInterval: UInt32 = 0
        /// Offset in BIG events of payloads sent ahead.
        public var pretransmissionOffset: UInt8 = 0
        /// Time between streams in µs.
        public var bisSpacing: UInt32 = 0
        /// How often each payload is sent.
        public var repetitionCount: UInt8 = 0
        /// Largest PDU in octets.
        public var maxPDU: UInt8 = 0
        /// Reserved.
        public var reserved: UInt8 = 0
        /// Seed of the access addresses.
        public var seedAccessAddress: UInt32 = 0
        /// Time between SDUs in µs.
        public var sduInterval: UInt32 = 0
        /// Largest SDU in octets.
        public var maxSDU: UInt16 = 0
        /// Base of the CRC start values.
        public var baseCRCInit: UInt16 = 0
        /// One bit for each of the 37 data channels.
        public var channelMap: UInt64 = 0
        /// 0 LE 1M, 1 LE 2M, 2 LE Coded.
        public var phy: UInt8 = 0
        /// Counts payloads; 39 bits.
        public var payloadCount: UInt64 = 0
        /// 0 unframed, 1 framed.
        public var framing: UInt8 = 0
        /// Initialization vector of an encrypted group (8 octets) and its session key diversifier (16 octets); else empty.
        public var encryption: [UInt8] = []

        /// All zeros.
        public init() {}

        /// Lists the fields in wire order.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.bits("BIG offset", &offset, width: 14, unit: 32)
            try v.bits("BIG offset units", &offsetUnits, width: 1, unit: 32)
            try v.bits("ISO interval", &isoInterval, width: 12, unit: 32)
            try v.bits("number of BIS", &streamCount, width: 5, unit: 32)
            try v.bits("number of subevents", &subeventCount, width: 5, unit: 32)
            try v.bits("burst number", &burstNumber, width: 3, unit: 32)
            try v.bits("sub interval", &subInterval, width: 20, unit: 32)
            try v.bits("pretransmission offset", &pretransmissionOffset, width: 4, unit: 32)
            try v.bits("BIS spacing", &bisSpacing, width: 20, unit: 32)
            try v.bits("immediate repetition count", &repetitionCount, width: 4, unit: 32)
            try v.bits("maximum PDU", &maxPDU, width: 8, unit: 32)
            try v.field("reserved", &reserved)
            try v.field("seed access address", &seedAccessAddress)
            try v.bits("SDU interval", &sduInterval, width: 20, unit: 32)
            try v.bits("maximum SDU", &maxSDU, width: 12, unit: 32)
            try v.field("base CRC init", &baseCRCInit)
            try v.bits("channel map", &channelMap, width: 37, unit: 40)
            try v.bits("PHY", &phy, width: 3, unit: 40)
            try v.bits("payload count", &payloadCount, width: 39, unit: 40)
            try v.bits("framing", &framing, width: 1, unit: 40)
            let start = v.offset
            try v.rest("encryption", &encryption)
            guard encryption.isEmpty || encryption.count == 24 else { throw .invalid("encryption", at: start) }
        }
    }

    /// Where a device is. Indoor Positioning Service, 3.2; Core Specification Supplement, Part A, 1.13.
    public struct IndoorPosition: WirePacket, Hashable {
        /// Two coordinates in one of two systems.
        public enum Coordinates: Hashable, Sendable {
            /// Latitude and longitude in units of the service, as sent.
            case wgs84(latitude: Int32, longitude: Int32)
            /// North and east of a local origin in decimeters.
            case local(north: Int16, east: Int16)
        }

        /// Where the device is.
        public var coordinates: Coordinates?
        /// Transmit power at the antenna in dBm.
        public var txPower: Int8?
        /// The floor, offset by 20 (a value of 20 is floor 0).
        public var floor: UInt8?
        /// Height in centimeters above 0 of the system, offset by 1000.
        public var altitude: UInt16?
        /// Precision and the time it holds.
        public var uncertainty: UInt8?
        /// The location's name can be read by GATT (bit 6).
        public var hasLocationName = false

        /// Nothing known.
        public init() {}

        private var flags: UInt8 {
            var flags: UInt8 = hasLocationName ? 0x40 : 0
            switch coordinates {
            case .wgs84: flags |= 0x01
            case .local: flags |= 0x03
            case nil: break
            }
            if txPower != nil { flags |= 0x04 }
            if altitude != nil { flags |= 0x08 }
            if floor != nil { flags |= 0x10 }
            if uncertainty != nil { flags |= 0x20 }
            return flags
        }

        /// Lists the fields in wire order.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            var flags = self.flags
            try v.field("flags", &flags)
            hasLocationName = flags & 0x40 != 0
            if flags & 0x01 == 0 {
                coordinates = nil
            } else if flags & 0x02 == 0 {
                var latitude: Int32 = 0
                var longitude: Int32 = 0
                if case .wgs84(let a, let b) = coordinates { (latitude, longitude) = (a, b) }
                try v.field("latitude", &latitude)
                try v.field("longitude", &longitude)
                coordinates = .wgs84(latitude: latitude, longitude: longitude)
            } else {
                var north: Int16 = 0
                var east: Int16 = 0
                if case .local(let a, let b) = coordinates { (north, east) = (a, b) }
                try v.field("local north", &north)
                try v.field("local east", &east)
                coordinates = .local(north: north, east: east)
            }
            try Self.optional("tx power", &txPower, flags & 0x04 != 0, &v)
            try Self.optional("floor number", &floor, flags & 0x10 != 0, &v)
            try Self.optional("altitude", &altitude, flags & 0x08 != 0, &v)
            try Self.optional("uncertainty", &uncertainty, flags & 0x20 != 0, &v)
        }

        private static func optional<T: FixedWidthInteger & BitwiseCopyable & Sendable, V: FieldVisitor & ~Escapable>(
            _ name: StaticString, _ value: inout T?, _ present: Bool, _ v: inout V
        ) throws(WireError) {
            guard present else {
                value = nil
                return
            }
            var number = value ?? 0
            try v.field(name, &number)
            value = number
        }
    }
}
