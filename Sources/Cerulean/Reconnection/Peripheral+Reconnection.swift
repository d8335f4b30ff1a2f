// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
import CeruleanWire

extension Peripheral {
    /// Connects as ``connect(options:timeout:)`` does, and keeps the link as the policy says from then on: what was
    /// subscribed is subscribed again on each new link, and its sequences go on.
    ///
    /// ```swift
    /// try await peripheral.connect(reconnection: .backoff(first: .seconds(1), maximum: .seconds(60)))
    /// for try await value in try await peripheral.values(of: HeartRate.measurement) { print(value.heartRate) }
    /// ```
    ///
    /// ``disconnect(force:timeout:)`` ends the policy.
    ///
    /// - Parameters:
    ///   - reconnection: Replaces the policy that is in force. It is in force only once the first link is up.
    ///   - options: For this attempt and all later ones.
    ///   - timeout: For this attempt; later ones have that of the policy.
    /// - Returns: The link as it is right after it came up.
    /// - Throws: ``BluetoothError`` when this first attempt fails.
    @discardableResult
    public func connect(
        reconnection: ReconnectionPolicy, options: ConnectOptions = ConnectOptions(), timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> LinkInfo {
        let (core, record) = (central.core, record)
        return try await awaitOperation(
            on: core.loop, timeout: timeout, describe: { "connecting to \(record.label)" },
            start: { completion in
                core.assumeIsolated { core in
                    core.connect(record, options: options) { result in
                        // In the same turn: a link that is lost at once is lost to the policy.
                        if case .success = result {
                            core.assumeIsolated { $0.keep(record, reconnection, options, connects: false) }
                        }
                        completion(result)
                    }
                }
            })
    }

    /// Connects now or as soon as the device is there, and again whenever the link is lost, as the policy says. Returns
    /// at once: follow ``connectionStates()``. With ``ReconnectionPolicy/never`` it ends a policy and leaves a link as
    /// it is.
    public func keepConnected(_ policy: ReconnectionPolicy, options: ConnectOptions = ConnectOptions()) async {
        await central.core.keep(record, policy, options, connects: true)
    }

    /// True while a ``ReconnectionPolicy`` is in force.
    public var isKeptConnected: Bool { get async { await central.core.isKept(record) } }

    /// Waits until the device is connected, by whomever.
    ///
    /// - Throws: ``BluetoothError`` with `timedOut` or `cancelled`, or the reason when nothing connects it any more.
    public func waitUntilConnected(timeout: Duration = .seconds(60)) async throws(BluetoothError) {
        let (core, record) = (central.core, record)
        let _: Void = try await awaitOperation(
            on: core.loop, timeout: timeout, describe: { "waiting for \(record.label) to be connected" },
            start: { completion in core.assumeIsolated { $0.whenConnected(record, completion) } })
    }

    /// Reads the name that the device gives itself (2A00), see also ``names()``; discovers its database when that has
    /// not been done.
    ///
    /// - Throws: ``BluetoothError``, with `notFound` when it has none.
    public func readName(timeout: Duration = .seconds(10)) async throws(BluetoothError) -> String {
        let characteristic = try await findCharacteristic(0x2A00, in: 0x1800)
        let name = TextValue.decoded(try await read(characteristic, timeout: timeout))
        record.learn(name: name)
        return name
    }
}

extension Central {
    /// What became of one of several connections, see ``connect(toAll:limit:options:timeout:)``.
    public struct ConnectionOutcome: Sendable {
        /// The device.
        public var peripheral: Peripheral
        /// Its link, or why there is none.
        public var result: Result<LinkInfo, BluetoothError>
    }

    /// Connects to several peripherals, at most `limit` at a time. One that fails does not disturb the others; those
    /// that are not begun when the task is cancelled fail with `cancelled`, those that are connected stay so.
    ///
    /// - Parameters:
    ///   - peripherals: In the order in which they are begun.
    ///   - limit: How many attempts are under way at most; at least 1.
    ///   - options: For all of them.
    ///   - timeout: For each attempt from its own beginning.
    /// - Returns: What became of each, in the order of `peripherals`.
    public func connect(
        toAll peripherals: [Peripheral], limit: Int = 3, options: ConnectOptions = ConnectOptions(),
        timeout: Duration = .seconds(10)
    ) async -> [ConnectionOutcome] {
        var outcomes = [Result<LinkInfo, BluetoothError>?](repeating: nil, count: peripherals.count)
        await withTaskGroup(of: (Int, Result<LinkInfo, BluetoothError>).self) { group in
            var next = 0
            func begin() {
                guard next < peripherals.count else { return }
                let (index, peripheral) = (next, peripherals[next])
                group.addTask { (index, await peripheral.connectionResult(options, timeout)) }
                next += 1
            }
            for _ in 0..<max(1, limit) { begin() }
            while let (index, result) = await group.next() {
                outcomes[index] = result
                begin()
            }
        }
        return zip(peripherals, outcomes).map { peripheral, result in
            ConnectionOutcome(
                peripheral: peripheral,
                result: result ?? .failure(BluetoothError(.cancelled, "connecting to \(peripheral)")))
        }
    }
}

extension Peripheral {
    fileprivate func connectionResult(
        _ options: ConnectOptions, _ timeout: Duration
    ) async -> Result<LinkInfo, BluetoothError> {
        do throws(BluetoothError) {
            return .success(try await connect(options: options, timeout: timeout))
        } catch {
            return .failure(error)
        }
    }
}

extension CentralCore {
    func isKept(_ record: PeerRecord) -> Bool { reconnector(of: record) != nil }

    func whenConnected(
        _ record: PeerRecord, _ completion: @escaping HostCompletion<Void>
    ) -> (@Sendable (GiveUp) -> Void)? {
        if record.link != nil {
            completion(.success(()))
            return nil
        }
        guard !isOver, attempts[ObjectIdentifier(record)] != nil || reconnector(of: record) != nil else {
            let reason = record.read { $0.lastError }?.cause
            completion(.failure(reason ?? HostError(.disconnected, detail: "nothing connects it")))
            return nil
        }
        let id = number()
        linkWaiters.append((id, record, completion))
        return { [self] _ in
            assumeIsolated { core in
                guard let index = core.linkWaiters.firstIndex(where: { $0.id == id }) else { return }
                core.linkWaiters.remove(at: index).completion(.failure(HostError(.cancelled)))
            }
        }
    }

    /// Tells who follows the connection, and who waits for it.
    func report(_ record: PeerRecord, _ state: ConnectionState) {
        record.connection.send(state)
        let result: Result<Void, HostError>
        switch state {
        case .connected: result = .success(())
        case .disconnected(let reason) where attempts[ObjectIdentifier(record)] == nil:
            result = .failure(reason?.cause ?? HostError(.disconnected, detail: "nothing connects it"))
        case .disconnected, .waiting, .connecting, .disconnecting: return
        }
        let ready = linkWaiters.filter { $0.record === record }
        guard !ready.isEmpty else { return }
        linkWaiters.removeAll { $0.record === record }
        for waiter in ready { waiter.completion(result) }
    }
}
