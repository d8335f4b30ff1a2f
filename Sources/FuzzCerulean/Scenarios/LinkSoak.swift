// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanHost
import CeruleanStack
import CeruleanTesting
import CeruleanVirtual
import CeruleanWire
import Foundation
import Synchronization

/// Many links of one central at once for a long (virtual) time, every one of them with a stream of notifications.
///
/// What must hold: each value arrives once, in order; memory does not grow while values flow; no link is lost.
struct LinkSoak: Sendable {
    /// How many peripherals.
    var links = 1000
    /// Time between two notifications of one link.
    var period = Duration.milliseconds(10)
    /// How long, in virtual time.
    var duration = Duration.seconds(60)

    /// What came out.
    struct Outcome: Sendable {
        var failures: [String] = []
        var received = 0
        /// Growth of resident memory between a tenth of the time and the end, in KiB.
        var growth = 0
        var resident = 0
        /// Seconds of real time that the streaming took.
        var seconds = 0.0
    }

    /// Growth beyond this is a failure, in KiB: what the allocator itself moves to and fro.
    static let growthLimit = 8192

    private final class Tally: Sendable {
        let received = Atomic<Int>(0)
        let failures = Mutex<[String]>([])
        let isOver = Atomic<Bool>(false)

        func fail(_ text: String) {
            failures.withLock { if $0.count < 20 { $0.append(text) } }
        }
    }

    func run() -> Outcome {
        do {
            return try Simulation.runBlocking(
                seed: 1, limit: duration + .seconds(24 * 3600), jobLimit: 50_000_000
            ) { try await simulate($0) }
        } catch {
            return Outcome(failures: ["\(error)"])
        }
    }

    private func simulate(_ simulation: Simulation) async throws -> Outcome {
        let world = VirtualWorld(on: simulation.loop, seed: simulation.seed)
        let near = world.makeHost(name: "central", controller: { $0.maximumConnections = links })
        let central = try await Central(Adapter(name: "soak") { () throws(HostError) -> any CeruleanHost.Host in near })
        let tally = Tally()
        var outcome = Outcome()
        var devices: [(server: PeripheralServer, stream: LocalCharacteristic, values: Notifications)] = []
        for number in 0..<links {
            devices.append(
                try await Self.connect(
                    number, central, world, interval: min(max(period, .milliseconds(50)), .seconds(4))))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, device) in devices.enumerated() {
                group.addTask { await receive(device.values, number, tally) }
                group.addTask { await send(device.stream, of: device.server, on: simulation, number, tally) }
            }
            devices = []
            let start = ContinuousClock.now
            try await simulation.advance(by: duration / 10)
            let before = Self.residentKiB
            try await simulation.advance(by: duration / 10 * 9)
            outcome.resident = Self.residentKiB
            outcome.growth = outcome.resident - before
            outcome.seconds = start.duration(to: .now) / .seconds(1)
            tally.isOver.store(true, ordering: .relaxed)
            // What is on its way arrives.
            try await simulation.advance(by: .seconds(60))
            group.cancelAll()
            try await group.waitForAll()
        }
        outcome.received = tally.received.load(ordering: .relaxed)
        outcome.failures = tally.failures.withLock { $0 }
        let least = links * Int(duration / period) * 9 / 10
        if outcome.received < least { outcome.failures.append("only \(outcome.received) of \(least) values arrived") }
        if outcome.growth > Self.growthLimit { outcome.failures.append("memory grew by \(outcome.growth) KiB") }
        return outcome
    }

    /// One more peripheral, connected and subscribed to.
    private static func connect(
        _ number: Int, _ central: Central, _ world: VirtualWorld, interval: Duration
    ) async throws -> (server: PeripheralServer, stream: LocalCharacteristic, values: Notifications) {
        let address = DeviceAddress(BluetoothAddress(rawValue: 0xC0_0000_000000 | UInt64(number + 1)), .random)
        let host = world.makeHost(name: "device \(number)", address: address, position: Position(x: 1))
        let server = try await PeripheralServer(
            Adapter(name: "soak") { () throws(HostError) -> any CeruleanHost.Host in host })
        let stream = LocalCharacteristic(0x2A37, .notify)
        try await server.publish { LocalService(0x180D) { stream } }
        try await server.advertise(name: "device \(number)")
        let peripheral = await central.retrieve(PeerID(address))
        try await peripheral.connect(
            options: ConnectOptions(
                parameters: ConnectionParameterRequest(
                    minimumInterval: interval, maximumInterval: interval, supervisionTimeout: .seconds(30))),
            timeout: .seconds(60))
        let characteristic = try await peripheral.findCharacteristic(0x2A37, timeout: .seconds(300))
        return (server, stream, try await peripheral.notifications(of: characteristic, timeout: .seconds(300)))
    }

    private func send(
        _ stream: LocalCharacteristic, of server: PeripheralServer, on simulation: Simulation, _ number: Int,
        _ tally: Tally
    ) async {
        var next: UInt64 = 0
        do {
            while !tally.isOver.load(ordering: .relaxed) {
                try await server.update(
                    stream, to: (0..<20).map { UInt8(truncatingIfNeeded: next >> (8 * UInt64($0 & 7))) },
                    timeout: .seconds(60))
                next += 1
                try await simulation.advance(by: period)
            }
            // Whoever listens learns how many there were.
            try await server.update(stream, to: Array("end \(next)".utf8), timeout: .seconds(60))
        } catch {
            tally.fail("device \(number) sending: \(error)")
        }
    }

    private func receive(_ values: Notifications, _ number: Int, _ tally: Tally) async {
        var expected: UInt64 = 0
        do {
            for try await notification in values {
                let value = notification.value
                guard value.count == 20 else {
                    if value != Array("end \(expected)".utf8) {
                        tally.fail(
                            "device \(number): \(expected) values, then '\(String(decoding: value, as: UTF8.self))'")
                    }
                    return
                }
                let counter = value.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                if counter != expected {
                    return tally.fail("device \(number): value \(counter) instead of \(expected)")
                }
                expected += 1
                tally.received.add(1, ordering: .relaxed)
            }
            tally.fail("device \(number): the stream ended after \(expected) values")
        } catch {
            tally.fail("device \(number) receiving: \(error)")
        }
    }

    /// Resident memory of this process; zero where the system does not tell.
    private static var residentKiB: Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4 : 0
    }
}
