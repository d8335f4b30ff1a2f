// SPDX-License-Identifier: Apache-2.0

import CeruleanVirtual
import CeruleanWire
import Testing

@Suite struct LinkTests {
    @Test func dataCrossesAndCreditsComeBack() throws {
        let pair = try LinkedPair()
        pair.central.sendData([1, 2, 3], handle: pair.centralHandle, at: pair.start)
        pair.peripheral.sendData([4, 5], handle: pair.peripheralHandle, at: pair.start)
        #expect(pair.peripheral.data.isEmpty)
        // The next anchor is at most one interval of 30 ms away.
        pair.air.advance(to: pair.after(31))
        #expect(pair.peripheral.data.map(\.bytes) == [[1, 2, 3]])
        #expect(pair.central.data.map(\.bytes) == [[4, 5]])
        #expect(pair.central.data.first?.handle == pair.centralHandle)
        #expect(pair.central.credits == 1 && pair.peripheral.credits == 1)
        // Nothing waits: nothing is simulated.
        #expect(pair.air.nextDeadline == nil)
    }

    @Test func longPacketsAreCutTo27Octets() throws {
        let pair = try LinkedPair()
        let bytes = (0..<251).map { UInt8($0) }
        pair.central.sendData(bytes, handle: pair.centralHandle, at: pair.start)
        pair.air.advance(to: pair.after(100))
        #expect(pair.peripheral.data.map(\.bytes.count) == [Int](repeating: 27, count: 9) + [8])
        #expect(pair.peripheral.data.map(\.isFirst) == [true] + [Bool](repeating: false, count: 9))
        #expect(pair.peripheral.data.flatMap(\.bytes) == bytes)
        #expect(pair.central.credits == 1)
    }

    @Test func aLongerDataLengthLetsPacketsThroughWhole() throws {
        let pair = try LinkedPair()
        let command = HCI.LESetDataLength(handle: pair.centralHandle, octets: 251, time: 2120)
        #expect(try pair.central.run(command, at: pair.start) == .success)
        pair.air.advance(to: pair.after(100))
        let change = try #require(pair.central.all(HCI.LEDataLengthChange.self).first)
        #expect(change.maximumTXOctets == 251 && change.maximumTXTime == 2120 && change.maximumRXOctets == 27)
        let other = try #require(pair.peripheral.all(HCI.LEDataLengthChange.self).first)
        #expect(other.maximumRXOctets == 251 && other.maximumTXOctets == 27)
        pair.central.sendData([UInt8](repeating: 7, count: 251), handle: pair.centralHandle, at: pair.after(100))
        pair.air.advance(to: pair.after(200))
        #expect(pair.peripheral.data.map(\.bytes.count) == [251])
    }

    @Test func aSecondQuestionOfAKindWaitsForTheAnswer() throws {
        let pair = try LinkedPair()
        let length = HCI.LESetDataLength(handle: pair.centralHandle, octets: 251, time: 2120)
        let version = HCI.ReadRemoteVersionInformation(handle: pair.centralHandle)
        let features = HCI.LEReadRemoteFeatures(handle: pair.centralHandle)
        for round in 0..<2 {
            let moment = pair.after(Int64(round) * 1_000)
            #expect(try pair.central.run(length, at: moment) == .success)
            #expect(try pair.central.run(length, at: moment) == .commandDisallowed)
            #expect(try pair.central.start(version, at: moment) == .success)
            #expect(try pair.central.start(version, at: moment) == .commandDisallowed)
            #expect(try pair.central.start(features, at: moment) == .success)
            #expect(try pair.central.start(features, at: moment) == .commandDisallowed)
            pair.air.advance(to: pair.after(Int64(round) * 1_000 + 999))
        }
        #expect(pair.central.all(HCI.ReadRemoteVersionInformationComplete.self).count == 2)
        #expect(pair.central.all(HCI.LEReadRemoteFeaturesComplete.self).count == 2)
    }

    /// One exchange of 27 octets on LE 1M lasts 37 * 8 + 150 + 80 + 150 = 676 us (1,479 a second); of 251 octets 2,468 us
    /// (405 a second); on LE 2M 1,392 us (718 a second).
    @Test(arguments: [(27, false, 1_479), (251, false, 405), (251, true, 718)])
    func throughputIsThatOfTheAir(octets: UInt16, fast: Bool, perSecond: Int) throws {
        let pair = try LinkedPair(interval: 40)
        let peripheral = pair.peripheral
        try peripheral.run(
            HCI.LESetDataLength(handle: pair.peripheralHandle, octets: octets, time: 17_040), at: pair.start)
        if fast {
            let both: HCI.PHYMask = [.le2M]
            try pair.central.start(
                HCI.LESetPHY(handle: pair.centralHandle, noPreference: 0, txPHYs: both, rxPHYs: both, options: 0),
                at: pair.start)
        }
        pair.air.advance(to: pair.after(1_000))
        if fast {
            let change = try #require(pair.peripheral.all(HCI.LEPHYUpdateComplete.self).first)
            #expect(change.status == .success && change.txPHY == .le2M && change.rxPHY == .le2M)
        }
        // Keeps the twelve buffers full: one packet for each credit.
        let packet = [UInt8](repeating: 1, count: Int(octets))
        peripheral.packets.removeAll()
        var sent = 0
        var done = 0
        let air = pair.air
        while let deadline = sent == 0 ? pair.after(1_000) : air.nextDeadline, deadline < pair.after(11_000) {
            air.advance(to: deadline)
            done += peripheral.credits
            peripheral.packets.removeAll()
            while sent < done + 12 {
                peripheral.sendData(packet, handle: pair.peripheralHandle, at: deadline)
                sent += 1
            }
        }
        let rate = Double(done) / 10
        // Whole exchanges only fit into an interval of 50 ms.
        #expect(rate <= Double(perSecond) * 1.01 && rate >= Double(perSecond) * 0.96, "\(rate)")
    }

    @Test func dataBeyondTheBuffersIsDroppedAndTold() throws {
        let pair = try LinkedPair()
        for index in 0..<14 {
            pair.central.sendData([UInt8(index)], handle: pair.centralHandle, at: pair.start)
        }
        #expect(pair.central.all(HCI.DataBufferOverflow.self).count == 2)
        pair.air.advance(to: pair.after(100))
        #expect(pair.peripheral.data.map(\.bytes) == (0..<12).map { [UInt8($0)] })
        #expect(pair.central.credits == 12)
    }

    @Test func disconnectTellsBothSidesTheirReason() throws {
        let pair = try LinkedPair()
        let bad = HCI.Disconnect(handle: pair.centralHandle, reason: .connectionTimeout)
        #expect(try pair.central.start(bad, at: pair.start) == .invalidParameters)
        let unknown = HCI.Disconnect(handle: 0x0EFF, reason: .remoteUserTerminated)
        #expect(try pair.central.start(unknown, at: pair.start) == .unknownConnection)
        pair.central.sendData([9], handle: pair.centralHandle, at: pair.start)
        let command = HCI.Disconnect(handle: pair.centralHandle, reason: .remoteUserTerminated)
        #expect(try pair.central.start(command, at: pair.start) == .success)
        pair.air.advance(to: pair.after(100))
        #expect(pair.peripheral.data.map(\.bytes) == [[9]])
        #expect(pair.central.all(HCI.DisconnectionComplete.self).map(\.reason) == [.localHostTerminated])
        #expect(pair.peripheral.all(HCI.DisconnectionComplete.self).map(\.reason) == [.remoteUserTerminated])
        #expect(pair.air.nextDeadline == nil)
    }

    @Test func aPeerThatLosesPowerIsMissedAfterTheSupervisionTimeout() throws {
        let pair = try LinkedPair(timeout: 100)
        pair.peripheral.controller.powerOff(now: pair.start)
        pair.air.advance(to: pair.after(960))
        #expect(pair.central.all(HCI.DisconnectionComplete.self).isEmpty)
        pair.air.advance(to: pair.after(1_000))
        #expect(pair.central.all(HCI.DisconnectionComplete.self).map(\.reason) == [.connectionTimeout])
        #expect(pair.peripheral.packets.isEmpty)
        #expect(pair.air.nextDeadline == nil)
    }

    @Test func resetEndsLinksWithoutAWord() throws {
        let pair = try LinkedPair()
        #expect(try pair.peripheral.run(HCI.Reset(), at: pair.start) == .success)
        pair.air.advance(to: pair.after(2_000))
        #expect(pair.peripheral.packets.isEmpty)
        #expect(pair.central.all(HCI.DisconnectionComplete.self).map(\.reason) == [.connectionTimeout])
        let data = HCI.ReadRSSI(handle: pair.peripheralHandle)
        #expect(try pair.peripheral.run(data, at: pair.after(2_000)) == .unknownConnection)
    }

    @Test func walkingAwayAndBackInTimeKeepsTheLink() throws {
        let pair = try LinkedPair(timeout: 100)
        pair.peripheral.controller.move(to: Position(x: 500), now: pair.start)
        pair.central.sendData([1], handle: pair.centralHandle, at: pair.start)
        pair.air.advance(to: pair.after(900))
        #expect(pair.peripheral.data.isEmpty)
        pair.peripheral.controller.move(to: Position(x: 5), now: pair.after(900))
        pair.air.advance(to: pair.after(5_000))
        #expect(pair.peripheral.data.map(\.bytes) == [[1]])
        #expect(pair.central.all(HCI.DisconnectionComplete.self).isEmpty)
        pair.peripheral.controller.move(to: Position(x: 500), now: pair.after(5_000))
        pair.air.advance(to: pair.after(7_000))
        for host in [pair.central, pair.peripheral] {
            #expect(host.all(HCI.DisconnectionComplete.self).map(\.reason) == [.connectionTimeout])
        }
    }

    @Test func aSilentControllerNeitherAnswersNorTransmits() throws {
        let pair = try LinkedPair(timeout: 50)
        pair.peripheral.controller.setSilent(true, now: pair.start)
        try pair.peripheral.send(HCI.LERand(), at: pair.start)
        pair.air.advance(to: pair.after(1_000))
        #expect(pair.peripheral.packets.isEmpty)
        #expect(pair.central.all(HCI.DisconnectionComplete.self).map(\.reason) == [.connectionTimeout])
        pair.peripheral.controller.setSilent(false, now: pair.after(1_000))
        #expect(try pair.peripheral.run(HCI.Reset(), at: pair.after(1_000)) == .success)
    }

    @Test func aDroppedLinkGivesTheReasonToBoth() throws {
        let pair = try LinkedPair()
        pair.air.drop(
            pair.central.controller, pair.peripheral.controller, reason: .micFailure, now: pair.start)
        for host in [pair.central, pair.peripheral] {
            #expect(host.all(HCI.DisconnectionComplete.self).map(\.reason) == [.micFailure])
        }
    }

    @Test(arguments: [0.1, 0.5, 0.8], [1.0, 5.0])
    func lossDelaysDataButNeitherLosesNorDoublesIt(loss: Double, burst: Double) throws {
        let pair = try LinkedPair(interval: 6, timeout: 3_200)
        pair.air.setLoss(
            loss, burstLength: burst, between: pair.central.controller, and: pair.peripheral.controller, now: pair.start
        )
        for index in 0..<12 {
            pair.central.sendData(
                [UInt8](repeating: UInt8(index), count: 60), handle: pair.centralHandle, at: pair.start)
            pair.peripheral.sendData([UInt8(index)], handle: pair.peripheralHandle, at: pair.start)
        }
        pair.air.advance(to: pair.after(20_000))
        #expect(pair.peripheral.data.flatMap(\.bytes) == (0..<12).flatMap { [UInt8](repeating: UInt8($0), count: 60) })
        #expect(pair.central.data.map(\.bytes) == (0..<12).map { [UInt8($0)] })
        #expect(pair.central.credits == 12 && pair.peripheral.credits == 12)
    }

    @Test func totalLossEndsTheLinkAndAnInterruptionDoesNot() throws {
        let pair = try LinkedPair(timeout: 100)
        pair.air.interrupt(
            pair.central.controller, pair.peripheral.controller, for: .milliseconds(800), now: pair.start)
        pair.central.sendData([1], handle: pair.centralHandle, at: pair.start)
        pair.air.advance(to: pair.after(799))
        #expect(pair.peripheral.data.isEmpty)
        pair.air.advance(to: pair.after(2_000))
        #expect(pair.peripheral.data.count == 1)
        pair.air.setLoss(1, between: pair.central.controller, and: pair.peripheral.controller, now: pair.after(2_000))
        pair.air.advance(to: pair.after(3_100))
        #expect(pair.central.all(HCI.DisconnectionComplete.self).map(\.reason) == [.connectionTimeout])
    }

    @Test func aSleepingPeripheralListensEveryLatencyPlusOneEvents() throws {
        let pair = try LinkedPair(interval: 24, latency: 9, timeout: 600)
        // 30 ms * 10: within 300 ms one event is heard, on the average later than without latency.
        pair.central.sendData([1], handle: pair.centralHandle, at: pair.after(35))
        pair.air.advance(to: pair.after(35 + 301))
        #expect(pair.peripheral.data.count == 1)
        // Its own data goes at the next event.
        pair.peripheral.sendData([2], handle: pair.peripheralHandle, at: pair.after(400))
        pair.air.advance(to: pair.after(431))
        #expect(pair.central.data.count == 1)
    }

    /// Core 5.4, Vol 4, Part E, 4.2.
    @Test func aHostThatIsFullStopsItsPeerAndLosesNothing() throws {
        let pair = try LinkedPair()
        let buffers = HCI.HostBufferSize(aclLength: 27, synchronousLength: 0, aclCount: 3, synchronousCount: 0)
        #expect(try pair.peripheral.run(buffers, at: pair.start) == .commandDisallowed)
        pair.air.drop(
            pair.central.controller, pair.peripheral.controller, reason: .remoteUserTerminated, now: pair.start)
        #expect(try pair.peripheral.run(buffers, at: pair.start) == .success)
        #expect(try pair.peripheral.run(HCI.SetControllerToHostFlowControl(enable: 1), at: pair.start) == .success)
        for host in [pair.central, pair.peripheral] {
            try host.run(HCI.LEWriteSuggestedDefaultDataLength(octets: 251, time: 2120), at: pair.start)
            host.packets.removeAll()
        }
        try pair.peripheral.advertise(milliseconds: 20, at: pair.start)
        try pair.central.start(pair.central.connection(to: pair.peripheral.address), at: pair.start)
        pair.air.advance(to: pair.after(200))
        let handle = try #require(pair.central.all(HCI.LEConnectionComplete.self).first).handle
        let other = try #require(pair.peripheral.all(HCI.LEConnectionComplete.self).first).handle
        let sent = pattern(100)
        for start in [0, 100, 200] {
            pair.central.sendData(sent.map { $0 &+ UInt8(start) }, handle: handle, at: pair.after(300))
        }
        pair.air.advance(to: pair.after(1_300))
        // Three packets of 27 octets, and no more.
        #expect(pair.peripheral.data.map(\.bytes.count) == [27, 27, 27])
        #expect(pair.central.credits == 1)
        for round in 0..<4 {
            let now = pair.after(1_400 + Int64(round) * 500)
            try pair.peripheral.send(
                HCI.HostNumberOfCompletedPackets(entries: [.init(handle: other, count: 3)]), at: now)
            pair.air.advance(to: pair.after(1_800 + Int64(round) * 500))
        }
        let received = pair.peripheral.data
        #expect(
            received.map(\.isFirst) == [
                true, false, false, false, true, false, false, false, true, false, false, false,
            ])
        #expect(received.flatMap(\.bytes) == [0, 100, 200].flatMap { start in sent.map { $0 &+ UInt8(start) } })
        #expect(pair.central.credits == 3)
        // Giving back what it does not hold changes nothing; a wrong command is answered.
        pair.peripheral.packets.removeAll()
        try pair.peripheral.send(
            HCI.HostNumberOfCompletedPackets(entries: [.init(handle: other, count: 0xFFFF)]), at: pair.after(4_000))
        #expect(pair.peripheral.packets.isEmpty)
        pair.peripheral.send(raw: [1, 0x35, 0x0C, 1, 1], at: pair.after(4_000))
        #expect(pair.peripheral.take(HCI.CommandComplete.self)?.returnParameters == [0x12])
    }
}
