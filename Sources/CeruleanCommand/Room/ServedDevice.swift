// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanSensing
import CeruleanWire
import Synchronization

/// A simulated device on a server of its own, which can be taken away and brought back.
final class ServedDevice: Sendable {
    /// Where a characteristic stands in what the device publishes, which is the same each time.
    fileprivate struct Place: Hashable {
        var service: Int
        var characteristic: Int
        var uuid: BluetoothUUID
    }

    /// A characteristic with the value that it has, or will have.
    struct Value: Sendable {
        var service: BluetoothUUID
        var characteristic: LocalCharacteristic
        var value: [UInt8]
        fileprivate var place: Place
    }

    private struct State {
        var isPresent = true
        /// What was set by hand, for the next time that the device is published.
        var kept: [Place: [UInt8]] = [:]
        /// What a device that is away published.
        var last: [Value] = []
    }

    /// From 1, in the order of the command line.
    let number: Int
    let device: any SimulatedDevice
    let server: PeripheralServer
    let address: DeviceAddress?
    /// Whether it is to be there; the newest wish counts.
    private let wishes: AsyncStream<Bool>
    private let wish: AsyncStream<Bool>.Continuation
    private let state = Mutex(State())

    init(number: Int, device: any SimulatedDevice, server: PeripheralServer, address: DeviceAddress?) {
        self.number = number
        self.device = device
        self.server = server
        self.address = address
        (wishes, wish) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether it is there.
    var isPresent: Bool { state.withLock { $0.isPresent } }

    /// Takes the device away, or back.
    func setPresent(_ isPresent: Bool) { wish.yield(isPresent) }

    /// Serves until the task is cancelled or the adapter fails, as long as the device is to be there.
    ///
    /// - Parameter ready: Called each time that it can be found.
    func serve(ready: @escaping @Sendable () -> Void) async throws {
        while true {
            let (appearances, appeared) = AsyncStream.makeStream(
                of: Void.self, bufferingPolicy: .bufferingNewest(1))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [self] in try await device.serve(on: server) { appeared.yield() } }
                group.addTask { [self] in
                    for await _ in appearances {
                        await restore()
                        ready()
                    }
                    throw CancellationError()
                }
                group.addTask { [self] in
                    try await wait(untilPresent: false)
                    let last = await values()
                    state.withLock { $0.last = last }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
            // Now it is gone.
            state.withLock { $0.isPresent = false }
            try await wait(untilPresent: true)
        }
    }

    /// What it serves; of a device that is away, what it will serve.
    func values() async -> [Value] {
        let (isPresent, last, kept) = state.withLock { ($0.isPresent, $0.last, $0.kept) }
        guard isPresent else {
            return last.map { one in
                var one = one
                one.value = kept[one.place] ?? one.value
                return one
            }
        }
        return await server.services().enumerated().flatMap { index, service in
            service.characteristics.enumerated().map { position, one in
                Value(
                    service: service.uuid, characteristic: one, value: one.value,
                    place: Place(service: index, characteristic: position, uuid: one.uuid))
            }
        }
    }

    /// The first characteristic that matches.
    func value(of selector: AttributeSelector) async -> Value? {
        await values().first { selector.matches($0.characteristic, in: $0.service) }
    }

    /// Keeps a value, over the device's absence too, and sends it to subscribers if it is there.
    ///
    /// - Throws: `BluetoothError`.
    func set(_ one: Value, to value: [UInt8]) async throws(BluetoothError) {
        if isPresent { try await server.update(one.characteristic, to: value, timeout: .seconds(5)) }
        state.withLock { $0.kept[one.place] = value }
    }

    // MARK: - Private

    /// Gives the device the values that were set before it went away.
    private func restore() async {
        let kept = state.withLock { $0.kept }
        // Present from here on: the values are those of the server.
        defer { state.withLock { $0.isPresent = true } }
        guard !kept.isEmpty else { return }
        for (index, service) in await server.services().enumerated() {
            for (position, one) in service.characteristics.enumerated() {
                let place = Place(service: index, characteristic: position, uuid: one.uuid)
                if let value = kept[place] { _ = try? await server.update(one, to: value, timeout: .seconds(5)) }
            }
        }
    }

    private func wait(untilPresent wanted: Bool) async throws {
        for await isPresent in wishes where isPresent == wanted { return }
        // The stream ends with the task alone.
        throw CancellationError()
    }
}
