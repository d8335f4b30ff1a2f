// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CBPeripheralManager {
    /// Keeps what the process after this one has to restore. From any thread.
    func saveState() {
        guard let restoration else { return }
        let (services, advertisement) = server { storage in
            (storage.services.filter(\.isPublished).map(\.service), storage.advertisement)
        }
        let saved = SavedServer(
            services: services.map { service in
                SavedServer.Service(
                    uuid: service.uuid.uuidString, isPrimary: service.isPrimary,
                    included: (service.includedServices ?? []).compactMap { included in
                        services.firstIndex { $0 === included }
                    },
                    characteristics: (service.characteristics ?? []).compactMap {
                        ($0 as? CBMutableCharacteristic).map(SavedServer.Characteristic.init)
                    })
            }, advertisement: advertisement)
        restoration.save(saved, isEmpty: saved.isEmpty)
    }
}

extension SavedServer.Characteristic {
    fileprivate init(_ characteristic: CBMutableCharacteristic) {
        self.init(
            uuid: characteristic.uuid.uuidString, properties: characteristic.properties.rawValue,
            permissions: characteristic.permissions.rawValue, value: characteristic.value,
            descriptors: (characteristic.descriptors ?? []).map { descriptor in
                let text = descriptor.value as? String
                return SavedServer.Descriptor(
                    uuid: descriptor.uuid.uuidString, text: text,
                    data: text == nil ? CBDescriptor.octets(of: descriptor.value).map { Data($0) } : nil)
            })
    }

    fileprivate var object: CBMutableCharacteristic? {
        guard let type = CBUUID.all([uuid]).first else { return nil }
        let made = CBMutableCharacteristic(
            type: type, properties: CBCharacteristicProperties(rawValue: properties), value: value,
            permissions: CBAttributePermissions(rawValue: permissions))
        let all = descriptors.compactMap { saved in
            CBUUID.all([saved.uuid]).first.map { CBMutableDescriptor(type: $0, value: saved.text ?? saved.data as Any) }
        }
        if !all.isEmpty { made.descriptors = all }
        return made
    }
}

extension SavedServer {
    /// As an application would have made them.
    var objects: RestoredServer {
        var made: [CBMutableService] = []
        for service in services {
            guard let type = CBUUID.all([service.uuid]).first else { continue }
            let object = CBMutableService(type: type, primary: service.isPrimary)
            object.characteristics = service.characteristics.compactMap(\.object)
            let included = service.included.filter { made.indices.contains($0) }.map { made[$0] }
            if !included.isEmpty { object.includedServices = included }
            made.append(object)
        }
        var data: [String: Any]?
        if let advertisement {
            var dictionary: [String: Any] = [:]
            if let name = advertisement.name { dictionary[CBAdvertisementDataLocalNameKey] = name }
            if let services = advertisement.services {
                dictionary[CBAdvertisementDataServiceUUIDsKey] = CBUUID.all(services)
            }
            if let beacon = advertisement.beacon { dictionary[CBLinuxAdvertisementDataBeaconKey] = beacon }
            data = dictionary
        }
        return RestoredServer(services: made, advertisement: data)
    }
}
