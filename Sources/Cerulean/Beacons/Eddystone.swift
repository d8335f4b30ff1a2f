// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// What Eddystone frames have in common: service data of the service FEAA, most significant octets first.
public enum Eddystone {
    /// The service.
    public static let service: BluetoothUUID = 0xFEAA
    /// Eddystone tells its power at 0 m; at 1 m it is so many dB less.
    public static let lossOfFirstMeter = 41
}

/// Eddystone's fixed identifier, frame type 00.
public struct EddystoneUID: AdvertisableBeacon {
    /// The strength at 0 m, in dBm.
    public var txPower: Int8
    /// 10 octets, whose beacon it is.
    public var namespace: [UInt8]
    /// 6 octets, which beacon it is.
    public var instance: [UInt8]

    /// A beacon.
    public init(namespace: [UInt8], instance: [UInt8], txPower: Int8) {
        self.txPower = txPower
        self.namespace = namespace
        self.instance = instance
    }

    /// Reads service data of at least 18 octets; the two reserved ones at the end may be missing. Nil for other frames.
    public init?(serviceData data: [UInt8]) {
        guard data.count >= 18, data[0] == 0x00 else { return nil }
        let octets = BigEndianOctets(data)
        self.init(namespace: octets.bytes(2, 10), instance: octets.bytes(12, 6), txPower: octets.i8(1))
    }

    /// `eddystone-uid`.
    public var kind: String { "eddystone-uid" }

    /// `tx_power_0m`, `namespace`, `instance`.
    public var members: [FieldValue.Member] {
        [
            .init("tx_power_0m", FieldValue(integer: txPower)), .init("namespace", .bytes(namespace)),
            .init("instance", .bytes(instance)),
        ]
    }

    /// Service data.
    ///
    /// - Throws: `WireError` `.invalid` when namespace or instance are not 10 and 6 octets.
    public func element() throws(WireError) -> AdvertisingData.Element {
        guard namespace.count == 10 else { throw .invalid("namespace", at: 0) }
        guard instance.count == 6 else { throw .invalid("instance", at: 0) }
        return .serviceData(
            Eddystone.service, [0x00, UInt8(bitPattern: txPower)] + namespace + instance + [0x00, 0x00])
    }
}

/// Eddystone's web address, frame type 10.
public struct EddystoneURL: AdvertisableBeacon {
    /// The strength at 0 m, in dBm.
    public var txPower: Int8
    /// The address, as in `https://example.org/`.
    public var url: String

    private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
    private static let expansions: [[UInt8]] = {
        let domains = [".com", ".org", ".edu", ".net", ".info", ".biz", ".gov"]
        return (domains.map { $0 + "/" } + domains).map { Array($0.utf8) }
    }()
    private static let limit = 17

    /// A beacon; ``element()`` says whether the address fits.
    public init(url: String, txPower: Int8) {
        self.txPower = txPower
        self.url = url
    }

    /// Reads service data with an address of 1 to 17 octets. Nil for other frames, unknown schemes and reserved octets.
    public init?(serviceData data: [UInt8]) {
        guard data.count > 3, data.count <= 3 + Self.limit, data[0] == 0x10, Int(data[2]) < Self.schemes.count else {
            return nil
        }
        var text = Array(Self.schemes[Int(data[2])].utf8)
        for octet in data[3...] {
            switch octet {
            case 0x00..<0x0E: text += Self.expansions[Int(octet)]
            case 0x21..<0x7F: text.append(octet)
            default: return nil
            }
        }
        self.init(url: String(decoding: text, as: UTF8.self), txPower: Int8(bitPattern: data[1]))
    }

    /// `eddystone-url`.
    public var kind: String { "eddystone-url" }

    /// `tx_power_0m`, `url`.
    public var members: [FieldValue.Member] {
        [.init("tx_power_0m", FieldValue(integer: txPower)), .init("url", .text(url))]
    }

    /// Service data: the longest scheme, then at each place the longest expansion.
    ///
    /// - Throws: `WireError` `.invalid` for another scheme, nothing behind it, or a character that no address may hold, with
    ///   its offset in UTF-8; `.tooLong` when more than 17 octets are left.
    public func element() throws(WireError) -> AdvertisingData.Element {
        let lower = url.lowercased()
        let fitting = Self.schemes.indices.filter { lower.hasPrefix(Self.schemes[$0]) }
        guard let scheme = fitting.max(by: { Self.schemes[$0].count < Self.schemes[$1].count }) else {
            throw .invalid("scheme of the URL", at: 0)
        }
        let text = Array(url.utf8)
        var position = Self.schemes[scheme].utf8.count
        guard position < text.count else { throw .invalid("URL", at: position) }
        var encoded: [UInt8] = []
        while position < text.count {
            // Those with a slash stand first, so that the longest is found.
            if let code = Self.expansions.firstIndex(where: { text[position...].starts(with: $0) }) {
                encoded.append(UInt8(code))
                position += Self.expansions[code].count
            } else {
                guard (0x21..<0x7F).contains(text[position]) else { throw .invalid("URL", at: position) }
                encoded.append(text[position])
                position += 1
            }
            guard encoded.count <= Self.limit else { throw WireError(offset: position, reason: .tooLong) }
        }
        return .serviceData(Eddystone.service, [0x10, UInt8(bitPattern: txPower), UInt8(scheme)] + encoded)
    }
}

/// Eddystone's telemetry, frame type 20, version 00.
public struct EddystoneTLM: AdvertisableBeacon {
    /// The battery in mV, 1 to 65535; nil when not told.
    public var battery: UInt16?
    /// In degrees Celsius, in steps of 1/256; nil when not told.
    public var temperature: Double?
    /// Frames sent since the beacon started.
    public var count: UInt32
    /// Tenths of a second since the beacon started.
    public var tenths: UInt32

    /// A state of a beacon.
    ///
    /// - Parameters:
    ///   - battery: In millivolts; 0 for a beacon that has none.
    ///   - temperature: In degrees Celsius; nil for a beacon that does not measure it.
    ///   - count: Frames sent since the start.
    ///   - tenths: Tenths of a second since the beacon started.
    public init(battery: UInt16?, temperature: Double?, count: UInt32, tenths: UInt32) {
        self.battery = battery == 0 ? nil : battery
        self.temperature = temperature
        self.count = count
        self.tenths = tenths
    }

    /// Reads service data of at least 14 octets. Nil for other frames and versions.
    public init?(serviceData data: [UInt8]) {
        guard data.count >= 14, data[0] == 0x20, data[1] == 0x00 else { return nil }
        let octets = BigEndianOctets(data)
        self.init(
            battery: octets.u16(2), temperature: octets.u16(4) == 0x8000 ? nil : Double(octets.i16(4)) / 256,
            count: octets.u32(6), tenths: octets.u32(10))
    }

    /// The time since the beacon started.
    public var uptime: Duration { .milliseconds(100 * Int64(tenths)) }

    /// `eddystone-tlm`.
    public var kind: String { "eddystone-tlm" }

    /// `battery_mv`, `temperature_c`, `adv_count`, `uptime_s`.
    public var members: [FieldValue.Member] {
        [
            .init("battery_mv", FieldValue(optional: battery)),
            .init("temperature_c", FieldValue(optional: temperature)),
            .init("adv_count", FieldValue(integer: count)), .init("uptime_s", .number(Double(tenths) / 10)),
        ]
    }

    /// The 12 octets behind the version: what the encrypted form hides.
    ///
    /// - Throws: `WireError` `.invalid` for a temperature beyond -127.996… to 127.996… °C.
    public func content() throws(WireError) -> [UInt8] {
        var raw: Int16 = .min
        if let temperature { raw = try steps("temperature", temperature, per: 1 / 256, in: -0x7FFF...0x7FFF) }
        return (battery ?? 0).bigEndianOctets + raw.bigEndianOctets + count.bigEndianOctets + tenths.bigEndianOctets
    }

    /// Service data.
    ///
    /// - Throws: `WireError` as ``content()`` does.
    public func element() throws(WireError) -> AdvertisingData.Element {
        .serviceData(Eddystone.service, [0x20, 0x00] + (try content()))
    }
}

/// Eddystone's telemetry, encrypted with the key of its changing identifier; frame type 20, version 01.
public struct EddystoneEncryptedTLM: AdvertisableBeacon {
    /// 12 octets.
    public var encrypted: [UInt8]
    /// A number that differs in each frame.
    public var salt: UInt16
    /// The check value.
    public var check: UInt16

    /// A frame.
    public init(encrypted: [UInt8], salt: UInt16, check: UInt16) {
        self.encrypted = encrypted
        self.salt = salt
        self.check = check
    }

    /// Reads service data of at least 18 octets. Nil for other frames and versions.
    public init?(serviceData data: [UInt8]) {
        guard data.count >= 18, data[0] == 0x20, data[1] == 0x01 else { return nil }
        let octets = BigEndianOctets(data)
        self.init(encrypted: octets.bytes(2, 12), salt: octets.u16(14), check: octets.u16(16))
    }

    /// `eddystone-etlm`.
    public var kind: String { "eddystone-etlm" }

    /// `encrypted`, `salt`, `mic`.
    public var members: [FieldValue.Member] {
        [
            .init("encrypted", .bytes(encrypted)), .init("salt", FieldValue(integer: salt)),
            .init("mic", FieldValue(integer: check)),
        ]
    }

    /// Service data.
    ///
    /// - Throws: `WireError` `.invalid` when the encrypted part is not 12 octets.
    public func element() throws(WireError) -> AdvertisingData.Element {
        guard encrypted.count == 12 else { throw .invalid("encrypted telemetry", at: 0) }
        return .serviceData(
            Eddystone.service, [0x20, 0x01] + encrypted + salt.bigEndianOctets + check.bigEndianOctets)
    }
}

/// Eddystone's identifier that changes, frame type 30.
///
/// The identifier of a moment is computed with cryptography, see `CryptoProvider` of CeruleanStack.
public struct EddystoneEID: AdvertisableBeacon {
    /// The strength at 0 m, in dBm.
    public var txPower: Int8
    /// 8 octets.
    public var identifier: [UInt8]

    /// A frame.
    public init(identifier: [UInt8], txPower: Int8) {
        self.txPower = txPower
        self.identifier = identifier
    }

    /// Reads service data of at least 10 octets. Nil for other frames.
    public init?(serviceData data: [UInt8]) {
        guard data.count >= 10, data[0] == 0x30 else { return nil }
        let octets = BigEndianOctets(data)
        self.init(identifier: octets.bytes(2, 8), txPower: octets.i8(1))
    }

    /// `eddystone-eid`.
    public var kind: String { "eddystone-eid" }

    /// `tx_power_0m`, `eid`.
    public var members: [FieldValue.Member] {
        [.init("tx_power_0m", FieldValue(integer: txPower)), .init("eid", .bytes(identifier))]
    }

    /// Service data.
    ///
    /// - Throws: `WireError` `.invalid` when the identifier is not 8 octets.
    public func element() throws(WireError) -> AdvertisingData.Element {
        guard identifier.count == 8 else { throw .invalid("identifier", at: 0) }
        return .serviceData(Eddystone.service, [0x30, UInt8(bitPattern: txPower)] + identifier)
    }
}
