// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanTesting
import Testing

private let uuid: BluetoothUUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

extension Scripted {
    /// A beacon is heard.
    fileprivate func hear(_ beacon: any AdvertisableBeacon, rssi: Int? = -59) async throws {
        await host.advertise(AdvertisementFields(advertisement: try beacon.advertisement()), rssi: rssi)
    }
}

private func collect<Element: Sendable>(_ updates: Updates<Element>, _ count: Int) async -> [Element] {
    var elements: [Element] = []
    for await element in updates {
        elements.append(element)
        if elements.count == count { break }
    }
    return elements
}

/// Ranging and monitoring over a host, on virtual time.
@Suite struct BeaconServiceTests {
    @Test func reportsComeEachSecondForEachRegion() async throws {
        try await Scripted.run { scripted in
            let regions = [BeaconRegion("all", uuid: uuid), BeaconRegion("one", uuid: uuid, major: 7)]
            async let reports = Self.reports(of: scripted.central.range(regions), count: 6)
            try await scripted.simulation.advance(by: .milliseconds(1500))
            try await scripted.hear(IBeacon(uuid: uuid, major: 1, minor: 2), rssi: -59)
            try await scripted.hear(AltBeacon(id1: uuid, id2: 7, id3: 1), rssi: -40)
            let all = try await reports
            #expect(all.map(\.region.identifier) == ["all", "one", "all", "one", "all", "one"])
            #expect(all.map(\.beacons.count) == [0, 0, 2, 1, 2, 1])
            #expect(all.map(\.time) == (1...3).flatMap { [$0, $0] }.map { all[0].time + .seconds($0 - 1) })
            #expect(all[2].beacons.map(\.proximity) == [.immediate, .near])
            #expect(all[2].proximityChanges.count == 2 && all[4].beacons.allSatisfy { $0.rssi == 0 })
            try await scripted.simulation.advance(by: .milliseconds(1))
            #expect(await scripted.host.scans.isEmpty)
        }
    }

    private static func reports(of ranging: BeaconRanging, count: Int) async throws -> [RangedBeacons] {
        var reports: [RangedBeacons] = []
        for try await report in ranging {
            reports.append(report)
            if reports.count == count { break }
        }
        return reports
    }

    @Test func rangingEndsWithTheAdapter() async throws {
        try await Scripted.run { scripted in
            async let result = outcome {
                try await Self.reports(of: scripted.central.range([BeaconRegion("r", uuid: uuid)]), count: 100)
            }
            try await scripted.simulation.advance(by: .milliseconds(2500))
            await scripted.host.changeState(.poweredOff)
            #expect(await result.code == .poweredOff)
        }
    }

    @Test func rangingThatIsCancelledStops() async throws {
        try await Scripted.run { scripted in
            try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask {
                    try await Self.reports(
                        of: scripted.central.range([BeaconRegion("r", uuid: uuid)]), count: 100
                    ).count
                }
                try await scripted.simulation.advance(by: .milliseconds(2500))
                #expect(await scripted.host.scans.count == 1)
                group.cancelAll()
                #expect(try await group.next() == 2)
            }
            try await scripted.simulation.advance(by: .milliseconds(1))
            #expect(await scripted.host.scans.isEmpty)
        }
    }

    @Test func aRegionIsEnteredAndLeft() async throws {
        try await Scripted.run { scripted in
            let monitor = BeaconMonitor(scripted.central)
            let events = monitor.events()
            let start = scripted.simulation.loop.now
            try await monitor.start(BeaconRegion("here", uuid: uuid))
            try await monitor.start(BeaconRegion("elsewhere", uuid: uuid, major: 2))
            try await scripted.simulation.advance(by: .seconds(1))
            try await scripted.hear(IBeacon(uuid: uuid, major: 1, minor: 1))
            try await scripted.simulation.advance(by: .seconds(30))
            // Exactly at the deadline: in time.
            try await scripted.hear(IBeacon(uuid: uuid, major: 1, minor: 1))
            let seen = await collect(events, 5)
            #expect(seen.map(\.region.identifier) == ["here", "here", "elsewhere", "here", "here"])
            #expect(seen.map(\.kind) == [.entered, .state(.inside), .state(.outside), .exited, .state(.outside)])
            #expect(seen.map { ($0.time - start) } == [1, 1, 10, 61, 61].map { .seconds($0) })
            await monitor.stop("here")
            #expect(await monitor.regions.map(\.identifier) == ["elsewhere"])
            await monitor.stop("elsewhere")
            #expect(await scripted.host.scans.isEmpty)
        }
    }

    @Test func atMostTwentyRegionsAreMonitored() async throws {
        try await Scripted.run { scripted in
            let monitor = BeaconMonitor(scripted.central)
            for number in 0..<UInt16(20) {
                try await monitor.start(BeaconRegion("\(number)", uuid: uuid, major: number))
            }
            let extra = BeaconRegion("20", uuid: uuid, major: 20)
            #expect(await outcome { try await monitor.start(extra) }.code == .queueFull)
            // One of the same name takes the place of the first.
            try await monitor.start(BeaconRegion("7", uuid: uuid, major: 700))
            #expect(await monitor.regions.count == 20)
            await monitor.stop("3")
            try await monitor.start(extra)
            #expect(await monitor.regions.last == extra)
        }
    }

    @Test func theStateCanBeAskedFor() async throws {
        try await Scripted.run { scripted in
            let monitor = BeaconMonitor(scripted.central)
            let events = monitor.events()
            try await monitor.start(BeaconRegion("r", uuid: uuid))
            #expect(try await monitor.requestState(of: "r") == .unknown)
            try await scripted.simulation.advance(by: .milliseconds(1))
            try await scripted.hear(IBeacon(uuid: uuid, major: 1, minor: 1))
            #expect(try await monitor.requestState(of: "r") == .inside)
            #expect(await outcome { try await monitor.requestState(of: "other") }.code == .notFound)
            let kinds = await collect(events, 4).map(\.kind)
            #expect(kinds == [.state(.unknown), .entered, .state(.inside), .state(.inside)])
        }
    }

    @Test func monitoringOutlivesAnAdapterThatIsSwitchedOff() async throws {
        try await Scripted.run { scripted in
            let monitor = BeaconMonitor(scripted.central)
            let events = monitor.events()
            let start = scripted.simulation.loop.now
            try await monitor.start(BeaconRegion("r", uuid: uuid))
            try await scripted.simulation.advance(by: .seconds(1))
            try await scripted.hear(IBeacon(uuid: uuid, major: 1, minor: 1))
            await scripted.host.changeState(.poweredOff)
            try await scripted.simulation.advance(by: .seconds(40))
            await scripted.host.changeState(.poweredOn)
            try await scripted.simulation.advance(by: .seconds(1))
            #expect(await scripted.host.scans.count == 1)
            try await scripted.hear(IBeacon(uuid: uuid, major: 1, minor: 1))
            let seen = await collect(events, 6)
            #expect(
                seen.map(\.kind) == [
                    .entered, .state(.inside), .exited, .state(.outside), .entered, .state(.inside),
                ])
            #expect(seen.map { $0.time - start } == [1, 1, 31, 31, 42, 42].map { .seconds($0) })
        }
    }

    @Test func aMonitorThatIsLetGoStops() async throws {
        try await Scripted.run { scripted in
            do {
                let monitor = BeaconMonitor(scripted.central)
                try await monitor.start(BeaconRegion("r", uuid: uuid))
                #expect(await scripted.host.scans.count == 1)
            }
            try await scripted.simulation.advance(by: .milliseconds(1))
            #expect(await scripted.host.scans.isEmpty)
        }
    }

    @Test func aServerIsABeaconThatOthersRangeAndMonitor() async throws {
        try await TwoHosts.run { hosts in
            let monitor = BeaconMonitor(hosts.central)
            let events = monitor.events()
            try await monitor.start(BeaconRegion("r", uuid: uuid, major: 1, minor: 2))
            let running = try await hosts.server.advertise(IBeacon(uuid: uuid, major: 1, minor: 2))
            let found = try await hosts.central.first(.address(hosts.serverAddress))
            #expect(found.beacons == [.iBeacon(IBeacon(uuid: uuid, major: 1, minor: 2))])
            #expect(!found.isConnectable)
            let reports = try await Self.reports(
                of: hosts.central.range([BeaconRegion("r", uuid: uuid)]), count: 2)
            #expect(reports[1].beacons.first?.identity == .proximity(uuid: uuid, major: 1, minor: 2))
            #expect((reports[1].beacons.first?.rssi ?? 0) < 0)
            await running.stop()
            #expect(
                await collect(events, 4).map(\.kind) == [.entered, .state(.inside), .exited, .state(.outside)])
        }
    }

    @Test func aBeaconThatCannotBeSentIsRefused() async throws {
        try await TwoHosts.run { hosts in
            let result = await outcome {
                try await hosts.server.advertise(EddystoneURL(url: "ftp://example.org", txPower: 0))
            }
            #expect(result.code == .invalidArgument)
        }
    }
}
