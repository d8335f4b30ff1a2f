// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// A command or notification that waits for room in the channel.
struct OutgoingValue {
    var pdu: [UInt8]
    var completion: ((Result<Void, HostError>) -> Void)?
}

/// An indication that waits to be sent or confirmed.
struct OutgoingIndication {
    var handle: UInt16
    var value: [UInt8]
    var completion: ((Result<Void, HostError>) -> Void)?
}

extension ATTBearer {
    /// Whether a command or notification would be sent now rather than wait. After a no,
    /// ``ATTBearerOutput/bearerReadyToWrite(_:)`` tells when it would.
    public var canSendValue: Bool {
        guard isOpen, let output else { return false }
        if values.isEmpty, output.bearerCanSend(self) { return true }
        writerWaits = true
        return false
    }

    /// Octets of the longest value that fits into a command, a Write Request or a notification.
    public var maximumValueLength: Int { min(mtu - 3, ATT.maximumValueLength) }

    /// Writes without a response. Ends when the PDU was handed to the channel; bounded queue, in order.
    ///
    /// The completion gets `queueFull` when 64 values wait already (``ATTBearerOutput/bearerReadyToWrite(_:)`` tells when to
    /// try again), `invalidArgument` when the value is longer than ``maximumValueLength``.
    public func writeCommand(
        _ value: [UInt8], to handle: UInt16, now: MonotonicTime, completion: @escaping (Result<Void, HostError>) -> Void
    ) {
        guard value.count <= maximumValueLength else {
            return completion(.failure(.tooLong(value.count, maximumValueLength)))
        }
        var pdu: [UInt8] = []
        pdu.reserveCapacity(3 + value.count)
        pdu.append(ATT.Opcode.writeCommand.rawValue)
        pdu.append(littleEndian: handle)
        pdu.append(contentsOf: value)
        send(OutgoingValue(pdu: pdu, completion: completion))
    }

    /// Writes without a response, with a signature.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - handle: The attribute.
    ///   - now: The present moment.
    ///   - sign: makes the 12 octets of the signature over opcode, handle and value; nil when there is no key.
    ///   - completion: Called once, with the outcome.
    public func signedWrite(
        _ value: [UInt8], to handle: UInt16, now: MonotonicTime, sign: (_ message: [UInt8]) -> [UInt8]?,
        completion: @escaping (Result<Void, HostError>) -> Void
    ) {
        let longest = mtu - 3 - ATT.SignedWriteCommand.signatureLength
        guard value.count <= longest else { return completion(.failure(.tooLong(value.count, longest))) }
        var pdu: [UInt8] = [ATT.Opcode.signedWriteCommand.rawValue]
        pdu.append(littleEndian: handle)
        pdu.append(contentsOf: value)
        guard let signature = sign(pdu), signature.count == ATT.SignedWriteCommand.signatureLength else {
            return completion(.failure(HostError(.insufficientSecurity, detail: "no key to sign with")))
        }
        send(OutgoingValue(pdu: pdu + signature, completion: completion))
    }

    func send(_ value: OutgoingValue) {
        guard isOpen, let output else {
            value.completion?(.failure(HostError(.disconnected, detail: "the ATT bearer is closed")))
            return
        }
        if values.isEmpty, output.bearerCanSend(self) {
            output.bearer(self, send: value.pdu.span.bytes)
            value.completion?(.success(()))
        } else if values.count < Self.maximumQueuedValues {
            writerWaits = true
            values.append(value)
        } else {
            writerWaits = true
            value.completion?(.failure(HostError(.queueFull, detail: "\(values.count) values are waiting")))
        }
    }

    // MARK: - the server's values

    /// Whether one more notification, or indication, would be taken.
    func takesUpdate(asIndication: Bool) -> Bool {
        guard isOpen else { return true }
        let takes =
            asIndication ? indications.count < Self.maximumQueuedIndications : values.count < Self.maximumQueuedValues
        if !takes { updaterWaits = true }
        return takes
    }

    /// Sends a notification, or lets it wait; cut to what fits. False when the queue is full.
    func notify(_ handle: UInt16, _ value: [UInt8]) -> Bool {
        guard isOpen, let output else { return false }
        let length = min(value.count, mtu - 3)
        let build = { (pdu: inout [UInt8]) in
            pdu.append(ATT.Opcode.handleValueNotification.rawValue)
            pdu.append(littleEndian: handle)
            pdu.append(contentsOf: value.prefix(length))
        }
        if values.isEmpty, output.bearerCanSend(self) {
            transmit(build)
            return true
        }
        guard values.count < Self.maximumQueuedValues else {
            updaterWaits = true
            return false
        }
        var pdu: [UInt8] = []
        build(&pdu)
        values.append(OutgoingValue(pdu: pdu, completion: nil))
        return true
    }

    /// Sends an indication, or lets it wait for the one before; cut to what fits when it is sent. False when the queue is full.
    func indicate(
        _ handle: UInt16, _ value: [UInt8], now: MonotonicTime, completion: ((Result<Void, HostError>) -> Void)? = nil
    ) -> Bool {
        guard isOpen else { return false }
        guard indications.count < Self.maximumQueuedIndications else {
            updaterWaits = true
            return false
        }
        indications.append(OutgoingIndication(handle: handle, value: value, completion: completion))
        sendIndication(now: now)
        return true
    }

    /// Replaces the value of an indication that waits; false when none of that handle does.
    func replaceWaitingIndication(of handle: UInt16, _ change: ([UInt8]) -> [UInt8]) -> Bool {
        indications.updateFirst { indication in
            guard indication.handle == handle else { return false }
            indication.value = change(indication.value)
            return true
        }
    }

    /// True while an indication of `handle` has not been sent yet.
    func waitsToIndicate(_ handle: UInt16) -> Bool { indications.contains { $0.handle == handle } }

    private func sendIndication(now: MonotonicTime) {
        guard isOpen, unconfirmed == nil, let output, output.bearerCanSend(self), let next = indications.popFirst()
        else {
            return
        }
        unconfirmed = next
        indicationDeadline = now.afterTransactionTimeout
        let length = min(next.value.count, mtu - 3)
        transmit { pdu in
            pdu.append(ATT.Opcode.handleValueIndication.rawValue)
            pdu.append(littleEndian: next.handle)
            pdu.append(contentsOf: next.value.prefix(length))
        }
    }

    func receiveConfirmation(_ pdu: RawSpan, now: MonotonicTime) {
        guard pdu.byteCount == 1, let confirmed = unconfirmed else { return }
        unconfirmed = nil
        indicationDeadline = .distantFuture
        confirmed.completion?(.success(()))
        sendIndication(now: now)
        tellUpdater()
    }

    /// The handles of notifications that wait here, and of indications that were not confirmed.
    var unsentUpdates: [UInt16] {
        var handles: [UInt16] = []
        values.forEach { SentUpdates.forEachHandle(in: $0.pdu.span.bytes) { handles.append($0) } }
        indications.forEach { handles.append($0.handle) }
        return handles + (unconfirmed.map { [$0.handle] } ?? [])
    }

    /// Sends what waits as far as the channel takes it.
    func flushValues(now: MonotonicTime) {
        while isOpen, let output, !values.isEmpty, output.bearerCanSend(self), let value = values.popFirst() {
            output.bearer(self, send: value.pdu.span.bytes)
            value.completion?(.success(()))
        }
        sendIndication(now: now)
        guard isOpen, values.isEmpty else { return }
        if writerWaits, let output, output.bearerCanSend(self) {
            writerWaits = false
            output.bearerReadyToWrite(self)
        }
        tellUpdater()
    }

    private func tellUpdater() {
        guard isOpen, updaterWaits, values.isEmpty, indications.count < Self.maximumQueuedIndications / 2 else {
            return
        }
        updaterWaits = false
        session?.readyToUpdate()
    }

    // MARK: - the peer's values

    func receiveNotification(_ pdu: RawSpan) {
        if pdu[0] == ATT.Opcode.handleValueNotification.rawValue {
            guard let view = try? ATT.HandleValueView(decoding: pdu), let output else { return }
            output.bearer(self, received: pdu.extracting(view.value), of: view.handle, isIndication: false)
            return
        }
        var position = 1
        // Whole values before a cut one are delivered (security A18).
        while isOpen, let output, position < pdu.byteCount {
            let rest = pdu.extracting(position..<pdu.byteCount)
            guard let view = try? ATT.HandleLengthValueView(decodingPrefixOf: rest) else { return }
            output.bearer(self, received: rest.extracting(view.value), of: view.handle, isIndication: false)
            position += view.value.upperBound
        }
    }

    func receiveIndication(_ pdu: RawSpan) {
        guard let view = try? ATT.HandleValueView(decoding: pdu) else { return }
        // Confirmed at once, so that no application can hold the peer up (security A17).
        answer { $0.append(ATT.Opcode.handleValueConfirmation.rawValue) }
        output?.bearer(self, received: pdu.extracting(view.value), of: view.handle, isIndication: true)
    }
}

extension HostError {
    static func tooLong(_ count: Int, _ longest: Int) -> HostError {
        HostError(.invalidArgument, detail: "\(count) octets, at most \(longest) fit")
    }
}

// Subscriptions of the peer to our server, for bonds.
extension ATTBearer {
    /// The peer's Client Characteristic Configurations that are not zero, by handle.
    ///
    /// Kept for a bonded peer and put back when it returns; others start with none. Core 5.4, Vol 3, Part G, 3.3.3.3.
    public var configurations: [UInt16: UInt16] { session?.client.configuration ?? [:] }

    /// Sets what a bonded peer configured on an earlier link. Those of attributes that are gone are left out.
    public func restoreConfigurations(_ configurations: [UInt16: UInt16]) { session?.restore(configurations) }
}
