// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire
import Foundation

extension CBPeripheralManager {
    /// Services that the system keeps for itself.
    private static let reserved: Set<BluetoothUUID> = [0x1800, 0x1801, 0x1812]

    // MARK: Publishing

    func publish(_ service: CBMutableService, isRestored: Bool = false) {
        do throws(PublishingProblem) {
            let plan = try plan(service)
            let client = core.number
            let number = plan.number
            let done: Radio.Ending<Void> = { [core] result in
                core.deliver(toServer: { $0.published(number, result, isRestored: isRestored) })
            }
            core.onRadio { $0.publish(client, plan, done) }
        } catch {
            if let text = error.text { misuse("add(_:): \(text)") }
            let failure = Handed((service, CBError(error.code) as any Error))
            core.deliver(toServer: { manager in
                manager.delegate?.peripheralManager(manager, didAdd: failure.value.0, error: failure.value.1)
            })
        }
    }

    /// Why a service cannot be published.
    private struct PublishingProblem: Error {
        var code: CBError.Code
        var text: String?
    }

    /// The service as it is now: later changes of its objects have no effect.
    private func plan(_ service: CBMutableService) throws(PublishingProblem) -> PlannedService {
        if Self.reserved.contains(service.uuid.value) { throw PublishingProblem(code: .uuidNotAllowed) }
        var characteristics: [CBMutableCharacteristic] = []
        var definitions: [CharacteristicDefinition] = []
        for characteristic in service.characteristics ?? [] {
            guard let mutable = characteristic as? CBMutableCharacteristic else {
                throw PublishingProblem(
                    code: .invalidParameters, text: "\(characteristic) is not a CBMutableCharacteristic")
            }
            guard mutable.characteristic({ $0.publication?.manager.object }) == nil else {
                throw PublishingProblem(code: .invalidParameters, text: "\(mutable) is published already")
            }
            characteristics.append(mutable)
            definitions.append(try definition(of: mutable))
        }
        var includes: [Int] = []
        for included in service.includedServices ?? [] {
            guard let known = server({ $0.services.first { $0.service === included } }) else {
                throw PublishingProblem(code: .invalidParameters, text: "the included \(included) was not added")
            }
            includes.append(known.number)
        }
        let definition = ServiceDefinition(
            uuid: service.uuid.value, isPrimary: service.isPrimary, characteristics: definitions)
        let planned = server { storage -> PlannedService? in
            guard !storage.services.contains(where: { $0.service === service }) else { return nil }
            func number() -> Int {
                storage.lastNumber += 1
                return storage.lastNumber
            }
            let numbers = characteristics.map { _ in number() }
            let plan = PlannedService(
                number: number(), definition: definition, includes: includes, characteristics: numbers)
            for (number, characteristic) in zip(numbers, characteristics) {
                storage.characteristics[number] = characteristic
            }
            storage.services.append(PublishedObject(number: plan.number, service: service, characteristics: numbers))
            return plan
        }
        guard let planned else {
            throw PublishingProblem(code: .invalidParameters, text: "\(service) was added already")
        }
        for (number, characteristic) in zip(planned.characteristics, characteristics) {
            characteristic.characteristic { $0.publication = (Weak(self), number) }
        }
        return planned
    }

    private func definition(of characteristic: CBMutableCharacteristic) throws(PublishingProblem)
        -> CharacteristicDefinition
    {
        let (properties, permissions, value) = characteristic.characteristic {
            ($0.properties, $0.permissions, $0.value)
        }
        let changing: CBCharacteristicProperties = [
            .write, .writeWithoutResponse, .notify, .indicate, .notifyEncryptionRequired, .indicateEncryptionRequired,
        ]
        if value != nil, !properties.isDisjoint(with: changing) || permissions.contains(.writeable) {
            throw PublishingProblem(
                code: .invalidParameters,
                text: "characteristics with cached values must be read-only: \(characteristic)")
        }
        if let value, value.count > 512 {
            throw PublishingProblem(code: .invalidParameters, text: "a value has at most 512 octets")
        }
        var descriptors: [DescriptorDefinition] = []
        for descriptor in characteristic.descriptors ?? [] {
            guard descriptor.uuid.value != 0x2900, descriptor.uuid.value != 0x2902,
                let octets = CBDescriptor.octets(of: descriptor.value), octets.count <= 512
            else {
                throw PublishingProblem(
                    code: .invalidParameters,
                    text: "\(descriptor) cannot be published: 2900 and 2902 are made by the system, others need a value"
                )
            }
            descriptors.append(
                DescriptorDefinition(uuid: descriptor.uuid.value, permissions: .readable, value: .stored(octets)))
        }
        let onAir = properties.onAir
        if !properties.isDisjoint(with: [.notifyEncryptionRequired, .indicateEncryptionRequired]) {
            descriptors.append(
                DescriptorDefinition(
                    uuid: 0x2902, permissions: AttributePermissions(read: .open, write: .encrypted),
                    value: .stored([0, 0])))
        }
        return CharacteristicDefinition(
            uuid: characteristic.uuid.value, properties: onAir, permissions: permissions.onHost,
            value: value.map { .stored(Array($0)) } ?? .dynamic, descriptors: descriptors)
    }

    func published(_ number: Int, _ result: Result<Void, HostError>, isRestored: Bool) {
        guard let service = server({ $0.services.first { $0.number == number }?.service }) else { return }
        if case .failure = result {
            forget(number)
        } else {
            server { storage in
                guard let index = storage.services.firstIndex(where: { $0.number == number }) else { return }
                storage.services[index].isPublished = true
            }
        }
        saveState()
        // The application did not add what was restored.
        guard !isRestored else { return }
        delegate?.peripheralManager(self, didAdd: service, error: result.cbError)
    }

    // MARK: Withdrawing

    func withdraw(_ service: CBMutableService) {
        guard let number = server({ $0.services.first { $0.service === service }?.number }) else {
            return misuse("remove(_:): \(service) is not published")
        }
        forget(number)
        let client = core.number
        core.onRadio { $0.unpublish(client, number) }
        saveState()
    }

    func withdrawAll() {
        for number in server({ $0.services.map(\.number) }) { forget(number) }
        let client = core.number
        core.onRadio { $0.removeAllServices(client) }
        saveState()
    }

    private func forget(_ number: Int) {
        let characteristics = server { storage -> [CBMutableCharacteristic] in
            guard let index = storage.services.firstIndex(where: { $0.number == number }) else { return [] }
            return storage.services.remove(at: index).characteristics.compactMap {
                storage.characteristics.removeValue(forKey: $0)
            }
        }
        for characteristic in characteristics {
            characteristic.characteristic { storage in
                storage.publication = nil
                storage.subscribers = []
            }
        }
    }

    // MARK: Advertising

    func advertise(_ data: [String: Any], isRestored: Bool = false) {
        let name = data[CBAdvertisementDataLocalNameKey]
        let services = data[CBAdvertisementDataServiceUUIDsKey]
        let beacon = data[CBLinuxAdvertisementDataBeaconKey] as? Data
        guard name == nil || name is String, services == nil || services is [CBUUID], beacon?.count ?? 21 == 21 else {
            return refuseAdvertising(.invalidParameters)
        }
        let uuids = services as? [CBUUID] ?? []
        let saved = SavedServer.Advertisement(
            name: name as? String, services: services == nil ? nil : uuids.map(\.uuidString), beacon: beacon)
        let number = server { storage -> UInt64? in
            guard storage.advertisement == nil else { return nil }
            storage.advertisingNumber += 1
            storage.advertisement = saved
            if isRestored { storage.isAdvertising = true }
            return storage.advertisingNumber
        }
        guard let number else { return refuseAdvertising(.alreadyAdvertising) }
        // A beacon's frame leaves no room for anything else.
        let layout =
            beacon.map { AdvertisementLayout(beacon: Array($0)) }
            ?? AdvertisementLayout(name: name as? String, services: uuids)
        if layout.dropped > 0 {
            CBLinuxLog.write("startAdvertising(_:): \(layout.dropped) services do not fit and are left out")
        }
        let client = core.number
        let isConfirmed = isRestored
        core.onRadio { radio in
            // Engines that take no octets lay the fields out themselves.
            let content: AdvertisingParameters.Content =
                radio.capabilities.contains(.rawAdvertising) || beacon != nil
                ? .raw(data: layout.data, scanResponse: layout.scanResponse)
                : .fields(name: saved.name, services: layout.services)
            radio.startAdvertising(client, Advertising(number: number, content: content, isConfirmed: isConfirmed))
        }
    }

    private func refuseAdvertising(_ code: CBError.Code) {
        core.deliver(toServer: { manager in
            manager.delegate?.peripheralManagerDidStartAdvertising(manager, error: CBError(code))
        })
    }

    func advertisingStarted(_ number: UInt64, _ error: HostError?) {
        let isCurrent = server { storage in
            guard storage.advertisingNumber == number, storage.advertisement != nil else { return false }
            storage.isAdvertising = error == nil
            if error != nil { storage.advertisement = nil }
            return true
        }
        guard isCurrent else { return }
        saveState()
        delegate?.peripheralManagerDidStartAdvertising(self, error: error.map { CBError.of($0) })
    }

    func endAdvertising() {
        server { storage in
            storage.isAdvertising = false
            storage.advertisement = nil
            storage.advertisingNumber += 1
        }
        let client = core.number
        core.onRadio { $0.stopAdvertising(client) }
        saveState()
    }
}

extension CBCharacteristicProperties {
    /// The bits of the air.
    fileprivate var onAir: CharacteristicProperties {
        // Broadcast and extended properties are not for local characteristics.
        var bits = CharacteristicProperties(rawValue: UInt16(rawValue & 0x7E))
        if contains(.notifyEncryptionRequired) { bits.insert(.notify) }
        if contains(.indicateEncryptionRequired) { bits.insert(.indicate) }
        return bits
    }
}

extension CBAttributePermissions {
    fileprivate var onHost: AttributePermissions {
        AttributePermissions(
            read: contains(.readEncryptionRequired) ? .encrypted : contains(.readable) ? .open : nil,
            write: contains(.writeEncryptionRequired) ? .encrypted : contains(.writeable) ? .open : nil)
    }
}
