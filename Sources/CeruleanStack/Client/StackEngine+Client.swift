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
        prepareCache(of: link) { [self] in
            if let services = cached(link)?.services {
                watchServiceChanged(services, of: link)
                return later {
                    let wanted = types.map(Set.init) ?? []
                    run.end(.success(link.found(services.filter { wanted.isEmpty || wanted.contains($0.uuid) })))
                }
            }
            if let types, !types.isEmpty {
                discover(types[...], found: [], link, run)
            } else {
                discoverAll(link, run, attempts: Self.discoveryAttempts)
            }
        }
        return run.id
    }

    /// How often a discovery begins anew because the database changes meanwhile.
    private static let discoveryAttempts = 3

    private func discoverAll(_ link: Link, _ run: Run<[ServiceInfo]>, attempts: Int) {
        let generation = link.generation
        run.start { [self] bearer, now in
            bearer.discoverPrimaryServices(now: now) { [self] result in
                if case .success(let services) = result {
                    guard link.generation == generation else {
                        guard attempts > 1 else { return run.end(.failure(.databaseKeepsChanging)) }
                        return discoverAll(link, run, attempts: attempts - 1)
                    }
                    keep(link, count: services.count) { $0.services = services }
                }
                run.end(result.map { link.found($0) })
                if case .success(let services) = result { watchServiceChanged(services, of: link) }
            }
        }
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
        prepareCache(of: link) { [self] in
            if let includes = cached(link)?.includes[start] {
                return later { run.end(.success(link.found(includes))) }
            }
            run.start { [self] bearer, now in
                bearer.findIncludedServices(start: start, end: end, now: now) { [self] result in
                    let result = valid(service, link, result)
                    if case .success(let found) = result {
                        keep(link, count: found.count) { $0.includes[start] = found }
                    }
                    run.end(result.map { link.found($0) })
                }
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
        prepareCache(of: link) { [self] in
            if let characteristics = cached(link)?.characteristics[start] {
                return later { run.end(.success(link.found(characteristics))) }
            }
            run.start { [self] bearer, now in
                bearer.discoverCharacteristics(start: start, end: end, now: now) { [self] result in
                    let result = valid(service, link, result)
                    if case .success(let found) = result {
                        keep(link, count: found.count) { $0.characteristics[start] = found }
                    }
                    run.end(result.map { link.found($0) })
                }
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
        prepareCache(of: link) { [self] in
            if let descriptors = cached(link)?.descriptors[handle] {
                return later { run.end(.success(link.found(descriptors, of: handle))) }
            }
            run.start { [self] bearer, now in
                bearer.discoverDescriptors(start: handle + 1, end: end, now: now) { [self] result in
                    let result = valid(characteristic, link, result)
                    if case .success(let found) = result {
                        keep(link, count: found.count) { $0.descriptors[handle] = found }
                    }
                    run.end(result.map { link.found($0, of: handle) })
                }
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
        case .signed: writeSigned(value, to: handle, on: link, run)
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
        databaseChanged(first...last, on: link)
    }

    /// What lies in the range is stale, and what is known has to be compared with the peer's hash again.
    func databaseChanged(_ range: ClosedRange<UInt16>, on link: Link) {
        link.databaseChanged(range)
        link.forget(range)
        if case .reading = link.cache {} else { link.cache = .unknown }
        emit(.servicesChanged(link.id, range: range == 0x0001...0xFFFF ? nil : range))
    }

    /// Subscribes to Service Changed in the background when the peer has it, and says what we can do.
    private func watchServiceChanged(_ services: [GATT.Service], of link: Link) {
        guard !link.lookedForServiceChanged, let service = services.first(where: { $0.uuid == 0x1801 }) else { return }
        link.lookedForServiceChanged = true
        if let known = cached(link)?.characteristics[service.start],
            let changed = known.first(where: { $0.uuid == GATT.serviceChanged })
        {
            // A bonded peer keeps what was written on an earlier link.
            link.serviceChangedHandle = changed.handle
            return
        }
        link.bearer.discoverCharacteristics(start: service.start, end: service.end, now: now) {
            [unowned self] result in
            guard case .success(let found) = result else { return }
            // Told first, so that the peer answers for a database that changes from here on.
            if let features = found.first(where: { $0.uuid == GATT.clientSupportedFeatures }) {
                link.bearer.write([clientFeatures], to: features.handle, now: now) { _ in }
            }
            guard let changed = found.first(where: { $0.uuid == GATT.serviceChanged }), changed.end > changed.handle
            else { return }
            link.serviceChangedHandle = changed.handle
            link.bearer.subscribe(to: changed.handle, end: changed.end, mode: .indications, now: now) { result in
                // The database may have changed on the way: the next discovery tries again.
                if case .failure = result { link.lookedForServiceChanged = false }
            }
        }
    }

    /// Robust caching, Multiple Handle Value Notifications, and enhanced bearers unless they are switched off. Core 5.4, Vol 3,
    /// Part G, 7.2.
    private var clientFeatures: UInt8 {
        var features: GATTClientState.Features = [.robustCaching, .multipleNotifications]
        if configuration.enhancedBearers > 0 { features.insert(.enhancedBearers) }
        return features.rawValue
    }

    /// What was found in a part of the database, unless that part has changed meanwhile.
    private func valid<Found>(
        _ parent: AttributeID, _ link: Link, _ result: Result<Found, HostError>
    ) -> Result<Found, HostError> {
        if case .success = result, !link.isCurrent(parent) { return .failure(Self.stale(parent)) }
        return result
    }

    // MARK: - checks

    func current<Value>(
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

    static func stale(_ attribute: AttributeID) -> HostError {
        HostError(
            .staleAttribute, detail: "\(name(attribute)) belongs to an earlier link or database; discover it again")
    }

    static func name(_ attribute: AttributeID) -> String {
        guard let handle = attribute.handle else { return "attribute \(attribute.rawValue)" }
        return "handle 0x"
            + Hex.encode([UInt8(truncatingIfNeeded: handle >> 8), UInt8(truncatingIfNeeded: handle)])
    }
}
