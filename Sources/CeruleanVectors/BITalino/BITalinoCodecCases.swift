// SPDX-License-Identifier: Apache-2.0

import CeruleanBITalino
import CeruleanRecording
import CeruleanSensing
import CeruleanWire

/// The kinds of bitalino.json about commands, frames, answers and units.
public struct BITalinoCodecCases: VectorSuite {
    /// Creates the suite.
    public init() {}

    /// The kinds.
    public var kinds: Set<String> { ["command", "framework-command", "frame", "version", "state", "loss", "transfer"] }

    /// Runs one case.
    public func run(_ test: VectorCase) async throws(CaseFailure) {
        var members = try test.members()
        switch test.kind {
        case "command": try Self.command(&members)
        case "framework-command": try Self.frameworkCommand(&members)
        case "frame": try Self.frame(&members)
        case "version": try Self.version(&members)
        case "state": try Self.state(&members)
        case "loss": try Self.loss(&members)
        default: try Self.transfer(&members)
        }
        try members.finish()
    }

    // MARK: - Commands

    private static func command(_ members: inout CaseObject) throws(CaseFailure) {
        let version = try version(named: try members.text("device"))
        let isAcquiring: Bool
        switch try members.text("state") {
        case "idle": isAcquiring = false
        case "live": isAcquiring = true
        case let other: throw CaseFailure("state: unknown \(other)")
        }
        let call = try members.text("call")
        let command = try command(call, &members)
        let expected = try members.required("expect")
        let actual: FieldValue
        do {
            actual = writes(try command.encoded(for: version, isAcquiring: isAcquiring))
        } catch {
            actual = ["error": .text(name(of: error)), "writes": []]
        }
        try Expectation.compare(actual, with: expected, at: "expect")
    }

    private static func command(_ call: String, _ members: inout CaseObject) throws(CaseFailure) -> BITalino.Command {
        switch call {
        case "start", "startSimulated":
            var arguments = try members.object("args")
            // What is left out is as in the official programs: 1000 Hz, all inputs.
            let rate = arguments.names.contains("rate") ? try arguments.integer("rate") : 1000
            let inputs = arguments.names.contains("channels") ? try arguments.integers("channels") : Array(0...5)
            try arguments.finish()
            return .start(rate: rate, inputs: inputs, mode: call == "start" ? .live : .simulated)
        case "version":
            try none(&members)
            return .version
        case "stop":
            try none(&members)
            return .stop
        case "state":
            try none(&members)
            return .state
        case "battery": return .battery(threshold: try one(&members) ?? 0)
        case "pwm": return .pwm(try one(&members) ?? 100)
        case "trigger": return .outputs(try members.integers("args"))
        default: throw CaseFailure("call: unknown \(call)")
        }
    }

    private static func none(_ members: inout CaseObject) throws(CaseFailure) {
        guard try members.list("args").isEmpty else { throw CaseFailure("args: this call takes none") }
    }

    /// The only argument; nil if it is left out.
    private static func one(_ members: inout CaseObject) throws(CaseFailure) -> Int? {
        let arguments = try members.integers("args")
        guard arguments.count <= 1 else { throw CaseFailure("args: this call takes one") }
        return arguments.first
    }

    private static func frameworkCommand(_ members: inout CaseObject) throws(CaseFailure) {
        let call = try members.text("call")
        var arguments = try members.object("args")
        let command: BITalino.FrameworkCommand
        switch call {
        case "startRecordingFromAnalogChannels":
            command = .startRecording(
                channels: try arguments.integers("channels"), sampleRate: try arguments.integer("sampleRate"))
        case "stopRecording": command = .stopRecording
        case "setBatteryThreshold": command = .setBatteryThreshold(try arguments.integer("threshold"))
        case "setDigitalOutputs": command = .setDigitalOutputs(try arguments.integers("channels"))
        default: throw CaseFailure("call: unknown \(call)")
        }
        try arguments.finish()
        let actual: FieldValue
        do {
            actual = writes(try command.encoded())
        } catch {
            actual = ["error": .text(name(of: error)), "writes": []]
        }
        try Expectation.compare(actual, with: try members.required("expect"), at: "expect")
    }

    private static func writes(_ bytes: [UInt8]) -> FieldValue {
        ["writes": .list(bytes.map { .text(Hex.encode(CollectionOfOne($0))) })]
    }

    /// The names that the vectors, after the Python API, give to errors.
    private static func name(of error: BITalinoError) -> String {
        switch error.code {
        case .invalidParameter: "INVALID_PARAMETER"
        case .notIdle: "DEVICE_NOT_IDLE"
        case .notAcquiring: "DEVICE_NOT_IN_ACQUISITION"
        case .unsupportedVersion: "INVALID_VERSION"
        case .badAnswer: "CONTACTING_DEVICE"
        default: error.code.description
        }
    }

    // MARK: - Frames and answers

    private static func frame(_ members: inout CaseObject) throws(CaseFailure) {
        let inputs = try BITalinoStreams.inputs(&members)
        for (index, value) in try members.list("frames").enumerated() {
            var row = try CaseObject(value, at: "frames[\(index)]")
            let bytes = try row.hex("hex")
            let expected: FieldValue = [
                "seq": try row.required("seq"), "digital": try row.required("digital"),
                "analog": try row.required("analog"),
            ]
            try row.finish()
            guard let frame = BITalino.FrameCodec.decode(bytes, inputs: inputs) else {
                throw CaseFailure("\(row.path).hex: no frame")
            }
            let digital = (0..<4).map { FieldValue(integer: frame.line($0)) }
            let analog = (0..<inputs.count).map { FieldValue(integer: frame.analog[$0]) }
            try Expectation.compare(
                ["seq": FieldValue(integer: frame.sequence), "digital": .list(digital), "analog": .list(analog)],
                with: expected, at: row.path)
            var encoded: [UInt8] = []
            BITalino.FrameCodec.encode(frame, into: &encoded)
            guard encoded == bytes else { throw CaseFailure("\(row.path): written again as \(Hex.encode(encoded))") }
        }
    }

    private static func version(_ members: inout CaseObject) throws(CaseFailure) {
        let bytes = try members.hex("rawHex")
        let actual: FieldValue =
            BITalino.Version(answer: bytes).map {
                [
                    "version": .text($0.text), "isBITalino2": .bool($0.isRevolution),
                    "stateIs17Bytes": .bool($0.hasLongState),
                ]
            } ?? ["error": "CONTACTING_DEVICE"]
        try Expectation.compare(actual, with: try members.required("expect"), at: "expect")
    }

    private static func version(named text: String) throws(CaseFailure) -> BITalino.Version {
        guard let version = BITalino.Version(answer: Array(text.utf8) + [0x0A]), version.text == text else {
            throw CaseFailure("device: no version in \(text)")
        }
        return version
    }

    private static func state(_ members: inout CaseObject) throws(CaseFailure) {
        let version = try version(named: try members.text("device"))
        let bytes = try members.hex("rawHex")
        let actual: FieldValue
        do {
            let state = try BITalino.BoardState(answer: bytes, version: version)
            guard state.encoded == bytes else { throw CaseFailure("written again as \(Hex.encode(state.encoded))") }
            var fields: [FieldValue.Member] = [
                .init("analog", .list(state.analog.map { FieldValue(integer: $0) })),
                .init("battery", FieldValue(integer: state.battery)),
                .init("batteryThreshold", FieldValue(integer: state.batteryThreshold)),
                .init("digital", .list(state.digital.map { FieldValue(integer: $0) })),
            ]
            if let pwm = state.pwm { fields.append(.init("pwm", FieldValue(integer: pwm))) }
            actual = .object(fields)
        } catch let error as BITalinoError {
            actual = ["error": .text(name(of: error))]
        } catch let failure as CaseFailure {
            throw failure
        } catch {
            throw CaseFailure("\(error)")
        }
        try Expectation.compare(actual, with: try members.required("expect"), at: "expect")
    }

    private static func loss(_ members: inout CaseObject) throws(CaseFailure) {
        let rate = try members.number("rateHz")
        let before = try sequence("seqBefore", &members)
        let after = try sequence("seqAfter", &members)
        let elapsed = try members.number("elapsedSeconds")
        let actual: FieldValue = [
            "lostModulo16": FieldValue(integer: BITalino.Loss.modulo16(from: before, to: after)),
            "lostWithClock": FieldValue(
                integer: BITalino.Loss.withClock(from: before, to: after, elapsed: elapsed, rate: rate)),
        ]
        try Expectation.compare(actual, with: try members.required("expect"), at: "expect")
    }

    private static func sequence(_ name: String, _ members: inout CaseObject) throws(CaseFailure) -> UInt8 {
        let number = try members.integer(name)
        guard (0...15).contains(number) else { throw CaseFailure("\(name): \(number) is no sequence number") }
        return UInt8(number)
    }

    // MARK: - Units

    private static func transfer(_ members: inout CaseObject) throws(CaseFailure) {
        let name = try members.text("sensor")
        let unit = try members.text("unit")
        let bits = try members.integer("bits")
        guard bits == 10 || bits == 6 else { throw CaseFailure("bits: \(bits) is not 6 or 10") }
        let tolerance = try members.number("tolerance")
        let sensor = try sensor(named: name)
        guard sensor.unit == unit else { throw CaseFailure("unit: expected \(unit), got \(sensor.unit)") }
        let conversion = sensor.conversion(bits: bits)
        for (index, point) in try members.list("points").enumerated() {
            guard case .list(let pair) = point, pair.count == 2, case .integer(let raw) = pair[0] else {
                throw CaseFailure("points[\(index)]: no pair of raw value and result")
            }
            try Expectation.compare(
                .number(conversion(Double(raw))), with: pair[1], at: "points[\(index)]", relative: 0,
                absolute: tolerance)
        }
    }

    /// The name of a row of section 11, in brackets its gain or constants.
    private static func sensor(named text: String) throws(CaseFailure) -> BITalino.Sensor {
        let parts = text.split(separator: "(", maxSplits: 1)
        let name = parts.first.map { $0.hasSuffix(" ") ? String($0.dropLast()) : String($0) } ?? ""
        guard let sensor = BITalino.Sensor.named(name) else { throw CaseFailure("sensor: unknown \(text)") }
        guard parts.count == 2 else { return sensor }
        guard parts[1].hasSuffix(")") else { throw CaseFailure("sensor: unknown \(text)") }
        var constants: [String: Double] = [:]
        for part in parts[1].dropLast().split(separator: ",") {
            let words = part.split(separator: " ")
            guard words.count == 2, let number = Double(words[1]) else { throw CaseFailure("sensor: unknown \(text)") }
            constants[String(words[0])] = number
        }
        switch sensor.transfer {
        case .amplifier(_, let scale):
            guard constants.count == 1, let gain = constants["gain"] else {
                throw CaseFailure("sensor: unknown \(text)")
            }
            var copy = sensor
            copy.transfer = .amplifier(gain: gain, scale: scale)
            return copy
        case .calibrated:
            guard constants.count == 2, let least = constants["Cmin"], let greatest = constants["Cmax"] else {
                throw CaseFailure("sensor: unknown \(text)")
            }
            return .accelerometer(least: least, greatest: greatest)
        default: throw CaseFailure("sensor: unknown \(text)")
        }
    }
}
