// SPDX-License-Identifier: Apache-2.0

import CeruleanVirtual
import CeruleanWire
import Testing

@Suite struct ExtendedAdvertisingTests {
    /// A scanner and an advertiser, a meter apart.
    private func pair(
        distance: Double = 1, _ change: (inout VirtualController.Configuration) -> Void = { _ in }
    ) throws -> (air: Air, scanner: TestHost, advertiser: TestHost) {
        let air = Air(seed: 1)
        return (
            air, try TestHost(extended: air, 1, change),
            try TestHost(extended: air, 2, at: Position(x: distance), change)
        )
    }

    @Test(arguments: [0, 31, 229, 230, 458, 1_000, 1_650])
    func dataOfAnyLengthArriveInPartsOf229Octets(count: Int) throws {
        let (air, scanner, advertiser) = try pair()
        try scanner.scanExtended()
        #expect(try advertiser.makeSet(secondary: .le2M, sid: 9) == .success)
        #expect(try advertiser.setData(pattern(count)) == .success)
        #expect(try advertiser.enableSet() == .success)
        air.advance(to: milliseconds(100))
        let parts = scanner.extendedReports
        #expect(parts.count == max(1, (count + 228) / 229))
        #expect(parts.dropLast().allSatisfy { $0.type.dataStatus == .moreToCome && $0.data.count == 229 })
        let whole = try #require(scanner.joinedReports.first)
        #expect(whole.data == pattern(count) && whole.type == [])
        #expect(whole.address == advertiser.address.address && whole.addressKind == .public && whole.sid == 9)
        #expect(whole.primaryPHY == .le1M && whole.secondaryPHY == .le2M && whole.txPower == 127)
        #expect(whole.periodicInterval == 0)
    }

    @Test func oldScannersHearLegacyPacketsOnly() throws {
        let air = Air(seed: 1)
        let old = try TestHost(air, 1)
        let new = try TestHost(extended: air, 2)
        let advertiser = try TestHost(extended: air, 3)
        try old.scan()
        try new.scanExtended(.active)
        try advertiser.makeSet(1)
        try advertiser.setData(1, pattern(40))
        try advertiser.makeSet(2, [.connectable, .scannable, .legacy])
        try advertiser.setData(2, [2, 1, 6])
        try advertiser.setResponse(2, [3, 9, 0x41, 0x42])
        try advertiser.enableSet(1)
        try advertiser.enableSet(2)
        air.advance(to: milliseconds(150))
        #expect(old.reports.prefix(2).map(\.type) == [.connectable, .scanResponse])
        #expect(old.reports.allSatisfy { $0.data.count <= 4 })
        // Core 5.4, Vol 4, Part E, table in 7.7.65.13: ADV_IND is 0x0013, its SCAN_RSP 0x001B.
        #expect(Set(new.extendedReports.map(\.type.rawValue)) == [0x00, 0x13, 0x1B])
        let legacy = try #require(new.extendedReports.first { $0.type.rawValue == 0x13 })
        #expect(legacy.secondaryPHY.rawValue == 0 && legacy.sid == 0xFF && legacy.data == [2, 1, 6])
    }

    @Test(
        arguments: [
            ([.connectable, .directed, .legacy], 0x15), ([.scannable, .legacy], 0x12), ([.legacy], 0x10),
        ] as [(HCI.AdvertisingProperties, UInt16)])
    func legacyPacketsHaveTheirTypes(properties: HCI.AdvertisingProperties, type: UInt16) throws {
        let (air, scanner, advertiser) = try pair()
        try scanner.scanExtended()
        #expect(try advertiser.makeSet(1, properties, peer: scanner.address) == .success)
        #expect(try advertiser.enableSet() == .success)
        air.advance(to: milliseconds(150))
        #expect(scanner.extendedReports.first?.type.rawValue == type)
    }

    @Test func severalSetsHaveTheirOwnDataAddressesAndTimes() throws {
        let (air, scanner, advertiser) = try pair()
        try scanner.scanExtended()
        for handle in UInt8(0)..<4 {
            try advertiser.makeSet(handle, milliseconds: 100 * (Int(handle) + 1), sid: handle, own: .random)
            let address = BluetoothAddress(rawValue: 0xC000_0000_0000 + UInt64(handle))
            try advertiser.run(HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: handle, address: address))
            try advertiser.setData(handle, [2, 0xFF, handle])
        }
        let all = (UInt8(0)..<4).map {
            HCI.LESetExtendedAdvertisingEnable.AdvertisingSet(advertisingHandle: $0, duration: 0, maximumEvents: 0)
        }
        #expect(try advertiser.run(HCI.LESetExtendedAdvertisingEnable(enable: true, sets: all)) == .success)
        air.advance(to: milliseconds(12_000))
        for handle in UInt8(0)..<4 {
            let reports = scanner.extendedReports.filter { $0.sid == handle }
            #expect(reports.allSatisfy { $0.data == [2, 0xFF, handle] && $0.addressKind == .random })
            #expect(reports.allSatisfy { $0.address.rawValue == 0xC000_0000_0000 + UInt64(handle) })
            // The interval and 0 to 10 ms.
            let expected = 12_000 / (100 * (Int(handle) + 1) + 5)
            #expect(abs(reports.count - expected) <= 2)
        }
        // No set named: all end.
        #expect(try advertiser.run(HCI.LESetExtendedAdvertisingEnable(enable: false, sets: [])) == .success)
        scanner.packets.removeAll()
        air.advance(to: milliseconds(13_000))
        #expect(scanner.extendedReports.isEmpty)
    }

    @Test func anonymousSetsTellNoAddress() throws {
        let (air, scanner, advertiser) = try pair()
        try scanner.scanExtended()
        #expect(try advertiser.makeSet(1, [.anonymous, .connectable]) == .invalidParameters)
        #expect(try advertiser.makeSet(1, [.anonymous, .includesTXPower], power: -7) == .success)
        try advertiser.enableSet()
        air.advance(to: milliseconds(150))
        let report = try #require(scanner.extendedReports.first)
        #expect(report.addressKind == .anonymous && report.address == .zero && report.sid == 3)
        #expect(report.txPower == -7)
    }

    @Test func scannableSetsAnswerWithLongResponsesAndTellWhoAsked() throws {
        let (air, scanner, advertiser) = try pair()
        try scanner.scanExtended(.active)
        try advertiser.makeSet(1, [.scannable], notifies: true)
        // It has nothing to say but its response.
        #expect(try advertiser.setData([1]) == .invalidParameters)
        #expect(try advertiser.enableSet() == .commandDisallowed)
        #expect(try advertiser.setResponse(pattern(500)) == .success)
        #expect(try advertiser.enableSet() == .success)
        air.advance(to: milliseconds(150))
        let reports = scanner.joinedReports
        #expect(reports.prefix(2).map(\.type) == [[.scannable], [.scannable, .scanResponse]])
        #expect(reports.first?.data == [] && reports.dropFirst().first?.data == pattern(500))
        let request = try #require(advertiser.all(HCI.LEScanRequestReceived.self).first)
        #expect(request.advertisingHandle == 1 && request.scannerAddress == scanner.address.address)
    }

    @Test func directedSetsCallOneScanner() throws {
        let air = Air(seed: 1)
        let hosts = try (1...3).map { try TestHost(extended: air, UInt64($0)) }
        for host in hosts[..<2] { try host.scanExtended() }
        try hosts[2].makeSet(1, [.directed], peer: hosts[0].address)
        try hosts[2].setData(pattern(300))
        try hosts[2].enableSet()
        air.advance(to: milliseconds(150))
        let report = try #require(hosts[0].joinedReports.first)
        #expect(report.type == [.directed] && report.target == hosts[0].address.address && report.data == pattern(300))
        #expect(hosts[1].extendedReports.isEmpty)
    }

    @Test func theCodedModeReachesFarther() throws {
        // 0 dBm at 150 m: -98.8 dBm, less than 1M hears and more than Coded does.
        let (air, scanner, advertiser) = try pair(distance: 150)
        try scanner.scanExtended(phys: [.le1M, .leCoded])
        try advertiser.makeSet(1, secondary: .le1M, sid: 1)
        try advertiser.makeSet(2, primary: .leCoded, secondary: .leCoded, sid: 2)
        try advertiser.setData(2, pattern(200))
        try advertiser.enableSet(1)
        try advertiser.enableSet(2)
        air.advance(to: milliseconds(500))
        #expect(Set(scanner.extendedReports.map(\.sid)) == [2])
        let report = try #require(scanner.joinedReports.first)
        #expect(report.primaryPHY == .leCoded && report.secondaryPHY == .leCoded && report.data == pattern(200))
        // Whoever does not scan for it does not hear it.
        let near = try TestHost(extended: air, 3, at: Position(x: 149))
        try near.scanExtended(phys: .le1M, at: milliseconds(500))
        air.advance(to: milliseconds(1_000))
        #expect(Set(near.extendedReports.map(\.sid)) == [1])
    }

    @Test func longDataNeedTimeOnTheAir() throws {
        let (air, scanner, advertiser) = try pair()
        try scanner.scanExtended(phys: .leCoded)
        // 1,650 octets with 64 us each take more than 100 ms.
        try advertiser.makeSet(1, milliseconds: 100, primary: .leCoded, secondary: .leCoded)
        try advertiser.setData(pattern(1_650))
        #expect(try advertiser.enableSet() == .packetTooLong)
        try advertiser.makeSet(1, milliseconds: 200, primary: .leCoded, secondary: .leCoded)
        #expect(try advertiser.enableSet() == .success)
        air.advance(to: milliseconds(105))
        #expect(scanner.extendedReports.isEmpty)
        air.advance(to: milliseconds(200))
        #expect(scanner.joinedReports.first?.data == pattern(1_650))
    }

    @Test func advertisingEndsByDurationAndByCount() throws {
        let (air, scanner, advertiser) = try pair()
        try scanner.scanExtended()
        for handle in UInt8(1)...2 { try advertiser.makeSet(handle, milliseconds: 20, sid: handle) }
        try advertiser.enableSet(1, duration: 30)
        try advertiser.enableSet(2, events: 7)
        air.advance(to: milliseconds(299))
        #expect(!advertiser.all(HCI.LEAdvertisingSetTerminated.self).contains { $0.advertisingHandle == 1 })
        air.advance(to: milliseconds(1_000))
        let ends = advertiser.all(HCI.LEAdvertisingSetTerminated.self)
        let first = try #require(ends.first { $0.advertisingHandle == 1 })
        let second = try #require(ends.first { $0.advertisingHandle == 2 })
        #expect(ends.count == 2)
        #expect(first.status == .advertisingTimeout && first.eventCount == 0)
        #expect(second.status == .limitReached && second.eventCount == 7)
        #expect(scanner.extendedReports.count { $0.sid == 2 } == 7)
        #expect(air.nextDeadline == nil)
    }

    /// Core 5.4, Vol 4, Part E, 3.1.1.
    @Test func legacyAndExtendedCommandsAreNotMixed() throws {
        let air = Air(seed: 1)
        let host = try TestHost(extended: air, 1)
        #expect(try host.run(HCI.LESetScanEnable(enable: false, filterDuplicates: false)) == .success)
        #expect(try host.run(HCI.LEReadNumberOfSupportedAdvertisingSets()) == .commandDisallowed)
        #expect(try host.start(host.extendedConnection(to: host.address)) == .commandDisallowed)
        try host.run(HCI.Reset())
        #expect(try host.value(HCI.LEReadNumberOfSupportedAdvertisingSets()).count == 16)
        #expect(try host.value(HCI.LEReadMaximumAdvertisingDataLength()).length == 1_650)
        #expect(try host.run(HCI.LESetAdvertisingData(data: [])) == .commandDisallowed)
        #expect(try host.run(HCI.LEReadAdvertisingChannelTXPower()) == .commandDisallowed)
        #expect(try host.start(host.connection(to: host.address)) == .commandDisallowed)
        // Neither family: allowed with both.
        #expect(try host.run(HCI.LESetRandomAddress(address: .init(rawValue: 0xC0_0000_0000_01))) == .success)
        #expect(try host.run(HCI.LEClearFilterAcceptList()) == .success)
    }

    @Test func aChangeOfDataIsNoDuplicate() throws {
        let (air, scanner, advertiser) = try pair()
        try scanner.scanExtended(filterDuplicates: 1)
        try advertiser.makeSet(milliseconds: 20)
        try advertiser.setData([2, 1, 6])
        try advertiser.enableSet()
        air.advance(to: milliseconds(300))
        #expect(scanner.extendedReports.map(\.data) == [[2, 1, 6]])
        try advertiser.setData(1, [2, 1, 4], at: milliseconds(300))
        air.advance(to: milliseconds(600))
        #expect(scanner.extendedReports.map(\.data) == [[2, 1, 6], [2, 1, 4]])
    }

    @Test func scanningEndsByItselfOrRests() throws {
        let (air, scanner, advertiser) = try pair()
        try advertiser.makeSet(milliseconds: 20)
        try advertiser.enableSet()
        #expect(try scanner.scanExtended(duration: 128, period: 1) == .invalidParameters)
        #expect(try scanner.scanExtended(filterDuplicates: 2) == .invalidParameters)
        #expect(try scanner.scanExtended(duration: 50) == .success)
        air.advance(to: milliseconds(499))
        #expect(scanner.all(HCI.LEScanTimeout.self).isEmpty)
        air.advance(to: milliseconds(1_000))
        #expect(scanner.all(HCI.LEScanTimeout.self).count == 1)
        let heard = scanner.extendedReports.count
        #expect((18...26).contains(heard))
        scanner.packets.removeAll()
        // Half a second of each 1.28 s, each time anew.
        #expect(
            try scanner.scanExtended(filterDuplicates: 2, duration: 50, period: 1, at: milliseconds(1_000)) == .success)
        air.advance(to: milliseconds(1_000 + 5 * 1_280))
        #expect(scanner.extendedReports.count == 5 && scanner.all(HCI.LEScanTimeout.self).isEmpty)
    }

    @Test func lostPartsAreToldAsTruncated() throws {
        let (air, scanner, advertiser) = try pair()
        air.setLoss(0.3, between: scanner.controller, and: advertiser.controller, now: .zero)
        try scanner.scanExtended()
        try advertiser.makeSet()
        try advertiser.setData(pattern(1_000))
        try advertiser.enableSet()
        air.advance(to: milliseconds(20_000))
        let reports = scanner.joinedReports
        let truncated = reports.filter { $0.type.dataStatus == .truncated }
        #expect(truncated.count > 10 && truncated.count < reports.count)
        #expect(reports.allSatisfy { $0.data == Array(pattern(1_000).prefix($0.data.count)) })
        #expect(reports.allSatisfy { ($0.type.dataStatus == .complete) == ($0.data.count == 1_000) })
    }
}
