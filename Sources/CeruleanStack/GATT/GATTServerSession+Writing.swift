// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// The prepared writes of one client being executed: the application is asked owner by owner, then stored values change.
struct Execution {
    struct Batch {
        var index: Int
        var requests: [AttributeRequest]
        var handles: [UInt16]
    }

    /// New values of stored attributes.
    var stored: [(id: AttributeID, value: [UInt8])] = []
    /// What owners are still to be asked.
    var batches: [Batch] = []
    /// The batch that is being asked.
    var current: Batch?

    func handle(ofRequest index: Int) -> UInt16 {
        guard let handles = current?.handles, handles.indices.contains(index) else { return 0 }
        return handles[index]
    }
}

extension GATTServerSession {
    /// Core 5.4, Vol 3, Part F, 3.4.5.1.
    func write(_ pdu: RawSpan, now: MonotonicTime) {
        let opcode = ATT.Opcode.writeRequest
        guard pdu.byteCount >= 3 else { return refuse(opcode, 0, .invalidPDU) }
        let handle = pdu.uint16(at: 1)
        guard let index = server.database.index(of: handle) else { return refuse(opcode, handle, .invalidHandle) }
        if let error = obstacle(server.database.attributes[index].write, at: index, forWriting: true) {
            return refuse(opcode, handle, error)
        }
        let value = pdu.extracting(3..<pdu.byteCount).array
        guard value.count <= ATT.maximumValueLength else { return refuse(opcode, handle, .invalidAttributeValueLength) }
        if server.database.attributes[index].isDynamic {
            let request = AttributeRequest(
                attribute: server.database.id(at: index), kind: .write(value: value, offset: 0))
            return ask([request], at: index, opcode: opcode, then: .write(handle: handle), now: now)
        }
        if let error = lengthError(at: index, value) { return refuse(opcode, handle, error) }
        let id = server.database.id(at: index)
        bearer.answer { $0.append(ATT.Opcode.writeResponse.rawValue) }
        store(value, at: id)
    }

    /// Core 5.4, Vol 3, Part F, 3.4.5.3. What is not allowed is dropped.
    func writeCommand(_ pdu: RawSpan, now: MonotonicTime) {
        guard pdu.byteCount >= 3, let index = server.database.index(of: pdu.uint16(at: 1)),
            obstacle(server.database.attributes[index].write, at: index, forWriting: true) == nil
        else { return }
        take(pdu.extracting(3..<pdu.byteCount).array, at: index)
    }

    /// Takes a value that nobody waits for an answer to.
    private func take(_ value: [UInt8], at index: Int) {
        guard value.count <= ATT.maximumValueLength else { return }
        guard server.database.attributes[index].isDynamic else {
            if lengthError(at: index, value) == nil { store(value, at: server.database.id(at: index)) }
            return
        }
        guard let service = server.database.service(around: server.database.handles[index]) else { return }
        let request = AttributeRequest(attribute: server.database.id(at: index), kind: .write(value: value, offset: 0))
        server.delegate?.server(server, requests: [request], token: nil, owner: service.owner, from: bearer)
    }

    /// Core 5.4, Vol 3, Part F, 3.4.5.4. What is not allowed is dropped without a word (security A11): on encrypted links, where
    /// signatures have no place (Vol 3, Part C, 10.4.2), without a key, with a wrong signature, or with one that was used before.
    func signedWrite(_ pdu: RawSpan, now: MonotonicTime) {
        let head = 3 + ATT.SignedWriteCommand.signatureLength
        guard pdu.byteCount >= head, bearer.peer.security == .open,
            let index = server.database.index(of: pdu.uint16(at: 1)),
            server.database.attributes[index].properties.contains(.signedWrite),
            !server.database.attributes[index].write.isClosed,
            // Only then is a signature worth the work.
            let level = server.delegate?.server(server, verifies: pdu.array, from: bearer)
        else { return }
        let gate = server.database.attributes[index].write
        guard gate.security <= level, !gate.needsAuthorization || server.database.attributes[index].isDynamic else {
            return
        }
        take(pdu.extracting(3..<pdu.byteCount - ATT.SignedWriteCommand.signatureLength).array, at: index)
    }

    /// Core 5.4, Vol 3, Part F, 3.4.6.1.
    func prepareWrite(_ pdu: RawSpan) {
        let opcode = ATT.Opcode.prepareWriteRequest
        guard pdu.byteCount >= 5 else { return refuse(opcode, 0, .invalidPDU) }
        let handle = pdu.uint16(at: 1)
        guard let index = server.database.index(of: handle) else { return refuse(opcode, handle, .invalidHandle) }
        if let error = obstacle(server.database.attributes[index].write, at: index, forWriting: true) {
            return refuse(opcode, handle, error)
        }
        let octets = pdu.byteCount - 5
        guard prepared.count < Self.maximumPrepared, preparedOctets + octets <= Self.maximumPreparedOctets else {
            return refuse(opcode, handle, .prepareQueueFull)
        }
        prepared.append(
            Prepared(handle: handle, offset: Int(pdu.uint16(at: 3)), value: pdu.extracting(5..<pdu.byteCount).array))
        preparedOctets += octets
        bearer.answer { answer in
            answer.append(ATT.Opcode.prepareWriteResponse.rawValue)
            answer.append(pdu.extracting(1..<pdu.byteCount))
        }
    }

    /// Core 5.4, Vol 3, Part F, 3.4.6.3.
    func executeWrite(_ pdu: RawSpan, now: MonotonicTime) {
        let opcode = ATT.Opcode.executeWriteRequest
        guard pdu.byteCount == 2, pdu[1] <= 1 else { return refuse(opcode, 0, .invalidPDU) }
        let writes = prepared
        prepared = []
        preparedOctets = 0
        var execution = Execution()
        if pdu[1] == 1 {
            for write in writes {
                // Permissions may have changed since, and the attribute may be gone (security A8).
                guard let index = server.database.index(of: write.handle) else {
                    return refuse(opcode, write.handle, .invalidHandle)
                }
                if let error = obstacle(server.database.attributes[index].write, at: index, forWriting: true) {
                    return refuse(opcode, write.handle, error)
                }
                if let error = add(write, at: index, to: &execution) { return refuse(opcode, write.handle, error) }
            }
            for write in execution.stored {
                guard let index = server.database.index(of: write.id) else { continue }
                if let error = lengthError(at: index, write.value) {
                    return refuse(opcode, server.database.handles[index], error)
                }
            }
        }
        goOn(execution, now: now)
    }

    /// Asks the next owner, or changes stored values when all have agreed.
    func goOn(_ execution: Execution, now: MonotonicTime) {
        var execution = execution
        guard execution.batches.isEmpty else {
            let batch = execution.batches.removeFirst()
            execution.current = batch
            return ask(
                batch.requests, at: batch.index, opcode: .executeWriteRequest, then: .execute(execution), now: now)
        }
        bearer.answer { $0.append(ATT.Opcode.executeWriteResponse.rawValue) }
        for write in execution.stored { store(write.value, at: write.id) }
    }

    /// Puts a part into the new value of its attribute, or into the batch for its owner.
    private func add(_ write: Prepared, at index: Int, to execution: inout Execution) -> ATT.ErrorCode? {
        let id = server.database.id(at: index)
        guard write.offset <= ATT.maximumValueLength else { return .invalidOffset }
        guard write.offset + write.value.count <= ATT.maximumValueLength else { return .invalidAttributeValueLength }
        if server.database.attributes[index].isDynamic {
            let request = AttributeRequest(attribute: id, kind: .write(value: write.value, offset: write.offset))
            let owner = server.database.service(around: write.handle)?.owner
            let match = execution.batches.firstIndex {
                server.database.service(around: server.database.handles[$0.index])?.owner == owner
            }
            if let match {
                execution.batches[match].requests.append(request)
                execution.batches[match].handles.append(write.handle)
            } else {
                execution.batches.append(Execution.Batch(index: index, requests: [request], handles: [write.handle]))
            }
            return nil
        }
        // A first part at 0 starts a new value; one further on changes part of the present one.
        let known = execution.stored.firstIndex { $0.id == id }
        var value = known.map { execution.stored[$0].value } ?? (write.offset == 0 ? [] : storedValue(at: index))
        guard write.offset <= value.count else { return .invalidOffset }
        let end = min(value.count, write.offset + write.value.count)
        value.replaceSubrange(write.offset..<end, with: write.value)
        if let known { execution.stored[known].value = value } else { execution.stored.append((id, value)) }
        return nil
    }

    private func lengthError(at index: Int, _ value: [UInt8]) -> ATT.ErrorCode? {
        switch server.database.attributes[index].kind {
        case .clientConfiguration: return value.count == 2 ? nil : .invalidAttributeValueLength
        case .clientFeatures: return setFeatures(value)
        default: return nil
        }
    }

    /// Changes a stored value, or this client's configuration, and tells the application.
    private func store(_ value: [UInt8], at id: AttributeID) {
        guard let index = server.database.index(of: id), let handle = id.handle,
            let service = server.database.service(around: handle)
        else { return }
        switch server.database.attributes[index].kind {
        case .clientConfiguration: break
        case .clientFeatures: return store(features: value)
        default:
            server.database.attributes[index].value = value
            server.delegate?.server(server, wrote: value, to: id, owner: service.owner, from: bearer)
            return
        }
        // The other bits are reserved. Vol 3, Part G, 3.3.3.3.
        configure((UInt16(value[0]) | UInt16(value[1]) << 8) & 3, of: handle, index: index, owner: service.owner)
    }

    /// Sets configurations that a bonded client made on an earlier link; those of attributes that are gone are left out.
    func restore(_ configurations: [UInt16: UInt16]) {
        for (handle, bits) in configurations.sorted(by: { $0.key < $1.key }) {
            guard let index = server.database.index(of: handle), let service = server.database.service(around: handle),
                server.database.attributes[index].kind == .clientConfiguration
            else { continue }
            configure(bits & 3, of: handle, index: index, owner: service.owner)
        }
    }

    private func configure(_ bits: UInt16, of handle: UInt16, index: Int, owner: Int) {
        guard bits != client.configuration[handle, default: 0] else { return }
        client.configuration[handle] = bits == 0 ? nil : bits
        guard let characteristic = server.database.index(of: server.database.attributes[index].partner) else { return }
        let mode: SubscriptionMode = bits & 1 != 0 ? .notifications : bits & 2 != 0 ? .indications : .off
        server.delegate?.server(
            server, subscription: mode, of: server.database.id(at: characteristic), owner: owner, from: bearer)
    }
}
