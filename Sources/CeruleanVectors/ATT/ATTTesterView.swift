// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire

/// What the tester's answers hold, read without the client: what a discovery must find.
struct ATTTesterView {
    private(set) var services: [GATT.Service] = []
    private(set) var includes: [GATT.Include] = []
    /// `end` is not on the wire and stays 0.
    private(set) var characteristics: [GATT.Characteristic] = []
    private(set) var descriptors: [GATT.Descriptor] = []

    init(_ pairs: [(request: [UInt8], response: [UInt8])]) {
        for (request, response) in pairs {
            if let asked = try? ATT.ReadByGroupTypeRequest(pdu: request),
                let found = try? ATT.ReadByGroupTypeResponse(pdu: response)
            {
                for index in 0..<found.count {
                    guard let uuid = BluetoothUUID(littleEndian: found[index].value) else { continue }
                    services.append(
                        GATT.Service(
                            start: found[index].handle, end: found[index].end, uuid: uuid,
                            isPrimary: asked.type == GATT.primaryService))
                }
            } else if let asked = try? ATT.FindByTypeValueRequest(pdu: request),
                let found = try? ATT.FindByTypeValueResponse(pdu: response),
                let uuid = BluetoothUUID(littleEndian: asked.value)
            {
                services += found.items.map {
                    GATT.Service(
                        start: $0.handle, end: $0.end, uuid: uuid,
                        isPrimary: BluetoothUUID(asked.type) == GATT.primaryService)
                }
            } else if let asked = try? ATT.ReadByTypeRequest(pdu: request),
                let found = try? ATT.ReadByTypeResponse(pdu: response)
            {
                add(asked.type, found)
            } else if (try? ATT.FindInformationRequest(pdu: request)) != nil,
                let found = try? ATT.FindInformationResponse(pdu: response)
            {
                descriptors += found.short.map { GATT.Descriptor(handle: $0.handle, uuid: $0.type) }
                descriptors += found.long.map { GATT.Descriptor(handle: $0.handle, uuid: $0.type) }
            } else if let asked = try? ATT.ReadRequest(pdu: request), let found = try? ATT.ReadResponse(pdu: response) {
                // The UUID of an included service that has 128 bits.
                guard let uuid = BluetoothUUID(littleEndian: found.value) else { continue }
                for index in includes.indices
                where includes[index].start == asked.handle && includes[index].uuid == BluetoothUUID() {
                    includes[index].uuid = uuid
                }
            }
        }
    }

    private mutating func add(_ type: BluetoothUUID, _ found: ATT.ReadByTypeResponse) {
        for index in 0..<found.count {
            let (handle, slice) = found[index]
            let value = Array(slice)
            if type == GATT.include, value.count == 4 || value.count == 6 {
                includes.append(
                    GATT.Include(
                        handle: handle, start: UInt16(value[0]) | UInt16(value[1]) << 8,
                        end: UInt16(value[2]) | UInt16(value[3]) << 8,
                        uuid: BluetoothUUID(littleEndian: value.dropFirst(4)) ?? BluetoothUUID()))
            } else if type == GATT.characteristic, let uuid = BluetoothUUID(littleEndian: value.dropFirst(3)) {
                characteristics.append(
                    GATT.Characteristic(
                        declaration: handle, handle: UInt16(value[1]) | UInt16(value[2]) << 8, end: 0, uuid: uuid,
                        properties: CharacteristicProperties(rawValue: UInt16(value[0]))))
            }
        }
    }
}

extension ATTDatabaseDescription {
    /// Compares a discovered database with the description. Ends of includes are the tester's and not compared.
    func compare(_ found: GATT.Database) throws(CaseFailure) {
        let wanted = services.sorted { $0.start < $1.start }
        try same(
            "services", found.services.map { Line.service($0.service) },
            wanted.map {
                Line.service(GATT.Service(start: $0.start, end: $0.end, uuid: $0.uuid, isPrimary: $0.isPrimary))
            })
        for (node, service) in zip(found.services, wanted) {
            try same(
                "includes of \(service.start)", node.includes.map { [Int($0.handle), Int($0.start)] },
                service.includes.map { [Int($0.handle), Int($0.start)] })
            for (include, described) in zip(node.includes, service.includes) {
                let uuid = described.uuid ?? services.first { $0.start == described.start }?.uuid
                try same("include \(include.handle)", [include.uuid], uuid.map { [$0] } ?? [])
            }
            try same(
                "characteristics of \(service.start)",
                node.characteristics.map { Line.characteristic($0.characteristic) },
                service.characteristics.map { Line.characteristic($0) })
            for (characteristic, described) in zip(node.characteristics, service.characteristics) {
                try same(
                    "descriptors of \(characteristic.characteristic.handle)",
                    characteristic.descriptors.map { Line.descriptor($0.handle, $0.uuid) },
                    described.descriptors.map { Line.descriptor($0.handle ?? 0, $0.uuid) })
            }
        }
    }

    private func same<T: Equatable>(_ what: String, _ found: [T], _ wanted: [T]) throws(CaseFailure) {
        guard found == wanted else { throw CaseFailure("\(what): expected \(wanted), found \(found)") }
    }
}

/// One found thing in words, for comparing and for messages.
enum Line {
    static func service(_ service: GATT.Service) -> String {
        "\(service.isPrimary ? "primary" : "secondary") \(service.start)-\(service.end) \(service.uuid)"
    }

    static func include(_ include: GATT.Include) -> String {
        "include \(include.handle): \(include.start)-\(include.end) \(include.uuid)"
    }

    /// The low octet of the properties; the high one is not in the declaration.
    static func characteristic(_ found: GATT.Characteristic) -> String {
        "\(found.declaration) \(found.handle) \(found.uuid) \(found.properties.rawValue & 0xFF)"
    }

    static func characteristic(_ wanted: CharacteristicDefinition) -> String {
        "\(wanted.declarationHandle ?? 0) \(wanted.valueHandle ?? 0) \(wanted.uuid) \(wanted.properties.rawValue & 0xFF)"
    }

    static func descriptor(_ handle: UInt16, _ uuid: BluetoothUUID) -> String { "\(handle) \(uuid)" }
}
