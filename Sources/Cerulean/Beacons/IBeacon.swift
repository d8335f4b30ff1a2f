// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Apple's beacon format: manufacturer data of company 004C that begins with 02 15.
///
/// ```swift
/// let beacon = IBeacon(uuid: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", major: 1, minor: 2)
/// try await server.advertise(beacon)
/// ```
public struct IBeacon: AdvertisableBeacon {
    /// Whose beacon it is.
    public var uuid: BluetoothUUID
    /// A group of beacons, as a shop.
    public var major: UInt16
    /// One beacon of the group.
    public var minor: UInt16
    /// The strength received at 1 m, in dBm.
    public var measuredPower: Int8

    /// A beacon; without a measured power -59 dBm are assumed.
    public init(uuid: BluetoothUUID, major: UInt16, minor: UInt16, measuredPower: Int8 = -59) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
        self.measuredPower = measuredPower
    }

    /// Reads manufacturer data of at least 23 octets behind the company. Nil when it is no such frame.
    public init?(company: UInt16, data: [UInt8]) {
        guard company == 0x004C, data.count >= 23, data[0] == 0x02, data[1] == 0x15 else { return nil }
        let octets = BigEndianOctets(data)
        self.init(uuid: octets.uuid(2), major: octets.u16(18), minor: octets.u16(20), measuredPower: octets.i8(22))
    }

    /// `ibeacon`.
    public var kind: String { "ibeacon" }

    /// `uuid`, `major`, `minor`, `measured_power`.
    public var members: [FieldValue.Member] {
        [
            .init("uuid", .text(uuid.longText)), .init("major", FieldValue(integer: major)),
            .init("minor", FieldValue(integer: minor)), .init("measured_power", FieldValue(integer: measuredPower)),
        ]
    }

    /// Manufacturer data; never fails.
    public func element() throws(WireError) -> AdvertisingData.Element {
        let numbers = major.bigEndianOctets + minor.bigEndianOctets + [UInt8(bitPattern: measuredPower)]
        return .manufacturerData(company: 0x004C, [0x02, 0x15] + uuid.littleEndian128.reversed() + numbers)
    }
}

/// The open beacon format: manufacturer data of any company that begins with BE AC.
public struct AltBeacon: AdvertisableBeacon {
    /// The company that made the beacon.
    public var company: UInt16
    /// The first 16 octets of the identifier, by convention whose beacon it is.
    public var id1: BluetoothUUID
    /// The next two octets, as the major of an iBeacon.
    public var id2: UInt16
    /// The last two octets, as the minor of an iBeacon.
    public var id3: UInt16
    /// The strength received at 1 m, in dBm.
    public var referenceRSSI: Int8
    /// An octet for the maker.
    public var reserved: UInt8

    /// A beacon; without a reference -59 dBm are assumed, without a company Radius Networks (0118).
    public init(
        id1: BluetoothUUID, id2: UInt16, id3: UInt16, referenceRSSI: Int8 = -59, reserved: UInt8 = 0,
        company: UInt16 = 0x0118
    ) {
        self.company = company
        self.id1 = id1
        self.id2 = id2
        self.id3 = id3
        self.referenceRSSI = referenceRSSI
        self.reserved = reserved
    }

    /// Reads manufacturer data of at least 24 octets behind the company. Nil when it is no such frame.
    public init?(company: UInt16, data: [UInt8]) {
        guard data.count >= 24, data[0] == 0xBE, data[1] == 0xAC else { return nil }
        let octets = BigEndianOctets(data)
        self.init(
            id1: octets.uuid(2), id2: octets.u16(18), id3: octets.u16(20), referenceRSSI: octets.i8(22),
            reserved: octets.u8(23), company: company)
    }

    /// `altbeacon`.
    public var kind: String { "altbeacon" }

    /// `company_id`, `id1`, `id2`, `id3`, `reference_rssi`, `mfg_reserved`.
    public var members: [FieldValue.Member] {
        [
            .init("company_id", FieldValue(integer: company)), .init("id1", .text(id1.longText)),
            .init("id2", FieldValue(integer: id2)), .init("id3", FieldValue(integer: id3)),
            .init("reference_rssi", FieldValue(integer: referenceRSSI)),
            .init("mfg_reserved", FieldValue(integer: reserved)),
        ]
    }

    /// Manufacturer data; never fails.
    public func element() throws(WireError) -> AdvertisingData.Element {
        let numbers = id2.bigEndianOctets + id3.bigEndianOctets + [UInt8(bitPattern: referenceRSSI), reserved]
        return .manufacturerData(company: company, [0xBE, 0xAC] + id1.littleEndian128.reversed() + numbers)
    }
}
