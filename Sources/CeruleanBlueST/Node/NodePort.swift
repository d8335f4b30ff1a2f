// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire
import Synchronization

/// A characteristic of a node: the same over reconnections, even where two have one UUID.
struct PortKey: Hashable, Sendable {
    var uuid: BluetoothUUID
    /// Which of those with this UUID, from 0.
    var ordinal: Int
}

/// What a node talks through: a link, or a simulated board in this process.
protocol NodePort: AnyObject, Sendable {
    /// The clock, and where events come.
    var loop: any EventLoop { get }
    /// Octets that one write without response can carry.
    var writeLength: Int { get }
    /// Connects and finds all characteristics. Events come from then on.
    func open(_ receive: @escaping @Sendable (PortEvent) -> Void, timeout: Duration) async throws(PortError)
        -> [(key: PortKey, properties: CharacteristicProperties)]
    /// Ends the link.
    func close(timeout: Duration) async throws(BluetoothError)
    /// Forgets the link, which is gone or not wanted any more.
    func abandon()
    /// Switches notifications, or indications, on.
    func enable(_ key: PortKey, timeout: Duration) async throws(BluetoothError)
    /// Switches them off, without waiting.
    func disable(_ key: PortKey)
    func read(_ key: PortKey, timeout: Duration) async throws(BluetoothError) -> [UInt8]
    func write(_ bytes: [UInt8], to key: PortKey, withResponse: Bool, timeout: Duration) async throws(BluetoothError)
    /// Writes with response even in a task that was cancelled, and waits for the response or the timeout.
    func writeLast(_ bytes: [UInt8], to key: PortKey, timeout: Duration) async
}

/// What comes from a node by itself, on the port's loop.
enum PortEvent: Sendable {
    case value(PortKey, [UInt8])
    case closed(BluetoothError)
}

/// At which step a node could not be opened.
enum PortError: Error {
    case connection(BluetoothError)
    case discovery(BluetoothError)

    var error: BluetoothError {
        switch self {
        case .connection(let error), .discovery(let error): error
        }
    }
}

/// A node behind a link.
final class PeripheralPort: NodePort, HostEventSink, Sendable {
    private struct State {
        var receive: (@Sendable (PortEvent) -> Void)?
        var link: LinkID?
        var keys: [AttributeID: PortKey] = [:]
        var characteristics: [PortKey: Characteristic] = [:]
        /// Each keeps the peer's subscription; the values themselves come as events.
        var subscriptions: [PortKey: Notifications] = [:]
    }

    let peripheral: Peripheral
    private let state = Mutex(State())

    init(_ peripheral: Peripheral) { self.peripheral = peripheral }

    var loop: any EventLoop { peripheral.host.loop }
    var writeLength: Int { peripheral.maximumWriteLength }

    func open(
        _ receive: @escaping @Sendable (PortEvent) -> Void, timeout: Duration
    ) async throws(PortError) -> [(key: PortKey, properties: CharacteristicProperties)] {
        do throws(BluetoothError) {
            // Fusion and audio send more than a hundred notifications a second.
            let wish = ConnectionParameterRequest(
                minimumInterval: .microseconds(7500), maximumInterval: .milliseconds(15), latency: 0,
                supervisionTimeout: .seconds(2))
            try await peripheral.connect(options: ConnectOptions(parameters: wish), timeout: timeout)
        } catch {
            throw .connection(error)
        }
        let services: [Service]
        do throws(BluetoothError) {
            services =
                peripheral.services.isEmpty
                ? try await peripheral.discover(timeout: max(timeout, .seconds(2))) : peripheral.services
        } catch {
            throw .discovery(error)
        }
        guard let link = peripheral.link?.id else {
            throw .discovery(BluetoothError(.disconnected, "discovering the features of \(peripheral)"))
        }
        var found: [(key: PortKey, properties: CharacteristicProperties)] = []
        state.withLock { state in
            state.receive = receive
            state.link = link
            state.keys = [:]
            state.characteristics = [:]
            var counts: [BluetoothUUID: Int] = [:]
            for characteristic in services.flatMap(\.characteristics) {
                let key = PortKey(uuid: characteristic.uuid, ordinal: counts[characteristic.uuid, default: 0])
                counts[characteristic.uuid, default: 0] += 1
                state.keys[characteristic.id] = key
                state.characteristics[key] = characteristic
                found.append((key, characteristic.properties))
            }
        }
        await addSink(to: peripheral.host)
        return found
    }

    private func addSink(to host: isolated any Host) { host.addSink(self) }

    func close(timeout: Duration) async throws(BluetoothError) {
        abandon()
        try await peripheral.disconnect(timeout: timeout)
    }

    func abandon() {
        let old = state.withLock { state in
            defer { state = State() }
            return state
        }
        guard old.link != nil else { return }
        let host = peripheral.host
        host.loop.execute { [self] in host.assumeIsolated { $0.removeSink(self) } }
    }

    func receive(_ event: HostEvent) {
        switch event {
        case .value(let link, let attribute, let value, _):
            let target = state.withLock { state -> ((@Sendable (PortEvent) -> Void), PortKey)? in
                guard link == state.link, let key = state.keys[attribute], let receive = state.receive else {
                    return nil
                }
                return (receive, key)
            }
            if let (receive, key) = target { receive(.value(key, value)) }
        case .linkClosed(let link, let reason):
            let receive = state.withLock { state in link.id == state.link ? state.receive : nil }
            guard let receive else { return }
            abandon()
            receive(.closed(BluetoothError(reason, during: "link to \(peripheral)")))
        default: break
        }
    }

    func enable(_ key: PortKey, timeout: Duration) async throws(BluetoothError) {
        if state.withLock({ $0.subscriptions[key] != nil }) { return }
        let subscription = try await peripheral.notifications(
            of: try characteristic(key), capacity: 1, overflow: .dropNewest, timeout: timeout)
        state.withLock { $0.subscriptions[key] = subscription }
    }

    func disable(_ key: PortKey) {
        // Let go outside of the lock.
        let old = state.withLock { $0.subscriptions.removeValue(forKey: key) }
        old?.cancel()
    }

    func read(_ key: PortKey, timeout: Duration) async throws(BluetoothError) -> [UInt8] {
        try await peripheral.read(try characteristic(key), timeout: timeout)
    }

    func write(
        _ bytes: [UInt8], to key: PortKey, withResponse: Bool, timeout: Duration
    ) async throws(BluetoothError) {
        let characteristic = try characteristic(key)
        let mode: WriteMode =
            if withResponse {
                characteristic.properties.contains(.write) ? .withResponse : .withoutResponse
            } else {
                characteristic.properties.contains(.writeWithoutResponse) ? .withoutResponse : .withResponse
            }
        try await peripheral.write(bytes, to: characteristic, mode: mode, timeout: timeout)
    }

    func writeLast(_ bytes: [UInt8], to key: PortKey, timeout: Duration) async {
        let (link, characteristic) = state.withLock { ($0.link, $0.characteristics[key]) }
        guard let link, let attribute = characteristic?.id else { return }
        let host = peripheral.host
        // No cancellation handler: the completion comes with the response, the timeout or the end of the link.
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            host.loop.execute {
                host.assumeIsolated { host in
                    _ = host.write(bytes, to: attribute, mode: .withResponse, on: link, timeout: timeout) { _ in
                        continuation.resume()
                    }
                }
            }
        }
    }

    private func characteristic(_ key: PortKey) throws(BluetoothError) -> Characteristic {
        if let characteristic = state.withLock({ $0.characteristics[key] }) { return characteristic }
        throw BluetoothError(
            peripheral.isConnected ? .notFound : .disconnected, "characteristic \(key.uuid) on \(peripheral)")
    }
}
