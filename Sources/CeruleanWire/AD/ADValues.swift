// SPDX-License-Identifier: Apache-2.0

extension AdvertisingData {
    /// How a device can be discovered. Core Specification Supplement, Part A, 1.3.
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The first octet.
        public let rawValue: UInt8
        /// Wraps the first octet.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Discoverable for a short time (bit 0).
        public static let limitedDiscoverable = Self(rawValue: 0x01)
        /// Discoverable for as long as it takes (bit 1).
        public static let generalDiscoverable = Self(rawValue: 0x02)
        /// Does not speak BR/EDR (bit 2).
        public static let brEDRNotSupported = Self(rawValue: 0x04)
        /// The controller can do LE and BR/EDR at once (bit 3).
        public static let simultaneousController = Self(rawValue: 0x08)
        /// The host can do LE and BR/EDR at once (bit 4, no longer used).
        public static let simultaneousHost = Self(rawValue: 0x10)
    }

    /// What out of band data there is. Core Specification Supplement, Part A, 1.7.
    public struct OOBFlags: OptionSet, Hashable, Sendable {
        /// The octet.
        public let rawValue: UInt8
        /// Wraps the octet.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Out of band data is present (bit 0).
        public static let dataPresent = Self(rawValue: 0x01)
        /// The host speaks LE (bit 1).
        public static let leSupported = Self(rawValue: 0x02)
        /// The host can do LE and BR/EDR at once (bit 2, no longer used).
        public static let simultaneousHost = Self(rawValue: 0x04)
        /// The address is random (bit 3).
        public static let randomAddress = Self(rawValue: 0x08)
    }

    /// Which roles a device can take. Core Specification Supplement, Part A, 1.17.
    public struct Role: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Peripheral only (0).
        public static let peripheralOnly = Self(rawValue: 0)
        /// Central only (1).
        public static let centralOnly = Self(rawValue: 1)
        /// Both; rather peripheral (2).
        public static let peripheralPreferred = Self(rawValue: 2)
        /// Both; rather central (3).
        public static let centralPreferred = Self(rawValue: 3)
    }

    /// How many octets each UUID of a list takes.
    public enum UUIDWidth: Int, Hashable, Sendable, CaseIterable {
        /// 2 octets.
        case two = 2
        /// 4 octets.
        case four = 4
        /// 16 octets.
        case sixteen = 16

        /// The shortest form of `uuid`.
        public init(of uuid: BluetoothUUID) {
            self = uuid.short != nil ? .two : uuid.medium != nil ? .four : .sixteen
        }
    }

    /// A range of connection intervals. Core Specification Supplement, Part A, 1.9.
    public struct IntervalRange: WirePacket, Hashable {
        /// Shortest interval in units of 1.25 ms, 6 to 3200; 0xFFFF: none given.
        public var minimum: UInt16 = 0xFFFF
        /// Longest interval in units of 1.25 ms, 6 to 3200; 0xFFFF: none given.
        public var maximum: UInt16 = 0xFFFF
        /// No preference.
        public init() {}
        /// A range in units of 1.25 ms.
        public init(minimum: UInt16, maximum: UInt16) {
            self.minimum = minimum
            self.maximum = maximum
        }
        /// Lists the fields in wire order.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("minimum", &minimum)
            try v.field("maximum", &maximum)
        }
    }

    /// A device's vendor, product and version in BR/EDR data. Device Identification Profile.
    public struct DeviceID: WirePacket, Hashable {
        /// Who assigned the vendor: 1 Bluetooth SIG, 2 USB Implementers Forum.
        public var vendorSource: UInt16 = 0
        /// The vendor.
        public var vendor: UInt16 = 0
        /// The product.
        public var product: UInt16 = 0
        /// The version, 0xJJMN.
        public var version: UInt16 = 0
        /// All zeros.
        public init() {}
        /// Lists the fields in wire order.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("vendor source", &vendorSource)
            try v.field("vendor", &vendor)
            try v.field("product", &product)
            try v.field("version", &version)
        }
    }

    /// A channel map that comes into force at a periodic event. Core Specification Supplement, Part A, 1.20.
    public struct ChannelMapUpdate: WirePacket, Hashable {
        /// One bit for each of the 37 data channels.
        public var channelMap: UInt64 = 0
        /// The event counter from which the map is used.
        public var instant: UInt16 = 0
        /// All zeros.
        public init() {}
        /// Lists the fields in wire order.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("channel map", &channelMap, bytes: 5)
            try v.field("instant", &instant)
        }
    }

    /// One block of transport discovery data. Transport Discovery Service, 2.
    public struct TransportBlock: WirePacket, Hashable {
        /// Who defines the data: 1 Bluetooth SIG, 2 Wi-Fi Alliance NAN, 3 Wi-Fi Alliance services.
        public var organization: UInt8 = 0
        /// Role, completeness and state of the transport.
        public var flags: UInt8 = 0
        /// The data; up to 255 octets.
        public var data: [UInt8] = []
        /// An empty block.
        public init() {}
        /// Lists the fields in wire order.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("organization", &organization)
            try v.field("flags", &flags)
            guard data.count <= 0xFF else { throw WireError(offset: v.offset, reason: .tooLong) }
            var length = UInt8(data.count)
            try v.field("transport data length", &length)
            try v.bytes("transport data", &data, count: Int(length))
        }
    }

    /// A mesh provisioning packet; numbers are big-endian. Mesh Protocol, 5.2.1.
    public struct ProvisioningPacket: WirePacket, Hashable {
        /// Names the link.
        public var link: UInt32 = 0
        /// Numbers the transaction.
        public var transaction: UInt8 = 0
        /// The generic provisioning PDU, 1 to 24 octets.
        public var pdu: [UInt8] = []
        /// All zeros.
        public init() {}
        /// Lists the fields in wire order.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.bigEndian("link", &link)
            try v.field("transaction", &transaction)
            try v.rest("pdu", &pdu)
        }
    }

    /// A mesh beacon. Mesh Protocol, 3.10.
    public struct MeshBeacon: WirePacket, Hashable {
        /// 0 unprovisioned device, 1 secure network, 2 private.
        public var kind: UInt8 = 0
        /// What the kind says.
        public var data: [UInt8] = []
        /// All zeros.
        public init() {}
        /// Lists the fields in wire order.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("beacon type", &kind)
            try v.rest("data", &data)
        }
    }

    /// Advertising data that only holders of the key can read. Core Specification Supplement, Part A, 1.23.
    public struct EncryptedData: WirePacket, Hashable {
        /// Changes with the data; 5 octets.
        public var randomizer: [UInt8] = [0, 0, 0, 0, 0]
        /// The encrypted structures.
        public var payload: [UInt8] = []
        /// The integrity check; 4 octets.
        public var mic: [UInt8] = [0, 0, 0, 0]
        /// All zeros.
        public init() {}
        /// Lists the fields in wire order.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.bytes("randomizer", &randomizer, count: 5)
            let left = v.remaining ?? (payload.count + 4)
            guard left >= 4 else { throw WireError(offset: v.offset, reason: .truncated) }
            try v.bytes("payload", &payload, count: left - 4)
            try v.bytes("mic", &mic, count: 4)
        }
    }

    /// How to answer periodic advertising with responses. Core Specification Supplement, Part A, 1.24.
    public struct ResponseTiming: WirePacket, Hashable {
        /// Access address of the responses.
        public var accessAddress: UInt32 = 0
        /// How many subevents, 1 to 128.
        public var subevents: UInt8 = 0
        /// Time between subevents in units of 1.25 ms.
        public var subeventInterval: UInt8 = 0
        /// Time to the first response slot in units of 1.25 ms.
        public var responseSlotDelay: UInt8 = 0
        /// Time between response slots in units of 0.125 ms.
        public var responseSlotSpacing: UInt8 = 0
        /// All zeros.
        public init() {}
        /// Lists the fields in wire order.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("response access address", &accessAddress)
            try v.field("number of subevents", &subevents)
            try v.field("subevent interval", &subeventInterval)
            try v.field("response slot delay", &responseSlotDelay)
            try v.field("response slot spacing", &responseSlotSpacing)
        }
    }

    /// What 3D glasses need to know about a display. Core Specification Supplement, Part A, 1.14; 3D Synchronization Profile.
    public struct ThreeDInformation: WirePacket, Hashable {
        /// Bit 0 association notification, 1 battery reporting, 2 battery level at start, 7 factory test mode.
        public var flags: UInt8 = 0
        /// Greatest path loss in dB at which glasses may associate.
        public var pathLossThreshold: UInt8 = 0
        /// All zeros.
        public init() {}
        /// Lists the fields in wire order.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("flags", &flags)
            try v.field("path loss threshold", &pathLossThreshold)
        }
    }
}
