// SPDX-License-Identifier: Apache-2.0

import CeruleanAdapters
import CeruleanHost
import CeruleanStack
import CeruleanTesting
import CeruleanVirtual
import CeruleanWire
import CoreBluetooth
import Testing

/// A phone with central managers and a device with a peripheral manager, on one air and on virtual time.
///
/// `@unchecked Sendable`: managers guard their own state; the rest does not change.
final class Stage: @unchecked Sendable {
    let simulation: Simulation
    let world: VirtualWorld
    let phone: StackHost
    let device: StackHost
    let phoneAdapter: CBLinuxAdapter
    let deviceAdapter: CBLinuxAdapter
    let server = ServerRecorder()
    let manager: CBPeripheralManager
    let events = CentralRecorder()
    let central: CBCentralManager
    /// What the device serves.
    let fixed = CBMutableCharacteristic(
        type: CBUUID(string: "2A29"), properties: .read, value: Data("Cerulean".utf8), permissions: .readable)
    let control = CBMutableCharacteristic(
        type: CBUUID(string: "2A39"), properties: [.read, .write, .writeWithoutResponse], value: nil,
        permissions: [.readable, .writeable])
    let measurement = CBMutableCharacteristic(
        type: CBUUID(string: "2A37"), properties: [.notify, .indicate], value: nil, permissions: .readable)
    let alarm = CBMutableCharacteristic(
        type: CBUUID(string: "2A46"), properties: .indicate, value: nil, permissions: .readable)
    let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)

    static func run(
        seed: UInt64 = 1, options: [String: Any]? = nil, mtu: Int? = nil,
        _ body: @escaping @Sendable (Stage) async throws -> Void
    ) async throws {
        nonisolated(unsafe) let options = options
        try await Simulation.run(seed: seed, limit: .seconds(7200)) { simulation in
            let stage = Stage(simulation, options, mtu)
            let state = await stage.events.next("state")
            #expect(state.number == CBManagerState.poweredOn.rawValue)
            _ = await stage.server.next("state")
            try await body(stage)
        }
    }

    private init(_ simulation: Simulation, _ options: [String: Any]?, _ mtu: Int?) {
        var small: StackConfiguration?
        if let mtu {
            small = StackConfiguration(seed: simulation.seed)
            small?.mtu = mtu
            small?.enhancedBearers = 0
        }
        self.simulation = simulation
        world = VirtualWorld(on: simulation.loop, seed: simulation.seed)
        phone = world.makeHost(
            name: "phone", address: DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0001), .random),
            configuration: small)
        device = world.makeHost(
            name: "Strap", address: DeviceAddress(BluetoothAddress(rawValue: 0xC47C_8D00_1122), .random),
            position: Position(x: 1))
        phoneAdapter = CBLinuxAdapter(host: phone, hold: { simulation.hold() })
        deviceAdapter = CBLinuxAdapter(host: device, hold: { simulation.hold() })
        manager = CBPeripheralManager(delegate: server, queue: server.queue, linuxAdapter: deviceAdapter)
        central = CBCentralManager(delegate: events, queue: events.queue, options: options, linuxAdapter: phoneAdapter)
        service.characteristics = [fixed, control, measurement, alarm]
    }

    /// Publishes the service and advertises it.
    func serve(name: String? = "Strap") async {
        manager.add(service)
        let added = await server.next("add")
        #expect(added.error == nil)
        var data: [String: Any] = [CBAdvertisementDataServiceUUIDsKey: [service.uuid]]
        data[CBAdvertisementDataLocalNameKey] = name
        manager.startAdvertising(data)
        let started = await server.next("advertising")
        #expect(started.error == nil)
        #expect(started.number == 1)
    }

    func discover(_ services: [CBUUID]? = nil) async throws -> CBPeripheral {
        central.scanForPeripherals(withServices: services)
        let call = await events.next("discover")
        central.stopScan()
        return try #require(call.peripheral)
    }

    /// Serves, discovers and connects.
    func connect(_ options: [String: Any]? = nil) async throws -> CBPeripheral {
        await serve()
        let peripheral = try await discover()
        central.connect(peripheral, options: options)
        #expect(peripheral.state == .connecting)
        let call = await events.next("connect")
        #expect(call.peripheral === peripheral)
        #expect(peripheral.state == .connected)
        return peripheral
    }

    /// Connects and finds everything.
    func explore(_ options: [String: Any]? = nil) async throws -> Explored {
        let peripheral = try await connect(options)
        peripheral.discoverServices(nil)
        _ = await events.next("services")
        let service = try #require(peripheral.services?.first { $0.uuid == self.service.uuid })
        peripheral.discoverCharacteristics(nil, for: service)
        _ = await events.next("characteristics")
        return Explored(peripheral: peripheral, service: service)
    }

    struct Explored: @unchecked Sendable {
        let peripheral: CBPeripheral
        let service: CBService

        subscript(_ local: CBMutableCharacteristic) -> CBCharacteristic {
            get throws { try #require(service.characteristics?.first { $0.uuid == local.uuid }) }
        }
    }

    /// Lets a moment pass.
    func wait(_ duration: Duration) async throws {
        try await simulation.advance(by: duration)
        settle()
    }

    /// Lets both queues finish what they have.
    func settle() {
        events.queue.sync {}
        server.queue.sync {}
    }

    func drop() { world.drop(phone, device) }
}
