// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

// The peer's database: the operations of `Host`, done by the ATT bearer of the link.
extension StackEngine {
    /// Finds services; see `Host/discoverServices(_:on:timeout:completion:)`.
    public func discoverServices(
        _ types: [BluetoothUUID]?, on id: LinkID, timeout: Duration, now: MonotonicTime,
        completion: @escaping HostCompletion<[ServiceInfo]>
    ) -> OperationID {
        self.now = now
        guard let link = open(id, "discovery of services", completion) else { return reserveOperation() }
        let run = run("discovery of services", nil, link, timeout, completion)
        guard let types, !types.isEmpty else {
            run.start { [self] bearer, now in
                bearer.discoverPrimaryServices(now: now) { [self] result in
                    run.end(result.map { link.found($0) })
                    if case .success(let services) = result { watchServiceChanged(services, of: link) }
                }
            }
            return run.id
        }
        discover(types[...], found: [], link, run)
        return run.id
    }

    private func discover(
        _ types: ArraySlice<BluetoothUUID>, found: [GATT.Service], _ link: Link, _ run: Run<[ServiceInfo]>
    ) {
        guard let type = types.first else {
            let sorted = Set(found).sorted { $0.start < $1.start }
            return run.end(.success(link.found(sorted)))
        }
        run.start { [self] bearer, now in
            bearer.discoverPrimaryServices(of: type, now: now) { [self] result in
                switch result {
                case .success(let services): discover(types.dropFirst(), found: found + services, link, run)
                case .failure(let error): run.end(.failure(error))
                }
            }
        }
    }

    /// Finds the services that a service includes.
    public func discoverIncludedServices(
        of service: AttributeID, on id: LinkID, timeout: Duration, now: MonotonicTime,
        completion: @escaping HostCompletion<[ServiceInfo]>
    ) -> OperationID {
        self.now = now
        guard let (link, start, end) = found(service, id, "discovery of included services of", completion) else {
            return reserveOperation()
        }
        let run = run("discovery of included services of", service, link, timeout, completion)
        run.start { bearer, now in
            bearer.findIncludedServices(start: start, end: end, now: now) { result in
                run.end(
                    result.map { includes in
                        link.found(
                            includes.map {
                                GATT.Service(start: $0.start, end: $0.end, uuid: $0.uuid, isPrimary: false)
                            })
                    })
            }
        }
        return run.id
    }

    /// Finds the characteristics of a service, in handle order.
    public func discoverCharacteristics(
        of service: AttributeID, on id: LinkID, timeout: Duration, now: MonotonicTime,
        completion: @escaping HostCompletion<[CharacteristicInfo]>
    ) -> OperationID {
        self.now = now
        guard let (link, start, end) = found(service, id, "discovery of characteristics of", completion) else {
            return reserveOperation()
        }
        let run = run("discovery of characteristics of", service, link, timeout, completion)
        run.start { bearer, now in
            bearer.discoverCharacteristics(start: start, end: end, now: now) { result in
                run.end(result.map { link.found($0) })
            }
        }
        return run.id
    }

    /// Finds the descriptors of a characteristic, in handle order.
    public func discoverDescriptors(
        of characteristic: AttributeID, on id: LinkID, timeout: Duration, now: MonotonicTime,
        completion: @escaping HostCompletion<[DescriptorInfo]>
    ) -> OperationID {
        self.now = now
        guard let (link, handle) = current(characteristic, id, "discovery of descriptors of", completion) else {
            return reserveOperation()
        }
        let run = run("discovery of descriptors of", characteristic, link, timeout, completion)
        let end = link.characteristicEnds[handle] ?? handle
        guard handle < end else {
            // Behind the value there is nothing.
            run.end(.success([]))
            return run.id
        }
        run.start { bearer, now in
            bearer.discoverDescriptors(start: handle + 1, end: end, now: now) { result in
                run.end(result.map { link.found($0, of: handle) })
            }
        }
        return run.id
    }

    /// Reads a whole value, however long.
    public func read(
        _ attribute: AttributeID, on id: LinkID, timeout: Duration, now: MonotonicTime,
        completion: @escaping HostCompletion<[UInt8]>
    ) -> OperationID {
        self.now = now
        guard let (link, handle) = current(attribute, id, "read of", completion) else {
            return reserveOperation()
        }
        let run = run("read of", attribute, link, timeout, completion)
        run.takesAnyBearer = true
        run.start { bearer, now in bearer.read(handle, now: now) { run.end($0) } }
        return run.id
    }

    /// Writes a value of at most 512 octets.
    public func write(
        _ value: [UInt8], to attribute: AttributeID, mode: WriteMode, on id: LinkID, timeout: Duration,
        now: MonotonicTime, completion: @escaping HostCompletion<Void>
    ) -> OperationID {
        self.now = now
        guard let (link, handle) = current(attribute, id, "write to", completion) else {
            return reserveOperation()
        }
        let run = run("write to", attribute, link, timeout, completion)
        guard value.count <= 512 else {
            run.end(.failure(HostError(.invalidArgument, detail: "\(value.count) octets, at most 512 fit")))
            return run.id
        }
        switch mode {
        case .withResponse: run.start { bearer, now in bearer.write(value, to: handle, now: now) { run.end($0) } }
        case .withoutResponse:
            let send = { [unowned self] in
                guard operations.contains(run.id) else { return }
                link.bearer.writeCommand(value, to: handle, now: self.now) { run.end($0) }
            }
            if !holds(link, send) { send() }
        }
        return run.id
    }

    /// Writes several values so that all or none take effect.
    public func writeReliably(
        _ values: [(attribute: AttributeID, value: [UInt8])], on id: LinkID, timeout: Duration, now: MonotonicTime,
        completion: @escaping HostCompletion<Void>
    ) -> OperationID {
        self.now = now
        guard let link = open(id, "reliable write", completion) else { return reserveOperation() }
        let run = run("reliable write", nil, link, timeout, completion)
        var writes: [(handle: UInt16, value: [UInt8])] = []
        for (attribute, value) in values {
            guard link.isCurrent(attribute), let handle = attribute.handle else {
                run.end(.failure(Self.stale(attribute)))
                return run.id
            }
            writes.append((handle, value))
        }
        run.start { bearer, now in bearer.writeReliably(writes, now: now) { run.end($0) } }
        return run.id
    }

    /// Subscribes to a characteristic, or unsubscribes.
    public func subscribe(
        to characteristic: AttributeID, mode: SubscriptionMode, on id: LinkID, timeout: Duration, now: MonotonicTime,
        completion: @escaping HostCompletion<Void>
    ) -> OperationID {
        self.now = now
        guard let (link, handle) = current(characteristic, id, "subscription to", completion) else {
            return reserveOperation()
        }
        let run = run("subscription to", characteristic, link, timeout, completion)
        run.start { bearer, now in
            bearer.subscribe(
                to: handle, end: link.characteristicEnds[handle] ?? 0xFFFF, descriptor: link.configurations[handle],
                mode: mode, now: now
            ) { result in
                if case .success(let descriptor) = result { link.configurations[handle] = descriptor }
                run.end(result.map { _ in })
            }
        }
        return run.id
    }

    /// Whether a write without response would be sent now rather than wait.
    public func canWriteWithoutResponse(_ id: LinkID) -> Bool { link(id)?.bearer.canSendValue ?? false }

    // MARK: - values

    /// A notification or indication.
    @inline(__always)
    func received(_ value: RawSpan, of handle: UInt16, isIndication: Bool, on link: Link) {
        guard handle != 0, !link.mustWait else { return }
        if handle == link.serviceChangedHandle { servicesChanged(value, on: link) }
        onValue(link.id, link.attribute(handle), value, isIndication ? .indications : .notifications)
    }

    /// Security A19: what lies in the range is stale; finding it again is the client's affair, so nothing piles up here.
    private func servicesChanged(_ value: RawSpan, on link: Link) {
        guard value.byteCount == 4 else { return }
        let first = max(1, value.uint16(at: 0))
        let last = value.uint16(at: 2)
        guard first <= last else { return }
        let range = first...last
        link.databaseChanged(range)
        link.forget(range)
        emit(.servicesChanged(link.id, range: range == 0x0001...0xFFFF ? nil : range))
    }

    /// Subscribes to Service Changed in the background when the peer has it.
    private func watchServiceChanged(_ services: [GATT.Service], of link: Link) {
        guard !link.lookedForServiceChanged, let service = services.first(where: { $0.uuid == 0x1801 }) else { return }
        link.lookedForServiceChanged = true
        link.bearer.discoverCharacteristics(
            of: GATT.serviceChanged, start: service.start, end: service.end, now: now
        ) { [unowned self] result in
            guard case .success(let found) = result, let first = found.first, first.end > first.handle else { return }
            link.serviceChangedHandle = first.handle
            link.bearer.subscribe(to: first.handle, end: first.end, mode: .indications, now: now) { _ in }
        }
    }

    // MARK: - checks

    private func current<Value>(
        _ attribute: AttributeID, _ id: LinkID, _ verb: StaticString, _ completion: HostCompletion<Value>
    ) -> (Link, UInt16)? {
        guard let link = open(id, "\(verb) \(Self.name(attribute))", completion) else { return nil }
        guard link.isCurrent(attribute), let handle = attribute.handle else {
            completion(.failure(Self.stale(attribute).during("\(verb) \(Self.name(attribute))")))
            return nil
        }
        return (link, handle)
    }

    private func found<Value>(
        _ service: AttributeID, _ id: LinkID, _ verb: StaticString, _ completion: HostCompletion<Value>
    ) -> (Link, UInt16, UInt16)? {
        guard let (link, start) = current(service, id, verb, completion) else { return nil }
        guard let end = link.serviceEnds[start] else {
            completion(
                .failure(HostError(.notFound, "\(verb) \(Self.name(service))", detail: "no service starts there")))
            return nil
        }
        return (link, start, end)
    }

    private static func stale(_ attribute: AttributeID) -> HostError {
        HostError(
            .staleAttribute, detail: "\(name(attribute)) belongs to an earlier link or database; discover it again")
    }

    static func name(_ attribute: AttributeID) -> String {
        guard let handle = attribute.handle else { return "attribute \(attribute.rawValue)" }
        return "handle 0x"
            + Hex.encode([UInt8(truncatingIfNeeded: handle >> 8), UInt8(truncatingIfNeeded: handle)])
    }
}
