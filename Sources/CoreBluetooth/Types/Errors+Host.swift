// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import Foundation

extension CBError {
    /// What an application is told of an error of the host.
    static func of(_ error: HostError) -> any Error {
        if let code = error.attribute { return CBATTError(number: Int(code), userInfo: error.information) }
        return CBError(code(of: error), userInfo: error.information)
    }

    private static func code(of error: HostError) -> Code {
        switch error.controller {
        case 0x08: return .connectionTimeout
        case 0x13, 0x14, 0x15: return .peripheralDisconnected
        case 0x3E: return .connectionFailed
        case 0x09: return .connectionLimitReached
        case 0x3D, 0x06: return .peerRemovedPairingInformation
        default: break
        }
        return switch error.code {
        case .timedOut: .connectionTimeout
        case .disconnected: .peripheralDisconnected
        case .connectionFailed: .connectionFailed
        case .cancelled: .operationCancelled
        case .insufficientSecurity: .encryptionTimedOut
        case .invalidArgument: .invalidParameters
        case .staleAttribute: .invalidHandle
        case .notFound: .unknownDevice
        case .unsupported: .operationNotSupported
        case .queueFull: .outOfSpace
        default: .unknown
        }
    }
}

extension HostError {
    fileprivate var information: [String: Any] {
        let text = [operation.isEmpty ? nil : operation, detail].compactMap { $0 }.joined(separator: ": ")
        return text.isEmpty ? [:] : [NSDebugDescriptionErrorKey: text]
    }
}
