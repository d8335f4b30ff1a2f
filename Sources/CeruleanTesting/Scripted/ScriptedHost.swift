// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// A host without a radio whose answers a test scripts: for the moments that a real stack reaches seldom.
///
/// ```swift
/// let host = ScriptedHost(loop: simulation.loop, database: [battery])
/// await host.script { $0.read = { _ in .failure(HostError(.refused, attribute: 0x02)) } }
/// let central = await Central(host: host)
/// let peripheral = try await central.connect(to: host.address)
/// ```
/// It keeps the rules of `Host`: each operation ends once; a lost link ends what is pending on it, then tells so.
public actor ScriptedHost: Host {
    /// A call of the host's client, as in `read 0003`.
    public typealias Call = String

    struct Pending {
        var link: LinkID?
        var finish: @Sendable (HostError?) -> Void
        var timers: [LoopTimer] = []
    }

    /// The executor and clock of the host.
    public nonisolated let loop: any EventLoop
    /// `scripted`.
    public nonisolated let name = "scripted"
    /// The loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    /// The peer that the host knows from the start, at the address C4:7C:8D:00:11:22.
    public nonisolated let peer: PeerID
    /// The address of ``peer``.
    public nonisolated let address: DeviceAddress

    /// What it can do; everything by default.
    public var capabilities = HostCapabilities(rawValue: .max)
    /// Whether it can be used.
    public private(set) var state = AdapterState.unknown
    /// Our own address.
    public let localAddress: DeviceAddress?
    /// The links that are up.
    public private(set) var links: [LinkInfo] = []
    /// What the client did, in order.
    public private(set) var calls: [Call] = []
    /// How requests were answered, in order.
    public private(set) var responses: [(token: RequestToken, response: RequestResponse)] = []
    /// What was sent to subscribers, in order.
    public private(set) var sent: [(attribute: AttributeID, value: [UInt8])] = []
    /// How many more updates fit before the queue is full; nil for any number.
    public var updateRoom: Int?
    /// The running scans.
    public private(set) var scans: [ScanID] = []
    /// The running advertisements.
    public private(set) var advertisements: [AdvertisementID] = []
    /// The services that the client published.
    public private(set) var publishedServices: [PublishedService] = []

    /// The units that were sent on channels, in order.
    public private(set) var units: [[UInt8]] = []

    struct OpenChannel {
        var info: ChannelInfo
        var sink: any HostEventSink
        var owesReady = false
    }

    var channels: [ChannelID: OpenChannel] = [:]
    var unitRoom = Int.max
    var script = Script()
    let database: [Service]
    var values: [AttributeID: [UInt8]] = [:]
    private var sinks: [any HostEventSink] = []
    private var pending: [OperationID: Pending] = [:]
    private var nextNumber: UInt64 = 0
    private var nextHandle: UInt16 = 1

    /// What a test sees of a service in the host's database.
    public struct Service: Sendable {
        /// The service.
        public var info: ServiceInfo
        /// Its characteristics with their descriptors.
        public var characteristics: [(info: CharacteristicInfo, descriptors: [DescriptorInfo])]
    }

    /// A host whose only peer has this database; handles count from 1.
    public init(loop: any EventLoop, database: [ServiceDefinition] = []) {
        self.loop = loop
        let address = DeviceAddress(BluetoothAddress(rawValue: 0xC47C_8D00_1122), .random)
        self.address = address
        peer = PeerID(address)
        localAddress = DeviceAddress(BluetoothAddress(rawValue: 0xC000_0000_0001), .random)
        let (services, values) = Self.layOut(database)
        self.database = services
        self.values = values
    }

    /// Changes the script.
    public func script(_ change: @Sendable (inout Script) -> Void) { change(&script) }

    /// Sets how many more updates fit.
    public func setUpdateRoom(_ room: Int?) {
        updateRoom = room
        if room != 0, let link = links.last { emit(.readyToUpdate(link.id)) }
    }

    /// The identifier of the first characteristic of a type in the database.
    public nonisolated func characteristic(_ uuid: BluetoothUUID) -> AttributeID? {
        database.flatMap(\.characteristics).first { $0.info.uuid == uuid }?.info.id
    }

    // MARK: What a test makes happen

    /// Sends an event to all sinks.
    public func emit(_ event: HostEvent) {
        for sink in sinks { sink.receive(event) }
    }

    /// The state of the adapter changes; unless it is `poweredOn`, links, scans and advertisements end.
    public func changeState(_ new: AdapterState) {
        state = new
        if new != .poweredOn {
            let reason = HostError(.poweredOff)
            for link in links { drop(link.id, reason) }
            fail(where: { _ in true }, with: reason)
            let (scans, advertisements) = (scans, advertisements)
            self.scans = []
            self.advertisements = []
            for scan in scans { emit(.scanEnded(scan, reason)) }
            for advertisement in advertisements { emit(.advertisingEnded(advertisement, reason: reason)) }
        }
        emit(.stateChanged(new))
    }

    /// A link goes down: what is pending on it ends with the reason, then the sinks are told.
    public func drop(_ link: LinkID, _ reason: HostError = HostError(.disconnected, controller: 0x08)) {
        guard let index = links.firstIndex(where: { $0.id == link }) else { return }
        let info = links.remove(at: index)
        fail(where: { $0.link == link }, with: reason)
        emit(.linkClosed(info, reason: reason))
    }

    /// The peer is seen by all scans.
    public func advertise(
        _ fields: AdvertisementFields, from address: DeviceAddress? = nil, rssi: Int? = -50, isConnectable: Bool = true
    ) {
        let address = address ?? self.address
        var advertisement = Advertisement(
            peer: PeerID(address), address: address, rssi: rssi, isConnectable: isConnectable, time: loop.now, raw: nil)
        advertisement.reported = fields
        emit(.advertisement(advertisement, scans: scans.reduce(into: ScanSet()) { $0.formUnion(ScanSet($1)) }))
    }

    /// The peer sends a value.
    public func send(_ value: [UInt8], from attribute: AttributeID, mode: SubscriptionMode = .notifications) {
        guard let link = links.first(where: { $0.role == .central }) else { return }
        emit(.value(link: link.id, attribute: attribute, value: value, mode: mode))
    }

    /// A central connects to us.
    @discardableResult
    public func acceptCentral(_ address: DeviceAddress? = nil) -> LinkInfo {
        let address = address ?? self.address
        let info = LinkInfo(
            id: LinkID(rawValue: number()), peer: PeerID(address), address: address, role: .peripheral, mtu: 247)
        links.append(info)
        emit(.linkOpened(info))
        if let advertisement = advertisements.first {
            advertisements.removeFirst()
            emit(.advertisingEnded(advertisement, reason: nil))
        }
        return info
    }

    /// A central asks for something of ours; the answer comes in ``responses``.
    @discardableResult
    public func request(_ requests: [AttributeRequest], on link: LinkInfo, needsResponse: Bool = true) -> RequestToken?
    {
        let token = needsResponse ? RequestToken(rawValue: number()) : nil
        emit(.requests(RequestBatch(token: token, link: link.id, peer: link.peer, requests: requests)))
        return token
    }

    // MARK: -

    func number() -> UInt64 {
        nextNumber += 1
        return nextNumber
    }

    func note(_ call: Call) { calls.append(call) }
    func add(_ sink: any HostEventSink) { sinks.append(sink) }
    func remove(_ sink: any HostEventSink) { sinks.removeAll { $0 === sink } }
    func setState(_ new: AdapterState) { state = new }
    func open(_ link: LinkInfo) { links.append(link) }
    func add(_ scan: ScanID) { scans.append(scan) }
    func remove(_ scan: ScanID) { scans.removeAll { $0 == scan } }
    func add(_ advertisement: AdvertisementID) { advertisements.append(advertisement) }
    func remove(_ advertisement: AdvertisementID) { advertisements.removeAll { $0 == advertisement } }
    func add(_ services: [PublishedService]) { publishedServices += services }
    func remove(service: AttributeID) { publishedServices.removeAll { $0.id == service } }
    func add(_ token: RequestToken, _ response: RequestResponse) { responses.append((token, response)) }
    func keep(unit: [UInt8]) { units.append(unit) }
    func sent(_ value: [UInt8], _ attribute: AttributeID) { sent.append((attribute, value)) }

    func handle() -> AttributeID {
        defer { nextHandle += 1 }
        return AttributeID(rawValue: UInt64(nextHandle), handle: nextHandle)
    }

    /// Runs one operation as its answer says.
    func run<Value: Sendable>(
        _ answer: Answer<Value>, on link: LinkID? = nil, timeout: Duration? = nil,
        completion: @escaping HostCompletion<Value>,
        success: @escaping @Sendable (isolated ScriptedHost, Value) -> Void = { _, _ in }
    ) -> OperationID {
        let id = OperationID(rawValue: number())
        if let link, !links.contains(where: { $0.id == link }) {
            completion(.failure(HostError(.disconnected)))
            return id
        }
        var entry = Pending(link: link) { error in
            if let error { completion(.failure(error)) }
        }
        switch answer {
        case .immediateFailure(let error):
            completion(.failure(error))
            return id
        case .success(let value, let delay):
            entry.timers.append(
                loop.schedule(at: loop.now + delay) { [self] in
                    assumeIsolated { host in
                        guard host.end(id) else { return }
                        success(host, value)
                        completion(.success(value))
                    }
                })
        case .failure(let error, let delay):
            entry.timers.append(loop.schedule(at: loop.now + delay) { [self] in assumeIsolated { $0.fail(id, error) } })
        case .silence: break
        }
        if let timeout {
            entry.timers.append(
                loop.schedule(at: loop.now + timeout) { [self] in assumeIsolated { $0.fail(id, HostError(.timedOut)) } }
            )
        }
        pending[id] = entry
        return id
    }

    /// False when it has ended.
    private func end(_ id: OperationID) -> Bool {
        guard let entry = pending.removeValue(forKey: id) else { return false }
        for timer in entry.timers { loop.cancel(timer) }
        return true
    }

    func fail(_ id: OperationID, _ error: HostError) {
        guard let entry = pending[id], end(id) else { return }
        entry.finish(error)
    }

    private func fail(where condition: (Pending) -> Bool, with error: HostError) {
        let ids = pending.filter { condition($0.value) }.keys.sorted { $0.rawValue < $1.rawValue }
        for id in ids { fail(id, error) }
    }

    private static func layOut(_ definitions: [ServiceDefinition]) -> ([Service], [AttributeID: [UInt8]]) {
        var next: UInt16 = 1
        var values: [AttributeID: [UInt8]] = [:]
        func take() -> AttributeID {
            defer { next += 1 }
            return AttributeID(rawValue: UInt64(next), handle: next)
        }
        func keep(_ source: ValueSource, _ id: AttributeID) {
            if case .stored(let value) = source { values[id] = value }
        }
        let services = definitions.map { definition in
            let id = take()
            var characteristics: [(info: CharacteristicInfo, descriptors: [DescriptorInfo])] = []
            for characteristic in definition.characteristics {
                _ = take()
                let value = take()
                keep(characteristic.value, value)
                let descriptors = characteristic.descriptors.map { descriptor in
                    let id = take()
                    keep(descriptor.value, id)
                    return DescriptorInfo(id: id, uuid: descriptor.uuid)
                }
                characteristics.append(
                    (
                        CharacteristicInfo(
                            id: value, uuid: characteristic.uuid, properties: characteristic.properties,
                            endHandle: next - 1), descriptors
                    ))
            }
            return Service(
                info: ServiceInfo(
                    id: id, uuid: definition.uuid, isPrimary: definition.isPrimary, endHandle: next - 1),
                characteristics: characteristics)
        }
        return (services, values)
    }
}
