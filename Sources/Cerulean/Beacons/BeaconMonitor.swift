// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
public import CeruleanWire

/// Something happened to a monitored region.
public struct BeaconRegionEvent: Hashable, Sendable {
    /// The region.
    public var region: BeaconRegion
    /// What happened.
    public var kind: RegionMonitor.Event
    /// Host time of what happened.
    public var time: MonotonicTime
}

/// Tells when regions of beacons are entered and left.
///
/// ```swift
/// let monitor = BeaconMonitor(central)
/// let events = monitor.events()
/// try await monitor.start(BeaconRegion("shop", uuid: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"))
/// for await event in events { print(event.region.identifier, event.kind) }
/// ```
/// A region is entered with the first frame heard, and left 30 s after the last one; one that was not heard within 10 s of its
/// start is outside. While the adapter is off nothing is heard, and what was inside is left in due time; it goes on by itself
/// when the adapter comes back. Safe to use from any task; it stops with its last reference.
public final class BeaconMonitor: Sendable {
    /// As many regions as the systems that have beacons allow an app.
    public static let defaultLimit = 20

    private let core: MonitorCore

    /// Monitors with a central's adapter.
    ///
    /// - Parameters:
    ///   - central: The central whose adapter listens.
    ///   - limit: How many regions may be monitored at once.
    ///   - times: When a region counts as left, and when as outside.
    public init(_ central: Central, limit: Int = BeaconMonitor.defaultLimit, times: MonitoringTimes = MonitoringTimes())
    {
        core = MonitorCore(central: central, limit: limit, times: times)
    }

    deinit { core.close() }

    /// What happens to all regions, in order, from now on. Any number of listeners.
    ///
    /// - Parameter capacity: How many events wait for a slow listener; beyond it the oldest are dropped and counted.
    public func events(capacity: Int = 1024) -> Updates<BeaconRegionEvent> { core.events.listen(capacity: capacity) }

    /// Starts to monitor a region; one with the same identifier is replaced.
    ///
    /// - Throws: ``BluetoothError`` with `queueFull` when as many regions are monitored as may be.
    public func start(_ region: BeaconRegion) async throws(BluetoothError) { try await core.start(region) }

    /// Stops to monitor a region. Harmless when there is none with this identifier.
    public func stop(_ identifier: String) async { await core.stop(identifier) }

    /// The regions that are monitored, in the order of their start.
    public var regions: [BeaconRegion] { get async { await core.regions } }

    /// The present state of a region, told to all listeners too.
    ///
    /// - Throws: ``BluetoothError`` with `notFound` when no region with this identifier is monitored.
    @discardableResult
    public func requestState(of identifier: String) async throws(BluetoothError) -> BeaconRegionState {
        try await core.requestState(of: identifier)
    }
}

/// The state behind a ``BeaconMonitor``, on the executor of its host.
actor MonitorCore {
    private struct Watch {
        var region: BeaconRegion
        var monitor: RegionMonitor
    }

    nonisolated let events = EventSource<BeaconRegionEvent>()
    private nonisolated let loop: any EventLoop
    private nonisolated let executor: UnownedSerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor }
    private let central: Central
    private let limit: Int
    private let times: MonitoringTimes
    private var watches: [Watch] = []
    private var listener: BeaconListener?
    private var timer: (timer: LoopTimer, moment: MonotonicTime)?

    init(central: Central, limit: Int, times: MonitoringTimes) {
        self.central = central
        self.limit = limit
        self.times = times
        loop = central.host.loop
        executor = loop.asUnownedSerialExecutor()
    }

    var regions: [BeaconRegion] { watches.map(\.region) }

    func start(_ region: BeaconRegion) throws(BluetoothError) {
        let operation = "monitoring region \(region.identifier)"
        guard !central.core.assumeIsolated({ $0.isOver }) else {
            throw BluetoothError(.wrongState, operation, detail: "the central was shut down")
        }
        let others = watches.filter { $0.region.identifier != region.identifier }
        guard others.count < limit else {
            throw BluetoothError(.queueFull, operation, detail: "\(limit) regions are monitored already; stop one")
        }
        watches = others + [Watch(region: region, monitor: RegionMonitor(times: times, now: loop.now))]
        if listener == nil {
            let listener = BeaconListener(host: central.host, persists: true) { [weak self] event in
                self?.assumeIsolated { $0.handle(event) }
            }
            self.listener = listener
            listener.assumeIsolated { $0.start() }
        }
        arm()
    }

    func stop(_ identifier: String) {
        watches.removeAll { $0.region.identifier == identifier }
        if watches.isEmpty { silence() }
    }

    func requestState(of identifier: String) throws(BluetoothError) -> BeaconRegionState {
        guard let watch = watches.first(where: { $0.region.identifier == identifier }) else {
            throw BluetoothError(
                .notFound, "asking for the state of region \(identifier)", detail: "it is not monitored")
        }
        events.send(BeaconRegionEvent(region: watch.region, kind: watch.monitor.request(), time: loop.now))
        return watch.monitor.state
    }

    nonisolated func close() {
        loop.execute { [self] in
            assumeIsolated { core in
                core.watches = []
                core.silence()
            }
            events.end()
        }
    }

    // MARK: - Private

    private func silence() {
        if let timer { loop.cancel(timer.timer) }
        timer = nil
        listener?.assumeIsolated { $0.stop() }
        listener = nil
    }

    private func handle(_ event: BeaconListening) {
        // The end of a scan is no evidence about any region.
        guard case .heard(let beacon, _, _, let time) = event else { return }
        for index in watches.indices where watches[index].region.contains(beacon) {
            tell(watches[index].monitor.heard(at: time), of: watches[index].region, at: time)
        }
        arm()
    }

    /// Deadlines only move away while beacons are heard: a timer that comes too early looks again.
    private func arm() {
        guard let deadline = watches.compactMap(\.monitor.deadline).min() else { return }
        // What is heard at the very deadline is in time, so it is looked at behind it.
        let moment = deadline + .nanoseconds(1)
        if let timer {
            guard moment < timer.moment else { return }
            loop.cancel(timer.timer)
        }
        timer = (loop.schedule(at: moment) { [weak self] in self?.assumeIsolated { $0.fired() } }, moment)
    }

    private func fired() {
        timer = nil
        let now = loop.now
        for index in watches.indices {
            guard let deadline = watches[index].monitor.deadline, deadline < now else { continue }
            tell(watches[index].monitor.advance(to: now), of: watches[index].region, at: deadline)
        }
        arm()
    }

    private func tell(_ kinds: [RegionMonitor.Event], of region: BeaconRegion, at time: MonotonicTime) {
        for kind in kinds { events.send(BeaconRegionEvent(region: region, kind: kind, time: time)) }
    }
}
