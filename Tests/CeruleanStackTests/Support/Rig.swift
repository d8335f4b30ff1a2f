// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanVirtual
import CeruleanWire
import Testing

/// Engines on one simulated air, on virtual time and without any loop.
final class Rig {
    let air: Air
    private(set) var now = MonotonicTime(nanoseconds: 1_000_000_000)
    private(set) var nodes: [Node] = []

    init(seed: UInt64 = 1) { air = Air(seed: seed) }

    /// One engine with its controller.
    final class Node {
        let engine: StackEngine
        let controller: VirtualController
        fileprivate var toController: [[UInt8]] = []
        fileprivate var toHost: [[UInt8]] = []
        /// Everything that the engine said, values included.
        var events: [HostEvent] = []
        /// Who answers for what was published, and its identifiers.
        var sink: Sink?
        var published: [PublishedService] = []
        /// Packets that the engine sent, for looking at.
        var sent: [[UInt8]] = []

        fileprivate init(engine: StackEngine, controller: VirtualController) {
            self.engine = engine
            self.controller = controller
        }

        var links: [LinkInfo] { engine.linkInfos }
        var values: [[UInt8]] {
            events.compactMap { if case .value(_, _, let value, _) = $0 { value } else { nil } }
        }
    }

    /// Adds an engine; it is not started.
    func add(
        name: String = "host", address: StackConfiguration.OwnAddress = .automatic, rotation: Duration? = nil,
        _ change: (inout VirtualController.Configuration) -> Void = { _ in }
    ) -> Node {
        let number = UInt64(nodes.count + 1)
        var controllerConfiguration = VirtualController.Configuration(
            publicAddress: BluetoothAddress(rawValue: 0x00DC_0DE0_0000 | number))
        change(&controllerConfiguration)
        let controller = air.addController(controllerConfiguration, now: now)
        var configuration = StackConfiguration(name: name, address: address, seed: number)
        configuration.addressRotation = rotation
        let engine = StackEngine(configuration: configuration)
        let node = Node(engine: engine, controller: controller)
        engine.send = { [unowned node] packets in
            node.toController.append(packets.array)
            node.sent.append(packets.array)
        }
        controller.output = { [unowned node] in node.toHost.append($0) }
        engine.onEvent = { [unowned node] in node.events.append($0) }
        engine.onValue = { [unowned node] link, attribute, value, mode in
            node.events.append(.value(link: link, attribute: attribute, value: value.array, mode: mode))
        }
        nodes.append(node)
        return node
    }

    /// Adds an engine that is on.
    func started(
        name: String = "host", address: StackConfiguration.OwnAddress = .automatic, rotation: Duration? = nil,
        _ change: (inout VirtualController.Configuration) -> Void = { _ in }
    ) throws -> Node {
        let node = add(name: name, address: address, rotation: rotation, change)
        try wait { node.engine.start(now: now, timeout: .seconds(5), completion: $0) }
        return node
    }

    /// Lets everything happen that is due, for `duration`.
    func run(for duration: Duration) { run(until: now + duration) { false } }

    /// Calls `operation` and runs until it has ended.
    @discardableResult
    func wait<Value: Sendable>(
        limit: Duration = .seconds(120), _ operation: (@escaping HostCompletion<Value>) -> Void
    ) throws -> Value {
        try result(limit: limit, operation).get()
    }

    /// Calls `operation` and runs until it has ended; a second end is a failure of the test.
    func result<Value: Sendable>(
        limit: Duration = .seconds(120), _ operation: (@escaping HostCompletion<Value>) -> Void
    ) -> Result<Value, HostError> {
        let box = Box<Value>()
        operation { box.result = box.result == nil ? $0 : box.ended(twice: $0) }
        run(until: now + limit) { box.result != nil }
        return box.result ?? .failure(HostError(.timedOut, detail: "the operation never ended"))
    }

    /// Lets everything happen until `condition` holds; true when it does.
    @discardableResult
    func run(until limit: MonotonicTime, _ condition: () -> Bool) -> Bool {
        while true {
            exchange()
            if condition() { return true }
            var next = limit
            for node in nodes { next = min(next, node.engine.nextDeadline) }
            if let deadline = air.nextDeadline { next = min(next, deadline) }
            guard next < limit else {
                now = max(now, limit)
                tick()
                exchange()
                return condition()
            }
            now = max(now, next)
            tick()
        }
    }

    private func tick() {
        air.advance(to: now)
        for node in nodes { node.engine.tick(now: now) }
    }

    private func exchange() {
        var isBusy = true
        while isBusy {
            isBusy = false
            for node in nodes {
                while !node.toController.isEmpty {
                    isBusy = true
                    let bytes = node.toController.removeFirst()
                    node.controller.receive(bytes.span.bytes, now: now)
                }
                while !node.toHost.isEmpty {
                    isBusy = true
                    let bytes = node.toHost.removeFirst()
                    node.engine.receive(bytes.span.bytes, now: now)
                }
            }
        }
    }

    /// Holds a result. Used on one thread only: the rig has no other.
    private final class Box<Value: Sendable>: @unchecked Sendable {
        var result: Result<Value, HostError>?
        func ended(twice second: Result<Value, HostError>) -> Result<Value, HostError>? {
            Issue.record("an operation ended twice; the second time with \(second)")
            return result
        }
    }
}

extension Rig {
    /// A peripheral that advertises and a central that is connected to it.
    func connected(
        _ options: ConnectOptions = ConnectOptions(), services: [ServiceDefinition] = []
    ) throws -> (central: Node, link: LinkID, peripheral: Node, peripheralLink: LinkID) {
        let central = try started(name: "central")
        let peripheral = try started(name: "peripheral")
        if !services.isEmpty {
            let sink = Sink()
            peripheral.sink = sink
            peripheral.published = try wait { peripheral.engine.publish(services, for: sink, now: now, completion: $0) }
        }
        _ = try wait {
            peripheral.engine.startAdvertising(
                AdvertisingParameters(content: .fields(name: "peripheral", services: [])), now: now, completion: $0)
        }
        let address = try #require(peripheral.engine.localAddress)
        let info = try wait {
            _ = central.engine.connect(
                PeerID(address), options: options, timeout: .seconds(10), now: now, completion: $0)
        }
        let other = try #require(peripheral.links.first)
        return (central, info.id, peripheral, other.id)
    }
}

/// Collects events. Used on one thread at a time.
final class Sink: HostEventSink, @unchecked Sendable {
    var events: [HostEvent] = []
    var react: (HostEvent) -> Void = { _ in }
    func receive(_ event: HostEvent) {
        events.append(event)
        react(event)
    }
}
