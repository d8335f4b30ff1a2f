// SPDX-License-Identifier: Apache-2.0

import Accelerometer
import Cerulean
import CeruleanTesting
import Testing

/// A profile of one's own needs no Bluetooth to be tested.
@Suite struct AccelerometerProfileTests {
    @Test(arguments: [
        ([0x00, 0x00, 0x40] as [UInt8], Reading(x: 0, y: 0, z: 1)),
        ([0xC0, 0x20, 0xE0], Reading(x: -1, y: 0.5, z: -0.5)),
        ([0x80, 0x7F, 0x01], Reading(x: -2, y: 1.984375, z: 0.015625)),
    ])
    func octetsAndValuesAgree(octets: [UInt8], value: Reading) throws {
        #expect(try Accelerometer.data.decode(octets) == value)
        #expect(try value.encoded() == octets)
    }

    @Test func aShortValueSaysWhereItEnds() throws {
        do {
            _ = try Accelerometer.data.decode([0x00, 0x40])
            Issue.record("decoded")
        } catch {
            #expect(error.offset == 2)
            #expect(error.reason == .truncated)
        }
    }

    @Test func aPeriodIsSentInStepsOfTenMilliseconds() throws {
        #expect(try Period(milliseconds: 250).encoded() == [25])
        #expect(throws: WireError.self) { try Period(milliseconds: 2560).encoded() }
    }
}

/// Beacons, on virtual time: nobody waits for thirty seconds.
@Suite struct RegionTests {
    @Test func aRegionIsEnteredAndLeft() async throws {
        try await TwoHosts.run { hosts in
            let monitor = BeaconMonitor(hosts.central)
            let events = monitor.events()
            try await monitor.start(BeaconRegion("shop", uuid: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"))
            let shop = try await hosts.server.advertise(
                IBeacon(uuid: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", major: 1, minor: 2))
            for await event in events where event.kind == .entered { break }
            let stopped = hosts.simulation.now
            await shop.stop()
            for await event in events where event.kind == .exited { break }
            let waited = hosts.simulation.now - stopped
            #expect(waited > .seconds(29))
            #expect(waited <= .seconds(31))
        }
    }
}
