// SPDX-License-Identifier: Apache-2.0

import CeruleanSensorTag
import CeruleanWire

/// The kinds of sensortag.json.
public struct SensorTagCases: VectorSuite {
    /// Creates the suite.
    public init() {}

    /// The kinds.
    public var kinds: Set<String> {
        Set(SensorTag.Sensor.allCases.map { "decode.\($0.rawValue)" })
            .union([
                "encode.config", "encode.period", "encode.io", "encode.ioMode", "encode.connectionRequest", "identify",
                "bluecap.stringValue", "bluecap.dataFromString",
            ])
    }

    /// Runs one case.
    public func run(_ test: VectorCase) async throws(CaseFailure) {
        var members = try test.members()
        switch test.kind {
        case "encode.config": try Self.configuration(&members)
        case "encode.period":
            _ = try Self.model(&members)
            var input = try members.object("input")
            let sensor = try Self.sensor(try input.text("sensor"))
            let milliseconds = try input.integer("milliseconds")
            try input.finish()
            guard (0...1_000_000_000).contains(milliseconds) else {
                throw CaseFailure("input.milliseconds: out of range")
            }
            try Self.checkHex([sensor.encodedPeriod(.milliseconds(milliseconds))], &members)
        case "encode.io":
            _ = try Self.model(&members)
            var input = try members.object("input")
            var outputs: SensorTag.Outputs = []
            if try Self.flag("red", &input) { outputs.insert(.red) }
            if try Self.flag("green", &input) { outputs.insert(.green) }
            if try Self.flag("buzzer", &input) { outputs.insert(.buzzer) }
            try input.finish()
            try Self.checkHex([outputs.rawValue], &members)
        case "encode.ioMode":
            _ = try Self.model(&members)
            var input = try members.object("input")
            let modes: [String: SensorTag.IOMode] = ["local": .local, "remote": .remote, "selfTest": .selfTest]
            guard let mode = modes[try input.text("mode")] else { throw CaseFailure("input.mode: unknown") }
            try input.finish()
            try Self.checkHex([mode.rawValue], &members)
        case "encode.connectionRequest": try Self.connectionRequest(&members)
        case "identify": try Self.identify(&members)
        case "bluecap.stringValue": try Self.blueCapStrings(&members)
        case "bluecap.dataFromString": try Self.blueCapBytes(&members)
        default: try Self.decode(try Self.sensor(String(test.kind.dropFirst("decode.".count))), &members)
        }
        try members.finish()
    }

    // MARK: - Private

    private static func checkHex(_ bytes: [UInt8]?, _ members: inout CaseObject) throws(CaseFailure) {
        try Expectation.compare(
            bytes.map { .bytes($0) } ?? .null, with: try members.required("expectHex"), at: "expectHex")
    }

    private static func model(_ members: inout CaseObject) throws(CaseFailure) -> SensorTag.Model {
        let text = try members.text("model")
        guard let model = SensorTag.Model(rawValue: text) else { throw CaseFailure("model: unknown \(text)") }
        return model
    }

    private static func sensor(_ name: String) throws(CaseFailure) -> SensorTag.Sensor {
        guard let sensor = SensorTag.Sensor(rawValue: name) else { throw CaseFailure("sensor: unknown \(name)") }
        return sensor
    }

    private static func range(_ number: Int) throws(CaseFailure) -> SensorTag.AccelerationRange {
        guard let range = SensorTag.AccelerationRange(rawValue: number) else {
            throw CaseFailure("accelRangeG: \(number) is no range")
        }
        return range
    }

    /// False where it is left out.
    private static func flag(_ name: String, _ members: inout CaseObject) throws(CaseFailure) -> Bool {
        members.names.contains(name) ? try members.bool(name) : false
    }

    private static func decode(_ sensor: SensorTag.Sensor, _ members: inout CaseObject) throws(CaseFailure) {
        var decoding = SensorTag.Decoding(model: try model(&members))
        let bytes = try members.hex("hex")
        if members.names.contains("options") {
            var options = try members.object("options")
            if options.names.contains("firmware") { decoding.firmware = try options.text("firmware") }
            if options.names.contains("calibrationHex") { decoding.calibration = try options.hex("calibrationHex") }
            if options.names.contains("accelRangeG") { decoding.range = try range(try options.integer("accelRangeG")) }
            try options.finish()
        }
        let absolute = members.names.contains("tol") ? try members.number("tol") : 0
        let relative = members.names.contains("tolRelative") ? try members.number("tolRelative") : nil
        let actual: FieldValue
        do {
            actual = try decoding.decode(bytes, of: sensor).fields
        } catch {
            actual = ["error": .text(error.code.description)]
        }
        try Expectation.compare(
            actual, with: try members.required("expect"), at: "expect", relative: relative ?? (absolute > 0 ? 0 : 1e-6),
            absolute: absolute)
    }

    private static func configuration(_ members: inout CaseObject) throws(CaseFailure) {
        _ = try model(&members)
        var input = try members.object("input")
        let sensor = try sensor(try input.text("sensor"))
        let configuration: SensorTag.Configuration
        if sensor == .movement, !input.names.contains("enabled") {
            configuration = .movement(
                gyroscope: try flag("gyro", &input), accelerometer: try flag("accel", &input),
                magnetometer: try flag("mag", &input), wakeOnMotion: try flag("wakeOnMotion", &input),
                try range(input.names.contains("accelRangeG") ? try input.integer("accelRangeG") : 2))
        } else if input.names.contains("axes") {
            let axes = try input.texts("axes")
            for axis in axes where !["x", "y", "z"].contains(axis) { throw CaseFailure("input.axes: unknown \(axis)") }
            configuration = .axes(x: axes.contains("x"), y: axes.contains("y"), z: axes.contains("z"))
        } else if input.names.contains("calibrate") {
            configuration = try input.bool("calibrate") ? .calibrate : .off
        } else {
            configuration = try input.bool("enabled") ? .on : .off
        }
        try input.finish()
        do {
            try checkHex(try configuration.encoded(for: sensor), &members)
        } catch let failure as CaseFailure {
            throw failure
        } catch {
            throw CaseFailure("\(error)")
        }
    }

    private static func connectionRequest(_ members: inout CaseObject) throws(CaseFailure) {
        _ = try model(&members)
        var input = try members.object("input")
        func duration(_ name: String) throws(CaseFailure) -> Duration {
            let milliseconds = try input.number(name)
            guard (0...1e9).contains(milliseconds) else { throw CaseFailure("input.\(name): out of range") }
            return .nanoseconds(Int64(milliseconds * 1e6))
        }
        let bytes = SensorTag.connectionRequest(
            minimumInterval: try duration("minIntervalMs"), maximumInterval: try duration("maxIntervalMs"),
            latency: try input.integer("latency"), timeout: try duration("timeoutMs"))
        try input.finish()
        try checkHex(bytes, &members)
    }

    private static func identify(_ members: inout CaseObject) throws(CaseFailure) {
        var input = try members.object("input")
        var name: String?
        switch try input.required("localName") {
        case .text(let text): name = text
        case .null: break
        default: throw CaseFailure("input.localName: no text")
        }
        var services: [BluetoothUUID] = []
        for text in try input.list("services") { services.append(try RedBearCases.uuid(text, at: "input.services")) }
        try input.finish()
        let model = SensorTag.identify(name: name, services: services)
        try Expectation.compare(
            ["model": model.map { .text($0.rawValue) } ?? .null], with: try members.required("expect"), at: "expect")
    }

    private static func blueCapStrings(_ members: inout CaseObject) throws(CaseFailure) {
        let uuid = try RedBearCases.uuid(try members.required("uuid"), at: "uuid")
        let strings = BlueCapStrings.strings(of: uuid, try members.hex("hex"))
        let actual = strings.map { FieldValue.object($0.map { .init($0.name, .text($0.text)) }) } ?? .null
        try Expectation.compare(actual, with: try members.required("expect"), at: "expect")
    }

    private static func blueCapBytes(_ members: inout CaseObject) throws(CaseFailure) {
        let uuid = try RedBearCases.uuid(try members.required("uuid"), at: "uuid")
        var input = try members.object("input")
        var strings: [String: String] = [:]
        for name in input.names { strings[name] = try input.text(name) }
        try checkHex(BlueCapStrings.bytes(of: uuid, from: strings), &members)
    }
}
