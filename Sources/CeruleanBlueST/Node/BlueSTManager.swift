// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
public import CeruleanWire
import Synchronization

/// Finds BlueST boards and remembers them. bluest.md §16.2.
///
/// ```swift
/// let manager = BlueSTManager(central)
/// try manager.register(weight, mask: 0x8000_0000, device: 0xF0)
/// for try await event in manager.discover(timeout: .seconds(10)) {
///     if case .found(let node) = event { print(node) }
/// }
/// ```
public final class BlueSTManager: Sendable {
    /// What a discovery tells.
    public enum Event: Sendable {
        /// A board that was not known.
        case found(Node)
        /// A known board advertised again.
        case updated(Node)
        /// A connectionless board sent data. Version 3 only.
        case broadcast(BlueSTAdvertisement, from: DeviceAddress?)
        /// An advertisement of a device that no filter takes, and why the usual one does not.
        case rejected(Discovery, BlueSTAdvertisement.Rejection)
    }

    /// Makes an advertisement of what a scan saw; nil if it is not of its kind.
    public typealias Filter = @Sendable (Discovery) -> BlueSTAdvertisement?

    private struct State {
        var nodes: [Node] = []
        var virtualCount = 0
        var discoveries: [UInt64: DiscoveryToken] = [:]
        var next: UInt64 = 0
        var listeners: Int { discoveries.count }
    }

    /// The central that scans.
    public let central: Central
    private let state: Mutex<State>
    /// What is known. Nodes share it, and look when they connect.
    private let known: SharedKnowledge
    private let running = Listeners<Bool>()

    /// Boards kept at most; the longest not seen goes first.
    private static let nodeLimit = 4096

    /// A manager over a central.
    ///
    /// - Parameters:
    ///   - central: Scans and connects.
    ///   - features: The features that nodes know; more may be added later.
    ///   - catalog: Tells firmware of version 2 boards by number, if the user has one.
    public init(_ central: Central, features: FeatureRegistry = FeatureRegistry(), catalog: FirmwareCatalog? = nil) {
        self.central = central
        known = SharedKnowledge(NodeKnowledge(features: features, catalog: catalog))
        state = Mutex(State())
    }

    // MARK: Features

    /// The features that nodes know. A node takes them whenever it connects, also one that was found before.
    public var features: FeatureRegistry { known.value.withLock { $0.features } }

    /// The firmware catalogue, if there is one.
    public var catalog: FirmwareCatalog? { known.value.withLock { $0.catalog } }

    /// Takes another catalogue, also for boards that were found before.
    public func use(_ catalog: FirmwareCatalog?) { known.value.withLock { $0.catalog = catalog } }

    var provider: @Sendable () -> NodeKnowledge { known.provider }

    /// Adds a feature of one bit for boards of a device id, known or new; before or after scanning.
    ///
    /// - Throws: ``FeatureRegistry/RegistrationError`` unless `mask` has exactly one bit.
    public func register(
        _ feature: Feature, mask: UInt32, device: UInt8
    ) throws(FeatureRegistry.RegistrationError) {
        let result = known.value.withLock { known -> Result<Void, FeatureRegistry.RegistrationError> in
            do throws(FeatureRegistry.RegistrationError) {
                try known.features.register(feature, mask: mask, device: device)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Adds features for a characteristic of any UUID.
    public func register(_ features: [Feature], characteristic: BluetoothUUID) {
        known.value.withLock { $0.features.register(features, characteristic: characteristic) }
    }

    /// Adds an extended feature.
    public func register(_ feature: Feature, extended number: UInt32) {
        known.value.withLock { $0.features.register(feature, extended: number) }
    }

    /// True if boards of this number are known, or features were added for it.
    public func isValidDevice(_ device: UInt8) -> Bool { features.isValidDevice(device) }

    // MARK: Discovery

    /// The usual filter: versions 1 to 3 and loaders.
    public static let standardFilter: Filter = { try? BlueSTAdvertisement($0) }

    /// Discovers boards while the returned sequence is read: found ones, and each of their later advertisements.
    ///
    /// - Parameters:
    ///   - timeout: After it the loop ends; nil goes on until it is left, or ``stopDiscovery()``.
    ///   - filters: Tried in order; the first that accepts makes the advertisement.
    ///   - reportsRejections: Tells of other devices too, and why they are not BlueST boards.
    public func discover(
        timeout: Duration? = .seconds(10), filters: [Filter] = [BlueSTManager.standardFilter],
        reportsRejections: Bool = false
    ) -> NodeDiscovery {
        NodeDiscovery(
            manager: self, filters: filters, reportsRejections: reportsRejections,
            scan: central.scan(duplicates: true, timeout: timeout))
    }

    /// True while a discovery runs.
    public var isDiscovering: Bool { state.withLock { !$0.discoveries.isEmpty } }

    /// Tells whether a discovery runs, from now on.
    public func discoveryChanges() -> AsyncStream<Bool> { running.listen(capacity: 16) }

    /// Ends all discoveries: their loops end. Harmless when none runs.
    public func stopDiscovery() {
        let tokens = state.withLock { Array($0.discoveries.values) }
        for token in tokens { token.stop() }
    }

    // MARK: Nodes

    /// The boards found, in the order of their discovery.
    public var nodes: [Node] { state.withLock { $0.nodes } }

    /// The first board of a name.
    public func node(named name: String) -> Node? { nodes.first { $0.name == name } }

    /// The board with a tag.
    public func node(tagged tag: String) -> Node? { nodes.first { $0.tag == tag } }

    /// Forgets boards, except those that are connected; with `force` these are disconnected and forgotten too.
    public func reset(force: Bool = false) async {
        let connected = state.withLock { state in
            let kept = state.nodes.filter { [.connected, .connecting, .disconnecting].contains($0.state) }
            state.nodes = force ? [] : kept
            return force ? kept : []
        }
        for node in connected { try? await node.disconnect() }
    }

    /// Adds a board made of software, without any radio: it connects at once, and everything works on it.
    ///
    /// - Parameter configuration: What it is; nil for a Nucleo board with all usual features.
    @discardableResult
    public func addVirtualNode(_ configuration: SimulatedNode.Configuration? = nil) -> Node? {
        let nucleo = Board(id: 0x80, protocolVersion: 1)
        guard var wanted = configuration ?? (try? SimulatedNode.Configuration(board: nucleo, protocolVersion: 1)) else {
            return nil
        }
        let number = state.withLock { state in
            state.virtualCount += 1
            return state.virtualCount
        }
        if configuration == nil { wanted.name = "FakeNode\(number)" }
        let address = BluetoothAddress(rawValue: 0xABCD_EF12_3400 | UInt64(number & 0xFF))
        wanted.address = wanted.address ?? address
        let port = VirtualPort(wanted, loop: central.host.loop)
        let node = Node(
            port: port, tag: (wanted.address ?? address).description, advertisement: port.advertisement,
            knowledge: provider)
        node.advertised(port.advertisement, rssi: -40, at: central.host.loop.now)
        state.withLock { $0.nodes.append(node) }
        return node
    }

    // MARK: - Running discoveries

    func begin(_ token: DiscoveryToken) -> UInt64 {
        let (id, isFirst) = state.withLock { state in
            state.next &+= 1
            state.discoveries[state.next] = token
            return (state.next, state.discoveries.count == 1)
        }
        if isFirst { running.send(true) }
        return id
    }

    func end(_ id: UInt64) {
        let isLast = state.withLock { state in
            state.discoveries.removeValue(forKey: id) != nil && state.discoveries.isEmpty
        }
        if isLast { running.send(false) }
    }

    /// Takes what a scan saw.
    func saw(_ discovery: Discovery, _ filters: [Filter], reportsRejections: Bool) -> Event? {
        guard let advertisement = filters.lazy.compactMap({ $0(discovery) }).first else {
            guard reportsRejections else { return nil }
            do {
                _ = try BlueSTAdvertisement(discovery)
                return nil
            } catch {
                return .rejected(discovery, error)
            }
        }
        if case .payload = advertisement.content { return .broadcast(advertisement, from: discovery.address) }
        let tag = discovery.address?.description ?? "\(discovery.id)"
        if let known = node(tagged: tag) {
            known.advertised(advertisement, rssi: discovery.rssi, at: discovery.time)
            return .updated(known)
        }
        let node = Node(
            discovery.peripheral, advertisement: advertisement, options: nil, knowledge: provider)
        node.advertised(advertisement, rssi: discovery.rssi, at: discovery.time)
        let kept = state.withLock { state -> Node in
            // Another discovery may have been quicker.
            if let known = state.nodes.first(where: { $0.tag == tag }) { return known }
            if state.nodes.count >= Self.nodeLimit, let old = state.nodes.firstIndex(where: { !$0.isConnected }) {
                state.nodes.remove(at: old)
            }
            state.nodes.append(node)
            return node
        }
        return .found(kept)
    }

    func checkSilence() { for node in nodes { node.checkSilence() } }
}

/// What a manager and its nodes know.
private final class SharedKnowledge: Sendable {
    let value: Mutex<NodeKnowledge>

    init(_ knowledge: NodeKnowledge) { value = Mutex(knowledge) }

    var provider: @Sendable () -> NodeKnowledge { { [self] in value.withLock { $0 } } }
}

/// Stops a discovery from outside.
final class DiscoveryToken: Sendable {
    private let state = Mutex<(isStopped: Bool, timer: LoopTimer?)>((false, nil))
    let loop: any EventLoop
    let manager: BlueSTManager
    private let id = Mutex<UInt64?>(nil)

    init(_ manager: BlueSTManager) {
        self.manager = manager
        loop = manager.central.host.loop
    }

    deinit { finish() }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    func stop() { state.withLock { $0.isStopped = true } }

    /// Registers, and looks every second which boards fell silent.
    func start() {
        let isNew = id.withLock { id in
            guard id == nil else { return false }
            id = manager.begin(self)
            return true
        }
        if isNew { arm() }
    }

    private func arm() {
        let timer = loop.schedule(at: loop.now + .seconds(1)) { [weak self] in
            guard let self, !isStopped else { return }
            manager.checkSilence()
            arm()
        }
        state.withLock { $0.timer = timer }
    }

    func finish() {
        let timer = state.withLock { state in
            state.isStopped = true
            defer { state.timer = nil }
            return state.timer
        }
        if let timer { loop.cancel(timer) }
        if let old = id.withLock({ $0 }) { manager.end(old) }
    }
}

/// The boards that a discovery finds, see ``BlueSTManager/discover(timeout:filters:reportsRejections:)``.
public struct NodeDiscovery: AsyncSequence, Sendable {
    /// What it tells.
    public typealias Element = BlueSTManager.Event

    let manager: BlueSTManager
    let filters: [BlueSTManager.Filter]
    let reportsRejections: Bool
    let scan: Scan

    /// Begins: each loop is a discovery of its own.
    public func makeAsyncIterator() -> Iterator {
        Iterator(discovery: self, scan: scan.makeAsyncIterator(), token: DiscoveryToken(manager))
    }

    /// Reads a ``NodeDiscovery``.
    public struct Iterator: AsyncIteratorProtocol {
        let discovery: NodeDiscovery
        var scan: Scan.Iterator
        let token: DiscoveryToken

        /// The next event; nil after the timeout, after ``BlueSTManager/stopDiscovery()``, and when the task is
        /// cancelled. While the adapter is off, the scan is tried again every half second.
        ///
        /// - Throws: `BluetoothError`.
        public mutating func next() async throws(BluetoothError) -> BlueSTManager.Event? {
            try await next(isolation: nil)
        }

        /// The next event, see ``next()``.
        ///
        /// - Throws: `BluetoothError`.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BluetoothError) -> BlueSTManager.Event? {
            token.start()
            while !token.isStopped {
                do throws(BluetoothError) {
                    guard let found = try await scan.next(isolation: actor) else { break }
                    let manager = discovery.manager
                    let event = manager.saw(
                        found, discovery.filters, reportsRejections: discovery.reportsRejections)
                    if let event, !token.isStopped { return event }
                } catch {
                    guard error.code == .poweredOff else {
                        token.finish()
                        throw error
                    }
                    guard (try? await token.loop.sleep(for: .milliseconds(500))) != nil else { break }
                    scan = discovery.scan.makeAsyncIterator()
                }
            }
            token.finish()
            return nil
        }
    }
}
