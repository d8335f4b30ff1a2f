// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
public import CeruleanWire
import Synchronization

/// Whether a peripheral is connected.
public enum ConnectionState: Hashable, Sendable {
    /// Not connected. The reason says why the last link or attempt ended: nil before the first, and after a disconnection that
    /// was asked for.
    case disconnected(reason: BluetoothError?)
    /// A link is being made.
    case connecting
    /// The link is up.
    case connected
    /// The link is being ended.
    case disconnecting
}

/// What happened to a peripheral since its central was made.
public struct PeripheralStatistics: Hashable, Sendable {
    /// Attempts to connect.
    public var connectionAttempts = 0
    /// Attempts that succeeded.
    public var connections = 0
    /// Links that ended without having been asked to.
    public var losses = 0
    /// Attempts that were given up after their timeout.
    public var timeouts = 0
    /// When the present link came up; nil when there is none.
    public var connectedSince: MonotonicTime?
    /// Time of all links that have ended; add the present one with ``totalConnected(at:)``.
    public var endedConnections = Duration.zero
    /// Notifications and indications received.
    public var values = 0
    /// Values that were dropped because their reader was too slow.
    public var droppedValues = 0

    /// Time connected in all links together, the present one until `now`.
    public func totalConnected(at now: MonotonicTime) -> Duration {
        endedConnections + (connectedSince.map { now - $0 } ?? .zero)
    }
}

/// What is known of one peer: written on the loop, read anywhere.
final class PeerRecord: Sendable {
    struct Snapshot {
        var id: PeerID
        var address: DeviceAddress?
        var name: String?
        var rssi: Int?
        var advertisement: Advertisement?
        var link: LinkInfo?
        var services: [Service]?
        /// Grows with each change of the peer's database: what was being discovered meanwhile does not count.
        var generation: UInt64 = 0
        var statistics = PeripheralStatistics()
        var lastError: BluetoothError?
    }

    let connection = Broadcaster<ConnectionState>(.disconnected(reason: nil))
    let databases = Broadcaster<[Service]?>(nil)
    let values = Atomic<Int>(0)
    let droppedValues = Atomic<Int>(0)
    private let snapshot: Mutex<Snapshot>

    init(id: PeerID, address: DeviceAddress?, name: String?) {
        snapshot = Mutex(Snapshot(id: id, address: address, name: name))
    }

    var id: PeerID { snapshot.withLock { $0.id } }
    var address: DeviceAddress? { snapshot.withLock { $0.address } }
    var name: String? { snapshot.withLock { $0.name } }
    var link: LinkInfo? { snapshot.withLock { $0.link } }
    var services: [Service]? { snapshot.withLock { $0.services } }
    var statistics: PeripheralStatistics {
        var copy = snapshot.withLock { $0.statistics }
        copy.values = values.load(ordering: .relaxed)
        copy.droppedValues = droppedValues.load(ordering: .relaxed)
        return copy
    }
    var current: (link: LinkInfo?, lastError: BluetoothError?) {
        snapshot.withLock { ($0.link, $0.lastError) }
    }

    func read<Value: Sendable>(_ body: (Snapshot) -> Value) -> Value { snapshot.withLock { body($0) } }
    func update(_ body: (inout Snapshot) -> Void) { snapshot.withLock { body(&$0) } }

    /// What a person would call it: the address, else the identifier.
    var label: String { snapshot.withLock { $0.address?.description ?? $0.id.description } }

    /// Keeps the services found in a database, unless that is gone meanwhile.
    func keep(_ services: [Service], generation: UInt64) {
        let kept = snapshot.withLock { state in
            guard state.link != nil, state.generation == generation else { return false }
            state.services = services
            return true
        }
        if kept { databases.send(services) }
    }

    func forgetServices() {
        let had = snapshot.withLock { state in
            state.generation &+= 1
            defer { state.services = nil }
            return state.services != nil
        }
        if had { databases.send(nil) }
    }
}
