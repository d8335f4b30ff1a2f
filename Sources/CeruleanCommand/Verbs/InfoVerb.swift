// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire

extension VerbSpecification {
    /// `info`: the database of a device with names and values.
    static let info = VerbSpecification(
        name: "info",
        summary: "show services, characteristics and values of a device",
        details: """
            The file of --clone has the services and the values as they were read; 'simulate FILE' serves these stored
            values only. A live board is 'simulate bitalino', or a recording (OpenSignals text) that 'simulate' replays.
            """,
        options: [
            .flag("no-values", "do not read values"),
            .catalog,
            .value("clone", "FILE", "write a device file, which 'simulate FILE' serves: stored values only"),
        ],
        selectsDevice: true,
        examples: ["info --name bitalino --adapter virtual", "info --address C4:7C:8D:00:11:22 --json"],
        run: { invocation, console in
            let readsValues = !invocation.has("no-values")
            return try await Session.onDevice(invocation) { session, peripheral, discovery in
                let tree = try await DeviceTree(
                    peripheral, timeout: session.timeout, readsValues: readsValues, console: console)
                if let path = invocation.value("clone") {
                    try TextFile.write(TextFile.pretty(tree.clone(discovery)) + "\n", to: path)
                    console.talk("written: \(path)")
                }
                if invocation.has("json") {
                    try console.json(tree.json)
                } else {
                    for line in tree.lines(console) { try console.line(line) }
                }
                return .ok
            }
        })
}

/// A device's database with the values that could be read.
struct DeviceTree: Sendable {
    private struct Item: Sendable {
        var characteristic: Characteristic
        var report: ValueReport?
        var descriptors: [(descriptor: Descriptor, value: [UInt8]?)]
        var title: String?
    }

    private let address: String?
    private let name: String?
    private let mtu: Int?
    private let services: [(service: Service, items: [Item])]
    private let refused: Set<AttributeID>
    /// Features of a BlueST board.
    private let features: [String]

    /// Reads everything that can be read. What the device refuses is left out and said on standard error.
    init(_ peripheral: Peripheral, timeout: Duration, readsValues: Bool, console: Console) async throws {
        var services: [(service: Service, items: [Item])] = []
        var deviceName: String?
        var refused: Set<AttributeID> = []
        for service in peripheral.services {
            var items: [Item] = []
            for characteristic in service.characteristics {
                var item = Item(characteristic: characteristic, descriptors: [])
                var context = ValueReport.Context()
                context.board = BoardValue(characteristic.uuid, on: peripheral)
                item.title = context.board?.title ?? BoardValue.title(of: characteristic.uuid)
                for descriptor in characteristic.descriptors {
                    var value: [UInt8]?
                    if readsValues {
                        value = try await Self.attempt(console) { () throws(BluetoothError) in
                            try await peripheral.read(descriptor, timeout: timeout)
                        }
                    }
                    item.descriptors.append((descriptor, value))
                    guard let value else { continue }
                    switch descriptor.uuid {
                    case 0x2901: item.title = try? TextValue(decoding: value).text
                    case 0x2904: context.format = try? PresentationFormat(decoding: value)
                    case 0x2909: context.signalCount = value.first.map(Int.init)
                    default: break
                    }
                }
                if readsValues, characteristic.canRead {
                    let value = try await Self.attempt(console) { () throws(BluetoothError) in
                        try await peripheral.read(characteristic, timeout: timeout)
                    }
                    if value == nil { refused.insert(characteristic.id) }
                    item.report = value.map { ValueReport(uuid: characteristic.uuid, value: $0, context: context) }
                    if characteristic.uuid == 0x2A00, let value { deviceName = try? TextValue(decoding: value).text }
                }
                items.append(item)
            }
            services.append((service, items))
        }
        self.services = services
        self.refused = refused
        features = peripheral.services.flatMap(\.characteristics)
            .flatMap { BoardValue($0.uuid, on: peripheral)?.features ?? [] }
        address = peripheral.address?.description
        name = peripheral.name ?? deviceName
        mtu = peripheral.link?.mtu
    }

    /// The value, or nil when the device refuses; other errors end the verb.
    private static func attempt(
        _ console: Console, _ read: () async throws(BluetoothError) -> [UInt8]
    ) async throws(BluetoothError) -> [UInt8]? {
        do {
            return try await read()
        } catch {
            guard error.code == .refused || error.code == .insufficientSecurity else { throw error }
            console.talk("\(error)", .warning)
            return nil
        }
    }

    /// The device in the shape of a device file.
    func clone(_ discovery: Discovery) -> FieldValue {
        var values: [AttributeID: [UInt8]] = [:]
        for item in services.flatMap(\.items) {
            values[item.characteristic.id] = item.report?.value
            for (descriptor, value) in item.descriptors { values[descriptor.id] = value }
        }
        return DeviceFile.clone(
            name: name ?? address ?? "device", discovery: discovery, services: services.map(\.service), values: values,
            refused: refused)
    }

    /// The object of `info --json`.
    var json: FieldValue {
        var members: [FieldValue.Member] = []
        if let address { members.append(.init("address", .text(address))) }
        if let name { members.append(.init("name", .text(name))) }
        if let mtu { members.append(.init("mtu", FieldValue(integer: mtu))) }
        members.append(.init("services", .list(services.map { Self.json($0.service, $0.items) })))
        if !features.isEmpty { members.append(.init("features", .list(features.map { .text($0) }))) }
        return .object(members)
    }

    private static func json(_ service: Service, _ items: [Item]) -> FieldValue {
        var members = head(service.uuid, AssignedNumbers.service(service.uuid)?.name, service.handle)
        if let end = service.endHandle { members.append(.init("end", FieldValue(integer: end))) }
        members.append(.init("primary", .bool(service.isPrimary)))
        members.append(.init("characteristics", .list(items.map(json))))
        return .object(members)
    }

    private static func json(_ item: Item) -> FieldValue {
        let one = item.characteristic
        var members = head(one.uuid, AssignedNumbers.characteristic(one.uuid)?.name ?? item.title, one.handle)
        members.append(.init("properties", .list(one.properties.names.map { .text($0) })))
        members += item.report?.members ?? []
        let descriptors = item.descriptors.map { descriptor, value -> FieldValue in
            let name = AssignedNumbers.descriptor(descriptor.uuid)?.name
            let tail = value.map { ValueReport(uuid: descriptor.uuid, value: $0).members } ?? []
            return .object(head(descriptor.uuid, name, descriptor.handle) + tail)
        }
        members.append(.init("descriptors", .list(descriptors)))
        return .object(members)
    }

    private static func head(_ uuid: BluetoothUUID, _ name: String?, _ handle: UInt16?) -> [FieldValue.Member] {
        var members: [FieldValue.Member] = [.init("uuid", .text(uuid.description))]
        if let name { members.append(.init("name", .text(name))) }
        if let handle { members.append(.init("handle", FieldValue(integer: handle))) }
        return members
    }

    /// The tree for people.
    func lines(_ console: Console) -> [String] {
        let title = TerminalText.escaped([name, address].compactMap { $0 }.joined(separator: "  "))
        var lines = [console.styled(title, .bold) + (mtu.map { "  MTU \($0)" } ?? "")]
        for (service, items) in services {
            let name = AssignedNumbers.service(service.uuid)?.name ?? ""
            let kind = service.isPrimary ? "" : "  (secondary)"
            lines.append("")
            lines.append(Self.handle(service.handle) + console.styled("\(service.uuid) \(name)", .cyan) + kind)
            for item in items {
                let one = item.characteristic
                let name = AssignedNumbers.characteristic(one.uuid)?.name ?? item.title.map(TerminalText.escaped) ?? ""
                let properties = one.properties.names.joined(separator: " ")
                lines.append("\(Self.handle(one.handle))  \(one.uuid) \(name)  [\(properties)]")
                if let report = item.report { lines.append("          = \(report.text)") }
                for (descriptor, value) in item.descriptors {
                    let name = AssignedNumbers.descriptor(descriptor.uuid)?.name ?? ""
                    let text = value.map { "  = \(ValueReport(uuid: descriptor.uuid, value: $0).text)" } ?? ""
                    lines.append("\(Self.handle(descriptor.handle))    \(descriptor.uuid) \(name)\(text)")
                }
            }
        }
        return lines
    }

    private static func handle(_ handle: UInt16?) -> String {
        handle.map { AttributeSelector.hex($0) + "  " } ?? ""
    }
}
