// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

extension Peripheral {
    // MARK: Discovery

    /// Discovers the peer's database: services, the services they include, characteristics and descriptors. The result
    /// is kept in ``services`` until the link ends or the database changes. A change meanwhile begins it anew, at most twice.
    ///
    /// - Parameters:
    ///   - types: Only services of these types; nil for all.
    ///   - timeout: For everything together.
    /// - Throws: ``BluetoothError``.
    @discardableResult
    public func discover(
        _ types: [BluetoothUUID]? = nil, timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) -> [Service] {
        guard let link = record.link?.id else {
            _ = try requireLink("discovering services")
            return []
        }
        let (core, record) = (central.core, record)
        return try await awaitOperation(
            on: core.loop, describe: { "discovering services on \(record.label)" },
            start: { completion in
                core.assumeIsolated { $0.discover(types, on: link, of: record, timeout: timeout, completion) }
            })
    }

    /// The services found by the last ``discover(_:timeout:)`` on this link; empty before it, after the link has ended,
    /// and after the peer has changed its database.
    public var services: [Service] { record.services ?? [] }

    /// Follows the database: the present one first (nil when it must be discovered), then each change. After nil,
    /// discover again: attributes kept from before are refused as stale.
    public func databases() -> Updates<[Service]?> { record.databases.listen() }

    /// All services of a type, in the order of the database.
    public func services(_ uuid: BluetoothUUID) -> [Service] { services.filter { $0.uuid == uuid } }

    /// All characteristics of a type, in the order of the database.
    public func characteristics(_ uuid: BluetoothUUID, in service: BluetoothUUID? = nil) -> [Characteristic] {
        services.filter { service == nil || $0.uuid == service }.flatMap(\.characteristics).filter { $0.uuid == uuid }
    }

    /// The first service of a type.
    ///
    /// - Throws: ``BluetoothError`` with `notFound`, or `wrongState` when nothing was discovered.
    public func service(_ uuid: BluetoothUUID) throws(BluetoothError) -> Service {
        try requireDatabase("service \(uuid)")
        if let service = services.first(where: { $0.uuid == uuid }) { return service }
        throw BluetoothError(.notFound, "service \(uuid) on \(record.label)")
    }

    /// The first characteristic of a type.
    ///
    /// - Throws: ``BluetoothError`` with `notFound`, or `wrongState` when nothing was discovered.
    public func characteristic(
        _ uuid: BluetoothUUID, in service: BluetoothUUID? = nil
    ) throws(BluetoothError) -> Characteristic {
        let what = "characteristic \(uuid)" + (service.map { " in service \($0)" } ?? "")
        try requireDatabase(what)
        if let characteristic = characteristics(uuid, in: service).first { return characteristic }
        throw BluetoothError(.notFound, "\(what) on \(record.label)")
    }

    /// The first characteristic of a type; discovers the database when that has not been done.
    ///
    /// - Throws: ``BluetoothError``.
    public func findCharacteristic(
        _ uuid: BluetoothUUID, in service: BluetoothUUID? = nil, timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) -> Characteristic {
        if record.services == nil { try await discover(timeout: timeout) }
        return try characteristic(uuid, in: service)
    }

    private func requireDatabase(_ what: String) throws(BluetoothError) {
        _ = try requireLink("looking up \(what)")
        guard record.services == nil else { return }
        throw BluetoothError(.wrongState, "\(what) on \(record.label)", detail: "call discover() first")
    }

    // MARK: Reading

    /// Reads a characteristic: its whole value, up to 512 octets. A notification never answers a read.
    ///
    /// - Throws: ``BluetoothError``, with `refused` or `insufficientSecurity` when the peer says no.
    public func read(
        _ characteristic: Characteristic, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> [UInt8] {
        try await read(characteristic.id, characteristic.uuid, timeout)
    }

    /// Reads a descriptor.
    ///
    /// - Throws: ``BluetoothError``, with `refused` or `insufficientSecurity` when the peer says no.
    public func read(
        _ descriptor: Descriptor, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> [UInt8] {
        try await read(descriptor.id, descriptor.uuid, timeout)
    }

    private func read(
        _ id: AttributeID, _ uuid: BluetoothUUID, _ timeout: Duration
    ) async throws(BluetoothError) -> [UInt8] {
        try await onLink(
            { "read of \(uuid)" },
            start: { host, link, completion in
                host.read(id, on: link, timeout: timeout, completion: completion)
            })
    }

    // MARK: Writing

    /// Writes a value.
    ///
    /// - Parameters:
    ///   - value: At most 512 octets with a response, ``maximumWriteLength`` without.
    ///   - characteristic: The characteristic.
    ///   - mode: Nil takes what the characteristic allows, with a response where it can.
    ///     Without response it ends when the host has queued the packet, at most 8 KiB ahead of the controller:
    ///     awaiting it is the flow control.
    ///   - timeout: For the whole operation.
    /// - Throws: ``BluetoothError``, with `refused` or `insufficientSecurity` when the peer says no.
    public func write(
        _ value: [UInt8], to characteristic: Characteristic, mode: WriteMode? = nil, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) {
        let onlyWithout =
            characteristic.properties.contains(.writeWithoutResponse) && !characteristic.properties.contains(.write)
        try await write(
            value, characteristic.id, characteristic.uuid, mode ?? (onlyWithout ? .withoutResponse : .withResponse),
            timeout)
    }

    /// Writes a descriptor. Subscriptions are made with ``notifications(of:mode:capacity:overflow:timeout:)`` instead.
    ///
    /// - Throws: ``BluetoothError``, with `refused` or `insufficientSecurity` when the peer says no.
    public func write(
        _ value: [UInt8], to descriptor: Descriptor, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) {
        try await write(value, descriptor.id, descriptor.uuid, .withResponse, timeout)
    }

    /// Writes several values so that all or none take effect.
    ///
    /// - Throws: ``BluetoothError``, with `unsupported` where the engine cannot.
    public func writeReliably(
        _ values: [(characteristic: Characteristic, value: [UInt8])], timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) {
        let parts = values.map { (attribute: $0.characteristic.id, value: $0.value) }
        let _: Void = try await onLink(
            { "reliable write of \(parts.count) values" },
            start: { host, link, completion in
                host.writeReliably(parts, on: link, timeout: timeout, completion: completion)
            })
    }

    private func write(
        _ value: [UInt8], _ id: AttributeID, _ uuid: BluetoothUUID, _ mode: WriteMode, _ timeout: Duration
    ) async throws(BluetoothError) {
        let _: Void = try await onLink(
            { "write of \(uuid)" },
            start: { host, link, completion in
                host.write(value, to: id, mode: mode, on: link, timeout: timeout, completion: completion)
            })
    }

    // MARK: Values that the peer sends

    /// Subscribes and gives the values as octets: ``notifications(of:mode:capacity:overflow:timeout:)`` without times.
    ///
    /// - Throws: ``BluetoothError``.
    public func values(
        of characteristic: Characteristic, mode: SubscriptionMode? = nil, capacity: Int = 1024,
        overflow: OverflowRule = .dropOldest, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> RawValues {
        RawValues(
            notifications: try await notifications(
                of: characteristic, mode: mode, capacity: capacity, overflow: overflow, timeout: timeout))
    }

    /// Subscribes to a characteristic and gives the values it sends.
    ///
    /// Nothing is missed between the peer's confirmation and the first read: values are queued from the start.
    ///
    /// - Parameters:
    ///   - characteristic: The characteristic.
    ///   - mode: Nil takes notifications where it can, else indications. When the characteristic is subscribed to
    ///     already, that subscription is shared whatever its mode.
    ///   - capacity: How many values wait for a slow reader.
    ///   - overflow: What happens beyond that; the losses are counted in ``Notification/droppedBefore`` and
    ///     ``Notifications/droppedCount``. The peer is never slowed down.
    ///   - timeout: For the whole operation.
    /// - Throws: ``BluetoothError``, with `unsupported` when it neither notifies nor indicates.
    public func notifications(
        of characteristic: Characteristic, mode: SubscriptionMode? = nil, capacity: Int = 1024,
        overflow: OverflowRule = .dropOldest, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> Notifications {
        let operation = "subscribing to \(characteristic.uuid)"
        let link = try requireLink(operation)
        let chosen = mode ?? (characteristic.properties.contains(.notify) ? .notifications : .indications)
        guard chosen != .off else {
            throw BluetoothError(.invalidArgument, "\(operation) on \(record.label)", detail: "a mode of off")
        }
        guard characteristic.canNotify else {
            throw BluetoothError(
                .unsupported, "\(operation) on \(record.label)", detail: "it neither notifies nor indicates")
        }
        let (core, record) = (central.core, record)
        let channel = Channel<Notification>(capacity: capacity, overflow: overflow)
        let id: UInt64 = try await awaitOperation(
            on: core.loop, timeout: timeout + .seconds(1), describe: { "\(operation) on \(record.label)" },
            abandoned: { id in core.assumeIsolated { $0.unsubscribe(id) } },
            start: { completion in
                core.assumeIsolated {
                    $0.subscribe(
                        to: characteristic, on: link, mode: chosen, channel: channel, timeout: timeout, completion)
                }
            })
        return Notifications(subscription: Subscription(characteristic, channel: channel, central: central, id: id))
    }
}
