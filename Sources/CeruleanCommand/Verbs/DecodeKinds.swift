// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanSensing
import CeruleanWire

/// One KIND of `decode`.
struct DecodeKind: Sendable {
    /// The word on the command line.
    var name: String
    /// The words of which one stands in front of HEX; empty for none.
    var words: [String] = []
    /// The options that it takes.
    var options: [String] = []
    /// Checks the options and returns what decodes one input.
    var prepare: @Sendable (Invocation) throws(CommandError) -> @Sendable ([UInt8]) -> DecodeOutcome

    /// All kinds in the order of help.
    static let all: [DecodeKind] = [
        .advertisement, .characteristic, .beacon, .bitalinoFrames, .bitalinoState, .bitalinoVersion, .bluest,
        .redbear, .sensortag,
    ]

    /// Advertising data.
    static let advertisement = DecodeKind(name: "advertisement") { _ in
        { bytes in
            let data = AdvertisingData(decoding: bytes)
            let value = FieldValue.object(
                AdvertisementReport(advertisement: bytes).members(structures: data.structures))
            return DecodeOutcome(value: value, error: data.fault.map { .init($0, in: "advertising data") })
        }
    }

    /// The beacon frames in advertising data; none is no error.
    static let beacon = DecodeKind(name: "beacon") { _ in
        { bytes in
            let fields = AdvertisementFields(advertisement: bytes)
            return DecodeOutcome(
                value: ["beacons": .list(fields.beacons.map(\.fields))],
                error: fields.fault.map { .init($0, in: "advertising data") })
        }
    }

    /// The value of a characteristic or descriptor.
    static let characteristic = DecodeKind(name: "characteristic", options: ["uuid", "signals"]) {
        invocation throws(CommandError) in
        guard let text = invocation.value("uuid") else {
            throw .usage("decode characteristic needs --uuid, such as --uuid 2A37 or --uuid heart_rate_measurement")
        }
        func named() -> BluetoothUUID? {
            (AssignedNumbers.characteristic(named: text) ?? AssignedNumbers.descriptor(named: text))?.uuid
        }
        guard let uuid = BluetoothUUID(text) ?? named() else {
            throw .usage("--uuid takes a UUID such as 2A37, or a known name, not '\(text)'")
        }
        guard KnownCharacteristics.isKnown(uuid) else {
            let name = AssignedNumbers.characteristic(uuid).map { " (\($0.name))" } ?? ""
            throw .usage("no decoder for characteristic \(uuid)\(name)")
        }
        let signals = try invocation.integer("signals", 0...2048)
        let options = KnownCharacteristics.Options(signalCount: signals)
        let title = AssignedNumbers.characteristic(uuid)?.name ?? AssignedNumbers.descriptor(uuid)?.name
        return { bytes in
            guard let decoded = KnownCharacteristics.decoded(uuid: uuid, bytes: bytes, options: options) else {
                return DecodeOutcome(value: nil, error: .init("unknown", "no decoder for \(uuid)", offset: 0))
            }
            let what = [title ?? uuid.description, decoded.faultField].compactMap { $0 }.joined(separator: ", ")
            let isEmpty = decoded.members.isEmpty && decoded.fault != nil
            let value: FieldValue? = isEmpty ? .none : .some(decoded.completeValue)
            return DecodeOutcome(value: value, error: decoded.fault.map { .init($0, in: what) })
        }
    }
}

extension KnownCharacteristics.Decoded {
    /// The fields that were read.
    var members: [FieldValue.Member] {
        guard case .object(let members) = value else { return [] }
        return members
    }

    /// The fields, and octets behind the last one as `rest` when nothing is wrong with those before.
    var completeValue: FieldValue {
        rest.isEmpty || fault != nil ? value : .object(members + [.init("rest", .bytes(rest))])
    }
}

/// An advertisement in the words of `scan --json` and `decode advertisement`.
struct AdvertisementReport: Sendable {
    /// Its fields.
    var fields: AdvertisementFields
    /// The address it came from, if known.
    var address: DeviceAddress?

    init(fields: AdvertisementFields, address: DeviceAddress? = nil) {
        self.fields = fields
        self.address = address
    }

    init(advertisement: [UInt8], scanResponse: [UInt8] = []) {
        self.init(fields: AdvertisementFields(advertisement: advertisement, scanResponse: scanResponse))
    }

    /// Fields, structures and what is known about the kind of device.
    func members(structures: [AdvertisingData.Structure]) -> [FieldValue.Member] {
        let list = structures.map { structure -> FieldValue in
            ["type": FieldValue(integer: structure.type.rawValue), "data": .bytes(structure.data)]
        }
        return fields.fieldMembers + [.init("structures", .list(list))] + decodedMembers
    }

    /// The member `decoded`, if the kind of device is known: what drivers recognize, then beacon frames.
    var decodedMembers: [FieldValue.Member] {
        // Standard services are listed as such.
        let known = KnownDrivers.all.recognize(fields, address: address).filter { !($0.driver is ProfileDriver) }
        let devices = known.map(\.recognition.value)
        let list = devices + fields.beacons.map(\.fields)
        return list.isEmpty ? [] : [.init("decoded", .list(list))]
    }
}
