// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire
import Foundation

extension CBPeripheral {
    // MARK: Calls of the manager, from any thread

    func connect(_ options: [String: Any]) {
        let reconnects = Self.flag(options[CBConnectPeripheralOptionEnableAutoReconnect])
        let epoch = peripheral { storage in
            storage.epoch = Self.nextEpoch
            storage.reconnects = reconnects
            if storage.state != .connected { storage.state = .connecting }
            return storage.epoch
        }
        let seconds = (options[CBConnectPeripheralOptionStartDelayKey] as? NSNumber)?.doubleValue ?? 0
        let delay: Duration = seconds > 0 ? .seconds(min(seconds, 1e6)) : .zero
        let (client, peer) = (core.number, peer)
        core.onRadio { $0.connect(client, peer, epoch: epoch, reconnects: reconnects, delay: delay) }
    }

    func cancelConnection() {
        let isWanted = peripheral { storage in
            switch storage.state {
            case .disconnected, .disconnecting: return false
            case .connecting: storage.state = .disconnected
            case .connected: storage.state = .disconnecting
            }
            return true
        }
        guard isWanted else { return }
        let (client, peer) = (core.number, peer)
        core.onRadio { $0.cancelConnection(client, peer) }
    }

    private static func flag(_ value: Any?) -> Bool { (value as? NSNumber)?.boolValue ?? (value as? Bool) ?? false }

    // MARK: Events, on the queue

    func saw(_ sighting: Sighting) {
        peripheral { storage in
            storage.advertisement = sighting.advertisement
            if storage.name == nil || storage.state != .connected, let name = sighting.fields.name {
                storage.name = name
            }
        }
    }

    func named(_ name: String) {
        let isNew = peripheral { storage in
            defer { storage.name = name }
            return storage.name != name
        }
        if isNew, state == .connected { delegate?.peripheralDidUpdateName(self) }
    }

    /// False when the connection was given up meanwhile.
    func linkUp(_ info: LinkInfo, epoch: UInt64) -> Bool {
        peripheral { storage in
            guard storage.epoch == epoch, storage.state == .connecting || storage.state == .connected else {
                return false
            }
            if storage.link != info.id {
                storage.waitingWrites = 0
                storage.isCongested = false
            }
            storage.state = .connected
            storage.link = info.id
            storage.maximumLength = info.maximumValueLength
            return true
        }
    }

    /// False when another connection was asked for, or this one given up.
    func failed(epoch: UInt64) -> Bool {
        peripheral { storage in
            guard storage.epoch == epoch, storage.state == .connecting else { return false }
            storage.state = .disconnected
            return true
        }
    }

    func linkDown(epoch: UInt64, isReconnecting: Bool) {
        let services = peripheral { storage -> [CBService] in
            storage.link = nil
            storage.maximumLength = 0
            storage.found = [:]
            storage.waitingWrites = 0
            storage.isCongested = false
            if isReconnecting, storage.state == .connected {
                storage.state = .connecting
                return []
            }
            // Somebody may have asked for a connection again meanwhile.
            if storage.epoch == epoch { storage.state = .disconnected }
            defer { storage.services = nil }
            return storage.services ?? []
        }
        for service in services { service.invalidate() }
    }

    /// Without an adapter; nobody is told.
    func reset() {
        let services = peripheral { storage in
            storage.state = .disconnected
            storage.epoch = Self.nextEpoch
            storage.link = nil
            storage.maximumLength = 0
            storage.found = [:]
            storage.waitingWrites = 0
            storage.isCongested = false
            defer { storage.services = nil }
            return storage.services ?? []
        }
        for service in services { service.invalidate() }
    }

    func servicesChanged(_ range: ClosedRange<UInt16>?) {
        let gone = peripheral { storage -> [CBService]? in
            guard storage.state == .connected, let services = storage.services else { return nil }
            let gone = services.filter { $0.lies(in: range) }
            storage.services = services.filter { service in !gone.contains { $0 === service } }
            return gone
        }
        guard let gone else { return }
        for service in gone { forget(service) }
        delegate?.peripheral(self, didModifyServices: gone)
    }

    private func forget(_ service: CBService) {
        let attributes = service.all
        peripheral { storage in
            for attribute in attributes {
                if let key = attribute.id?.key, storage.found[key] === attribute { storage.found[key] = nil }
            }
        }
        service.invalidate()
    }

    // MARK: What is kept from link to link

    /// What was found, for the next link.
    var keptTree: KeptTree {
        KeptTree(
            services: (services ?? []).map { service in
                KeptTree.Service(
                    uuid: service.uuid.uuidString, isPrimary: service.isPrimary,
                    characteristics: service.characteristics.map { list in
                        list.map { characteristic in
                            KeptTree.Characteristic(
                                uuid: characteristic.uuid.uuidString, properties: characteristic.properties.rawValue,
                                isNotifying: characteristic.isNotifying,
                                descriptors: characteristic.descriptors?.map(\.uuid.uuidString))
                        }
                    })
            })
    }

    /// Names everything as the new link does. Returns the services that are gone.
    func refind(_ tree: FoundTree) -> [CBService] {
        let services = services ?? []
        var gone: [CBService] = []
        var kept: [CBService] = []
        for (index, service) in services.enumerated() {
            guard index < tree.services.count, let found = tree.services[index] else {
                gone.append(service)
                continue
            }
            kept.append(service)
            service.service { storage in
                storage.includedServices = nil
                storage.endHandle = found.info.endHandle
            }
            register(service, found.info.id)
            refind(service, found.characteristics)
        }
        peripheral { if $0.services != nil { $0.services = kept } }
        for service in gone { service.invalidate() }
        return gone
    }

    private func refind(_ service: CBService, _ found: [FoundTree.Characteristic?]) {
        var kept: [CBCharacteristic] = []
        for (index, characteristic) in (service.characteristics ?? []).enumerated() {
            guard index < found.count, let match = found[index] else {
                characteristic.id = nil
                characteristic.characteristic { $0.isNotifying = false }
                continue
            }
            kept.append(characteristic)
            register(characteristic, match.id)
            characteristic.characteristic { $0.isNotifying = match.isNotifying }
            var descriptors: [CBDescriptor] = []
            for (index, descriptor) in (characteristic.descriptors ?? []).enumerated() {
                guard index < match.descriptors.count, let id = match.descriptors[index] else { continue }
                register(descriptor, id)
                descriptors.append(descriptor)
            }
            characteristic.characteristic { if $0.descriptors != nil { $0.descriptors = descriptors } }
        }
        service.service { if $0.characteristics != nil { $0.characteristics = kept } }
    }

    func register(_ attribute: CBAttribute, _ id: AttributeID) {
        attribute.id = id
        peripheral { $0.found[id.key] = attribute }
    }

    /// For the process after this one; nil when there is nothing to restore.
    var saved: SavedCentral.Peripheral? {
        let (state, name, reconnects) = peripheral { ($0.state, $0.name, $0.reconnects) }
        guard state == .connected || state == .connecting else { return nil }
        return SavedCentral.Peripheral(
            identifier: identifier, name: name, isConnected: state == .connected, reconnects: reconnects,
            tree: services == nil ? nil : keptTree)
    }

    /// Becomes what it was in the process before.
    func restore(_ saved: SavedCentral.Peripheral) {
        let services = saved.tree?.services.compactMap { kept -> CBService? in
            guard let uuid = CBUUID.all([kept.uuid]).first else { return nil }
            let service = CBService(uuid: uuid, isPrimary: kept.isPrimary, peripheral: self)
            let characteristics = kept.characteristics?.compactMap { CBCharacteristic(restoring: $0, of: service) }
            service.service { $0.characteristics = characteristics }
            return service
        }
        peripheral { storage in
            storage.name = saved.name
            storage.state = .connecting
            storage.reconnects = saved.reconnects
            storage.services = services
        }
    }
}

extension CBCharacteristic {
    fileprivate convenience init?(restoring kept: KeptTree.Characteristic, of service: CBService) {
        guard let uuid = CBUUID.all([kept.uuid]).first else { return nil }
        self.init(uuid: uuid, properties: CBCharacteristicProperties(rawValue: kept.properties), service: service)
        let descriptors = kept.descriptors.map { texts in
            CBUUID.all(texts).map { CBDescriptor(uuid: $0, characteristic: self) }
        }
        characteristic { storage in
            storage.isNotifying = kept.isNotifying
            storage.descriptors = descriptors
        }
    }
}

extension CBService {
    /// The service, its characteristics and their descriptors.
    var all: [CBAttribute] {
        var all: [CBAttribute] = [self]
        for characteristic in characteristics ?? [] { all += [characteristic] + (characteristic.descriptors ?? []) }
        return all
    }

    /// Nothing of it can be used any more.
    func invalidate() {
        for attribute in all {
            attribute.id = nil
            (attribute as? CBCharacteristic)?.characteristic { $0.isNotifying = false }
        }
    }

    /// True if any of its handles is in the range.
    func lies(in range: ClosedRange<UInt16>?) -> Bool {
        guard let range, let start = id?.handle else { return true }
        return start <= range.upperBound && (service { $0.endHandle } ?? start) >= range.lowerBound
    }
}
