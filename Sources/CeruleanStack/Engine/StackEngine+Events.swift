// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

extension StackEngine {
    /// One event. What is shorter than its fixed fields is dropped and counted (security H3); what is longer is taken (H4).
    func receiveEvent(_ body: RawSpan) {
        guard let event = try? HCI.EventView(body) else {
            counters.malformedEvents &+= 1
            return
        }
        let parameters = event.parameters
        switch event.code {
        case .leMeta: receiveLEEvent(event)
        case .numberOfCompletedPackets: receiveCompletedPackets(parameters)
        case .commandComplete: receiveCommandComplete(parameters)
        case .commandStatus: receiveCommandStatus(parameters)
        case .disconnectionComplete: decode(HCI.DisconnectionComplete.self, parameters, disconnectionComplete)
        case .encryptionChange:
            decode(HCI.EncryptionChange.self, parameters) { event in
                encryptionChanged(event.handle, event.status, isOn: event.enabled != 0)
            }
        case .encryptionChangeV2:
            decode(HCI.EncryptionChangeV2.self, parameters) { event in
                encryptionChanged(event.handle, event.status, isOn: event.enabled != 0, keySize: event.keySize)
            }
        case .encryptionKeyRefreshComplete:
            decode(HCI.EncryptionKeyRefreshComplete.self, parameters) { event in
                encryptionChanged(event.handle, event.status, isOn: event.status == .success)
            }
        case .hardwareError:
            // Security H19.
            decode(HCI.HardwareError.self, parameters) { event in
                adapterFailed(
                    HostError(.adapterFailed, detail: "the controller reports hardware error \(event.hardwareCode)"),
                    recovers: true)
            }
        default:
            // Security H18.
            counters.unknownEvents &+= 1
        }
    }

    private func receiveLEEvent(_ event: borrowing HCI.EventView) {
        let parameters = event.parameters
        switch event.subevent {
        case .advertisingReport?: receiveAdvertisingReports(parameters)
        case .extendedAdvertisingReport?: receiveExtendedAdvertisingReports(parameters)
        case .periodicAdvertisingReport?: decode(HCI.LEPeriodicAdvertisingReport.self, parameters, periodicReport)
        case .connectionComplete?:
            decode(HCI.LEConnectionComplete.self, parameters) { event in
                connectionComplete(event)
            }
        case .enhancedConnectionComplete?:
            decode(HCI.LEEnhancedConnectionComplete.self, parameters) { event in
                let onAir = event.peerResolvableAddress
                connectionComplete(
                    HCI.LEConnectionComplete(
                        status: event.status, handle: event.handle, role: event.role,
                        peerAddressKind: event.peerAddressKind, peerAddress: event.peerAddress,
                        interval: event.interval, latency: event.latency,
                        supervisionTimeout: event.supervisionTimeout, clockAccuracy: event.clockAccuracy),
                    onAir: onAir == .zero ? nil : DeviceAddress(onAir, .random))
            }
        case .connectionUpdateComplete?:
            decode(HCI.LEConnectionUpdateComplete.self, parameters, connectionUpdateComplete)
        case .phyUpdateComplete?: decode(HCI.LEPHYUpdateComplete.self, parameters, phyUpdateComplete)
        case .dataLengthChange?: decode(HCI.LEDataLengthChange.self, parameters, dataLengthChanged)
        case .advertisingSetTerminated?:
            decode(HCI.LEAdvertisingSetTerminated.self, parameters, advertisingSetTerminated)
        case .periodicAdvertisingSyncEstablished?:
            decode(HCI.LEPeriodicAdvertisingSyncEstablished.self, parameters, syncEstablished)
        case .periodicAdvertisingSyncLost?: decode(HCI.LEPeriodicAdvertisingSyncLost.self, parameters, syncLost)
        case .longTermKeyRequest?:
            decode(HCI.LELongTermKeyRequest.self, parameters, longTermKeyRequested)
        case .remoteConnectionParameterRequest?:
            decode(HCI.LERemoteConnectionParameterRequest.self, parameters, remoteParameterRequest)
        default: counters.unknownEvents &+= 1
        }
    }

    private func decode<Event: WirePacket>(_ type: Event.Type, _ parameters: RawSpan, _ handle: (Event) -> Void) {
        guard let event = try? Event(decodingPrefixOf: parameters) else {
            counters.malformedEvents &+= 1
            return
        }
        handle(event)
    }
}
