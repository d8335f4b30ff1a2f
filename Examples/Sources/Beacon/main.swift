// SPDX-License-Identifier: Apache-2.0

// A beacon: says who it is to everybody, and nobody can connect.

import Cerulean
import CeruleanAdapters

// A simulated air: a transmitter, and somebody two meters away.
let world = try VirtualWorld()
let transmitter = try await PeripheralServer(.virtual(world, position: Position(x: 2)))
let central = try await Central(.virtual(world))

/// The first beacon frame of a kind that is heard.
func listen(for kind: String) async throws {
    for try await found in central.scan(timeout: .seconds(5)) {
        for beacon in found.fields.beacons where beacon.kind == kind {
            print("heard", beacon, "at \(found.rssi ?? 0) dBm")
            return
        }
    }
    print("no \(kind) was heard")
}

// Values of an iBeacon; the power is the strength that is received one meter away.
let shop = IBeacon(uuid: "B9407F30-F5F8-466E-AFF9-25556B57FE6D", major: 1, minor: 7, measuredPower: -40)
let running = try await transmitter.advertise(shop)
try await listen(for: shop.kind)
await running.stop()

// Other formats are other values. What a format cannot hold is refused before anything is sent.
let page = EddystoneURL(url: "https://example.com", txPower: -20)
try await transmitter.advertise(page)
try await listen(for: page.kind)
do {
    try await transmitter.advertise(EddystoneURL(url: "https://a.very.long.name.example.com/page", txPower: -20))
} catch {
    print("refused: \(error)")
}
await transmitter.stopAdvertising()
