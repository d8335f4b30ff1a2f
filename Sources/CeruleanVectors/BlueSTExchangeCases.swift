// SPDX-License-Identifier: Apache-2.0

import CeruleanBlueST
import CeruleanWire

/// The kinds of bluest.json about finding boards and talking to them: advertisements, commands, registers, messages,
/// upgrade.
public struct BlueSTExchangeCases: VectorSuite {
    /// Creates the suite.
    public init() {}

    /// The kinds.
    public var kinds: Set<String> {
        [
            "advertisement", "stm32Crc", "consoleFirmwareUpgrade", "transportEncode", "transportDecode",
            "commandEncode",
            "commandResponse", "registerRead", "registerWrite", "registerResponse", "firmwareVersion",
        ]
    }

    /// Runs one case.
    public func run(_ test: VectorCase) async throws(CaseFailure) {
        var members = try test.members()
        let actual =
            switch test.kind {
            case "advertisement": try Self.advertisement(&members)
            case "stm32Crc": try Self.checksum(&members)
            case "consoleFirmwareUpgrade": try Self.consoleUpgrade(&members)
            case "transportEncode": try Self.transportEncode(&members)
            case "transportDecode": try Self.transportDecode(&members)
            case "commandEncode": try Self.commandEncode(&members)
            case "commandResponse": try Self.commandResponse(&members)
            case "registerRead": try Self.register(.read, &members)
            case "registerWrite": try Self.register(.write, &members)
            case "registerResponse": try Self.registerResponse(&members)
            default: try Self.firmwareVersion(&members)
            }
        let expected = try members.required("expected")
        try members.finish()
        try BlueSTHex.compare(actual, with: expected)
    }

    // MARK: - Kinds

    private static func advertisement(_ members: inout CaseObject) throws(CaseFailure) -> FieldValue {
        let bytes = try members.hex("bytesHex")
        do {
            let found = try BlueSTAdvertisement(decoding: bytes)
            return .object([.init("accepted", .bool(true))] + found.members)
        } catch {
            return ["accepted": false, "reason": .text(error.rawValue)]
        }
    }

    private static func checksum(_ members: inout CaseObject) throws(CaseFailure) -> FieldValue {
        let bytes = try members.hex("bytesHex")
        return [
            "crc": BlueSTHex.text(STM32CRC.checksum(bytes), digits: 8),
            "coveredBytes": FieldValue(integer: bytes.count / 4 * 4),
        ]
    }

    /// Lets the state machine talk to a board that accepts everything.
    private static func consoleUpgrade(_ members: inout CaseObject) throws(CaseFailure) -> FieldValue {
        var upgrade = ConsoleUpgrade(FirmwareImage(try members.hex("imageHex")))
        var packets: [FieldValue] = []
        var command: [UInt8] = []
        var now = MonotonicTime.zero
        var pending = upgrade.start(at: now)
        if case .write(let bytes, to: .terminal, _)? = pending.first { command = bytes }
        pending = upgrade.received(upgrade.expectedEcho, from: .terminal, at: now)
        let total = upgrade.packetCount
        while case .write(let bytes, to: .terminal, let withResponse)? = pending.first, packets.count <= total {
            packets.append(.bytes(bytes))
            now = now + .milliseconds(100)
            pending = withResponse ? upgrade.writeCompleted(at: now) : upgrade.deadlineReached(at: now)
        }
        let verdict: [UInt8] = [0x01]
        guard upgrade.received(verdict, from: .terminal, at: now) == [.finished] else {
            throw CaseFailure("the upgrade does not end with \(Hex.encode(verdict))")
        }
        return [
            "commandHex": .bytes(command), "expectedReplyHex": .bytes(upgrade.expectedEcho),
            "packetsHex": .list(packets), "finalAckHex": .bytes(verdict),
        ]
    }

    private static func transportEncode(_ members: inout CaseObject) throws(CaseFailure) -> FieldValue {
        let frameSize = try members.integer("mtu")
        let text = try members.text("text")
        let frames = MessageTransport.encode(Array(text.utf8), frameSize: frameSize)
        return ["framesHex": .list(frames.map { .bytes($0) })]
    }

    private static func transportDecode(_ members: inout CaseObject) throws(CaseFailure) -> FieldValue {
        var assembler = MessageAssembler()
        var payload: [UInt8]?
        for text in try members.texts("framesHex") {
            let frame = try BlueSTHex.bytes(text, at: "framesHex")
            do {
                payload = try assembler.received(frame) ?? payload
            } catch {
                throw CaseFailure("framesHex: \(error)")
            }
        }
        guard let payload else { throw CaseFailure("framesHex: no whole message") }
        return ["payloadHex": .bytes(payload)]
    }

    private static func commandEncode(_ members: inout CaseObject) throws(CaseFailure) -> FieldValue {
        let mask = try BlueSTHex.number("featureMask", &members)
        guard let id = UInt8(exactly: try members.integer("commandId")) else {
            throw CaseFailure("commandId: no octet")
        }
        let command = FeatureCommand(mask: mask, id: id, payload: try members.hex("payloadHex"))
        switch try members.text("via") {
        case "configService": return ["bytesHex": .bytes(command.forConfigurationService)]
        case "featureCharacteristic": return ["bytesHex": .bytes(command.forFeature)]
        case let other: throw CaseFailure("via: unknown \(other)")
        }
    }

    private static func commandResponse(_ members: inout CaseObject) throws(CaseFailure) -> FieldValue {
        let response: CommandResponse
        do {
            response = try CommandResponse(decoding: try members.hex("bytesHex"))
        } catch let error as FeatureError {
            return ["error": BlueSTHex.describe(error, as: nil)]
        } catch {
            throw error as? CaseFailure ?? CaseFailure("\(error)")
        }
        var actual: [FieldValue.Member] = [
            .init("timestamp", FieldValue(integer: response.rawTimestamp)),
            .init("featureMask", BlueSTHex.text(response.mask, digits: 8)),
            .init("commandId", FieldValue(integer: response.id)), .init("payloadHex", .bytes(response.payload)),
        ]
        switch response.meaning {
        case .batteryCapacity(let capacity):
            actual.append(.init("meaning", ["batteryCapacity": FieldValue(integer: capacity)]))
        case .maxAbsorbedCurrent(let current):
            actual.append(.init("meaning", ["maxAbsorbedCurrent": .number(current)]))
        case .calibration(let status):
            let meaning: FieldValue = [
                "calibrationStatus": FieldValue(integer: status), "configured": .bool(status == 100),
            ]
            actual.append(.init("meaning", meaning))
        case nil: break
        }
        return .object(actual)
    }

    private static func register(
        _ operation: RegisterMessage.Operation, _ members: inout CaseObject
    ) throws(CaseFailure) -> FieldValue {
        let payload = operation == .write ? try members.hex("payloadHex") : []
        let name = try members.text("target")
        guard let target = Register.Target(rawValue: name) else { throw CaseFailure("target: unknown \(name)") }
        guard let address = UInt8(exactly: try BlueSTHex.number("address", &members)),
            let words = UInt8(exactly: try members.integer("size"))
        else { throw CaseFailure("address or size: no octet") }
        let register = Register("", address: address, words: words)
        do {
            let message =
                operation == .read
                ? try register.readRequest(target) : try register.writeRequest(payload, target)
            return ["bytesHex": .bytes(message.encoded)]
        } catch {
            throw CaseFailure("\(error)")
        }
    }

    private static func registerResponse(_ members: inout CaseObject) throws(CaseFailure) -> FieldValue {
        let message: RegisterMessage
        do {
            message = try RegisterMessage(decoding: try members.hex("bytesHex"))
        } catch let error as FeatureError {
            return ["error": BlueSTHex.describe(error, as: nil)]
        } catch {
            throw error as? CaseFailure ?? CaseFailure("\(error)")
        }
        var actual: [FieldValue.Member] = [
            .init("operation", .text(message.operation.rawValue)), .init("target", .text(message.target.rawValue)),
            .init("address", BlueSTHex.text(UInt32(message.address), digits: 2)),
            .init("error", FieldValue(integer: message.error)), .init("size", FieldValue(integer: message.words)),
            .init("payloadHex", .bytes(message.payload)),
        ]
        let isVersion = message.address == 0 && message.operation == .read && message.error == 0
        if isVersion, let version = Register.firmwareVersion(message.payload) {
            actual.append(.init("meaning", ["firmwareVersion": .text(version)]))
        }
        return .object(actual)
    }

    private static func firmwareVersion(_ members: inout CaseObject) throws(CaseFailure) -> FieldValue {
        do {
            let version = try FirmwareVersion(try members.text("text"))
            return [
                "mcuType": .text(version.mcuType), "name": .text(version.name),
                "major": FieldValue(integer: version.major), "minor": FieldValue(integer: version.minor),
                "patch": FieldValue(integer: version.patch),
            ]
        } catch let error as FeatureError {
            return ["error": BlueSTHex.describe(error, as: nil)]
        } catch {
            throw error as? CaseFailure ?? CaseFailure("\(error)")
        }
    }
}
