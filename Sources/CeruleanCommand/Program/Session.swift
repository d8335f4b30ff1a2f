// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire

/// An open adapter, for the time of one verb.
struct Session: Sendable {
    /// The central role on the adapter.
    let central: Central
    /// `--timeout`, by default 10 s.
    let timeout: Duration
    /// Host time to UTC.
    let clock: WallClock

    /// Opens the adapter, runs `body`, and closes the adapter whatever happened.
    static func run<Result: Sendable>(
        _ invocation: Invocation, _ body: (Session) async throws -> Result
    ) async throws -> Result {
        let timeout = try invocation.seconds("timeout") ?? .seconds(10)
        return try await AdapterChoice.run(invocation) { adapter in
            try await run(adapter, timeout: timeout, body)
        }
    }

    /// Opens an adapter, runs `body`, and closes the adapter whatever happened.
    static func run<Result: Sendable>(
        _ adapter: Adapter, timeout: Duration, _ body: (Session) async throws -> Result
    ) async throws -> Result {
        let central = try await open(adapter, timeout: max(timeout, .seconds(2)))
        let session = Session(central: central, timeout: timeout, clock: WallClock(central.host.loop))
        do {
            let result = try await body(session)
            await session.close()
            return result
        } catch {
            await session.close()
            throw error
        }
    }

    /// Finds the device that the options name, connects to it, discovers its database, runs `body`, and disconnects.
    static func onDevice<Result: Sendable>(
        _ invocation: Invocation, _ body: (Session, Peripheral) async throws -> Result
    ) async throws -> Result {
        try await onDevice(invocation) { session, peripheral, _ in try await body(session, peripheral) }
    }

    /// As above, with the advertisement by which the device was found.
    static func onDevice<Result: Sendable>(
        _ invocation: Invocation, _ body: (Session, Peripheral, Discovery) async throws -> Result
    ) async throws -> Result {
        let selector = try DeviceSelector(invocation)
        return try await run(invocation) { session in
            let discovery = try await selector.find(with: session.central, timeout: session.timeout)
            let peripheral = try await session.central.connect(to: discovery, timeout: session.timeout)
            try await peripheral.discover(timeout: max(session.timeout, .seconds(2)))
            return try await body(session, peripheral, discovery)
        }
    }

    /// Opens an adapter. Whatever goes wrong here is the adapter's doing: exit code 3, but for a cancellation.
    private static func open(_ adapter: Adapter, timeout: Duration) async throws(CommandError) -> Central {
        do {
            return try await Central(adapter, timeout: timeout)
        } catch {
            throw CommandError(error.code == .cancelled ? .interrupted : .noAdapter, error.description)
        }
    }

    /// Opens an adapter for the peripheral role. Whatever goes wrong here is the adapter's doing: exit code 3.
    static func openServer(_ adapter: Adapter, timeout: Duration) async throws(CommandError) -> PeripheralServer {
        do {
            return try await PeripheralServer(adapter, timeout: timeout)
        } catch {
            throw CommandError(error.code == .cancelled ? .interrupted : .noAdapter, error.description)
        }
    }

    /// Disconnects and closes.
    private func close() async {
        let central = central
        await Self.finish { try? await central.shutdown(timeout: .seconds(2)) }
    }

    /// Does what must be done at the end, also when the verb was cancelled: then by a task of its own.
    static func finish(_ work: @escaping @Sendable () async -> Void) async {
        if Task.isCancelled { await Task.detached { await work() }.value } else { await work() }
    }
}
