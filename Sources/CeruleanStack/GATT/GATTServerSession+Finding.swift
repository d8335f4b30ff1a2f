// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

extension GATTServerSession {
    /// Core 5.4, Vol 3, Part F, 3.4.3.1.
    func findInformation(_ pdu: RawSpan) {
        let opcode = ATT.Opcode.findInformationRequest
        guard let request = try? ATT.FindInformationRequest(pdu: pdu) else { return refuse(opcode, 0, .invalidPDU) }
        guard accepts(opcode, start: request.start, end: request.end) else { return }
        let database = server.database
        let first = database.lowerBound(request.start)
        guard first < database.handles.count, database.handles[first] <= request.end else {
            return refuse(opcode, request.start, .attributeNotFound)
        }
        let isShort = database.attributes[first].type.short != nil
        let room = (bearer.mtu - 2) / (isShort ? 4 : 18)
        bearer.answer { pdu in
            pdu.append(ATT.Opcode.findInformationResponse.rawValue)
            pdu.append(isShort ? 1 : 2)
            for index in first..<min(first + room, database.handles.count) {
                let type = database.attributes[index].type
                guard database.handles[index] <= request.end, (type.short != nil) == isShort else { return }
                pdu.append(littleEndian: database.handles[index])
                pdu.append(contentsOf: type.attBytes)
            }
        }
    }

    /// Core 5.4, Vol 3, Part F, 3.4.3.3.
    func findByTypeValue(_ pdu: RawSpan) {
        let opcode = ATT.Opcode.findByTypeValueRequest
        guard let request = try? ATT.FindByTypeValueRequest(pdu: pdu) else { return refuse(opcode, 0, .invalidPDU) }
        guard accepts(opcode, start: request.start, end: request.end) else { return }
        let type = BluetoothUUID(request.type)
        let room = (bearer.mtu - 1) / 4
        let found =
            type == GATT.primaryService || type == GATT.secondaryService
            ? findServices(request, type, room) : findValues(request, type, room)
        guard !found.isEmpty else { return refuse(opcode, request.start, .attributeNotFound) }
        bearer.answer { pdu in
            pdu.append(ATT.Opcode.findByTypeValueResponse.rawValue)
            for item in found {
                pdu.append(littleEndian: item.0)
                pdu.append(littleEndian: item.1)
            }
        }
    }

    private func findServices(
        _ request: ATT.FindByTypeValueRequest, _ type: BluetoothUUID, _ room: Int
    ) -> [(UInt16, UInt16)] {
        // A UUID may come in either of its forms (vector GAD-CL-BV-02-C-2).
        guard request.value.count == 2 || request.value.count == 16,
            let uuid = BluetoothUUID(littleEndian: request.value)
        else { return [] }
        var found: [(UInt16, UInt16)] = []
        let services = server.database.services
        for service in services[server.database.firstService(from: request.start)...] {
            guard service.start <= request.end, found.count < room else { break }
            guard service.uuid == uuid, service.isPrimary == (type == GATT.primaryService) else { continue }
            found.append((service.start, service.end))
        }
        return found
    }

    private func findValues(
        _ request: ATT.FindByTypeValueRequest, _ type: BluetoothUUID, _ room: Int
    ) -> [(UInt16, UInt16)] {
        var found: [(UInt16, UInt16)] = []
        let database = server.database
        for index in database.lowerBound(request.start)..<database.handles.count {
            let handle = database.handles[index]
            guard handle <= request.end, found.count < room else { break }
            let attribute = database.attributes[index]
            guard attribute.type == type, !attribute.isDynamic,
                obstacle(attribute.read, at: index, forWriting: false) == nil,
                storedValue(at: index) == request.value
            else { continue }
            found.append((handle, attribute.groupEnd))
        }
        return found
    }

    /// Core 5.4, Vol 3, Part F, 3.4.4.9.
    func readByGroupType(_ pdu: RawSpan) {
        let opcode = ATT.Opcode.readByGroupTypeRequest
        guard let request = try? ATT.ReadByGroupTypeRequest(pdu: pdu) else { return refuse(opcode, 0, .invalidPDU) }
        guard accepts(opcode, start: request.start, end: request.end) else { return }
        let isPrimary = request.type == GATT.primaryService
        guard isPrimary || request.type == GATT.secondaryService else {
            return refuse(opcode, request.start, .unsupportedGroupType)
        }
        let database = server.database
        var items: [GATTDatabase.Service] = []
        var isShort = false
        var room = 1
        for service in database.services[database.firstService(from: request.start)...] {
            guard service.start <= request.end, items.count < room else { break }
            guard service.isPrimary == isPrimary else { continue }
            if items.isEmpty {
                isShort = service.uuid.short != nil
                room = (bearer.mtu - 2) / (isShort ? 6 : 20)
            } else if (service.uuid.short != nil) != isShort {
                break
            }
            items.append(service)
        }
        guard !items.isEmpty else { return refuse(opcode, request.start, .attributeNotFound) }
        bearer.answer { pdu in
            pdu.append(ATT.Opcode.readByGroupTypeResponse.rawValue)
            pdu.append(isShort ? 6 : 20)
            for service in items {
                pdu.append(littleEndian: service.start)
                pdu.append(littleEndian: service.end)
                pdu.append(contentsOf: service.uuid.attBytes)
            }
        }
    }
}
