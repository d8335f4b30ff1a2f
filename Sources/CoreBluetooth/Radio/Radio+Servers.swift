// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

extension Radio {
    func addServer(_ core: ManagerCore) {
        servers[core.number] = ServerClient(core)
        guard state != .unknown else { return }
        let seen = CBManagerState(state)
        core.deliver { $0.radioChanged(seen) }
    }

    func removeServer(_ number: UInt64) {
        stopAdvertising(number)
        removeAllServices(number)
        stopListening(number)
        servers[number] = nil
    }

    // MARK: Services

    func publish(_ client: UInt64, _ plan: PlannedService, _ done: @escaping Ending<Void>) {
        guard servers[client] != nil else { return done(.failure(HostError(.wrongState))) }
        servers[client]?.plans.append(WaitingPlan(plan: plan, done: done))
        if servers[client]?.plans.count == 1 { publishNext(client) }
    }

    private func publishNext(_ client: UInt64) {
        guard let server = servers[client], let next = server.plans.first else { return }
        var definition = next.plan.definition
        for included in next.plan.includes {
            guard let id = server.services[included] else {
                let error = HostError(.invalidArgument, detail: "an included service is not published")
                return published(client, .failure(error))
            }
            definition.includes.append(id)
        }
        let wanted = definition
        host.assumeIsolated { host in
            host.publish([wanted], for: self) { [self] result in assumeIsolated { $0.published(client, result) } }
        }
    }

    private func published(_ client: UInt64, _ result: Result<[PublishedService], HostError>) {
        let service = if case .success(let services) = result { services.first } else { PublishedService?.none }
        guard let next = servers[client]?.plans.first, !next.isWithdrawn else {
            // The manager, or its wish for the service, is gone meanwhile.
            if let service { host.assumeIsolated { $0.unpublish(service.id) { _ in } } }
            guard servers[client]?.plans.isEmpty == false else { return }
            servers[client]?.plans.removeFirst().done(.failure(HostError(.cancelled)))
            return publishNext(client)
        }
        servers[client]?.plans.removeFirst()
        if let service {
            let plan = next.plan
            servers[client]?.services[plan.number] = service.id
            servers[client]?.characteristicsOf[plan.number] = plan.characteristics
            for (number, published) in zip(plan.characteristics, service.characteristics) {
                servers[client]?.attributes[number] = published.id
                servers[client]?.numbers[published.id.key] = number
            }
            next.done(.success(()))
        } else {
            next.done(result.flatMap { _ in .failure(HostError(.refused, detail: "the host has not published it")) })
        }
        publishNext(client)
    }

    func unpublish(_ client: UInt64, _ service: Int) {
        if let index = servers[client]?.plans.firstIndex(where: { $0.plan.number == service }) {
            // The first one is with the host and is withdrawn when that is done.
            if index == 0 {
                servers[client]?.plans[0].isWithdrawn = true
            } else {
                servers[client]?.plans.remove(at: index).done(.failure(HostError(.cancelled)))
            }
            return
        }
        guard let id = servers[client]?.services.removeValue(forKey: service) else { return }
        for number in servers[client]?.characteristicsOf.removeValue(forKey: service) ?? [] {
            if let attribute = servers[client]?.attributes.removeValue(forKey: number) {
                servers[client]?.numbers[attribute.key] = nil
            }
            for link in servers[client]?.subscribers.keys.sorted(by: { $0.rawValue < $1.rawValue }) ?? [] {
                servers[client]?.subscribers[link]?.remove(number)
            }
        }
        host.assumeIsolated { $0.unpublish(id) { _ in } }
        pumpUpdates()
    }

    func removeAllServices(_ client: UInt64) {
        for waiting in servers[client]?.plans ?? [] { unpublish(client, waiting.plan.number) }
        for service in (servers[client]?.services.keys.sorted() ?? []).reversed() { unpublish(client, service) }
    }

    // MARK: Requests

    func requested(_ batch: RequestBatch) {
        guard let first = batch.requests.first,
            let server = servers.values.first(where: { $0.numbers[first.attribute.key] != nil })
        else { return refuse(batch) }
        var requests: [(characteristic: Int, kind: AttributeRequest.Kind)] = []
        for request in batch.requests {
            guard let number = server.numbers[request.attribute.key] else { return refuse(batch) }
            requests.append((number, request.kind))
        }
        let length = infos[batch.link]?.maximumValueLength ?? 20
        let incoming = IncomingRequests(
            token: batch.token, peer: batch.peer, maximumLength: length, requests: requests)
        server.core.deliver(toServer: { $0.requested(incoming) })
    }

    private func refuse(_ batch: RequestBatch) {
        guard let token = batch.token else { return }
        respond(token, .failure(code: 0x0E, index: 0))
    }

    func respond(_ token: RequestToken, _ response: RequestResponse) {
        host.assumeIsolated { $0.respond(to: token, with: response) }
    }

    // MARK: Subscribers

    func subscribed(_ link: LinkID, _ attribute: AttributeID, _ mode: SubscriptionMode) {
        guard let (client, server) = servers.first(where: { $0.value.numbers[attribute.key] != nil }),
            let number = server.numbers[attribute.key], let info = infos[link]
        else { return }
        let isOn = mode != .off
        guard server.subscribers[link]?.contains(number) ?? false != isOn else { return }
        if isOn {
            servers[client]?.subscribers[link, default: []].insert(number)
        } else {
            servers[client]?.subscribers[link]?.remove(number)
        }
        tell(client, info, number, isOn)
    }

    private func tell(_ client: UInt64, _ info: LinkInfo, _ number: Int, _ isOn: Bool) {
        let (peer, link, length) = (info.peer, info.id, info.maximumValueLength)
        servers[client]?.core.deliver(toServer: { server in
            server.subscribed(peer, link, maximumLength: length, number, isOn: isOn)
        })
    }

    /// A central is gone.
    func serversLost(_ info: LinkInfo) {
        for (client, server) in servers {
            for number in (servers[client]?.subscribers.removeValue(forKey: info.id) ?? []).sorted() {
                tell(client, info, number, false)
            }
            let peer = info.peer
            server.core.deliver(toServer: { $0.left(peer) })
        }
        pumpUpdates()
        resumeServers()
    }

    // MARK: Updates

    func update(_ client: UInt64, _ update: WaitingUpdate) {
        servers[client]?.updates.append(update)
        pumpUpdates()
    }

    /// Sends what waits, in order, as far as there is room.
    func pumpUpdates() {
        for client in servers.keys.sorted() {
            while let update = servers[client]?.updates.first {
                guard let attribute = servers[client]?.attributes[update.characteristic] else {
                    updated(client)
                    continue
                }
                guard let links = update.links else {
                    let isSent = host.assumeIsolated { host in
                        host.update(update.value, of: attribute, for: .allSubscribers)
                    }
                    guard isSent else { break }
                    updated(client)
                    continue
                }
                let rest = rest(of: links, update, attribute, client)
                guard rest.isEmpty else {
                    servers[client]?.updates[0].links = rest
                    break
                }
                updated(client)
            }
        }
    }

    /// The links that have no room yet.
    private func rest(of links: [LinkID], _ update: WaitingUpdate, _ attribute: AttributeID, _ client: UInt64)
        -> [LinkID]
    {
        links.filter { link in
            guard servers[client]?.subscribers[link]?.contains(update.characteristic) == true else { return false }
            return !host.assumeIsolated { $0.update(update.value, of: attribute, for: .link(link)) }
        }
    }

    private func updated(_ client: UInt64) {
        servers[client]?.updates.removeFirst()
        servers[client]?.core.deliver(toServer: { $0.updated() })
    }

    /// The links of the centrals that a manager names.
    func update(_ client: UInt64, _ number: Int, _ value: [UInt8], to peers: [PeerID]?) {
        let links = peers.map { peers in
            infos.values.filter { peers.contains($0.peer) }.map(\.id).sorted { $0.rawValue < $1.rawValue }
        }
        update(client, WaitingUpdate(characteristic: number, value: value, links: links))
    }

    func requestLatency(_ request: ConnectionParameterRequest, _ peer: PeerID) {
        guard let info = infos.values.first(where: { $0.peer == peer && $0.role == .peripheral }) else { return }
        host.assumeIsolated {
            _ = $0.requestParameters(request, on: info.id, timeout: .seconds(30)) { _ in }
        }
    }

    // MARK: Advertising

    func startAdvertising(_ client: UInt64, _ advertising: Advertising) {
        guard servers[client] != nil, isOn else { return }
        servers[client]?.advertising = advertising
        beginAdvertising(client)
    }

    private func beginAdvertising(_ client: UInt64) {
        guard isOn, let advertising = servers[client]?.advertising, advertising.id == nil, !advertising.isStarting
        else {
            return
        }
        servers[client]?.advertising?.isStarting = true
        let number = advertising.number
        let parameters = AdvertisingParameters(content: advertising.content)
        host.assumeIsolated { host in
            host.startAdvertising(parameters) { [self] result in
                assumeIsolated { $0.advertisingBegan(client, number, result) }
            }
        }
    }

    private func advertisingBegan(_ client: UInt64, _ number: UInt64, _ result: Result<AdvertisementID, HostError>) {
        guard let advertising = servers[client]?.advertising, advertising.number == number else {
            if case .success(let id) = result { host.assumeIsolated { $0.stopAdvertising(id) } }
            return
        }
        servers[client]?.advertising?.isStarting = false
        let isConfirmed = advertising.isConfirmed
        switch result {
        case .success(let id):
            servers[client]?.advertising?.id = id
            servers[client]?.advertising?.isConfirmed = true
            if !isConfirmed { servers[client]?.core.deliver(toServer: { $0.advertisingStarted(number, nil) }) }
        case .failure(let error):
            // One that had begun goes on as soon as the controller can: when a link is gone.
            guard !isConfirmed, error.code != .cancelled else { return }
            servers[client]?.advertising = nil
            servers[client]?.core.deliver(toServer: { $0.advertisingStarted(number, error) })
        }
    }

    func stopAdvertising(_ client: UInt64) {
        guard let advertising = servers[client]?.advertising else { return }
        servers[client]?.advertising = nil
        if let id = advertising.id { host.assumeIsolated { $0.stopAdvertising(id) } }
    }

    /// A central connected, or the controller stopped: the manager did not, so it goes on.
    func advertisingEnded(_ id: AdvertisementID, _ reason: HostError?) {
        for (client, server) in servers where server.advertising?.id == id {
            servers[client]?.advertising?.id = nil
            // Behind what follows of the link that ended it.
            loop.execute { [weak self] in self?.assumeIsolated { $0.beginAdvertising(client) } }
        }
    }

    func resumeServers() {
        for client in servers.keys.sorted() { beginAdvertising(client) }
    }

    /// The adapter is off. Below `poweredOff` services and advertisements are gone for good.
    func pauseServers(clearing: Bool) {
        for client in servers.keys.sorted() {
            servers[client]?.subscribers = [:]
            servers[client]?.advertising?.id = nil
            servers[client]?.advertising?.isStarting = false
            for _ in servers[client]?.updates ?? [] { updated(client) }
            guard clearing else { continue }
            servers[client]?.advertising = nil
            removeAllServices(client)
            stopListening(client)
        }
    }
}
