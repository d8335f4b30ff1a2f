// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
public import CeruleanSensing
import CeruleanWire
import Synchronization

/// A BlueST board made of software, on a server: any board, any feature set.
///
/// ```swift
/// let (board, version) = Board.named("SENSOR_TILE_BOX")!
/// let device = SimulatedBlueSTBoard(try .init(board: board, protocolVersion: version))
/// try await device.serve(on: server)
/// ```
public struct SimulatedBlueSTBoard: SimulatedDevice {
    /// `bluest`.
    public var kind: String { "bluest" }
    /// The name it advertises.
    public var name: String { configuration.name }
    /// What it is.
    public var configuration: SimulatedNode.Configuration
    /// Advertises ST's company number in front, as current firmware does; older programs do not understand that.
    public var advertisesCompany: Bool
    /// Sees the board whenever something was written to it, for tests.
    var inspect: (@Sendable (SimulatedNode) -> Void)?

    /// A board.
    public init(_ configuration: SimulatedNode.Configuration) {
        self.configuration = configuration
        advertisesCompany = configuration.protocolVersion >= 2
    }

    /// Serves until the task is cancelled or the adapter fails. When its last link is gone, the board stops sending.
    ///
    /// - Throws: `CancellationError` or `BluetoothError`.
    public func serve(on server: PeripheralServer, ready: @escaping @Sendable () -> Void) async throws {
        var configuration = configuration
        if configuration.address == nil { configuration.address = await server.localAddress?.address }
        let radio = BoardRadio(configuration, host: server.host, inspect: inspect)
        do {
            try await serve(radio, on: server, ready: ready)
            // A board that restarted into its loader, or out of it, is another device.
            while true { try await serve(radio, on: server, ready: {}) }
        } catch {
            await radio.end()
            throw error
        }
    }

    /// Serves until the task is cancelled, the adapter fails, or the board restarts as another device.
    private func serve(_ radio: BoardRadio, on server: PeripheralServer, ready: () -> Void) async throws {
        let node = radio.pump.node
        let services = node.services.map { uuid, attributes in
            LocalService(uuid, characteristics: attributes.map { Self.characteristic($0, radio.pump, inspect) })
        }
        let published = try await server.publish(services)
        await radio.begin(services, published, isInLoader: node.isInLoader)
        let isRaw = await server.capabilities.contains(.rawAdvertising)
        let content: AdvertisingParameters.Content =
            isRaw
            ? .raw(data: node.advertisement.encoded(withCompany: advertisesCompany), scanResponse: [])
            : .fields(name: node.advertisement.name ?? name, services: [])
        try await advertise(AdvertisingParameters(content: content), of: published, on: server) {
            ready()
            try await radio.waitForEnd()
        }
    }

    private static func characteristic(
        _ attribute: SimulatedNode.Attribute, _ pump: BoardPump, _ inspect: (@Sendable (SimulatedNode) -> Void)?
    ) -> LocalCharacteristic {
        var properties: CharacteristicProperties = []
        if attribute.reads { properties.insert(.read) }
        if attribute.writes { properties.formUnion([.write, .writeWithoutResponse]) }
        if attribute.notifies { properties.insert(.notify) }
        if attribute.indicates { properties.insert(.indicate) }
        let uuid = attribute.uuid
        var onRead: LocalCharacteristic.ReadHandler?
        if attribute.reads { onRead = { _ in pump.read(uuid) } }
        var onWrite: LocalCharacteristic.WriteHandler?
        if attribute.writes {
            onWrite = { request in
                guard pump.write(request.value, to: uuid) else { throw RequestFailure.valueNotAllowed }
                inspect?(pump.node)
            }
        }
        return LocalCharacteristic(uuid, properties, onRead: onRead, onWrite: onWrite)
    }
}

/// Carries a simulated board's values to the host, driven by the host's timers and events.
private final class BoardRadio: HostEventSink, Sendable {
    private struct State {
        var attributes: [BluetoothUUID: AttributeID] = [:]
        var uuids: [AttributeID: BluetoothUUID] = [:]
        var subscribers: [AttributeID: Set<LinkID>] = [:]
        var links: [LinkID: Int] = [:]
        var isOver = false
        /// The services that are published are those of the loader.
        var isInLoader = false
        /// The board has become another device.
        var isChanged = false
        var waiter: CheckedContinuation<Void, any Error>?
    }

    private let host: any Host
    private let state = Mutex(State())
    /// Made in `init` behind everything else: it calls back.
    let pump: BoardPump
    private let owner: Owner
    private let sound: SoundListener?

    /// Breaks the circle between the pump and its owner.
    private final class Owner: Sendable {
        private let radio = Mutex<WeakRadio>(WeakRadio())
        struct WeakRadio { weak var value: BoardRadio? }
        func set(_ value: BoardRadio) { radio.withLock { $0.value = value } }
        var value: BoardRadio? { radio.withLock { $0.value } }
    }

    init(_ configuration: SimulatedNode.Configuration, host: any Host, inspect: (@Sendable (SimulatedNode) -> Void)?) {
        self.host = host
        let owner = Owner()
        self.owner = owner
        pump = BoardPump(
            configuration, loop: host.loop, send: { owner.value?.send($1, on: $0) ?? true },
            restart: { owner.value?.restarted() })
        let pump = pump
        let listener = SoundListener(host: host) { uuid, bytes in
            pump.heard(bytes, on: uuid)
            inspect?(pump.node)
        }
        sound = configuration.playsSound ? listener : nil
        owner.set(self)
    }

    func begin(_ services: [LocalService], _ published: [PublishedService], isInLoader: Bool) async {
        let isFirst = state.withLock { state in
            let isFirst = state.attributes.isEmpty
            state.isInLoader = isInLoader
            state.isChanged = false
            state.attributes = [:]
            state.uuids = [:]
            state.subscribers = [:]
            for (service, known) in zip(services, published) {
                for (characteristic, attribute) in zip(service.characteristics, known.characteristics) {
                    state.attributes[characteristic.uuid] = attribute.id
                    state.uuids[attribute.id] = characteristic.uuid
                }
            }
            return isFirst
        }
        if isFirst { await addSink(to: host) }
    }

    private func addSink(to host: isolated any Host) { host.addSink(self) }
    private func removeSink(from host: isolated any Host) { host.removeSink(self) }

    func end() async {
        pump.stop()
        sound?.end()
        await removeSink(from: host)
    }

    /// Ends with the task, with the adapter, or when the board has become another device.
    func waitForEnd() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isOver, isChanged) = state.withLock { state in
                    if state.isOver || Task.isCancelled { return (true, false) }
                    if state.isChanged { return (false, true) }
                    state.waiter = continuation
                    return (false, false)
                }
                if isOver { continuation.resume(throwing: CancellationError()) }
                if isChanged { continuation.resume() }
            }
        } onCancel: {
            finish(CancellationError())
        }
    }

    private func finish(_ error: any Error) {
        let waiter = state.withLock { state in
            state.isOver = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(throwing: error)
    }

    func receive(_ event: HostEvent) {
        switch event {
        case .readyToUpdate: pump.unblock()
        case .linkOpened(let link), .linkUpdated(let link):
            guard link.role == .peripheral else { return }
            let length = state.withLock { state in
                state.links[link.id] = link.maximumValueLength
                return state.links.values.min() ?? 20
            }
            pump.setValueLength(length)
            if case .linkOpened = event { sound?.linkOpened(link.id) }
        case .subscriptionChanged(let link, let attribute, let mode):
            let change = state.withLock { state -> (BluetoothUUID, Bool)? in
                guard let uuid = state.uuids[attribute] else { return nil }
                let was = !(state.subscribers[attribute] ?? []).isEmpty
                if mode == .off {
                    state.subscribers[attribute]?.remove(link)
                } else {
                    state.subscribers[attribute, default: []].insert(link)
                }
                let isOn = !(state.subscribers[attribute] ?? []).isEmpty
                return was == isOn ? nil : (uuid, isOn)
            }
            if let (uuid, isOn) = change { pump.subscribe(uuid, isOn: isOn) }
        case .value(let link, let attribute, let value, _): sound?.value(value, from: attribute, on: link)
        case .linkClosed(let link, _):
            sound?.linkClosed(link.id)
            let isLast = state.withLock { state in
                guard state.links.removeValue(forKey: link.id) != nil else { return false }
                for attribute in state.subscribers.keys { state.subscribers[attribute]?.remove(link.id) }
                return state.links.isEmpty
            }
            if isLast { pump.linkLost() } else { pump.unblock() }
        case .stateChanged(let adapter) where adapter != .poweredOn:
            finish(BluetoothError(.poweredOff, "serving \(host.name)"))
        default: break
        }
    }

    /// False when the queue of a subscriber is full.
    private func send(_ value: [UInt8], on uuid: BluetoothUUID) -> Bool {
        guard let attribute = state.withLock({ $0.attributes[uuid] }) else { return true }
        return host.assumeIsolated { $0.update(value, of: attribute, for: .allSubscribers) }
    }

    /// The board restarts: centrals lose it, and it may be another device from now on.
    private func restarted() {
        let isInLoader = pump.node.isInLoader
        let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard isInLoader != state.isInLoader else { return nil }
            state.isChanged = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
        let links = state.withLock { Array($0.links.keys) }
        host.assumeIsolated { host in
            for link in links { host.disconnect(link, force: true, completion: { _ in }) }
        }
    }
}
