// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreBluetooth)
public import CeruleanHost
import CeruleanWire
import CoreBluetooth
import Foundation

/// Services on their way to Apple's manager, one after the other.
final class Publishing {
    let services: [LocalService]
    let completion: HostCompletion<[PublishedService]>
    var added = 0

    init(_ services: [LocalService], _ completion: @escaping HostCompletion<[PublishedService]>) {
        self.services = services
        self.completion = completion
    }
}

/// A service that we serve.
final class LocalService {
    let id: AttributeID
    let object: CBMutableService
    let sink: any HostEventSink
    let characteristics: [LocalCharacteristic]

    init(
        _ id: AttributeID, _ object: CBMutableService, _ sink: any HostEventSink,
        _ characteristics: [LocalCharacteristic]
    ) {
        self.id = id
        self.object = object
        self.sink = sink
        self.characteristics = characteristics
    }
}

/// A characteristic that we serve.
final class LocalCharacteristic {
    let id: AttributeID
    let descriptors: [AttributeID]
    let object: CBMutableCharacteristic
    let sink: any HostEventSink
    /// What the host keeps; nil when the application answers.
    var stored: [UInt8]?

    init(
        _ id: AttributeID, _ descriptors: [AttributeID], _ object: CBMutableCharacteristic, _ sink: any HostEventSink,
        stored: [UInt8]?
    ) {
        self.id = id
        self.descriptors = descriptors
        self.object = object
        self.sink = sink
        self.stored = stored
    }
}

extension AppleHost {
    // MARK: Services

    /// See `Host`. Handles cannot be chosen; of descriptors, only stored ones are taken; no more than encryption can
    /// be asked for.
    public func publish(
        _ services: [ServiceDefinition], for sink: any HostEventSink,
        completion: @escaping HostCompletion<[PublishedService]>
    ) {
        guard state == .poweredOn else { return completion(.failure(HostError(.poweredOff, "publish"))) }
        guard sinks.contains(where: { $0 === sink }) else {
            return completion(.failure(HostError(.invalidArgument, "publish", detail: "the sink was not added")))
        }
        let made: [LocalService]
        do throws(HostError) {
            made = try local(services, sink)
        } catch {
            return completion(.failure(error.during("publish")))
        }
        publishing.append(Publishing(made, completion))
        if publishing.count == 1 { addNext() }
    }

    private func local(_ definitions: [ServiceDefinition], _ sink: any HostEventSink) throws(HostError)
        -> [LocalService]
    {
        var made: [LocalService] = []
        for definition in definitions { made.append(try local(definition, sink)) }
        return made
    }

    private func local(_ definition: ServiceDefinition, _ sink: any HostEventSink) throws(HostError) -> LocalService {
        guard definition.handle == nil, definition.endHandle == nil else {
            throw HostError(.unsupported, detail: "Apple's framework chooses handles")
        }
        let object = CBMutableService(type: definition.uuid.apple, primary: definition.isPrimary)
        var included: [CBService] = []
        for id in definition.includes {
            guard let service = services[id.rawValue] else {
                throw HostError(.invalidArgument, detail: "an included service is not published")
            }
            included.append(service.object)
        }
        if !included.isEmpty { object.includedServices = included }
        var characteristics: [LocalCharacteristic] = []
        for characteristic in definition.characteristics { characteristics.append(try local(characteristic, sink)) }
        object.characteristics = characteristics.map(\.object)
        return LocalService(AttributeID(rawValue: number(), handle: nil), object, sink, characteristics)
    }

    private func local(
        _ definition: CharacteristicDefinition, _ sink: any HostEventSink
    ) throws(HostError) -> LocalCharacteristic {
        guard definition.declarationHandle == nil, definition.valueHandle == nil else {
            throw HostError(.unsupported, detail: "Apple's framework chooses handles")
        }
        var permissions: CBAttributePermissions = []
        if let read = definition.permissions.read {
            permissions.insert(try access(read, definition.value) ? .readEncryptionRequired : .readable)
        }
        if let write = definition.permissions.write {
            permissions.insert(try access(write, definition.value) ? .writeEncryptionRequired : .writeable)
        }
        let stored: [UInt8]? = if case .stored(let value) = definition.value { value } else { nil }
        guard (stored?.count ?? 0) <= 512 else {
            throw HostError(.invalidArgument, detail: "a value has at most 512 octets")
        }
        let properties = CBCharacteristicProperties(rawValue: UInt(definition.properties.rawValue & 0x7E))
        // Apple's framework keeps values that never change; others are kept here.
        let isFixed = stored != nil && definition.permissions.write == nil && properties == .read
        let object = CBMutableCharacteristic(
            type: definition.uuid.apple, properties: properties,
            value: isFixed ? stored.map { Data($0) } : nil, permissions: permissions)
        var descriptors: [CBMutableDescriptor] = []
        for descriptor in definition.descriptors {
            guard descriptor.handle == nil, descriptor.uuid != 0x2902, case .stored(let value) = descriptor.value,
                descriptor.permissions.write == nil
            else {
                throw HostError(.unsupported, detail: "Apple's framework has no such descriptor: \(descriptor.uuid)")
            }
            let content: Any = descriptor.uuid == 0x2901 ? String(decoding: value, as: UTF8.self) : Data(value)
            descriptors.append(CBMutableDescriptor(type: descriptor.uuid.apple, value: content))
        }
        if !descriptors.isEmpty { object.descriptors = descriptors }
        return LocalCharacteristic(
            AttributeID(rawValue: number(), handle: nil),
            descriptors.map { _ in AttributeID(rawValue: number(), handle: nil) }, object, sink, stored: stored)
    }

    /// Whether encryption is needed.
    private func access(_ access: AttributePermissions.Access, _ value: ValueSource) throws(HostError) -> Bool {
        guard access.security <= .encrypted, access.minimumKeySize <= 7 || access.security == .encrypted else {
            throw HostError(.unsupported, detail: "Apple's framework asks for encryption alone")
        }
        if access.needsAuthorization, case .stored = value {
            throw HostError(.unsupported, detail: "a stored value cannot be authorized")
        }
        return access.security == .encrypted
    }

    private func addNext() {
        guard let job = publishing.first else { return }
        guard job.added < job.services.count else {
            publishing.removeFirst()
            for service in job.services {
                services[service.id.rawValue] = service
                for characteristic in service.characteristics {
                    characteristics[ObjectIdentifier(characteristic.object)] = characteristic
                }
            }
            let published = job.services.map { service in
                PublishedService(
                    id: service.id,
                    characteristics: service.characteristics.map {
                        PublishedService.Characteristic(id: $0.id, descriptors: $0.descriptors)
                    })
            }
            job.completion(.success(published))
            return addNext()
        }
        server?.add(job.services[job.added].object)
    }

    func added(_ error: HostError?) {
        guard let job = publishing.first else { return }
        guard let error else {
            job.added += 1
            return addNext()
        }
        publishing.removeFirst()
        for service in job.services.prefix(job.added) { server?.remove(service.object) }
        job.completion(.failure(error.during("publish")))
        addNext()
    }

    /// See `Host`.
    public func unpublish(_ service: AttributeID, completion: @escaping HostCompletion<Void>) {
        guard withdraw(service.rawValue) else {
            return completion(.failure(HostError(.notFound, "unpublish", detail: "no such service")))
        }
        later { completion(.success(())) }
    }

    @discardableResult
    func withdraw(_ number: UInt64) -> Bool {
        guard let service = services.removeValue(forKey: number) else { return false }
        for characteristic in service.characteristics {
            characteristics[ObjectIdentifier(characteristic.object)] = nil
        }
        server?.remove(service.object)
        return true
    }

    // MARK: Centrals

    private func link(of central: CBCentral) -> AppleLink {
        let peer = PeerID(central.identifier)
        if let known = linkTable.values.first(where: { $0.central != nil && $0.peer == peer }) { return known }
        let link = AppleLink(LinkID(rawValue: number()), peer, central: central)
        linkTable[link.id] = link
        emit(.linkOpened(link.info))
        return link
    }

    func subscribed(_ central: CBCentral, _ characteristic: CBCharacteristic, _ isOn: Bool) {
        guard let local = characteristics[ObjectIdentifier(characteristic)] else { return }
        let link = link(of: central)
        if isOn {
            link.subscriptions.insert(ObjectIdentifier(characteristic))
        } else {
            link.subscriptions.remove(ObjectIdentifier(characteristic))
        }
        let mode: SubscriptionMode = local.object.properties.contains(.notify) ? .notifications : .indications
        emit(.subscriptionChanged(link: link.id, attribute: local.id, mode: isOn ? mode : .off))
        if link.subscriptions.isEmpty { closed(link, HostError(.disconnected, controller: 0x13)) }
    }

    func requested(_ requests: [CBATTRequest], isRead: Bool) {
        guard let first = requests.first else { return }
        let link = link(of: first.central)
        var wanted: [AttributeRequest] = []
        var targets: [LocalCharacteristic] = []
        for request in requests {
            guard let target = characteristics[ObjectIdentifier(request.characteristic)] else {
                return server?.respond(to: first, withResult: .invalidHandle) ?? ()
            }
            targets.append(target)
            wanted.append(
                AttributeRequest(
                    attribute: target.id,
                    kind: isRead
                        ? .read(offset: request.offset)
                        : .write(value: Array(request.value ?? Data()), offset: request.offset)))
        }
        if targets.allSatisfy({ $0.stored != nil }) { return serve(requests, targets, link, isRead: isRead) }
        guard targets.allSatisfy({ $0.stored == nil && $0.sink === targets[0].sink }) else {
            return server?.respond(to: first, withResult: .unlikelyError) ?? ()
        }
        let token = RequestToken(rawValue: number())
        tokens[token] = requests
        targets[0].sink.receive(
            .requests(RequestBatch(token: token, link: link.id, peer: link.peer, requests: wanted)))
    }

    /// Answers for values that are kept here.
    private func serve(
        _ requests: [CBATTRequest], _ targets: [LocalCharacteristic], _ link: AppleLink, isRead: Bool
    ) {
        var values: [ObjectIdentifier: [UInt8]] = [:]
        for (request, target) in zip(requests, targets) {
            let value = values[ObjectIdentifier(target)] ?? target.stored ?? []
            guard request.offset <= value.count else {
                return server?.respond(to: requests[0], withResult: .invalidOffset) ?? ()
            }
            if isRead {
                request.value = Data(value.dropFirst(request.offset))
            } else {
                values[ObjectIdentifier(target)] = Array(value.prefix(request.offset)) + Array(request.value ?? Data())
            }
        }
        guard values.values.allSatisfy({ $0.count <= 512 }) else {
            return server?.respond(to: requests[0], withResult: .invalidAttributeValueLength) ?? ()
        }
        server?.respond(to: requests[0], withResult: .success)
        for target in targets {
            guard let value = values.removeValue(forKey: ObjectIdentifier(target)) else { continue }
            target.stored = value
            emit(.valueWritten(link: link.id, attribute: target.id, value: value))
        }
    }

    /// See `Host`.
    public func respond(to token: RequestToken, with response: RequestResponse) {
        guard let requests = tokens.removeValue(forKey: token), let first = requests.first else { return }
        switch response {
        case .success(let value):
            first.value = Data(value)
            server?.respond(to: first, withResult: .success)
        case .failure(let code, _):
            server?.respond(to: first, withResult: CBATTError.Code(rawValue: Int(code)) ?? .unlikelyError)
        }
    }

    /// See `Host`.
    public func update(_ value: [UInt8], of attribute: AttributeID, for audience: UpdateAudience) -> Bool {
        guard let local = characteristics.values.first(where: { $0.id == attribute }) else { return true }
        var centrals: [CBCentral]?
        if case .link(let link) = audience {
            guard let central = linkTable[link]?.central else { return true }
            centrals = [central]
        }
        let isSent =
            server?.updateValue(Data(value), for: local.object, onSubscribedCentrals: centrals) ?? false
        if isSent, centrals == nil, local.stored != nil { local.stored = value }
        if !isSent { isFull = true }
        return isSent
    }

    func readyToUpdate() {
        guard isFull else { return }
        isFull = false
        for link in linkTable.values.filter({ $0.central != nil }).sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
            emit(.readyToUpdate(link.id))
        }
    }

    // MARK: Advertising

    /// See `Host`. One connectable advertisement of a name and services.
    public func startAdvertising(
        _ parameters: AdvertisingParameters, completion: @escaping HostCompletion<AdvertisementID>
    ) {
        guard state == .poweredOn else { return completion(.failure(HostError(.poweredOff, "advertise"))) }
        guard advertising == nil, parameters.isConnectable, parameters.extended == nil, parameters.duration == nil,
            case .fields(let name, let services) = parameters.content
        else {
            return completion(
                .failure(
                    HostError(
                        .unsupported, "advertise",
                        detail: "Apple's framework has one connectable advertisement of a name and services")))
        }
        advertising = (AdvertisementID(rawValue: number()), completion)
        var data: [String: Any] = [CBAdvertisementDataServiceUUIDsKey: services.map(\.apple)]
        if let name { data[CBAdvertisementDataLocalNameKey] = name }
        server?.startAdvertising(data)
    }

    func advertisingStarted(_ error: HostError?) {
        guard let current = advertising, let completion = current.completion else { return }
        advertising = error == nil ? (current.id, nil) : nil
        completion(error.map { .failure($0.during("advertise")) } ?? .success(current.id))
    }

    /// See `Host`.
    public func stopAdvertising(_ advertisement: AdvertisementID) {
        guard let current = advertising, current.id == advertisement else { return }
        advertising = nil
        server?.stopAdvertising()
        current.completion?(.failure(HostError(.cancelled, "advertise")))
    }
}
#endif
