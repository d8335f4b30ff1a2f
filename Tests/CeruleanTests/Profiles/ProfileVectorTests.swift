// SPDX-License-Identifier: Apache-2.0
import Cerulean
import CeruleanWire
import Foundation
import Testing

/// Runs the `decode` cases of Tests/Vectors/profiles.json whose characteristic is known.
@Suite struct ProfileVectorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var id: String
        var uuid: BluetoothUUID
        var bytes: [UInt8]
        var signalCount: Int?
        var expected: FieldValue
        var testDescription: String { id }
    }

    nonisolated(unsafe) static let entries: [[String: Any]] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Vectors/profiles.json")
        let root = (try? Data(contentsOf: file)).flatMap { try? JSONSerialization.jsonObject(with: $0) }
        return (root as? [String: Any])?["cases"] as? [[String: Any]] ?? []
    }()

    static let cases: [Case] = entries.compactMap { entry in
        guard entry["kind"] as? String == "decode", let text = entry["characteristic"] as? String,
            let uuid = BluetoothUUID(text), let hex = entry["hex"] as? String, let bytes = try? Hex.decode(hex),
            let id = entry["id"] as? String
        else { return nil }
        let options = entry["options"] as? [String: Any]
        return Case(
            id: id, uuid: uuid, bytes: bytes, signalCount: options?["signalCount"] as? Int,
            expected: value(entry["expect"]))
    }

    static func value(_ any: Any?) -> FieldValue {
        switch any {
        case let text as String: .text(text)
        case let number as NSNumber:
            String(cString: number.objCType) == "c" ? .bool(number.boolValue) : .number(number.doubleValue)
        case let list as [Any]: .list(list.map { value($0) })
        case let object as [String: Any]: .object(object.map { .init($0.key, value($0.value)) })
        default: .null
        }
    }

    /// Compares without regard to the order of members; numbers within one part in a million.
    static func equal(_ a: FieldValue, _ b: FieldValue) -> Bool {
        switch (a, b) {
        case (.object(let x), .object(let y)):
            return x.count == y.count
                && x.allSatisfy { member in b[member.name].map { equal(member.value, $0) } ?? false }
        case (.list(let x), .list(let y)): return x.count == y.count && zip(x, y).allSatisfy { equal($0, $1) }
        default: break
        }
        guard let x = number(a), let y = number(b) else { return a == b }
        return abs(x - y) <= max(1e-9, 1e-6 * abs(y))
    }

    static func number(_ value: FieldValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    @Test func everyCaseIsOfAKnownCharacteristic() {
        #expect(Self.cases.count == 91)
        #expect(Self.cases.filter { !KnownCharacteristics.isKnown($0.uuid) }.map(\.id) == [])
    }

    @Test(arguments: cases)
    func decodesTheVector(vector: Case) throws {
        let decoded = try #require(
            KnownCharacteristics.decoded(
                uuid: vector.uuid, bytes: vector.bytes, options: .init(signalCount: vector.signalCount)))
        if let error = vector.expected["error"] {
            #expect(error == "truncated")
            #expect(decoded.fault?.reason == .truncated)
        } else {
            #expect(decoded.fault == nil)
            #expect(Self.equal(decoded.value, vector.expected), "\(decoded.value) is not \(vector.expected)")
        }
    }

    struct Derived: Sendable, CustomTestStringConvertible {
        var id: String
        var isPower: Bool
        var before: [UInt8]
        var now: [UInt8]
        var circumference: Double
        var expected: FieldValue
        var testDescription: String { id }
    }

    static let derived: [Derived] = entries.compactMap { entry in
        guard let kind = entry["kind"] as? String, kind.hasSuffix(".derive"), let id = entry["id"] as? String,
            let before = (entry["previousHex"] as? String).flatMap({ try? Hex.decode($0) }),
            let now = (entry["hex"] as? String).flatMap({ try? Hex.decode($0) }),
            let options = entry["options"] as? [String: Any],
            let circumference = (options["wheelCircumference"] as? NSNumber)?.doubleValue
        else { return nil }
        return Derived(
            id: id, isPower: kind == "cp.derive", before: before, now: now, circumference: circumference,
            expected: value(entry["expect"]))
    }

    @Test(arguments: derived)
    func derivesTheVector(vector: Derived) throws {
        let rates =
            vector.isPower
            ? try CyclingPowerMeasurement(decoding: vector.now).rates(
                since: CyclingPowerMeasurement(decoding: vector.before), circumference: vector.circumference)
            : try CyclingSpeedCadenceMeasurement(decoding: vector.now).rates(
                since: CyclingSpeedCadenceMeasurement(decoding: vector.before), circumference: vector.circumference)
        #expect(Self.equal(rates.fields, vector.expected), "\(rates.fields) is not \(vector.expected)")
    }

    @Test func resetsAreNoSpeed() {
        var before = CyclingSpeedCadenceMeasurement()
        var now = before
        #expect(now.rates(since: before, circumference: 2).fields == [:])
        before.wheel = WheelRevolutions(count: 100, time: 0)
        now.wheel = WheelRevolutions(count: 2, time: 1024)
        #expect(now.rates(since: before, circumference: 2).fields == ["speed": nil])
        #expect(Self.derived.count == 4)
    }

    @Test func readsAndWritesMedicalFloats() throws {
        var count = 0
        for entry in Self.entries {
            guard let format = entry["format"] as? String, let hex = entry["hex"] as? String else { continue }
            let bytes = try Hex.decode(hex)
            let raw = bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let float = format == "sfloat" ? MedicalFloat(sfloat: UInt16(raw)) : MedicalFloat(float: raw)
            #expect(Self.equal(["value": float.fieldValue], Self.value(entry["expect"])), "\(hex)")
            #expect(format == "sfloat" ? float.sfloat.map(UInt32.init) == raw : float.float == raw)
            count += 1
        }
        #expect(count == 21)
        #expect(MedicalFloat(36.5, digits: 1).sfloat == 0xF16D)
        #expect(MedicalFloat(.infinity, digits: 1).special == .notANumber)
        #expect(MedicalFloat(mantissa: 204700, exponent: 0).sfloat == nil)
        #expect(MedicalFloat(mantissa: 0x07FF, exponent: 0).sfloat == nil)
        #expect(MedicalFloat(sfloat: 0xF7FF).value == 204.7)
    }

    /// Encoding what was decoded gives the same octets, but for what the value does not keep.
    @Test func valuesSurviveARoundTrip() throws {
        func same<Value: ListedValue>(_: Value.Type, _ bytes: [UInt8], _ id: String) throws {
            guard let value = try? Value(decoding: bytes) else { return }
            #expect(try value.encoded() == bytes, "\(id)")
        }
        for vector in Self.cases where vector.expected["error"] == nil {
            let bytes = vector.bytes
            switch vector.uuid.short {
            case 0x2A0F: try same(LocalTimeInformation.self, bytes, vector.id)
            case 0x2A14: try same(ReferenceTimeInformation.self, bytes, vector.id)
            case 0x2A18: try same(GlucoseMeasurement.self, bytes, vector.id)
            case 0x2A1C: try same(TemperatureMeasurement.self, bytes, vector.id)
            case 0x2A2B: try same(CurrentTimeValue.self, bytes, vector.id)
            case 0x2A34: try same(GlucoseContext.self, bytes, vector.id)
            case 0x2A35, 0x2A36: try same(BloodPressureMeasurement.self, bytes, vector.id)
            case 0x2A4A: try same(HIDInformation.self, bytes, vector.id)
            case 0x2A53: try same(RunningSpeedCadenceMeasurement.self, bytes, vector.id)
            case 0x2A5B: try same(CyclingSpeedCadenceMeasurement.self, bytes, vector.id)
            case 0x2A5E: try same(OximeterSpotCheck.self, bytes, vector.id)
            case 0x2A5F: try same(OximeterContinuous.self, bytes, vector.id)
            case 0x2A63: try same(CyclingPowerMeasurement.self, bytes, vector.id)
            case 0x2A67: try same(LocationAndSpeed.self, bytes, vector.id)
            case 0x2A68: try same(NavigationValue.self, bytes, vector.id)
            case 0x2A69: try same(PositionQuality.self, bytes, vector.id)
            case 0x2A9D: try same(WeightMeasurement.self, bytes, vector.id)
            case 0x2AA7 where !vector.id.hasSuffix("bad"): try same(GlucoseMonitoringMeasurement.self, bytes, vector.id)
            case 0x2AA9: try same(GlucoseMonitoringStatus.self, bytes, vector.id)
            case 0x2AAA: try same(GlucoseMonitoringSessionStart.self, bytes, vector.id)
            case 0x2ACD: try same(TreadmillData.self, bytes, vector.id)
            case 0x2AD1: try same(RowerData.self, bytes, vector.id)
            case 0x2AD2: try same(IndoorBikeData.self, bytes, vector.id)
            default: break
            }
        }
    }
}
