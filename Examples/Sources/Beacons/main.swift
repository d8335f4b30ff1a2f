// SPDX-License-Identifier: Apache-2.0

// Beacons around: tells when a region is entered and left, and how far away its beacons are.

import Cerulean
import CeruleanAdapters

let world = try VirtualWorld()
let central = try await Central(.virtual(world))

let region = BeaconRegion("shop", uuid: "500E475A-0000-4000-8000-000000000001")

// Apple's times are 10 s and 30 s; here nobody wants to wait.
let monitor = BeaconMonitor(central, times: MonitoringTimes(initial: .seconds(1), exit: .seconds(2)))
let events = monitor.events()
try await monitor.start(region)

// Two beacons, one meter and eight meters away.
var transmitters: [RunningAdvertisement] = []
for (minor, distance) in [(1, 1.0), (2, 8.0)] {
    let server = try await PeripheralServer(.virtual(world, position: Position(x: distance)))
    let beacon = IBeacon(
        uuid: "500E475A-0000-4000-8000-000000000001", major: 1, minor: UInt16(minor), measuredPower: -40)
    transmitters.append(try await server.advertise(beacon))
}

// Each second a list, the nearest first.
var reports = 0
for try await report in central.range([region]) {
    for beacon in report.beacons {
        let distance = (beacon.accuracy * 10).rounded() / 10
        print("\(beacon.identity) \(beacon.proximity), about \(distance) m, \(beacon.rssi) dBm")
    }
    reports += 1
    if reports == 3 { break }
}
print("state: \(try await monitor.requestState(of: "shop"))")

// Switched off, they are gone after the exit time.
for transmitter in transmitters { await transmitter.stop() }
for await event in events {
    print("\(event.region.identifier): \(event.kind)")
    if event.kind == .exited { break }
}
