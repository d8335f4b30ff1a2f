// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanRedBear
import CeruleanWire

/// The kinds of redbear.json.
public struct RedBearCases: VectorSuite {
    /// Creates the suite.
    public init() {}

    /// The kinds.
    public var kinds: Set<String> {
        [
            "slider.decode", "slider.encode", "slider.threshold", "rbl.reassemble", "rbl.chunk", "controls.encode",
            "controls.decode", "firmware.controls", "firmware.rbl", "rblproto.encode", "rblproto.parse",
            "tutorial.light", "rgb.encode", "session", "uart.identify",
        ]
    }

    /// Runs one case.
    public func run(_ test: VectorCase) async throws(CaseFailure) {
        var members = try test.members()
        switch test.kind {
        case "slider.decode":
            let bytes = try members.hex("hex")
            let actual: FieldValue
            do { actual = try SliderFrame(decoding: bytes).fields } catch { actual = ["error": "truncated"] }
            try Self.check(actual, &members, absolute: 1e-6)
        case "slider.encode": try Self.encodeSliders(&members)
        case "slider.threshold": try Self.threshold(&members)
        case "rbl.reassemble": try Self.reassemble(&members)
        case "rbl.chunk":
            let packets = RedBear.packets(of: try members.hex("hex"))
            try Self.check(.list(packets.map { .bytes($0) }), &members)
        case "controls.encode": try Self.controls(&members)
        case "controls.decode":
            let decoded = SimpleControls.decode(try members.hex("hex"))
            var fields: [FieldValue.Member] = [.init("messages", .list(decoded.messages.map(\.fields)))]
            if !decoded.rest.isEmpty { fields.append(.init("rest", .bytes(decoded.rest))) }
            try Self.check(.object(fields), &members)
        case "firmware.controls": try Self.firmware(ControlsFirmware(), &members)
        case "firmware.rbl": try Self.firmware(ControllerFirmware(), &members)
        case "rblproto.encode": try Self.controller(&members)
        case "rblproto.parse":
            let parsed = ControllerProtocol.parse(try members.hex("hex"))
            var fields: [FieldValue.Member] = [.init("messages", .list(parsed.messages.map(\.fields)))]
            if parsed.truncatedAt != nil { fields.append(.init("error", "truncated")) }
            try Self.check(.object(fields), &members)
        case "tutorial.light":
            var input = try members.object("input")
            let number = try Self.octet("light", &input)
            try Self.checkHex(RedBear.light(number, isOn: try input.bool("on")), &members)
            try input.finish()
        case "rgb.encode":
            var input = try members.object("input")
            let (red, green, blue) = (
                try Self.octet("r", &input), try Self.octet("g", &input), try Self.octet("b", &input)
            )
            try input.finish()
            try Self.checkHex(RedBear.color(red: red, green: green, blue: blue), &members)
        case "session": try Self.session(&members)
        default: try Self.identify(&members)
        }
        try members.finish()
    }

    // MARK: - Private

    private static func check(
        _ actual: FieldValue, _ members: inout CaseObject, absolute: Double = 0
    ) throws(CaseFailure) {
        try Expectation.compare(actual, with: try members.required("expect"), at: "expect", absolute: absolute)
    }

    private static func checkHex(_ bytes: [UInt8], _ members: inout CaseObject) throws(CaseFailure) {
        let expected = try members.hex("expectHex")
        guard bytes == expected else {
            throw CaseFailure("expectHex: expected \(Hex.encode(expected)), got \(Hex.encode(bytes))")
        }
    }

    static func octet(_ name: String, _ members: inout CaseObject) throws(CaseFailure) -> UInt8 {
        guard let value = UInt8(exactly: try members.integer(name)) else { throw members.wrongType(name, "octet") }
        return value
    }

    private static func sliders(
        _ values: [Int], tags: [Int], at path: String
    ) throws(CaseFailure) -> [SliderFrame.Slider] {
        let sliders = zip(tags, values).compactMap { tag, value -> SliderFrame.Slider? in
            guard let tag = UInt8(exactly: tag), let value = UInt16(exactly: value) else { return nil }
            return SliderFrame.Slider(tag: tag, value: value)
        }
        guard values.count == 3, tags.count == 3, sliders.count == 3 else {
            throw CaseFailure("\(path): no three values with three tags")
        }
        return sliders
    }

    private static func encodeSliders(_ members: inout CaseObject) throws(CaseFailure) {
        var input = try members.object("input")
        let sliders = try sliders(try input.integers("values"), tags: try input.integers("tags"), at: "input")
        try input.finish()
        do {
            let bytes = try SliderFrame(sliders[0], sliders[1], sliders[2]).encoded()
            try checkHex(bytes, &members)
        } catch let failure as CaseFailure {
            throw failure
        } catch {
            try check(["error": "outOfRange"], &members)
        }
    }

    private static func threshold(_ members: inout CaseObject) throws(CaseFailure) {
        var machine = SliderThreshold()
        var results: [FieldValue] = []
        for (index, row) in try members.list("input").enumerated() {
            guard case .list(let list) = row else { throw CaseFailure("input[\(index)]: no list") }
            var values: [UInt16] = []
            for value in list {
                guard case .integer(let number) = value, let reading = UInt16(exactly: number) else {
                    throw CaseFailure("input[\(index)]: no readings")
                }
                values.append(reading)
            }
            guard values.count == 3 else { throw CaseFailure("input[\(index)]: no three readings") }
            let bytes = machine.update(values).flatMap { try? $0.encoded() }
            results.append(bytes.map { .bytes($0) } ?? .null)
        }
        try check(.list(results), &members)
    }

    private static func reassemble(_ members: inout CaseObject) throws(CaseFailure) {
        var assembler = PacketAssembler()
        var deliveries: [FieldValue] = []
        for text in try members.texts("input") {
            if let message = assembler.receive(try hex(text, at: "input")) { deliveries.append(.bytes(message)) }
        }
        try check(["deliveries": .list(deliveries), "pending": .bytes(assembler.pending)], &members)
    }

    static func hex(_ text: String, at path: String) throws(CaseFailure) -> [UInt8] {
        do { return try Hex.decode(text) } catch { throw CaseFailure("\(path): \(error)") }
    }

    private static func controls(_ members: inout CaseObject) throws(CaseFailure) {
        var input = try members.object("input")
        let command: SimpleControls.Command
        switch try input.text("op") {
        case "digital": command = .digital(try input.bool("on"))
        case "pwm": command = .pwm(try octet("value", &input))
        case "servo": command = .servo(try octet("value", &input))
        case "reset": command = .reset
        case "analogReports": command = .analogReports(try input.bool("on"))
        case let other: throw CaseFailure("input.op: unknown \(other)")
        }
        try input.finish()
        try checkHex(command.encoded, &members)
    }

    private static func controller(_ members: inout CaseObject) throws(CaseFailure) {
        var input = try members.object("input")
        let command: ControllerProtocol.Command
        switch try input.text("op") {
        case "queryVersion": command = .queryVersion
        case "queryPinCount": command = .queryPinCount
        case "queryCapability": command = .queryCapability(pin: try octet("pin", &input))
        case "queryMode": command = .queryMode(pin: try octet("pin", &input))
        case "setMode":
            let pin = try octet("pin", &input)
            command = .setMode(pin: pin, ControllerProtocol.Mode(rawValue: try octet("mode", &input)))
        case "digitalRead": command = .digitalRead(pin: try octet("pin", &input))
        case "digitalWrite":
            let pin = try octet("pin", &input)
            command = .digitalWrite(pin: pin, try octet("value", &input))
        case "analogWrite":
            let pin = try octet("pin", &input)
            command = .analogWrite(pin: pin, try octet("value", &input))
        case "servoWrite":
            let pin = try octet("pin", &input)
            command = .servoWrite(pin: pin, try octet("value", &input))
        case "queryAll": command = .queryAll
        case "custom": command = .custom(try input.hex("data"))
        case let other: throw CaseFailure("input.op: unknown \(other)")
        }
        try input.finish()
        try checkHex(command.encoded, &members)
    }

    private static func firmware(
        _ firmware: some SketchFirmware, _ members: inout CaseObject
    ) throws(CaseFailure) {
        var firmware = firmware
        var notifications: [FieldValue] = []
        for (index, value) in try members.list("input").enumerated() {
            var step = try CaseObject(value, at: "input[\(index)]")
            if step.names.contains("receive") {
                firmware.receive(try step.hex("receive"))
            } else if step.names.contains("loops") {
                let count = try step.integer("loops")
                guard (0...100_000).contains(count) else { throw CaseFailure("\(step.path).loops: out of range") }
                for _ in 0..<count { notifications += firmware.pass().map { .bytes($0) } }
            } else if step.names.contains("connected") {
                firmware.setConnected(try step.bool("connected"))
            } else {
                let pin = try step.integer("pin")
                if step.names.contains("analog") {
                    firmware.setAnalog(pin: pin, try step.integer("analog"))
                } else {
                    firmware.setDigital(pin: pin, try step.integer("digital"))
                }
            }
            try step.finish()
        }
        let outputs = firmware.takeActions().map { FieldValue.text($0.description) }
        try check(["notifications": .list(notifications), "outputs": .list(outputs)], &members)
    }

    private static func session(_ members: inout CaseObject) throws(CaseFailure) {
        var input = try members.object("input")
        guard !input.names.contains("events") else {
            var session = ShieldSession()
            var statuses: [FieldValue] = [.text(ShieldSession.Status.poweredOff.rawValue)]
            for name in try input.texts("events") {
                let event: ShieldSession.Event
                switch name {
                case "start", "look": event = .start
                case "poweredOn": event = .poweredOn
                case "poweredOff": event = .poweredOff
                case "discovered": event = .discovered
                case "connected": event = .connected
                case "services": event = .services
                case "characteristics": event = .characteristics
                case "disconnected": event = .disconnected
                default: throw CaseFailure("input.events: unknown \(name)")
                }
                statuses += session.receive(event).map { .text($0.rawValue) }
            }
            try input.finish()
            return try check(["statuses": .list(statuses)], &members)
        }
        var hasReset = false
        for id in try input.texts("characteristics") {
            switch id {
            case "0004": hasReset = true
            case "0001", "0002", "0003", "0005": break
            default: throw CaseFailure("input.characteristics: unknown \(id)")
            }
        }
        var writes: [FieldValue] = []
        var values: [FieldValue] = []
        for text in try input.texts("notifications") {
            if let frame = try? SliderFrame(decoding: try hex(text, at: "input.notifications")) {
                values.append(.list(frame.values.map { FieldValue(integer: $0) }))
            }
            if hasReset {
                writes.append([
                    "uuid": .text(RedBear.reset.description.lowercased()), "hex": "01", "withResponse": false,
                ])
            }
        }
        try input.finish()
        try check(["writes": .list(writes), "values": .list(values)], &members)
    }

    private static func identify(_ members: inout CaseObject) throws(CaseFailure) {
        var input = try members.object("input")
        let service = try uuid(try input.required("service"), at: "input.service")
        var candidates: [SerialProfile.Candidate] = []
        for value in try input.list("characteristics") {
            if case .text = value {
                candidates.append(SerialProfile.Candidate(try uuid(value, at: "input.characteristics")))
                continue
            }
            var entry = try CaseObject(value, at: "input.characteristics")
            var properties: CharacteristicProperties = []
            let id = try uuid(try entry.required("uuid"), at: "input.characteristics.uuid")
            for word in try entry.texts("properties") {
                switch word {
                case "read": properties.insert(.read)
                case "write": properties.insert(.write)
                case "writeWithoutResponse": properties.insert(.writeWithoutResponse)
                case "notify": properties.insert(.notify)
                case "indicate": properties.insert(.indicate)
                default: throw CaseFailure("input.characteristics.properties: unknown \(word)")
                }
            }
            try entry.finish()
            candidates.append(SerialProfile.Candidate(id, properties))
        }
        try input.finish()
        func text(_ uuid: BluetoothUUID) -> FieldValue { .text(uuid.description.lowercased()) }
        var actual: [FieldValue.Member] = []
        if let profile = SerialProfile.identify(service, candidates) {
            actual = [
                .init("profile", .text(profile.name)), .init("fromDevice", text(profile.fromDevice)),
                .init("toDevice", text(profile.toDevice)),
            ]
            if let reset = profile.reset { actual.append(.init("reset", text(reset))) }
        } else if SerialProfile.isSensorTagKeys(service, candidates) {
            actual = [.init("profile", "sensortag-keys")]
        } else {
            actual = [.init("profile", .null)]
        }
        try check(.object(actual), &members)
    }

    static func uuid(_ value: FieldValue, at path: String) throws(CaseFailure) -> BluetoothUUID {
        guard case .text(let text) = value, let uuid = BluetoothUUID(text) else {
            throw CaseFailure("\(path): no UUID")
        }
        return uuid
    }
}
