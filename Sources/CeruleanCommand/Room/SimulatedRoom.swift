// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanBITalino
import CeruleanHost
import CeruleanSensing
import CeruleanTransport
import CeruleanVirtual
import CeruleanWire
import Synchronization

/// A simulated air with devices on it, for as long as something is done with it.
struct SimulatedRoom: Sendable {
    /// A device and where it stands.
    struct Place: Sendable {
        var device: any SimulatedDevice
        var address: DeviceAddress
        /// Meters from the middle of the room.
        var distance: Double
    }

    /// Decides all that chance decides.
    var seed: UInt64 = 1
    /// The devices.
    var places: [Place]

    /// The room of the demonstration: every board that has a simulation, a heart-rate strap, a thermometer, beacons.
    static func demonstration() throws -> SimulatedRoom {
        var devices: [(any SimulatedDevice, Double)] = [(try bitalino(), 1.2)]
        for driver in KnownDrivers.all.drivers where driver.kind != "bitalino" {
            // Not every driver has a simulation.
            if let device = try? driver.makeSimulated(SimulationOptions()) { devices.append((device, 2.5)) }
        }
        devices.append((SimulatedHeartRateStrap(), 0.8))
        devices.append((SimulatedThermometer(), 3.5))
        let uuid: BluetoothUUID = "A495B155-C5B1-4B44-B512-1370F02D74DE"
        devices.append((try SimulatedBeacon.iBeacon(uuid, major: 5, minor: 6, measuredPower: -59), 4.5))
        devices.append((try SimulatedBeacon.eddystone(host: "example.org", power: -20), 7))
        return SimulatedRoom(
            places: devices.enumerated().map { index, entry in
                let address = BluetoothAddress(rawValue: 0xC7_CE00_0000_10 + UInt64(index))
                return Place(device: entry.0, address: DeviceAddress(address, .random), distance: entry.1)
            })
    }

    /// A BITalino that replays real recordings at A2 and A3, and the firmware's test signals at the other inputs.
    static func bitalino() throws -> any SimulatedDevice {
        var options = SimulationOptions()
        options.replays["A2"] = .init(
            values: EmbeddedRecording.bvpMotionArtifact.readings.map(Double.init), rate: 1000)
        options.replays["A3"] = .init(values: EmbeddedRecording.edaHotSurface.readings.map(Double.init), rate: 1000)
        for line in ["I1", "I2", "O1", "O2"] { options.replays[line] = .init(values: [0], rate: 1000) }
        return try BITalinoDriver().makeSimulated(options)
    }

    /// Puts the devices on the air, runs `body` with an adapter in the middle of the room, and takes everything away.
    func run<Result: Sendable>(_ body: (Adapter) async throws -> Result) async throws -> Result {
        let loop = ThreadLoop(name: "virtual")
        let world = VirtualWorld(on: loop, seed: seed)
        let started = Count()
        let tasks = places.enumerated().map { index, place in
            // An app's own tasks: one for each device, ended below.
            Task { [seed] in
                try await Self.serve(place, number: index, in: world, seed: seed) { started.add() }
            }
        }
        defer { for task in tasks { task.cancel() } }
        // All devices can be found before anything is looked for; one that fails is missed, not waited for.
        var waited = 0
        while started.value < places.count, waited < 400 {
            try await loop.sleep(for: .milliseconds(5))
            waited += 1
        }
        let result = try await body(.virtual(world))
        return result
    }

    private static func serve(
        _ place: Place, number: Int, in world: VirtualWorld, seed: UInt64, ready: @escaping @Sendable () -> Void
    ) async throws {
        // Around the middle, so that devices do not stand in each other's way.
        let directions: [(Double, Double)] = [(1, 0), (0, 1), (-1, 0), (0, -1), (0.7, 0.7), (-0.7, 0.7), (-0.7, -0.7)]
        let (x, y) = directions[number % directions.count]
        let position = Position(x: x * place.distance, y: y * place.distance)
        let adapter = Adapter(name: "virtual") { () throws(HostError) -> any Host in
            world.makeHost(name: place.device.name, address: place.address, position: position)
        }
        let server = try await PeripheralServer(adapter)
        do {
            try await place.device.serve(on: server, ready: ready)
        } catch {
            try? await server.shutdown(timeout: .seconds(1))
            throw error
        }
    }
}

/// A number that threads count up.
private final class Count: Sendable {
    private let state = Mutex(0)
    var value: Int { state.withLock { $0 } }
    func add() { state.withLock { $0 += 1 } }
}
