// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanWire

/// Runs `profiles.json`: values of standard characteristics and descriptors, medical numbers, rates of a bicycle.
///
/// What can be decoded is encoded again, and must then decode to the same.
public struct ProfileSuite: VectorSuite {
    /// The kinds of the file.
    public let kinds: Set<String> = ["decode", "csc.derive", "cp.derive"]

    /// The suite.
    public init() {}

    /// Runs one case.
    public func run(_ test: VectorCase) async throws(CaseFailure) {
        var members = try test.members()
        let bytes = try members.hex("hex")
        let expected = try members.required("expect")
        let absolute = members.names.contains("tol") ? try members.number("tol") : 1e-9
        guard absolute >= 0, absolute < 1 else { throw members.wrongType("tol", "small number") }
        let actual: FieldValue
        switch test.kind {
        case "csc.derive":
            actual = try derive(&members, bytes) { (now: CyclingSpeedCadenceMeasurement, before, circumference) in
                now.rates(since: before, circumference: circumference)
            }
        case "cp.derive":
            actual = try derive(&members, bytes) { (now: CyclingPowerMeasurement, before, circumference) in
                now.rates(since: before, circumference: circumference)
            }
        default:
            actual =
                members.names.contains("format")
                ? try number(&members, bytes) : try characteristic(&members, bytes)
        }
        try members.finish()
        try Expectation.compare(actual, with: expected, at: "expect", absolute: absolute)
    }

    // MARK: - Private

    private func characteristic(_ members: inout CaseObject, _ bytes: [UInt8]) throws(CaseFailure) -> FieldValue {
        let text = try members.text("characteristic")
        guard let uuid = BluetoothUUID(text) else { throw members.wrongType("characteristic", "UUID") }
        var options = KnownCharacteristics.Options()
        if var given = try members.optionalObject("options") {
            let count = try given.integer("signalCount")
            guard uuid == 0x2A56, (0...2048).contains(count) else {
                throw CaseFailure("options.signalCount: for 0 to 2048 digital signals (2A56) only")
            }
            options.signalCount = count
            try given.finish()
        }
        guard let decoded = KnownCharacteristics.decoded(uuid: uuid, bytes: bytes, options: options) else {
            throw CaseFailure("characteristic: no decoder for \(text)")
        }
        if let fault = decoded.fault { return Self.error(fault) }
        let again: [UInt8]
        do {
            guard let encoded = try KnownCharacteristics.encodedAgain(uuid: uuid, bytes: bytes, options: options)
            else { throw CaseFailure("characteristic: no encoder for \(text)") }
            again = encoded
        } catch let error as WireError {
            throw CaseFailure("encoding what was decoded: \(error)")
        } catch {
            throw error as? CaseFailure ?? CaseFailure("\(error)")
        }
        let second = KnownCharacteristics.decoded(uuid: uuid, bytes: again, options: options)
        guard second?.fault == nil, second?.value == Self.repaired(decoded.value) else {
            throw CaseFailure("encoded as \(Hex.encode(again)), which decodes to something else")
        }
        return decoded.value
    }

    private func number(_ members: inout CaseObject, _ bytes: [UInt8]) throws(CaseFailure) -> FieldValue {
        let format = try members.text("format")
        let count: Int
        switch format {
        case "sfloat": count = 2
        case "float": count = 4
        default: throw CaseFailure("format: unknown \(format)")
        }
        guard bytes.count >= count else { return ["error": "truncated"] }
        guard bytes.count == count else { throw CaseFailure("hex: not \(count) octets") }
        let raw = bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let number = count == 2 ? MedicalFloat(sfloat: UInt16(truncatingIfNeeded: raw)) : MedicalFloat(float: raw)
        guard (count == 2 ? number.sfloat.map(UInt32.init) : number.float) == raw else {
            throw CaseFailure("\(number.fieldValue) is encoded as another number")
        }
        return ["value": number.fieldValue]
    }

    private func derive<Value: ListedValue>(
        _ members: inout CaseObject, _ bytes: [UInt8], _ rates: (Value, Value, Double) -> CyclingRates
    ) throws(CaseFailure) -> FieldValue {
        let earlier = try members.hex("previousHex")
        var options = try members.object("options")
        let circumference = try options.number("wheelCircumference")
        guard circumference > 0 else { throw options.wrongType("wheelCircumference", "number above 0") }
        try options.finish()
        do {
            return rates(try Value(decoding: bytes), try Value(decoding: earlier), circumference).fields
        } catch {
            return Self.error(error)
        }
    }

    /// What is sent has the checksum that belongs to it.
    private static func repaired(_ value: FieldValue) -> FieldValue {
        switch value {
        case .object(let members):
            .object(
                members.map { .init($0.name, $0.name == "crcValid" && $0.value == false ? true : repaired($0.value)) })
        case .list(let values): .list(values.map(repaired))
        default: value
        }
    }

    private static func error(_ error: WireError) -> FieldValue {
        switch error.reason {
        case .truncated: ["error": "truncated"]
        case .trailing: ["error": "trailing"]
        case .invalid: ["error": "invalid"]
        case .tooLong: ["error": "tooLong"]
        }
    }
}
