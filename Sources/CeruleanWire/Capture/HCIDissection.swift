// SPDX-License-Identifier: Apache-2.0

/// The fields of single HCI packets, and what they say about connections.
enum HCIDissection {
    /// One packet.
    struct Result {
        var name: String
        var fields: FieldValue
        var handle: UInt16?
        /// A connection that it opens.
        var opened: (handle: UInt16, peer: DeviceAddress)?
        /// A connection that it closes.
        var closed: UInt16?
        /// Everything was reset.
        var isReset = false
    }

    static func members(of value: FieldValue) -> [FieldValue.Member] {
        if case .object(let members) = value { members } else { [] }
    }

    static func text(_ value: FieldValue?) -> String {
        if case .text(let text) = value { text } else { "malformed" }
    }

    // MARK: - commands

    static func command(_ body: [UInt8]) -> Result {
        guard body.count >= 3 else { return malformed("command", body) }
        let opcode = HCI.Opcode(rawValue: UInt16(body[0]) | UInt16(body[1]) << 8)
        let parameters = Array(body.dropFirst(3))
        var fields: [FieldValue.Member] = [
            .init("opcode", FieldValue(integer: opcode.rawValue)), .init("length", FieldValue(integer: body[2])),
        ]
        if let type = HCI.commandType(of: opcode) {
            fields += parts(type, parameters)
        } else if !parameters.isEmpty {
            fields.append(.init("octets", .bytes(parameters)))
        }
        return Result(name: opcode.description, fields: withStructures(fields), handle: handle(in: fields))
    }

    // MARK: - events

    static func event(_ body: [UInt8]) -> Result {
        guard body.count >= 2 else { return malformed("event", body) }
        let code = HCI.EventCode(rawValue: body[0])
        let parameters = Array(body.dropFirst(2))
        var fields: [FieldValue.Member] = [
            .init("code", FieldValue(integer: body[0])), .init("length", FieldValue(integer: body[1])),
        ]
        if code == .leMeta {
            guard let first = parameters.first else { return malformed("LE Meta", body) }
            let subevent = HCI.LESubevent(rawValue: first)
            let rest = Array(parameters.dropFirst())
            fields.append(.init("subevent", FieldValue(integer: first)))
            fields += HCI.eventType(of: subevent).map { parts($0, rest) } ?? octets(rest)
            var result = Result(
                name: subevent.description, fields: withStructures(fields), handle: handle(in: fields))
            result.opened = opened(subevent, rest)
            return result
        }
        if code == .commandComplete { return commandComplete(fields, parameters) }
        fields += HCI.eventType(of: code).map { parts($0, parameters) } ?? octets(parameters)
        var result = Result(name: code.description, fields: .object(fields), handle: handle(in: fields))
        if code == .disconnectionComplete, let event = try? HCI.DisconnectionComplete(decoding: parameters),
            event.status.rawValue == 0
        {
            result.closed = event.handle
        }
        return result
    }

    private static func commandComplete(_ head: [FieldValue.Member], _ parameters: [UInt8]) -> Result {
        guard let event = try? HCI.CommandComplete(decoding: parameters) else {
            return Result(name: "Command Complete", fields: .object(head + octets(parameters)))
        }
        var fields = head
        fields.append(.init("num HCI command packets", FieldValue(integer: event.credits)))
        fields.append(.init("command opcode", .text(event.opcode.description)))
        if let status = event.returnParameters.first {
            fields.append(.init("status", .text(HCI.ErrorCode(rawValue: status).description)))
            let rest = Array(event.returnParameters.dropFirst())
            if status == 0, let type = HCI.commandType(of: event.opcode) as? any HCICommand.Type {
                fields += returned(type, rest)
            } else {
                fields += octets(rest)
            }
        }
        var result = Result(
            name: "Command Complete: \(event.opcode.description)", fields: .object(fields), handle: handle(in: fields))
        result.isReset = event.opcode == .reset && event.returnParameters.first == 0
        return result
    }

    private static func returned<C: HCICommand>(_ type: C.Type, _ octets: [UInt8]) -> [FieldValue.Member] {
        parts(C.ReturnParameters.self, octets)
    }

    private static func opened(
        _ subevent: HCI.LESubevent, _ octets: [UInt8]
    ) -> (handle: UInt16, peer: DeviceAddress)? {
        switch subevent {
        case .connectionComplete:
            guard let event = try? HCI.LEConnectionComplete(decodingPrefixOf: octets.span.bytes),
                event.status.rawValue == 0
            else { return nil }
            return (event.handle, DeviceAddress(event.peerAddress, event.peerAddressKind))
        case .enhancedConnectionComplete:
            guard let event = try? HCI.LEEnhancedConnectionComplete(decodingPrefixOf: octets.span.bytes),
                event.status.rawValue == 0
            else { return nil }
            return (event.handle, DeviceAddress(event.peerAddress, event.peerAddressKind))
        default: return nil
        }
    }

    // MARK: - parts

    private static func parts(_ type: any WirePacket.Type, _ octets: [UInt8]) -> [FieldValue.Member] {
        do {
            return members(of: try type.init(decodingPrefixOf: octets.span.bytes).dissected())
        } catch {
            return [.init("error", .text(error.description)), .init("octets", .bytes(octets))]
        }
    }

    private static func octets(_ octets: [UInt8]) -> [FieldValue.Member] {
        octets.isEmpty ? [] : [.init("octets", .bytes(octets))]
    }

    private static func malformed(_ name: String, _ body: [UInt8]) -> Result {
        Result(name: "\(name), malformed", fields: ["error": "cut off", "octets": .bytes(body)])
    }

    private static func handle(in fields: [FieldValue.Member]) -> UInt16? {
        for field in fields where field.name == "connection handle" {
            if case .integer(let value) = field.value { return UInt16(exactly: value) }
        }
        return nil
    }

    /// Beside advertising data their structures.
    private static func withStructures(_ fields: [FieldValue.Member]) -> FieldValue {
        var result: [FieldValue.Member] = []
        for field in fields {
            var field = field
            if case .list(let items) = field.value {
                field.value = .list(
                    items.map { if case .object(let members) = $0 { withStructures(members) } else { $0 } })
            }
            result.append(field)
            let isData = ["data", "advertising data", "scan response data"].contains(field.name)
            if isData, case .bytes(let octets) = field.value, !octets.isEmpty {
                result.append(.init("structures", AdvertisingData(decoding: octets).dissected()))
            }
        }
        return .object(result)
    }
}
