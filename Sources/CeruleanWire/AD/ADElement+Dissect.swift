// SPDX-License-Identifier: Apache-2.0

extension AdvertisingData.Element {
    /// Type, name of the type and value, for people.
    public func dissected() -> FieldValue {
        var members: [FieldValue.Member] = [
            .init("type", FieldValue(integer: type.rawValue)), .init("name", .text(type.description)),
        ]
        switch self {
        case .malformed(_, let data, let error):
            members.append(.init("data", .bytes(data)))
            members.append(.init("error", .text(error.description)))
        default:
            members.append(.init("value", value))
        }
        return .object(members)
    }

    private var value: FieldValue {
        switch self {
        case .flags(let flags): FieldValue(integer: flags.rawValue)
        case .services(let uuids, _, _), .solicitedServices(let uuids, _): .list(uuids.map { .text($0.description) })
        case .localName(let data, _), .broadcastName(let data): .text(AdvertisingData.text(data))
        case .txPower(let power): FieldValue(integer: power)
        case .classOfDevice(let value): FieldValue(integer: value)
        case .deviceID(let packet): packet.dissected()
        case .securityManagerOOBFlags(let flags): FieldValue(integer: flags.rawValue)
        case .connectionIntervalRange(let packet): packet.dissected()
        case .serviceData(let uuid, let data, _): ["uuid": .text(uuid.description), "data": .bytes(data)]
        case .publicTargetAddresses(let addresses), .randomTargetAddresses(let addresses):
            .list(addresses.map { .text($0.description) })
        case .appearance(let value): FieldValue(integer: value)
        case .advertisingInterval(let value, _): ["milliseconds": .number(Double(value) * 0.625)]
        case .leDeviceAddress(let address):
            ["address": .text(address.description), "random": .bool(address.peerKind != .public)]
        case .leRole(let role): FieldValue(integer: role.rawValue)
        case .uri(let scheme, let rest):
            uriText.map { .text($0) } ?? ["scheme": FieldValue(integer: scheme), "rest": .text(rest)]
        case .indoorPosition(let packet): packet.dissected()
        case .transportDiscovery(let blocks): .list(blocks.map { $0.dissected() })
        case .channelMapUpdate(let packet): packet.dissected()
        case .provisioning(let packet): packet.dissected()
        case .meshBeacon(let packet): packet.dissected()
        case .bigInfo(let packet): packet.dissected()
        case .encrypted(let packet): packet.dissected()
        case .periodicResponseTiming(let packet): packet.dissected()
        case .threeDInformation(let packet): packet.dissected()
        case .manufacturerData(let company, let data): ["company": FieldValue(integer: company), "data": .bytes(data)]
        case .simplePairingHash(let data, _), .simplePairingRandomizer(let data, _), .securityManagerTK(let data),
            .secureConnectionsConfirm(let data), .secureConnectionsRandom(let data), .broadcastCode(let data),
            .resolvableSetIdentifier(let data), .leSupportedFeatures(let data), .meshMessage(let data),
            .electronicShelfLabel(let data), .unknown(_, let data), .malformed(_, let data, _):
            .bytes(data)
        }
    }
}

extension AdvertisingData {
    /// A name for display: invalid UTF-8 is repaired, a NUL and what follows it is left out.
    ///
    /// Control characters stay in; whoever writes to a terminal must escape them.
    public static func text(_ name: [UInt8]) -> String {
        String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    }
}
