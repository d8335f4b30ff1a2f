// SPDX-License-Identifier: Apache-2.0

import CeruleanVirtual
import CeruleanWire
import Testing

@Suite struct ConnectionTests {
    @Test func aConnectionAttemptCanBeCancelled() throws {
        let air = Air(seed: 1)
        let host = try TestHost(air, 1)
        let peer = try TestHost(air, 2)
        #expect(try host.run(HCI.LECreateConnectionCancel()) == .commandDisallowed)
        #expect(try host.start(host.connection(to: peer.address)) == .success)
        #expect(try host.start(host.connection(to: peer.address)) == .commandDisallowed)
        #expect(try host.run(HCI.LECreateConnectionCancel()) == .success)
        #expect(host.all(HCI.LEConnectionComplete.self).map(\.status) == [.unknownConnection])
        try peer.advertise()
        air.advance(to: milliseconds(500))
        #expect(host.all(HCI.LEConnectionComplete.self).count == 1)
    }

    @Test func parametersAreChecked() throws {
        let host = try TestHost(Air(seed: 1), 1)
        let peer = DeviceAddress(.init(rawValue: 1), .public)
        for (interval, latency, timeout) in [
            (5, 0, 100), (3_201, 0, 3_200), (24, 500, 3_200), (24, 0, 9), (24, 0, 3_201), (80, 0, 20), (80, 4, 100),
        ] as [(UInt16, UInt16, UInt16)] {
            let command = host.connection(to: peer, interval: interval, latency: latency, timeout: timeout)
            #expect(try host.start(command) == .invalidParameters)
        }
        var command = host.connection(to: peer)
        command.scanWindow = command.scanInterval + 1
        #expect(try host.start(command) == .invalidParameters)
    }

    @Test func theAcceptListChoosesWhomToConnectTo() throws {
        let air = Air(seed: 1)
        let host = try TestHost(air, 1)
        let wanted = try TestHost(air, 2)
        let other = try TestHost(air, 3)
        try host.run(HCI.LEAddDeviceToFilterAcceptList(addressKind: .public, address: wanted.address.address))
        try other.advertise(milliseconds: 20)
        try host.start(host.connection(to: .init(.zero, .public), filterPolicy: 1))
        air.advance(to: milliseconds(1_000))
        #expect(host.all(HCI.LEConnectionComplete.self).isEmpty)
        try wanted.advertise(at: milliseconds(1_000))
        air.advance(to: milliseconds(2_000))
        #expect(host.all(HCI.LEConnectionComplete.self).map(\.peerAddress) == [wanted.address.address])
    }

    @Test func anAdvertiserTakesOnlyItsAcceptList() throws {
        let air = Air(seed: 1)
        let friend = try TestHost(air, 1)
        let stranger = try TestHost(air, 2)
        let advertiser = try TestHost(air, 3)
        try advertiser.run(HCI.LEAddDeviceToFilterAcceptList(addressKind: .public, address: friend.address.address))
        try advertiser.advertise(milliseconds: 20, filterPolicy: 2)
        try stranger.start(stranger.connection(to: advertiser.address))
        air.advance(to: milliseconds(500))
        #expect(stranger.all(HCI.LEConnectionComplete.self).isEmpty)
        try friend.start(friend.connection(to: advertiser.address), at: milliseconds(500))
        air.advance(to: milliseconds(1_000))
        #expect(friend.all(HCI.LEConnectionComplete.self).map(\.status) == [.success])
        #expect(advertiser.all(HCI.LEConnectionComplete.self).map(\.peerAddress) == [friend.address.address])
    }

    @Test func directedAdvertisingConnectsItsPeer() throws {
        let air = Air(seed: 1)
        let peer = try TestHost(air, 1)
        let advertiser = try TestHost(air, 2)
        try peer.start(peer.connection(to: advertiser.address))
        try advertiser.advertise(.directedHighDuty, to: peer.address)
        air.advance(to: milliseconds(100))
        #expect(peer.all(HCI.LEConnectionComplete.self).map(\.status) == [.success])
        air.advance(to: milliseconds(3_000))
        #expect(advertiser.all(HCI.LEConnectionComplete.self).map(\.status) == [.success])
    }

    @Test func nonConnectableAdvertisersAreNotConnectedTo() throws {
        for type in [HCI.AdvertisingType.nonConnectable, .scannable] {
            let air = Air(seed: 1)
            let host = try TestHost(air, 1)
            let peer = try TestHost(air, 2)
            try peer.advertise(type)
            try host.start(host.connection(to: peer.address))
            air.advance(to: milliseconds(1_000))
            #expect(host.all(HCI.LEConnectionComplete.self).isEmpty)
        }
    }

    @Test func advertisingEndsWithTheConnectionAndLimitsHold() throws {
        let air = Air(seed: 1)
        let host = try TestHost(air, 1)
        let peer = try TestHost(air, 2) { $0.maximumConnections = 1 }
        try peer.advertise(milliseconds: 20)
        try host.start(host.connection(to: peer.address))
        air.advance(to: milliseconds(300))
        #expect(air.nextDeadline == nil)
        #expect(try host.start(host.connection(to: peer.address)) == .connectionAlreadyExists)
        #expect(try peer.run(HCI.LESetAdvertisingEnable(enable: true)) == .connectionLimitExceeded)
    }

    @Test func aLinkThatNeverWorksFailsToBeEstablished() throws {
        let air = Air(seed: 1)
        let host = try TestHost(air, 1)
        let peer = try TestHost(air, 2)
        try peer.advertise(milliseconds: 20)
        try host.start(host.connection(to: peer.address))
        while host.all(HCI.LEConnectionComplete.self).isEmpty {
            air.advance(to: try #require(air.nextDeadline))
        }
        let deadline = air.nextDeadline
        #expect(deadline == nil)
        peer.controller.powerOff(now: .zero)
        // Six intervals of 30 ms.
        air.advance(to: milliseconds(400))
        #expect(host.all(HCI.DisconnectionComplete.self).map(\.reason) == [.failedToBeEstablished])
    }

    @Test func theCentralChangesParameters() throws {
        let pair = try LinkedPair()
        let command = HCI.LEConnectionUpdate(
            handle: pair.centralHandle, intervalMinimum: 80, intervalMaximum: 80, latency: 2, supervisionTimeout: 400,
            eventLengthMinimum: 0, eventLengthMaximum: 0)
        #expect(try pair.central.start(command, at: pair.start) == .success)
        #expect(try pair.central.start(command, at: pair.start) == .commandDisallowed)
        pair.air.advance(to: pair.after(150))
        #expect(pair.central.all(HCI.LEConnectionUpdateComplete.self).isEmpty)
        pair.air.advance(to: pair.after(300))
        for host in [pair.central, pair.peripheral] {
            let event = try #require(host.all(HCI.LEConnectionUpdateComplete.self).first)
            #expect(event.status == .success && event.interval == 80 && event.latency == 2)
            #expect(event.supervisionTimeout == 400)
        }
        // 100 ms per event now.
        pair.peripheral.sendData([1], handle: pair.peripheralHandle, at: pair.after(300))
        pair.air.advance(to: pair.after(410))
        #expect(pair.central.data.count == 1)
        var wrong = command
        wrong.supervisionTimeout = 20
        #expect(try pair.central.start(wrong, at: pair.after(410)) == .invalidParameters)
    }

    @Test func thePeripheralAsksAndTheCentralDecides() throws {
        let pair = try LinkedPair()
        let command = HCI.LEConnectionUpdate(
            handle: pair.peripheralHandle, intervalMinimum: 12, intervalMaximum: 16, latency: 0,
            supervisionTimeout: 200,
            eventLengthMinimum: 0, eventLengthMaximum: 0)
        #expect(try pair.peripheral.start(command, at: pair.start) == .success)
        pair.air.advance(to: pair.after(100))
        let asked = try #require(pair.central.all(HCI.LERemoteConnectionParameterRequest.self).first)
        #expect(asked.intervalMinimum == 12 && asked.intervalMaximum == 16 && asked.supervisionTimeout == 200)
        let refusal = HCI.LERemoteConnectionParameterRequestNegativeReply(
            handle: pair.centralHandle, reason: .unacceptableConnectionParameters)
        #expect(try pair.central.run(refusal, at: pair.after(100)) == .success)
        #expect(try pair.central.run(refusal, at: pair.after(100)) == .commandDisallowed)
        pair.air.advance(to: pair.after(200))
        #expect(
            pair.peripheral.all(HCI.LEConnectionUpdateComplete.self).map(\.status)
                == [.unacceptableConnectionParameters])
        #expect(try pair.peripheral.start(command, at: pair.after(200)) == .success)
        pair.air.advance(to: pair.after(300))
        let reply = HCI.LERemoteConnectionParameterRequestReply(
            handle: pair.centralHandle, intervalMinimum: 12, intervalMaximum: 12, latency: 0, supervisionTimeout: 200,
            eventLengthMinimum: 0, eventLengthMaximum: 0)
        #expect(try pair.central.run(reply, at: pair.after(300)) == .success)
        pair.air.advance(to: pair.after(700))
        for host in [pair.central, pair.peripheral] {
            let event = try #require(host.all(HCI.LEConnectionUpdateComplete.self).last)
            #expect(event.status == .success && event.interval == 12)
        }
    }

    @Test func aHostThatDoesNotWantToBeAskedRefuses() throws {
        let pair = try LinkedPair()
        try pair.central.run(HCI.LESetEventMask(mask: .initial), at: pair.start)
        let command = HCI.LEConnectionUpdate(
            handle: pair.peripheralHandle, intervalMinimum: 12, intervalMaximum: 16, latency: 0,
            supervisionTimeout: 200,
            eventLengthMinimum: 0, eventLengthMaximum: 0)
        try pair.peripheral.start(command, at: pair.start)
        pair.air.advance(to: pair.after(200))
        #expect(pair.peripheral.all(HCI.LEConnectionUpdateComplete.self).map(\.status) == [.unsupportedRemoteFeature])
    }

    @Test func versionsFeaturesAndStrengthCanBeRead() throws {
        let pair = try LinkedPair(distance: 1)
        try pair.central.start(HCI.LEReadRemoteFeatures(handle: pair.centralHandle), at: pair.start)
        try pair.peripheral.start(HCI.ReadRemoteVersionInformation(handle: pair.peripheralHandle), at: pair.start)
        pair.air.advance(to: pair.after(200))
        let features = try #require(pair.central.all(HCI.LEReadRemoteFeaturesComplete.self).first)
        #expect(features.status == .success && features.features.contains(.le2M))
        let version = try #require(pair.peripheral.all(HCI.ReadRemoteVersionInformationComplete.self).first)
        #expect(version.version == .core53 && version.company == 0xFFFF)
        try pair.central.send(HCI.ReadRSSI(handle: pair.centralHandle), at: pair.after(200))
        let answer = try #require(pair.central.take(HCI.CommandComplete.self))
        let rssi = try HCI.ReadRSSI.ReturnParameters(decoding: Array(answer.returnParameters.dropFirst())).rssi
        #expect((-50...(-30)).contains(rssi))
    }

    @Test func oneCentralHoldsManyLinks() throws {
        let air = Air(seed: 3)
        let central = try TestHost(air, 1)
        let peripherals = try (0..<20).map { try TestHost(air, UInt64(10 + $0), at: Position(y: Double($0))) }
        var now: Int64 = 0
        for peripheral in peripherals {
            try peripheral.advertise(milliseconds: 20, at: milliseconds(now))
            try central.start(central.connection(to: peripheral.address), at: milliseconds(now))
            now += 100
            air.advance(to: milliseconds(now))
        }
        let handles = central.all(HCI.LEConnectionComplete.self).map(\.handle)
        #expect(Set(handles).count == 20)
        for (index, peripheral) in peripherals.enumerated() {
            peripheral.sendData([UInt8(index)], handle: 1, at: milliseconds(now))
        }
        air.advance(to: milliseconds(now + 100))
        #expect(
            Set(central.data.map { [UInt8($0.handle & 0xFF)] + $0.bytes })
                == Set((0..<20).map { [UInt8(handles[$0]), UInt8($0)] }))
    }

    @Test func anAirThatGoesAwayTakesItsControllersAlong() throws {
        weak var air: Air?
        weak var controller: VirtualController?
        do {
            let pair = try LinkedPair()
            air = pair.air
            controller = pair.central.controller
            #expect(air != nil && controller != nil)
        }
        #expect(air == nil && controller == nil)
    }

    @Test func aControllerWithoutAnAirIsDeaf() throws {
        var air: Air? = Air(seed: 1)
        let controller = try #require(
            air?.addController(.init(publicAddress: BluetoothAddress(rawValue: 1)), now: .zero))
        controller.output = { _ in Issue.record("it spoke") }
        air = nil
        controller.receive([1, 3, 0x0C, 0].span.bytes, now: .zero)
        controller.powerOff(now: .zero)
    }
}
