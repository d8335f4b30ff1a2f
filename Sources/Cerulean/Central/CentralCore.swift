// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// The state behind a ``Central``, on the executor of its host: events come in synchronously and in order.
actor CentralCore: HostEventSink {
    /// So many records of peers that were connected, and of the last that were found, are kept without handles.
    static let keptRecords = 1024

    nonisolated let host: any Host
    nonisolated let loop: any EventLoop
    nonisolated let states: Broadcaster<AdapterState>
    private nonisolated let executor: UnownedSerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor }
    private let ownsHost: Bool

    /// Everybody who is known to anybody.
    private var records: [PeerID: WeakRecord] = [:]
    private var purgeAt = 256
    /// Those that were connected, oldest first.
    private var kept: [PeerRecord] = []
    /// The last that were found, so that what was heard of them outlives their handles; ``nextRecent`` is overwritten
    /// next.
    private var recent: [PeerRecord] = []
    private var nextRecent = 0

    /// Running scans in the order of their start.
    var scans: [RunningScan] = []
    /// Attempts by the identity of their record.
    var attempts: [ObjectIdentifier: ConnectionAttempt] = [:]
    /// Links that this central connected, in the order of their connection.
    var links: [CentralLink] = []
    var linkTable: [LinkID: CentralLink] = [:]
    /// The feed that got the last value: most values come from the one that sent the one before.
    var lastFeed: (link: LinkID, attribute: AttributeID, feed: Feed)?
    /// The feeds of all readers, those that wait for the next link included.
    var subscriberFeeds: [UInt64: Feed] = [:]
    /// Peripherals that are kept connected, by the identity of their record.
    var reconnectors: [ObjectIdentifier: Reconnector] = [:]
    /// Databases that are being discovered.
    var walks: [UInt64: DatabaseWalk] = [:]
    /// What decides the pauses between attempts; begins with the time and our address, and so repeats itself on virtual
    /// time alone.
    var chance = SplitMix(seed: 0)
    /// Readers that are to be woken when the loop's turn is over.
    var sleepers: [Channel<Notification>] = []
    /// Periodic advertisers that are followed.
    var periodics: [SyncID: Channel<PeriodicReport>] = [:]
    private var powerWaiters: [(id: UInt64, completion: HostCompletion<Void>)] = []
    var linkWaiters: [(id: UInt64, record: PeerRecord, completion: HostCompletion<Void>)] = []
    private var nextNumber: UInt64 = 0
    private(set) var isOver = false
    /// Where pairing asks its questions.
    var desk: PairingDesk?

    init(host: any Host, ownsHost: Bool) {
        self.host = host
        self.ownsHost = ownsHost
        loop = host.loop
        executor = host.loop.asUnownedSerialExecutor()
        states = Broadcaster(.unknown)
    }

    func begin() {
        host.assumeIsolated { host in
            host.addSink(self)
            states.send(host.state)
        }
        let address = localAddress?.address.rawValue ?? 0
        chance = SplitMix(seed: UInt64(bitPattern: loop.now.nanoseconds) ^ address &* 0x9E37_79B9_7F4A_7C15)
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
        case .value(let link, let attribute, let value, let mode):
            received(value, of: attribute, on: link, mode: mode)
        case .advertisement(let advertisement, let scans):
            saw(advertisement, for: scans)
        case .scanEnded(let scan, let error):
            scanEnded(scan, error)
        case .periodicReport(let sync, let report):
            periodicReport(sync, report)
        case .syncEnded(let sync, let error):
            syncEnded(sync, error)
        case .stateChanged(let state):
            stateChanged(state)
        case .linkUpdated(let info):
            for record in linkTable[info.id]?.records ?? [] { record.update { $0.link = info } }
        case .linkClosed(let info, let reason):
            linkClosed(info.id, reason)
        case .identityResolved(let from, let to):
            resolved(from, to)
        case .servicesChanged(let link, let range):
            databaseChanged(on: link, range)
        case .linkOpened, .readyToWrite, .requests, .valueWritten, .subscriptionChanged, .readyToUpdate, .updatesLost,
            .advertisingEnded, .pairing, .channel:
            // The business of servers, and of whoever made the link.
            break
        }
    }

    private func stateChanged(_ state: AdapterState) {
        states.send(state)
        guard state == .poweredOn else { return }
        let waiters = powerWaiters
        powerWaiters = []
        for waiter in waiters { waiter.completion(.success(())) }
        attemptWaiting()
    }

    func whenPoweredOn(_ completion: @escaping HostCompletion<Void>) -> (@Sendable (GiveUp) -> Void)? {
        if isOver {
            completion(.failure(HostError(.wrongState, detail: "the central was shut down")))
            return nil
        }
        if states.value == .poweredOn {
            completion(.success(()))
            return nil
        }
        let id = number()
        powerWaiters.append((id, completion))
        return { [self] _ in
            assumeIsolated { core in
                guard let index = core.powerWaiters.firstIndex(where: { $0.id == id }) else { return }
                core.powerWaiters.remove(at: index).completion(.failure(HostError(.cancelled)))
            }
        }
    }

    // MARK: Records

    func record(for id: PeerID, address: DeviceAddress? = nil, name: String? = nil) -> PeerRecord {
        if let record = records[id]?.record {
            if address != nil || name != nil {
                record.update { $0.address = address ?? $0.address }
                if let name { record.learn(name: name) }
            }
            return record
        }
        if records.count >= purgeAt {
            records = records.filter { $0.value.record != nil }
            purgeAt = max(256, records.count * 2)
        }
        let record = PeerRecord(id: id, address: address, name: name, now: loop.now)
        records[id] = WeakRecord(record)
        if recent.count < Self.keptRecords {
            recent.append(record)
        } else {
            recent[nextRecent] = record
            nextRecent = (nextRecent + 1) % Self.keptRecords
        }
        return record
    }

    func record(at address: DeviceAddress) -> PeerRecord? {
        guard let id = host.assumeIsolated({ $0.peer(at: address) }) else { return nil }
        return record(for: id, address: address)
    }

    func knownRecords() -> [PeerRecord] {
        host.assumeIsolated { $0.knownPeers }.map { record(for: $0.peer, address: $0.address, name: $0.name) }
    }

    func connectedRecords() -> [PeerRecord] { links.map(\.record) }

    /// Those with links of this host whoever made them, which are known to have one of some services.
    func linkedRecords(_ services: [BluetoothUUID]) -> [PeerRecord] {
        let infos = host.assumeIsolated { $0.links }.filter { $0.role == .central }
        let all = infos.map { info in linkTable[info.id]?.record ?? record(for: info.peer, address: info.address) }
        guard !services.isEmpty else { return all }
        return all.filter { record in
            let state = record.read { $0 }
            let known = (state.services ?? []).map(\.uuid) + (state.advertisement?.fields.services ?? [])
            return known.contains { services.contains($0) }
        }
    }

    /// Those that anybody still has to do with, in the order of their discovery.
    var liveRecords: [PeerRecord] {
        let live = records.values.compactMap(\.record)
        return live.sorted { a, b in
            let (first, second) = (a.statistics.discovered ?? .zero, b.statistics.discovered ?? .zero)
            return first == second ? a.id.description < b.id.description : first < second
        }
    }

    /// Keeps a record for its statistics.
    func keep(_ record: PeerRecord) {
        kept.removeAll { $0 === record }
        kept.append(record)
        if kept.count > Self.keptRecords { kept.removeFirst() }
    }

    private func resolved(_ from: PeerID, _ to: PeerID) {
        if let record = records[from]?.record { identify(record, as: to) }
    }

    /// The device of a record turns out to be `peer`. Another record of it remains the one that is handed out.
    func identify(_ record: PeerRecord, as peer: PeerID) {
        let old = record.id
        guard old != peer else { return }
        if records[old]?.record === record { records[old] = nil }
        record.update { $0.id = peer }
        if records[peer]?.record == nil { records[peer] = WeakRecord(record) }
    }

    // MARK: The end

    /// Ends everything when the last handle is gone.
    nonisolated func close() {
        loop.execute { [self] in assumeIsolated { $0.shutdown { _ in } } }
    }

    func shutdown(_ completion: @escaping HostCompletion<Void>) {
        guard !isOver else { return completion(.success(())) }
        isOver = true
        desk?.close()
        desk = nil
        for scan in scans { end(scan, BluetoothError(.cancelled, "scan", detail: "the central was shut down")) }
        scans = []
        endSyncs()
        for waiter in powerWaiters { waiter.completion(.failure(HostError(.cancelled))) }
        powerWaiters = []
        let others = linkWaiters
        linkWaiters = []
        for waiter in others { waiter.completion(.failure(HostError(.cancelled))) }
        for keeper in reconnectors.values.sorted(by: { $0.number < $1.number }) { forgo(keeper.record, nil) }
        for attempt in attempts.values.sorted(by: { $0.number < $1.number }) { abandon(attempt) }
        for link in links { leave(link, force: false) { _ in } }
        // Its links close before the host is stopped; the sink hears of it until then.
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
        for link in links { closed(link, BluetoothError(.disconnected, "", detail: "the central was shut down")) }
        states.send(.poweredOff)
        states.end()
    }
}

/// Random numbers from a seed (Steele, Lea, Flood 2014).
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

private struct WeakRecord {
    weak var record: PeerRecord?
    init(_ record: PeerRecord) { self.record = record }
}
