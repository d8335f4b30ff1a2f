// SPDX-License-Identifier: Apache-2.0

import CeruleanAdapters
import CeruleanApple
import CeruleanHost
import CeruleanStack
import CeruleanTesting
import CeruleanVirtual
import CeruleanWire
import CoreBluetooth
import Testing

/// The rules of hosts, for our own stack and for the engine of Apple over the facade: *adapter → facade → stack → air*.
@Suite struct ConformanceTests {
    private static func run(
        _ check: HostConformance.Check,
        _ subject: @escaping @Sendable (Simulation, StackHost) -> any CeruleanHost.Host
    ) async throws {
        try await Simulation.run(limit: .seconds(7200)) { simulation in
            let world = VirtualWorld(on: simulation.loop, seed: simulation.seed)
            let near = world.makeHost(
                name: "subject", address: DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0001), .random))
            let far = world.makeHost(
                name: "peer", address: DeviceAddress(BluetoothAddress(rawValue: 0xC47C_8D00_1122), .random),
                position: Position(x: 1))
            try await HostConformance(subject: subject(simulation, near), peer: far).run(check)
        }
    }

    @Test(arguments: HostConformance.Check.allCases)
    func theStackConforms(_ check: HostConformance.Check) async throws {
        try await Self.run(check) { _, host in host }
    }

    @Test(arguments: HostConformance.Check.allCases)
    func theFacadeConforms(_ check: HostConformance.Check) async throws {
        try await Self.run(check) { simulation, host in
            let adapter = CBLinuxAdapter(host: host, hold: { simulation.hold() })
            let queue = DispatchQueue(label: "apple")
            return AppleHost(
                loop: simulation.loop,
                central: { CBCentralManager(delegate: $0, queue: queue, linuxAdapter: adapter) },
                server: { CBPeripheralManager(delegate: $0, queue: queue, linuxAdapter: adapter) })
        }
    }
}
