// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanBITalino
import CeruleanHost
import CeruleanSensing
import CeruleanStack
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
    /// Seconds of the air for each second.
    var speed = 1.0
    /// The devices.
    var places: [Place]
    /// The directory where the devices keep their bonds; nil lets them forget with the room.
    var bonds: String?

    /// What is in the room of the demonstration. Meters that send nothing until they are asked would end no recording.
    static var demonstrationNames: [String] { builtInNames.filter { !["glucose", "cgm"].contains($0) } }

    /// The room of the demonstration: every board that has a simulation, a heart-rate strap, a thermometer, beacons.
    static func demonstration() throws -> SimulatedRoom {
        let distances = [0.4, 0.98, 0.54, 1.33, 0.73, 1.8, 2.4, 3.3, 4.4, 6, 8.1, 10.9]
        var room = SimulatedRoom(places: [])
        for kind in demonstrationNames {
            // Not every driver has a simulation.
            guard let device = try? builtIn(kind) else { continue }
            let number = room.places.count
            room.places.append(
                Place(
                    device: device, address: madeAddress(number), distance: distances[number % distances.count]))
        }
        return room
    }

    /// A random static address for a device that has none.
    static func madeAddress(_ number: Int) -> DeviceAddress {
        DeviceAddress(BluetoothAddress(rawValue: 0xC7_CE00_0000_10 + UInt64(number)), .random)
    }

    /// A BITalino that replays real recordings at A2 and A3, and the firmware's test signals at the other inputs.
    static func bitalino(name: String? = nil, settings: [String: String] = [:]) throws -> any SimulatedDevice {
        var options = SimulationOptions(name: name, settings: settings)
        options.replays["A2"] = .init(
            values: EmbeddedRecording.bvpMotionArtifact.readings.map(Double.init), rate: 1000)
        options.replays["A3"] = .init(values: EmbeddedRecording.edaHotSurface.readings.map(Double.init), rate: 1000)
        for line in ["I1", "I2", "O1", "O2"] { options.replays[line] = .init(values: [0], rate: 1000) }
        return try BITalinoDriver().makeSimulated(options)
    }

    /// Puts the devices on an air that lives on `loop`, runs `body`, and takes everything away.
    func run<Result: Sendable>(
        on loop: any EventLoop, _ body: (VirtualWorld) async throws -> Result
    ) async throws -> Result {
        let stores = places.map { place in
            bonds.map { bonds in
                let file = String(place.address.address.description.filter { $0 != ":" })
                return FileBondStore(path: "\(bonds)/\(file)", adapter: "device \(place.address.address)")
            }
        }
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await populate(stores, on: loop, body))
        } catch {
            result = .failure(error)
        }
        // The devices are cut off, and what they wanted to remember is on its way to the disk: the next run must find it.
        for case .some(let store) in stores { await store.flush() }
        return try result.get()
    }

    private func populate<Result: Sendable>(
        _ stores: [FileBondStore?], on loop: any EventLoop, _ body: (VirtualWorld) async throws -> Result
    ) async throws -> Result {
        let world = VirtualWorld(on: loop, seed: seed, speed: speed)
        let started = Count()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, place) in places.enumerated() {
                var configuration = StackConfiguration(seed: seed &* 131 &+ UInt64(index))
                configuration.bonds = stores[index]
                group.addTask { [configuration] in
                    // One that fails is missed; the others go on.
                    try? await Self.serve(place, number: index, in: world, configuration) { started.add() }
                }
            }
            defer { group.cancelAll() }
            // All devices can be found before anything is looked for.
            var waited = 0
            while started.value < places.count, waited < 400 {
                try await loop.sleep(for: .milliseconds(5))
                waited += 1
            }
            return try await body(world)
        }
    }

    private static func serve(
        _ place: Place, number: Int, in world: VirtualWorld, _ configuration: StackConfiguration,
        ready: @escaping @Sendable () -> Void
    ) async throws {
        // Around the middle, so that devices do not stand in each other's way.
        let directions: [(Double, Double)] = [(1, 0), (0, 1), (-1, 0), (0, -1), (0.7, 0.7), (-0.7, 0.7), (-0.7, -0.7)]
        let (x, y) = directions[number % directions.count]
        let position = Position(x: x * place.distance, y: y * place.distance)
        let adapter = Adapter(name: "virtual") { () throws(HostError) -> any Host in
            world.makeHost(
                name: place.device.name, address: place.address, position: position, configuration: configuration)
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
