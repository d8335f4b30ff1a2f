// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// All managers' side of one host, on the host's loop: who scans, who wants and holds which link, who is subscribed to
/// what.
///
/// Managers know it by their number alone. What it tells them goes through ``ManagerCore`` to their queues, in the
/// order of the air.
actor Radio: HostEventSink {
    nonisolated let host: any CeruleanHost.Host
    nonisolated let loop: any EventLoop
    nonisolated let pairing: Guarded<CBLinuxAdapter.PairingHandler?>
    /// What managers ask without waiting: which peers are connected and their services.
    nonisolated let connected = Guarded<[(peer: PeerID, services: Set<BluetoothUUID>)]>([])
    nonisolated let knownCapabilities = Guarded<HostCapabilities>([])
    private nonisolated let executor: UnownedSerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor }
    private let controlsPairing: Bool

    var state = AdapterState.unknown
    var centrals: [UInt64: CentralClient] = [:]
    var servers: [UInt64: ServerClient] = [:]
    /// Links that managers hold.
    var links: [LinkID: HeldLink] = [:]
    /// All links of the host.
    var infos: [LinkID: LinkInfo] = [:]
    /// What peers turned out to be.
    var aliases = Aliases()
    var connector = Connector()
    /// Open channels, and who listens on which PSM.
    var channels: [ChannelID: ChannelPipe] = [:]
    var listeners: [UInt16: UInt64] = [:]
    /// Names that peers told of themselves, the last ones.
    var names = RecentNames()
    private var isStarting = false

    init(_ host: any CeruleanHost.Host, pairing: Guarded<CBLinuxAdapter.PairingHandler?>, controlsPairing: Bool) {
        self.host = host
        self.pairing = pairing
        self.controlsPairing = controlsPairing
        loop = host.loop
        executor = host.loop.asUnownedSerialExecutor()
    }

    var isOn: Bool { state == .poweredOn }

    func begin() {
        host.assumeIsolated { host in
            host.addSink(self)
        }
        // A host that was not started calls itself off; whether it is will turn out.
        state = host.assumeIsolated { $0.state } == .poweredOn ? .poweredOn : .unknown
        for link in host.assumeIsolated({ $0.links }) { infos[link.id] = link }
        noteCapabilities()
        setUpPairing()
        if !isOn { start() }
    }

    /// Nobody uses it any more.
    func end(stopping: Bool) {
        host.assumeIsolated { host in
            host.removeSink(self)
            if stopping { host.stop { _ in } }
        }
    }

    private func noteCapabilities() {
        let capabilities = host.assumeIsolated { $0.capabilities }
        knownCapabilities { $0 = capabilities }
    }

    // MARK: Starting

    private func start() {
        guard !isStarting else { return }
        isStarting = true
        host.assumeIsolated { host in
            host.start(timeout: .seconds(10)) { [self] result in assumeIsolated { $0.started(result) } }
        }
    }

    private func started(_ result: Result<Void, HostError>) {
        isStarting = false
        guard case .failure(let error) = result else {
            let new = host.assumeIsolated { $0.state }
            if new != state { changed(new) }
            return
        }
        state = .poweredOff
        if error.code != .wrongState {
            CBLinuxLog.write("\(host.name): \(error.code) \(error.detail ?? "")")
            let seen = CBManagerState(error)
            for core in cores { core.deliver { $0.radioChanged(seen) } }
        }
        startLater()
    }

    /// An adapter that was lost may come back.
    private func startLater() {
        guard !cores.isEmpty else { return }
        _ = loop.schedule(at: loop.now + RadioSource.rest) { [weak self] in
            self?.assumeIsolated { radio in
                if !radio.isOn, !radio.cores.isEmpty { radio.start() }
            }
        }
    }

    var cores: [ManagerCore] { centrals.values.map(\.core) + servers.values.map(\.core) }

    // MARK: Events

    nonisolated func receive(_ event: HostEvent) { assumeIsolated { $0.handle(event) } }

    private func handle(_ event: HostEvent) {
        switch event {
        case .value(let link, let attribute, let value, _): received(value, of: attribute, on: link)
        case .advertisement(let advertisement, let scans): saw(advertisement, scans)
        case .scanEnded(let scan, _): scanEnded(scan)
        case .stateChanged(let new):
            // What happens on the way to the end of a start is not told.
            if new != state, !isStarting || new == .poweredOn { changed(new) }
        case .linkOpened(let info): opened(info)
        case .linkUpdated(let info): updated(info)
        case .linkClosed(let info, let reason): closed(info, reason)
        case .identityResolved(let from, let to): learn(from, to)
        case .servicesChanged(let link, let range): servicesChanged(link, range)
        case .requests(let batch): requested(batch)
        case .subscriptionChanged(let link, let attribute, let mode): subscribed(link, attribute, mode)
        case .readyToUpdate: pumpUpdates()
        case .channel(let event): happened(event)
        case .pairing(let link, .question(let question)): asked(question, on: link)
        case .advertisingEnded(let advertisement, let reason): advertisingEnded(advertisement, reason)
        case .readyToWrite, .valueWritten, .updatesLost, .pairing, .periodicReport, .syncEnded: break
        }
    }

    private func changed(_ new: AdapterState) {
        state = new
        noteCapabilities()
        if new != .poweredOn {
            infos = [:]
            dropConnections()
            endChannels()
            pauseServers(clearing: new != .poweredOff)
        }
        let seen = CBManagerState(new)
        for (number, client) in centrals {
            if beginRestoring(number) { continue }
            client.core.deliver { $0.radioChanged(seen) }
        }
        for client in servers.values { client.core.deliver { $0.radioChanged(seen) } }
        if new == .poweredOn { resumeServers() }
        if new == .poweredOff || new == .unknown { startLater() }
    }

    private func opened(_ info: LinkInfo) {
        infos[info.id] = info
        tellOpened(info)
    }

    private func updated(_ info: LinkInfo) {
        infos[info.id] = info
        links[info.id]?.info = info
        let length = info.maximumValueLength
        for holder in links[info.id]?.holders ?? [] {
            let peer = holder.peer
            centrals[holder.client]?.core.deliver(toCentral: { $0.linkChanged(peer, maximumLength: length) })
        }
        for client in servers.values where client.subscribers[info.id] != nil {
            let peer = info.peer
            client.core.deliver(toServer: { $0.linkChanged(peer, maximumLength: length) })
        }
    }

    private func closed(_ info: LinkInfo, _ reason: HostError) {
        infos[info.id] = nil
        serversLost(info)
        centralsLost(info, reason)
    }

    // MARK: Pairing

    private func setUpPairing() {
        guard controlsPairing else { return }
        let asks = pairing { $0 } != nil
        let policy = PairingPolicy(
            ioCapability: asks ? .keyboardDisplay : .noInputNoOutput, acceptsPairing: true, confirmsJustWorks: asks)
        host.assumeIsolated { $0.setPairing(policy, asking: self) }
    }

    private func asked(_ question: PairingQuestion, on link: LinkID) {
        let answer: @Sendable (PairingAnswer) -> Void = { [weak self] answer in
            self?.loop.execute { [weak self] in
                self?.assumeIsolated { radio in radio.host.assumeIsolated { $0.answerPairing(answer, on: link) } }
            }
        }
        guard let handler = pairing({ $0 }), let info = infos[link] else {
            return answer(question == .confirmJustWorks ? .accept : .refuse)
        }
        let identifier = Identities.host.identifier(of: info.peer)
        CBLinuxAdapter.queue.async { handler(identifier, question, answer) }
    }
}

/// What the peers that were met last turned out to be: a private address of a bonded device lives for minutes.
struct Aliases {
    static let limit = 1024
    private var identities: [PeerID: PeerID] = [:]
    /// Oldest first.
    private var order: [PeerID] = []

    subscript(peer: PeerID) -> PeerID? { identities[peer] }

    var count: Int { identities.count }

    /// - Parameter isUsed: whether a peer must not be forgotten.
    mutating func learn(_ peer: PeerID, _ identity: PeerID, isUsed: (PeerID) -> Bool) {
        if identities.updateValue(identity, forKey: peer) == nil { order.append(peer) }
        guard order.count > Self.limit else { return }
        // Half of them at once, so that this is rare.
        let kept = Set(order.dropFirst(Self.limit / 2)).union(order.filter(isUsed))
        order.removeAll { !kept.contains($0) }
        identities = identities.filter { kept.contains($0.key) }
    }
}

/// The names of the peers that told theirs last.
struct RecentNames {
    static let limit = 1024
    private var names: [PeerID: String] = [:]

    subscript(peer: PeerID) -> String? {
        get { names[peer] }
        set {
            if names.count >= Self.limit, names[peer] == nil { names = [:] }
            names[peer] = newValue
        }
    }
}
