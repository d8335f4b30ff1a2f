// SPDX-License-Identifier: Apache-2.0

// A central, with octets alone: finds an accelerometer, reads and writes it, and shows what it sends.

import Accelerometer
import Cerulean
import CeruleanAdapters

let service: BluetoothUUID = "F000AA10-0451-4000-B000-000000000000"
let dataUUID: BluetoothUUID = "F000AA11-0451-4000-B000-000000000000"
let enabledUUID: BluetoothUUID = "F000AA12-0451-4000-B000-000000000000"
let periodUUID: BluetoothUUID = "F000AA13-0451-4000-B000-000000000000"

// A simulated air with a simulated tag. With a radio, `Central(.automatic)` is all that changes.
let world = try VirtualWorld()
let tag = try await SimulatedTag(.virtual(world))
let running = Task { try await tag.run() }
let central = try await Central(.virtual(world))

// The adapter's state comes at once, and then each change.
for await state in central.states() {
    print("adapter \(state)")
    if state == .poweredOn { break }
}

// The first tag that is heard within ten seconds.
let found = try await central.first(.services([service]), timeout: .seconds(10))
print("found \(found.address?.description ?? "a tag") at \(found.rssi ?? 0) dBm")

let peripheral = try await found.connect(timeout: .seconds(10))
for service in try await peripheral.discover() {
    print("service \(service.uuid)")
    for characteristic in service.characteristics {
        print("    characteristic \(characteristic.uuid): \(characteristic.properties)")
    }
}

let data = try peripheral.characteristic(dataUUID)
let enabled = try peripheral.characteristic(enabledUUID)
let period = try peripheral.characteristic(periodUUID)

// Each read gives the value that answers it.
print("enabled \(try await peripheral.read(enabled)), period \(try await peripheral.read(period))")

// Nothing is missed: values are queued from the moment the tag confirms the subscription.
let values = try await peripheral.values(of: data)
try await peripheral.write([1], to: enabled)
var count = 0
for try await value in values {
    print("acceleration", value.map { Double(Int8(bitPattern: $0)) / 64 })
    count += 1
    if count == 5 { break }
}

// A refusal is an error that says who refused, what and why.
do {
    try await peripheral.write([1], to: period)
} catch {
    print("\(error)")
}
try await peripheral.write([20], to: period)
print("period \(try await peripheral.read(period))")

try await peripheral.disconnect()
running.cancel()
