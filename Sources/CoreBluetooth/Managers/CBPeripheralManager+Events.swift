// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire
import Foundation

/// What the process before had.
struct RestoredServer {
    var services: [CBMutableService]
    var advertisement: [String: Any]?

    /// As the delegate is told.
    var dictionary: [String: Any] {
        var all: [String: Any] = [:]
        if !services.isEmpty { all[CBPeripheralManagerRestoredStateServicesKey] = services }
        if let advertisement { all[CBPeripheralManagerRestoredStateAdvertisementDataKey] = advertisement }
        return all
    }
}

// Events come on the manager's queue; calls come from any thread.
extension CBPeripheralManager {
    /// Called in `init`.
    func start() {
        if let saved = restoration?.load(SavedServer.self), !saved.isEmpty { server { $0.restored = saved.objects } }
        let core = core
        core.source.add(core) { $0.addServer(core) }
    }

    /// Called in `deinit`.
    func end() {
        let number = core.number
        core.onRadio { $0.removeServer(number) }
        restoration?.remove()
    }

    func stateChanged(_ state: CBManagerState) {
        guard state != self.state else { return }
        let isFinal = state.rawValue < CBManagerState.poweredOff.rawValue
        if state != .poweredOn { pause(isFinal: isFinal) }
        // It is told before the first state, and carried out when there is an adapter.
        let (restored, isTold) = server { storage -> (RestoredServer?, Bool) in
            guard let restored = storage.restored, !isFinal else { return (nil, true) }
            defer { storage.isRestorationTold = true }
            if state == .poweredOn { storage.restored = nil }
            return (restored, storage.isRestorationTold)
        }
        if let restored {
            if state == .poweredOn { restore(restored) }
            if !isTold { delegate?.peripheralManager(self, willRestoreState: restored.dictionary) }
        }
        setState(state)
        delegate?.peripheralManagerDidUpdateState(self)
    }

    private func pause(isFinal: Bool) {
        let left = server { storage in
            storage.held = [:]
            storage.waitingUpdates = 0
            storage.isFull = false
            if isFinal {
                storage.isAdvertising = false
                storage.advertisement = nil
                storage.services = []
                defer { storage.characteristics = [:] }
                return Array(storage.characteristics.values)
            }
            return Array(storage.characteristics.values)
        }
        for characteristic in left {
            characteristic.characteristic { state in
                state.subscribers = []
                if isFinal { state.publication = nil }
            }
        }
        // What waits for an adapter to be restored is kept for the process after this one, too.
        if isFinal, server({ $0.restored == nil }) { saveState() }
    }

    private func restore(_ restored: RestoredServer) {
        for service in restored.services { publish(service, isRestored: true) }
        if let advertisement = restored.advertisement { advertise(advertisement, isRestored: true) }
    }

    // MARK: Centrals

    /// The one object for a central.
    func central(for peer: PeerID, maximumLength: Int) -> CBCentral {
        let identifier = Identities.host.identifier(of: peer)
        let central = server { storage in
            if let known = storage.known[identifier]?.object { return known }
            if storage.known.count > 256 { storage.known = storage.known.filter { $0.value.object != nil } }
            let made = CBCentral(peer)
            storage.known[identifier] = Weak(made)
            return made
        }
        central.length { $0 = maximumLength }
        return central
    }

    func linkChanged(_ peer: PeerID, maximumLength: Int) {
        let identifier = Identities.host.identifier(of: peer)
        server { $0.known[identifier]?.object }?.length { $0 = maximumLength }
    }

    func left(_ peer: PeerID) {
        let identifier = Identities.host.identifier(of: peer)
        server { $0.held[identifier] = nil }
    }

    func subscribed(_ peer: PeerID, _ link: LinkID, maximumLength: Int, _ number: Int, isOn: Bool) {
        guard let characteristic = server({ $0.characteristics[number] }) else { return }
        let central = central(for: peer, maximumLength: maximumLength)
        server { $0.held[central.identifier] = central }
        characteristic.characteristic { storage in
            storage.subscribers.removeAll { $0.identifier == central.identifier }
            if isOn { storage.subscribers.append(central) }
        }
        if isOn {
            delegate?.peripheralManager(self, central: central, didSubscribeTo: characteristic)
        } else {
            delegate?.peripheralManager(self, central: central, didUnsubscribeFrom: characteristic)
        }
    }

    // MARK: Requests

    func requested(_ incoming: IncomingRequests) {
        let batch = CBATTRequest.Batch(incoming.token)
        let central = central(for: incoming.peer, maximumLength: incoming.maximumLength)
        var requests: [CBATTRequest] = []
        for (index, request) in incoming.requests.enumerated() {
            guard let characteristic = server({ $0.characteristics[request.characteristic] }) else {
                return close(batch, .failure(code: 0x01, index: index))
            }
            let made: CBATTRequest
            switch request.kind {
            case .read(let offset):
                made = CBATTRequest(
                    central: central, characteristic: characteristic, offset: offset, value: nil, isRead: true,
                    batch: batch, isFirst: index == 0)
            case .write(let value, let offset):
                made = CBATTRequest(
                    central: central, characteristic: characteristic, offset: offset, value: Data(value),
                    isRead: false, batch: batch, isFirst: index == 0)
            }
            requests.append(made)
        }
        guard let first = requests.first else { return }
        guard let delegate else { return answer(first, .requestNotSupported) }
        if first.isRead {
            delegate.peripheralManager(self, didReceiveRead: first)
        } else {
            delegate.peripheralManager(self, didReceiveWrite: requests)
        }
    }

    func answer(_ request: CBATTRequest, _ result: CBATTError.Code) {
        guard request.isFirst else {
            return misuse("respond(to:withResult:): only the first request of a batch is answered")
        }
        let response: RequestResponse =
            result == .success
            ? .success(value: request.isRead ? Array(request.value ?? Data()) : [])
            : .failure(code: UInt8(result.rawValue), index: 0)
        close(request.batch, response)
    }

    private func close(_ batch: CBATTRequest.Batch, _ response: RequestResponse) {
        guard let token = batch.token, batch.close() else { return }
        core.onRadio { $0.respond(token, response) }
    }

    // MARK: Updates

    func update(_ value: [UInt8], _ characteristic: CBMutableCharacteristic, _ centrals: [CBCentral]?) -> Bool {
        guard isReady(for: "updateValue(_:for:onSubscribedCentrals:)") else { return false }
        guard let (manager, number) = characteristic.characteristic({ $0.publication }), manager.object === self else {
            misuse("updateValue(_:for:onSubscribedCentrals:): \(characteristic) is not published")
            return false
        }
        let isTaken = server { storage in
            guard storage.waitingUpdates < Self.updateWindow.full else {
                storage.isFull = true
                return false
            }
            storage.waitingUpdates += 1
            return true
        }
        guard isTaken else { return false }
        let peers = centrals?.map(\.peer)
        // The host cuts what is longer than a central takes.
        let value = Array(value.prefix(512))
        let client = core.number
        core.onRadio { $0.update(client, number, value, to: peers) }
        return true
    }

    func updated() {
        let isReady = server { storage in
            storage.waitingUpdates = max(0, storage.waitingUpdates - 1)
            guard storage.isFull, storage.waitingUpdates <= Self.updateWindow.ready else { return false }
            storage.isFull = false
            return true
        }
        if isReady { delegate?.peripheralManagerIsReady(toUpdateSubscribers: self) }
    }

    // MARK: Channels

    func openListener(_ isEncrypted: Bool) {
        let done: Radio.Ending<UInt16> = { [core] result in
            core.deliver(toServer: { manager in
                var psm: UInt16 = 0
                if case .success(let number) = result { psm = number }
                manager.delegate?.peripheralManager(manager, didPublishL2CAPChannel: psm, error: result.cbError)
            })
        }
        let client = core.number
        core.onRadio { $0.listen(client, isEncrypted, done) }
    }

    func closeListener(_ psm: CBL2CAPPSM) {
        let (client, core) = (core.number, core)
        core.onRadio { radio in
            let isFound = radio.stopListening(client, psm)
            core.deliver(toServer: { manager in
                let error: (any Error)? = isFound ? nil : CBError(.invalidParameters)
                manager.delegate?.peripheralManager(manager, didUnpublishL2CAPChannel: psm, error: error)
            })
        }
    }

    func channelOpened(_ hold: ChannelHold, _ peer: PeerID, maximumLength: Int) {
        let channel = CBL2CAPChannel(hold, peer: central(for: peer, maximumLength: maximumLength))
        delegate?.peripheralManager(self, didOpen: channel, error: nil)
    }
}
