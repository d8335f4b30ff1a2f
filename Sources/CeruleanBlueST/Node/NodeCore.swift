// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire
import Synchronization

/// What all handles of a node share. Events come on the port's loop; everything else from anywhere.
final class NodeCore: Sendable {
    /// Somebody who follows samples.
    struct SampleListener: Sendable {
        var features: Set<Feature>
        var keys: [PortKey]
        var endsWithLink: Bool
        var continuation: AsyncThrowingStream<FeatureSample, any Error>.Continuation
        var dropped: DropCount
    }

    /// Somebody who looks at the values of a characteristic.
    struct Waiter: Sendable {
        var key: PortKey
        /// Sees each value; true when it was the one waited for.
        var take: @Sendable ([UInt8]) -> Bool
        /// Is told when the link is gone.
        var fail: @Sendable (BluetoothError) -> Void
    }

    struct Characteristic: Sendable {
        var key: PortKey
        var properties: CharacteristicProperties
        var channel: NodeDecoder.Channel?
        var slots: [FeatureRegistry.Slot]
    }

    struct State {
        var machine = NodeStateMachine()
        var advertisement: BlueSTAdvertisement
        var rssi: Int?
        var rssiTime: MonotonicTime?
        var decoder: NodeDecoder
        var characteristics: [Characteristic] = []
        /// Users of each characteristic's notifications; kept over reconnections.
        var users: [PortKey: Int] = [:]
        var nextListener: UInt64 = 0
        var listeners: [UInt64: SampleListener] = [:]
        var waiters: [UInt64: Waiter] = [:]
        var lastSamples: [Feature: FeatureSample] = [:]
    }

    let port: any NodePort
    /// What is known at this moment: a program may add to it at any time.
    let knowledge: @Sendable () -> NodeKnowledge
    let options: NodeDecoder.Options?
    let state: Mutex<State>
    let states = Listeners<NodeStateChange>()
    let console = Listeners<ConsoleOutput>()
    let exchange = ExchangeLock()

    init(
        port: any NodePort, advertisement: BlueSTAdvertisement, options: NodeDecoder.Options?,
        knowledge: @escaping @Sendable () -> NodeKnowledge
    ) {
        self.port = port
        self.knowledge = knowledge
        self.options = options
        state = Mutex(
            State(
                advertisement: advertisement,
                decoder: Self.decoder(advertisement, knowledge().features, options)))
    }

    deinit {
        port.abandon()
        states.finish()
        console.finish()
        state.withLock { for listener in $0.listeners.values { listener.continuation.finish() } }
    }

    private static func decoder(
        _ advertisement: BlueSTAdvertisement, _ registry: FeatureRegistry, _ options: NodeDecoder.Options?
    ) -> NodeDecoder {
        NodeDecoder(
            advertisement: advertisement, registry: registry, options: options ?? .recommended(for: advertisement))
    }

    var nodeState: NodeState { state.withLock { $0.machine.state } }

    /// Tells the state machine, and everybody of the change.
    @discardableResult
    func handle(_ input: NodeStateMachine.Input) -> NodeStateChange? {
        let now = port.loop.now
        let change = state.withLock { $0.machine.handle(input, at: now) }
        if let change { states.send(change) }
        return change
    }

    // MARK: - Connecting

    func connect(timeout: Duration) async throws(BluetoothError) {
        guard handle(.connectRequested) != nil else {
            if nodeState == .connected { return }
            throw BluetoothError(.wrongState, "connecting", detail: "the node is \(nodeState)")
        }
        let found: [(key: PortKey, properties: CharacteristicProperties)]
        do throws(PortError) {
            found = try await port.open({ [weak self] event in self?.receive(event) }, timeout: timeout)
        } catch {
            switch error {
            case .connection: handle(.connectFailed)
            case .discovery:
                handle(.discoveryFailed)
                port.abandon()
            }
            throw error.error
        }
        let knowledge = knowledge()
        var registry = knowledge.features
        let seen = state.withLock { $0.advertisement }
        knowledge.catalog?.entry(for: seen)?.describe(in: &registry, protocolVersion: seen.protocolVersion)
        let known = registry
        let wanted = state.withLock { state -> [PortKey] in
            // A reconnection begins with a fresh clock. bluest.md §5.2.
            state.decoder = Self.decoder(state.advertisement, known, options)
            state.characteristics = found.map { key, properties in
                let channel = state.decoder.add(key.uuid)
                let slots = channel.map { state.decoder.slots(of: $0) } ?? []
                return Characteristic(key: key, properties: properties, channel: channel, slots: slots)
            }
            return state.users.filter { $0.value > 0 }.map(\.key)
        }
        do throws(BluetoothError) {
            // Answers to commands are wanted from the beginning; the rest is what was on before the link was lost.
            let commands = wanted + allKeys(BlueSTUUID.commands, needing: .notify)
            for key in Set(commands) where has(key) { try await port.enable(key, timeout: timeout) }
        } catch {
            handle(.discoveryFailed)
            port.abandon()
            throw error
        }
        guard handle(.discovered) != nil else {
            throw BluetoothError(.disconnected, "connecting", detail: "the link was lost at once")
        }
    }

    func disconnect(timeout: Duration) async throws(BluetoothError) {
        guard handle(.disconnectRequested) != nil else { return }
        end(nil)
        do throws(BluetoothError) {
            try await port.close(timeout: timeout)
            handle(.disconnected)
        } catch {
            handle(.disconnectFailed)
            throw error
        }
    }

    private func has(_ key: PortKey) -> Bool { state.withLock { $0.characteristics.contains { $0.key == key } } }

    /// The characteristics of a type with one of some properties.
    func allKeys(_ uuid: BluetoothUUID, needing properties: CharacteristicProperties) -> [PortKey] {
        state.withLock { state in
            state.characteristics.filter { $0.key.uuid == uuid && !$0.properties.isDisjoint(with: properties) }.map(
                \.key)
        }
    }

    // MARK: - Notifications on and off

    func use(_ key: PortKey, timeout: Duration) async throws(BluetoothError) {
        state.withLock { state in
            state.users[key, default: 0] += 1
            let channel = state.characteristics.first { $0.key == key }?.channel
            if state.users[key] == 1, let channel { state.decoder.interrupted(channel) }
        }
        do throws(BluetoothError) {
            // The port knows what is on; several users may come at once.
            try await port.enable(key, timeout: timeout)
        } catch {
            release(key)
            throw error
        }
    }

    func release(_ key: PortKey) {
        let isLast = state.withLock { state in
            let left = max(0, (state.users[key] ?? 0) - 1)
            state.users[key] = left == 0 ? nil : left
            return left == 0
        }
        if isLast, key.uuid != BlueSTUUID.commands { port.disable(key) }
    }

    // MARK: - Events

    private func receive(_ event: PortEvent) {
        switch event {
        case .value(let key, let bytes): receive(bytes, from: key)
        case .closed(let error):
            // Asked for or not: a disconnection under way turns to idle by itself.
            handle(.linkLost)
            end(error)
        }
    }

    private func receive(_ bytes: [UInt8], from key: PortKey) {
        switch key.uuid {
        case BlueSTUUID.terminal: console.send(.standardOutput(bytes))
        case BlueSTUUID.standardError: console.send(.standardError(bytes))
        default: break
        }
        let now = port.loop.now
        let waiters = state.withLock { state in
            decode(bytes, from: key, at: now, &state)
            return state.waiters.filter { $0.value.key == key }.sorted { $0.key < $1.key }
        }
        for (id, waiter) in waiters where waiter.take(bytes) {
            state.withLock { _ = $0.waiters.removeValue(forKey: id) }
            break
        }
    }

    private func decode(_ bytes: [UInt8], from key: PortKey, at now: MonotonicTime, _ state: inout State) {
        guard let channel = state.characteristics.first(where: { $0.key == key })?.channel else { return }
        let listeners = state.listeners.values
        var latest: [FeatureSample] = []
        state.decoder.received(bytes, on: channel, at: now) { sample in
            let rows = sample.feature.columns > 0 ? sample.rows : [copy sample]
            for listener in listeners where listener.features.contains(sample.feature) {
                for row in rows {
                    if case .dropped = listener.continuation.yield(row) { listener.dropped.add() }
                }
            }
            if let last = rows.last { latest.append(last) }
        }
        for sample in latest { state.lastSamples[sample.feature] = sample }
    }

    /// Ends what lives only as long as the link: with an error if it was lost, without if it was left.
    private func end(_ error: BluetoothError?) {
        let (listeners, waiters) = state.withLock { state in
            let ending = state.listeners.filter { error == nil || $0.value.endsWithLink }
            for id in ending.keys { state.listeners[id] = nil }
            if error == nil { state.users = [:] }
            defer { state.waiters = [:] }
            return (Array(ending.values), Array(state.waiters.values))
        }
        for listener in listeners {
            if let error { listener.continuation.finish(throwing: error) } else { listener.continuation.finish() }
        }
        let reason =
            error ?? BluetoothError(.disconnected, "waiting for an answer", detail: "the node was disconnected")
        for waiter in waiters { waiter.fail(reason) }
    }

    // MARK: - Waiting for a value

    /// Waits for a value of a characteristic that `parse` takes, having done `action`.
    func answer<Value: Sendable>(
        from key: PortKey, timeout: Duration, _ operation: String,
        parse: @escaping @Sendable ([UInt8]) -> Result<Value, BluetoothError>?,
        after action: () async throws(BluetoothError) -> Void
    ) async throws(BluetoothError) -> Value {
        let answer = Answer<Value>()
        let id = state.withLock { state in
            state.nextListener &+= 1
            state.waiters[state.nextListener] = Waiter(
                key: key,
                take: { bytes in
                    guard let result = parse(bytes) else { return false }
                    answer.resolve(result)
                    return true
                }, fail: { answer.resolve(.failure($0)) })
            return state.nextListener
        }
        defer { state.withLock { _ = $0.waiters.removeValue(forKey: id) } }
        try await action()
        return try await answer.value(on: port.loop, timeout: timeout, operation)
    }
}

/// What a program knows about boards beside what they say themselves.
struct NodeKnowledge: Sendable {
    var features = FeatureRegistry()
    var catalog: FirmwareCatalog?
}

/// How many values a slow reader lost.
final class DropCount: Sendable {
    private let count = Atomic<Int>(0)
    func add() { count.add(1, ordering: .relaxed) }
    var value: Int { count.load(ordering: .relaxed) }
}

extension NodeDecoder.Options {
    /// What a board with such an advertisement needs: firmware of version 1 counts 8 ms, of version 2 10 ms. bluest.md
    /// §5.2.
    public static func recommended(for advertisement: BlueSTAdvertisement) -> Self {
        Self(tick: advertisement.protocolVersion >= 2 ? .milliseconds(10) : .milliseconds(8))
    }
}
