// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

extension Central {
    /// Tells each second which beacons of some regions are about and how far away they seem to be: one element for each
    /// region, in the order of the regions, also when its list is empty.
    ///
    /// ```swift
    /// let region = BeaconRegion("shop", uuid: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
    /// for try await report in central.range([region]) {
    ///     for beacon in report.beacons { print(beacon.identity, beacon.proximity, beacon.accuracy) }
    /// }
    /// ```
    /// Each loop ranges for itself, from the first element asked for until it is left. There is no limit to the number of regions.
    ///
    /// - Parameters:
    ///   - regions: Which beacons to range.
    ///   - options: How to do it.
    ///   - capacity: How many reports wait for a slow loop; beyond it the oldest are dropped and counted.
    public func range(
        _ regions: [BeaconRegion], options: RangingOptions = RangingOptions(), capacity: Int = 256
    ) -> BeaconRanging {
        BeaconRanging(central: self, regions: regions, options: options, capacity: capacity)
    }
}

/// Reports of ranging, see ``Central/range(_:options:capacity:)``.
///
/// The loop ends with its task; it throws when the adapter cannot scan or ends the scan (`poweredOff`, `adapterFailed`).
public struct BeaconRanging: AsyncSequence, Sendable {
    /// The beacons of one region.
    public typealias Element = RangedBeacons
    /// Why ranging ended.
    public typealias Failure = BluetoothError

    let central: Central
    let regions: [BeaconRegion]
    let options: RangingOptions
    let capacity: Int

    /// Ranging that starts with the first element asked for.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            session: RangingSession(central: central, regions: regions, options: options, capacity: capacity))
    }

    /// Reads ``BeaconRanging``. Cancelling its task drops the reports that were handed over but not read yet.
    public struct Iterator: AsyncIteratorProtocol {
        private let session: RangingSession
        private let lease: Lease
        private var reader: ChannelReader<RangedBeacons>

        init(session: RangingSession) {
            self.session = session
            reader = ChannelReader(session.channel)
            lease = Lease { session.close() }
        }

        /// How many reports were dropped because the loop was too slow.
        public var droppedCount: Int { session.channel.dropped }

        /// The next report; nil when the task is cancelled.
        ///
        /// - Throws: ``BluetoothError``.
        public mutating func next() async throws(BluetoothError) -> RangedBeacons? { try await next(isolation: nil) }

        /// The next report; nil when the task is cancelled.
        ///
        /// - Throws: ``BluetoothError``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BluetoothError) -> RangedBeacons? {
            session.open()
            return try await reader.next(isolation: actor)?.element
        }
    }
}

/// One loop that ranges, on the executor of its host.
actor RangingSession {
    nonisolated let channel: Channel<RangedBeacons>
    private nonisolated let loop: any EventLoop
    private nonisolated let executor: UnownedSerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor }
    private let central: Central
    private let cycle: Duration
    private var rangers: [BeaconRanger]
    private var listener: BeaconListener?
    private var timer: LoopTimer?
    private var next = MonotonicTime.zero
    private var isOver = false
    private nonisolated let opening = Once()

    init(central: Central, regions: [BeaconRegion], options: RangingOptions, capacity: Int) {
        self.central = central
        loop = central.host.loop
        executor = loop.asUnownedSerialExecutor()
        // No shorter than the host could keep up with.
        cycle = max(options.cycle, .milliseconds(10))
        channel = Channel(capacity: capacity, overflow: .dropOldest)
        rangers = regions.map { BeaconRanger($0, options: options) }
    }

    /// Starts it, the first time.
    nonisolated func open() {
        if opening.isFirst() { loop.execute { [self] in assumeIsolated { $0.start() } } }
    }

    /// Ends it.
    nonisolated func close() {
        channel.end()
        loop.execute { [self] in assumeIsolated { $0.end(nil) } }
    }

    // MARK: - Private

    private func start() {
        guard !isOver else { return }
        let listener = BeaconListener(host: central.host, persists: false) { [weak self] event in
            self?.assumeIsolated { $0.handle(event) }
        }
        self.listener = listener
        next = loop.now + cycle
        arm()
        listener.assumeIsolated { $0.start() }
    }

    private func handle(_ event: BeaconListening) {
        switch event {
        case .heard(let beacon, let power, let rssi, let time):
            for index in rangers.indices { rangers[index].heard(beacon, measuredPower: power, rssi: rssi, at: time) }
        case .ended(let error): end(BluetoothError(error, during: "ranging beacons"))
        }
    }

    private func arm() {
        timer = loop.schedule(at: next) { [weak self] in self?.assumeIsolated { $0.tick() } }
    }

    private func tick() {
        guard !isOver else { return }
        let now = loop.now
        for index in rangers.indices { channel.send(rangers[index].report(at: now)) }
        // Cycles that were missed are left out, not made up for.
        repeat { next = next + cycle } while next <= now
        arm()
    }

    private func end(_ error: BluetoothError?) {
        guard !isOver else { return }
        isOver = true
        if let timer { loop.cancel(timer) }
        listener?.assumeIsolated { $0.stop() }
        listener = nil
        channel.end(error)
    }
}
