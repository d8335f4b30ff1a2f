// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanBITalino
import CeruleanHost
import CeruleanSensing
import CeruleanTesting
import CeruleanWire
import Testing

@Suite struct HandshakeTests {
    /// A device with the service, whose board says what `answer` makes of each written value.
    private static func withDevice(
        characteristics: @escaping @Sendable (PeripheralServer) -> [LocalCharacteristic],
        _ body: @escaping @Sendable (Central, Discovery) async throws -> Void
    ) async throws {
        try await Simulation.run(limit: .seconds(600)) { simulation in
            let world = VirtualWorld(on: simulation.loop)
            let central = try await Central(.virtual(world))
            let server = try await PeripheralServer(.virtual(world))
            try await server.publish([LocalService(BITalino.service, characteristics: characteristics(server))])
            try await server.advertise(name: "x", services: [BITalino.service])
            try await body(central, try await central.first(.services([BITalino.service])))
        }
    }

    @Test func refusesADeviceWithoutTheCharacteristics() async throws {
        let lonely: @Sendable (PeripheralServer) -> [LocalCharacteristic] = { _ in
            [LocalCharacteristic(BITalino.commandsCharacteristic, .write)]
        }
        try await Self.withDevice(characteristics: lonely) { _, found in
            let error = await #expect(throws: BITalinoError.self) { try await BITalino(connecting: found) }
            #expect(error?.code == .notBITalino)
            #expect(!found.peripheral.isConnected)
        }
    }

    @Test func saysThatABoardDoesNotAnswer() async throws {
        try await Self.withDevice(characteristics: { _ in
            [
                LocalCharacteristic(BITalino.commandsCharacteristic, .write),
                LocalCharacteristic(BITalino.framesCharacteristic, .notify),
            ]
        }) { _, found in
            let error = await #expect(throws: BITalinoError.self) {
                try await BITalino(connecting: found, timeout: .seconds(2))
            }
            #expect(error?.code == .noAnswer)
        }
    }

    /// Rubbish in front of the version, cut anywhere, with line feeds in it; and no more than is needed is kept.
    @Test func findsTheVersionBehindRubbish() async throws {
        try await Self.withDevice(characteristics: { server in
            let frames = LocalCharacteristic(BITalino.framesCharacteristic, .notify)
            let commands = LocalCharacteristic(
                BITalino.commandsCharacteristic, .write,
                onWrite: { request in
                    guard request.value == [0x07] else { return }
                    for _ in 0..<400 { try await server.update(frames, to: [UInt8](repeating: 0x0A, count: 20)) }
                    for part in ["BITalino", "BITal", "ino_v", "4.0", "\n"] {
                        try await server.update(frames, to: Array(part.utf8))
                    }
                })
            return [commands, frames]
        }) { _, found in
            let board = try await BITalino(connecting: found)
            #expect(board.version.text == "BITalino_v4.0")
            let error = await #expect(throws: BITalinoError.self) { try await board.setPWM(1) }
            #expect(error?.code == .unsupportedVersion)
            let state = await #expect(throws: BITalinoError.self) { try await board.readState() }
            #expect(state?.code == .unsupportedVersion)
        }
    }

    @Test func cancellingTheTaskStopsTheBoard() async throws {
        try await BoardRoom.run { room in
            let board = try await room.connect()
            let count = await withTaskGroup(of: Int.self) { group in
                group.addTask {
                    var count = 0
                    do {
                        for try await _ in board.frames(channels: [.a1], rate: .hz100) { count += 1 }
                    } catch {
                        Issue.record(error)
                    }
                    return count
                }
                try? await room.simulation.advance(by: .seconds(1))
                group.cancelAll()
                return await group.next() ?? 0
            }
            #expect(count > 80)
            #expect(!board.isAcquiring)
            #expect(try await board.readState().battery == 620)
        }
    }

    @Test func callsOfManyTasksTakeTheirTurn() async throws {
        try await BoardRoom.run { room in
            let board = try await room.connect()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for value in 0..<20 {
                    group.addTask { try await board.setPWM(value) }
                    group.addTask {
                        let state = try await board.readState()
                        #expect(state.battery == 620)
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
