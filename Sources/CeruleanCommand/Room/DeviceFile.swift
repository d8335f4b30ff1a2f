// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanSensing
import CeruleanWire

/// A device as a JSON file describes it: name, address, advertising and services.
struct DeviceFile: Sendable {
    /// What it advertises, octet by octet.
    struct Advertising: Sendable {
        var isConnectable = true
        var data: [UInt8]?
        var scanResponse: [UInt8]?
        /// Milliseconds.
        var interval = 100.0
    }

    /// A service and the first handles of the services that it includes.
    struct ServiceEntry: Sendable {
        var definition: ServiceDefinition
        var includes: [UInt16] = []
    }

    var name: String
    var address: DeviceAddress?
    var advertising: Advertising?
    var services: [ServiceEntry] = []

    /// Reads a file.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/badData`` that says what is wrong where.
    init(contentsOf path: String) throws(CommandError) {
        try self.init(JSONReader(TextFile.json(path), path: "\(path): "))
    }

    /// Reads a device.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/badData`` that says what is wrong where.
    init(_ reader: JSONReader) throws(CommandError) {
        try reader.only("name", "address", "addressType", "advertising", "services")
        name = try reader.required("name").text()
        if let text = try reader.optional("address") {
            address = try Self.address(text, try reader.optional("addressType"))
        }
        if let reader = try reader.optional("advertising") { advertising = try Self.advertising(reader) }
        if let list = try reader.optional("services") {
            for entry in try list.list() { services.append(try Self.service(entry)) }
        }
    }

    // MARK: - reading

    static func address(_ reader: JSONReader, _ type: JSONReader?) throws(CommandError) -> DeviceAddress {
        let text = try reader.text()
        guard let address = BluetoothAddress(text) else { throw reader.fault("'\(text)' is no address") }
        // A random static address has its two highest bits set; without a type they decide.
        guard let type else { return DeviceAddress(address, address.rawValue >> 46 == 3 ? .random : .public) }
        switch try type.text() {
        case "public": return DeviceAddress(address, .public)
        case "random": return DeviceAddress(address, .random)
        default: throw type.fault("must be public or random")
        }
    }

    private static func advertising(_ reader: JSONReader) throws(CommandError) -> Advertising {
        try reader.only("connectable", "data", "scanResponse", "interval")
        var advertising = Advertising()
        if let value = try reader.optional("connectable") { advertising.isConnectable = try value.bool() }
        advertising.data = try reader.optional("data")?.bytes(limit: AdvertisingData.legacyLimit)
        advertising.scanResponse = try reader.optional("scanResponse")?.bytes(limit: AdvertisingData.legacyLimit)
        if let value = try reader.optional("interval") { advertising.interval = try value.number(20...10_240) }
        return advertising
    }

    private static func service(_ reader: JSONReader) throws(CommandError) -> ServiceEntry {
        try reader.only("uuid", "primary", "start", "end", "includes", "characteristics")
        var definition = ServiceDefinition(uuid: try reader.required("uuid").uuid())
        definition.isPrimary = try reader.optional("primary")?.bool() ?? true
        definition.handle = try reader.optional("start")?.integer(UInt16.self)
        definition.endHandle = try reader.optional("end")?.integer(UInt16.self)
        var entry = ServiceEntry(definition: definition)
        for include in try reader.optional("includes")?.list() ?? [] {
            try include.only("handle", "start", "end", "uuid")
            entry.includes.append(try include.required("start").integer(UInt16.self))
        }
        for characteristic in try reader.optional("characteristics")?.list() ?? [] {
            entry.definition.characteristics.append(try Self.characteristic(characteristic))
        }
        return entry
    }

    private static func characteristic(_ reader: JSONReader) throws(CommandError) -> CharacteristicDefinition {
        try reader.only(
            "uuid", "properties", "permissions", "value", "declaration", "value_handle", "descriptors")
        var properties: CharacteristicProperties = []
        for word in try reader.required("properties").list() {
            let text = try word.text()
            guard let known = CharacteristicProperties.words.first(where: { $0.1 == text }) else {
                let known = CharacteristicProperties.words.map(\.1).joined(separator: ", ")
                throw word.fault("'\(text)' is no property; known are \(known)")
            }
            properties.insert(known.0)
        }
        let writes: CharacteristicProperties = [.write, .writeWithoutResponse, .signedWrite]
        var permissions = AttributePermissions(
            read: properties.contains(.read) ? .open : nil, write: properties.isDisjoint(with: writes) ? nil : .open)
        if let list = try reader.optional("permissions") { permissions = try Self.permissions(list) }
        var definition = CharacteristicDefinition(
            uuid: try reader.required("uuid").uuid(), properties: properties, permissions: permissions,
            value: .stored(try reader.optional("value")?.bytes(limit: 512) ?? []))
        definition.declarationHandle = try reader.optional("declaration")?.integer(UInt16.self)
        definition.valueHandle = try reader.optional("value_handle")?.integer(UInt16.self)
        for descriptor in try reader.optional("descriptors")?.list() ?? [] {
            try descriptor.only("uuid", "permissions", "value", "handle")
            let list = try descriptor.optional("permissions")
            definition.descriptors.append(
                DescriptorDefinition(
                    uuid: try descriptor.required("uuid").uuid(),
                    permissions: try list.map(Self.permissions) ?? .readable,
                    value: .stored(try descriptor.optional("value")?.bytes(limit: 512) ?? []),
                    handle: try descriptor.optional("handle")?.integer(UInt16.self)))
        }
        return definition
    }

    private static func permissions(_ list: JSONReader) throws(CommandError) -> AttributePermissions {
        var permissions = AttributePermissions()
        // A word about security decides over a plain one.
        var words: [(JSONReader, String)] = []
        for word in try list.list() { words.append((word, try word.text())) }
        for (word, text) in words.sorted(by: { !$0.1.contains("-") && $1.1.contains("-") }) {
            switch text {
            case "read": permissions.read = .open
            case "write": permissions.write = .open
            case "read-encrypted": permissions.read = .encrypted
            case "write-encrypted": permissions.write = .encrypted
            case "read-authenticated": permissions.read = .authenticated
            case "write-authenticated": permissions.write = .authenticated
            case "read-authorized": permissions.read = .init(needsAuthorization: true)
            case "write-authorized": permissions.write = .init(needsAuthorization: true)
            default: throw word.fault("'\(text)' is no permission")
            }
        }
        return permissions
    }
}

extension DeviceFile: SimulatedDevice {
    var kind: String { "file" }

    /// Publishes the services in the order of their handles, those that are included first, and advertises.
    func serve(on server: PeripheralServer, ready: @escaping @Sendable () -> Void) async throws {
        let parameters = try parameters()
        if needsPairing { await server.acceptPairing(as: name) }
        var results: [PublishedService] = []
        do {
            try await publish(on: server, into: &results)
        } catch {
            for service in results.reversed() { _ = try? await server.unpublish(service, timeout: .seconds(1)) }
            throw error
        }
        try await advertise(parameters, of: results, on: server) {
            ready()
            while true { try await server.host.loop.sleep(for: .seconds(3600)) }
        }
    }

    /// Some value is for encrypted links alone.
    private var needsPairing: Bool {
        services.flatMap(\.definition.characteristics).contains { characteristic in
            ([characteristic.permissions] + characteristic.descriptors.map(\.permissions)).contains {
                [$0.read, $0.write].contains { $0.map { $0.security > .open } ?? false }
            }
        }
    }

    private func publish(on server: PeripheralServer, into results: inout [PublishedService]) async throws {
        var published: [UInt16: AttributeID] = [:]
        var waiting = services
        while !waiting.isEmpty {
            let able = waiting.filter { $0.includes.allSatisfy { published[$0] != nil } }
            guard !able.isEmpty else {
                throw CommandError.badData("\(name): a service includes one that is not there, or itself")
            }
            waiting.removeAll { $0.includes.allSatisfy { published[$0] != nil } }
            let local = able.map { entry in
                var definition = entry.definition
                definition.includes = entry.includes.compactMap { published[$0] }
                return LocalService(definition)
            }
            do {
                let result = try await server.publish(local)
                results += result
                for (entry, service) in zip(able, result) {
                    if let start = entry.definition.handle { published[start] = service.id }
                }
            } catch {
                if error.code == .invalidArgument || error.code == .queueFull {
                    throw CommandError.badData("\(name): \(error)")
                }
                throw error
            }
        }
    }

    /// What is advertised: as the file says, else connectable with name and 16-bit services.
    private func parameters() throws(CommandError) -> AdvertisingParameters {
        let short = services.map(\.definition).filter { $0.isPrimary && $0.uuid.short != nil }.map(\.uuid)
        var fields = AdvertisementFields()
        fields.flags = 0x06
        fields.name = name
        var seen: Set<BluetoothUUID> = [0x1800, 0x1801]
        fields.services = short.filter { seen.insert($0).inserted }
        let advertising = advertising ?? Advertising()
        var content = AdvertisingParameters.Content.raw(
            data: advertising.data ?? [], scanResponse: advertising.scanResponse ?? [])
        if advertising.data == nil {
            do {
                let made = try fields.legacyPayloads()
                content = .raw(
                    data: made.advertisement, scanResponse: advertising.scanResponse ?? made.scanResponse)
            } catch {
                throw .badData("\(name): name and services do not fit into an advertisement; give 'advertising'")
            }
        }
        return AdvertisingParameters(
            content: content, isConnectable: advertising.isConnectable,
            isScannable: advertising.isConnectable || advertising.scanResponse?.isEmpty == false,
            interval: .seconds(advertising.interval / 1000))
    }
}
