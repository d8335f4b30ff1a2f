// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire
import Synchronization

/// A node without any radio: a simulated board in this process, on the host's loop.
final class VirtualPort: NodePort, Sendable {
    private struct State {
        var receive: (@Sendable (PortEvent) -> Void)?
    }

    private final class Receiver: Sendable {
        let state = Mutex(State())
    }

    private let pump: BoardPump
    private let receiver: Receiver
    let advertisement: BlueSTAdvertisement

    init(_ configuration: SimulatedNode.Configuration, loop: any EventLoop) {
        let receiver = Receiver()
        self.receiver = receiver
        pump = BoardPump(
            configuration, loop: loop,
            send: { uuid, value in
                let receive = receiver.state.withLock { $0.receive }
                receive?(.value(PortKey(uuid: uuid, ordinal: 0), value))
                return true
            },
            restart: {
                let receive = receiver.state.withLock { state in
                    defer { state.receive = nil }
                    return state.receive
                }
                receive?(.closed(BluetoothError(.disconnected, "link to the virtual node", detail: "it restarts")))
            })
        advertisement = pump.node.advertisement
    }

    deinit { pump.stop() }

    var loop: any EventLoop { pump.loop }
    var writeLength: Int { 244 }

    func open(
        _ receive: @escaping @Sendable (PortEvent) -> Void, timeout: Duration
    ) async throws(PortError) -> [(key: PortKey, properties: CharacteristicProperties)] {
        receiver.state.withLock { $0.receive = receive }
        pump.setValueLength(writeLength)
        return pump.node.services.flatMap(\.attributes).map { attribute in
            var properties: CharacteristicProperties = []
            if attribute.reads { properties.insert(.read) }
            if attribute.writes { properties.formUnion([.write, .writeWithoutResponse]) }
            if attribute.notifies { properties.insert(.notify) }
            if attribute.indicates { properties.insert(.indicate) }
            return (PortKey(uuid: attribute.uuid, ordinal: 0), properties)
        }
    }

    func close(timeout: Duration) async throws(BluetoothError) { abandon() }

    func abandon() {
        let wasOpen = receiver.state.withLock { state in
            defer { state.receive = nil }
            return state.receive != nil
        }
        if wasOpen { loop.execute { [pump] in pump.linkLost() } }
    }

    func enable(_ key: PortKey, timeout: Duration) async throws(BluetoothError) {
        try await onLoop { pump in pump.subscribe(key.uuid, isOn: true) }
    }

    func disable(_ key: PortKey) { loop.execute { [pump] in pump.subscribe(key.uuid, isOn: false) } }

    func read(_ key: PortKey, timeout: Duration) async throws(BluetoothError) -> [UInt8] {
        try await onLoop { pump in pump.read(key.uuid) }
    }

    func write(
        _ bytes: [UInt8], to key: PortKey, withResponse: Bool, timeout: Duration
    ) async throws(BluetoothError) {
        let isTaken = try await onLoop { pump in pump.write(bytes, to: key.uuid) }
        if !isTaken, withResponse { throw BluetoothError(.refused, "write of \(key.uuid) on the virtual node") }
    }

    func writeLast(_ bytes: [UInt8], to key: PortKey, timeout: Duration) async {
        loop.execute { [pump] in _ = pump.write(bytes, to: key.uuid) }
    }

    private func onLoop<Value: Sendable>(
        _ body: @escaping @Sendable (BoardPump) -> Value
    ) async throws(BluetoothError) -> Value {
        guard receiver.state.withLock({ $0.receive != nil }) else {
            throw BluetoothError(.disconnected, "virtual node")
        }
        let answer = Answer<Value>()
        loop.execute { [pump] in answer.resolve(.success(body(pump))) }
        return try await answer.value(on: loop, timeout: .seconds(10), "virtual node")
    }
}
