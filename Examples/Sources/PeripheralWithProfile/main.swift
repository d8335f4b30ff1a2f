// SPDX-License-Identifier: Apache-2.0

// The accelerometer of a SensorTag, served from the profile that also decodes it.

import Accelerometer
import Cerulean
import CeruleanAdapters

/// What the tag is set to. Handlers run at requests, from any central.
actor Settings {
    var isOn = false
    var period = 100.0
    func turn(on value: Bool) { isOn = value }
    func set(period value: Double) { period = value }
}

let world = try VirtualWorld()
let server = try await PeripheralServer(.virtual(world))
let settings = Settings()

let data = LocalCharacteristic(Accelerometer.data, Reading(x: 0, y: 0, z: 1))
try await server.publish {
    LocalService(Accelerometer.uuid) {
        data
        // Values come decoded; octets that are none are refused before the handler sees them.
        LocalCharacteristic(
            Accelerometer.enabled, Enabled(false),
            onWrite: { value, _ in await settings.turn(on: value.isOn) })
        LocalCharacteristic(
            Accelerometer.period, Period(milliseconds: 100),
            onWrite: { value, _ in
                guard (100...2550).contains(value.milliseconds) else { throw RequestFailure.outOfRange }
                await settings.set(period: value.milliseconds)
            })
    }
    LocalService(Battery.uuid) { LocalCharacteristic(Battery.level, BatteryLevel(percent: 80)) }
}
try await server.advertise(name: "SensorTag", services: [Accelerometer.uuid])

// A central on the same air switches the sensor on.
let central = try await Central(.virtual(world))
let peripheral = try await central.first(.services([Accelerometer.uuid])).connect()
let accelerations = try await peripheral.values(of: Accelerometer.data)
try await peripheral.write(Enabled(true), to: Accelerometer.enabled)
do {
    try await peripheral.write(Period(milliseconds: 10), to: Accelerometer.period)
} catch {
    print("\(error)")
}
print("battery \(try await peripheral.read(Battery.level).percent) %")

// The sensor measures as long as it is on.
try await server.waitForSubscriber(of: data)
for step in 0..<5 where await settings.isOn {
    try await server.update(data, to: Reading(x: Double(step) / 8, y: 0, z: 1 - Double(step) / 8))
}
var count = 0
for try await acceleration in accelerations {
    print("x \(acceleration.x) y \(acceleration.y) z \(acceleration.z) g")
    count += 1
    if count == 5 { break }
}
try await peripheral.disconnect()
