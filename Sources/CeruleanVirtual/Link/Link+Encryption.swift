// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// The start of encryption, and the change of its key. Core 5.4, Vol 6, Part B, 5.1.3.
///
/// Nothing is really encrypted: both ends must have been given the same key, and data rests between the request and the end
/// of the procedure, as on the air.
extension Link {
    /// Central: the host asked for encryption.
    func startEncryption(_ end: LinkEnd, diversifier: UInt16, random: UInt64, key: [UInt8]) {
        end.isEncrypting = true
        end.key = key
        send(.encryptionRequest(diversifier: diversifier, random: random), from: end)
        end.holdsData = true
        air.schedule(procedureTimer, at: air.now + Self.procedureTimeout)
    }

    /// Peripheral: the host gave the key, or has none.
    func gotKey(_ key: [UInt8]?, _ end: LinkEnd) {
        end.awaitsKey = false
        end.key = key
        if key == nil {
            send(.encryptionReject(.pinOrKeyMissing), from: end)
            // A link that was encrypted cannot go on without. Vol 6, Part B, 5.1.3.2.
            if end.isEncrypted { return }
            endEncryption(end)
        } else {
            send(.encryptionStart, from: end)
        }
    }

    func received(encryption control: LinkControl, at end: LinkEnd) {
        guard let controller = end.controller else { return }
        switch control {
        case .encryptionRequest(let diversifier, let random):
            guard end.role == .peripheral, !end.isEncrypting else { return }
            guard controller.configuration.features.contains(.encryption) else {
                return send(.encryptionReject(.unsupportedRemoteFeature), from: end)
            }
            end.isEncrypting = true
            send(.encryptionResponse, from: end)
            end.holdsData = true
            end.awaitsKey = true
            guard controller.allows(.longTermKeyRequest) else { return gotKey(nil, end) }
            controller.emit(
                HCI.LELongTermKeyRequest(handle: end.handle, random: random, diversifier: diversifier))
        case .encryptionResponse: break
        case .encryptionReject(let reason):
            if end.isEncrypted { return close(reason, reason) }
            endEncryption(end)
            controller.emit(HCI.EncryptionChange(status: reason, handle: end.handle, enabled: 0))
        case .encryptionStart:
            // The first packets under different keys do not pass their check.
            guard end.key == end.other.key else { return close(.micFailure, .micFailure) }
            send(.encryptionStartResponse, from: end)
        case .encryptionStartResponse:
            if end.role == .peripheral { send(.encryptionStartResponse, from: end) }
            encrypted(end, controller)
        default: break
        }
    }

    // MARK: - private

    private func encrypted(_ end: LinkEnd, _ controller: VirtualController) {
        let isRefresh = end.isEncrypted
        end.isEncrypted = true
        endEncryption(end)
        watchPayload(of: end)
        if isRefresh {
            controller.emit(HCI.EncryptionKeyRefreshComplete(status: .success, handle: end.handle))
        } else {
            controller.emit(HCI.EncryptionChange(status: .success, handle: end.handle, enabled: 1))
        }
    }

    private func endEncryption(_ end: LinkEnd) {
        end.isEncrypting = false
        if end.role == .central { air.cancel(procedureTimer) }
        end.holdsData = false
        wake()
    }
}
