// SPDX-License-Identifier: Apache-2.0

public import Cerulean
public import CeruleanAdapters
public import CeruleanHost
public import CeruleanStack
import CeruleanVirtual
public import CeruleanWire

/// Two whole stacks on one simulated air and virtual time: a central here, a server there, and everything that may happen
/// between them.
///
/// ```swift
/// @Test func readsTheLevel() async throws {
///     try await TwoHosts.run { hosts in
///         try await hosts.server.publish {
///             LocalService(Battery.uuid) { LocalCharacteristic(Battery.level, BatteryLevel(percent: 80)) }
///         }
///         let peripheral = try await hosts.connect()
///         let level = try await peripheral.read(Battery.level)
///         #expect(level.percent == 80)
///     }
/// }
/// ```
public struct TwoHosts: Sendable {
    /// Virtual time.
    public let simulation: Simulation
    /// The air.
    public let world: VirtualWorld
    /// The central.
    public let central: Central
    /// The peripheral at the other end.
    public let server: PeripheralServer
    /// The stack below ``central``.
    public let centralHost: StackHost
    /// The stack below ``server``.
    public let serverHost: StackHost
    /// The address of the server.
    public let serverAddress: DeviceAddress

    /// Runs `body` with a fresh world of two started hosts, 1 m from each other.
    ///
    /// - Throws: What `body` throws, or ``SimulationError`` when it waits for what can never happen.
    public static func run<Value: Sendable>(
        seed: UInt64 = 1, limit: Duration = .seconds(3600),
        _ body: @escaping @Sendable (TwoHosts) async throws -> Value
    ) async throws -> Value {
        try await Simulation.run(seed: seed, limit: limit) { simulation in
            try await body(await TwoHosts(simulation))
        }
    }

    /// A world of two started hosts in a simulation.
    ///
    /// - Throws: `BluetoothError` when a host does not start.
    public init(_ simulation: Simulation) async throws {
        self.simulation = simulation
        world = VirtualWorld(on: simulation.loop, seed: simulation.seed)
        serverAddress = DeviceAddress(BluetoothAddress(rawValue: 0xC47C_8D00_1122), .random)
        centralHost = world.makeHost(
            name: "central", address: DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0001), .random))
        serverHost = world.makeHost(name: "server", address: serverAddress, position: Position(x: 1))
        let (near, far) = (centralHost, serverHost)
        central = try await Central(Adapter(name: "virtual") { () throws(HostError) -> any Host in near })
        server = try await PeripheralServer(Adapter(name: "virtual") { () throws(HostError) -> any Host in far })
    }

    /// Advertises the server unless it does so already, finds it and connects to it.
    ///
    /// - Throws: `BluetoothError`.
    public func connect(
        options: ConnectOptions = ConnectOptions(), timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> Peripheral {
        if await !server.isAdvertising { try await server.advertise(name: "server") }
        return try await central.first(.address(serverAddress), timeout: timeout).connect(
            options: options, timeout: timeout)
    }

    // MARK: What may happen

    /// The link between the two ends at once; both sides are told `reason`, by default that the other fell silent (0x08).
    public func dropLink(reason: HCI.ErrorCode = .connectionTimeout) {
        world.drop(centralHost, serverHost, reason: reason)
    }

    /// The server is carried out of range: the link ends when its supervision timeout is over.
    public func goOutOfRange() { world.move(serverHost, to: Position(x: 100_000)) }

    /// The server is carried to a distance in meters.
    public func move(to distance: Double) { world.move(serverHost, to: Position(x: distance)) }

    /// The server's controller loses its power: to the central it is as if the device died.
    public func powerOffServer() { with(serverHost) { world.powerOff($0) } }

    /// The server's controller gets its power back, without any memory.
    public func powerOnServer() { with(serverHost) { world.powerOn($0) } }

    /// The server's host is stopped and started, as somebody would do after its controller hung or lost its power: a host cannot
    /// know what a controller forgot.
    ///
    /// - Throws: `HostError` when it does not start.
    public func restartServer() async throws {
        let host = serverHost
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            host.loop.execute {
                host.assumeIsolated { host in
                    host.stop { _ in
                        host.assumeIsolated { host in
                            host.start(timeout: .seconds(10)) {
                                continuation.resume(with: $0.mapError { $0 as any Error })
                            }
                        }
                    }
                }
            }
        }
    }

    /// The central's controller hangs: it says nothing to its host and nothing to the air.
    public func silenceCentral(_ isSilent: Bool = true) { with(centralHost) { world.setSilent($0, isSilent) } }

    /// The server's controller hangs: it says nothing to its host and nothing to the air.
    public func silenceServer(_ isSilent: Bool = true) { with(serverHost) { world.setSilent($0, isSilent) } }

    /// The central's controller is pulled out: its stream closes.
    public func removeCentralAdapter() { with(centralHost) { world.remove($0) } }

    /// Packets get lost with a probability of 0 to 1, in bursts of an average length; the link layer sends them again.
    public func setLoss(_ probability: Double, burstLength: Double = 1) {
        guard let a = world.station(of: centralHost), let b = world.station(of: serverHost) else { return }
        world.setLoss(probability, burstLength: burstLength, between: a, and: b)
    }

    private func with(_ host: StackHost, _ body: (VirtualWorld.Station) -> Void) {
        if let station = world.station(of: host) { body(station) }
    }
}
