// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

extension HostError {
    /// A command that the controller refused.
    static func command(_ opcode: HCI.Opcode, _ status: UInt8) -> HostError {
        let code: Code =
            switch HCI.ErrorCode(rawValue: status) {
            case .unknownCommand, .unsupportedFeatureOrValue: .unsupported
            case .unknownConnection: .disconnected
            case .invalidParameters: .invalidArgument
            case .commandDisallowed: .wrongState
            default: .refused
            }
        return HostError(
            code, controller: status,
            detail: "\(opcode): \(HCI.ErrorCode(rawValue: status)) (HCI \(Self.hex(status)))")
    }

    /// Why a link went down.
    static func disconnection(_ reason: UInt8) -> HostError {
        let text =
            switch HCI.ErrorCode(rawValue: reason) {
            case .remoteUserTerminated: "the peer closed the link"
            case .localHostTerminated: "we closed the link"
            case .connectionTimeout: "the link was lost (supervision timeout)"
            case .failedToBeEstablished: "the link failed to be established"
            default: "\(HCI.ErrorCode(rawValue: reason))"
            }
        let code: Code = HCI.ErrorCode(rawValue: reason) == .failedToBeEstablished ? .connectionFailed : .disconnected
        return HostError(code, controller: reason, detail: "\(text) (HCI \(hex(reason)))")
    }

    private static func hex(_ value: UInt8) -> String { "0x" + Hex.encode([value]) }
}
