// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire

extension VerbSpecification {
    /// `profiles [WHAT…]`: the catalog.
    static let profiles = VerbSpecification(
        name: "profiles",
        summary: "browse the known profiles by tag, UUID or name",
        details: """
            Without WHAT all services are listed with their tags. WHAT is a tag (Health), a service or a characteristic, as
            UUID or name: then its characteristics are shown with their properties, fields, choices and first values.
            'simulate profile:WHAT' serves what is shown. A number that is assigned but has no profile is named.
            """,
        positionals: [
            PositionalSpecification(
                placeholder: "WHAT", help: "a tag, a UUID such as 180D or 2A37, or a name", isOptional: true,
                repeats: true)
        ],
        options: [.flag("tags", "list the tags alone")],
        examples: ["profiles", "profiles Health", "profiles 180D", "profiles heart_rate_measurement --json"],
        run: { invocation, console in
            try ProfileReport(isJSON: invocation.has("json"), console: console).print(invocation)
            return .ok
        })
}

/// Prints parts of the catalog.
private struct ProfileReport {
    let isJSON: Bool
    let console: Console
    private let catalog = ProfileCatalog.standard

    init(isJSON: Bool, console: Console) {
        self.isJSON = isJSON
        self.console = console
    }

    func print(_ invocation: Invocation) throws(CommandError) {
        if invocation.has("tags") {
            for tag in catalog.tags {
                if isJSON { try console.json(["tag": .text(tag)]) } else { try console.line(tag) }
            }
            return
        }
        guard !invocation.positionals.isEmpty else {
            if isJSON {
                for service in catalog.services { try console.json(Self.json(service)) }
            } else {
                let rows = catalog.services.map { service in
                    [service.tag, service.uuid.description, service.name, "\(service.characteristics.count)"]
                }
                let head = console.outIsTerminal ? [["TAG", "UUID", "NAME", "CHARACTERISTICS"]] : []
                for (index, line) in TerminalText.table(head + rows).enumerated() {
                    try console.line(index < head.count ? console.styled(line, .bold) : line)
                }
            }
            return
        }
        for text in invocation.positionals { try print(text) }
    }

    private func print(_ text: String) throws(CommandError) {
        let query = ProfileQuery(text)
        let services = query.services(in: catalog)
        for service in services {
            if isJSON { try console.json(Self.json(service)) } else { try print(service) }
        }
        guard services.isEmpty else { return }
        let characteristics = query.characteristics(in: catalog)
        for (service, characteristic) in characteristics {
            if isJSON {
                try console.json(
                    .object(
                        Self.members(characteristic) + [
                            .init("service", .text(service.uuid.description)),
                            .init("serviceName", .text(service.name)),
                            .init("tag", .text(service.tag)),
                        ]))
            } else {
                try console.line("\(service.uuid) \(service.name)  (\(service.tag))")
                for line in Self.lines(characteristic) { try console.line(line) }
            }
        }
        guard characteristics.isEmpty else { return }
        guard let (kind, attribute) = query.assigned else {
            let tags = catalog.tags.joined(separator: ", ")
            throw CommandError(.notFound, "'\(text)' is no known tag, UUID or name; tags are \(tags)")
        }
        if isJSON {
            try console.json([
                "uuid": .text(attribute.uuid.description), "name": .text(attribute.name), "kind": .text(kind),
                "identifier": .text(attribute.identifier),
            ])
        } else {
            try console.line("\(attribute.uuid) \(attribute.name)  (\(kind), no profile)")
        }
    }

    private func print(_ service: ServiceDeclaration) throws(CommandError) {
        try console.line(console.styled("\(service.uuid) \(service.name)", .cyan) + "  (\(service.tag))")
        for characteristic in service.characteristics {
            for line in Self.lines(characteristic) { try console.line(line) }
        }
    }

    // MARK: - Parts

    private static func lines(_ one: AnyCharacteristicProfile) -> [String] {
        var lines = ["  \(one.uuid) \(one.name)  \(one.properties)"]
        if let text = one.userDescription { lines.append("      \(text)") }
        if let presentation = one.presentation, let unit = AssignedNumbers.unit(BluetoothUUID(presentation.unit)) {
            let scale = presentation.exponent == 0 ? "" : " times 10 to the power of \(presentation.exponent)"
            lines.append("      unit \(unit.symbol.isEmpty ? unit.quantity : unit.symbol)\(scale)")
        } else if let unit = ScalarFormat.of(one.uuid)?.unit, !unit.isEmpty {
            lines.append("      unit \(unit)")
        }
        for field in fields(one) {
            let value = one.initialValue == nil || field.text.isEmpty ? "" : " = \(TerminalText.escaped(field.text))"
            let choices = field.choices.isEmpty ? "" : "  one of \(field.choices.joined(separator: ", "))"
            lines.append("      \(field.name)\(value)\(field.isOptional ? "  (optional)" : "")\(choices)")
        }
        return lines
    }

    /// The fields of the first value, else of one of zeros.
    private static func fields(_ one: AnyCharacteristicProfile) -> [TextField] {
        if let value = one.initialValue, let fields = try? one.texts(of: value) { return fields }
        return one.emptyTexts
    }

    private static func json(_ service: ServiceDeclaration) -> FieldValue {
        [
            "uuid": .text(service.uuid.description), "name": .text(service.name), "tag": .text(service.tag),
            "characteristics": .list(service.characteristics.map { .object(members($0)) }),
        ]
    }

    private static func members(_ one: AnyCharacteristicProfile) -> [FieldValue.Member] {
        var members: [FieldValue.Member] = [
            .init("uuid", .text(one.uuid.description)), .init("name", .text(one.name)),
            .init("properties", .list(one.properties.names.map { .text($0) })),
        ]
        if let value = one.initialValue {
            members.append(.init("value", .bytes(value)))
            if let fields = try? one.fields(of: value) { members.append(.init("decoded", fields)) }
        }
        let fields = fields(one).map { field -> FieldValue in
            var members: [FieldValue.Member] = [.init("name", .text(field.name))]
            if !field.choices.isEmpty { members.append(.init("choices", .list(field.choices.map { .text($0) }))) }
            if field.isOptional { members.append(.init("optional", true)) }
            return .object(members)
        }
        if !fields.isEmpty { members.append(.init("fields", .list(fields))) }
        if let text = one.userDescription { members.append(.init("description", .text(text))) }
        if let presentation = one.presentation { members.append(.init("presentation", presentation.fields)) }
        return members
    }
}
