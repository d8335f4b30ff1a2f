// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// The peripheral role on one adapter: publishes services, advertises them, answers.
///
/// ```swift
/// let server = try await PeripheralServer(.automatic)
/// let measurement = LocalCharacteristic(HeartRate.measurement)
/// try await server.publish { LocalService(HeartRate.uuid) { measurement } }
/// try await server.advertise(name: "Strap", services: [HeartRate.uuid])
/// for await event in server.events() {
///     if case .subscribed = event { break }
/// }
/// try await server.update(measurement, to: HeartRateMeasurement(heartRate: 60))
/// ```
///
/// Safe to use from any task. When the server and all that it was given to are gone, its services and advertisements go
/// too.
public final class PeripheralServer: Sendable {
    let core: ServerCore

    private init(core: ServerCore) { self.core = core }

    deinit { core.close() }

    /// Opens an adapter and starts it; it is closed with the server.
    ///
    /// - Parameters:
    ///   - adapter: The radio.
    ///   - handlerTimeout: How long a handler may take before its request is answered with "unlikely error" and its
    ///     task is cancelled. A peer gives up after 30 s.
    ///   - timeout: For opening and starting together.
    /// - Throws: ``BluetoothError`` with `noAdapter`, `unauthorized`, `adapterBusy`, `poweredOff`, `adapterFailed` or
    ///   `timedOut`.
    public convenience init(
        _ adapter: Adapter, handlerTimeout: Duration = .seconds(10), timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) {
        let host = try await HostOpening.open(adapter, timeout: timeout)
        self.init(core: ServerCore(host: host, ownsHost: true, handlerTimeout: handlerTimeout))
        await core.begin()
    }

    /// Uses a host that others started and stop, such as that of a ``Central``.
    public convenience init(host: any Host, handlerTimeout: Duration = .seconds(10)) async {
        self.init(core: ServerCore(host: host, ownsHost: false, handlerTimeout: handlerTimeout))
        await core.begin()
    }

    /// The host below.
    public var host: any Host { core.host }
    /// What the adapter can do.
    public var capabilities: HostCapabilities { get async { await core.capabilities } }
    /// Our own address, where the engine knows it.
    public var localAddress: DeviceAddress? { get async { await core.localAddress } }
    /// Whether the adapter can be used, now.
    public var state: AdapterState { core.states.value }
    /// Follows the adapter's state: the present one first, then each change.
    public func states() -> Updates<AdapterState> { core.states.listen() }

    /// Follows what happens from now on. Any number of listeners.
    ///
    /// - Parameter capacity: How many events wait for a slow listener; beyond it the oldest are dropped and counted.
    public func events(capacity: Int = 1024) -> Updates<ServerEvent> { core.events.listen(capacity: capacity) }

    /// The centrals that are connected, in the order of their connections.
    public func centrals() async -> [RemoteCentral] { await core.remotes }

    /// Who is subscribed to a characteristic.
    public func subscribers(of characteristic: LocalCharacteristic) async -> [RemoteCentral] {
        await core.subscribers(of: characteristic)
    }

    /// Waits until somebody is subscribed to a characteristic.
    ///
    /// - Throws: ``BluetoothError`` with `timedOut` or `cancelled`.
    public func waitForSubscriber(
        of characteristic: LocalCharacteristic, timeout: Duration = .seconds(60)
    ) async throws(BluetoothError) {
        let core = core
        let _: Void = try await awaitOperation(
            on: core.loop, timeout: timeout, describe: { "waiting for a subscriber of \(characteristic.uuid)" },
            start: { completion in core.assumeIsolated { $0.whenSubscribed(characteristic, completion) } })
    }

    /// Ends the link to a central.
    ///
    /// - Throws: ``BluetoothError`` with `timedOut` or `cancelled`; the disconnection goes on.
    public func disconnect(_ central: RemoteCentral, timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        let host = core.host
        let _: Void = try await awaitOperation(
            on: core.loop, timeout: timeout, startsAnyway: true, describe: { "disconnecting from \(central.id)" },
            start: { completion in
                host.assumeIsolated { $0.disconnect(central.link, force: true, completion: completion) }
                return nil
            })
    }

    // MARK: Services

    /// Publishes services, all or none. Connected centrals are told that the database changed.
    ///
    /// - Returns: The services with the identifiers of their parts, for ``unpublish(_:timeout:)`` and for including
    ///   them.
    /// - Throws: ``BluetoothError`` with `invalidArgument` when a characteristic belongs to a service already.
    @discardableResult
    public func publish(
        _ services: [LocalService], timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> [PublishedService] {
        let core = core
        return try await awaitOperation(
            on: core.loop, timeout: timeout,
            describe: { "publishing " + services.map(\.uuid.description).joined(separator: ", ") },
            abandoned: { published in
                core.assumeIsolated { core in for one in published { core.unpublish(one) { _ in } } }
            },
            start: { completion in
                core.assumeIsolated { $0.publish(services, completion) }
                return nil
            })
    }

    /// Publishes the services that are listed, all or none.
    ///
    /// - Throws: ``BluetoothError``.
    @discardableResult
    public func publish(
        timeout: Duration = .seconds(10), @ListBuilder<LocalService> _ services: () -> [LocalService]
    ) async throws(BluetoothError) -> [PublishedService] {
        try await publish(services(), timeout: timeout)
    }

    /// Removes a service.
    ///
    /// - Throws: ``BluetoothError``; with `timedOut` or `cancelled` the removal goes on.
    public func unpublish(
        _ service: PublishedService, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) {
        let core = core
        let _: Void = try await awaitOperation(
            on: core.loop, timeout: timeout, startsAnyway: true, describe: { "removing a service" },
            start: { completion in
                core.assumeIsolated { $0.unpublish(service, completion) }
                return nil
            })
    }

    /// Keeps a new value of a characteristic and sends it to its subscribers.
    ///
    /// Ends when the value is queued for all of them. Where a subscriber's queue is full it waits until there is room:
    /// await it before making the next value, and nothing is lost or piles up. Values are sent in the order of the
    /// calls. Those longer than a subscriber's MTU - 3 are cut for it. Core 5.4, Vol 3, Part F, 3.4.7.1.
    ///
    /// At most 4096 calls wait for room at a time; one more fails with `queueFull`, and its value is not kept.
    ///
    /// - Parameters:
    ///   - characteristic: One that is published.
    ///   - value: At most 512 octets.
    ///   - central: Sends it to one subscriber only, and does not keep it.
    ///   - timeout: How long to wait for room.
    /// - Returns: How many subscribers it goes to: 0 when nobody is subscribed, and then it is kept alone.
    /// - Throws: ``BluetoothError`` with `timedOut`, `cancelled`, `queueFull`, or `notFound` when the characteristic is
    ///   not published.
    @discardableResult
    public func update(
        _ characteristic: LocalCharacteristic, to value: [UInt8], for central: RemoteCentral? = nil,
        timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) -> Int {
        let core = core
        return try await awaitOperation(
            on: core.loop, timeout: timeout, describe: { "update of \(characteristic.uuid)" },
            start: { completion in
                core.assumeIsolated { $0.update(characteristic, value, central?.link, completion) }
            })
    }

    /// Calls `interceptor` before each read and write is answered; what it throws is the answer. In force for services
    /// that are published afterwards.
    package func intercept(_ interceptor: @escaping @Sendable (BluetoothUUID) async throws -> Void) async {
        await core.intercept(interceptor)
    }

    /// How many updates wait for room in the queue of a subscriber.
    public var pendingUpdates: Int { get async { await core.updates.count } }

    // MARK: Advertising

    /// Advertises. Several advertisements run side by side as far as the controller can.
    ///
    /// - Parameters:
    ///   - parameters: What to advertise, and how.
    ///   - restart: What happens after somebody connected, which ends a connectable advertisement.
    ///   - timeout: For the whole operation.
    /// - Throws: ``BluetoothError``.
    @discardableResult
    public func advertise(
        _ parameters: AdvertisingParameters, restart: AdvertisingRestart = .afterDisconnection,
        timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> RunningAdvertisement {
        let core = core
        let number: UInt64 = try await awaitOperation(
            on: core.loop, timeout: timeout, describe: { "advertising" },
            abandoned: { number in core.assumeIsolated { $0.stopAdvertising(number) } },
            start: { completion in core.assumeIsolated { $0.advertise(parameters, restart, completion) } })
        return RunningAdvertisement(server: self, number: number)
    }

    /// Advertises a name and services, connectable.
    ///
    /// - Throws: ``BluetoothError``.
    @discardableResult
    public func advertise(
        name: String?, services: [BluetoothUUID] = [], interval: Duration = .milliseconds(100),
        restart: AdvertisingRestart = .afterDisconnection, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> RunningAdvertisement {
        try await advertise(
            AdvertisingParameters(content: .fields(name: name, services: services), interval: interval),
            restart: restart, timeout: timeout)
    }

    /// True while an advertisement of this server runs or waits to begin again.
    public var isAdvertising: Bool { get async { await core.isAdvertising } }

    /// Stops all advertisements of this server.
    public func stopAdvertising() async { await core.stopAllAdvertising() }

    /// Starts the adapter again after it failed or was switched off; advertising begins again as its rule says. Ends at
    /// once when it is on.
    ///
    /// - Throws: ``BluetoothError`` when it still cannot be used.
    public func start(timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        try await HostOpening.start(core.host, timeout: timeout)
    }

    /// Removes the services and advertisements, ends the links to centrals where the server opened the adapter, and
    /// closes it. Harmless when done before.
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
