// SPDX-License-Identifier: Apache-2.0

import Cerulean
import Testing

private let uuid: BluetoothUUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
private let region = BeaconRegion("shop", uuid: uuid)

private func beacon(_ major: UInt16, _ minor: UInt16 = 0) -> BeaconIdentity {
    .proximity(uuid: uuid, major: major, minor: minor)
}

private func second(_ number: Double) -> MonotonicTime { .zero + .seconds(number) }

/// The rules of Documentation/Protocols/beacons.md, section 8; distances are those of the vectors.
@Suite struct BeaconRangerTests {
    @Test func nobodyHeardGivesAnEmptyReport() {
        var ranger = BeaconRanger(region)
        #expect(ranger.report(at: second(1)).beacons.isEmpty)
        ranger.heard(.proximity(uuid: 0x180D, major: 1, minor: 1), measuredPower: -59, rssi: -50, at: second(1))
        #expect(ranger.report(at: second(2)).beacons.isEmpty)
    }

    @Test func theNearestIsFirstAndTheUnknownLast() throws {
        var ranger = BeaconRanger(region)
        ranger.heard(beacon(1), measuredPower: -59, rssi: -80, at: second(0.1))
        ranger.heard(beacon(2), measuredPower: -59, rssi: nil, at: second(0.2))
        ranger.heard(beacon(3), measuredPower: -59, rssi: -50, at: second(0.3))
        ranger.heard(beacon(4), measuredPower: 0, rssi: -60, at: second(0.3))
        let beacons = ranger.report(at: second(1)).beacons
        #expect(beacons.map(\.identity) == [beacon(3), beacon(1), beacon(2), beacon(4)])
        #expect(beacons.map(\.proximity) == [.immediate, .far, .unknown, .unknown])
        #expect(beacons.map(\.rssi) == [-50, -80, 0, -60])
        #expect(abs(beacons[0].accuracy - 0.19106446691360568) < 1e-9)
        #expect(abs(beacons[1].accuracy - 9.521557509550805) < 1e-6)
        #expect(beacons[2].accuracy == -1)
    }

    @Test func aSilentBeaconIsUnknownForFiveSecondsThenLeftOut() {
        var ranger = BeaconRanger(region)
        ranger.heard(beacon(1), measuredPower: -59, rssi: -59, at: second(0.5))
        #expect(ranger.report(at: second(1)).beacons.first?.proximity == .near)
        for cycle in 2...5 {
            let report = ranger.report(at: second(Double(cycle)))
            #expect(
                report.beacons == [RangedBeacon(identity: beacon(1), rssi: 0, accuracy: -1, proximity: .unknown)])
        }
        #expect(ranger.report(at: second(6)).beacons.isEmpty)
    }

    @Test func theMeanLeavesOutTheExtremeTenthsAndWhatIsOlderThanTwentySeconds() {
        var ranger = BeaconRanger(region)
        ranger.heard(beacon(1), measuredPower: -59, rssi: -90, at: second(0))
        for step in 0..<8 { ranger.heard(beacon(1), measuredPower: -59, rssi: -60, at: second(0.1 * Double(step))) }
        ranger.heard(beacon(1), measuredPower: -59, rssi: -20, at: second(0.9))
        // Ten samples: one at each end goes.
        #expect(ranger.report(at: second(1)).beacons.first?.rssi == -60)
        ranger.heard(beacon(1), measuredPower: -59, rssi: -70, at: second(21.5))
        _ = ranger.report(at: second(22))
        ranger.heard(beacon(1), measuredPower: -59, rssi: -70, at: second(22.5))
        #expect(ranger.report(at: second(23)).beacons.first?.rssi == -70)
    }

    @Test func aClassIsToldWhenTwoCyclesAgree() {
        // A window of one cycle, so that each cycle stands for itself.
        var ranger = BeaconRanger(region, options: RangingOptions(window: .milliseconds(900)))
        func cycle(_ number: Int, _ rssi: Int) -> [BeaconProximity] {
            ranger.heard(beacon(1), measuredPower: -59, rssi: rssi, at: second(Double(number) - 0.5))
            return ranger.report(at: second(Double(number))).proximityChanges.map(\.proximity)
        }
        #expect(cycle(1, -59) == [.near])
        #expect(cycle(2, -59) == [])
        // Dancing at the border: -71 is near and -72 far, or the other way about, never twice in a row.
        #expect(cycle(3, -80) == [])
        #expect(cycle(4, -59) == [])
        #expect(cycle(5, -80) == [])
        #expect(cycle(6, -80) == [.far])
        #expect(cycle(7, -80) == [])
    }

    @Test func aFloodOfBeaconsIsBounded() {
        var ranger = BeaconRanger(region)
        for number in 0..<UInt16(5000) {
            ranger.heard(beacon(number, number), measuredPower: -59, rssi: -60, at: second(0.5))
        }
        #expect(ranger.report(at: second(1)).beacons.count == BeaconRanger.beaconLimit)
        #expect(ranger.ignoredCount == 5000 - BeaconRanger.beaconLimit)
        for _ in 0..<5000 { ranger.heard(beacon(1, 1), measuredPower: -59, rssi: -60, at: second(1.5)) }
        #expect(ranger.report(at: second(2)).beacons.first?.identity == beacon(1, 1))
    }

    @Test func zeroIsAValueAndNotAWildcard() {
        let zero = BeaconRegion("zero", uuid: uuid, major: 0, minor: 0)
        #expect(zero.contains(beacon(0, 0)))
        #expect(!zero.contains(beacon(0, 1)) && !zero.contains(beacon(1, 0)))
        let eddystone = BeaconRegion("e", namespace: Array(0..<10))
        #expect(eddystone.contains(.eddystone(namespace: Array(0..<10), instance: [1])))
        #expect(!eddystone.contains(beacon(0, 0)))
    }

    @Test func aTimerThatComesLateLosesNoEvent() {
        var monitor = RegionMonitor(now: .zero)
        #expect(monitor.heard(at: second(1)) == [.entered, .state(.inside)])
        #expect(monitor.heard(at: second(31)) == [])
        #expect(monitor.heard(at: second(70)) == [.exited, .state(.outside), .entered, .state(.inside)])
        #expect(monitor.deadline == second(100))
    }
}
