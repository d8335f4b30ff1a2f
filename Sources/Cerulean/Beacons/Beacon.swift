// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// A beacon frame found in an advertisement.
///
/// ```swift
/// for try await found in central.scan(duplicates: true) {
///     for case .iBeacon(let beacon) in found.beacons { print(beacon.uuid, beacon.major, beacon.minor) }
/// }
/// ```
/// New formats may be added: give a `switch` over it a `default`.
public enum Beacon: Hashable, Sendable {
    /// Apple's format.
    case iBeacon(IBeacon)
    /// The open format of the same size.
    case altBeacon(AltBeacon)
    /// Eddystone's fixed identifier.
    case eddystoneUID(EddystoneUID)
    /// Eddystone's web address.
    case eddystoneURL(EddystoneURL)
    /// Eddystone's telemetry.
    case eddystoneTLM(EddystoneTLM)
    /// Eddystone's telemetry, encrypted.
    case eddystoneEncryptedTLM(EddystoneEncryptedTLM)
    /// Eddystone's identifier that changes.
    case eddystoneEID(EddystoneEID)
    /// RuuviTag, data format 3.
    case ruuvi3(RuuviFormat3)
    /// RuuviTag, data format 5.
    case ruuvi5(RuuviFormat5)
    /// An Estimote sticker.
    case estimoteNearable(EstimoteNearable)
    /// The first half of an Estimote beacon's telemetry.
    case estimoteTelemetryA(EstimoteTelemetryA)
    /// The second half of an Estimote beacon's telemetry.
    case estimoteTelemetryB(EstimoteTelemetryB)

    /// All beacon frames of an advertisement and its scan response: those in manufacturer data, then those in service data,
    /// each in the order in which they were sent. What is too short or breaks its format is left out.
    public static func all(in fields: AdvertisementFields) -> [Beacon] {
        fields.manufacturerData.compactMap { Beacon(company: $0.company, data: $0.data) }
            + fields.serviceData.compactMap { Beacon(service: $0.uuid, data: $0.data) }
    }

    /// The frame in manufacturer data, nil when it is none.
    ///
    /// - Parameters:
    ///   - company: The company that the data names.
    ///   - data: The octets behind the company identifier.
    public init?(company: UInt16, data: [UInt8]) {
        if let frame = IBeacon(company: company, data: data) {
            self = .iBeacon(frame)
        } else if let frame = AltBeacon(company: company, data: data) {
            self = .altBeacon(frame)
        } else if let frame = RuuviFormat5(company: company, data: data) {
            self = .ruuvi5(frame)
        } else if let frame = RuuviFormat3(company: company, data: data) {
            self = .ruuvi3(frame)
        } else if let frame = EstimoteNearable(company: company, data: data) {
            self = .estimoteNearable(frame)
        } else {
            return nil
        }
    }

    /// The frame in service data, nil when it is none.
    ///
    /// - Parameters:
    ///   - service: The type of the service; nil looks in all.
    ///   - data: The octets behind the service's UUID.
    public init?(service: BluetoothUUID, data: [UInt8]) {
        switch service {
        case Eddystone.service:
            switch data.first {
            case 0x00:
                guard let frame = EddystoneUID(serviceData: data) else { return nil }
                self = .eddystoneUID(frame)
            case 0x10:
                guard let frame = EddystoneURL(serviceData: data) else { return nil }
                self = .eddystoneURL(frame)
            case 0x20:
                if let frame = EddystoneTLM(serviceData: data) {
                    self = .eddystoneTLM(frame)
                } else if let frame = EddystoneEncryptedTLM(serviceData: data) {
                    self = .eddystoneEncryptedTLM(frame)
                } else {
                    return nil
                }
            case 0x30:
                guard let frame = EddystoneEID(serviceData: data) else { return nil }
                self = .eddystoneEID(frame)
            default: return nil
            }
        case EstimoteTelemetryA.service:
            if let frame = EstimoteTelemetryA(serviceData: data) {
                self = .estimoteTelemetryA(frame)
            } else if let frame = EstimoteTelemetryB(serviceData: data) {
                self = .estimoteTelemetryB(frame)
            } else {
                return nil
            }
        default: return nil
        }
    }

    /// The frame itself.
    public var frame: any BeaconFrame {
        switch self {
        case .iBeacon(let frame): frame
        case .altBeacon(let frame): frame
        case .eddystoneUID(let frame): frame
        case .eddystoneURL(let frame): frame
        case .eddystoneTLM(let frame): frame
        case .eddystoneEncryptedTLM(let frame): frame
        case .eddystoneEID(let frame): frame
        case .ruuvi3(let frame): frame
        case .ruuvi5(let frame): frame
        case .estimoteNearable(let frame): frame
        case .estimoteTelemetryA(let frame): frame
        case .estimoteTelemetryB(let frame): frame
        }
    }

    /// The format in one word: `ibeacon`, `altbeacon`, `eddystone-uid`, `eddystone-url`, `eddystone-tlm`, `eddystone-etlm`,
    /// `eddystone-eid`, `ruuvi-3`, `ruuvi-5`, `estimote-nearable`, `estimote-telemetry-a`, `estimote-telemetry-b`.
    public var kind: String { frame.kind }

    /// An object with `kind` and all values of the frame under stable names; what the sender does not know is null.
    public var fields: FieldValue { .object([.init("kind", .text(kind))] + frame.members) }
}

/// One format of beacon.
public protocol BeaconFrame: Hashable, Sendable {
    /// The format in one word, see ``Beacon/kind``.
    var kind: String { get }
    /// All values under stable names, without the kind. What the sender does not know is null.
    var members: [FieldValue.Member] { get }
}

/// A format of beacon that can be sent.
public protocol AdvertisableBeacon: BeaconFrame {
    /// The AD structure of the frame.
    ///
    /// - Throws: `WireError` `.invalid` for a value that the format cannot hold, `.tooLong` for one that does not fit.
    func element() throws(WireError) -> AdvertisingData.Element
}

extension AdvertisableBeacon {
    /// Everything that is sent, flags included, at most 31 octets.
    ///
    /// - Throws: `WireError` as ``element()`` does.
    public func advertisement() throws(WireError) -> [UInt8] {
        let element = try element()
        var elements: [AdvertisingData.Element] = [.flags([.generalDiscoverable, .brEDRNotSupported])]
        // Eddystone frames come with the list that scanners filter by. Protocol specification, "Common elements".
        if case .serviceData(let service, _, _) = element {
            elements.append(.services([service], width: .two, complete: true))
        }
        return try AdvertisingData(elements + [element]).encoded()
    }
}

extension AdvertisementFields {
    /// The beacon frames in it, see ``Beacon/all(in:)``.
    public var beacons: [Beacon] { Beacon.all(in: self) }
}

extension Discovery {
    /// The beacon frames that the device sent.
    public var beacons: [Beacon] { Beacon.all(in: fields) }
}

/// Reads numbers, most significant octet first. The caller has checked the length.
struct BigEndianOctets {
    let octets: [UInt8]

    init(_ octets: [UInt8]) { self.octets = octets }

    func u8(_ offset: Int) -> UInt8 { octets[offset] }
    func i8(_ offset: Int) -> Int8 { Int8(bitPattern: octets[offset]) }
    func u16(_ offset: Int) -> UInt16 { UInt16(octets[offset]) << 8 | UInt16(octets[offset + 1]) }
    func i16(_ offset: Int) -> Int16 { Int16(bitPattern: u16(offset)) }
    func u32(_ offset: Int) -> UInt32 { UInt32(u16(offset)) << 16 | UInt32(u16(offset + 2)) }
    func bytes(_ offset: Int, _ count: Int) -> [UInt8] { Array(octets[offset..<offset + count]) }

    func uuid(_ offset: Int) -> BluetoothUUID {
        let high = UInt64(u32(offset)) << 32 | UInt64(u32(offset + 4))
        let low = UInt64(u32(offset + 8)) << 32 | UInt64(u32(offset + 12))
        return BluetoothUUID(high: high, low: low)
    }
}

extension FixedWidthInteger {
    /// The octets, most significant first.
    var bigEndianOctets: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> Self($0)) }
    }
}

extension BluetoothUUID {
    /// The 36-character form, also of an assigned UUID.
    var longText: String {
        let digits = Array(Hex.encode(littleEndian128.reversed()).uppercased())
        let parts = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
        return parts.map { String($0) }.joined(separator: "-")
    }
}

extension FieldValue {
    /// The number, or null.
    init<T: FixedWidthInteger>(optional value: T?) { self = value.map { FieldValue(integer: $0) } ?? .null }

    /// The number, or null.
    init(optional value: Double?) { self = value.map { .number($0) } ?? .null }

    /// True, false, or null.
    init(optional value: Bool?) { self = value.map { .bool($0) } ?? .null }
}

/// A value in steps of a format's unit.
///
/// - Throws: ``WireError`` `.invalid` when it is no number or out of `range`.
func steps<T: FixedWidthInteger>(
    _ name: StaticString, _ value: Double, per unit: Double, in range: ClosedRange<T>
) throws(WireError) -> T {
    let number = (value / unit).rounded()
    guard number.isFinite, let whole = T(exactly: number), range.contains(whole) else { throw .invalid(name, at: 0) }
    return whole
}
