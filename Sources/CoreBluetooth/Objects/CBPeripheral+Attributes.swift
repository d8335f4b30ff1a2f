// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire
import Foundation

extension CBPeripheral {
    // MARK: Checks

    /// The link, when there is one; else says in the log that `call` does nothing.
    private func link(for call: String) -> LinkID? {
        let (state, link) = peripheral { ($0.state, $0.link) }
        if state == .connected, let link { return link }
        CBLinuxLog.write("API MISUSE: \(call): \(self) can only accept commands while in the connected state")
        return nil
    }

    /// The host's name of an attribute of this peripheral; nil, and a line in the log, for others and for gone ones.
    private func id(of attribute: CBAttribute, for call: String) -> AttributeID? {
        if let id = attribute.id, peripheral({ $0.found[id.key] }) === attribute { return id }
        CBLinuxLog.write("API MISUSE: \(call): \(attribute) is not a valid attribute of \(self)")
        return nil
    }

    /// Hands the end of an operation to the queue. What ends with its link is dropped: nothing comes behind
    /// `didDisconnect`.
    private func ending<Value: Sendable>(
        _ link: LinkID, _ body: @escaping (CBPeripheral, Result<Value, HostError>) -> Void
    ) -> Radio.Ending<Value> {
        let (core, peer) = (core, peer)
        let body = Handed(body)
        return { result in
            core.deliver(toCentral: { central in
                guard let peripheral = central.existing(peer), peripheral.peripheral({ $0.link }) == link,
                    peripheral.state == .connected
                else { return }
                if case .failure(let error) = result, error.code == .disconnected || error.isOfAdapter { return }
                body.value(peripheral, result)
            })
        }
    }

    // MARK: Discovery

    func findServices(_ types: [CBUUID]?) {
        guard let link = link(for: "discoverServices(_:)") else { return }
        let types = Set((types ?? []).map(\.value))
        let done: Radio.Ending<[ServiceInfo]> = ending(link) { peripheral, result in
            let error = peripheral.added(result) { infos in
                let found = infos.map { peripheral.service(for: $0) }
                peripheral.peripheral { storage in
                    let known = storage.services ?? []
                    storage.services = known + found.filter { new in !known.contains { $0 === new } }
                }
            }
            if error == nil { (peripheral.core.manager as? CBCentralManager)?.saveState() }
            peripheral.delegate?.peripheral(peripheral, didDiscoverServices: error)
        }
        let (client, peer) = (core.number, peer)
        core.onRadio { $0.discoverServices(client, peer, types, done) }
    }

    func findIncluded(_ types: [CBUUID]?, _ service: CBService) {
        let call = "discoverIncludedServices(_:for:)"
        guard let link = link(for: call), let id = id(of: service, for: call) else { return }
        let types = Set((types ?? []).map(\.value))
        let done: Radio.Ending<[ServiceInfo]> = ending(link) { peripheral, result in
            let error = peripheral.added(result) { infos in
                let found = infos.filter { types.isEmpty || types.contains($0.uuid) }.map {
                    peripheral.service(for: $0)
                }
                service.service { storage in
                    let known = storage.includedServices ?? []
                    storage.includedServices = known + found.filter { new in !known.contains { $0 === new } }
                }
            }
            peripheral.delegate?.peripheral(peripheral, didDiscoverIncludedServicesFor: service, error: error)
        }
        let (client, peer) = (core.number, peer)
        core.onRadio { $0.discoverIncludedServices(client, peer, of: id, done) }
    }

    func findCharacteristics(_ types: [CBUUID]?, _ service: CBService) {
        let call = "discoverCharacteristics(_:for:)"
        guard let link = link(for: call), let id = id(of: service, for: call) else { return }
        let types = Set((types ?? []).map(\.value))
        let done: Radio.Ending<[CharacteristicInfo]> = ending(link) { peripheral, result in
            let error = peripheral.added(result) { infos in
                let found = infos.filter { types.isEmpty || types.contains($0.uuid) }
                    .map { peripheral.characteristic(for: $0, of: service) }
                service.service { storage in
                    let known = storage.characteristics ?? []
                    storage.characteristics = known + found.filter { new in !known.contains { $0 === new } }
                }
            }
            if error == nil { (peripheral.core.manager as? CBCentralManager)?.saveState() }
            peripheral.delegate?.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: error)
        }
        let (client, peer) = (core.number, peer)
        core.onRadio { $0.discoverCharacteristics(client, peer, of: id, done) }
    }

    func findDescriptors(_ characteristic: CBCharacteristic) {
        let call = "discoverDescriptors(for:)"
        guard let link = link(for: call), let id = id(of: characteristic, for: call) else { return }
        let done: Radio.Ending<[DescriptorInfo]> = ending(link) { peripheral, result in
            let error = peripheral.added(result) { infos in
                let found = infos.map { peripheral.descriptor(for: $0, of: characteristic) }
                characteristic.characteristic { storage in
                    let known = storage.descriptors ?? []
                    storage.descriptors = known + found.filter { new in !known.contains { $0 === new } }
                }
            }
            peripheral.delegate?.peripheral(peripheral, didDiscoverDescriptorsFor: characteristic, error: error)
        }
        let (client, peer) = (core.number, peer)
        core.onRadio { $0.discoverDescriptors(client, peer, of: id, done) }
    }

    private func added<Info>(_ result: Result<[Info], HostError>, _ body: ([Info]) -> Void) -> (any Error)? {
        switch result {
        case .success(let infos):
            body(infos)
            return nil
        case .failure(let error): return CBError.of(error)
        }
    }

    private func service(for info: ServiceInfo) -> CBService {
        if let known = peripheral({ $0.found[info.id.key] }) as? CBService, known.uuid.value == info.uuid {
            return known
        }
        let made = CBService(uuid: CBUUID(info.uuid), isPrimary: info.isPrimary, peripheral: self)
        made.service { $0.endHandle = info.endHandle }
        register(made, info.id)
        return made
    }

    private func characteristic(for info: CharacteristicInfo, of service: CBService) -> CBCharacteristic {
        if let known = peripheral({ $0.found[info.id.key] }) as? CBCharacteristic, known.uuid.value == info.uuid {
            return known
        }
        let properties = CBCharacteristicProperties(rawValue: UInt(info.properties.rawValue & 0xFF))
        let made = CBCharacteristic(uuid: CBUUID(info.uuid), properties: properties, service: service)
        register(made, info.id)
        return made
    }

    private func descriptor(for info: DescriptorInfo, of characteristic: CBCharacteristic) -> CBDescriptor {
        if let known = peripheral({ $0.found[info.id.key] }) as? CBDescriptor, known.uuid.value == info.uuid {
            return known
        }
        let made = CBDescriptor(uuid: CBUUID(info.uuid), characteristic: characteristic)
        register(made, info.id)
        return made
    }

    // MARK: Values

    func received(_ value: [UInt8], _ key: UInt64) {
        guard state == .connected, let characteristic = peripheral({ $0.found[key] }) as? CBCharacteristic else {
            return
        }
        characteristic.characteristic { $0.value = Data(value) }
        delegate?.peripheral(self, didUpdateValueFor: characteristic, error: nil)
    }

    func read(_ characteristic: CBCharacteristic) {
        let call = "readValue(for:)"
        guard let link = link(for: call), let id = id(of: characteristic, for: call) else { return }
        let done: Radio.Ending<[UInt8]> = ending(link) { peripheral, result in
            var failure: (any Error)?
            switch result {
            case .success(let value): characteristic.characteristic { $0.value = Data(value) }
            case .failure(let error): failure = CBError.of(error)
            }
            peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: failure)
        }
        let (client, peer) = (core.number, peer)
        core.onRadio { $0.read(client, peer, id, done) }
    }

    func read(_ descriptor: CBDescriptor) {
        let call = "readValue(for:)"
        guard let link = link(for: call), let id = id(of: descriptor, for: call) else { return }
        let done: Radio.Ending<[UInt8]> = ending(link) { peripheral, result in
            var failure: (any Error)?
            switch result {
            case .success(let octets):
                descriptor.descriptor { $0.value = CBDescriptor.value(of: descriptor.uuid, octets: octets) }
            case .failure(let error): failure = CBError.of(error)
            }
            peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: descriptor, error: failure)
        }
        let (client, peer) = (core.number, peer)
        core.onRadio { $0.read(client, peer, id, done) }
    }

    func write(_ value: [UInt8], _ characteristic: CBCharacteristic, _ type: CBCharacteristicWriteType) {
        let call = "writeValue(_:for:type:)"
        guard let link = link(for: call), let id = id(of: characteristic, for: call) else { return }
        switch type {
        case .withoutResponse: send(value, id, link)
        case .withResponse:
            let done: Radio.Ending<Void> = ending(link) { peripheral, result in
                peripheral.delegate?.peripheral(peripheral, didWriteValueFor: characteristic, error: result.cbError)
            }
            let (client, peer) = (core.number, peer)
            core.onRadio { radio in
                guard value.count <= 512 else {
                    return done(
                        .failure(HostError(.refused, attribute: 0x0D, detail: "a value has at most 512 octets")))
                }
                radio.write(client, peer, id, value, .withResponse, done)
            }
        }
    }

    /// A write without response: nobody hears what becomes of it.
    private func send(_ value: [UInt8], _ id: AttributeID, _ link: LinkID) {
        let length = peripheral { storage -> Int? in
            guard storage.waitingWrites < Self.maximumWrites else { return nil }
            storage.waitingWrites += 1
            if storage.waitingWrites >= Self.writeWindow.full { storage.isCongested = true }
            return storage.maximumLength
        }
        guard let length else {
            return CBLinuxLog.write(
                "a write without response was dropped: \(Self.maximumWrites) wait; see canSendWriteWithoutResponse")
        }
        let value = Array(value.prefix(length))
        let done: Radio.Ending<Void> = ending(link) { peripheral, _ in peripheral.sent() }
        let (client, peer) = (core.number, peer)
        core.onRadio { $0.write(client, peer, id, value, .withoutResponse, done) }
    }

    private func sent() {
        let isReady = peripheral { storage in
            storage.waitingWrites = max(0, storage.waitingWrites - 1)
            guard storage.isCongested, storage.waitingWrites <= Self.writeWindow.ready else { return false }
            storage.isCongested = false
            return true
        }
        if isReady { delegate?.peripheralIsReady(toSendWriteWithoutResponse: self) }
    }

    func write(_ value: [UInt8], _ descriptor: CBDescriptor) {
        let call = "writeValue(_:for:)"
        guard let link = link(for: call), let id = id(of: descriptor, for: call) else { return }
        let done: Radio.Ending<Void> = ending(link) { peripheral, result in
            peripheral.delegate?.peripheral(peripheral, didWriteValueFor: descriptor, error: result.cbError)
        }
        let isConfiguration = descriptor.uuid.value == 0x2902
        if isConfiguration {
            CBLinuxLog.write("API MISUSE: \(call): the configuration 2902 is written by setNotifyValue(_:for:)")
        }
        let (client, peer) = (core.number, peer)
        core.onRadio { radio in
            guard !isConfiguration, value.count <= 512 else {
                return done(.failure(HostError(.invalidArgument, detail: "use setNotifyValue(_:for:)")))
            }
            radio.write(client, peer, id, value, .withResponse, done)
        }
    }

    func subscribe(_ isWanted: Bool, _ characteristic: CBCharacteristic) {
        let call = "setNotifyValue(_:for:)"
        guard let link = link(for: call), let id = id(of: characteristic, for: call) else { return }
        let done: Radio.Ending<Void> = ending(link) { peripheral, result in
            if case .success = result {
                characteristic.characteristic { $0.isNotifying = isWanted }
                (peripheral.core.manager as? CBCentralManager)?.saveState()
            }
            peripheral.delegate?.peripheral(
                peripheral, didUpdateNotificationStateFor: characteristic, error: result.cbError)
        }
        let offered = SubscriptionMode(characteristic.properties)
        let (client, peer) = (core.number, peer)
        core.onRadio { radio in
            guard let offered else {
                return done(.failure(HostError(.refused, attribute: 0x06, detail: "it neither notifies nor indicates")))
            }
            radio.subscribe(client, peer, id, isWanted ? offered : .off, done)
        }
    }

    func measure() {
        guard let link = link(for: "readRSSI()") else { return }
        let done: Radio.Ending<Int> = ending(link) { peripheral, result in
            switch result {
            case .success(let rssi):
                let number = NSNumber(value: rssi)
                peripheral.peripheral { $0.rssi = number }
                peripheral.delegate?.peripheral(peripheral, didReadRSSI: number, error: nil)
            case .failure(let error):
                peripheral.delegate?.peripheral(peripheral, didReadRSSI: 127, error: CBError.of(error))
            }
        }
        let (client, peer) = (core.number, peer)
        core.onRadio { $0.readRSSI(client, peer, done) }
    }

    func openChannel(_ psm: CBL2CAPPSM) {
        guard let link = link(for: "openL2CAPChannel(_:)") else { return }
        let done: Radio.Ending<ChannelHold> = ending(link) { peripheral, result in
            switch result {
            case .success(let hold):
                let channel = CBL2CAPChannel(hold, peer: peripheral)
                peripheral.delegate?.peripheral(peripheral, didOpen: channel, error: nil)
            case .failure(let error):
                peripheral.delegate?.peripheral(peripheral, didOpen: nil, error: CBError.of(error))
            }
        }
        let (client, peer) = (core.number, peer)
        core.onRadio { $0.openChannel(client, peer, psm, done) }
    }
}

extension Result where Failure == HostError {
    /// What the delegate is told; nil for success.
    var cbError: (any Error)? {
        if case .failure(let error) = self { CBError.of(error) } else { nil }
    }
}
