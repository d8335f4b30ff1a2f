// SPDX-License-Identifier: Apache-2.0

import CeruleanVirtual
import CeruleanWire
import Testing

@Suite struct PeriodicTests {
    private let air = Air(seed: 1)
    private let scanner: TestHost
    private let advertiser: TestHost

    init() throws {
        scanner = try TestHost(extended: air, 1)
        advertiser = try TestHost(extended: air, 2, at: Position(x: 1))
    }

    private func advertise(
        _ data: [UInt8], units: UInt16 = 40, secondary: HCI.PHY = .le1M, includesADI: Bool = false
    ) throws {
        try advertiser.makeSet(secondary: secondary, sid: 5)
        #expect(
            try advertiser.run(
                HCI.LESetPeriodicAdvertisingParameters(
                    advertisingHandle: 1, intervalMinimum: units, intervalMaximum: units, properties: 0)) == .success)
        #expect(try advertiser.setPeriodicData(data) == .success)
        #expect(
            try advertiser.run(
                HCI.LESetPeriodicAdvertisingEnable(enable: includesADI ? 3 : 1, advertisingHandle: 1)) == .success)
        #expect(try advertiser.enableSet() == .success)
    }

    private func request(
        options: UInt8 = 0, sid: UInt8 = 5, skip: UInt16 = 0, timeout: UInt16 = 100
    ) -> HCI.LEPeriodicAdvertisingCreateSync {
        HCI.LEPeriodicAdvertisingCreateSync(
            options: options, sid: sid, advertiserAddressKind: .public, advertiserAddress: advertiser.address.address,
            skip: skip, timeout: timeout, cteType: 0)
    }

    /// Synchronizes and returns the handle.
    private func synchronize(
        options: UInt8 = 0, skip: UInt16 = 0, timeout: UInt16 = 100
    ) throws -> UInt16 {
        try scanner.scanExtended()
        #expect(try scanner.start(request(options: options, skip: skip, timeout: timeout)) == .success)
        air.advance(to: milliseconds(500))
        let event = try #require(scanner.all(HCI.LEPeriodicAdvertisingSyncEstablished.self).first)
        #expect(event.status == .success && event.sid == 5)
        #expect(event.advertiserAddress == advertiser.address.address && event.advertiserAddressKind == .public)
        return event.syncHandle
    }

    private var reports: [HCI.LEPeriodicAdvertisingReport] { scanner.all(HCI.LEPeriodicAdvertisingReport.self) }

    @Test func aReceiverGetsTheDataAtEachInterval() throws {
        try advertise(pattern(600), units: 40, secondary: .le2M)
        let handle = try synchronize()
        let event = try #require(scanner.all(HCI.LEPeriodicAdvertisingSyncEstablished.self).first)
        #expect(event.interval == 40 && event.phy == .le2M)
        #expect(scanner.extendedReports.first?.periodicInterval == 40)
        try scanner.run(
            HCI.LESetExtendedScanEnable(enable: false, filterDuplicates: 0, duration: 0, period: 0),
            at: milliseconds(500))
        scanner.packets.removeAll()
        air.advance(to: milliseconds(2_500))
        // 40 events of 50 ms, each of them in parts of 247, 247 and 106 octets.
        #expect(reports.count == 120 && reports.allSatisfy { $0.syncHandle == handle })
        #expect(reports.prefix(3).map(\.data.count) == [247, 247, 106])
        #expect(reports.prefix(3).map(\.dataStatus) == [.moreToCome, .moreToCome, .complete])
        #expect(reports.prefix(3).flatMap(\.data) == pattern(600))
        // Other data for the next events; the set itself may stop.
        try advertiser.setPeriodicData(1, [7], at: milliseconds(2_500))
        #expect(try advertiser.enableSet(1, false, at: milliseconds(2_500)) == .success)
        scanner.packets.removeAll()
        air.advance(to: milliseconds(2_700))
        #expect(reports.map(\.data) == [[7], [7], [7], [7]])
        #expect(
            try scanner.run(HCI.LEPeriodicAdvertisingTerminateSync(syncHandle: handle), at: milliseconds(2_700))
                == .success)
        #expect(
            try scanner.run(HCI.LEPeriodicAdvertisingTerminateSync(syncHandle: handle), at: milliseconds(2_700))
                == .unknownAdvertisingIdentifier)
        // Nobody listens: nothing is simulated.
        #expect(air.nextDeadline == nil)
    }

    @Test func aSynchronizationIsLostAfterItsTimeout() throws {
        try advertise([1])
        let handle = try synchronize(timeout: 100)
        try advertiser.run(
            HCI.LESetPeriodicAdvertisingEnable(enable: 0, advertisingHandle: 1), at: milliseconds(500))
        air.advance(to: milliseconds(1_440))
        #expect(scanner.all(HCI.LEPeriodicAdvertisingSyncLost.self).isEmpty)
        air.advance(to: milliseconds(1_500))
        #expect(scanner.all(HCI.LEPeriodicAdvertisingSyncLost.self).map(\.syncHandle) == [handle])
    }

    @Test func powerLossAndDistanceAreNoticedToo() throws {
        try advertise([1])
        let handle = try synchronize(timeout: 100)
        advertiser.controller.move(to: Position(x: 5_000), now: milliseconds(500))
        air.advance(to: milliseconds(1_600))
        #expect(scanner.all(HCI.LEPeriodicAdvertisingSyncLost.self).map(\.syncHandle) == [handle])
        advertiser.controller.move(to: Position(x: 1), now: milliseconds(1_600))
        try scanner.start(request(), at: milliseconds(1_600))
        air.advance(to: milliseconds(2_500))
        #expect(scanner.all(HCI.LEPeriodicAdvertisingSyncEstablished.self).map(\.status) == [.success, .success])
        advertiser.controller.powerOff(now: milliseconds(2_500))
        air.advance(to: milliseconds(3_700))
        #expect(scanner.all(HCI.LEPeriodicAdvertisingSyncLost.self).count == 2)
        #expect(air.nextDeadline == nil)
    }

    @Test func aTrainThatIsNeverHeardFailsToBeEstablished() throws {
        try advertise([1], units: 800)
        try scanner.scanExtended()
        try scanner.start(request())
        // One second until the first packet: it goes out of range before.
        air.advance(to: milliseconds(300))
        advertiser.controller.move(to: Position(x: 5_000), now: milliseconds(300))
        air.advance(to: milliseconds(9_000))
        #expect(
            scanner.all(HCI.LEPeriodicAdvertisingSyncEstablished.self).map(\.status) == [.failedToBeEstablished])
    }

    @Test func synchronizingCanBeCancelled() throws {
        #expect(try scanner.run(HCI.LEPeriodicAdvertisingCreateSyncCancel()) == .commandDisallowed)
        #expect(try scanner.start(request()) == .success)
        #expect(try scanner.start(request()) == .commandDisallowed)
        #expect(try scanner.run(HCI.LEPeriodicAdvertisingCreateSyncCancel()) == .success)
        #expect(
            scanner.all(HCI.LEPeriodicAdvertisingSyncEstablished.self).map(\.status) == [.operationCancelledByHost])
        try advertise([1])
        try scanner.scanExtended()
        air.advance(to: milliseconds(500))
        #expect(reports.isEmpty)
    }

    @Test func theListChoosesTheAdvertiser() throws {
        try advertise([1])
        let entry = HCI.LEAddDeviceToPeriodicAdvertiserList(
            advertiserAddressKind: .public, advertiserAddress: advertiser.address.address, sid: 5)
        let wrong = HCI.LERemoveDeviceFromPeriodicAdvertiserList(
            advertiserAddressKind: .public, advertiserAddress: advertiser.address.address, sid: 6)
        #expect(try scanner.value(HCI.LEReadPeriodicAdvertiserListSize()).size == 16)
        #expect(try scanner.run(entry) == .success)
        #expect(try scanner.run(entry) == .invalidParameters)
        #expect(try scanner.run(wrong) == .unknownAdvertisingIdentifier)
        _ = try synchronize(options: 1)
        let again = request(options: 1)
        #expect(try scanner.start(again, at: milliseconds(500)) == .success)
        #expect(try scanner.run(HCI.LEClearPeriodicAdvertiserList(), at: milliseconds(500)) == .commandDisallowed)
        // It is synchronized to it already.
        air.advance(to: milliseconds(1_000))
        #expect(scanner.all(HCI.LEPeriodicAdvertisingSyncEstablished.self).count == 1)
    }

    @Test func reportsCanBeTurnedOffSkippedAndLimitedToChanges() throws {
        try advertise([1], includesADI: true)
        let handle = try synchronize(options: 2, skip: 3)
        #expect(reports.isEmpty)
        let enable = HCI.LESetPeriodicAdvertisingReceiveEnable(syncHandle: handle, enable: 1)
        #expect(try scanner.run(enable, at: milliseconds(500)) == .success)
        air.advance(to: milliseconds(2_500))
        // Every fourth of 40 events.
        #expect((9...11).contains(reports.count))
        let changes = HCI.LESetPeriodicAdvertisingReceiveEnable(syncHandle: handle, enable: 3)
        #expect(try scanner.run(changes, at: milliseconds(2_500)) == .success)
        scanner.packets.removeAll()
        air.advance(to: milliseconds(3_500))
        try advertiser.setPeriodicData(1, [2], at: milliseconds(3_500))
        air.advance(to: milliseconds(4_500))
        #expect(reports.map(\.data) == [[1], [2]])
        let unknown = HCI.LESetPeriodicAdvertisingReceiveEnable(syncHandle: 9, enable: 1)
        #expect(try scanner.run(unknown, at: milliseconds(4_500)) == .unknownAdvertisingIdentifier)
    }

    @Test func setsAreChecked() throws {
        func parameters(_ minimum: UInt16 = 6, _ maximum: UInt16 = 6) -> HCI.LESetPeriodicAdvertisingParameters {
            .init(advertisingHandle: 1, intervalMinimum: minimum, intervalMaximum: maximum, properties: 0)
        }
        #expect(try advertiser.run(parameters()) == .unknownAdvertisingIdentifier)
        for properties in [HCI.AdvertisingProperties.connectable, .scannable, .legacy, .anonymous] {
            try advertiser.makeSet(1, properties)
            #expect(try advertiser.run(parameters()) == .invalidParameters)
        }
        try advertiser.makeSet()
        let on = HCI.LESetPeriodicAdvertisingEnable(enable: 1, advertisingHandle: 1)
        #expect(try advertiser.setPeriodicData([1]) == .commandDisallowed)
        #expect(try advertiser.run(on) == .commandDisallowed)
        #expect(try advertiser.run(parameters(5)) == .invalidParameters)
        #expect(try advertiser.run(parameters(7, 6)) == .invalidParameters)
        #expect(try advertiser.run(parameters()) == .success)
        // 1,650 octets do not fit into 7.5 ms.
        #expect(try advertiser.setPeriodicData(pattern(1_650)) == .success)
        #expect(try advertiser.run(on) == .packetTooLong)
        #expect(try advertiser.run(parameters(40, 80)) == .success)
        #expect(try advertiser.setPeriodicData(pattern(1_650)) == .success)
        #expect(try advertiser.run(on) == .success)
        #expect(try advertiser.run(parameters()) == .commandDisallowed)
        #expect(try advertiser.makeSet(1, .connectable) == .invalidParameters)
        #expect(try advertiser.run(HCI.LERemoveAdvertisingSet(advertisingHandle: 1)) == .commandDisallowed)

        for change: (inout HCI.LEPeriodicAdvertisingCreateSync) -> Void in [
            { $0.options = 8 }, { $0.sid = 0x10 }, { $0.skip = 500 }, { $0.timeout = 9 }, { $0.timeout = 0x4001 },
            { $0.cteType = 0x20 }, { $0.advertiserAddressKind = .publicIdentity },
        ] {
            var wrong = request()
            change(&wrong)
            #expect(try scanner.start(wrong) == .invalidParameters)
        }
    }

    /// A connected peer is told of a set, or of a synchronization. Core 5.4, Vol 6, Part B, 5.1.13.
    @Test(arguments: [true, false])
    func aPeerIsHandedTheSynchronization(ownSet: Bool) throws {
        let phone = try TestHost(extended: air, 3)
        try advertise([9])
        let handle = ownSet ? 0 : try synchronize()
        let sender = ownSet ? advertiser : scanner
        try phone.run(
            HCI.LESetDefaultPeriodicAdvertisingSyncTransferParameters(mode: 2, skip: 0, timeout: 100, cteType: 0),
            at: milliseconds(500))
        try phone.makeSet(1, [.connectable], milliseconds: 30, at: milliseconds(500))
        try phone.enableSet(at: milliseconds(500))
        try sender.start(sender.extendedConnection(to: phone.address), at: milliseconds(500))
        air.advance(to: milliseconds(1_000))
        let link = try #require(sender.all(HCI.LEEnhancedConnectionComplete.self).first).handle
        if ownSet {
            let command = HCI.LEPeriodicAdvertisingSetInfoTransfer(
                handle: link, serviceData: 0xBEEF, advertisingHandle: 1)
            // What waits for the next connection event is limited.
            for _ in 0..<4 { #expect(try sender.run(command, at: milliseconds(1_000)) == .success) }
            #expect(try sender.run(command, at: milliseconds(1_000)) == .controllerBusy)
        } else {
            #expect(
                try sender.run(
                    HCI.LEPeriodicAdvertisingSyncTransfer(handle: link, serviceData: 0xBEEF, syncHandle: handle),
                    at: milliseconds(1_000)) == .success)
        }
        air.advance(to: milliseconds(2_000))
        let event = try #require(phone.all(HCI.LEPeriodicAdvertisingSyncTransferReceived.self).first)
        #expect(event.status == .success && event.serviceData == 0xBEEF && event.sid == 5 && event.interval == 40)
        #expect(event.advertiserAddress == advertiser.address.address)
        let data = phone.all(HCI.LEPeriodicAdvertisingReport.self)
        #expect(data.count > 10 && data.allSatisfy { $0.data == [9] && $0.syncHandle == event.syncHandle })
    }
}
