// SPDX-License-Identifier: Apache-2.0

public import Cerulean
public import CeruleanAdapters
import CeruleanHost
public import CeruleanStack
import CeruleanVirtual
public import CeruleanWire
import Synchronization

/// A central and any number of simulated peripherals on virtual time: for testing programs that use Cerulean, without a
/// radio.
///
/// Everything between the two sides is real: two whole Bluetooth stacks for each connection, on a simulated air.
/// ```swift
/// @Test func survivesALostStrap() async throws {
///     try await SimulatedWorld.run { world in
///         let level = LocalCharacteristic(Battery.level, BatteryLevel(percent: 80))
///         let strap = try await world.addPeripheral("Strap") { LocalService(Battery.uuid) { level } }
///         let peripheral = try await world.connect(to: strap)
///         strap.dropLink()
///         try await world.advance(by: .seconds(1))
///         #expect(!peripheral.isConnected)
///     }
/// }
/// ```
/// The same seed gives the same run. A run in which nothing can happen any more fails with ``SimulationError``, which
/// names what was waited for.
public final class SimulatedWorld: Sendable {
    /// Virtual time.
    public let simulation: Simulation
    /// The air.
    public let air: VirtualWorld
    /// The central, on a stack of its own at the origin.
    public let central: Central
    /// The stack below ``central``.
    public let centralHost: StackHost

    private let devices = Mutex<[SimulatedPeripheral]>([])

    /// Runs `body` in a fresh world.
    ///
    /// - Parameters:
    ///   - seed: For everything random in the run.
    ///   - limit: Virtual time after which the run fails.
    ///   - body: What happens. It and its child tasks run on the simulation's thread.
    /// - Throws: What `body` throws, or ``SimulationError`` when it waits for what can never happen.
    public static func run<Value: Sendable>(
        seed: UInt64 = 1, limit: Duration = .seconds(24 * 3600),
        _ body: @escaping @Sendable (SimulatedWorld) async throws -> Value
    ) async throws -> Value {
        try await Simulation.run(seed: seed, limit: limit) { simulation in
            try await body(await SimulatedWorld(simulation))
        }
    }

    /// A world with a started central in a simulation.
    ///
    /// - Throws: `BluetoothError` when the central does not start.
    public init(_ simulation: Simulation) async throws {
        self.simulation = simulation
        air = VirtualWorld(on: simulation.loop, seed: simulation.seed)
        centralHost = air.makeHost(
            name: "central", address: DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0001), .random))
        let host = centralHost
        central = try await Central(Adapter(name: "virtual") { () throws(HostError) -> any Host in host })
    }

    /// An adapter on this air, for programs that open their own.
    public func adapter(_ name: String = "virtual") -> Adapter {
        let host = air.makeHost(name: name)
        return Adapter(name: name) { () throws(HostError) -> any Host in host }
    }

    /// The peripherals, in the order in which they were added.
    public var peripherals: [SimulatedPeripheral] { devices.withLock { $0 } }

    /// Adds a device in the peripheral role.
    ///
    /// - Parameters:
    ///   - name: What it advertises and says of itself.
    ///   - address: Its address; nil makes up a random static one that depends on the order of the calls alone.
    ///   - distance: Meters from the central.
    ///   - advertises: Services in its advertisement; nil for all that it has.
    ///   - appears: Advertises at once; otherwise ``SimulatedPeripheral/appear()`` begins it.
    ///   - services: Its database.
    /// - Throws: `BluetoothError`.
    @discardableResult
    public func addPeripheral(
        _ name: String, address: DeviceAddress? = nil, distance: Double = 1, advertises: [BluetoothUUID]? = nil,
        appears: Bool = true, @ListBuilder<LocalService> services: () -> [LocalService] = { [] }
    ) async throws(BluetoothError) -> SimulatedPeripheral {
        let number = UInt64(devices.withLock { $0.count }) + 1
        let own = address ?? DeviceAddress(BluetoothAddress(rawValue: 0xC0DE_0000_0000 | number), .random)
        let device = try await SimulatedPeripheral(
            name: name, address: own, distance: distance, advertises: advertises, in: self, services: services())
        devices.withLock { $0.append(device) }
        if appears { try await device.appear() }
        return device
    }

    /// Finds a device of this world by scanning, and connects to it.
    ///
    /// - Throws: `BluetoothError`.
    public func connect(
        to device: SimulatedPeripheral, reconnection: ReconnectionPolicy = .never, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> Peripheral {
        let peripheral = try await central.first(.address(device.address), timeout: timeout).peripheral
        try await peripheral.connect(reconnection: reconnection, timeout: timeout)
        return peripheral
    }

    /// The central's handle of a device of this world, connected or not, without scanning for it.
    ///
    /// - Throws: `BluetoothError`.
    public func peripheral(_ device: SimulatedPeripheral) async throws(BluetoothError) -> Peripheral {
        if let peripheral = await central.retrieve(device.address) { return peripheral }
        throw BluetoothError(.notFound, "looking up \(device.name)")
    }

    /// Lets virtual time pass: everything due until then happens.
    ///
    /// - Throws: `CancellationError`.
    public func advance(by duration: Duration) async throws { try await simulation.advance(by: duration) }

    /// The present moment of virtual time.
    public var now: MonotonicTime { simulation.now }

    /// Pulls the central's adapter out: scans and links end, and `Central/state` tells.
    public func removeAdapter() { if let station = air.station(of: centralHost) { air.remove(station) } }

    /// Switches the central's adapter off, as a user may at any moment; ``switchAdapterOn()`` reverses it.
    public func switchAdapterOff() async {
        let host = centralHost
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            host.loop.execute { host.assumeIsolated { $0.stop { _ in continuation.resume() } } }
        }
    }

    /// Switches the central's adapter on again.
    ///
    /// - Throws: `BluetoothError`.
    public func switchAdapterOn() async throws(BluetoothError) { try await central.start() }
}
