// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
import CeruleanWire
import Synchronization

/// What every `Host` keeps, checked on a host under test beside a second one on the same air.
///
/// The second host is a whole one, as CeruleanStack's. What the host under test does not claim has to end with
/// `unsupported`; the checks of
/// what it claims run.
/// ```swift
/// @Test(arguments: HostConformance.Check.allCases)
/// func keepsTheRules(_ check: HostConformance.Check) async throws {
///     try await TwoHosts.run { hosts in
///         try await HostConformance(subject: hosts.centralHost, peer: hosts.serverHost).run(check)
///     }
/// }
/// ```
public struct HostConformance: Sendable {
    /// One rule, or a few that belong together.
    public enum Check: String, CaseIterable, Sendable {
        /// Starting a started host succeeds; stopping ends in `poweredOff`.
        case starts
        /// A scan finds by service, reports a device once, and ends when told.
        case scans
        /// A link opens before its connect ends and closes before its disconnect ends; one use less is not its end.
        case connects
        /// A connect that cannot succeed ends after its timeout, or when cancelled.
        case givesUp
        /// Services, characteristics and descriptors are found with their types and properties.
        case discovers
        /// What was found on an earlier link is stale.
        case forgets
        /// Values are read and written, long ones too; refusals carry the peer's code.
        case reads
        /// Writes without response arrive in order; longer ones than a packet are refused.
        case writesWithoutResponse
        /// Values come in order after subscribing, and no more after unsubscribing.
        case subscribes
        /// When the link goes, pending operations end once, with one reason, before the event.
        case endsPending
        /// Every sink gets every event.
        case tellsAllSinks
        /// Services are published, read, written, subscribed to and withdrawn.
        case serves
        /// A full queue of updates says so, and says when there is room.
        case pushesBack
        /// What is not claimed ends with `unsupported`.
        case declines
    }

    /// What did not hold.
    public struct Failure: Error, CustomStringConvertible {
        /// A sentence.
        public let description: String
    }

    let subject: any Host
    let peer: any Host

    /// A host under test and a whole host beside it. Both are started by ``run(_:)`` if they are not yet.
    public init(subject: any Host, peer: any Host) {
        self.subject = subject
        self.peer = peer
    }

    /// Checks one rule.
    ///
    /// - Throws: ``Failure``, or what a host failed with that must not fail.
    public func run(_ check: Check) async throws {
        try await start(subject)
        try await start(peer)
        switch check {
        case .starts: try await starts()
        case .scans: try await scans()
        case .connects: try await connects()
        case .givesUp: try await givesUp()
        case .discovers: try await discovers()
        case .forgets: try await forgets()
        case .reads: try await reads()
        case .writesWithoutResponse: try await writesWithoutResponse()
        case .subscribes: try await subscribes()
        case .endsPending: try await endsPending()
        case .tellsAllSinks: try await tellsAllSinks()
        case .serves: try await serves()
        case .pushesBack: try await pushesBack()
        case .declines: try await declines()
        }
    }

    // MARK: - tools

    func expect(_ condition: Bool, _ text: @autoclosure () -> String) throws {
        if !condition { throw Failure(description: text()) }
    }

    /// Calls a host on its loop and waits for the completion.
    func call<Value: Sendable>(
        _ host: any Host, _ body: @escaping @Sendable (isolated any Host, @escaping HostCompletion<Value>) -> Void
    ) async -> Result<Value, HostError> {
        await withCheckedContinuation { continuation in
            host.loop.execute {
                host.assumeIsolated { host in body(host) { continuation.resume(returning: $0) } }
            }
        }
    }

    /// Waits long enough for every honest operation.
    static var patience: Duration { .seconds(60) }

    func start(_ host: any Host) async throws {
        let result: Result<Void, HostError> = await call(host) { $0.start(timeout: .seconds(10), completion: $1) }
        try result.get()
    }

    func code<Value>(_ result: Result<Value, HostError>) -> HostError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    /// The services that the whole host offers.
    static let offered = ServiceDefinition(
        uuid: 0x180D,
        characteristics: [
            CharacteristicDefinition(
                uuid: 0x2A29, properties: .read, permissions: .readable, value: .stored(Array("Cerulean".utf8)),
                descriptors: [
                    DescriptorDefinition(
                        uuid: 0x2901, permissions: .readable, value: .stored(Array("Maker".utf8)))
                ]),
            CharacteristicDefinition(
                uuid: 0x2A39, properties: [.read, .write, .writeWithoutResponse], permissions: .readWrite),
            CharacteristicDefinition(uuid: 0x2A37, properties: .notify, permissions: AttributePermissions()),
            CharacteristicDefinition(uuid: 0x2A46, properties: .indicate, permissions: AttributePermissions()),
        ])

    /// Offers the services and advertises them.
    func offer(_ events: HostEvents) async throws -> PublishedService {
        let published: Result<[PublishedService], HostError> = await call(peer) { host, done in
            host.addSink(events)
            host.publish([Self.offered], for: events, completion: done)
        }
        try await advertise()
        return try published.get()[0]
    }

    func advertise() async throws {
        let parameters = AdvertisingParameters(content: .fields(name: "Peer", services: [0x180D]))
        let started: Result<AdvertisementID, HostError> = await call(peer) {
            $0.startAdvertising(parameters, completion: $1)
        }
        _ = try started.get()
    }

    /// Listens to the host under test.
    func listen() async -> HostEvents {
        let events = HostEvents()
        let _: Result<Void, HostError> = await call(subject) { host, done in
            host.addSink(events)
            done(.success(()))
        }
        return events
    }

    func find(_ events: HostEvents) async throws -> PeerID {
        let scan: Result<ScanID, HostError> = await call(subject) {
            $0.startScan(ScanParameters(services: [0x180D]), completion: $1)
        }
        let id = try scan.get()
        let peer = await events.next { event in
            if case .advertisement(let advertisement, _) = event { advertisement.peer } else { nil }
        }
        let subject = subject
        subject.loop.execute { subject.assumeIsolated { $0.stopScan(id) } }
        return peer
    }

    func connect(_ peer: PeerID) async throws -> LinkInfo {
        let result: Result<LinkInfo, HostError> = await call(subject) { host, done in
            _ = host.connect(peer, options: ConnectOptions(), timeout: Self.patience, completion: done)
        }
        return try result.get()
    }

    /// A link of the host under test to the other one, with everything found.
    func explore() async throws -> Explored {
        let theirs = HostEvents()
        let service = try await offer(theirs)
        let events = await listen()
        let peer = try await find(events)
        let link = try await connect(peer)
        let services: Result<[ServiceInfo], HostError> = await call(subject) { host, done in
            _ = host.discoverServices([0x180D], on: link.id, timeout: Self.patience, completion: done)
        }
        guard let first = try services.get().first else { throw Failure(description: "no service was found") }
        let characteristics: Result<[CharacteristicInfo], HostError> = await call(subject) { host, done in
            _ = host.discoverCharacteristics(of: first.id, on: link.id, timeout: Self.patience, completion: done)
        }
        return Explored(
            link: link, peer: peer, service: first, characteristics: try characteristics.get(), events: events,
            offered: service, theirs: theirs)
    }

    struct Explored: Sendable {
        let link: LinkInfo
        let peer: PeerID
        let service: ServiceInfo
        let characteristics: [CharacteristicInfo]
        let events: HostEvents
        let offered: PublishedService
        let theirs: HostEvents

        func id(_ uuid: BluetoothUUID) throws -> AttributeID {
            guard let found = characteristics.first(where: { $0.uuid == uuid }) else {
                throw Failure(description: "\(uuid) was not found")
            }
            return found.id
        }
    }

    func read(_ attribute: AttributeID, _ link: LinkID) async -> Result<[UInt8], HostError> {
        await call(subject) { host, done in
            _ = host.read(attribute, on: link, timeout: Self.patience, completion: done)
        }
    }

    func write(_ value: [UInt8], _ attribute: AttributeID, _ mode: WriteMode, _ link: LinkID) async -> Result<
        Void, HostError
    > {
        await call(subject) { host, done in
            _ = host.write(value, to: attribute, mode: mode, on: link, timeout: Self.patience, completion: done)
        }
    }

    func subscribe(_ attribute: AttributeID, _ mode: SubscriptionMode, _ link: LinkID) async -> Result<Void, HostError>
    {
        await call(subject) { host, done in
            _ = host.subscribe(to: attribute, mode: mode, on: link, timeout: Self.patience, completion: done)
        }
    }

    func disconnect(_ link: LinkID) async throws {
        let result: Result<Void, HostError> = await call(subject) {
            $0.disconnect(link, force: false, completion: $1)
        }
        try result.get()
    }
}

/// Keeps the events of a host in order, for tests that wait for some of them.
public final class HostEvents: HostEventSink {
    private struct State {
        var events: [HostEvent] = []
        var read = 0
        var waiter: (@Sendable (HostEvent) -> Bool)?
    }

    private let state = Mutex(State())

    /// Nothing has happened.
    public init() {}

    /// Takes an event.
    public func receive(_ event: HostEvent) {
        let waiter = state.withLock { state in
            state.events.append(event)
            return state.waiter
        }
        if let waiter, waiter(event) { state.withLock { $0.waiter = nil } }
    }

    /// All events so far.
    public var all: [HostEvent] { state.withLock { $0.events } }

    /// What `pick` makes of the next event that it takes; those before it are passed over.
    public func next<Value: Sendable>(_ pick: @escaping @Sendable (HostEvent) -> Value?) async -> Value {
        await withCheckedContinuation { continuation in
            let found = state.withLock { state -> Value? in
                for index in state.read..<state.events.count {
                    guard let value = pick(state.events[index]) else { continue }
                    state.read = index + 1
                    return value
                }
                state.read = state.events.count
                state.waiter = { [self] event in
                    guard let value = pick(event) else { return false }
                    self.state.withLock { $0.read = $0.events.count }
                    continuation.resume(returning: value)
                    return true
                }
                return nil
            }
            if let found { continuation.resume(returning: found) }
        }
    }
}
