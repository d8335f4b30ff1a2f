// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// Write Characteristic Value. Core 5.4, Vol 3, Part G, 4.9.3.
struct WriteValue: ClientProcedure {
    let handle: UInt16
    let value: [UInt8]

    mutating func request(into pdu: inout [UInt8], mtu: Int) {
        pdu.append(ATT.Opcode.writeRequest.rawValue)
        pdu.append(littleEndian: handle)
        pdu.append(contentsOf: value)
    }

    mutating func received(_ response: RawSpan, mtu: Int) -> ProcedureStep<Void> {
        response.byteCount == 1 ? .finished(()) : .failed(.invalidResponse("surplus octets behind a Write Response"))
    }
}

/// Write Long Characteristic Values and Reliable Writes: parts are queued at the peer, then executed together.
/// Core 5.4, Vol 3, Part G, 4.9.4 and 4.9.5.
///
/// Every echo is compared. After a wrong echo or an error the queue is cancelled, so that nothing of it is left behind.
struct PreparedWrite: ClientProcedure {
    /// One value to be written.
    struct Write: Hashable {
        var handle: UInt16
        var offset: Int
        var value: [UInt8]
    }

    private enum State {
        case preparing
        case executing
        case cancelling(HostError)
    }

    private let writes: [Write]
    private var state = State.preparing
    private var index = 0
    private var done = 0
    private var part = 0

    /// - Parameter writes: at least one.
    init(_ writes: [Write]) { self.writes = writes }

    mutating func request(into pdu: inout [UInt8], mtu: Int) {
        switch state {
        case .preparing:
            let write = writes[index]
            part = min(write.value.count - done, mtu - 5)
            pdu.append(ATT.Opcode.prepareWriteRequest.rawValue)
            pdu.append(littleEndian: write.handle)
            pdu.append(littleEndian: UInt16(clamping: write.offset + done))
            pdu.append(contentsOf: write.value[done..<done + part])
        case .executing:
            pdu.append(contentsOf: [ATT.Opcode.executeWriteRequest.rawValue, 0x01])
        case .cancelling:
            pdu.append(contentsOf: [ATT.Opcode.executeWriteRequest.rawValue, 0x00])
        }
    }

    mutating func received(_ response: RawSpan, mtu: Int) -> ProcedureStep<Void> {
        switch state {
        case .preparing:
            guard isEcho(response) else {
                state = .cancelling(.invalidResponse("the peer repeated another value than the one prepared"))
                return .request
            }
            done += part
            if done >= writes[index].value.count {
                index += 1
                done = 0
            }
            if index == writes.count { state = .executing }
            return .request
        case .executing:
            return response.byteCount == 1
                ? .finished(()) : .failed(.invalidResponse("surplus octets behind an Execute Write Response"))
        case .cancelling(let error):
            return .failed(error)
        }
    }

    mutating func refused(_ error: ATT.ErrorResponse) -> ProcedureStep<Void> {
        switch state {
        case .preparing:
            state = .cancelling(.refused(error))
            return .request
        case .executing: return .failed(.refused(error))
        case .cancelling(let first): return .failed(first)
        }
    }

    mutating func cleanup() -> Bool {
        switch state {
        case .preparing:
            state = .cancelling(HostError(.cancelled))
            return true
        case .executing, .cancelling: return false
        }
    }

    private func isEcho(_ response: RawSpan) -> Bool {
        guard let view = try? ATT.PrepareWriteView(decoding: response) else { return false }
        let write = writes[index]
        guard view.handle == write.handle, Int(view.offset) == write.offset + done, view.value.count == part else {
            return false
        }
        for offset in 0..<part where response[view.value.lowerBound + offset] != write.value[done + offset] {
            return false
        }
        return true
    }
}
