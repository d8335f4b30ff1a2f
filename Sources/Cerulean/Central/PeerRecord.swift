// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
public import CeruleanWire
import Synchronization

/// Whether a peripheral is connected.
public enum ConnectionState: Hashable, Sendable {
    /// Not connected, and nothing connects it again by itself. The reason says why the last link or attempt ended: nil
    /// before the first, and after a disconnection that was asked for.
    case disconnected(reason: BluetoothError?)
    /// Not connected; the ``ReconnectionPolicy`` tries again.
    case waiting(NextAttempt)
    /// A link is being made.
    case connecting
    /// The link is up.
    case connected
    /// The link is being ended.
    case disconnecting
}

/// What happened to a peripheral since its central was made. Only links that came up are counted as connected time:
/// attempts that fail or are given up change ``connectionAttempts`` and ``timeouts`` alone.
public struct PeripheralStatistics: Hashable, Sendable {
    /// When it was first seen or asked for.
    public var discovered: MonotonicTime?
    /// Attempts to connect.
    public var connectionAttempts = 0
    /// Attempts that succeeded.
    public var connections = 0
    /// Links that ended without having been asked to.
    public var losses = 0
    /// Links that ended, asked for or not.
    public var disconnections = 0
    /// Attempts that were given up after their timeout.
    public var timeouts = 0
    /// When the present link came up; nil when there is none.
    public var connectedSince: MonotonicTime?
    /// When the last link ended; nil before that, and while there is a link.
    public var disconnectedSince: MonotonicTime?
    /// How long the last link that has ended was up; nil before the first has.
    public var lastConnection: Duration?
    /// Time of all links that have ended; add the present one with ``totalConnected(at:)``.
    public var endedConnections = Duration.zero
    /// Time between links, up to the present one; add the present gap with ``totalDisconnected(at:)``.
    public var endedDisconnections = Duration.zero
    /// Notifications and indications received.
    public var values = 0
    /// Values that were dropped because their reader was too slow.
    public var droppedValues = 0

    /// How long the present link is up, else how long the last one was; nil before the first.
    public func connected(at now: MonotonicTime) -> Duration? { connectedSince.map { now - $0 } ?? lastConnection }

    /// Time connected in all links together, the present one until `now`.
    public func totalConnected(at now: MonotonicTime) -> Duration {
        endedConnections + (connectedSince.map { now - $0 } ?? .zero)
    }

    /// Time without a link since the first one ended, until `now`.
    public func totalDisconnected(at now: MonotonicTime) -> Duration {
        endedDisconnections + (disconnectedSince.map { now - $0 } ?? .zero)
    }

    /// As BlueCap spells it.
    @available(*, deprecated, renamed: "totalConnected(at:)")
    public func cumlativeSecondsConnected(at now: MonotonicTime) -> Double { totalConnected(at: now).inSeconds }

    /// As BlueCap spells it.
    @available(*, deprecated, renamed: "totalDisconnected(at:)")
    public func cumlativeSecondsDisconnected(at now: MonotonicTime) -> Double { totalDisconnected(at: now).inSeconds }

    mutating func began(at now: MonotonicTime) {
        connections += 1
        connectedSince = now
        if let since = disconnectedSince { endedDisconnections += now - since }
        disconnectedSince = nil
    }

    mutating func ended(at now: MonotonicTime, isLoss: Bool) {
        disconnections += 1
        if isLoss { losses += 1 }
        if let since = connectedSince {
            lastConnection = now - since
            endedConnections += now - since
        }
        connectedSince = nil
        disconnectedSince = now
    }
}

/// A signal strength and when it was measured.
public struct SignalReading: Hashable, Sendable {
    /// In dBm.
    public var rssi: Int
    /// On the host's clock.
    public var time: MonotonicTime

    /// A measurement.
    public init(rssi: Int, time: MonotonicTime) {
        self.rssi = rssi
        self.time = time
    }
}

/// What is known of one peer: written on the loop, read anywhere.
final class PeerRecord: Sendable {
    struct Snapshot {
        var id: PeerID
        var address: DeviceAddress?
        var name: String?
        var rssi: Int?
        /// The last readings; ``nextReading`` is where the next one goes once it is full.
        var readings: [SignalReading] = []
        var nextReading = 0
        var advertisement: Advertisement?
        var link: LinkInfo?
        var services: [Service]?
        /// Grows with each change of the peer's database: what was being discovered meanwhile does not count.
        var generation: UInt64 = 0
        var statistics = PeripheralStatistics()
        var lastError: BluetoothError?
    }

    let connection = Broadcaster<ConnectionState>(.disconnected(reason: nil))
    let linkChanges = Broadcaster<LinkInfo?>(nil)
    let databases = Broadcaster<[Service]?>(nil)
    let names: Broadcaster<String?>
    let values = Atomic<Int>(0)
    let droppedValues = Atomic<Int>(0)
    private let snapshot: Mutex<Snapshot>

    init(id: PeerID, address: DeviceAddress?, name: String?, now: MonotonicTime) {
        names = Broadcaster(name)
        var first = Snapshot(id: id, address: address, name: name)
        first.statistics.discovered = now
        snapshot = Mutex(first)
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

    /// Changes what is known; called on the loop. A change of the link is told.
    func update(_ body: (inout Snapshot) -> Void) {
        let (old, new) = snapshot.withLock { state in
            let old = state.link
            body(&state)
            return (old, state.link)
        }
        if old != new { linkChanges.send(new) }
    }

    /// A name that the peer said.
    func learn(name: String) {
        let isNew = snapshot.withLock { state in
            defer { state.name = name }
            return state.name != name
        }
        if isNew { names.send(name) }
    }

    /// A signal strength that was measured.
    func measured(_ rssi: Int, at time: MonotonicTime) {
        snapshot.withLock { state in
            state.rssi = rssi
            let reading = SignalReading(rssi: rssi, time: time)
            if state.readings.count < Self.keptReadings {
                state.readings.append(reading)
            } else {
                state.readings[state.nextReading] = reading
                state.nextReading = (state.nextReading + 1) % Self.keptReadings
            }
        }
    }

    /// The last readings, oldest first.
    var readings: [SignalReading] {
        snapshot.withLock { Array($0.readings[$0.nextReading...] + $0.readings[..<$0.nextReading]) }
    }

    static let keptReadings = 32

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
