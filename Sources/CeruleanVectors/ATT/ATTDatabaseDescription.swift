// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire

/// A database as vector files describe it, every handle given.
struct ATTDatabaseDescription {
    struct Characteristic {
        var declaration: UInt16
        var definition: CharacteristicDefinition
    }

    struct Include {
        var handle: UInt16
        var start: UInt16
        var end: UInt16
        var uuid: BluetoothUUID?
    }

    struct Service {
        var start: UInt16
        var end: UInt16
        var uuid: BluetoothUUID
        var isPrimary: Bool
        var includes: [Include]
        var characteristics: [CharacteristicDefinition]
    }

    private(set) var services: [Service] = []

    init(_ value: FieldValue, at path: String) throws(CaseFailure) {
        var object = try CaseObject(value, at: path)
        _ = object.optional("computed_database_hash_msb_first")
        for (index, element) in try object.list("services").enumerated() {
            var service = try CaseObject(element, at: "\(path).services[\(index)]")
            services.append(try Self.service(&service))
            try service.finish()
        }
        try object.finish()
    }

    /// A server that serves it.
    func makeServer() throws(CaseFailure) -> GATTServer {
        let server = GATTServer()
        var ids: [UInt16: AttributeID] = [:]
        var rest = services
        // What is included must be there first.
        while !rest.isEmpty {
            guard let index = rest.firstIndex(where: { $0.includes.allSatisfy { ids[$0.start] != nil } }) else {
                throw CaseFailure("databases: an included service is missing")
            }
            let service = rest.remove(at: index)
            for (offset, include) in service.includes.enumerated()
            where Int(include.handle) != Int(service.start) + 1 + offset {
                throw CaseFailure("databases: include at handle \(include.handle) cannot be placed")
            }
            let definition = ServiceDefinition(
                uuid: service.uuid, isPrimary: service.isPrimary, characteristics: service.characteristics,
                includes: service.includes.compactMap { ids[$0.start] }, handle: service.start, endHandle: service.end)
            do {
                ids[service.start] = try server.add([definition], now: .zero).first?.id
            } catch {
                throw CaseFailure("databases: service at \(service.start) cannot be served: \(error.detail ?? "")")
            }
        }
        return server
    }

    /// The handles of all Client Characteristic Configurations.
    var configurations: [UInt16] {
        services.flatMap(\.characteristics).flatMap(\.descriptors).filter { $0.uuid == GATT.clientConfiguration }
            .compactMap(\.handle)
    }

    /// The Client Characteristic Configuration of the characteristic whose value is at `handle`.
    func configuration(of handle: UInt16) -> UInt16? {
        services.flatMap(\.characteristics).first { $0.valueHandle == handle }?
            .descriptors.first { $0.uuid == GATT.clientConfiguration }?.handle
    }

    // MARK: - private

    private static func service(_ object: inout CaseObject) throws(CaseFailure) -> Service {
        let start = try object.handle("start")
        let end = try object.handle("end")
        let uuid = try object.uuid("uuid")
        let isPrimary = try object.bool("primary")
        var includes: [Include] = []
        if object.names.contains("includes") {
            for (index, element) in try object.list("includes").enumerated() {
                var include = try CaseObject(element, at: "\(object.path).includes[\(index)]")
                includes.append(
                    Include(
                        handle: try include.handle("handle"), start: try include.handle("start"),
                        end: try include.handle("end"),
                        uuid: include.names.contains("uuid") ? try include.uuid("uuid") : nil))
                try include.finish()
            }
        }
        var characteristics: [CharacteristicDefinition] = []
        for (index, element) in try object.list("characteristics").enumerated() {
            var characteristic = try CaseObject(element, at: "\(object.path).characteristics[\(index)]")
            characteristics.append(try Self.characteristic(&characteristic))
            try characteristic.finish()
        }
        return Service(
            start: start, end: end, uuid: uuid, isPrimary: isPrimary, includes: includes,
            characteristics: characteristics)
    }

    private static func characteristic(_ object: inout CaseObject) throws(CaseFailure) -> CharacteristicDefinition {
        var properties = CharacteristicProperties()
        for word in try object.texts("properties") {
            guard let known = CharacteristicProperties.words.first(where: { $0.1 == word }) else {
                throw CaseFailure("\(object.path).properties: unknown \(word)")
            }
            properties.insert(known.0)
        }
        var descriptors: [DescriptorDefinition] = []
        if object.names.contains("descriptors") {
            for (index, element) in try object.list("descriptors").enumerated() {
                var descriptor = try CaseObject(element, at: "\(object.path).descriptors[\(index)]")
                descriptors.append(
                    DescriptorDefinition(
                        uuid: try descriptor.uuid("uuid"), permissions: try permissions(&descriptor),
                        value: .stored(try descriptor.hex("value")), handle: try descriptor.handle("handle")))
                try descriptor.finish()
            }
        }
        return CharacteristicDefinition(
            uuid: try object.uuid("uuid"), properties: properties, permissions: try permissions(&object),
            value: .stored(try object.hex("value")), descriptors: descriptors,
            declarationHandle: try object.handle("declaration"), valueHandle: try object.handle("value_handle"))
    }

    private static func permissions(_ object: inout CaseObject) throws(CaseFailure) -> AttributePermissions {
        var permissions = AttributePermissions()
        // A secured word decides over a plain one.
        let words = try object.texts("permissions").sorted { !$0.contains("-") && $1.contains("-") }
        for word in words {
            switch word {
            case "read": permissions.read = .open
            case "write": permissions.write = .open
            case "read-encrypted": permissions.read = .encrypted
            case "write-encrypted": permissions.write = .encrypted
            case "read-authenticated": permissions.read = .authenticated
            case "write-authenticated": permissions.write = .authenticated
            case "read-authorized": permissions.read = .init(needsAuthorization: true)
            case "write-authorized": permissions.write = .init(needsAuthorization: true)
            default: throw CaseFailure("\(object.path).permissions: unknown \(word)")
            }
        }
        return permissions
    }
}
