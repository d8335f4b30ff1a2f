// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

extension Link {
    /// Tells the other end something; it crosses behind what waits already.
    func send(_ control: LinkControl, from end: LinkEnd) {
        guard !isClosed else { return }
        end.enqueue(.control(control))
        wake()
    }

    /// What an end does when the other one's link layer told it something.
    func received(_ control: LinkControl, at end: LinkEnd) {
        guard let controller = end.controller, let sender = end.other.controller else { return }
        switch control {
        case .featureRequest:
            send(.featureResponse, from: end)
        case .featureResponse:
            end.questions.remove(.features)
            controller.emit(
                HCI.LEReadRemoteFeaturesComplete(
                    status: .success, handle: end.handle, features: sender.configuration.features))
        case .versionRequest:
            send(.versionResponse, from: end)
        case .versionResponse:
            end.questions.remove(.version)
            let remote = sender.configuration
            controller.emit(
                HCI.ReadRemoteVersionInformationComplete(
                    status: .success, handle: end.handle, version: remote.version, company: remote.company,
                    subversion: remote.subversion))
        case .lengthRequest:
            updateDataLengths()
            send(.lengthResponse, from: end)
        case .lengthResponse:
            end.questions.remove(.dataLength)
            updateDataLengths()
        case .parameterRequest(let request):
            askedForParameters(request, controller, end)
        case .parameterReject(let reason):
            finishUpdate(end, reason)
        case .parameterIndication(let new, let fromPeripheral):
            atInstant(6) { [unowned self] in changeParameters(new, fromPeripheral: fromPeripheral) }
        case .phyRequest(let tx, let rx):
            let own = controller.defaultPHYs
            if end.role == .peripheral {
                send(.phyResponse(tx: own.tx, rx: own.rx), from: end)
            } else {
                // What the peripheral sends is what the central receives.
                indicate(to: rx.intersection(own.tx), from: tx.intersection(own.rx), fromPeripheral: true)
            }
        case .phyResponse(let tx, let rx):
            let own = end.phyRequest
            indicate(to: own.tx.intersection(rx), from: own.rx.intersection(tx), fromPeripheral: false)
        case .phyIndication(let down, let up, let fromPeripheral):
            atInstant(6) { [unowned self] in changePHY(down, up, fromPeripheral: fromPeripheral) }
        case .encryptionRequest, .encryptionResponse, .encryptionReject, .encryptionStart, .encryptionStartResponse:
            received(encryption: control, at: end)
        case .periodicSync(let information):
            end.other.openTransfers -= 1
            controller.received(information, at: end)
        case .terminate:
            break  // The link ends when this is acknowledged.
        }
    }

    /// The central puts new parameters into force, for itself or for the peripheral that asked.
    func indicate(_ request: HCI.LEConnectionUpdate, fromPeripheral: Bool) {
        let parameters = LinkParameters(
            interval: request.intervalMinimum, latency: request.latency,
            supervisionTimeout: request.supervisionTimeout)
        send(.parameterIndication(parameters, fromPeripheral: fromPeripheral), from: central)
    }

    // MARK: - private

    private func updateDataLengths() {
        for end in [central!, peripheral!] {
            guard let own = end.controller, let peer = end.other.controller else { continue }
            let time = min(end.wanted.time, own.largestLength.time, peer.largestLength.time)
            end.sending = DataLength(octets: min(end.wanted.octets, DataLength.largest.octets), time: time)
        }
        for end in [central!, peripheral!] where end.announced != [end.sending, end.other.sending] {
            end.announced = [end.sending, end.other.sending]
            end.controller?.emit(
                HCI.LEDataLengthChange(
                    handle: end.handle, maximumTXOctets: end.sending.octets, maximumTXTime: end.sending.time,
                    maximumRXOctets: end.other.sending.octets, maximumRXTime: end.other.sending.time))
        }
    }

    private func askedForParameters(
        _ request: HCI.LEConnectionUpdate, _ controller: VirtualController, _ end: LinkEnd
    ) {
        guard controller.configuration.features.contains(.connectionParametersRequest),
            controller.allows(.remoteConnectionParameterRequest)
        else {
            // A host that does not want to be asked has said no. Vol 6, Part B, 5.1.7.1.
            return send(.parameterReject(.unsupportedRemoteFeature), from: end)
        }
        end.awaitsReply = true
        controller.emit(
            HCI.LERemoteConnectionParameterRequest(
                handle: end.handle, intervalMinimum: request.intervalMinimum, intervalMaximum: request.intervalMaximum,
                latency: request.latency, supervisionTimeout: request.supervisionTimeout))
    }

    private func changeParameters(_ new: LinkParameters, fromPeripheral: Bool) {
        let isChange = new != parameters
        apply(new)
        for end in [central!, peripheral!] where isChange || (end.role == .peripheral) == fromPeripheral {
            finishUpdate(end, .success)
        }
    }

    private func finishUpdate(_ end: LinkEnd, _ status: HCI.ErrorCode) {
        end.isUpdating = false
        end.controller?.emit(
            HCI.LEConnectionUpdateComplete(
                status: status, handle: end.handle, interval: parameters.interval, latency: parameters.latency,
                supervisionTimeout: parameters.supervisionTimeout))
    }

    private func indicate(to down: HCI.PHYMask, from up: HCI.PHYMask, fromPeripheral: Bool) {
        let downPHY = best(down) ?? central.phy
        let upPHY = best(up) ?? peripheral.phy
        send(
            .phyIndication(centralToPeripheral: downPHY, peripheralToCentral: upPHY, fromPeripheral: fromPeripheral),
            from: central)
    }

    private func best(_ mask: HCI.PHYMask) -> HCI.PHY? {
        mask.contains(.le2M) ? .le2M : mask.contains(.le1M) ? .le1M : mask.contains(.leCoded) ? .leCoded : nil
    }

    private func changePHY(_ down: HCI.PHY, _ up: HCI.PHY, fromPeripheral: Bool) {
        let isChange = central.phy != down || peripheral.phy != up
        central.phy = down
        peripheral.phy = up
        if isChange { updateCondition() }
        for end in [central!, peripheral!] where isChange || (end.role == .peripheral) == fromPeripheral {
            end.isChangingPHY = false
            end.controller?.emit(
                HCI.LEPHYUpdateComplete(
                    status: .success, handle: end.handle, txPHY: end.phy, rxPHY: end.other.phy))
        }
    }
}
