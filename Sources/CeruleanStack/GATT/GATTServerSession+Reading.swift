// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// Several values being read in one request.
struct MultipleRead {
    let opcode: ATT.Opcode
    let handles: [UInt16]
    var next = 0
    var data: [UInt8] = []

    /// The handle being read.
    var handle: UInt16 { handles[next] }

    /// Takes the value of the present handle and goes to the next one.
    mutating func append(_ value: [UInt8]) {
        if opcode == .readMultipleVariableRequest { data.append(littleEndian: UInt16(clamping: value.count)) }
        data.append(contentsOf: value)
        next += 1
    }
}

extension GATTServerSession {
    /// The value of an attribute that is not dynamic, for this client.
    func storedValue(at index: Int) -> [UInt8] {
        switch server.database.attributes[index].kind {
        case .clientConfiguration: break
        case .clientFeatures: return [client.features.rawValue]
        case .databaseHash: return server.databaseHash ?? server.database.attributes[index].value
        default: return server.database.attributes[index].value
        }
        let bits = client.configuration[server.database.handles[index], default: 0]
        return [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
    }

    /// Core 5.4, Vol 3, Part F, 3.4.4.3.
    func read(_ pdu: RawSpan, now: MonotonicTime) {
        let opcode = ATT.Opcode.readRequest
        guard pdu.byteCount == 3 else { return refuse(opcode, 0, .invalidPDU) }
        let handle = pdu.uint16(at: 1)
        guard let index = server.database.index(of: handle) else { return refuse(opcode, handle, .invalidHandle) }
        if let error = obstacle(server.database.attributes[index].read, at: index, forWriting: false) {
            return refuse(opcode, handle, error)
        }
        if server.database.attributes[index].isDynamic {
            let request = AttributeRequest(attribute: server.database.id(at: index), kind: .read(offset: 0))
            return ask([request], at: index, opcode: opcode, then: .read(opcode: opcode, handle: handle), now: now)
        }
        let value = storedValue(at: index)
        if server.database.attributes[index].kind == .databaseHash { readHash() }
        if value.count >= bearer.mtu { longRead = (handle, value) }
        answer(.readResponse, value, from: 0)
    }

    /// Core 5.4, Vol 3, Part F, 3.4.4.5.
    func readBlob(_ pdu: RawSpan, now: MonotonicTime) {
        let opcode = ATT.Opcode.readBlobRequest
        guard pdu.byteCount == 5 else { return refuse(opcode, 0, .invalidPDU) }
        let handle = pdu.uint16(at: 1)
        let offset = Int(pdu.uint16(at: 3))
        guard let index = server.database.index(of: handle) else { return refuse(opcode, handle, .invalidHandle) }
        if let error = obstacle(server.database.attributes[index].read, at: index, forWriting: false) {
            return refuse(opcode, handle, error)
        }
        if server.database.attributes[index].isDynamic {
            guard offset <= ATT.maximumValueLength else { return refuse(opcode, handle, .invalidOffset) }
            let request = AttributeRequest(attribute: server.database.id(at: index), kind: .read(offset: offset))
            return ask([request], at: index, opcode: opcode, then: .read(opcode: opcode, handle: handle), now: now)
        }
        if longRead?.handle != handle || offset == 0 { longRead = (handle, storedValue(at: index)) }
        guard let value = longRead?.value, offset <= value.count else { return refuse(opcode, handle, .invalidOffset) }
        answer(.readBlobResponse, value, from: offset)
    }

    /// Core 5.4, Vol 3, Part F, 3.4.4.1. A dynamic value goes alone into its response.
    func readByType(_ pdu: RawSpan, now: MonotonicTime) {
        let opcode = ATT.Opcode.readByTypeRequest
        guard let request = try? ATT.ReadByTypeRequest(pdu: pdu) else { return refuse(opcode, 0, .invalidPDU) }
        guard accepts(opcode, start: request.start, end: request.end) else { return }
        let database = server.database
        let longest = min(bearer.mtu - 4, 253)
        let most = bearer.mtu - 2
        var data: [UInt8] = []
        var length = 0
        for index in database.lowerBound(request.start)..<database.handles.count {
            let handle = database.handles[index]
            guard handle <= request.end else { break }
            guard database.attributes[index].type == request.type else { continue }
            if let error = obstacle(database.attributes[index].read, at: index, forWriting: false) {
                if data.isEmpty { return refuse(opcode, handle, error) }
                break
            }
            if database.attributes[index].isDynamic {
                guard data.isEmpty else { break }
                let ask = AttributeRequest(attribute: database.id(at: index), kind: .read(offset: 0))
                return self.ask([ask], at: index, opcode: opcode, then: .readByType(handle: handle), now: now)
            }
            let value = storedValue(at: index)
            let count = min(value.count, longest)
            if data.isEmpty {
                length = count + 2
            } else if count + 2 != length || data.count + length > most {
                break
            }
            data.append(littleEndian: handle)
            data.append(contentsOf: value.prefix(count))
            if database.attributes[index].kind == .databaseHash { readHash() }
        }
        guard !data.isEmpty else { return refuse(opcode, request.start, .attributeNotFound) }
        bearer.answer { pdu in
            pdu.append(ATT.Opcode.readByTypeResponse.rawValue)
            pdu.append(UInt8(length))
            pdu.append(contentsOf: data)
        }
    }

    /// Answers Read By Type with one value.
    func answerReadByType(_ handle: UInt16, _ value: [UInt8]) {
        let count = min(value.count, bearer.mtu - 4, 253)
        bearer.answer { pdu in
            pdu.append(ATT.Opcode.readByTypeResponse.rawValue)
            pdu.append(UInt8(count + 2))
            pdu.append(littleEndian: handle)
            pdu.append(contentsOf: value.prefix(count))
        }
    }

    /// Core 5.4, Vol 3, Part F, 3.4.4.7 and 3.4.4.11.
    func readMultiple(_ opcode: ATT.Opcode, _ pdu: RawSpan, now: MonotonicTime) {
        guard pdu.byteCount >= 5, pdu.byteCount % 2 == 1 else { return refuse(opcode, 0, .invalidPDU) }
        let handles = stride(from: 1, to: pdu.byteCount, by: 2).map { pdu.uint16(at: $0) }
        goOn(MultipleRead(opcode: opcode, handles: handles), now: now)
    }

    /// Reads on until the application has to be asked.
    func goOn(_ read: MultipleRead, now: MonotonicTime) {
        var read = read
        while read.next < read.handles.count {
            let handle = read.handle
            guard let index = server.database.index(of: handle) else {
                return refuse(read.opcode, handle, .invalidHandle)
            }
            if let error = obstacle(server.database.attributes[index].read, at: index, forWriting: false) {
                return refuse(read.opcode, handle, error)
            }
            // Every handle is checked, but nothing is collected beyond what can be sent.
            if read.data.count >= bearer.mtu - 1 {
                read.next += 1
            } else if server.database.attributes[index].isDynamic {
                let request = AttributeRequest(attribute: server.database.id(at: index), kind: .read(offset: 0))
                return ask([request], at: index, opcode: read.opcode, then: .readMultiple(read), now: now)
            } else {
                read.append(storedValue(at: index))
            }
        }
        answer(ATT.Opcode(rawValue: read.opcode.rawValue + 1), read.data, from: 0)
    }
}
