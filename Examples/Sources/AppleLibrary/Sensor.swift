// SPDX-License-Identifier: Apache-2.0

@preconcurrency import CoreBluetooth
import CoreBluetooth.CBUUID

// What libraries of other packages write to carry Apple's objects between actors.
extension CBPeripheral: @retroactive @unchecked Sendable {}
extension CBUUID: @retroactive @unchecked Sendable {}
extension CBService: @retroactive @unchecked Sendable {}
extension CBCharacteristic: @retroactive @unchecked Sendable {}

/// Says what a peripheral is to the library, so that its tests can bring another.
protocol SensorPeripheral: Sendable {
    var identifier: UUID { get }
    var name: String? { get }
    var state: CBPeripheralState { get }
}

extension CBPeripheral: SensorPeripheral {}

/// Carries Apple's objects between actors.
actor Sensors {
    private var known: [UUID: any SensorPeripheral] = [:]

    func add(_ peripheral: CBPeripheral) { known[peripheral.identifier] = peripheral }
    var connected: [any SensorPeripheral] { known.values.filter { $0.state == .connected } }
}
