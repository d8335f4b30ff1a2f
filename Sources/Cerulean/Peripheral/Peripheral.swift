// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// A remote device in the peripheral role, connected or not.
///
/// A light handle that any task may use; two handles of one device are equal and share its state. Every operation has a
/// timeout, ends when its task is cancelled, and fails with `disconnected` when the link goes down: each exactly once.
/// ```swift
/// let peripheral = try await found.connect(timeout: .seconds(10))
/// try await peripheral.discover()
/// for service in peripheral.services { print(service.uuid) }
/// for try await value in try await peripheral.values(of: try peripheral.characteristic(0x2A37)) { print(value) }
/// try await peripheral.disconnect()
/// ```
public struct Peripheral: Sendable {
    let central: Central
    let record: PeerRecord

    /// The device's identifier: stays the same over connections and restarts.
    public var id: PeerID { record.id }
    /// Its address, where the engine knows it.
    public var address: DeviceAddress? { record.address }
    /// The last name it said.
    public var name: String? { record.name }
    /// The signal strength last received or measured, in dBm.
    public var lastRSSI: Int? { record.read { $0.rssi } }
    /// The signal strengths last received or measured, oldest first, at most 32.
    public var signalReadings: [SignalReading] { record.readings }
    /// The last advertisement that a scan of this central saw of it; nil before the first.
    public var lastAdvertisement: Advertisement? { record.read { $0.advertisement } }
    /// Its link; nil when it is not connected.
    public var link: LinkInfo? { record.link }
    /// True when it is connected.
    public var isConnected: Bool { record.link != nil }
    /// The longest value that one write without response carries: MTU - 3 octets; 20 when not connected.
    public var maximumWriteLength: Int { record.link?.maximumValueLength ?? 20 }
    /// What happened to it so far.
    public var statistics: PeripheralStatistics { record.statistics }

    /// Whether it is connected, now.
    public var connectionState: ConnectionState { record.connection.value }

    /// Follows the connection: the present state first, then each change. Any number of listeners.
    public func connectionStates() -> Updates<ConnectionState> { record.connection.listen() }

    /// The present moment of the host's clock, that of ``Notification/time`` and the statistics.
    public var now: MonotonicTime { central.core.loop.now }

    /// Follows the name: the present one first, then each other one that it says in advertisements or to
    /// ``readName(timeout:)``.
    public func names() -> Updates<String?> { record.names.listen() }

    // MARK: Connecting

    /// Connects; ends at once when connected already, and joins an attempt under way.
    ///
    /// A timeout or cancellation gives the attempt up unless others wait for it too. Nothing reconnects by itself, see
    /// ``connect(reconnection:options:timeout:)`` for that.
    ///
    /// - Returns: The link as it is right after it came up.
    /// - Throws: ``BluetoothError`` with `timedOut`, `cancelled`, `connectionFailed`, `poweredOff` or `wrongState`.
    @discardableResult
    public func connect(
        options: ConnectOptions = ConnectOptions(), timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> LinkInfo {
        let (core, record) = (central.core, record)
        return try await awaitOperation(
            on: core.loop, timeout: timeout, describe: { "connecting to \(record.label)" },
            start: { completion in
                core.assumeIsolated { $0.connect(record, options: options, completion) }
            })
    }

    /// Ends the link, or the attempt to make one; everything pending ends with an error. Harmless when not connected.
    ///
    /// - Parameters:
    ///   - force: End it even when other users of the host hold it.
    ///   - timeout: For the whole operation.
    /// - Throws: ``BluetoothError`` with `timedOut` or `cancelled`; the disconnection goes on.
    public func disconnect(force: Bool = false, timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        let (core, record) = (central.core, record)
        let _: Void = try await awaitOperation(
            on: core.loop, timeout: timeout, startsAnyway: true, describe: { "disconnecting from \(record.label)" },
            start: { completion in
                core.assumeIsolated { $0.disconnect(record, force: force, completion) }
                return nil
            })
    }

    // MARK: The link

    /// Measures the signal strength in dBm.
    ///
    /// - Throws: ``BluetoothError``.
    public func readRSSI(timeout: Duration = .seconds(10)) async throws(BluetoothError) -> Int {
        let rssi: Int = try await onLink(
            { "reading the signal strength" },
            start: { host, link, completion in
                host.readRSSI(link, timeout: timeout, completion: completion)
            })
        record.measured(rssi, at: now)
        return rssi
    }

    /// Measures the signal strength in dBm again and again, first at once; the loop ends when it is left, and fails
    /// once when the link is gone.
    public func rssiValues(every period: Duration = .seconds(10)) -> RSSIValues {
        RSSIValues(peripheral: self, period: period)
    }

    /// Asks for other connection parameters.
    ///
    /// - Returns: What is in force afterwards.
    /// - Throws: ``BluetoothError``, with `unsupported` where the engine does not control them.
    @discardableResult
    public func requestParameters(
        _ request: ConnectionParameterRequest, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> ConnectionParameters {
        try await onLink(
            { "requesting connection parameters" },
            start: { host, link, completion in
                host.requestParameters(request, on: link, timeout: timeout, completion: completion)
            })
    }

    // MARK: -

    /// The link, or why there is none.
    func requireLink(_ operation: @autoclosure () -> String) throws(BluetoothError) -> LinkID {
        let (link, lastError) = record.current
        if let link { return link.id }
        var error = BluetoothError(.disconnected, "\(operation()) on \(record.label)", cause: lastError?.cause)
        if lastError == nil { error.detail = "connect first" }
        throw error
    }

    /// Runs an operation of the host on the present link.
    func onLink<Value: Sendable>(
        _ operation: @escaping @Sendable () -> String,
        start: @escaping @Sendable (isolated any Host, LinkID, @escaping HostCompletion<Value>) -> OperationID
    ) async throws(BluetoothError) -> Value {
        let link = try requireLink(operation())
        let record = record
        return try await awaitHost(
            central.core.host, describe: { "\(operation()) on \(record.label)" },
            start: { host, completion in start(host, link, completion) })
    }
}

extension Peripheral: Hashable, Identifiable, CustomStringConvertible {
    /// True for handles of one device of one central.
    public static func == (a: Self, b: Self) -> Bool { a.record === b.record }
    /// Hashes the device.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(record)) }
    /// The name and the address.
    public var description: String { name.map { "\($0) (\(record.label))" } ?? record.label }
}

/// Signal strengths measured again and again, see ``Peripheral/rssiValues(every:)``.
public struct RSSIValues: AsyncSequence, Sendable {
    /// Decibels relative to one milliwatt.
    public typealias Element = Int
    /// Why the measuring ended.
    public typealias Failure = BluetoothError

    let peripheral: Peripheral
    let period: Duration

    /// Begins to measure.
    public func makeAsyncIterator() -> Iterator { Iterator(peripheral: peripheral, period: period) }

    /// Reads ``RSSIValues``.
    public struct Iterator: AsyncIteratorProtocol {
        let peripheral: Peripheral
        let period: Duration
        private var next: MonotonicTime?
        private var isOver = false

        init(peripheral: Peripheral, period: Duration) {
            self.peripheral = peripheral
            self.period = period
        }

        /// The next measurement; nil when the task is cancelled, and after a failure.
        ///
        /// - Throws: ``BluetoothError``.
        public mutating func next() async throws(BluetoothError) -> Int? { try await next(isolation: nil) }

        /// The next measurement; nil when the task is cancelled, and after a failure.
        ///
        /// - Throws: ``BluetoothError``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BluetoothError) -> Int? {
            guard !isOver else { return nil }
            let loop = peripheral.central.core.loop
            if let next {
                do { try await loop.sleep(until: next) } catch { return nil }
            }
            next = loop.now + period
            do {
                return try await peripheral.readRSSI()
            } catch {
                isOver = true
                if error.code == .cancelled { return nil }
                throw error
            }
        }
    }
}
