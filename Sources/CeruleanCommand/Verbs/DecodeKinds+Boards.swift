// SPDX-License-Identifier: Apache-2.0

import CeruleanRedBear
import CeruleanSensorTag
import CeruleanWire

extension DecodeKind {
    /// What a Red Bear board sends.
    static let redbear = DecodeKind(name: "redbear", words: ["slider", "controls", "rbl"]) {
        invocation throws(CommandError) in
        switch invocation.positional(1) {
        case "slider":
            return { bytes in
                do throws(WireError) {
                    return DecodeOutcome(value: try SliderFrame(decoding: bytes).fields)
                } catch {
                    return DecodeOutcome(value: nil, error: .init(error, in: "slider frame"))
                }
            }
        case "controls":
            return { bytes in
                let decoded = SimpleControls.decode(bytes)
                var members: [FieldValue.Member] = [.init("messages", .list(decoded.messages.map(\.fields)))]
                if !decoded.rest.isEmpty { members.append(.init("rest", .bytes(decoded.rest))) }
                return DecodeOutcome(value: .object(members))
            }
        case "rbl":
            return { bytes in
                let parsed = ControllerProtocol.parse(bytes)
                let fault = parsed.truncatedAt.map { offset in
                    DecodeOutcome.Fault("truncated", "the message at offset \(offset) lacks octets", offset: offset)
                }
                return DecodeOutcome(value: ["messages": .list(parsed.messages.map(\.fields))], error: fault)
            }
        default: throw .usage("decode redbear takes slider, controls or rbl in front of HEX")
        }
    }

    /// A sensor of a SensorTag.
    static let sensortag = DecodeKind(
        name: "sensortag", options: ["model", "uuid", "firmware", "calibration", "range"]
    ) { invocation throws(CommandError) in
        let models = SensorTag.Model.allCases.map(\.rawValue).joined(separator: ", ")
        guard let text = invocation.value("model"), let model = SensorTag.Model(named: text) else {
            throw .usage("decode sensortag needs --model: \(models)")
        }
        guard let name = invocation.value("uuid"), let sensor = sensor(name) else {
            throw .usage(
                "decode sensortag needs --uuid of a sensor's data, such as AA01 or F000AA81-0451-4000-B000-000000000000"
            )
        }
        guard SensorTag.Sensor.all(of: model).contains(sensor) else {
            throw .usage("a \(model.rawValue) has no \(sensor.rawValue)")
        }
        var decoding = SensorTag.Decoding(model: model, firmware: invocation.value("firmware"))
        if let hex = invocation.value("calibration") {
            guard let bytes = try? Hex.decode(hex), bytes.count == 16 else {
                throw .usage("--calibration takes 16 octets in hexadecimal")
            }
            decoding.calibration = bytes
        }
        if let text = invocation.value("range") {
            guard let range = Int(text).flatMap(SensorTag.AccelerationRange.init(rawValue:)) else {
                throw .usage("--range takes 2, 4, 8 or 16, not '\(text)'")
            }
            decoding.range = range
        }
        let known = decoding
        return { bytes in
            do throws(SensorTagError) {
                return DecodeOutcome(value: try known.decode(bytes, of: sensor).fields)
            } catch {
                return DecodeOutcome(
                    value: nil, error: .init(error.code.description, error.description, offset: error.offset))
            }
        }
    }

    /// The sensor of a data characteristic: by its whole UUID, four digits of it, or the sensor's name.
    private static func sensor(_ text: String) -> SensorTag.Sensor? {
        if let named = SensorTag.Sensor.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) {
            return named
        }
        guard let uuid = BluetoothUUID(text) else { return nil }
        if let sensor = SensorTag.Sensor(data: uuid) { return sensor }
        return UInt16(text, radix: 16).flatMap { SensorTag.Sensor(data: SensorTag.uuid($0)) }
    }
}
