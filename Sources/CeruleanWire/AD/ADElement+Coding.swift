// SPDX-License-Identifier: Apache-2.0

extension AdvertisingData.Element {
    /// Decodes the octets of one structure; what does not fit its type becomes ``malformed(_:_:_:)``.
    public init(type: ADType, data: [UInt8]) {
        do {
            self = try Self.decode(type, data)
        } catch {
            self = .malformed(type, data, error)
        }
    }

    // MARK: - decoding

    private static func decode(_ type: ADType, _ data: [UInt8]) throws(WireError) -> Self {
        switch type {
        // The field may have no octet, or more than one later. Core Specification Supplement, Part A, 1.3.1.
        case .flags: .flags(.init(rawValue: data.first ?? 0))
        case .incompleteServices16: .services(try uuids(data, 2), width: .two, complete: false)
        case .completeServices16: .services(try uuids(data, 2), width: .two, complete: true)
        case .incompleteServices32: .services(try uuids(data, 4), width: .four, complete: false)
        case .completeServices32: .services(try uuids(data, 4), width: .four, complete: true)
        case .incompleteServices128: .services(try uuids(data, 16), width: .sixteen, complete: false)
        case .completeServices128: .services(try uuids(data, 16), width: .sixteen, complete: true)
        case .solicitation16: .solicitedServices(try uuids(data, 2), width: .two)
        case .solicitation32: .solicitedServices(try uuids(data, 4), width: .four)
        case .solicitation128: .solicitedServices(try uuids(data, 16), width: .sixteen)
        case .shortenedLocalName: .localName(data, complete: false)
        case .completeLocalName: .localName(data, complete: true)
        case .txPowerLevel: .txPower(Int8(truncatingIfNeeded: try number(data, 1)))
        case .classOfDevice: .classOfDevice(UInt32(try number(data, 3)))
        case .simplePairingHash192: .simplePairingHash(try exactly(16, data), wide: false)
        case .simplePairingHash256: .simplePairingHash(try exactly(16, data), wide: true)
        case .simplePairingRandomizer192: .simplePairingRandomizer(try exactly(16, data), wide: false)
        case .simplePairingRandomizer256: .simplePairingRandomizer(try exactly(16, data), wide: true)
        // BR/EDR's device id has 8 octets under the same number.
        case .securityManagerTK where data.count == 8: .deviceID(try .init(decoding: data))
        case .securityManagerTK: .securityManagerTK(try exactly(16, data))
        case .securityManagerOOBFlags: .securityManagerOOBFlags(.init(rawValue: UInt8(try number(data, 1))))
        case .connectionIntervalRange: .connectionIntervalRange(try .init(decoding: data))
        case .serviceData16: try serviceData(data, .two)
        case .serviceData32: try serviceData(data, .four)
        case .serviceData128: try serviceData(data, .sixteen)
        case .publicTargetAddress: .publicTargetAddresses(try addresses(data))
        case .randomTargetAddress: .randomTargetAddresses(try addresses(data))
        case .appearance: .appearance(UInt16(try number(data, 2)))
        case .advertisingInterval: .advertisingInterval(UInt32(try number(data, 2)), octets: 2)
        case .advertisingIntervalLong:
            .advertisingInterval(UInt32(try number(data, data.count == 4 ? 4 : 3)), octets: data.count == 4 ? 4 : 3)
        case .leDeviceAddress: try deviceAddress(data)
        case .leRole: .leRole(.init(rawValue: UInt8(try number(data, 1))))
        case .secureConnectionsConfirm: .secureConnectionsConfirm(try exactly(16, data))
        case .secureConnectionsRandom: .secureConnectionsRandom(try exactly(16, data))
        case .uri: try uri(data)
        case .indoorPositioning: .indoorPosition(try .init(decoding: data))
        case .transportDiscovery: .transportDiscovery(try blocks(data))
        case .leSupportedFeatures: .leSupportedFeatures(data)
        case .channelMapUpdate: .channelMapUpdate(try .init(decoding: data))
        case .pbADV: .provisioning(try .init(decoding: data))
        case .meshMessage: .meshMessage(data)
        case .meshBeacon: .meshBeacon(try .init(decoding: data))
        case .bigInfo: .bigInfo(try .init(decoding: data))
        case .broadcastCode: .broadcastCode(try exactly(16, data))
        case .resolvableSetIdentifier: .resolvableSetIdentifier(try exactly(6, data))
        case .broadcastName: .broadcastName(data)
        case .encryptedData: .encrypted(try .init(decoding: data))
        case .periodicResponseTiming: .periodicResponseTiming(try .init(decoding: data))
        case .electronicShelfLabel: .electronicShelfLabel(data)
        case .threeDInformation: .threeDInformation(try .init(decoding: data))
        case .manufacturerData:
            .manufacturerData(company: UInt16(try number(Array(data.prefix(2)), 2)), Array(data.dropFirst(2)))
        default: .unknown(type, data)
        }
    }

    private static func exactly(_ count: Int, _ data: [UInt8]) throws(WireError) -> [UInt8] {
        guard data.count >= count else { throw WireError(offset: 0, reason: .truncated) }
        guard data.count == count else { throw WireError(offset: count, reason: .trailing) }
        return data
    }

    private static func number(_ data: [UInt8], _ count: Int) throws(WireError) -> UInt64 {
        try exactly(count, data).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func uuid(_ data: ArraySlice<UInt8>) throws(WireError) -> BluetoothUUID {
        guard let uuid = BluetoothUUID(littleEndian: data) else {
            throw WireError(offset: data.startIndex, reason: .truncated)
        }
        return uuid
    }

    private static func uuids(_ data: [UInt8], _ width: Int) throws(WireError) -> [BluetoothUUID] {
        guard data.count.isMultiple(of: width) else {
            throw WireError(offset: data.count - data.count % width, reason: .truncated)
        }
        var uuids: [BluetoothUUID] = []
        for start in stride(from: 0, to: data.count, by: width) { uuids.append(try uuid(data[start..<start + width])) }
        return uuids
    }

    private static func addresses(_ data: [UInt8]) throws(WireError) -> [BluetoothAddress] {
        guard data.count.isMultiple(of: 6) else {
            throw WireError(offset: data.count - data.count % 6, reason: .truncated)
        }
        return stride(from: 0, to: data.count, by: 6).map { start in
            BluetoothAddress(rawValue: data[start..<start + 6].reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
    }

    private static func serviceData(
        _ data: [UInt8], _ width: AdvertisingData.UUIDWidth
    ) throws(WireError) -> Self {
        guard data.count >= width.rawValue else { throw WireError(offset: 0, reason: .truncated) }
        return .serviceData(try uuid(data.prefix(width.rawValue)), Array(data.dropFirst(width.rawValue)), width: width)
    }

    private static func deviceAddress(_ data: [UInt8]) throws(WireError) -> Self {
        let number = try number(data, 7)
        // Bit 0 of the last octet tells random from public. Core Specification Supplement, Part A, 1.16.
        let kind: DeviceAddress.Kind = number >> 48 & 1 == 0 ? .public : .random
        return .leDeviceAddress(DeviceAddress(BluetoothAddress(rawValue: number), kind))
    }

    private static func blocks(_ data: [UInt8]) throws(WireError) -> [AdvertisingData.TransportBlock] {
        var blocks: [AdvertisingData.TransportBlock] = []
        let span = data.span.bytes
        var decoder = FieldDecoder(span)
        try decoder.repeated("blocks", &blocks, count: nil)
        return blocks
    }

    /// The first character numbers the scheme. Core Specification Supplement, Part A, 1.18.
    private static func uri(_ data: [UInt8]) throws(WireError) -> Self {
        guard let text = String(validating: data, as: UTF8.self) else { throw .invalid("uri", at: 0) }
        guard let first = text.unicodeScalars.first else { throw WireError(offset: 0, reason: .truncated) }
        return .uri(scheme: first.value, rest: String(text.unicodeScalars.dropFirst()))
    }

    // MARK: - encoding

    func encodedData() throws(WireError) -> [UInt8] {
        switch self {
        case .flags(let flags): [flags.rawValue]
        case .services(let uuids, let width, _), .solicitedServices(let uuids, let width): try Self.octets(uuids, width)
        case .txPower(let power): [UInt8(bitPattern: power)]
        case .classOfDevice(let value): try Self.octets(UInt64(value), 3)
        case .simplePairingHash(let data, _), .simplePairingRandomizer(let data, _), .securityManagerTK(let data),
            .secureConnectionsConfirm(let data), .secureConnectionsRandom(let data), .broadcastCode(let data):
            try Self.sized(16, data)
        case .resolvableSetIdentifier(let data): try Self.sized(6, data)
        case .securityManagerOOBFlags(let flags): [flags.rawValue]
        case .deviceID(let packet): try packet.encoded()
        case .connectionIntervalRange(let packet): try packet.encoded()
        case .serviceData(let uuid, let data, let width): try Self.octets([uuid], width) + data
        case .publicTargetAddresses(let addresses), .randomTargetAddresses(let addresses):
            addresses.flatMap(Self.octets)
        case .appearance(let value): try Self.octets(UInt64(value), 2)
        case .advertisingInterval(let value, let octets): try Self.interval(value, octets)
        case .leDeviceAddress(let address): Self.octets(address.address) + [address.peerKind == .public ? 0 : 1]
        case .leRole(let role): [role.rawValue]
        case .uri(let scheme, let rest): try Self.octets(scheme: scheme) + rest.utf8
        case .indoorPosition(let packet): try packet.encoded()
        case .transportDiscovery(var blocks): try Self.octets(&blocks)
        case .channelMapUpdate(let packet): try packet.encoded()
        case .provisioning(let packet): try packet.encoded()
        case .meshBeacon(let packet): try packet.encoded()
        case .bigInfo(let packet): try packet.encoded()
        case .encrypted(let packet): try packet.encoded()
        case .periodicResponseTiming(let packet): try packet.encoded()
        case .threeDInformation(let packet): try packet.encoded()
        case .manufacturerData(let company, let data): try Self.octets(UInt64(company), 2) + data
        case .localName(let data, _), .leSupportedFeatures(let data), .meshMessage(let data), .broadcastName(let data),
            .electronicShelfLabel(let data), .unknown(_, let data), .malformed(_, let data, _):
            data
        }
    }

    private static func sized(_ count: Int, _ data: [UInt8]) throws(WireError) -> [UInt8] {
        guard data.count == count else { throw .invalid("length", at: 0) }
        return data
    }

    private static func octets(_ value: UInt64, _ count: Int) throws(WireError) -> [UInt8] {
        guard value >> (8 * UInt64(count)) == 0 else { throw WireError(offset: 0, reason: .tooLong) }
        return (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    private static func interval(_ value: UInt32, _ count: Int) throws(WireError) -> [UInt8] {
        guard (2...4).contains(count) else { throw .invalid("interval length", at: 0) }
        return try octets(UInt64(value), count)
    }

    private static func octets(_ address: BluetoothAddress) -> [UInt8] {
        (0..<6).map { UInt8(truncatingIfNeeded: address.rawValue >> (8 * UInt64($0))) }
    }

    private static func octets(
        _ uuids: [BluetoothUUID], _ width: AdvertisingData.UUIDWidth
    ) throws(WireError) -> [UInt8] {
        var bytes: [UInt8] = []
        for uuid in uuids {
            switch width {
            case .two:
                guard let short = uuid.short else { throw .invalid("uuid", at: bytes.count) }
                bytes += try octets(UInt64(short), 2)
            case .four:
                guard let medium = uuid.medium else { throw .invalid("uuid", at: bytes.count) }
                bytes += try octets(UInt64(medium), 4)
            case .sixteen:
                bytes += uuid.littleEndian128
            }
        }
        return bytes
    }

    private static func octets(scheme: UInt32) throws(WireError) -> [UInt8] {
        guard let scalar = Unicode.Scalar(scheme) else { throw .invalid("uri scheme", at: 0) }
        return Array(String(Character(scalar)).utf8)
    }

    private static func octets(_ blocks: inout [AdvertisingData.TransportBlock]) throws(WireError) -> [UInt8] {
        var encoder = FieldEncoder()
        try encoder.repeated("blocks", &blocks, count: nil)
        return encoder.bytes
    }
}
