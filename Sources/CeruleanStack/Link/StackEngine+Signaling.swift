// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

// The LE signaling channel. Core 5.4, Vol 3, Part A, 4. Security L6 to L9; for L10 to L14 see the channels.
extension StackEngine {
    func receiveSignaling(_ payload: RawSpan, on link: Link) {
        guard let header = try? L2CAP.SignalingHeader(decodingPrefixOf: payload) else { return }
        // L7, L8: identifier 0 is illegal, and an answer is never answered.
        guard header.identifier != 0 else { return }
        guard let signal = try? L2CAP.SignalingCommand(decoding: payload) else {
            // L6: a cut command, or two in one frame.
            if !header.code.isResponse { reject(header.identifier, on: link) }
            return
        }
        switch signal.body {
        case .connectionParameterUpdateRequest(let request):
            parametersRequested(request, signal.identifier, on: link)
        case .connectionParameterUpdateResponse(let response):
            parametersAnswered(response.result == .accepted, signal.identifier, on: link)
        case .commandReject:
            parametersAnswered(false, signal.identifier, on: link)
            channelRequestRejected(signal.identifier, on: link)
        case .leCreditBasedConnectionRequest(let request): channelRequested(request, signal.identifier, on: link)
        case .leCreditBasedConnectionResponse(let response): answered(response, signal.identifier, on: link)
        case .creditBasedConnectionRequest(let request): channelsRequested(request, signal.identifier, on: link)
        case .creditBasedConnectionResponse(let response): answered(response, signal.identifier, on: link)
        case .flowControlCredit(let indication): creditsReceived(indication, on: link)
        case .reconfigureRequest(let request): reconfigureRequested(request, signal.identifier, on: link)
        case .reconfigureResponse:
            // We never ask for it.
            return
        case .disconnectionRequest(let request): disconnectionRequested(request, signal.identifier, on: link)
        case .disconnectionResponse(let response): disconnected(response, signal.identifier, on: link)
        case .unknown(let code, _):
            if !code.isResponse { reject(signal.identifier, on: link) }
        }
    }

    func sendSignaling(_ body: L2CAP.SignalingCommand.Body, _ identifier: UInt8, on link: Link) {
        guard let bytes = try? L2CAP.SignalingCommand(identifier: identifier, body).encoded() else { return }
        transmit(bytes.span.bytes, on: .signaling, of: link)
    }

    // MARK: - private

    /// One Command Reject, "not understood", for a request. A peer that does not read its answers gets no more of them.
    private func reject(_ identifier: UInt8, on link: Link) {
        guard link.backlog < Link.highWater else { return }
        sendSignaling(.commandReject(L2CAP.CommandReject(reason: .notUnderstood)), identifier, on: link)
    }

    private func parametersRequested(
        _ request: L2CAP.ConnectionParameterUpdateRequest, _ identifier: UInt8, on link: Link
    ) {
        // L9: only a central is asked.
        guard link.role == .central else { return reject(identifier, on: link) }
        guard link.backlog < Link.highWater else { return }
        let problem = LEParameters.problem(
            request.intervalMin, request.intervalMax, request.latency, request.timeout)
        var response = L2CAP.ConnectionParameterUpdateResponse()
        response.result = problem == nil ? .accepted : .rejected
        sendSignaling(.connectionParameterUpdateResponse(response), identifier, on: link)
        guard problem == nil else { return }
        update(link, (request.intervalMin, request.intervalMax, request.latency, request.timeout)) { _ in }
    }

    private func parametersAnswered(_ isAccepted: Bool, _ identifier: UInt8, on link: Link) {
        // L7: an answer to something else is ignored.
        guard let request = link.parameterRequest, request.identifier == identifier else { return }
        // Accepted: LE Connection Update Complete will tell what is in force.
        guard !isAccepted else { return }
        end(request.operation, HostError(.refused, detail: "the peer rejects the parameters"))
    }
}
