// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// What a client procedure wants after an answer.
enum ProcedureStep<Output> {
    /// Send another request.
    case request
    /// It has ended with this result.
    case finished(Output)
    /// It has ended with an error.
    case failed(HostError)
}

/// A client procedure: a pure state machine that writes requests and takes their answers, one at a time.
protocol ClientProcedure {
    associatedtype Output

    /// Appends the next request to `pdu`, at most `mtu` octets. Called once at the start and once after each `.request`.
    mutating func request(into pdu: inout [UInt8], mtu: Int)
    /// Takes the response to the last request; its opcode is the right one.
    mutating func received(_ response: RawSpan, mtu: Int) -> ProcedureStep<Output>
    /// Takes the error that the last request was answered with.
    mutating func refused(_ error: ATT.ErrorResponse) -> ProcedureStep<Output>
    /// Called instead when the caller has cancelled: true when another request is needed to leave no trace at the peer.
    mutating func cleanup() -> Bool
}

extension ClientProcedure {
    mutating func refused(_ error: ATT.ErrorResponse) -> ProcedureStep<Output> { .failed(.refused(error)) }
    mutating func cleanup() -> Bool { false }
}

extension HostError {
    /// The peer answered with an ATT error.
    static func refused(_ error: ATT.ErrorResponse) -> HostError {
        HostError(
            error.error.asksForSecurity
                ? .insufficientSecurity : error.error == .databaseOutOfSync ? .staleAttribute : .refused,
            attribute: error.error.rawValue,
            detail: error.error.description)
    }

    /// The peer's answer breaks the protocol.
    static func invalidResponse(_ detail: String) -> HostError { HostError(.invalidResponse, detail: detail) }
}

/// An operation in the queue of a bearer: a procedure and the one who waits for its result.
class ATTOperation {
    let id: ATTOperationID

    init(id: ATTOperationID) { self.id = id }

    /// What to do after an answer.
    enum Next {
        case request, end
    }

    var isCancelled: Bool { true }
    func request(into pdu: inout [UInt8], mtu: Int) {}
    func received(_ response: RawSpan, mtu: Int) -> Next { .end }
    func refused(_ error: ATT.ErrorResponse) -> Next { .end }
    /// Tells the result that an `.end` came with.
    func tell() {}
    /// Tells an error instead. The first telling counts.
    func fail(_ error: HostError) {}
}

/// An operation with its procedure.
final class ProcedureOperation<Procedure: ClientProcedure>: ATTOperation {
    private var procedure: Procedure
    private var completion: ((Result<Procedure.Output, HostError>) -> Void)?
    private var result: Result<Procedure.Output, HostError>?

    init(
        id: ATTOperationID, _ procedure: Procedure, completion: @escaping (Result<Procedure.Output, HostError>) -> Void
    ) {
        self.procedure = procedure
        self.completion = completion
        super.init(id: id)
    }

    override var isCancelled: Bool { completion == nil }

    override func request(into pdu: inout [UInt8], mtu: Int) { procedure.request(into: &pdu, mtu: mtu) }

    override func received(_ response: RawSpan, mtu: Int) -> Next {
        guard !isCancelled else { return procedure.cleanup() ? .request : .end }
        return next(procedure.received(response, mtu: mtu))
    }

    override func refused(_ error: ATT.ErrorResponse) -> Next {
        guard !isCancelled else { return procedure.cleanup() ? .request : .end }
        return next(procedure.refused(error))
    }

    override func tell() {
        guard let result, let completion else { return }
        self.completion = nil
        completion(result)
    }

    override func fail(_ error: HostError) {
        guard let completion else { return }
        self.completion = nil
        completion(.failure(error))
    }

    private func next(_ step: ProcedureStep<Procedure.Output>) -> Next {
        switch step {
        case .request: return .request
        case .finished(let output): result = .success(output)
        case .failed(let error): result = .failure(error)
        }
        return .end
    }
}

/// A read: the operation that occurs most, without the cost of a generic class.
final class ReadOperation: ATTOperation {
    private var procedure: ReadLongValue
    private var completion: ((Result<[UInt8], HostError>) -> Void)?
    private var error: HostError?

    init(
        id: ATTOperationID, _ procedure: ReadLongValue, completion: @escaping (Result<[UInt8], HostError>) -> Void
    ) {
        self.procedure = procedure
        self.completion = completion
        super.init(id: id)
    }

    override var isCancelled: Bool { completion == nil }

    override func request(into pdu: inout [UInt8], mtu: Int) { procedure.request(into: &pdu, mtu: mtu) }

    override func received(_ response: RawSpan, mtu: Int) -> Next {
        guard !isCancelled else { return .end }
        return procedure.take(response, mtu: mtu) ? .request : .end
    }

    override func refused(_ error: ATT.ErrorResponse) -> Next {
        if !procedure.endsWell(error) { self.error = .refused(error) }
        return .end
    }

    override func tell() {
        guard let completion else { return }
        self.completion = nil
        if let error { completion(.failure(error)) } else { completion(.success(procedure.value)) }
    }

    override func fail(_ error: HostError) {
        guard let completion else { return }
        self.completion = nil
        completion(.failure(error))
    }
}
