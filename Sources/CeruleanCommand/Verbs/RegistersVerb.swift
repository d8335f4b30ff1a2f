// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanBlueST
import CeruleanWire

extension VerbSpecification {
    /// `registers ACTION [NAME] [VALUE]`: a BlueST board's registers.
    static let registers = VerbSpecification(
        name: "registers",
        summary: "read and write the registers of a BlueST board",
        details: """
            'list' needs no board and shows the table; 'read NAME' and 'write NAME VALUE' work on one register, by its name or
            as 0xADDRESS; 'dump' reads all. VALUE is as for the verb write: hex:0102, u8:, u16:, utf8:text …
            """,
        positionals: [
            PositionalSpecification(
                placeholder: "ACTION", help: "list, read, write or dump", choices: ["list", "read", "write", "dump"]),
            PositionalSpecification(
                placeholder: "NAME", help: "the register, such as LED_CONFIG or 0x02",
                choices: Register.wesu.map(\.name),
                isOptional: true),
            PositionalSpecification(placeholder: "VALUE", help: "what to write", isOptional: true),
        ],
        options: [.flag("persistent", "the value in the EEPROM, not that of the session")],
        selectsDevice: true,
        examples: [
            "registers list", "registers read FW_VER --name boxpro --adapter virtual",
            "registers write LED_CONFIG u16:1 --persistent",
        ],
        run: { invocation, console in
            let target: Register.Target = invocation.has("persistent") ? .persistent : .session
            let isJSON = invocation.has("json")
            switch invocation.positional(0) {
            case "list":
                try RegisterTable(console: console, isJSON: isJSON).list()
                return .ok
            case "dump":
                return try await Session.onBoard(invocation) { session, node in
                    try await RegisterTable(console: console, isJSON: isJSON).dump(node, session)
                }
            case "read", "write":
                let name = invocation.positional(1) ?? ""
                guard let register = Register.wesu(named: name, target: target) else {
                    throw CommandError.usage("'\(name)' is no register; 'registers list' shows all")
                }
                let isWrite = invocation.positional(0) == "write"
                guard isWrite == (invocation.positional(2) != nil) else {
                    throw CommandError.usage(
                        isWrite ? "registers write needs a VALUE" : "registers read takes no VALUE")
                }
                let value = try invocation.positional(2).map { text throws(CommandError) in try ValueText.bytes(text) }
                return try await Session.onBoard(invocation) { session, node in
                    if let value { try await node.write(value, to: register, target, timeout: session.timeout) }
                    // A register that cannot be read shows what was written.
                    let canRead = register.access.contains(.read)
                    let read = canRead ? try await node.read(register, target, timeout: session.timeout) : value ?? []
                    try RegisterTable(console: console, isJSON: isJSON).show(register, target, read)
                    return .ok
                }
            case let action:
                throw CommandError.usage("'\(action ?? "")' is no action; choose list, read, write or dump")
            }
        })
}

/// How registers are shown.
private struct RegisterTable: Sendable {
    let console: Console
    let isJSON: Bool

    func list() throws(CommandError) {
        var rows: [[String]] = []
        for register in Register.wesu {
            let access = (register.access.contains(.read) ? "R" : "") + (register.access.contains(.write) ? "W" : "")
            let targets = Register.Target.allCases.filter { register.targets.contains($0) }.map(\.rawValue)
            if isJSON {
                try console.json([
                    "register": .text(register.name), "address": .text(Self.hex(register.address)),
                    "size": FieldValue(integer: register.words), "access": .text(access),
                    "targets": .list(targets.map { .text($0) }), "summary": .text(register.summary),
                ])
            } else {
                rows.append([
                    register.name, Self.hex(register.address), "\(2 * Int(register.words))", access,
                    targets.joined(separator: "+"), register.summary,
                ])
            }
        }
        for line in TerminalText.table(rows) { try console.line(line) }
    }

    func show(_ register: Register, _ target: Register.Target, _ value: [UInt8]) throws(CommandError) {
        let meaning = Self.meaning(register, value)
        if isJSON {
            var members: [FieldValue.Member] = [
                .init("register", .text(register.name)), .init("address", .text(Self.hex(register.address))),
                .init("target", .text(target.rawValue)), .init("value", .bytes(value)),
            ]
            if let meaning { members.append(.init("decoded", .text(meaning))) }
            try console.json(.object(members))
        } else {
            let kept = target == .persistent ? " (persistent)" : ""
            let text = "\(register.name)\(kept) = \(Hex.encode(value))" + (meaning.map { "  \($0)" } ?? "")
            try console.line(TerminalText.escaped(text))
        }
    }

    /// Reads everything that can be read. What the board refuses is said on standard error.
    func dump(_ node: Node, _ session: Session) async throws -> ExitCode {
        for register in Register.wesu where register.access.contains(.read) {
            for target in Register.Target.allCases where register.targets.contains(target) {
                do {
                    try show(register, target, try await node.read(register, target, timeout: session.timeout))
                } catch let error as RegisterError {
                    console.talk("\(register.name) (\(target.rawValue)): \(error)")
                }
            }
        }
        return .ok
    }

    private static func hex(_ address: UInt8) -> String {
        "0x" + (address < 16 ? "0" : "") + String(address, radix: 16, uppercase: true)
    }

    private static func meaning(_ register: Register, _ value: [UInt8]) -> String? {
        switch register.name {
        case "FW_VER": return Register.firmwareVersion(value)
        case "BLE_LOC_NAME": return String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
        default: return value.count == 2 ? "\(UInt16(value[0]) | UInt16(value[1]) << 8)" : nil
        }
    }
}
