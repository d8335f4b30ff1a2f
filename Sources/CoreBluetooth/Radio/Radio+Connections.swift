// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// Makes links for all managers. A wish never times out and must not keep others waiting: a single one is left to the
/// controller for as long as it takes; of several, each is tried when its device is heard.
struct Connector {
    struct Attempt {
        var peer: PeerID
        var number: UInt64
        /// Without a timeout.
        var isPatient: Bool
        var operation: OperationID?
        var isCancelled = false
    }

    var attempt: Attempt?
    var lastNumber: UInt64 = 0
    var scan: ScanID?
    var isStartingScan = false
    /// Nothing is tried for a moment after a failure.
    var isResting = false

    static let forever: Duration = .seconds(1 << 31)
    static let patience: Duration = .seconds(5)
    static let rest: Duration = .milliseconds(500)
}

extension Radio {
    /// What a peer is known as now.
    func resolved(_ peer: PeerID) -> PeerID { aliases[peer] ?? peer }

    /// A peer turned out to be another one.
    func learn(_ peer: PeerID, _ identity: PeerID) {
        let centrals = centrals
        aliases.learn(peer, identity) { peer in centrals.values.contains { $0.claims[peer] != nil } }
    }

    private func openLink(to peer: PeerID) -> LinkID? {
        let peer = resolved(peer)
        return links.first { $0.value.info.peer == peer && !$0.value.isLeaving }?.key
    }

    // MARK: Wishes

    func connect(_ client: UInt64, _ peer: PeerID, epoch: UInt64, reconnects: Bool, delay: Duration) {
        guard centrals[client] != nil, isOn else { return }
        if let claim = centrals[client]?.claims[peer], claim.phase != .delayed {
            centrals[client]?.claims[peer]?.epoch = epoch
            centrals[client]?.claims[peer]?.reconnects = reconnects
            if case .connected(let link) = claim.phase { tellConnected(client, peer, link, nil) }
            return
        }
        // Of several calls before the link is up, the last one says when it is tried.
        endDelay(client, peer)
        centrals[client]?.claims[peer] = Claim(epoch: epoch, phase: .waiting, reconnects: reconnects)
        guard delay > .zero else { return pursue(client, peer) }
        centrals[client]?.claims[peer]?.phase = .delayed
        centrals[client]?.claims[peer]?.timer = loop.schedule(at: loop.now + delay) { [weak self] in
            self?.assumeIsolated { radio in
                guard let claim = radio.centrals[client]?.claims[peer], claim.phase == .delayed, claim.epoch == epoch
                else { return }
                radio.centrals[client]?.claims[peer]?.timer = nil
                radio.centrals[client]?.claims[peer]?.phase = .waiting
                radio.pursue(client, peer)
            }
        }
    }

    private func endDelay(_ client: UInt64, _ peer: PeerID) {
        if let timer = centrals[client]?.claims[peer]?.timer { loop.cancel(timer) }
        centrals[client]?.claims[peer]?.timer = nil
    }

    /// Joins the link that is there, or has one made.
    func pursue(_ client: UInt64, _ peer: PeerID) {
        if let link = openLink(to: peer) { join(client, peer, link) } else { evaluateConnections() }
    }

    /// The manager does not want the peer any more; it hears of the end without an error.
    ///
    /// - Parameter epoch: only the wish of this call of `connect`; nil is any.
    func cancelConnection(_ client: UInt64, _ peer: PeerID, epoch wanted: UInt64? = nil) {
        guard let claim = centrals[client]?.claims[peer], wanted == nil || claim.epoch == wanted else { return }
        endDelay(client, peer)
        centrals[client]?.claims[peer] = nil
        let core = centrals[client]?.core
        let epoch = claim.epoch
        let tell: @Sendable () -> Void = {
            core?.deliver(toCentral: { $0.disconnected(peer, epoch: epoch, error: nil, isReconnecting: false) })
        }
        awaited(client, peer)
        guard let link = claim.link else {
            tell()
            return evaluateConnections()
        }
        leave(link, Holder(client: client, peer: peer), tell)
    }

    private func leave(_ link: LinkID, _ holder: Holder, _ tell: @escaping @Sendable () -> Void) {
        links[link]?.holders.removeAll { $0 == holder }
        forgetSubscriptions(of: holder.client, on: link)
        guard let held = links[link], held.holders.isEmpty else { return tell() }
        links[link]?.isLeaving = true
        indexConnected()
        host.assumeIsolated { host in
            host.disconnect(link, force: false) { [self] _ in
                assumeIsolated { radio in
                    // It stays up for others outside of this module.
                    radio.links[link] = nil
                    tell()
                    radio.evaluateConnections()
                }
            }
        }
    }

    // MARK: Making links

    /// Peers that are waited for, each once.
    private var wanted: [PeerID] {
        var peers: [PeerID] = []
        for client in centrals.values {
            for (peer, claim) in client.claims where claim.phase == .waiting {
                let peer = resolved(peer)
                // A link that is being left has to go first.
                if !peers.contains(peer), !links.values.contains(where: { $0.info.peer == peer }) { peers.append(peer) }
            }
        }
        return peers
    }

    func evaluateConnections() {
        guard isOn else { return }
        let wanted = wanted
        if let attempt = connector.attempt {
            if !attempt.isCancelled, !wanted.contains(attempt.peer) || (attempt.isPatient && wanted.count > 1) {
                connector.attempt?.isCancelled = true
                if let operation = attempt.operation { host.assumeIsolated { $0.cancel(operation) } }
            }
        }
        if connector.attempt == nil, !connector.isResting {
            if let known = wanted.first(where: { peer in infos.values.contains { $0.peer == peer } }) {
                begin(known, isPatient: false)
            } else if wanted.count == 1 {
                begin(wanted[0], isPatient: true)
            }
        }
        scanForWanted(wanted.count > 1)
    }

    private func scanForWanted(_ isNeeded: Bool) {
        if !isNeeded, let scan = connector.scan {
            connector.scan = nil
            host.assumeIsolated { $0.stopScan(scan) }
        }
        guard isNeeded, connector.scan == nil, !connector.isStartingScan else { return }
        connector.isStartingScan = true
        host.assumeIsolated { host in
            host.startScan(ScanParameters(reportsDuplicates: true, isActive: false)) { [self] result in
                assumeIsolated { radio in
                    radio.connector.isStartingScan = false
                    guard case .success(let scan) = result else { return radio.restConnector() }
                    radio.connector.scan = scan
                    radio.evaluateConnections()
                }
            }
        }
    }

    /// A device was heard while several are wanted.
    func heard(_ advertisement: Advertisement) {
        guard advertisement.isConnectable, connector.attempt == nil, !connector.isResting,
            wanted.contains(advertisement.peer)
        else { return }
        begin(advertisement.peer, isPatient: false)
    }

    private func begin(_ peer: PeerID, isPatient: Bool) {
        connector.lastNumber += 1
        let number = connector.lastNumber
        connector.attempt = Connector.Attempt(peer: peer, number: number, isPatient: isPatient)
        let timeout = isPatient ? Connector.forever : Connector.patience
        let operation = host.assumeIsolated { host in
            host.connect(peer, options: ConnectOptions(), timeout: timeout) { [self] result in
                assumeIsolated { $0.attemptEnded(number, peer, result) }
            }
        }
        if connector.attempt?.number == number { connector.attempt?.operation = operation }
    }

    private func attemptEnded(_ number: UInt64, _ peer: PeerID, _ result: Result<LinkInfo, HostError>) {
        if connector.attempt?.number == number { connector.attempt = nil }
        switch result {
        case .success(let info): established(info, for: peer)
        case .failure(let error): failed(error, peer)
        }
    }

    private func established(_ info: LinkInfo, for peer: PeerID) {
        if info.peer != peer { learn(peer, info.peer) }
        if links[info.id] == nil { links[info.id] = HeldLink(info) }
        infos[info.id] = info
        for (number, client) in centrals {
            for (peer, claim) in client.claims where claim.phase == .waiting && resolved(peer) == info.peer {
                join(number, peer, info.id)
            }
        }
        if links[info.id]?.holders.isEmpty == true {
            // Nobody wants it any more.
            links[info.id] = nil
            host.assumeIsolated { host in
                host.disconnect(info.id, force: false) { [self] _ in assumeIsolated { $0.evaluateConnections() } }
            }
        } else {
            prime(info.id)
        }
        evaluateConnections()
    }

    private func failed(_ error: HostError, _ peer: PeerID) {
        guard isOn else { return }
        switch error.code {
        case .cancelled, .timedOut: evaluateConnections()
        case .notFound, .invalidArgument, .unsupported, .insufficientSecurity: refuse(peer, error)
        case _ where error.controller == 0x09: refuse(peer, error)
        default: restConnector()
        }
    }

    private func refuse(_ peer: PeerID, _ error: HostError) {
        for (number, client) in centrals {
            for (key, claim) in client.claims where claim.phase == .waiting && resolved(key) == peer {
                centrals[number]?.claims[key] = nil
                let epoch = claim.epoch
                let failure = Handed(CBError.of(error))
                client.core.deliver(toCentral: { $0.failedToConnect(key, epoch: epoch, error: failure.value) })
                awaited(number, key)
            }
        }
        evaluateConnections()
    }

    private func restConnector() {
        guard !connector.isResting else { return }
        connector.isResting = true
        _ = loop.schedule(at: loop.now + Connector.rest) { [weak self] in
            self?.assumeIsolated { radio in
                radio.connector.isResting = false
                radio.evaluateConnections()
            }
        }
    }

    // MARK: Links

    private func join(_ client: UInt64, _ peer: PeerID, _ link: LinkID) {
        links[link]?.holders.append(Holder(client: client, peer: peer))
        indexConnected()
        guard let tree = centrals[client]?.claims[peer]?.tree else {
            centrals[client]?.claims[peer]?.phase = .connected(link)
            return tellConnected(client, peer, link, nil)
        }
        centrals[client]?.claims[peer]?.phase = .joining(link)
        refind(tree, client, peer, link)
    }

    /// The attributes of an earlier link are found again, or gone.
    func refound(_ client: UInt64, _ peer: PeerID, _ link: LinkID, _ found: FoundTree) {
        guard centrals[client]?.claims[peer]?.phase == .joining(link) else { return }
        centrals[client]?.claims[peer]?.phase = .connected(link)
        centrals[client]?.claims[peer]?.tree = nil
        tellConnected(client, peer, link, found)
    }

    private func tellConnected(_ client: UInt64, _ peer: PeerID, _ link: LinkID, _ found: FoundTree?) {
        guard let core = centrals[client]?.core, let claim = centrals[client]?.claims[peer],
            let info = links[link]?.info
        else { return }
        let epoch = claim.epoch
        let name = names[info.peer]
        let isRestoring = centrals[client]?.restoration?.awaited.contains(peer) == true
        core.deliver(toCentral: { central in
            central.connected(peer, info, epoch: epoch, name: name, found: found, isRestoring: isRestoring)
        })
        awaited(client, peer)
    }

    func centralsLost(_ info: LinkInfo, _ reason: HostError) {
        tellClosed(info)
        guard let held = links.removeValue(forKey: info.id) else { return evaluateConnections() }
        for waiter in held.serviceWaiters { waiter(.failure(reason)) }
        indexConnected()
        for holder in held.holders {
            guard let claim = centrals[holder.client]?.claims[holder.peer], let core = centrals[holder.client]?.core
            else { continue }
            let isReconnecting = claim.reconnects && !reason.isOfAdapter
            if isReconnecting {
                // Before the first `didConnect` of this link the manager cannot know more than it did.
                let isKept = claim.tree != nil
                centrals[holder.client]?.claims[holder.peer]?.phase = isKept ? .waiting : .lost
            } else {
                centrals[holder.client]?.claims[holder.peer] = nil
                awaited(holder.client, holder.peer)
            }
            // The state alone tells of links that ended with the adapter.
            guard !reason.isOfAdapter else { continue }
            let epoch = claim.epoch
            let error = Handed(CBError.of(reason))
            let peer = holder.peer
            core.deliver(toCentral: { central in
                central.disconnected(peer, epoch: epoch, error: error.value, isReconnecting: isReconnecting)
            })
        }
        evaluateConnections()
    }

    /// The manager has told what is to be found again on the next link.
    func reconnect(_ client: UInt64, _ peer: PeerID, _ tree: KeptTree) {
        guard centrals[client]?.claims[peer]?.phase == .lost else { return }
        centrals[client]?.claims[peer]?.phase = .waiting
        centrals[client]?.claims[peer]?.tree = tree
        pursue(client, peer)
    }

    /// Without an adapter nothing is connected or wanted.
    func dropConnections() {
        for (number, client) in centrals {
            for peer in client.claims.keys { endDelay(number, peer) }
            centrals[number]?.claims = [:]
            centrals[number]?.scan = nil
            if let timer = centrals[number]?.restoration?.timer { loop.cancel(timer) }
            centrals[number]?.restoration = nil
        }
        for held in links.values {
            for waiter in held.serviceWaiters { waiter(.failure(HostError(.poweredOff))) }
        }
        links = [:]
        let last = connector.lastNumber
        connector = Connector()
        connector.lastNumber = last
        indexConnected()
    }

    func indexConnected() {
        let all = links.values.filter { !$0.isLeaving && !$0.holders.isEmpty }.sorted {
            $0.info.id.rawValue < $1.info.id.rawValue
        }
        let index = all.map { held in
            (peer: held.holders[0].peer, services: Set((held.services ?? []).map(\.uuid)))
        }
        connected { $0 = index }
    }

    // MARK: Connection events

    func match(_ client: UInt64, _ matching: ConnectionMatching?) { centrals[client]?.matching = matching }

    /// Tells managers that asked for this peer.
    func tellOpened(_ info: LinkInfo) {
        for (number, client) in centrals where client.matching?.peers.contains(info.peer) == true {
            tell(number, .peerConnected, info)
        }
    }

    /// Tells managers that asked for one of these services.
    func tellServices(_ services: [ServiceInfo], of link: LinkID) {
        guard let held = links[link] else { return }
        for (number, client) in centrals where !held.told.contains(number) {
            guard let matching = client.matching, !matching.peers.contains(held.info.peer),
                services.contains(where: { matching.services.contains($0.uuid) })
            else { continue }
            links[link]?.told.insert(number)
            tell(number, .peerConnected, held.info)
        }
    }

    private func tellClosed(_ info: LinkInfo) {
        for (number, client) in centrals {
            let isTold = links[info.id]?.told.contains(number) == true
            guard isTold || client.matching?.peers.contains(info.peer) == true else { continue }
            tell(number, .peerDisconnected, info)
        }
    }

    private func tell(_ client: UInt64, _ event: CBConnectionEvent, _ info: LinkInfo) {
        let peer = info.peer
        centrals[client]?.core.deliver(toCentral: { $0.connectionEvent(event, peer) })
    }
}

extension HostError {
    /// The adapter is the reason, not the peer.
    var isOfAdapter: Bool {
        [.poweredOff, .adapterFailed, .noAdapter, .unauthorized, .adapterBusy].contains(code)
    }
}
