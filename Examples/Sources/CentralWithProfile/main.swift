// SPDX-License-Identifier: Apache-2.0

// The same as `Central` with typed values: the profile says what the octets mean.

import Accelerometer
import Cerulean
import CeruleanAdapters

// A simulated air with a simulated tag. With a radio, `Central(.automatic)` is all that changes.
let world = try VirtualWorld()
let tag = try await SimulatedTag(.virtual(world))
let running = Task { try await tag.run() }
let central = try await Central(.virtual(world))

let found = try await central.first(.services([Accelerometer.uuid]), timeout: .seconds(10))
let peripheral = try await found.connect(timeout: .seconds(10))

// Reading, writing and subscribing discover what they need by themselves.
print("on: \(try await peripheral.read(Accelerometer.enabled).isOn)")
print("every \(try await peripheral.read(Accelerometer.period).milliseconds) ms")

let accelerations = try await peripheral.values(of: Accelerometer.data)
try await peripheral.write(Enabled(true), to: Accelerometer.enabled)
try await peripheral.write(Period(milliseconds: 100), to: Accelerometer.period)

var count = 0
for try await acceleration in accelerations {
    print("x \(acceleration.x) y \(acceleration.y) z \(acceleration.z) g")
    count += 1
    if count == 5 { break }
}

try await peripheral.write(Enabled(false), to: Accelerometer.enabled)
try await peripheral.disconnect()
running.cancel()
