// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire

extension DeviceFile {
    /// A device as it was seen and read, in the shape of a device file.
    static func clone(
        name: String, discovery: Discovery, services: [Service], values: [AttributeID: [UInt8]],
        refused: Set<AttributeID>
    ) -> FieldValue {
        var members: [FieldValue.Member] = [.init("name", .text(name))]
        if let address = discovery.address {
            members.append(.init("address", .text(address.description)))
            members.append(.init("addressType", address.peerKind == .public ? "public" : "random"))
        }
        if let raw = discovery.advertisement.raw {
            var advertising: [FieldValue.Member] = [
                .init("connectable", .bool(discovery.isConnectable)), .init("data", .bytes(raw)),
            ]
            if let response = discovery.advertisement.scanResponse {
                advertising.append(.init("scanResponse", .bytes(response)))
            }
            members.append(.init("advertising", .object(advertising)))
        }
        let starts = Dictionary(services.map { ($0.id, $0) }) { first, _ in first }
        let list = services.map { clone($0, starts, values, refused) }
        members.append(.init("services", .list(list)))
        return .object(members)
    }

    private static func clone(
        _ service: Service, _ all: [AttributeID: Service], _ values: [AttributeID: [UInt8]], _ refused: Set<AttributeID>
    ) -> FieldValue {
        var members: [FieldValue.Member] = []
        if let start = service.handle { members.append(.init("start", FieldValue(integer: start))) }
        if let end = service.endHandle { members.append(.init("end", FieldValue(integer: end))) }
        members.append(.init("primary", .bool(service.isPrimary)))
        members.append(.init("uuid", .text(service.uuid.description)))
        let includes = service.includedServices.compactMap { all[$0] }.compactMap { included -> FieldValue? in
            guard let start = included.handle else { return .none }
            var parts: [FieldValue.Member] = [.init("start", FieldValue(integer: start))]
            if let end = included.endHandle { parts.append(.init("end", FieldValue(integer: end))) }
            return .some(.object(parts))
        }
        if !includes.isEmpty { members.append(.init("includes", .list(includes))) }
        let characteristics = service.characteristics.map { clone($0, values, refused) }
        members.append(.init("characteristics", .list(characteristics)))
        return .object(members)
    }

    private static func clone(
        _ one: Characteristic, _ values: [AttributeID: [UInt8]], _ refused: Set<AttributeID>
    ) -> FieldValue {
        var members: [FieldValue.Member] = []
        if let handle = one.handle {
            // The value stands right behind its declaration. Core 5.4, Vol 3, Part G, 3.3.2.
            members.append(.init("declaration", FieldValue(integer: handle &- 1)))
            members.append(.init("value_handle", FieldValue(integer: handle)))
        }
        members.append(.init("uuid", .text(one.uuid.description)))
        members.append(.init("properties", .list(one.properties.names.map { .text($0) })))
        var permissions: [FieldValue] = []
        // What was refused wants a secure link; which one the device did not say.
        if one.canRead { permissions.append(refused.contains(one.id) ? "read-encrypted" : "read") }
        if one.canWrite || one.properties.contains(.signedWrite) { permissions.append("write") }
        members.append(.init("permissions", .list(permissions)))
        members.append(.init("value", .bytes(values[one.id] ?? [])))
        // Configurations belong to each client; the host makes them.
        let descriptors = one.descriptors.filter { $0.uuid != 0x2902 || one.handle != nil }
        if !descriptors.isEmpty { members.append(.init("descriptors", .list(descriptors.map { clone($0, values) }))) }
        return .object(members)
    }

    private static func clone(_ descriptor: Descriptor, _ values: [AttributeID: [UInt8]]) -> FieldValue {
        var members: [FieldValue.Member] = []
        if let handle = descriptor.handle { members.append(.init("handle", FieldValue(integer: handle))) }
        members.append(.init("uuid", .text(descriptor.uuid.description)))
        let isConfiguration = descriptor.uuid == 0x2902
        members.append(.init("permissions", isConfiguration ? ["read", "write"] : ["read"]))
        members.append(.init("value", .bytes(isConfiguration ? [0, 0] : values[descriptor.id] ?? [])))
        return .object(members)
    }
}
