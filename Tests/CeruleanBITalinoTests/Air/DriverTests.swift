// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanHost
import CeruleanSensing
import CeruleanTesting
import CeruleanVirtual
import CeruleanWire
import Testing

@testable import CeruleanBITalino

@Suite struct DriverTests {
    @Test func tellsItsVersionAndState() async throws {
        try await BoardRoom.run { room in
            let board = try await room.connect()
            #expect(board.version.text == "BITalino_v5.2")
            try await board.setBatteryThreshold(20)
            try await board.setOutputs([1, 0])
            try await board.setPWM(128)
            let state = try await board.readState()
            #expect(state.battery == 620)
            #expect(state.batteryThreshold == 20)
            #expect(state.pwm == 128)
            #expect(state.digital == [1, 1, 1, 0])
        }
    }

    @Test func streamsSixChannelsAt1000HzWithoutLoss() async throws {
        try await BoardRoom.run { room in
            let board = try await room.connect()
            var index = 0
            for try await frame in board.frames(channels: BITalino.Input.allCases, rate: .hz1000) {
                #expect(frame.index == index)
                #expect(Int(frame.sequence) == index % 16)
                #expect(frame.lostBefore == 0)
                if index == 16 { #expect(frame[.a1] == 579) }  // The peak of the beat begins.
                index += 1
                if index == 10_000 { break }
            }
            #expect(index == 10_000)
            #expect(!board.isAcquiring)
        }
    }

    @Test func startsAnewAfterABreakAndAfterStop() async throws {
        try await BoardRoom.run { room in
            let board = try await room.connect()
            for rate in [BITalino.Rate.hz1000, .hz100] {
                var count = 0
                for try await frame in board.frames(channels: [.a3], rate: rate) {
                    #expect(frame.index == count)
                    #expect(Int(frame.sequence) == count % 16)
                    count += 1
                    if count == 50 { break }
                }
            }
            #expect(try await board.readState().battery == 620)
            try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask {
                    var count = 0
                    for try await _ in board.frames(channels: [.a1], rate: .hz100) { count += 1 }
                    return count
                }
                group.addTask {
                    try await room.simulation.advance(by: .seconds(2))
                    try await board.stop()
                    return 0
                }
                let counts = try await [group.next() ?? 0, group.next() ?? 0]
                #expect((190...200).contains(counts.max() ?? 0))
            }
            #expect(!board.isAcquiring)
        }
    }

    /// What stops an acquisition must not be taken for a setting by a board that is idle.
    @Test func abandoningAnAcquisitionKeepsTheBatteryThreshold() async throws {
        try await BoardRoom.run { room in
            let board = try await room.connect()
            try await board.setBatteryThreshold(20)
            for try await _ in board.frames(channels: [.a1], rate: .hz1000) { break }
            #expect(try await board.readState().batteryThreshold == 20)
            let started = try await board.start(BITalino.AcquisitionRequest(inputs: [.a1], rate: .hz1000, mode: .live))
            board.port.writeWithoutWaiting(0xFF)
            board.end(started.id)
            #expect(try await board.readState().batteryThreshold == 20)
        }
    }

    @Test func leavesTheAirWhenItIsCancelled() async throws {
        try await Simulation.run(limit: .seconds(3600)) { simulation in
            let world = VirtualWorld(on: simulation.loop, seed: 1)
            let sensor = world.makeHost(name: "sensor")
            let server = try await PeripheralServer(
                Adapter(name: "sensor") { () throws(HostError) -> any Host in sensor })
            // Twice: what was published before would be there again.
            for _ in 0..<2 {
                let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        await #expect(throws: CancellationError.self) {
                            try await SimulatedBITalino().serve(on: server) { isReady.finish() }
                        }
                    }
                    for await _ in ready {}
                    #expect(await server.isAdvertising)
                    group.cancelAll()
                    try await group.waitForAll()
                }
                #expect(await !server.isAdvertising)
            }
            try await server.shutdown()
        }
    }

    @Test func deliversBlocksOfTheCallersSize() async throws {
        try await BoardRoom.run { room in
            let board = try await room.connect()
            var sizes: [Int] = []
            for try await block in board.blocks(of: 25, channels: [.a1], rate: .hz100, mode: .simulated) {
                sizes.append(block.count)
                if sizes.count == 4 { break }
            }
            #expect(sizes == [25, 25, 25, 25])
        }
    }

    @Test func refusesMisuseBeforeAnOctetIsSent() async throws {
        try await BoardRoom.run { room in
            let board = try await room.connect()
            await #expect(throws: BITalinoError.self) { try await board.setBatteryThreshold(64) }
            await #expect(throws: BITalinoError.self) { try await board.setOutputs([1, 0, 0, 1]) }
            await #expect(throws: BITalinoError.self) { try await board.setPWM(256) }
            let empty = await #expect(throws: BITalinoError.self) {
                for try await _ in board.frames(channels: [], rate: .hz10) {}
            }
            #expect(empty?.code == .invalidParameter)
            var count = 0
            for try await _ in board.frames(channels: [.a1], rate: .hz100) {
                count += 1
                guard count == 10 else {
                    if count == 60 { break }
                    continue
                }
                let second = await #expect(throws: BITalinoError.self) {
                    for try await _ in board.frames(channels: [.a1], rate: .hz100) {}
                }
                #expect(second?.code == .notIdle)
                let state = await #expect(throws: BITalinoError.self) { try await board.readState() }
                #expect(state?.code == .notIdle)
                try await board.setOutputs([0, 1])  // Allowed while it acquires.
            }
            #expect(try await board.readState().digital == [1, 1, 0, 1])
        }
    }

    @Test func endsWithTheLink() async throws {
        try await BoardRoom.run { room in
            let board = try await room.connect()
            var count = 0
            let error = await #expect(throws: BITalinoError.self) {
                for try await frame in board.frames(channels: [.a1, .a2], rate: .hz1000) {
                    #expect(frame.index == count)
                    count += 1
                    if count == 500 { room.world.drop(room.phone, room.sensor) }
                }
            }
            #expect(error?.code == .link)
            #expect(error?.cause?.code == .disconnected)
            #expect(count >= 500)
            let again = try await BITalino(board.peripheral)
            #expect(try await again.readState().battery == 620)
        }
    }

    @Test func recognizesItsAdvertisement() async throws {
        try await BoardRoom.run { room in
            let found = try await room.find()
            let drivers = DriverRegistry([BITalinoDriver()])
            let recognized = drivers.recognize(found.fields, address: found.address)
            #expect(recognized.first?.recognition == Recognition(kind: "bitalino", confidence: .certain))
            var fields = AdvertisementFields()
            fields.name = "my BiTalino"
            #expect(BITalinoDriver().recognize(fields, address: nil)?.confidence == .name)
            fields.name = "Polar H10"
            #expect(BITalinoDriver().recognize(fields, address: nil) == nil)
        }
    }
}
