// SPDX-License-Identifier: Apache-2.0

import CeruleanVirtual
import CeruleanWire
import Testing

@Suite struct AdvertisingTests {
    @Test func aScannerHearsAnAdvertiserAboutOnceEachInterval() throws {
        let air = Air(seed: 1)
        let scanner = try TestHost(air, 1)
        let advertiser = try TestHost(air, 2, at: Position(x: 2))
        try scanner.scan(.passive)
        try advertiser.advertise(.nonConnectable, data: [2, 1, 4])
        air.advance(to: milliseconds(10_500))
        // 100 ms plus 0 to 10 ms each.
        #expect((95...105).contains(scanner.reports.count))
        let first = try #require(scanner.reports.first)
        #expect(first.type == .nonConnectable)
        #expect(first.address == advertiser.address.address && first.addressKind == .public)
        #expect(first.data == [2, 1, 4])
    }

    @Test func onlyAnActiveScannerGetsScanResponses() throws {
        for type in [HCI.ScanType.passive, .active] {
            let air = Air(seed: 1)
            let scanner = try TestHost(air, 1)
            let advertiser = try TestHost(air, 2)
            try scanner.scan(type)
            try advertiser.advertise(.scannable, response: [3, 9, 0x41, 0x42])
            air.advance(to: milliseconds(150))
            let responses = scanner.reports.filter { $0.type == .scanResponse }
            #expect(responses.isEmpty == (type == .passive))
            #expect(responses.allSatisfy { $0.data == [3, 9, 0x41, 0x42] })
        }
    }

    @Test func theDuplicateFilterReportsAdvertisementAndScanResponseOnce() throws {
        let air = Air(seed: 1)
        let scanner = try TestHost(air, 1)
        let advertiser = try TestHost(air, 2)
        try scanner.scan(filterDuplicates: true)
        try advertiser.advertise(response: [1])
        air.advance(to: milliseconds(3_000))
        #expect(scanner.reports.map(\.type) == [.connectable, .scanResponse])
    }

    @Test func aScannerWithTheFilterAcceptListHearsOnlyItsDevices() throws {
        let air = Air(seed: 1)
        let scanner = try TestHost(air, 1)
        let wanted = try TestHost(air, 2)
        let other = try TestHost(air, 3)
        #expect(
            try scanner.run(
                HCI.LEAddDeviceToFilterAcceptList(addressKind: .public, address: wanted.address.address)) == .success)
        try scanner.scan(.passive, filterPolicy: 1)
        #expect(try scanner.run(HCI.LEClearFilterAcceptList()) == .commandDisallowed)
        try wanted.advertise()
        try other.advertise()
        air.advance(to: milliseconds(1_000))
        #expect(!scanner.reports.isEmpty)
        #expect(scanner.reports.allSatisfy { $0.address == wanted.address.address })
    }

    @Test func anAdvertiserAnswersScanRequestsOnlyOfItsAcceptList() throws {
        let air = Air(seed: 1)
        let scanner = try TestHost(air, 1)
        let advertiser = try TestHost(air, 2)
        try scanner.scan(.active)
        try advertiser.advertise(filterPolicy: 1)
        air.advance(to: milliseconds(500))
        #expect(!scanner.reports.isEmpty && scanner.reports.allSatisfy { $0.type == .connectable })
    }

    @Test func signalsWeakenWithDistanceAndEndOutOfRange() throws {
        let air = Air(seed: 1)
        let scanner = try TestHost(air, 1)
        let near = try TestHost(air, 2, at: Position(x: 1))
        let far = try TestHost(air, 3, at: Position(x: 30))
        let beyond = try TestHost(air, 4, at: Position(x: 1_000))
        try scanner.scan(.passive)
        for host in [near, far, beyond] { try host.advertise() }
        air.advance(to: milliseconds(20_000))
        func mean(_ host: TestHost) -> Double {
            let values = scanner.reports.filter { $0.address == host.address.address }.map { Double($0.rssi) }
            return values.reduce(0, +) / Double(values.count)
        }
        // 0 dBm - 40 dB - 27 log10(d) dB.
        #expect(abs(mean(near) + 40) < 1)
        #expect(abs(mean(far) + 40 + 27 * 1.477) < 1)
        #expect(!scanner.reports.contains { $0.address == beyond.address.address })
        far.controller.move(to: Position(x: 1), now: milliseconds(20_000))
        scanner.packets.removeAll()
        air.advance(to: milliseconds(40_000))
        #expect(abs(mean(far) + 40) < 1)
    }

    @Test func directedAdvertisingReachesOnlyItsPeerAndTimesOut() throws {
        let air = Air(seed: 1)
        let peer = try TestHost(air, 1)
        let stranger = try TestHost(air, 2)
        let advertiser = try TestHost(air, 3)
        try peer.scan(.passive)
        try stranger.scan(.passive)
        try advertiser.advertise(.directedHighDuty, to: peer.address)
        air.advance(to: milliseconds(1_400))
        #expect(stranger.reports.isEmpty)
        #expect(peer.reports.count > 300 && peer.reports.allSatisfy { $0.type == .directed && $0.data.isEmpty })
        let failure = try #require(advertiser.all(HCI.LEConnectionComplete.self).first)
        #expect(failure.status == .advertisingTimeout && failure.role == .peripheral)
        #expect(air.nextDeadline == nil)
    }

    @Test func aScannerWithAShortWindowMissesMostEvents() throws {
        let air = Air(seed: 1)
        let scanner = try TestHost(air, 1)
        let advertiser = try TestHost(air, 2)
        try scanner.run(
            HCI.LESetScanParameters(type: .passive, interval: 160, window: 16, ownAddressType: .public, filterPolicy: 0)
        )
        try scanner.run(HCI.LESetScanEnable(enable: true, filterDuplicates: false))
        try advertiser.advertise(milliseconds: 20)
        air.advance(to: milliseconds(25_000))
        // About 1,000 events, one in ten of them within the window.
        #expect((50...150).contains(scanner.reports.count))
    }

    @Test func settingsAreFixedWhileTheyAreUsed() throws {
        let air = Air(seed: 1)
        let host = try TestHost(air, 1)
        try host.advertise()
        try host.scan()
        #expect(try host.run(HCI.LESetAdvertisingParameters()) == .commandDisallowed)
        #expect(try host.run(HCI.LESetScanParameters()) == .commandDisallowed)
        #expect(try host.run(HCI.LESetRandomAddress(address: .zero)) == .commandDisallowed)
        #expect(try host.run(HCI.LESetAdvertisingEnable(enable: false)) == .success)
        #expect(try host.run(HCI.LESetAdvertisingParameters()) == .invalidParameters)
        air.advance(to: milliseconds(1_000))
        #expect(host.reports.isEmpty)
    }

    @Test func aRandomAddressMustBeSetBeforeItIsUsed() throws {
        let air = Air(seed: 1)
        let host = try TestHost(air, 1)
        try host.run(
            HCI.LESetAdvertisingParameters(
                intervalMinimum: 32, intervalMaximum: 32, type: .connectable, ownAddressType: .random,
                peerAddressKind: .public, peerAddress: .zero, channelMap: 7, filterPolicy: 0))
        #expect(try host.run(HCI.LESetAdvertisingEnable(enable: true)) == .invalidParameters)
        let address = try #require(BluetoothAddress("C4:7C:8D:00:11:22"))
        #expect(try host.run(HCI.LESetRandomAddress(address: address)) == .success)
        #expect(try host.run(HCI.LESetAdvertisingEnable(enable: true)) == .success)
        let scanner = try TestHost(air, 2)
        try scanner.scan(.passive)
        air.advance(to: milliseconds(100))
        #expect(scanner.reports.first?.address == address && scanner.reports.first?.addressKind == .random)
    }
}
