// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanTesting
import Testing

private func fields(_ name: String, _ services: [BluetoothUUID] = []) -> AdvertisementFields {
    var fields = AdvertisementFields()
    fields.name = name
    fields.services = services
    return fields
}

private func address(_ number: UInt64) -> DeviceAddress {
    DeviceAddress(BluetoothAddress(rawValue: 0xC000_0000_0000 | number), .random)
}

@Suite struct ScanTests {
    @Test func aTimeoutEndsThatScanOnly() async throws {
        try await Scripted.run { scripted in
            let host = scripted.host
            async let short = Self.names(scripted.central.scan(timeout: .seconds(2)))
            async let long = Self.names(scripted.central.scan(timeout: .seconds(4)))
            try await scripted.simulation.advance(by: .milliseconds(500))
            for step in 0..<5 {
                await host.advertise(fields("d\(step)"), from: address(UInt64(step)))
                try await scripted.simulation.advance(by: .seconds(1))
            }
            #expect(try await short.count == 2)
            #expect(try await long.count == 4)
            #expect(await host.scans.isEmpty)
        }
    }

    private static func names(_ scan: Scan) async throws -> [String] {
        var names: [String] = []
        for try await found in scan { names.append(found.name ?? "?") }
        return names
    }

    @Test func leavingTheLoopStopsTheScan() async throws {
        try await Scripted.run { scripted in
            let host = scripted.host
            async let seen = Self.first(scripted.central.scan())
            try await scripted.simulation.advance(by: .seconds(1))
            await host.advertise(fields("one"))
            #expect(try await seen == "one")
            try await scripted.simulation.advance(by: .seconds(1))
            #expect(await host.scans.isEmpty)
        }
    }

    private static func first(_ scan: Scan) async throws -> String? {
        for try await found in scan { return found.name }
        return nil
    }

    @Test func filtersApplyToTheirScan() async throws {
        try await Scripted.run { scripted in
            var strong = ScanFilter.namePrefix("BITA")
            strong.minimumRSSI = -60
            async let named = Self.names(scripted.central.scan(.name("bitalino"), timeout: .seconds(1)))
            async let near = Self.names(scripted.central.scan(strong, timeout: .seconds(1)))
            async let even = Self.names(
                scripted.central.scan(.matching { ($0.address?.address.rawValue ?? 1) % 2 == 0 }, timeout: .seconds(1)))
            async let one = Self.names(scripted.central.scan(.address(address(3)), timeout: .seconds(1)))
            try await scripted.simulation.advance(by: .milliseconds(10))
            await scripted.host.advertise(fields("BITalino"), from: address(1), rssi: -50)
            await scripted.host.advertise(fields("BITalino-2"), from: address(2), rssi: -70)
            await scripted.host.advertise(fields("bitable"), from: address(3), rssi: nil)
            await scripted.host.advertise(fields("bitter"), from: address(4), rssi: -60)
            #expect(try await named == ["BITalino"])
            #expect(try await near == ["BITalino"])
            #expect(try await even == ["BITalino-2", "bitter"])
            #expect(try await one == ["bitable"])
        }
    }

    @Test func aScanThatCannotStartThrows() async throws {
        try await Scripted.run { scripted in
            await scripted.host.script { $0.scan = { _ in .immediateFailure(HostError(.poweredOff)) } }
            let result = await outcome {
                var iterator = scripted.central.scan().makeAsyncIterator()
                return try await iterator.next()
            }
            #expect(result.code == .poweredOff)
        }
    }

    @Test func aSlowLoopLosesTheOldestAndSeesHowMany() async throws {
        try await Scripted.run { scripted in
            let host = scripted.host
            // Before the first element is asked for, nothing is scanned.
            var iterator = scripted.central.scan(timeout: .seconds(60), capacity: 4).makeAsyncIterator()
            await host.advertise(fields("unseen"))
            #expect(await host.scans.isEmpty)
            _ = host.loop.schedule(at: host.loop.now + .seconds(1)) {
                host.assumeIsolated { host in
                    for number in 0..<10 { host.advertise(fields("d\(number)"), from: address(UInt64(number))) }
                }
            }
            // The waiting reader takes what was there at its wake-up, ten in one turn of the loop.
            let first = try await iterator.next()
            #expect(first?.name == "d6")
            #expect(iterator.droppedCount == 6)
        }
    }

    @Test func theNameAndAdvertisementOfAKnownDeviceAreRefreshed() async throws {
        try await Scripted.run { scripted in
            async let names = Self.names(scripted.central.scan(timeout: .seconds(1)))
            try await scripted.simulation.advance(by: .milliseconds(10))
            await scripted.host.advertise(fields("old"))
            await scripted.host.advertise(fields("new"))
            #expect(try await names == ["old", "new"])
        }
    }
}
