// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// One client of a server: its configuration, its prepared writes, and the request that is being answered.
final class GATTServerSession {
    /// Prepared writes of one client, and their octets.
    static let maximumPrepared = 64
    static let maximumPreparedOctets = 4096
    /// Requests that wait while the application answers one. A client that keeps to the protocol sends none.
    static let maximumWaiting = 8
    /// Seconds that the application has, less than the client's patience of 30.
    static let answerNanoseconds: Int64 = 25_000_000_000

    struct Prepared {
        var handle: UInt16
        var offset: Int
        var value: [UInt8]
    }

    /// What is to be done with the application's answer.
    enum Pending {
        case read(opcode: ATT.Opcode, handle: UInt16)
        case readByType(handle: UInt16)
        indirect case readMultiple(MultipleRead)
        case write(handle: UInt16)
        indirect case execute(Execution)
    }

    /// The server holds the session too, until it is closed; the bearer closes it at the latest when it goes away.
    let server: GATTServer
    /// Owns this session, and closes it at the latest when it goes away.
    unowned let bearer: ATTBearer
    private var slot = 0
    private var isOpen = true

    /// What is kept of the client, whatever the number of its bearers.
    let client: GATTClientState
    /// The client's first bearer: what goes without being asked for goes there.
    private let isFirst: Bool
    var prepared: [Prepared] = []
    var preparedOctets = 0
    /// The value that a long read goes on with, so that its parts are of one snapshot (security A12).
    var longRead: (handle: UInt16, value: [UInt8])?

    private var pending: Pending?
    private var token: RequestToken?
    private var pendingOpcode = ATT.Opcode(rawValue: 0)
    private var pendingRange: ClosedRange<UInt16> = 0...0
    private var waiting = ATTQueue<[UInt8]>()

    /// - Parameter first: The session of the client's first bearer, when this is one of its others.
    init(server: GATTServer, bearer: ATTBearer, first: GATTServerSession? = nil) {
        self.server = server
        client = first?.client ?? GATTClientState()
        isFirst = first == nil
        self.bearer = bearer
        slot = server.open(self)
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        pending = nil
        token = nil
        _ = waiting.removeAll()
        prepared = []
        server.close(slot: slot)
    }

    // MARK: - requests

    func receiveRequest(_ opcode: ATT.Opcode, _ pdu: RawSpan, now: MonotonicTime) {
        guard pending == nil else {
            // Answered in order, or dropped when there are too many (security, section 7).
            if waiting.count < Self.maximumWaiting { waiting.append(pdu.array) }
            return
        }
        guard client.awareness == .aware || isInSync(opcode, pdu) else { return }
        if longRead != nil, opcode != .readBlobRequest { longRead = nil }
        switch opcode {
        case .readRequest: read(pdu, now: now)
        case .writeRequest: write(pdu, now: now)
        case .readBlobRequest: readBlob(pdu, now: now)
        case .readByTypeRequest: readByType(pdu, now: now)
        case .readByGroupTypeRequest: readByGroupType(pdu)
        case .findInformationRequest: findInformation(pdu)
        case .findByTypeValueRequest: findByTypeValue(pdu)
        case .readMultipleRequest, .readMultipleVariableRequest: readMultiple(opcode, pdu, now: now)
        case .prepareWriteRequest: prepareWrite(pdu)
        case .executeWriteRequest: executeWrite(pdu, now: now)
        default: refuse(opcode, 0, .requestNotSupported)
        }
    }

    func receiveCommand(_ opcode: ATT.Opcode, _ pdu: RawSpan, now: MonotonicTime) {
        // What a client that is out of sync writes may be meant for another attribute. Vol 3, Part G, 2.5.2.1.
        guard !client.isOutOfSync else { return }
        // Unknown commands are ignored.
        if opcode == .writeCommand {
            writeCommand(pdu, now: now)
        } else if opcode == .signedWriteCommand {
            signedWrite(pdu, now: now)
        }
    }

    func refuse(_ opcode: ATT.Opcode, _ handle: UInt16, _ error: ATT.ErrorCode) {
        bearer.refuse(opcode, handle: handle, error)
    }

    /// Whether a range of handles can be asked for; refuses the request if not.
    func accepts(_ opcode: ATT.Opcode, start: UInt16, end: UInt16) -> Bool {
        if start != 0, start <= end { return true }
        refuse(opcode, start, .invalidHandle)
        return false
    }

    /// Why the peer may not pass; nil when it may. Core 5.4, Vol 3, Part C, 10.3.1.
    func obstacle(_ gate: AttributeGate, at index: Int, forWriting: Bool) -> ATT.ErrorCode? {
        if gate == .open { return nil }
        if gate.isClosed { return forWriting ? .writeNotPermitted : .readNotPermitted }
        let peer = bearer.peer
        if gate.security > .open {
            if peer.security < .encrypted {
                return peer.hasKeys ? .insufficientEncryption : .insufficientAuthentication
            }
            if peer.security < gate.security { return .insufficientAuthentication }
            if peer.keySize > 0, peer.keySize < gate.keySize { return .encryptionKeySizeTooShort }
        }
        // For dynamic attributes the application decides when it is asked for the value.
        if gate.needsAuthorization, !server.database.attributes[index].isDynamic {
            let id = server.database.id(at: index)
            let isAllowed =
                server.delegate?.server(server, authorizes: id, forWriting: forWriting, from: bearer) ?? false
            if !isAllowed { return .insufficientAuthorization }
        }
        return nil
    }

    // MARK: - the application

    /// Asks the application; other requests wait until it has answered.
    func ask(
        _ requests: [AttributeRequest], at index: Int, opcode: ATT.Opcode, then pending: Pending, now: MonotonicTime
    ) {
        let handle = server.database.handles[index]
        guard let delegate = server.delegate, let service = server.database.service(around: handle) else {
            return refuse(opcode, handle, .unlikelyError)
        }
        let token = server.nextToken(slot: slot)
        self.pending = pending
        self.token = token
        pendingOpcode = opcode
        pendingRange = service.start...service.end
        bearer.answerDeadline = now.after(nanoseconds: Self.answerNanoseconds)
        delegate.server(server, requests: requests, token: token, owner: service.owner, from: bearer)
    }

    func respond(_ token: RequestToken, _ response: RequestResponse, now: MonotonicTime) {
        guard isOpen, let pending, token == self.token else { return }
        // The owner may drop the bearer from inside a callback.
        let bearer = self.bearer
        defer { withExtendedLifetime(bearer) {} }
        self.pending = nil
        self.token = nil
        bearer.answerDeadline = .distantFuture
        finish(pending, response, now: now)
        while isOpen, self.pending == nil, let next = waiting.popFirst() {
            receiveRequest(ATT.Opcode(rawValue: next[0]), next.span.bytes, now: now)
        }
    }

    /// The application took too long.
    func giveUpWaiting(now: MonotonicTime) {
        guard let token else {
            bearer.answerDeadline = .distantFuture
            return
        }
        respond(token, .failure(code: ATT.ErrorCode.unlikelyError.rawValue, index: 0), now: now)
    }

    private func finish(_ pending: Pending, _ response: RequestResponse, now: MonotonicTime) {
        switch (pending, response) {
        case (.read(let opcode, _), .success(let value)):
            answer(ATT.Opcode(rawValue: opcode.rawValue + 1), value, from: 0)
        case (.read(let opcode, let handle), .failure(let code, _)):
            refuse(opcode, handle, ATT.ErrorCode(rawValue: code))
        case (.readByType(let handle), .success(let value)):
            answerReadByType(handle, value)
        case (.readByType(let handle), .failure(let code, _)):
            refuse(.readByTypeRequest, handle, ATT.ErrorCode(rawValue: code))
        case (.readMultiple(var read), .success(let value)):
            read.append(value)
            goOn(read, now: now)
        case (.readMultiple(let read), .failure(let code, _)):
            refuse(read.opcode, read.handle, ATT.ErrorCode(rawValue: code))
        case (.write, .success):
            bearer.answer { $0.append(ATT.Opcode.writeResponse.rawValue) }
        case (.write(let handle), .failure(let code, _)):
            refuse(.writeRequest, handle, ATT.ErrorCode(rawValue: code))
        case (.execute(let execution), .success):
            goOn(execution, now: now)
        case (.execute(let execution), .failure(let code, let index)):
            refuse(.executeWriteRequest, execution.handle(ofRequest: index), ATT.ErrorCode(rawValue: code))
        }
    }

    /// Answers with a value from `offset` on, as much as fits.
    func answer(_ opcode: ATT.Opcode, _ value: [UInt8], from offset: Int) {
        let end = min(value.count, offset + bearer.mtu - 1)
        bearer.answer { pdu in
            pdu.append(opcode.rawValue)
            pdu.append(contentsOf: value[offset..<end])
        }
    }

    // MARK: - changes of the database

    /// A service is gone: its configuration too, and a request that waits for it.
    func forget(_ range: ClosedRange<UInt16>, now: MonotonicTime) {
        guard isOpen else { return }
        for handle in client.configuration.keys where range.contains(handle) { client.configuration[handle] = nil }
        longRead = nil
        guard let token, pendingRange.overlaps(range) else { return }
        respond(token, .failure(code: ATT.ErrorCode.invalidHandle.rawValue, index: 0), now: now)
    }

    /// Core 5.4, Vol 3, Part G, 7.1. Changes that have not been sent yet are joined into one indication.
    func tellServiceChanged(_ handle: UInt16, _ start: UInt16, _ end: UInt16, now: MonotonicTime) {
        guard isOpen, isFirst, let index = server.database.index(of: handle) else { return }
        client.awareness = .unaware
        guard isSubscribed(server.database.attributes[index].partner, 2) else { return }
        let isJoined = bearer.replaceWaitingIndication(of: handle) { old in
            let span = old.span.bytes
            return Self.range(min(start, span.uint16(at: 0)), max(end, span.uint16(at: 2)))
        }
        guard !isJoined else { return }
        _ = bearer.indicate(handle, Self.range(start, end), now: now) { [weak self] result in
            // Unless the database has changed again meanwhile, and that waits to be told.
            guard case .success = result, let self, isOpen, !bearer.waitsToIndicate(handle) else { return }
            becomeAware()
        }
    }

    private static func range(_ start: UInt16, _ end: UInt16) -> [UInt8] {
        var value: [UInt8] = []
        value.append(littleEndian: start)
        value.append(littleEndian: end)
        return value
    }

    // MARK: - updates

    private func isSubscribed(_ handle: UInt16, _ bit: UInt16) -> Bool {
        client.configuration[handle, default: 0] & bit != 0
    }

    /// How the client gets updates of a characteristic; nil when it does not.
    func mode(
        _ audience: UpdateAudience, _ handle: UInt16, _ properties: CharacteristicProperties
    ) -> SubscriptionMode? {
        guard isOpen, isFirst, !client.isOutOfSync else { return nil }
        if case .link(let link) = audience, link != bearer.peer.link { return nil }
        guard let bits = client.configuration[handle] else { return nil }
        if bits & 1 != 0, properties.contains(.notify) { return .notifications }
        return bits & 2 != 0 && properties.contains(.indicate) ? .indications : nil
    }

    /// Whether an update would be taken; nil when the client is not concerned.
    func takes(_ audience: UpdateAudience, _ handle: UInt16, _ properties: CharacteristicProperties) -> Bool? {
        mode(audience, handle, properties).map { bearer.takesUpdate(asIndication: $0 == .indications) }
    }

    func update(
        _ value: [UInt8], of handle: UInt16, for audience: UpdateAudience, _ configuration: UInt16,
        _ properties: CharacteristicProperties, now: MonotonicTime
    ) {
        switch mode(audience, configuration, properties) {
        case .notifications: _ = bearer.notify(handle, value)
        case .indications: _ = bearer.indicate(handle, value, now: now)
        case .off, nil: break
        }
    }

    func readyToUpdate() { server.delegate?.server(server, readyToUpdate: bearer) }
}
