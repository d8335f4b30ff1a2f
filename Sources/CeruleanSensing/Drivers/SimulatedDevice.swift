// SPDX-License-Identifier: Apache-2.0

public import Cerulean
package import CeruleanHost

/// A device made of software, for tests, demonstrations and other programs: what a driver of the same kind expects to meet.
///
/// ```swift
/// let server = try await PeripheralServer(adapter)
/// try await device.serve(on: server)      // until the task is cancelled
/// ```
public protocol SimulatedDevice: Sendable {
    /// The kind of its driver.
    var kind: String { get }
    /// The name it advertises.
    var name: String { get }

    /// Publishes its services on `server`, advertises, and answers until the task is cancelled or the adapter fails.
    ///
    /// - Parameters:
    ///   - server: Where it is served.
    ///   - ready: Called once, when it can be found.
    /// - Throws: `CancellationError`, or `BluetoothError` if the adapter fails.
    func serve(on server: PeripheralServer, ready: @escaping @Sendable () -> Void) async throws
}

extension SimulatedDevice {
    /// Serves without telling when it is ready.
    ///
    /// - Throws: As ``serve(on:ready:)``.
    public func serve(on server: PeripheralServer) async throws { try await serve(on: server, ready: {}) }

    /// Advertises while `body` runs. Afterwards the advertisement is stopped and `services` are removed, last first, in a
    /// cancelled task too.
    ///
    /// - Throws: What advertising or `body` throws.
    package func advertise(
        _ parameters: AdvertisingParameters, of services: [PublishedService], on server: PeripheralServer,
        while body: () async throws -> Void
    ) async throws {
        var running: RunningAdvertisement?
        let result: Result<Void, any Error>
        do {
            running = try await server.advertise(parameters)
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        await running?.stop()
        for service in services.reversed() { _ = try? await server.unpublish(service, timeout: .seconds(1)) }
        try result.get()
    }
}

/// What a simulated device should be like.
public struct SimulationOptions: Hashable, Sendable {
    /// The name to advertise; nil for the usual one.
    public var name: String?
    /// Recorded signals to replay, looped, by the name of the channel that measures them.
    public var replays: [String: RecordedSignal]
    /// Settings of the driver's own, by name.
    public var settings: [String: String]

    /// By default test signals.
    public init(name: String? = nil, replays: [String: RecordedSignal] = [:], settings: [String: String] = [:]) {
        self.name = name
        self.replays = replays
        self.settings = settings
    }
}

/// The raw values of one channel as recorded.
public struct RecordedSignal: Hashable, Sendable {
    /// The values in order.
    public var values: [Double]
    /// Values per second.
    public var rate: Double

    /// Values recorded at `rate` Hz.
    public init(values: [Double], rate: Double) {
        self.values = values
        self.rate = rate
    }
}
