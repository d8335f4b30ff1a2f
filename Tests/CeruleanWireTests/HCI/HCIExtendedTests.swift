// SPDX-License-Identifier: Apache-2.0

import CeruleanWire
import Testing

/// Extended and periodic advertising, the resolving list. The octets are those that Bumble 0.0.236 writes for the same values.
@Suite struct HCIExtendedTests {
    private let address = BluetoothAddress(rawValue: 0xC47C_8D00_1122)

    @Test func commandsHaveTheOctetsThatAnotherStackWrites() throws {
        var set = HCI.LESetExtendedAdvertisingParameters()
        set.advertisingHandle = 3
        set.properties = [.connectable, .directed, .includesTXPower]
        set.intervalMinimum = 0xA0
        set.intervalMaximum = 0x1234AB
        set.channelMap = 7
        set.ownAddressType = .random
        set.peerAddressKind = .random
        set.peerAddress = address
        set.filterPolicy = 2
        set.txPower = -4
        set.primaryPHY = .leCoded
        set.maximumSkip = 5
        set.secondaryPHY = .le2M
        set.sid = 9
        set.notifiesScanRequests = true
        #expect(Hex.encode(try set.h4Packet()) == "01362019034500a00000ab34120701012211008d7cc402fc0305020901")
        #expect(try HCI.LESetExtendedAdvertisingParameters(decoding: Array(set.h4Packet()[4...])) == set)
        let enable = HCI.LESetExtendedAdvertisingEnable(
            enable: true,
            sets: [
                .init(advertisingHandle: 3, duration: 0x100, maximumEvents: 0),
                .init(advertisingHandle: 4, duration: 0, maximumEvents: 7),
            ])
        #expect(Hex.encode(try enable.h4Packet()) == "0139200a01020300010004000007")
        let scan = HCI.LESetExtendedScanParameters(
            ownAddressType: .random, filterPolicy: 2, phys: [.le1M, .leCoded],
            parameters: [
                .init(type: .active, interval: 0x60, window: 0x30), .init(type: .passive, interval: 0x80, window: 0x40),
            ])
        #expect(Hex.encode(try scan.h4Packet()) == "0141200d01020501600030000080004000")
        #expect(throws: WireError.self) {
            try HCI.LESetExtendedScanParameters(decoding: [1, 2, 5, 1, 0x60, 0, 0x30, 0])
        }
        let create = HCI.LEExtendedCreateConnection(
            filterPolicy: 0, ownAddressType: .random, peerAddressKind: .random, peerAddress: address,
            phys: [.le1M, .le2M],
            parameters: [
                .init(
                    scanInterval: 0x60, scanWindow: 0x30, intervalMinimum: 24, intervalMaximum: 40, latency: 0,
                    supervisionTimeout: 100, eventLengthMinimum: 0, eventLengthMaximum: 2),
                .init(
                    scanInterval: 0, scanWindow: 0, intervalMinimum: 12, intervalMaximum: 16, latency: 4,
                    supervisionTimeout: 200, eventLengthMinimum: 1, eventLengthMaximum: 3),
            ])
        #expect(
            Hex.encode(try create.h4Packet())
                == "0143202a0001012211008d7cc403600030001800280000006400000002000000"
                + "00000c0010000400c80001000300")
        #expect(try HCI.LEExtendedCreateConnection(decoding: Array(create.h4Packet()[4...])) == create)
    }

    @Test func periodicAndPrivacyCommandsHaveTheirOctets() throws {
        #expect(
            Hex.encode(
                try HCI.LEPeriodicAdvertisingCreateSync(
                    options: 1, sid: 9, advertiserAddressKind: .random, advertiserAddress: address, skip: 3,
                    timeout: 0x200, cteType: 2
                ).h4Packet()) == "0144200e0109012211008d7cc40300000202")
        #expect(
            Hex.encode(
                try HCI.LESetPeriodicAdvertisingSyncTransferParameters(
                    handle: 0x40, mode: 2, skip: 3, timeout: 0x200, cteType: 0
                ).h4Packet()) == "015c20084000020300000200")
        let keys = try (0..<2).map { try #require(Value128(littleEndian: ($0 * 16)..<($0 * 16 + 16))) }
        #expect(
            Hex.encode(
                try HCI.LEAddDeviceToResolvingList(
                    peerAddressKind: .random, peerAddress: address, peerKey: keys[0], localKey: keys[1]
                ).h4Packet())
                == "01272027012211008d7cc4000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
    }

    @Test func eventsAreReadFromTheirOctets() throws {
        let established = HCI.LEPeriodicAdvertisingSyncEstablished(
            status: .success, syncHandle: 0x41, sid: 9, advertiserAddressKind: .random, advertiserAddress: address,
            phy: .le2M, interval: 0x50, clockAccuracy: 5)
        #expect(Hex.encode(try established.h4Packet()) == "043e100e00410009012211008d7cc402500005")
        let report = HCI.LEPeriodicAdvertisingReport(
            syncHandle: 0x41, txPower: 127, rssi: -60, cteType: 0xFF, dataStatus: .moreToCome, data: [1, 2, 3])
        #expect(Hex.encode(try report.h4Packet()) == "043e0b0f41007fc4ff0103010203")
        let received = HCI.LEPeriodicAdvertisingSyncTransferReceived(
            status: .success, handle: 0x40, serviceData: 0x1122, syncHandle: 0x41, sid: 9,
            advertiserAddressKind: .random, advertiserAddress: address, phy: .le2M, interval: 0x50, clockAccuracy: 5)
        #expect(Hex.encode(try received.h4Packet()) == "043e14180040002211410009012211008d7cc402500005")
        #expect(try HCI.LEScanTimeout().h4Packet() == [0x04, 0x3E, 0x01, 0x11])
        #expect(
            HCI.ExtendedReportType([.scannable, .legacy], .truncated).rawValue == 0x52
                && HCI.ExtendedReportType(rawValue: 0x25).dataStatus == .moreToCome)
    }

    /// Part of a directed set's data for an unresolved address, then ADV_IND without data.
    @Test func extendedReportsAreReadInPlace() throws {
        let first = try Hex.decode("2500012211008d7cc4010209fcc45000fe2211008d7cc403010203")
        let second = try Hex.decode("1300000100000000000100ff7fc300000000000000000000")
        let event = [2] + first + second
        let reports = try HCI.LEExtendedAdvertisingReport(decoding: event).reports
        #expect(reports.count == 2)
        let report = try #require(reports.first)
        #expect(report.type.contains([.connectable, .directed]) && report.type.dataStatus == .moreToCome)
        #expect(report.address == address && report.addressKind == .random && report.target == address)
        #expect(report.primaryPHY == .le1M && report.secondaryPHY == .le2M && report.sid == 9)
        #expect(report.txPower == -4 && report.rssi == -60 && report.periodicInterval == 0x50)
        #expect(report.targetKind.rawValue == 0xFE && report.data == [1, 2, 3])
        #expect(reports[1].type == [.connectable, .scannable, .legacy] && reports[1].sid == 0xFF)

        // Security H5, for the extended event: what does not fit wholly is dropped.
        for (bytes, expected) in [
            (event, 2), ([0xFF] + first + second, 2), ([0] + first, 0), ([1] + first + second, 1), ([], 0), ([1], 0),
            ([2] + first + second.dropLast(), 1), ([1] + first.dropLast(), 0),
        ] as [([UInt8], Int)] {
            var view = HCI.ExtendedAdvertisingReports(bytes.span.bytes)
            var count = 0
            while let report = view.next() {
                #expect(report.data.upperBound <= bytes.count)
                count += 1
            }
            #expect(count == expected)
        }
    }

    @Test func viewAndDescriptionAgreeOnRandomOctets() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<5_000 {
            var bytes = (0..<Int.random(in: 1...120, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            bytes[0] %= 4
            for index in [24, 52, 80] where index < bytes.count { bytes[index] %= 8 }
            var view = HCI.ExtendedAdvertisingReports(bytes.span.bytes)
            var hot: [HCI.LEExtendedAdvertisingReport.Report] = []
            while let report = view.next() {
                var copy = HCI.LEExtendedAdvertisingReport.Report()
                copy.type = report.type
                copy.addressKind = report.address.kind
                copy.address = report.address.address
                copy.primaryPHY = report.primaryPHY
                copy.secondaryPHY = report.secondaryPHY
                copy.sid = report.sid
                copy.txPower = report.txPower
                copy.rssi = report.rssi
                copy.periodicInterval = report.periodicInterval
                copy.targetKind = report.target.kind
                copy.target = report.target.address
                copy.data = Array(bytes[report.data])
                hot.append(copy)
            }
            var shorter = bytes
            shorter[0] = UInt8(hot.count)
            #expect(try HCI.LEExtendedAdvertisingReport(decodingPrefixOf: shorter.span.bytes).reports == hot)
            if hot.count < Int(bytes[0]) {
                shorter[0] += 1
                #expect(throws: WireError.self) {
                    try HCI.LEExtendedAdvertisingReport(decodingPrefixOf: shorter.span.bytes)
                }
            }
        }
    }
}
