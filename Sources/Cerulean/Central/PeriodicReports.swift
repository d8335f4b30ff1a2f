// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
import CeruleanWire

/// The data of a periodic advertiser, see ``Central/synchronize(to:options:timeout:capacity:)``.
///
/// Of two loops over it each gets a part. A loop that falls behind by more than the capacity loses the oldest, counted in
/// ``droppedCount``. It ends with its task, and throws `disconnected` when the advertiser is not heard any more. Following ends
/// when this value and all its loops are gone.
public struct PeriodicReports: AsyncSequence, Sendable {
    /// What the advertiser sent.
    public typealias Element = PeriodicReport
    /// Why following ended.
    public typealias Failure = BluetoothError

    /// What is followed.
    public let sync: PeriodicSync
    /// How many reports were dropped because the loop was too slow.
    public var droppedCount: Int { channel.dropped }

    let channel: Channel<PeriodicReport>
    let lease: Lease

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: ChannelReader(channel), lease: lease) }

    /// Reads ``PeriodicReports``.
    public struct Iterator: AsyncIteratorProtocol {
        var reader: ChannelReader<PeriodicReport>
        let lease: Lease

        /// The next report; nil when the task is cancelled.
        ///
        /// - Throws: ``BluetoothError``.
        public mutating func next() async throws(BluetoothError) -> PeriodicReport? { try await next(isolation: nil) }

        /// The next report; nil when the task is cancelled.
        ///
        /// - Throws: ``BluetoothError``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BluetoothError) -> PeriodicReport? {
            try await reader.next(isolation: actor)?.element
        }
    }
}

extension Central {
    /// Follows the periodic data of a discovered advertiser. Ends when its rhythm is found.
    /// ```swift
    /// for try await found in central.scan() where found.advertisement.extended?.periodicInterval != nil {
    ///     for try await report in try await central.synchronize(to: found) { print(report.data) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - discovery: An advertisement whose `Advertisement/Extended/periodicInterval` is set.
    ///   - options: How closely to follow.
    ///   - timeout: For finding it.
    ///   - capacity: How many reports wait for a slow loop; beyond it the oldest are dropped and counted.
    /// - Throws: ``BluetoothError`` with `invalidArgument`, `unsupported`, `timedOut`, `cancelled` or `connectionFailed`.
    public func synchronize(
        to discovery: Discovery, options: PeriodicSyncOptions = PeriodicSyncOptions(),
        timeout: Duration = .seconds(10), capacity: Int = 256
    ) async throws(BluetoothError) -> PeriodicReports {
        guard let setID = discovery.advertisement.extended?.setID else {
            throw BluetoothError(
                .invalidArgument, "synchronizing to \(discovery.record.label)", detail: "it advertises nothing periodic"
            )
        }
        return try await synchronize(
            to: discovery.peripheral, setID: setID, options: options, timeout: timeout, capacity: capacity)
    }

    /// Follows the periodic data of a device's advertising set. Ends when its rhythm is found.
    ///
    /// - Parameters:
    ///   - peripheral: Who advertises.
    ///   - setID: Number of the set on the air, 0 to 15.
    ///   - options: How closely to follow.
    ///   - timeout: For finding it.
    ///   - capacity: How many reports wait for a slow loop; beyond it the oldest are dropped and counted.
    /// - Throws: ``BluetoothError`` with `invalidArgument`, `unsupported`, `timedOut`, `cancelled` or `connectionFailed`.
    public func synchronize(
        to peripheral: Peripheral, setID: UInt8, options: PeriodicSyncOptions = PeriodicSyncOptions(),
        timeout: Duration = .seconds(10), capacity: Int = 256
    ) async throws(BluetoothError) -> PeriodicReports {
        let (core, record) = (core, peripheral.record)
        let channel = Channel<PeriodicReport>(capacity: capacity, overflow: .dropOldest)
        let sync: PeriodicSync = try await awaitOperation(
            on: core.loop, describe: { "synchronizing to \(record.label)" },
            abandoned: { sync in core.assumeIsolated { $0.endSync(sync.id) } },
            start: { completion in
                core.assumeIsolated {
                    $0.synchronize(
                        record, setID: setID, options: options, timeout: timeout, channel: channel, completion)
                }
            })
        return PeriodicReports(
            sync: sync, channel: channel,
            lease: Lease { core.loop.execute { core.assumeIsolated { $0.endSync(sync.id) } } })
    }
}

extension CentralCore {
    fileprivate func synchronize(
        _ record: PeerRecord, setID: UInt8, options: PeriodicSyncOptions, timeout: Duration,
        channel: Channel<PeriodicReport>, _ completion: @escaping HostCompletion<PeriodicSync>
    ) -> (@Sendable (GiveUp) -> Void)? {
        guard !isOver else {
            completion(.failure(HostError(.wrongState, detail: "the central was shut down")))
            return nil
        }
        let host = host
        let operation = host.assumeIsolated { host in
            host.synchronize(to: record.id, setID: setID, options: options, timeout: timeout) { [self] result in
                assumeIsolated { core in
                    // Reports follow at once: they find their way from here on.
                    if case .success(let sync) = result { core.periodics[sync.id] = channel }
                }
                completion(result)
            }
        }
        return { _ in host.assumeIsolated { $0.cancel(operation) } }
    }

    fileprivate func endSync(_ id: SyncID) {
        guard let channel = periodics.removeValue(forKey: id) else { return }
        channel.end()
        host.assumeIsolated { $0.endSync(id) }
    }

    func periodicReport(_ id: SyncID, _ report: PeriodicReport) { periodics[id]?.send(report) }

    func syncEnded(_ id: SyncID, _ cause: HostError) {
        periodics.removeValue(forKey: id)?.end(BluetoothError(cause, during: "synchronization"))
    }

    /// The central ends.
    func endSyncs() {
        for id in periodics.keys.sorted(by: { $0.rawValue < $1.rawValue }) { endSync(id) }
    }
}
