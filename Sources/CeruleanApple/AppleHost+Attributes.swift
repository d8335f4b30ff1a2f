// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreBluetooth)
public import CeruleanHost
public import CeruleanWire
import CoreBluetooth
import Foundation

extension AppleHost {
    /// What Apple answers.
    enum Kind: Hashable {
        case services, included, characteristics, descriptors, read, write, subscription, strength
    }

    /// Answers of one kind about one object come in the order of the calls.
    struct Slot: Hashable {
        var kind: Kind
        var object: ObjectIdentifier
    }

    // MARK: Waiting for answers

    func open(_ link: LinkID) -> (AppleLink, CBPeripheral)? {
        guard let link = linkTable[link], !link.isLeaving, let peripheral = link.peripheral else { return nil }
        return (link, peripheral)
    }

    func expect<Value>(
        _ kind: Kind, _ link: AppleLink, _ object: AnyObject, _ operation: Operation<Value>,
        _ value: @escaping @Sendable (isolated AppleHost, [UInt8]) -> Result<Value, HostError>
    ) {
        let slot = Slot(kind: kind, object: ObjectIdentifier(object))
        link.expected[slot, default: []].append { host, result in
            switch result {
            case .success(let octets): host.finish(operation, value(host, octets))
            case .failure(let error): host.finish(operation, .failure(error))
            }
        }
    }

    func answer(_ kind: Kind, _ peripheral: CBPeripheral, _ object: AnyObject, _ result: Result<[UInt8], HostError>) {
        guard let link = link(of: peripheral) else { return }
        let slot = Slot(kind: kind, object: ObjectIdentifier(object))
        guard var waiting = link.expected[slot], !waiting.isEmpty else { return }
        let first = waiting.removeFirst()
        link.expected[slot] = waiting.isEmpty ? nil : waiting
        first(self, result)
    }

    func ended(_ kind: Kind, _ peripheral: CBPeripheral, _ object: CBAttribute, _ result: Result<Void, HostError>) {
        answer(kind, peripheral, object, result.map { [] })
    }

    func servicesFound(_ peripheral: CBPeripheral, _ result: Result<Void, HostError>) {
        answer(.services, peripheral, peripheral, result.map { [] })
    }

    func readEnded(_ peripheral: CBPeripheral, _ object: CBAttribute, _ result: Result<[UInt8], HostError>) {
        answer(.read, peripheral, object, result)
    }

    /// An answer to a read, a notification, or an indication: Apple's framework does not say which.
    func updated(_ peripheral: CBPeripheral, _ characteristic: CBCharacteristic, _ result: Result<[UInt8], HostError>) {
        answer(.read, peripheral, characteristic, result)
        guard case .success(let value) = result, characteristic.isNotifying, let link = link(of: peripheral),
            let id = link.identifiers[ObjectIdentifier(characteristic)]
        else { return }
        let mode: SubscriptionMode = characteristic.properties.contains(.notify) ? .notifications : .indications
        emit(.value(link: link.id, attribute: id, value: value, mode: mode))
    }

    func modified(_ peripheral: CBPeripheral) {
        guard let link = link(of: peripheral) else { return }
        // Which handles they had is not known: everything has to be found again.
        link.attributes = [:]
        link.identifiers = [:]
        emit(.servicesChanged(link.id, range: nil))
    }

    // MARK: Discovery

    private func id(of attribute: CBAttribute, on link: AppleLink) -> AttributeID {
        if let known = link.identifiers[ObjectIdentifier(attribute)] { return known }
        let made = AttributeID(rawValue: number(), handle: nil)
        link.attributes[made.rawValue] = attribute
        link.identifiers[ObjectIdentifier(attribute)] = made
        return made
    }

    private func info(_ service: CBService, _ link: AppleLink) -> ServiceInfo {
        ServiceInfo(
            id: id(of: service, on: link), uuid: BluetoothUUID(service.uuid), isPrimary: service.isPrimary,
            endHandle: nil)
    }

    /// The object behind an identifier, with its link.
    private func found<Object: CBAttribute, Value>(
        _ attribute: AttributeID, _ link: LinkID, as type: Object.Type, _ text: String,
        _ completion: HostCompletion<Value>
    ) -> (AppleLink, CBPeripheral, Object)? {
        guard let (link, peripheral) = open(link) else {
            completion(.failure(HostError(.disconnected, text)))
            return nil
        }
        guard let object = link.attributes[attribute.rawValue] as? Object else {
            completion(.failure(HostError(.staleAttribute, text)))
            return nil
        }
        return (link, peripheral, object)
    }

    private var none: OperationID { OperationID(rawValue: number()) }

    /// See `Host`.
    public func discoverServices(
        _ types: [BluetoothUUID]?, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[ServiceInfo]>
    ) -> OperationID {
        let text = "discovery of services"
        guard let (link, peripheral) = open(link) else { return refuse(HostError(.disconnected), text, completion) }
        let types = types ?? []
        let operation = begin(text, link.id, timeout, completion)
        let carried = Carried(peripheral)
        expect(.services, link, peripheral, operation) { host, _ in
            let services = (carried.value.services ?? []).map { host.info($0, link) }
            return .success(services.filter { types.isEmpty || types.contains($0.uuid) })
        }
        peripheral.discoverServices(types.isEmpty ? nil : types.map(\.apple))
        return operation.id
    }

    /// See `Host`.
    public func discoverIncludedServices(
        of service: AttributeID, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[ServiceInfo]>
    ) -> OperationID {
        let text = "discovery of included services"
        guard let (link, peripheral, object) = found(service, link, as: CBService.self, text, completion) else {
            return none
        }
        let operation = begin(text, link.id, timeout, completion)
        let carried = Carried(object)
        expect(.included, link, object, operation) { host, _ in
            .success((carried.value.includedServices ?? []).map { host.info($0, link) })
        }
        peripheral.discoverIncludedServices(nil, for: object)
        return operation.id
    }

    /// See `Host`.
    public func discoverCharacteristics(
        of service: AttributeID, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[CharacteristicInfo]>
    ) -> OperationID {
        let text = "discovery of characteristics"
        guard let (link, peripheral, object) = found(service, link, as: CBService.self, text, completion) else {
            return none
        }
        let operation = begin(text, link.id, timeout, completion)
        let carried = Carried(object)
        expect(.characteristics, link, object, operation) { host, _ in
            .success(
                (carried.value.characteristics ?? []).map { found in
                    CharacteristicInfo(
                        id: host.id(of: found, on: link), uuid: BluetoothUUID(found.uuid),
                        properties: CharacteristicProperties(rawValue: UInt16(found.properties.rawValue & 0xFF)),
                        endHandle: nil)
                })
        }
        peripheral.discoverCharacteristics(nil, for: object)
        return operation.id
    }

    /// See `Host`.
    public func discoverDescriptors(
        of characteristic: AttributeID, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[DescriptorInfo]>
    ) -> OperationID {
        let text = "discovery of descriptors"
        guard let (link, peripheral, object) = found(characteristic, link, as: CBCharacteristic.self, text, completion)
        else { return none }
        let operation = begin(text, link.id, timeout, completion)
        let carried = Carried(object)
        expect(.descriptors, link, object, operation) { host, _ in
            .success(
                (carried.value.descriptors ?? []).map {
                    DescriptorInfo(id: host.id(of: $0, on: link), uuid: BluetoothUUID($0.uuid))
                })
        }
        peripheral.discoverDescriptors(for: object)
        return operation.id
    }

    // MARK: Values

    /// See `Host`.
    public func read(
        _ attribute: AttributeID, on link: LinkID, timeout: Duration, completion: @escaping HostCompletion<[UInt8]>
    ) -> OperationID {
        guard let (link, peripheral, object) = found(attribute, link, as: CBAttribute.self, "read", completion) else {
            return none
        }
        let operation = begin("read of \(object.uuid)", link.id, timeout, completion)
        expect(.read, link, object, operation) { _, octets in .success(octets) }
        if let characteristic = object as? CBCharacteristic {
            peripheral.readValue(for: characteristic)
        } else if let descriptor = object as? CBDescriptor {
            peripheral.readValue(for: descriptor)
        } else {
            link.expected[Slot(kind: .read, object: ObjectIdentifier(object))]?.removeLast()
            end(operation, HostError(.invalidArgument, detail: "a service has no value"))
        }
        return operation.id
    }

    /// The octets of a descriptor's value, which Apple's framework may have made a number or a text.
    nonisolated static func octets(of value: Any?) -> [UInt8] {
        switch value {
        case let data as Data: Array(data)
        case let text as String: Array(text.utf8)
        case let number as NSNumber:
            [UInt8(truncatingIfNeeded: number.intValue), UInt8(truncatingIfNeeded: number.intValue >> 8)]
        default: []
        }
    }

    /// See `Host`.
    public func write(
        _ value: [UInt8], to attribute: AttributeID, mode: WriteMode, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<Void>
    ) -> OperationID {
        guard let (link, peripheral, object) = found(attribute, link, as: CBAttribute.self, "write", completion) else {
            return none
        }
        let text = "write of \(object.uuid)"
        guard mode != .signed else {
            return refuse(HostError(.unsupported, detail: "Apple's framework does not sign"), text, completion)
        }
        let limit = mode == .withResponse ? 512 : peripheral.maximumWriteValueLength(for: .withoutResponse)
        guard value.count <= limit else {
            return refuse(HostError(.invalidArgument, detail: "at most \(limit) octets"), text, completion)
        }
        if let characteristic = object as? CBCharacteristic {
            let operation = begin(text, link.id, timeout, completion)
            if mode == .withResponse {
                expect(.write, link, object, operation) { _, _ in .success(()) }
                peripheral.writeValue(Data(value), for: characteristic, type: .withResponse)
            } else {
                link.writes.append((operation, Data(value), characteristic))
                if link.writes.count > Self.maximumWrites {
                    link.writes.removeLast()
                    end(operation, HostError(.queueFull))
                } else {
                    let carried = Carried(peripheral)
                    later { [weak self] in self?.assumeIsolated { $0.readyToWrite(carried.value) } }
                }
            }
            return operation.id
        }
        guard let descriptor = object as? CBDescriptor, mode == .withResponse, BluetoothUUID(descriptor.uuid) != 0x2902
        else {
            return refuse(
                HostError(.unsupported, detail: "Apple's framework subscribes by itself"), text, completion)
        }
        let operation = begin(text, link.id, timeout, completion)
        expect(.write, link, object, operation) { _, _ in .success(()) }
        peripheral.writeValue(Data(value), for: descriptor)
        return operation.id
    }

    private static var maximumWrites: Int { 64 }

    func readyToWrite(_ peripheral: CBPeripheral) {
        guard let link = link(of: peripheral) else { return }
        while peripheral.canSendWriteWithoutResponse, !link.writes.isEmpty {
            let next = link.writes.removeFirst()
            guard operations[next.operation.id] != nil else { continue }
            peripheral.writeValue(next.value, for: next.characteristic, type: .withoutResponse)
            finish(next.operation, .success(()))
        }
        if link.writes.isEmpty, peripheral.canSendWriteWithoutResponse { emit(.readyToWrite(link.id)) }
    }

    /// See `Host`.
    public func canWriteWithoutResponse(_ link: LinkID) -> Bool {
        guard let (link, peripheral) = open(link) else { return false }
        return link.writes.isEmpty && peripheral.canSendWriteWithoutResponse
    }

    /// Ends with `unsupported`.
    public func writeReliably(
        _ values: [(attribute: AttributeID, value: [UInt8])], on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<Void>
    ) -> OperationID {
        refuse(
            HostError(.unsupported, detail: "Apple's framework has no reliable writes"), "reliable writes", completion)
    }

    /// See `Host`. Apple's framework takes notifications where there are any.
    public func subscribe(
        to characteristic: AttributeID, mode: SubscriptionMode, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<Void>
    ) -> OperationID {
        guard
            let (link, peripheral, object) = found(
                characteristic, link, as: CBCharacteristic.self, "subscription", completion)
        else { return none }
        let text = "subscription to \(object.uuid)"
        let notifies = object.properties.contains(.notify)
        guard mode == .off || notifies == (mode == .notifications) else {
            return refuse(
                HostError(.unsupported, detail: "Apple's framework chooses notifications or indications"), text,
                completion)
        }
        let operation = begin(text, link.id, timeout, completion)
        expect(.subscription, link, object, operation) { _, _ in .success(()) }
        peripheral.setNotifyValue(mode != .off, for: object)
        return operation.id
    }
}
#endif
