// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// A central that is connected.
final class ConnectedCentral {
    let remote: RemoteCentral
    /// What its handlers are to answer: a peer has one request under way, the rest are write commands.
    let requests = Channel<RequestBatch>(capacity: 256, overflow: .dropNewest)
    /// Reads the requests one after the other; made with the first.
    var pump: Task<Void, Never>?
    var subscriptions: [AttributeID: SubscriptionMode] = [:]
    /// The request whose handler runs, and the timer that ends it.
    var open: (number: UInt64, token: RequestToken?, timer: LoopTimer)?

    init(_ remote: RemoteCentral) { self.remote = remote }
}

/// The state behind a ``PeripheralServer``, on the executor of its host.
actor ServerCore: HostEventSink {
    struct Waiter {
        let id: UInt64
        let completion: HostCompletion<Void>
    }

    struct WaitingUpdate {
        let id: UInt64
        let characteristic: LocalCharacteristic
        let value: [UInt8]
        let link: LinkID?
        let completion: HostCompletion<Int>
    }

    /// So many updates wait for room at most.
    static let maximumUpdates = 4096

    nonisolated let host: any Host
    nonisolated let loop: any EventLoop
    nonisolated let states: Broadcaster<AdapterState>
    nonisolated let events = EventSource<ServerEvent>()
    private nonisolated let executor: UnownedSerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor }
    private let ownsHost: Bool
    let handlerTimeout: Duration

    /// In the order of their connections.
    private(set) var centrals: [ConnectedCentral] = []
    private(set) var attributes: [AttributeID: LocalCharacteristic] = [:]
    private var descriptorOwners: [AttributeID: LocalCharacteristic] = [:]
    /// In the order of their publication.
    private(set) var publishedServices: [(id: AttributeID, service: LocalService)] = []
    private(set) var updates: [WaitingUpdate] = []
    private var subscriberWaiters: [(characteristic: LocalCharacteristic, waiter: Waiter)] = []
    var advertisements: [ServerAdvertisement] = []
    private var nextNumber: UInt64 = 0
    private(set) var isOver = false
    /// Is called before each answer, for tests of what a device may do.
    private(set) var interceptor: (@Sendable (BluetoothUUID) async throws -> Void)?
    /// Where pairing asks its questions.
    var desk: PairingDesk?

    init(host: any Host, ownsHost: Bool, handlerTimeout: Duration) {
        self.host = host
        self.ownsHost = ownsHost
        self.handlerTimeout = handlerTimeout
        loop = host.loop
        executor = host.loop.asUnownedSerialExecutor()
        states = Broadcaster(.unknown)
    }

    func begin() {
        let links = host.assumeIsolated { host in
            host.addSink(self)
            states.send(host.state)
            return host.links
        }
        for link in links where link.role == .peripheral { connected(link) }
    }

    var capabilities: HostCapabilities { host.assumeIsolated { $0.capabilities } }
    var localAddress: DeviceAddress? { host.assumeIsolated { $0.localAddress } }

    func number() -> UInt64 {
        nextNumber &+= 1
        return nextNumber
    }

    // MARK: Events

    nonisolated func receive(_ event: HostEvent) { assumeIsolated { $0.handle(event) } }

    private func handle(_ event: HostEvent) {
        switch event {
        case .requests(let batch): requested(batch)
        case .readyToUpdate: sendUpdates()
        case .updatesLost(let link, let attribute, let count):
            guard let characteristic = attributes[attribute], let central = central(link) else { return }
            events.send(.undelivered(characteristic, count: count, to: central.remote))
        case .valueWritten(let link, let attribute, let value):
            descriptorOwners[attribute]?.store(value, of: attribute)
            guard let characteristic = attributes[attribute], let central = central(link) else { return }
            characteristic.store(value)
            events.send(.written(characteristic, value: value, by: central.remote))
        case .subscriptionChanged(let link, let attribute, let mode): subscriptionChanged(link, attribute, mode)
        case .linkOpened(let info) where info.role == .peripheral: connected(info)
        case .linkClosed(let info, let reason): disconnected(info, reason)
        case .advertisingEnded(let id, let reason): advertisingEnded(id, reason)
        case .stateChanged(let state):
            states.send(state)
            if state == .poweredOn { restartAdvertising() } else { forgetAdvertising() }
        case .linkOpened, .linkUpdated, .advertisement, .scanEnded, .identityResolved, .value, .servicesChanged,
            .readyToWrite, .pairing, .periodicReport, .syncEnded, .channel:
            break
        }
    }

    var remotes: [RemoteCentral] { centrals.map(\.remote) }

    func central(_ link: LinkID) -> ConnectedCentral? { centrals.first { $0.remote.link == link } }

    private func connected(_ info: LinkInfo) {
        guard central(info.id) == nil else { return }
        let remote = RemoteCentral(link: info.id, id: info.peer, address: info.address)
        centrals.append(ConnectedCentral(remote))
        events.send(.connected(remote))
    }

    private func disconnected(_ info: LinkInfo, _ reason: HostError) {
        guard let index = centrals.firstIndex(where: { $0.remote.link == info.id }) else { return }
        let central = centrals.remove(at: index)
        central.requests.end()
        central.pump?.cancel()
        if let open = central.open { loop.cancel(open.timer) }
        central.open = nil
        for attribute in central.subscriptions.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let characteristic = attributes[attribute] else { continue }
            events.send(.unsubscribed(characteristic, by: central.remote))
        }
        events.send(.disconnected(central.remote, reason: reason))
        sendUpdates()
        if centrals.isEmpty { restartAdvertising() }
    }

    private func subscriptionChanged(_ link: LinkID, _ attribute: AttributeID, _ mode: SubscriptionMode) {
        guard let characteristic = attributes[attribute], let central = central(link) else { return }
        guard mode != .off else {
            guard central.subscriptions.removeValue(forKey: attribute) != nil else { return }
            return events.send(.unsubscribed(characteristic, by: central.remote))
        }
        central.subscriptions[attribute] = mode
        events.send(.subscribed(characteristic, by: central.remote, mode: mode))
        let ready = subscriberWaiters.filter { $0.characteristic === characteristic }
        subscriberWaiters.removeAll { $0.characteristic === characteristic }
        for entry in ready { entry.waiter.completion(.success(())) }
    }

    func subscribers(of characteristic: LocalCharacteristic) -> [RemoteCentral] {
        guard let id = characteristic.id else { return [] }
        return centrals.filter { $0.subscriptions[id] != nil }.map(\.remote)
    }

    func whenSubscribed(
        _ characteristic: LocalCharacteristic, _ completion: @escaping HostCompletion<Void>
    ) -> (@Sendable (GiveUp) -> Void)? {
        guard subscribers(of: characteristic).isEmpty else {
            completion(.success(()))
            return nil
        }
        let id = number()
        subscriberWaiters.append((characteristic, Waiter(id: id, completion: completion)))
        return { [self] _ in
            assumeIsolated { core in
                guard let index = core.subscriberWaiters.firstIndex(where: { $0.waiter.id == id }) else { return }
                core.subscriberWaiters.remove(at: index).waiter.completion(.failure(HostError(.cancelled)))
            }
        }
    }

    // MARK: Services

    func publish(_ services: [LocalService], _ completion: @escaping HostCompletion<[PublishedService]>) {
        guard !isOver else {
            return completion(.failure(HostError(.wrongState, detail: "the server was shut down")))
        }
        let all = services.flatMap(\.characteristics)
        if let descriptor = all.flatMap(\.descriptors).first(where: { $0.value == .dynamic }) {
            let detail = "descriptor \(descriptor.uuid): nobody would answer for a dynamic value"
            return completion(.failure(HostError(.invalidArgument, detail: detail)))
        }
        for (index, characteristic) in all.enumerated() where !characteristic.claim() {
            for claimed in all[..<index] { claimed.unclaim() }
            return completion(
                .failure(
                    HostError(.invalidArgument, detail: "\(characteristic.uuid) belongs to a published service already")
                ))
        }
        let asksAlways = interceptor != nil
        let definitions = services.map { $0.definition(asksAlways: asksAlways) }
        host.assumeIsolated { host in
            host.publish(definitions, for: self) { [self] result in
                assumeIsolated { $0.published(services, result) }
                completion(result)
            }
        }
    }

    private func published(_ services: [LocalService], _ result: Result<[PublishedService], HostError>) {
        guard case .success(let list) = result, list.count == services.count else {
            for service in services { for characteristic in service.characteristics { characteristic.unclaim() } }
            return
        }
        for (service, known) in zip(services, list) {
            for (characteristic, identifiers) in zip(service.characteristics, known.characteristics) {
                characteristic.published(as: identifiers)
                attributes[identifiers.id] = characteristic
                for id in characteristic.descriptorIDs { descriptorOwners[id] = characteristic }
            }
            publishedServices.append((known.id, service))
        }
    }

    func unpublish(_ service: PublishedService, _ completion: @escaping HostCompletion<Void>) {
        guard let index = publishedServices.firstIndex(where: { $0.id == service.id }) else {
            return completion(.failure(HostError(.notFound, detail: "the service is not published")))
        }
        for characteristic in publishedServices.remove(at: index).service.characteristics {
            if let id = characteristic.id {
                attributes[id] = nil
                for central in centrals { central.subscriptions[id] = nil }
            }
            for id in characteristic.descriptorIDs { descriptorOwners[id] = nil }
            characteristic.unclaim()
        }
        sendUpdates()
        host.assumeIsolated { $0.unpublish(service.id, completion: completion) }
    }

    func intercept(_ interceptor: @escaping @Sendable (BluetoothUUID) async throws -> Void) {
        self.interceptor = interceptor
    }

    // MARK: Updates

    func update(
        _ characteristic: LocalCharacteristic, _ value: [UInt8], _ link: LinkID?,
        _ completion: @escaping HostCompletion<Int>
    ) -> (@Sendable (GiveUp) -> Void)? {
        let id = number()
        let update = WaitingUpdate(
            id: id, characteristic: characteristic, value: value, link: link, completion: completion)
        if updates.isEmpty, trySending(update) { return nil }
        guard updates.count < Self.maximumUpdates else {
            completion(.failure(HostError(.queueFull, detail: "\(updates.count) updates wait already")))
            return nil
        }
        updates.append(update)
        return { [self] _ in
            assumeIsolated { core in
                guard let index = core.updates.firstIndex(where: { $0.id == id }) else { return }
                core.updates.remove(at: index).completion(.failure(HostError(.cancelled)))
                core.sendUpdates()
            }
        }
    }

    /// Sends what waits, in order, until there is no room again.
    private func sendUpdates() {
        while let first = updates.first {
            // Taken out first: its completion may come back here.
            updates.removeFirst()
            guard trySending(first) else { return updates.insert(first, at: 0) }
        }
    }

    private func trySending(_ update: WaitingUpdate) -> Bool {
        guard !isOver, let id = update.characteristic.id, attributes[id] != nil else {
            update.completion(.failure(HostError(.notFound, detail: "the characteristic is not published")))
            return true
        }
        guard update.value.count <= 512 else {
            update.completion(.failure(HostError(.invalidArgument, detail: "a value has at most 512 octets")))
            return true
        }
        if let link = update.link, central(link) == nil {
            update.completion(.failure(HostError(.disconnected)))
            return true
        }
        let audience = update.link.map { UpdateAudience.link($0) } ?? .allSubscribers
        guard host.assumeIsolated({ $0.update(update.value, of: id, for: audience) }) else { return false }
        if update.link == nil { update.characteristic.store(update.value) }
        let audienceCount = centrals.count { central in
            central.subscriptions[id] != nil && (update.link == nil || central.remote.link == update.link)
        }
        update.completion(.success(audienceCount))
        return true
    }

    // MARK: The end

    nonisolated func close() {
        loop.execute { [self] in assumeIsolated { $0.shutdown { _ in } } }
    }

    func shutdown(_ completion: @escaping HostCompletion<Void>) {
        guard !isOver else { return completion(.success(())) }
        stopAllAdvertising()
        isOver = true
        desk?.close()
        desk = nil
        sendUpdates()
        let waiters = subscriberWaiters
        subscriberWaiters = []
        for entry in waiters { entry.waiter.completion(.failure(HostError(.cancelled))) }
        guard ownsHost else {
            host.assumeIsolated { $0.removeSink(self) }
            ended()
            return completion(.success(()))
        }
        host.assumeIsolated { host in
            host.stop { [self] result in
                assumeIsolated { core in
                    core.host.assumeIsolated { $0.removeSink(core) }
                    core.ended()
                }
                completion(result)
            }
        }
    }

    private func ended() {
        for central in centrals {
            central.requests.end()
            central.pump?.cancel()
            if let open = central.open { loop.cancel(open.timer) }
        }
        centrals = []
        for characteristic in attributes.values { characteristic.unclaim() }
        attributes = [:]
        descriptorOwners = [:]
        publishedServices = []
        states.send(.poweredOff)
        states.end()
        events.end()
    }
}
