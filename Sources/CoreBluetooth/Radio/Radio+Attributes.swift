// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

extension Radio {
    /// Waits are bounded by the link: ATT's own timeout ends it.
    static var noTimeout: Duration { .seconds(3600) }

    typealias Ending<Value: Sendable> = @Sendable (Result<Value, HostError>) -> Void

    /// The link of a manager; nil when the manager lost it meanwhile, and is told so.
    private func link(_ client: UInt64, _ peer: PeerID) -> LinkID? { centrals[client]?.claims[peer]?.link }

    /// A peer that does not answer for ATT's 30 s cannot be asked any more: the link ends. Core 5.4, Vol 3, Part F,
    /// 3.3.3.
    private func checked<Value>(_ link: LinkID, _ done: @escaping Ending<Value>) -> Ending<Value> {
        { [self] result in
            done(result)
            if case .failure(let error) = result, error.code == .timedOut {
                assumeIsolated { radio in
                    guard radio.links[link] != nil else { return }
                    radio.host.assumeIsolated { $0.disconnect(link, force: true) { _ in } }
                }
            }
        }
    }

    // MARK: Discovery

    /// Looks around on a fresh link, so that changes of services are heard of and the name is known.
    ///
    /// Again when the services change; a peer that says so all the time has one look at a time.
    func prime(_ link: LinkID) {
        guard let held = links[link] else { return }
        links[link]?.mustPrime = held.isPriming
        guard !held.isPriming else { return }
        links[link]?.isPriming = true
        findServices(link) { [self] result in
            assumeIsolated { radio in
                guard case .success(let services) = result else { return radio.primed(link) }
                radio.tellServices(services, of: link)
                radio.readName(link, services)
            }
        }
    }

    private func primed(_ link: LinkID) {
        links[link]?.isPriming = false
        guard links[link]?.mustPrime == true else { return }
        // What was found meanwhile may be from before the change.
        links[link]?.services = nil
        prime(link)
    }

    /// All services of a link, found once for everybody.
    private func findServices(_ link: LinkID, _ done: @escaping Ending<[ServiceInfo]>) {
        guard let held = links[link] else { return done(.failure(HostError(.disconnected))) }
        if let services = held.services { return done(.success(services)) }
        links[link]?.serviceWaiters.append(done)
        guard !held.isFindingServices else { return }
        links[link]?.isFindingServices = true
        let ending = checked(link) { [self] (result: Result<[ServiceInfo], HostError>) in
            assumeIsolated { $0.servicesFound(link, result) }
        }
        host.assumeIsolated { host in
            _ = host.discoverServices(nil, on: link, timeout: Self.noTimeout, completion: ending)
        }
    }

    private func servicesFound(_ link: LinkID, _ result: Result<[ServiceInfo], HostError>) {
        guard let held = links[link] else { return }
        links[link]?.isFindingServices = false
        links[link]?.serviceWaiters = []
        if case .success(let services) = result { links[link]?.services = services }
        indexConnected()
        for waiter in held.serviceWaiters { waiter(result) }
    }

    /// Services of some types, or all, in handle order.
    func discoverServices(
        _ client: UInt64, _ peer: PeerID, _ types: Set<BluetoothUUID>, _ done: @escaping Ending<[ServiceInfo]>
    ) {
        guard let link = link(client, peer) else { return done(.failure(HostError(.disconnected))) }
        let showsAll = centrals[client]?.showsSystemServices == true
        findServices(link) { result in
            done(
                result.map { services in
                    services.filter { service in
                        (types.isEmpty || types.contains(service.uuid))
                            && (showsAll || (service.uuid != 0x1800 && service.uuid != 0x1801))
                    }
                })
        }
    }

    func discoverIncludedServices(
        _ client: UInt64, _ peer: PeerID, of service: AttributeID, _ done: @escaping Ending<[ServiceInfo]>
    ) {
        guard let link = link(client, peer) else { return done(.failure(HostError(.disconnected))) }
        let ending = checked(link, done)
        host.assumeIsolated {
            _ = $0.discoverIncludedServices(of: service, on: link, timeout: Self.noTimeout, completion: ending)
        }
    }

    func discoverCharacteristics(
        _ client: UInt64, _ peer: PeerID, of service: AttributeID, _ done: @escaping Ending<[CharacteristicInfo]>
    ) {
        guard let link = link(client, peer) else { return done(.failure(HostError(.disconnected))) }
        let ending = checked(link, done)
        host.assumeIsolated {
            _ = $0.discoverCharacteristics(of: service, on: link, timeout: Self.noTimeout, completion: ending)
        }
    }

    func discoverDescriptors(
        _ client: UInt64, _ peer: PeerID, of characteristic: AttributeID, _ done: @escaping Ending<[DescriptorInfo]>
    ) {
        guard let link = link(client, peer) else { return done(.failure(HostError(.disconnected))) }
        let ending = checked(link, done)
        host.assumeIsolated {
            _ = $0.discoverDescriptors(of: characteristic, on: link, timeout: Self.noTimeout, completion: ending)
        }
    }

    /// The peer's database changed: what was found in the range is gone.
    func servicesChanged(_ link: LinkID, _ range: ClosedRange<UInt16>?) {
        guard let held = links[link] else { return }
        links[link]?.services = nil
        links[link]?.subscriptions = held.subscriptions.filter { key, _ in
            guard let range else { return false }
            return UInt16(exactly: key).map { !range.contains($0) } ?? false
        }
        for holder in held.holders {
            let peer = holder.peer
            centrals[holder.client]?.core.deliver(toCentral: { $0.servicesChanged(peer, range) })
        }
        prime(link)
    }

    // MARK: The name

    /// Reads the name that the device gives itself. Core 5.4, Vol 3, Part C, 12.1.
    private func readName(_ link: LinkID, _ services: [ServiceInfo]) {
        guard let service = services.first(where: { $0.uuid == 0x1800 }) else { return compareServices(link) }
        host.assumeIsolated { host in
            _ = host.discoverCharacteristics(of: service.id, on: link, timeout: Self.noTimeout) { [self] result in
                assumeIsolated { radio in
                    guard case .success(let found) = result, let name = found.first(where: { $0.uuid == 0x2A00 }),
                        name.properties.contains(.read)
                    else { return radio.compareServices(link) }
                    radio.readName(link, name.id)
                }
            }
        }
    }

    private func readName(_ link: LinkID, _ attribute: AttributeID) {
        host.assumeIsolated { host in
            _ = host.read(attribute, on: link, timeout: Self.noTimeout) { [self] result in
                assumeIsolated { radio in
                    radio.compareServices(link)
                    guard case .success(let octets) = result else { return }
                    let name = String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self)
                    if !name.isEmpty { radio.named(link, name) }
                }
            }
        }
    }

    /// Looks once more behind the subscription to Service Changed, which the stack made meanwhile: a change between the
    /// first look and that subscription was told to nobody.
    private func compareServices(_ link: LinkID) {
        guard let services = links[link]?.services, services.contains(where: { $0.uuid == 0x1801 }) else {
            return primed(link)
        }
        host.assumeIsolated { host in
            _ = host.discoverServices(nil, on: link, timeout: Self.noTimeout) { [self] result in
                assumeIsolated { radio in
                    // Nil when the change was told after all.
                    if case .success(let found) = result, let known = radio.links[link]?.services, known != found {
                        radio.servicesChanged(link, nil)
                    }
                    radio.primed(link)
                }
            }
        }
    }

    private func named(_ link: LinkID, _ name: String) {
        guard let held = links[link] else { return }
        names[held.info.peer] = name
        for holder in held.holders {
            let peer = holder.peer
            centrals[holder.client]?.core.deliver(toCentral: { $0.named(peer, name) })
        }
    }

    // MARK: Values

    func read(_ client: UInt64, _ peer: PeerID, _ attribute: AttributeID, _ done: @escaping Ending<[UInt8]>) {
        guard let link = link(client, peer) else { return done(.failure(HostError(.disconnected))) }
        let ending = checked(link, done)
        host.assumeIsolated { _ = $0.read(attribute, on: link, timeout: Self.noTimeout, completion: ending) }
    }

    func write(
        _ client: UInt64, _ peer: PeerID, _ attribute: AttributeID, _ value: [UInt8], _ mode: WriteMode,
        _ done: @escaping Ending<Void>
    ) {
        guard let link = link(client, peer) else { return done(.failure(HostError(.disconnected))) }
        let ending = checked(link, done)
        host.assumeIsolated {
            _ = $0.write(value, to: attribute, mode: mode, on: link, timeout: Self.noTimeout, completion: ending)
        }
    }

    func readRSSI(_ client: UInt64, _ peer: PeerID, _ done: @escaping Ending<Int>) {
        guard let link = link(client, peer) else { return done(.failure(HostError(.disconnected))) }
        host.assumeIsolated { _ = $0.readRSSI(link, timeout: .seconds(30), completion: done) }
    }

    func received(_ value: [UInt8], of attribute: AttributeID, on link: LinkID) {
        let key = attribute.key
        guard let held = links[link], let clients = held.subscriptions[key] else { return }
        for holder in held.holders where clients.contains(holder.client) {
            guard let core = centrals[holder.client]?.core else { continue }
            let peer = holder.peer
            let isDelivered = core.deliver(toCentralWithin: ManagerCore.maximumBacklog) { central in
                central.received(peer, key, value)
            }
            if !isDelivered {
                CBLinuxLog.write("a value was dropped: \(ManagerCore.maximumBacklog) wait for the manager's queue")
            }
        }
    }

    /// Subscribes a manager, or unsubscribes it. The peer hears of the first and of the last. Calls for one
    /// characteristic are carried out one behind the other, whichever manager they are of.
    func subscribe(
        _ client: UInt64, _ peer: PeerID, _ characteristic: AttributeID, _ mode: SubscriptionMode,
        _ done: @escaping Ending<Void>
    ) {
        guard let link = link(client, peer) else { return done(.failure(HostError(.disconnected))) }
        add(SubscriptionJob(client: client, characteristic: characteristic, mode: mode, done: done), on: link)
    }

    private func add(_ job: SubscriptionJob, on link: LinkID) {
        let key = job.characteristic.key
        links[link]?.subscriptionJobs[key, default: []].append(job)
        if links[link]?.subscriptionJobs[key]?.count == 1 { beginSubscription(key, on: link) }
    }

    private func beginSubscription(_ key: UInt64, on link: LinkID) {
        guard let held = links[link], let job = held.subscriptionJobs[key]?.first else { return }
        let client = job.client
        guard job.mode == .off || held.holders.contains(where: { $0.client == client }) else {
            return endSubscription(key, on: link, .failure(HostError(.disconnected)))
        }
        var clients = held.subscriptions[key] ?? []
        let wasEmpty = clients.isEmpty
        if job.mode == .off { clients.remove(client) } else { clients.insert(client) }
        let isSilent = job.mode == .off ? !clients.isEmpty : !wasEmpty
        // Values may come before the answer, and still come until the answer to the last one who leaves.
        if job.mode != .off || isSilent { links[link]?.subscriptions[key] = clients }
        links[link]?.subscribed[key] = job.characteristic
        guard !isSilent else { return endSubscription(key, on: link, .success(())) }
        let ending = checked(link) { [self] (result: Result<Void, HostError>) in
            assumeIsolated { radio in
                let hasFailed = if case .failure = result { true } else { false }
                if (job.mode == .off) != hasFailed { radio.links[link]?.subscriptions[key]?.remove(client) }
                if radio.links[link]?.subscriptions[key]?.isEmpty == true {
                    radio.links[link]?.subscriptions[key] = nil
                }
                radio.endSubscription(key, on: link, result)
            }
        }
        host.assumeIsolated {
            _ = $0.subscribe(
                to: job.characteristic, mode: job.mode, on: link, timeout: Self.noTimeout, completion: ending)
        }
    }

    private func endSubscription(_ key: UInt64, on link: LinkID, _ result: Result<Void, HostError>) {
        guard let job = links[link]?.subscriptionJobs[key]?.first else { return }
        links[link]?.subscriptionJobs[key]?.removeFirst()
        let isLast = links[link]?.subscriptionJobs[key]?.isEmpty == true
        if isLast { links[link]?.subscriptionJobs[key] = nil }
        job.done(result)
        // Not inside this call: many may wait that end at once.
        if !isLast { loop.execute { [weak self] in self?.assumeIsolated { $0.beginSubscription(key, on: link) } } }
    }

    /// A manager leaves the link while others stay.
    func forgetSubscriptions(of client: UInt64, on link: LinkID) {
        guard let held = links[link] else { return }
        for (key, clients) in held.subscriptions where clients.contains(client) {
            let rest = clients.subtracting([client])
            guard rest.isEmpty, !held.holders.isEmpty, let characteristic = held.subscribed[key] else {
                links[link]?.subscriptions[key] = rest.isEmpty ? nil : rest
                continue
            }
            add(SubscriptionJob(client: client, characteristic: characteristic, mode: .off) { _ in }, on: link)
        }
    }
}

extension Radio {
    /// Secures the link of a manager.
    func pair(_ client: UInt64, _ peer: PeerID, _ options: PairingOptions, _ done: @escaping Ending<SecurityLevel>) {
        guard let link = centrals[client]?.claims[peer]?.link else { return done(.failure(HostError(.disconnected))) }
        host.assumeIsolated { _ = $0.secure(link, options: options, timeout: .seconds(60), completion: done) }
    }
}
