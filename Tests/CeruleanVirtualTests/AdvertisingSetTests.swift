// SPDX-License-Identifier: Apache-2.0

import CeruleanVirtual
import CeruleanWire
import Testing

/// What the commands for advertising sets refuse. Core 5.4, Vol 4, Part E, 7.8.52 to 7.8.60.
@Suite struct AdvertisingSetTests {
    private let host: TestHost
    private let air = Air(seed: 1)

    init() throws { host = try TestHost(extended: air, 1) }

    @Test func parametersAreChecked() throws {
        var good = HCI.LESetExtendedAdvertisingParameters()
        good.advertisingHandle = 0xEF
        good.intervalMinimum = 0x20
        good.intervalMaximum = 0xFF_FFFF
        good.channelMap = 1
        good.primaryPHY = .le1M
        good.secondaryPHY = .leCoded
        good.sid = 0x0F
        good.txPower = 127
        #expect(try host.value(good).txPower == 0)
        let changes: [(inout HCI.LESetExtendedAdvertisingParameters) -> Void] = [
            { $0.advertisingHandle = 0xF0 }, { $0.intervalMinimum = 0x1F }, { $0.intervalMaximum = 0x1F },
            { $0.channelMap = 0 }, { $0.channelMap = 8 }, { $0.sid = 0x10 }, { $0.txPower = 21 },
            { $0.primaryPHY = .le2M }, { $0.secondaryPHY = HCI.PHY(rawValue: 4) },
            { $0.ownAddressType = HCI.OwnAddressType(rawValue: 4) }, { $0.filterPolicy = 4 },
            { $0.properties = [.connectable, .scannable] }, { $0.properties = [.directed, .highDutyCycle] },
            { $0.properties = [.anonymous, .scannable] }, { $0.properties = HCI.AdvertisingProperties(rawValue: 0x80) },
            { $0.properties = [.legacy, .connectable] }, { $0.properties = [.legacy, .includesTXPower] },
            {
                $0.properties = .legacy
                $0.primaryPHY = .leCoded
            },
            {
                $0.properties = .directed
                $0.peerAddressKind = .publicIdentity
            },
        ]
        for (index, change) in changes.enumerated() {
            var wrong = good
            change(&wrong)
            #expect(try host.run(wrong) == .invalidParameters, "change \(index)")
        }
        let small = try TestHost(extended: air, 2) { $0.features.remove(.leCoded) }
        #expect(try small.run(good) == .unsupportedFeatureOrValue)
    }

    @Test func setsAreCountedAndNamed() throws {
        let host = try TestHost(extended: air, 2) { $0.maximumAdvertisingSets = 2 }
        #expect(try host.makeSet(1) == .success)
        #expect(try host.makeSet(7) == .success)
        #expect(try host.makeSet(8) == .memoryCapacityExceeded)
        #expect(try host.makeSet(7, sid: 1) == .success)
        #expect(try host.setData(8, [1]) == .unknownAdvertisingIdentifier)
        #expect(try host.setResponse(8, [1]) == .unknownAdvertisingIdentifier)
        #expect(try host.enableSet(8) == .unknownAdvertisingIdentifier)
        #expect(try host.run(HCI.LERemoveAdvertisingSet(advertisingHandle: 8)) == .unknownAdvertisingIdentifier)
        #expect(try host.enableSet(1) == .success)
        #expect(try host.makeSet(1) == .commandDisallowed)
        #expect(try host.run(HCI.LERemoveAdvertisingSet(advertisingHandle: 1)) == .commandDisallowed)
        #expect(try host.run(HCI.LEClearAdvertisingSets()) == .commandDisallowed)
        #expect(try host.run(HCI.LERemoveAdvertisingSet(advertisingHandle: 7)) == .success)
        #expect(try host.makeSet(8) == .success)
        #expect(try host.enableSet(1, false) == .success)
        #expect(try host.run(HCI.LEClearAdvertisingSets()) == .success)
        #expect(try host.enableSet(1) == .unknownAdvertisingIdentifier)
    }

    @Test func dataComeInOrderAndWithinLimits() throws {
        func give(_ operation: HCI.DataOperation, _ count: Int) throws -> HCI.ErrorCode {
            try host.run(
                HCI.LESetExtendedAdvertisingData(
                    advertisingHandle: 1, operation: operation, allowsFragments: 0, data: pattern(count)))
        }
        try host.makeSet()
        #expect(try give(.intermediate, 1) == .invalidParameters)
        #expect(try give(.last, 1) == .invalidParameters)
        #expect(try give(.unchanged, 0) == .invalidParameters)
        #expect(try give(.first, 0) == .invalidParameters)
        #expect(try give(HCI.DataOperation(rawValue: 5), 1) == .invalidParameters)
        #expect(try give(.first, 200) == .success)
        // Parts are missing.
        #expect(try host.enableSet() == .commandDisallowed)
        for _ in 0..<7 { #expect(try give(.intermediate, 200) == .success) }
        #expect(try give(.intermediate, 51) == .memoryCapacityExceeded)
        // What was there is gone.
        #expect(try give(.last, 1) == .invalidParameters)
        #expect(try host.setData(pattern(1_650)) == .success)
        #expect(try host.enableSet() == .success)
        #expect(try give(.first, 1) == .commandDisallowed)
        #expect(try give(.unchanged, 0) == .success)
        #expect(try give(.complete, 20) == .success)

        try host.makeSet(2, [.legacy, .scannable])
        #expect(try host.setData(2, pattern(32)) == .invalidParameters)
        #expect(try host.setResponse(2, pattern(32)) == .invalidParameters)
        #expect(try host.setData(2, pattern(31)) == .success)
        try host.makeSet(3, [.legacy, .connectable, .directed], peer: host.address)
        #expect(try host.setData(3, [1]) == .invalidParameters)
        #expect(try host.setResponse(3, [1]) == .invalidParameters)
        try host.makeSet(4)
        try host.setData(4, pattern(100))
        #expect(try host.makeSet(4, .legacy) == .invalidParameters)
    }

    @Test func eitherAllSetsStartOrNone() throws {
        try host.makeSet(1)
        try host.makeSet(2, own: .random)
        let both = HCI.LESetExtendedAdvertisingEnable(
            enable: true,
            sets: (1...2).map { .init(advertisingHandle: $0, duration: 0, maximumEvents: 0) })
        #expect(try host.run(both) == .invalidParameters)
        #expect(air.nextDeadline == nil)
        try host.run(
            HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: 2, address: .init(rawValue: 0xC000_0000_0001)))
        #expect(try host.run(both) == .success)
        let twice = HCI.LESetExtendedAdvertisingEnable(
            enable: true,
            sets: [1, 1].map { .init(advertisingHandle: $0, duration: 0, maximumEvents: 0) })
        #expect(try host.run(twice) == .invalidParameters)
        #expect(try host.run(HCI.LESetExtendedAdvertisingEnable(enable: true, sets: [])) == .invalidParameters)
        // The address of a connectable set is fixed while it advertises.
        #expect(
            try host.run(
                HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: 2, address: .init(rawValue: 0xC000_0000_0002)))
                == .success)
        try host.makeSet(3, .connectable, own: .random)
        let change = HCI.LESetAdvertisingSetRandomAddress(
            advertisingHandle: 3, address: .init(rawValue: 0xC000_0000_0003))
        #expect(try host.run(change) == .success)
        #expect(try host.enableSet(3) == .success)
        #expect(try host.run(change) == .commandDisallowed)
    }

    @Test func highDutyCycleNeedsAnEnd() throws {
        try host.makeSet(1, [.legacy, .connectable, .directed, .highDutyCycle], peer: host.address)
        #expect(try host.enableSet() == .invalidParameters)
        #expect(try host.enableSet(duration: 129) == .invalidParameters)
        #expect(try host.enableSet(duration: 128) == .success)
        air.advance(to: milliseconds(1_280))
        #expect(host.all(HCI.LEAdvertisingSetTerminated.self).map(\.status) == [.advertisingTimeout])
        #expect(
            host.all(HCI.LEConnectionComplete.self).isEmpty && host.all(HCI.LEEnhancedConnectionComplete.self).isEmpty)
    }

    @Test func controllersOfOldDoNotKnowTheCommands() throws {
        let old = try TestHost(air, 2) { $0.features = .legacyVirtual }
        try old.send(HCI.LEReadNumberOfSupportedAdvertisingSets())
        #expect(old.take(HCI.CommandStatus.self)?.status == .unknownCommand)
        let commands = try old.value(HCI.ReadLocalSupportedCommands()).commands
        #expect(commands.contains(.leSetAdvertisingParameters) && commands.contains(.leEnableEncryption))
        for opcode in [
            HCI.Opcode.leSetExtendedAdvertisingParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
            .leSetPeriodicAdvertisingEnable, .lePeriodicAdvertisingSyncTransfer, .leAddDeviceToResolvingList,
            .writeAuthenticatedPayloadTimeout,
        ] {
            #expect(!commands.contains(opcode), "\(opcode)")
            #expect(try host.value(HCI.ReadLocalSupportedCommands()).commands.contains(opcode), "\(opcode)")
        }
    }
}
