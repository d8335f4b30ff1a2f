// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// The central role on one adapter: finds peripherals and connects to them.
///
/// ```swift
/// let central = try await Central(.automatic)
/// for try await found in central.scan(.services([0x180D]), timeout: .seconds(10)) {
///     print(found.name ?? "?", found.rssi ?? 0)
///     let peripheral = try await found.connect(timeout: .seconds(10))
///     let level = try await peripheral.read(Battery.level)
/// }
/// ```
///
/// Safe to use from any task. ``Discovery`` and ``Peripheral`` values keep their central alive; when the last of them and the
/// central itself are gone, links are left and an adapter that the central opened is closed, as ``shutdown(timeout:)`` does.
public final class Central: Sendable {
    let core: CentralCore

    private init(core: CentralCore) { self.core = core }

    deinit { core.close() }

    /// Opens an adapter and starts it; it is closed with the central.
    ///
    /// - Parameters:
    ///   - adapter: The radio.
    ///   - timeout: For opening and starting together.
    /// - Throws: ``BluetoothError`` with `noAdapter`, `unauthorized`, `adapterBusy`, `poweredOff`, `adapterFailed` or `timedOut`.
    public convenience init(_ adapter: Adapter, timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        let host = try await HostOpening.open(adapter, timeout: timeout)
        self.init(core: CentralCore(host: host, ownsHost: true))
        await core.begin()
    }

    /// Uses a host that others started and stop: several centrals and servers may share one.
    public convenience init(host: any Host) async {
        self.init(core: CentralCore(host: host, ownsHost: false))
        await core.begin()
    }

    /// Runs tasks on the adapter's own thread, where an awaited operation costs no change of threads: for many short operations
    /// one after the other. A task that blocks there stops the adapter. Nil for an engine without such a thread.
    ///
    /// ```swift
    /// let values = try await withTaskExecutorPreference(central.taskExecutor) {
    ///     try await readTable(of: peripheral)
    /// }
    /// ```
    public var taskExecutor: (any TaskExecutor)? { core.loop.taskExecutor }

    /// The host below, for sharing it: `PeripheralServer(host: central.host)`.
    public var host: any Host { core.host }

    /// What the adapter can do.
    public var capabilities: HostCapabilities { get async { await core.capabilities } }

    /// Our own address, where the engine knows it.
    public var localAddress: DeviceAddress? { get async { await core.localAddress } }

    /// Whether the adapter can be used, now.
    public var state: AdapterState { core.states.value }

    /// Follows the adapter's state: the present one first, then each change. Any number of listeners.
    public func states() -> Updates<AdapterState> { core.states.listen() }

    /// Waits until the adapter can be used.
    ///
    /// - Throws: ``BluetoothError`` with `timedOut`, `cancelled`, or `wrongState` when the central was shut down.
    public func waitUntilPoweredOn(timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        let core = core
        let _: Void = try await awaitOperation(
            on: core.loop, timeout: timeout, describe: { "waiting for \(core.host.name) to be powered on" },
            start: { completion in core.assumeIsolated { $0.whenPoweredOn(completion) } })
    }

    // MARK: Finding peripherals

    /// Scans while the returned sequence is being read.
    ///
    /// Each loop over it is a scan of its own; any number run side by side (at most 64 on one host), each with its own filter,
    /// memory of duplicates, and end. The scan starts with the first element asked for, and stops when its loop is left.
    ///
    /// - Parameters:
    ///   - filter: Which devices to report.
    ///   - duplicates: Report every advertisement rather than only the first of each device and its changes.
    ///   - active: Ask for scan responses.
    ///   - phys: Where to listen: LE 1M, LE Coded for far devices that advertise there, or both.
    ///   - timeout: After it the loop ends, without an error. Nil scans until the loop is left.
    ///   - capacity: How many discoveries wait for a slow loop; beyond it the oldest are dropped and counted.
    public func scan(
        _ filter: ScanFilter = .all, duplicates: Bool = false, active: Bool = true, phys: PHYSet = .le1M,
        timeout: Duration? = nil, capacity: Int = 1024
    ) -> Scan {
        Scan(
            central: self,
            request: ScanRequest(
                filter: filter, reportsDuplicates: duplicates, isActive: active, phys: phys, timeout: timeout,
                capacity: capacity))
    }

    /// The first device that passes `filter`.
    ///
    /// - Throws: ``BluetoothError`` with `notFound` when none was seen within `timeout`.
    public func first(_ filter: ScanFilter, timeout: Duration = .seconds(10)) async throws(BluetoothError) -> Discovery
    {
        var iterator = scan(filter, timeout: timeout).makeAsyncIterator()
        if let found = try await iterator.next(isolation: nil) { return found }
        let operation = "scan for \(filter)"
        if Task.isCancelled { throw BluetoothError(.cancelled, operation) }
        throw BluetoothError(.notFound, operation, detail: "no such device was seen within \(timeout)")
    }

    // MARK: Known peripherals

    /// The peripheral with this address, without having seen it. Nil where the engine has no addresses.
    public func retrieve(_ address: DeviceAddress) async -> Peripheral? {
        guard let record = await core.record(at: address) else { return nil }
        return Peripheral(central: self, record: record)
    }

    /// The peripheral with this identifier, as kept from an earlier run.
    public func retrieve(_ id: PeerID) async -> Peripheral {
        Peripheral(central: self, record: await core.record(for: id))
    }

    /// Peripherals that the host has seen, newest last.
    public func knownPeripherals() async -> [Peripheral] {
        await core.knownRecords().map { Peripheral(central: self, record: $0) }
    }

    /// Peripherals that this central is connected to, in the order of their connections.
    public func connectedPeripherals() async -> [Peripheral] {
        await core.connectedRecords().map { Peripheral(central: self, record: $0) }
    }

    /// Peripherals that anybody on this host is connected to, other centrals included, and that are known to offer one of some
    /// services: because they were discovered or advertised. Connecting joins the link that is there.
    ///
    /// - Parameter services: An empty list asks for none in particular.
    public func connectedPeripherals(withServices services: [BluetoothUUID]) async -> [Peripheral] {
        await core.linkedRecords(services).map { Peripheral(central: self, record: $0) }
    }

    // MARK: Connecting

    /// Connects to a discovered device, see ``Peripheral/connect(options:timeout:)``.
    ///
    /// - Throws: ``BluetoothError``.
    public func connect(
        to discovery: Discovery, options: ConnectOptions = ConnectOptions(), timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> Peripheral {
        let peripheral = Peripheral(central: self, record: discovery.record)
        try await peripheral.connect(options: options, timeout: timeout)
        return peripheral
    }

    /// Connects to the device with this address, see ``Peripheral/connect(options:timeout:)``.
    ///
    /// - Throws: ``BluetoothError``, with `unsupported` where the engine has no addresses.
    public func connect(
        to address: DeviceAddress, options: ConnectOptions = ConnectOptions(), timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> Peripheral {
        guard let peripheral = await retrieve(address) else {
            throw BluetoothError(
                .unsupported, "connecting to \(address)", detail: "this adapter does not know addresses")
        }
        try await peripheral.connect(options: options, timeout: timeout)
        return peripheral
    }

    /// Starts the adapter again after it failed or was switched off: ``state`` is `poweredOff`, and scans and links have ended.
    /// Ends at once when it is on.
    ///
    /// - Throws: ``BluetoothError`` when it still cannot be used.
    public func start(timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        try await HostOpening.start(core.host, timeout: timeout)
    }

    /// Ends all scans, leaves all links, and closes the adapter if the central opened it. Everything that is pending ends
    /// with an error; nothing works afterwards. Harmless when done before.
    ///
    /// - Throws: ``BluetoothError`` with `timedOut` or `cancelled`; the shutdown goes on.
    public func shutdown(timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        let core = core
        let _: Void = try await awaitOperation(
            on: core.loop, timeout: timeout, startsAnyway: true, describe: { "shutting down \(core.host.name)" },
            start: { completion in
                core.assumeIsolated { $0.shutdown(completion) }
                return nil
            })
    }
}

/// Opens and starts the host of an adapter.
enum HostOpening {
    static func open(_ adapter: Adapter, timeout: Duration) async throws(BluetoothError) -> any Host {
        let operation = "opening \(adapter.name)"
        let host: any Host
        let start = ContinuousClock.now
        do {
            host = try await adapter.makeHost()
        } catch {
            throw BluetoothError(error, during: error.operation.isEmpty ? operation : error.operation)
        }
        // In whole seconds: hosts on virtual time are made at once, and what they do must not depend on the real one.
        let spent = Duration.seconds(start.duration(to: .now).components.seconds)
        do throws(BluetoothError) {
            try await Self.start(host, timeout: max(.zero, timeout - spent))
        } catch {
            host.loop.execute { host.assumeIsolated { $0.stop { _ in } } }
            throw error
        }
        return host
    }

    static func start(_ host: any Host, timeout: Duration) async throws(BluetoothError) {
        let _: Void = try await awaitOperation(
            on: host.loop, timeout: timeout + .seconds(1), describe: { "opening \(host.name)" },
            start: { completion in
                host.assumeIsolated { $0.start(timeout: timeout, completion: completion) }
                return nil
            })
    }
}
