// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanBITalino
import CeruleanHost
import CeruleanSensing
import CeruleanStack
import CeruleanTesting
import CeruleanVirtual
import CeruleanWire

/// A central and a simulated board, each on a whole stack of its own, on one air and virtual time.
struct BoardRoom: Sendable {
    let simulation: Simulation
    let world: VirtualWorld
    let phone: StackHost
    let sensor: StackHost
    let central: Central

    /// Runs `body` with a board that advertises.
    static func run<Value: Sendable>(
        _ device: SimulatedBITalino = SimulatedBITalino(), seed: UInt64 = 1,
        _ body: @escaping @Sendable (BoardRoom) async throws -> Value
    ) async throws -> Value {
        try await Simulation.run(seed: seed, limit: .seconds(3600)) { simulation in
            let world = VirtualWorld(on: simulation.loop, seed: seed)
            let phone = world.makeHost(name: "phone")
            let sensor = world.makeHost(name: "sensor", position: Position(x: 1))
            let central = try await Central(Adapter(name: "phone") { () throws(HostError) -> any Host in phone })
            let server = try await PeripheralServer(
                Adapter(name: "sensor") { () throws(HostError) -> any Host in sensor })
            let room = BoardRoom(simulation: simulation, world: world, phone: phone, sensor: sensor, central: central)
            return try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask {
                    do {
                        try await device.serve(on: server)
                    } catch is CancellationError {}
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

    /// Finds the board.
    func find() async throws -> Discovery { try await central.first(.services([BITalino.service])) }

    /// Finds the board and connects to it.
    func connect() async throws -> BITalino { try await BITalino(connecting: try await find(), timeout: .seconds(10)) }
}
