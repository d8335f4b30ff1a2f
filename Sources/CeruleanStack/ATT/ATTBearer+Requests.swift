// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

extension ATTBearer {
    /// Cancels an operation: it ends with `cancelled` at once. Does nothing when it has ended.
    ///
    /// A request that is on its way cannot be taken back: the next operation waits for its answer, which is dropped.
    public func cancel(_ operation: ATTOperationID) {
        let error = HostError(.cancelled)
        if let current, current.id == operation {
            current.fail(error)
        } else if let found = waiting.removeFirst(where: { $0.id == operation }) {
            found.fail(error)
        }
    }

    /// Puts a procedure behind those that wait, and starts it when it is the first.
    @discardableResult
    func start<P: ClientProcedure>(
        _ procedure: P, now: MonotonicTime, completion: @escaping (Result<P.Output, HostError>) -> Void
    ) -> ATTOperationID {
        let id = nextOperation()
        start(ProcedureOperation(id: id, procedure, completion: completion), now: now)
        return id
    }

    /// Puts an operation behind those that wait, and starts it when it is the first.
    func start(_ operation: ATTOperation, now: MonotonicTime) {
        guard isOpen else { return operation.fail(HostError(.disconnected, detail: "the ATT bearer is closed")) }
        guard waiting.count < Self.maximumQueuedOperations else {
            return operation.fail(HostError(.queueFull, detail: "\(waiting.count) operations are waiting"))
        }
        if current == nil, waiting.isEmpty {
            current = operation
            sendRequest(of: operation, now: now)
        } else {
            waiting.append(operation)
            startNext(now: now)
        }
    }

    func nextOperation() -> ATTOperationID {
        lastOperation &+= 1
        return ATTOperationID(rawValue: lastOperation)
    }

    func receiveResponse(_ pdu: RawSpan, now: MonotonicTime) {
        // What was not asked for, or answers something else, is ignored (security A4, A5).
        guard let operation = current, pendingRequest != 0 else { return }
        let next: ATTOperation.Next
        if pdu[0] == ATT.Opcode.errorResponse.rawValue {
            guard pdu.byteCount == 5, pdu[1] == pendingRequest else { return }
            settle()
            next = operation.refused(
                ATT.ErrorResponse(
                    request: ATT.Opcode(rawValue: pdu[1]), handle: pdu.uint16(at: 2),
                    error: ATT.ErrorCode(rawValue: pdu[4])))
        } else {
            guard pdu[0] == pendingRequest + 1 else { return }
            settle()
            next = operation.received(pdu, mtu: mtu)
        }
        switch next {
        case .request:
            sendRequest(of: operation, now: now)
        case .end:
            current = nil
            operation.tell()
            startNext(now: now)
        }
    }

    // MARK: - private

    private func settle() {
        pendingRequest = 0
        requestDeadline = .distantFuture
    }

    private func startNext(now: MonotonicTime) {
        guard isOpen, current == nil, let operation = waiting.popFirst() else { return }
        current = operation
        sendRequest(of: operation, now: now)
    }

    private func sendRequest(of operation: ATTOperation, now: MonotonicTime) {
        let mtu = mtu
        requestDeadline = now.afterTransactionTimeout
        transmit { pdu in
            operation.request(into: &pdu, mtu: mtu)
            pendingRequest = pdu.first ?? 0
        }
    }
}

extension MonotonicTime {
    /// The moment at which a transaction that starts now has failed.
    var afterTransactionTimeout: MonotonicTime { after(nanoseconds: 30_000_000_000) }

    /// Plain addition: cheaper than by way of `Duration`.
    func after(nanoseconds: Int64) -> MonotonicTime {
        let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
        return overflow ? .distantFuture : MonotonicTime(nanoseconds: sum)
    }
}
