// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanSensing
import CeruleanWire
import Synchronization

/// The other end of `bench`: it sends values as fast as the link takes them, swallows what is written, and answers reads.
struct SimulatedBench: SimulatedDevice {
    /// The service.
    static let service: BluetoothUUID = "CE9C0001-6265-4E63-8000-00805F9B34FB"
    /// Notifies numbered values without end while somebody is subscribed: a counter of four octets, then filling.
    static let source: BluetoothUUID = "CE9C0002-6265-4E63-8000-00805F9B34FB"
    /// Takes writes; a read tells how many values and octets came: four and eight octets, little-endian.
    static let sink: BluetoothUUID = "CE9C0003-6265-4E63-8000-00805F9B34FB"
    /// Octets of each value of the source, 4 to 512: two octets, little-endian.
    static let size: BluetoothUUID = "CE9C0004-6265-4E63-8000-00805F9B34FB"

    var kind: String { "bench" }
    var name = "Cerulean Bench"

    /// What was written, and how long values are.
    private final class Totals: Sendable {
        struct State {
            var values: UInt32 = 0
            var octets: UInt64 = 0
            var size = 20
        }
        let state = Mutex(State())
    }

    func serve(on server: PeripheralServer, ready: @escaping @Sendable () -> Void) async throws {
        let totals = Totals()
        let source = LocalCharacteristic(Self.source, .notify)
        let sink = LocalCharacteristic(
            Self.sink, [.read, .write, .writeWithoutResponse],
            onRead: { _ in
                totals.state.withLock { state in
                    (0..<4).map { UInt8(truncatingIfNeeded: state.values >> (8 * UInt32($0))) }
                        + (0..<8).map { UInt8(truncatingIfNeeded: state.octets >> (8 * UInt64($0))) }
                }
            },
            onWrite: { request in
                totals.state.withLock { state in
                    state.values &+= 1
                    state.octets &+= UInt64(request.value.count)
                }
            })
        let size = LocalCharacteristic(
            Self.size, .write,
            onWrite: { request in
                guard request.value.count == 2 else { throw RequestFailure(code: 0x0D) }
                let wanted = Int(request.value[0]) | Int(request.value[1]) << 8
                guard (4...512).contains(wanted) else { throw RequestFailure(code: 0x13) }
                totals.state.withLock { $0.size = wanted }
            })
        let published = try await server.publish([
            LocalService(Self.service) {
                source
                sink
                size
            }
        ])
        let parameters = AdvertisingParameters(
            content: .fields(name: name, services: []), interval: .milliseconds(100))
        try await advertise(parameters, of: published, on: server) {
            ready()
            while true {
                do {
                    try await server.waitForSubscriber(of: source, timeout: .seconds(3600))
                    try await send(source, totals, on: server)
                } catch let error as BluetoothError where error.code == .timedOut {
                    continue
                }
            }
        }
    }

    /// Sends while somebody is subscribed.
    private func send(_ source: LocalCharacteristic, _ totals: Totals, on server: PeripheralServer) async throws {
        var number: UInt32 = 0
        while !(await server.subscribers(of: source)).isEmpty {
            try Task.checkCancellation()
            var value = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
            let size = totals.state.withLock { $0.size }
            for index in 4..<max(4, size) { value.append(UInt8(truncatingIfNeeded: index)) }
            try await server.update(source, to: value)
            number &+= 1
        }
    }
}
