// SPDX-License-Identifier: Apache-2.0

import CeruleanAdapters
import CeruleanHost
import CeruleanStack
import CeruleanTesting
import CeruleanVirtual
import CeruleanWire
import Testing

@Suite struct StackHostTests {
    @Test func twoHostsTalkOverAVirtualWorld() async throws {
        try await Simulation.run { simulation in
            let world = VirtualWorld(on: simulation.loop)
            let central = world.makeHost(name: "central")
            let peripheral = world.makeHost(name: "peripheral", position: Position(x: 3))
            try await central.start()
            try await peripheral.start()
            let served = Sink()
            let service = try await peripheral.publish([EngineTests.heartRate], served)[0]
            _ = try await peripheral.advertise(.fields(name: "peripheral", services: [0x180D]))
            let heard = Sink()
            await central.addSink(heard)
            let link = try await central.connect(try #require(await peripheral.localAddress))
            let measurement = try await central.find(0x2A37, in: 0x180D, on: link.id)
            #expect(try await central.read(measurement, link.id) == [0, 60])
            try await central.subscribe(measurement, link.id)
            for number in UInt8(1)...100 {
                #expect(await peripheral.update([0, number], of: service.characteristics[0].id, for: .allSubscribers))
                if number % 10 == 0 { try await simulation.advance(by: .milliseconds(100)) }
            }
            let values = heard.events.compactMap { event -> UInt8? in
                if case .value(_, _, let value, _) = event { value.last } else { nil }
            }
            #expect(values == Array(1...100))
            try await central.stop()
            #expect(await central.state == .poweredOff)
            try await simulation.advance(by: .seconds(1))
            #expect(await peripheral.links.isEmpty)
            try await central.start()
            #expect(await central.state == .poweredOn)
        }
    }

    @Test(arguments: [1, .infinity, 1e300, 0.5]) func aControllerGoesWithItsHost(speed: Double) async throws {
        try await Simulation.run { simulation in
            let world = VirtualWorld(on: simulation.loop, speed: speed)
            let stays = world.makeHost(name: "stays")
            var goes: StackHost? = world.makeHost(name: "goes")
            #expect(world.stationCount == 2)
            try await goes?.start()
            try await goes?.stop()
            try await simulation.advance(by: .milliseconds(1))
            #expect(world.stationCount == 2)
            goes = nil
            try await simulation.advance(by: .milliseconds(1))
            #expect(world.stationCount == 1)
            #expect(world.station(of: stays) != nil)
        }
    }

    @Test func aSilentControllerEndsEveryCallOnceAndTheHostStartsAgain() async throws {
        try await Simulation.run { simulation in
            let world = VirtualWorld(on: simulation.loop)
            let host = world.makeHost(name: "host")
            let sink = Sink()
            await host.addSink(sink)
            try await host.start()
            let station = try #require(world.station(of: host))
            world.setSilent(station, true)
            let peer = DeviceAddress(BluetoothAddress(rawValue: 0xC0_0000_000001), .random)
            let error = await #expect(throws: HostError.self) { try await host.connect(peer, timeout: .seconds(30)) }
            #expect(error?.code == .adapterFailed)
            // The host tries for half a minute, then leaves it to others.
            try await simulation.advance(by: .seconds(10))
            #expect(await host.state == .resetting)
            try await simulation.advance(by: .seconds(60))
            #expect(await host.state == .poweredOff)
            world.setSilent(station, false)
            try await host.start()
            let states = sink.events.compactMap { event -> AdapterState? in
                if case .stateChanged(let state) = event { state } else { nil }
            }
            #expect(states == [.unknown, .poweredOn, .resetting, .poweredOff, .unknown, .poweredOn])
        }
    }

    @Test func aControllerThatComesBackIsTakenAgainByItself() async throws {
        try await Simulation.run { simulation in
            let world = VirtualWorld(on: simulation.loop)
            let host = world.makeHost(name: "host")
            let sink = Sink()
            await host.addSink(sink)
            try await host.start()
            let station = try #require(world.station(of: host))
            world.setSilent(station, true)
            let peer = DeviceAddress(BluetoothAddress(rawValue: 0xC0_0000_000001), .random)
            let error = await #expect(throws: HostError.self) { try await host.connect(peer, timeout: .seconds(30)) }
            #expect(error?.code == .adapterFailed)
            try await simulation.advance(by: .seconds(5))
            world.setSilent(station, false)
            try await simulation.advance(by: .seconds(15))
            #expect(await host.state == .poweredOn)
            let states = sink.events.compactMap { event -> AdapterState? in
                if case .stateChanged(let state) = event { state } else { nil }
            }
            #expect(states == [.unknown, .poweredOn, .resetting, .poweredOn])
            // It works as before.
            _ = try await host.advertise(.fields(name: "again", services: []))
            try await host.stop()
        }
    }
}
