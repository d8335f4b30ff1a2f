// SPDX-License-Identifier: Apache-2.0

import CeruleanVirtual
import CeruleanWire
import Testing

@Suite struct PrivacyTests {
    private let air = Air(seed: 1)
    private let ours: TestHost
    private let theirs: TestHost
    private let ourKey = Value128(0x1111_2222_3333_4444_5555_6666_7777_8888)
    private let theirKey = Value128(0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3210)

    init() throws {
        ours = try TestHost(extended: air, 1)
        theirs = try TestHost(extended: air, 2, at: Position(x: 1))
    }

    private func add(
        _ peer: DeviceAddress, _ peerKey: Value128, _ localKey: Value128, to host: TestHost
    ) throws -> HCI.ErrorCode {
        try host.run(
            HCI.LEAddDeviceToResolvingList(
                peerAddressKind: peer.kind, peerAddress: peer.address, peerKey: peerKey, localKey: localKey))
    }

    /// Both know each other's keys.
    private func introduce() throws {
        for (host, peer, peerKey, ownKey) in [(ours, theirs, theirKey, ourKey), (theirs, ours, ourKey, theirKey)] {
            #expect(try add(peer.address, peerKey, ownKey, to: host) == .success)
            try host.run(HCI.LESetAddressResolutionEnable(enable: true))
        }
    }

    /// Core 5.4, Vol 3, Part H, D.7: the key and the parts of the address are the sample's.
    @Test func addressesAreResolvedAsInTheSampleData() throws {
        let key = try #require(Value128(bigEndian: Hex.decode("ec0234a357c8ad05341010a60a397d9b")))
        let identity = DeviceAddress(.init(rawValue: 0xC0FF_EE00_0001), .random)
        #expect(try add(identity, key, .zero, to: ours) == .success)
        try ours.run(HCI.LESetAddressResolutionEnable(enable: true))
        try theirs.run(HCI.LESetRandomAddress(address: .init(rawValue: 0x7081_940D_FBAA)))
        try theirs.makeSet(1, own: .random)
        try theirs.run(
            HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: 1, address: .init(rawValue: 0x7081_940D_FBAA)))
        try theirs.enableSet()
        try ours.scanExtended()
        air.advance(to: milliseconds(150))
        let report = try #require(ours.extendedReports.first)
        #expect(report.address == identity.address && report.addressKind == .randomIdentity)
        let read = HCI.LEReadPeerResolvableAddress(peerAddressKind: .random, peerAddress: identity.address)
        #expect(try ours.value(read).address.rawValue == 0x7081_940D_FBAA)
    }

    @Test func privateAddressesChangeAndBelongToTheKey() throws {
        #expect(try add(theirs.address, .zero, ourKey, to: ours) == .success)
        #expect(try ours.run(HCI.LESetResolvablePrivateAddressTimeout(timeout: 0)) == .invalidParameters)
        #expect(try ours.run(HCI.LESetResolvablePrivateAddressTimeout(timeout: 0xE11)) == .invalidParameters)
        #expect(try ours.run(HCI.LESetResolvablePrivateAddressTimeout(timeout: 10)) == .success)
        try ours.makeSet(own: .resolvableOrPublic, peer: theirs.address)
        try ours.enableSet()
        // One that has the key and one that has not.
        let friend = try TestHost(extended: air, 3)
        #expect(try add(ours.address, ourKey, .zero, to: friend) == .success)
        try friend.run(HCI.LESetAddressResolutionEnable(enable: true))
        try friend.scanExtended()
        let stranger = try TestHost(extended: air, 4)
        try stranger.scanExtended()
        air.advance(to: milliseconds(25_000))
        let seen = stranger.extendedReports
        #expect(Set(seen.map(\.address)).count == 3)
        #expect(seen.allSatisfy { $0.addressKind == .random && $0.address.rawValue >> 46 == 0b01 })
        #expect(friend.extendedReports.count > 200)
        #expect(
            friend.extendedReports.allSatisfy {
                $0.addressKind == .publicIdentity && $0.address == ours.address.address
            })
        let local = HCI.LEReadLocalResolvableAddress(peerAddressKind: .public, peerAddress: theirs.address.address)
        #expect(try ours.value(local).address == seen.last?.address)
    }

    @Test func networkPrivacyIgnoresIdentitiesAndDevicePrivacyDoesNot() throws {
        #expect(try add(theirs.address, theirKey, .zero, to: ours) == .success)
        try ours.run(HCI.LESetAddressResolutionEnable(enable: true))
        try theirs.makeSet(milliseconds: 20)
        try theirs.enableSet()
        try ours.scanExtended()
        air.advance(to: milliseconds(500))
        #expect(ours.extendedReports.isEmpty)
        let mode = HCI.LESetPrivacyMode(peerAddressKind: .public, peerAddress: theirs.address.address, mode: 1)
        #expect(try ours.run(mode, at: milliseconds(500)) == .commandDisallowed)
        let off = HCI.LESetExtendedScanEnable(enable: false, filterDuplicates: 0, duration: 0, period: 0)
        try ours.run(off, at: milliseconds(500))
        #expect(try ours.run(mode, at: milliseconds(500)) == .success)
        try ours.scanExtended(at: milliseconds(500))
        air.advance(to: milliseconds(1_000))
        #expect(ours.extendedReports.first?.addressKind == .public)
    }

    @Test func aConnectionTellsIdentitiesAndPrivateAddresses() throws {
        try introduce()
        try theirs.makeSet(1, [.connectable], milliseconds: 30, own: .resolvableOrPublic, peer: ours.address)
        try theirs.enableSet()
        try ours.start(ours.extendedConnection(to: theirs.address, own: .resolvableOrPublic))
        air.advance(to: milliseconds(300))
        let one = try #require(ours.all(HCI.LEEnhancedConnectionComplete.self).first)
        let other = try #require(theirs.all(HCI.LEEnhancedConnectionComplete.self).first)
        #expect(one.peerAddress == theirs.address.address && one.peerAddressKind == .publicIdentity)
        #expect(other.peerAddress == ours.address.address && other.peerAddressKind == .publicIdentity)
        #expect(one.localResolvableAddress == other.peerResolvableAddress)
        #expect(other.localResolvableAddress == one.peerResolvableAddress)
        for address in [one.localResolvableAddress, one.peerResolvableAddress] {
            #expect(address.rawValue >> 46 == 0b01)
        }
        // The peer is the same one under each of its addresses.
        #expect(
            try ours.start(ours.extendedConnection(to: theirs.address, own: .resolvableOrPublic), at: milliseconds(300))
                == .connectionAlreadyExists)
    }

    @Test func directedAdvertisingCallsAPrivateAddress() throws {
        try introduce()
        let stranger = try TestHost(extended: air, 3)
        let curious = try TestHost(extended: air, 4)
        try theirs.makeSet(
            1, [.legacy, .connectable, .directed], milliseconds: 30, own: .resolvableOrPublic, peer: ours.address)
        try theirs.enableSet()
        try ours.scanExtended(own: .resolvableOrPublic)
        try stranger.scanExtended()
        try curious.scanExtended(filterPolicy: 2)
        air.advance(to: milliseconds(200))
        let report = try #require(ours.extendedReports.first)
        #expect(report.addressKind == .publicIdentity && report.address == theirs.address.address)
        #expect(report.target == ours.address.address && report.targetKind == .publicIdentity)
        #expect(stranger.extendedReports.isEmpty)
        let unresolved = try #require(curious.extendedReports.first)
        #expect(unresolved.targetKind.rawValue == 0xFE && unresolved.target.rawValue >> 46 == 0b01)
        // Legacy scanners have an event of its own for that.
        let old = try TestHost(air, 5)
        try old.scan(.passive, filterPolicy: 2, at: milliseconds(200))
        try ours.start(
            ours.extendedConnection(to: theirs.address, own: .resolvableOrPublic), at: milliseconds(230))
        air.advance(to: milliseconds(500))
        #expect(ours.all(HCI.LEEnhancedConnectionComplete.self).map(\.status) == [.success])
        #expect(old.reports.isEmpty)
        #expect(old.all(HCI.LEDirectedAdvertisingReport.self).first?.reports.first?.target == unresolved.target)
    }

    @Test func theAcceptListNamesIdentities() throws {
        try introduce()
        try ours.run(HCI.LEAddDeviceToFilterAcceptList(addressKind: .public, address: theirs.address.address))
        try theirs.run(HCI.LEAddDeviceToFilterAcceptList(addressKind: .public, address: ours.address.address))
        try theirs.makeSet(
            1, [.connectable], milliseconds: 30, own: .resolvableOrPublic, peer: ours.address, filterPolicy: 3)
        try theirs.enableSet()
        // Without its key nobody knows who the stranger is.
        let stranger = try TestHost(extended: air, 3)
        try stranger.start(stranger.extendedConnection(to: theirs.address))
        try ours.start(
            ours.extendedConnection(to: .init(.zero, .public), own: .resolvableOrPublic, filterPolicy: 1))
        air.advance(to: milliseconds(300))
        #expect(ours.all(HCI.LEEnhancedConnectionComplete.self).map(\.peerAddress) == [theirs.address.address])
        #expect(stranger.all(HCI.LEEnhancedConnectionComplete.self).isEmpty)
    }

    @Test func theListIsCheckedAndFixedWhileItIsUsed() throws {
        let host = try TestHost(extended: air, 3) { $0.resolvingListSize = 2 }
        #expect(try host.value(HCI.LEReadResolvingListSize()).size == 2)
        let peers = (1...3).map { DeviceAddress(.init(rawValue: 0xC000_0000_0000 + $0), .random) }
        #expect(try add(peers[0], theirKey, .zero, to: host) == .success)
        #expect(try add(peers[0], ourKey, .zero, to: host) == .invalidParameters)
        #expect(try add(peers[1], theirKey, .zero, to: host) == .invalidParameters)
        #expect(try add(.init(.zero, .publicIdentity), ourKey, .zero, to: host) == .invalidParameters)
        #expect(try add(peers[1], ourKey, .zero, to: host) == .success)
        #expect(try add(peers[2], .zero, .zero, to: host) == .memoryCapacityExceeded)
        let remove = HCI.LERemoveDeviceFromResolvingList(peerAddressKind: .random, peerAddress: peers[1].address)
        #expect(try host.run(remove) == .success)
        #expect(try host.run(remove) == .unknownConnection)
        let read = HCI.LEReadLocalResolvableAddress(peerAddressKind: .random, peerAddress: peers[1].address)
        #expect(try host.run(read) == .unknownConnection)
        try host.run(HCI.LESetAddressResolutionEnable(enable: true))
        try host.scanExtended()
        #expect(try add(peers[1], ourKey, .zero, to: host) == .commandDisallowed)
        #expect(try host.run(HCI.LEClearResolvingList()) == .commandDisallowed)
        #expect(try host.run(HCI.LESetAddressResolutionEnable(enable: false)) == .commandDisallowed)
        try host.run(HCI.LESetExtendedScanEnable(enable: false, filterDuplicates: 0, duration: 0, period: 0))
        #expect(try host.run(HCI.LEClearResolvingList()) == .success)
    }

    @Test func legacyCommandsUsePrivacyToo() throws {
        let central = try TestHost(air, 3)
        let peripheral = try TestHost(air, 4)
        for (host, peer, peerKey, ownKey) in [
            (central, peripheral, theirKey, ourKey), (peripheral, central, ourKey, theirKey),
        ] {
            #expect(try add(peer.address, peerKey, ownKey, to: host) == .success)
            try host.run(HCI.LESetAddressResolutionEnable(enable: true))
        }
        try peripheral.run(
            HCI.LESetAdvertisingParameters(
                intervalMinimum: 32, intervalMaximum: 32, type: .connectable, ownAddressType: .resolvableOrPublic,
                peerAddressKind: .public, peerAddress: central.address.address, channelMap: 7, filterPolicy: 0))
        try peripheral.run(HCI.LESetAdvertisingEnable(enable: true))
        try central.scan(.passive)
        air.advance(to: milliseconds(100))
        let report = try #require(central.reports.first)
        #expect(report.address == peripheral.address.address && report.addressKind == .publicIdentity)
        var command = central.connection(to: peripheral.address)
        command.ownAddressType = .resolvableOrPublic
        try central.start(command, at: milliseconds(100))
        air.advance(to: milliseconds(300))
        // The plain event knows no identities: the address is the one on the air.
        let event = try #require(peripheral.all(HCI.LEConnectionComplete.self).first)
        #expect(event.peerAddressKind == .random && event.peerAddress.rawValue >> 46 == 0b01)
    }
}
