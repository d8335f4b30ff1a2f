// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire
import Synchronization

/// A device that a scan saw.
public struct Discovery: Sendable {
    /// The device; use it to connect.
    public var peripheral: Peripheral { Peripheral(central: central, record: record) }
    /// What was received.
    public let advertisement: Advertisement
    /// The fields of advertisement and scan response, merged.
    public let fields: AdvertisementFields

    let central: Central
    let record: PeerRecord

    /// The device's identifier.
    public var id: PeerID { advertisement.peer }
    /// The address it was sent from, where the engine knows it.
    public var address: DeviceAddress? { advertisement.address }
    /// The name it says now, else the last one it said.
    public var name: String? { fields.name ?? record.name }
    /// Received signal strength in dBm, nil when unknown.
    public var rssi: Int? { advertisement.rssi }
    /// True when it invites connections.
    public var isConnectable: Bool { advertisement.isConnectable }
    /// Host time of reception.
    public var time: MonotonicTime { advertisement.time }

    /// Connects to the device, see ``Peripheral/connect(options:timeout:)``.
    ///
    /// - Throws: ``BluetoothError``.
    public func connect(
        options: ConnectOptions = ConnectOptions(), timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> Peripheral {
        try await peripheral.connect(options: options, timeout: timeout)
        return peripheral
    }
}

/// What a scan was asked to do.
struct ScanRequest: Sendable {
    var filter: ScanFilter
    var reportsDuplicates: Bool
    var isActive: Bool
    var phys: PHYSet
    var timeout: Duration?
    var capacity: Int
}

/// The devices that a scan sees, see ``Central/scan(_:duplicates:active:phys:timeout:capacity:)``.
///
/// The loop ends after the timeout of the scan and with its task; it throws when the scan could not start or was ended by the
/// adapter (`poweredOff`, `adapterFailed`).
public struct Scan: AsyncSequence, Sendable {
    /// A device that was seen.
    public typealias Element = Discovery
    /// Why the scan ended.
    public typealias Failure = BluetoothError

    let central: Central
    let request: ScanRequest

    /// A new scan, which starts with the first element asked for.
    public func makeAsyncIterator() -> Iterator { Iterator(session: ScanSession(central: central, request: request)) }

    /// Reads a ``Scan``. Cancelling its task drops the devices that were handed over but not read yet.
    public struct Iterator: AsyncIteratorProtocol {
        private let session: ScanSession
        private let lease: Lease
        private var reader: ChannelReader<Discovery>

        init(session: ScanSession) {
            self.session = session
            reader = ChannelReader(session.channel)
            lease = Lease { session.stop() }
        }

        /// How many discoveries were dropped because the loop was too slow.
        public var droppedCount: Int { session.channel.dropped }

        /// The next device; nil after the timeout and when the task is cancelled.
        ///
        /// - Throws: ``BluetoothError``.
        public mutating func next() async throws(BluetoothError) -> Discovery? { try await next(isolation: nil) }

        /// The next device; nil after the timeout and when the task is cancelled.
        ///
        /// - Throws: ``BluetoothError``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BluetoothError) -> Discovery? {
            session.start()
            return try await reader.next(isolation: actor)?.element
        }
    }
}

/// One running scan.
final class ScanSession: Sendable {
    let central: Central
    let request: ScanRequest
    let channel: Channel<Discovery>
    private let isStarted = Atomic(false)

    init(central: Central, request: ScanRequest) {
        self.central = central
        self.request = request
        channel = Channel(capacity: request.capacity, overflow: .dropOldest)
    }

    func start() {
        guard !isStarted.load(ordering: .relaxed) else { return }
        guard !isStarted.exchange(true, ordering: .relaxed) else { return }
        central.core.loop.execute { [self] in central.core.assumeIsolated { $0.startScan(self) } }
    }

    func stop() {
        channel.end()
        guard isStarted.load(ordering: .relaxed) else { return }
        central.core.loop.execute { [self] in central.core.assumeIsolated { $0.stopScan(self) } }
    }
}
