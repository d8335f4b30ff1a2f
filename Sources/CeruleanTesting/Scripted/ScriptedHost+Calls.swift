// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

extension ScriptedHost {
    /// Starts as the script says.
    public func start(timeout: Duration, completion: @escaping HostCompletion<Void>) {
        note("start")
        _ = run(script.start(), timeout: timeout, completion: completion) { host, _ in host.changeState(.poweredOn) }
    }

    /// Ends everything.
    public func stop(completion: @escaping HostCompletion<Void>) {
        note("stop")
        changeState(.poweredOff)
        completion(.success(()))
    }

    /// Adds a receiver of events.
    public func addSink(_ sink: any HostEventSink) { add(sink) }
    /// Removes a receiver of events.
    public func removeSink(_ sink: any HostEventSink) { remove(sink) }

    /// Ends an operation with `cancelled`.
    public func cancel(_ operation: OperationID) {
        note("cancel")
        fail(operation, HostError(.cancelled))
    }

    /// Scans as the script says.
    public func startScan(_ parameters: ScanParameters, completion: @escaping HostCompletion<ScanID>) {
        note("startScan")
        let free = (UInt8(0)..<64).map { ScanID(rawValue: $0) }.first { !scans.contains($0) }
        guard let free else { return completion(.failure(HostError(.queueFull))) }
        let answer = script.scan(parameters)
        // The number is taken at once, so that the next scan gets another one.
        add(free)
        _ = run(
            answer,
            completion: { [self] (result: Result<Void, HostError>) in
                if case .failure = result { assumeIsolated { $0.remove(free) } }
                completion(result.map { free })
            })
    }

    /// Stops a scan.
    public func stopScan(_ scan: ScanID) {
        note("stopScan")
        remove(scan)
    }

    /// Every address is a peer.
    public func peer(at address: DeviceAddress) -> PeerID? { PeerID(address) }
    /// The peer of the database.
    public var knownPeers: [KnownPeer] { [KnownPeer(peer: peer, address: address, name: "scripted")] }

    /// Connects as the script says.
    public func connect(
        _ peer: PeerID, options: ConnectOptions, timeout: Duration, completion: @escaping HostCompletion<LinkInfo>
    ) -> OperationID {
        note("connect")
        let identity = script.identity(peer)
        let shared = identity.flatMap { identity in links.first { $0.peer == identity && $0.role == .central } }
        let info =
            shared
            ?? LinkInfo(
                id: LinkID(rawValue: number()), peer: identity ?? peer, address: peer == self.peer ? address : nil,
                role: .central, mtu: 247)
        return run(
            script.connect(peer), timeout: timeout, completion: { completion($0.map { info }) },
            success: { host, _ in
                guard shared == nil else { return }
                host.open(info)
                host.emit(.linkOpened(info))
            })
    }

    /// Ends a link as the script says.
    public func disconnect(_ link: LinkID, force: Bool, completion: @escaping HostCompletion<Void>) {
        note("disconnect")
        _ = run(
            script.disconnect(link),
            completion: { [self] (result: Result<Void, HostError>) in
                if case .success = result {
                    assumeIsolated { $0.drop(link, HostError(.disconnected, controller: 0x16)) }
                }
                completion(result)
            })
    }

    /// Changes connection parameters as the script says.
    public func requestParameters(
        _ request: ConnectionParameterRequest, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<ConnectionParameters>
    ) -> OperationID {
        note("requestParameters")
        return run(script.parameters(request), on: link, timeout: timeout, completion: completion)
    }

    /// Measures as the script says.
    public func readRSSI(
        _ link: LinkID, timeout: Duration, completion: @escaping HostCompletion<Int>
    ) -> OperationID {
        note("readRSSI")
        return run(script.rssi(link), on: link, timeout: timeout, completion: completion)
    }

    /// Finds the services of the database.
    public func discoverServices(
        _ types: [BluetoothUUID]?, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[ServiceInfo]>
    ) -> OperationID {
        note("discoverServices")
        let found = database.map(\.info).filter { types?.contains($0.uuid) ?? true }
        return run(script.discover(), on: link, timeout: timeout, completion: { completion($0.map { found }) })
    }

    /// Finds nothing: no service of the database includes another.
    public func discoverIncludedServices(
        of service: AttributeID, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[ServiceInfo]>
    ) -> OperationID {
        note("discoverIncludedServices")
        return run(script.discover(), on: link, timeout: timeout, completion: { completion($0.map { [] }) })
    }

    /// Finds the characteristics of the database.
    public func discoverCharacteristics(
        of service: AttributeID, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[CharacteristicInfo]>
    ) -> OperationID {
        note("discoverCharacteristics")
        let found = database.first { $0.info.id == service }?.characteristics.map(\.info) ?? []
        return run(script.discover(), on: link, timeout: timeout, completion: { completion($0.map { found }) })
    }

    /// Finds the descriptors of the database.
    public func discoverDescriptors(
        of characteristic: AttributeID, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<[DescriptorInfo]>
    ) -> OperationID {
        note("discoverDescriptors")
        let found = database.flatMap(\.characteristics).first { $0.info.id == characteristic }?.descriptors ?? []
        return run(script.discover(), on: link, timeout: timeout, completion: { completion($0.map { found }) })
    }

    /// Reads as the script says, else what the database holds.
    public func read(
        _ attribute: AttributeID, on link: LinkID, timeout: Duration, completion: @escaping HostCompletion<[UInt8]>
    ) -> OperationID {
        note("read \(Hex.string(attribute))")
        let answer =
            script.read(attribute)
            ?? values[attribute].map { .success($0) }
            ?? .failure(HostError(.refused, attribute: 0x01))
        return run(answer, on: link, timeout: timeout, completion: completion)
    }

    /// Writes as the script says; what is written can be read again.
    public func write(
        _ value: [UInt8], to attribute: AttributeID, mode: WriteMode, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<Void>
    ) -> OperationID {
        note("write \(Hex.string(attribute))")
        return run(
            script.write(attribute, value, mode), on: link, timeout: timeout, completion: completion,
            success: { host, _ in host.values[attribute] = value })
    }

    /// Writes all values.
    public func writeReliably(
        _ values: [(attribute: AttributeID, value: [UInt8])], on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<Void>
    ) -> OperationID {
        note("writeReliably")
        return run(
            .success(()), on: link, timeout: timeout, completion: completion,
            success: { host, _ in for (attribute, value) in values { host.values[attribute] = value } })
    }

    /// Subscribes as the script says.
    public func subscribe(
        to characteristic: AttributeID, mode: SubscriptionMode, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<Void>
    ) -> OperationID {
        note("subscribe \(Hex.string(characteristic)) \(mode)")
        return run(script.subscribe(characteristic, mode), on: link, timeout: timeout, completion: completion)
    }

    /// Always.
    public func canWriteWithoutResponse(_ link: LinkID) -> Bool { true }

    /// Publishes as the script says.
    public func publish(
        _ services: [ServiceDefinition], for sink: any HostEventSink,
        completion: @escaping HostCompletion<[PublishedService]>
    ) {
        note("publish")
        let published = services.map { service in
            PublishedService(
                id: handle(),
                characteristics: service.characteristics.map { characteristic in
                    .init(id: handle(), descriptors: characteristic.descriptors.map { _ in handle() })
                })
        }
        _ = run(
            script.publish(services), completion: { completion($0.map { published }) },
            success: { host, _ in host.add(published) })
    }

    /// Removes a service.
    public func unpublish(_ service: AttributeID, completion: @escaping HostCompletion<Void>) {
        note("unpublish")
        remove(service: service)
        _ = run(.success(()), completion: completion)
    }

    /// Keeps the answer.
    public func respond(to token: RequestToken, with response: RequestResponse) { add(token, response) }

    /// Sends while there is room.
    public func update(_ value: [UInt8], of attribute: AttributeID, for audience: UpdateAudience) -> Bool {
        if let room = updateRoom {
            guard room > 0 else { return false }
            updateRoom = room - 1
        }
        sent(value, attribute)
        return true
    }

    /// Advertises as the script says.
    public func startAdvertising(
        _ parameters: AdvertisingParameters, completion: @escaping HostCompletion<AdvertisementID>
    ) {
        note("startAdvertising")
        let id = AdvertisementID(rawValue: number())
        _ = run(
            script.advertise(parameters), completion: { completion($0.map { id }) },
            success: { host, _ in host.add(id) })
    }

    /// Stops an advertisement.
    public func stopAdvertising(_ advertisement: AdvertisementID) {
        note("stopAdvertising")
        remove(advertisement)
    }
}

private enum Hex {
    static func string(_ attribute: AttributeID) -> String {
        let text = String(attribute.rawValue, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - text.count)) + text
    }
}
