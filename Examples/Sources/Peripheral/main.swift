// SPDX-License-Identifier: Apache-2.0

// A peripheral, with octets alone: imitates the accelerometer of a SensorTag, as a phone would with its own sensor.

import Cerulean
import CeruleanAdapters

let serviceUUID: BluetoothUUID = "F000AA10-0451-4000-B000-000000000000"
let dataUUID: BluetoothUUID = "F000AA11-0451-4000-B000-000000000000"
let enabledUUID: BluetoothUUID = "F000AA12-0451-4000-B000-000000000000"
let periodUUID: BluetoothUUID = "F000AA13-0451-4000-B000-000000000000"

let world = try VirtualWorld()
let server = try await PeripheralServer(.virtual(world))

let data = LocalCharacteristic(dataUUID, [.read, .notify], value: [0, 0, 64])
// A handler decides about a write; what it does not refuse is stored when it has returned.
let enabled = LocalCharacteristic(
    enabledUUID, [.read, .write], value: [0],
    onWrite: { request in
        guard request.value.count == 1 else { throw RequestFailure.invalidValueLength }
    })
let period = LocalCharacteristic(
    periodUUID, [.read, .write], value: [100],
    onWrite: { request in
        guard (1...8).contains(request.value.count) else { throw RequestFailure.invalidValueLength }
    })
try await server.publish {
    LocalService(serviceUUID) {
        data
        enabled
        period
    }
}
let advertisement = try await server.advertise(name: "Accelerometer", services: [serviceUUID])

// Everything that happens, in order.
let events = server.events()
let log = Task {
    for await event in events {
        switch event {
        case .connected(let central): print("\(central.id) connected")
        case .disconnected(let central, let reason): print("\(central.id) disconnected: \(reason.code)")
        case .subscribed(let characteristic, _, _): print("subscribed to \(characteristic.uuid)")
        case .written(let characteristic, let value, _): print("\(characteristic.uuid) is now \(value)")
        default: break
        }
    }
}

// Somebody who uses it, on the same simulated air.
let central = try await Central(.virtual(world))
let peripheral = try await central.first(.name("Accelerometer")).connect()
try await peripheral.discover()
let values = try await peripheral.values(of: peripheral.characteristic(dataUUID))
try await peripheral.write([1], to: peripheral.characteristic(enabledUUID))
do {
    try await peripheral.write([1, 2], to: peripheral.characteristic(enabledUUID))
} catch {
    print("\(error)")
}

// `update` ends when the value is queued for every subscriber: awaiting it is the back-pressure.
for step in 0..<5 as Range<UInt8> { try await server.update(data, to: [step, 0, 64 - step]) }
var count = 0
for try await value in values {
    print("received \(value)")
    count += 1
    if count == 5 { break }
}

try await peripheral.disconnect()
await advertisement.stop()
log.cancel()
