// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanHost
import CeruleanSensing
import CeruleanStack
import CeruleanTesting
import CeruleanVirtual
import CeruleanWire

/// A central and a simulated device, each on a whole stack of its own, on one air and virtual time.
struct ShieldRoom: Sendable {
    let simulation: Simulation
    let world: VirtualWorld
    let phone: StackHost
    let sensor: StackHost
    let central: Central

    /// Runs `body` beside a device that advertises.
    static func run<Value: Sendable>(
        _ device: any SimulatedDevice, _ body: @escaping @Sendable (ShieldRoom) async throws -> Value
    ) async throws -> Value {
        try await Simulation.run(seed: 1, limit: .seconds(3600)) { simulation in
            let world = VirtualWorld(on: simulation.loop, seed: 1)
            let phone = world.makeHost(name: "phone")
            let sensor = world.makeHost(name: "sensor", position: Position(x: 1))
            let central = try await Central(Adapter(name: "phone") { () throws(HostError) -> any Host in phone })
            let server = try await PeripheralServer(
                Adapter(name: "sensor") { () throws(HostError) -> any Host in sensor })
            let room = ShieldRoom(simulation: simulation, world: world, phone: phone, sensor: sensor, central: central)
            return try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask {
                    do { try await device.serve(on: server) } catch is CancellationError {}
                    return nil
                }
                group.addTask { try await body(room) }
                defer { group.cancelAll() }
                while let result = try await group.next() {
                    if let value = result { return value }
                }
                throw CancellationError()
            }
        }
    }
}
