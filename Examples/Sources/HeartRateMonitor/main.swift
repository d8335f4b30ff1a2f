// SPDX-License-Identifier: Apache-2.0

// A heart rate monitor: finds every strap around and shows what all of them measure.

import Cerulean
import CeruleanAdapters

/// A strap made of software, at rest or running.
func simulateStrap(_ name: String, rate: UInt16, on world: VirtualWorld) async throws -> PeripheralServer {
    let server = try await PeripheralServer(.virtual(world))
    let measurement = LocalCharacteristic(HeartRate.measurement)
    try await server.publish {
        LocalService(HeartRate.uuid) {
            measurement
            LocalCharacteristic(HeartRate.bodySensorLocation, .chest)
        }
        LocalService(Battery.uuid) { LocalCharacteristic(Battery.level, BatteryLevel(percent: 87)) }
    }
    try await server.advertise(name: name, services: [HeartRate.uuid])
    Task {
        try await server.waitForSubscriber(of: measurement)
        for beat in 0..<3 as Range<UInt16> {
            let value = HeartRateMeasurement(heartRate: rate + beat, sensorContact: .detected, rrIntervals: [819])
            try await server.update(measurement, to: value)
        }
    }
    return server
}

/// Connects to one strap and shows three measurements.
func follow(_ found: Discovery) async throws {
    let name = found.name ?? "strap"
    let peripheral = try await found.connect(timeout: .seconds(10))
    let place = try await peripheral.read(HeartRate.bodySensorLocation)
    let battery = try await peripheral.read(Battery.level)
    print("\(name): connected, worn at place \(place.rawValue), battery \(battery.percent) %")
    var count = 0
    for try await measurement in try await peripheral.values(of: HeartRate.measurement) {
        let intervals = measurement.rrIntervals.map { "\(Int($0) * 1000 / 1024) ms" }
        print("\(name): \(measurement.heartRate) beats per minute \(intervals)")
        count += 1
        if count == 3 { break }
    }
    try await peripheral.disconnect()
}

let world = try VirtualWorld()
let straps = [
    try await simulateStrap("Anna", rate: 62, on: world), try await simulateStrap("Bo", rate: 148, on: world),
]
let central = try await Central(.virtual(world))

// One task for each strap; connecting and reading go on side by side.
try await withThrowingTaskGroup { group in
    var known: Set<PeerID> = []
    for try await found in central.scan(.services([HeartRate.uuid]), timeout: .seconds(10)) {
        // A strap is reported again when it says something new.
        guard known.insert(found.id).inserted else { continue }
        group.addTask { try await follow(found) }
        if known.count == straps.count { break }
    }
    try await group.waitForAll()
}
