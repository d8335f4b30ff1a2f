// SPDX-License-Identifier: Apache-2.0

import CeruleanVirtual
import CeruleanWire
import Testing

@Suite struct ExtendedConnectionTests {
    @Test func aLinkBeginsInTheModeOfTheData() throws {
        for secondary in [HCI.PHY.le1M, .le2M, .leCoded] {
            let air = Air(seed: 1)
            let central = try TestHost(extended: air, 1)
            let peripheral = try TestHost(extended: air, 2, at: Position(x: 1))
            try peripheral.makeSet(5, [.connectable], milliseconds: 30, secondary: secondary)
            try peripheral.enableSet(5)
            #expect(
                try central.start(central.extendedConnection(to: peripheral.address, phys: [.le1M, .le2M])) == .success)
            air.advance(to: milliseconds(200))
            let ours = try #require(central.all(HCI.LEEnhancedConnectionComplete.self).first)
            let theirs = try #require(peripheral.all(HCI.LEEnhancedConnectionComplete.self).first)
            #expect(ours.status == .success && ours.role == .central && theirs.role == .peripheral)
            #expect(ours.peerAddress == peripheral.address.address && theirs.peerAddress == central.address.address)
            #expect(ours.peerResolvableAddress == .zero && theirs.localResolvableAddress == .zero)
            let phys = try central.value(HCI.LEReadPHY(handle: ours.handle))
            #expect(phys.txPHY == secondary && phys.rxPHY == secondary)
            for host in [central, peripheral] {
                #expect(host.all(HCI.LEChannelSelectionAlgorithm.self).map(\.algorithm) == [1])
            }
            let end = try #require(peripheral.all(HCI.LEAdvertisingSetTerminated.self).first)
            #expect(end.status == .success && end.advertisingHandle == 5 && end.handle == theirs.handle)
            central.sendData([1, 2, 3], handle: ours.handle, at: milliseconds(200))
            air.advance(to: milliseconds(400))
            #expect(peripheral.data.map(\.bytes) == [[1, 2, 3]])
        }
    }

    @Test func otherSetsGoOnWhenOneConnects() throws {
        let air = Air(seed: 1)
        let central = try TestHost(extended: air, 1)
        let peripheral = try TestHost(extended: air, 2)
        try peripheral.makeSet(1, [.connectable, .scannable, .legacy], milliseconds: 30)
        try peripheral.makeSet(2, milliseconds: 30, sid: 2)
        try peripheral.enableSet(1)
        try peripheral.enableSet(2)
        try central.start(central.extendedConnection(to: peripheral.address))
        air.advance(to: milliseconds(200))
        #expect(peripheral.all(HCI.LEAdvertisingSetTerminated.self).map(\.advertisingHandle) == [1])
        try central.scanExtended(at: milliseconds(200))
        air.advance(to: milliseconds(400))
        #expect(Set(central.extendedReports.map(\.sid)) == [2])
    }

    @Test func legacyInitiatorsAndSetsThatDoNotConnectAreLeftAlone() throws {
        let air = Air(seed: 1)
        let old = try TestHost(air, 1)
        let new = try TestHost(extended: air, 2)
        let extended = try TestHost(extended: air, 3)
        let scannable = try TestHost(extended: air, 4)
        try extended.makeSet(1, [.connectable], milliseconds: 20)
        try extended.enableSet()
        try scannable.makeSet(1, [.scannable], milliseconds: 20)
        try scannable.setResponse([1])
        try scannable.enableSet()
        try old.start(old.connection(to: extended.address))
        try new.start(new.extendedConnection(to: scannable.address))
        air.advance(to: milliseconds(1_000))
        #expect(old.all(HCI.LEConnectionComplete.self).isEmpty && new.all(HCI.LEConnectionComplete.self).isEmpty)
        #expect(try new.run(HCI.LECreateConnectionCancel(), at: milliseconds(1_000)) == .success)
        #expect(new.all(HCI.LEEnhancedConnectionComplete.self).map(\.status) == [.unknownConnection])
    }

    @Test func parametersAreChecked() throws {
        let host = try TestHost(extended: Air(seed: 1), 1)
        let good = host.extendedConnection(to: .init(.init(rawValue: 9), .public), phys: [.le1M, .leCoded])
        let changes: [(inout HCI.LEExtendedCreateConnection) -> Void] = [
            { $0.filterPolicy = 2 }, { $0.peerAddressKind = .publicIdentity }, { $0.ownAddressType = .random },
            { $0.parameters[1].scanWindow = 0x61 }, { $0.parameters[0].intervalMaximum = 5 },
            {
                $0.phys = .le2M
                $0.parameters.removeLast()
            },
            {
                $0.phys = []
                $0.parameters = []
            },
        ]
        for (index, change) in changes.enumerated() {
            var wrong = good
            change(&wrong)
            #expect(try host.start(wrong) == .invalidParameters, "change \(index)")
        }
        #expect(try host.start(good) == .success)
        #expect(try host.start(good) == .commandDisallowed)
        let small = try TestHost(extended: host.air, 2) { $0.features.remove(.leCoded) }
        #expect(try small.start(good) == .unsupportedFeatureOrValue)
    }

    @Test func aCodedLinkReachesFartherThanAPlainOne() throws {
        let air = Air(seed: 1)
        let central = try TestHost(extended: air, 1)
        let peripheral = try TestHost(extended: air, 2, at: Position(x: 50))
        try peripheral.makeSet(1, [.connectable], milliseconds: 60, primary: .leCoded, secondary: .leCoded)
        try peripheral.enableSet()
        try central.start(central.extendedConnection(to: peripheral.address, phys: .leCoded))
        air.advance(to: milliseconds(500))
        let handle = try #require(central.all(HCI.LEEnhancedConnectionComplete.self).first).handle
        peripheral.controller.move(to: Position(x: 150), now: milliseconds(500))
        air.advance(to: milliseconds(3_000))
        #expect(central.all(HCI.DisconnectionComplete.self).isEmpty)
        // The central asks for 1M, where nothing arrives at this distance.
        try central.start(
            HCI.LESetPHY(handle: handle, noPreference: 0, txPHYs: .le1M, rxPHYs: .le1M, options: 0),
            at: milliseconds(3_000))
        air.advance(to: milliseconds(6_000))
        #expect(central.all(HCI.LEPHYUpdateComplete.self).map(\.txPHY) == [.le1M])
        #expect(central.all(HCI.DisconnectionComplete.self).map(\.reason) == [.connectionTimeout])
    }

    /// 27 octets on LE Coded last 2,704 us with the check of encryption, 251 octets 17,040 us. Core 5.4, Vol 6, Part B, 4.5.10.
    @Test func theCodedModeIsSlow() throws {
        let pair = try LinkedPair(interval: 80)
        #expect(try pair.central.value(HCI.LEReadMaximumDataLength()).maximumTXTime == 17_040)
        let request = HCI.LESetPHY(
            handle: pair.centralHandle, noPreference: 0, txPHYs: .leCoded, rxPHYs: .leCoded, options: 2)
        #expect(try pair.central.start(request, at: pair.start) == .success)
        pair.air.advance(to: pair.after(2_000))
        #expect(pair.central.all(HCI.LEPHYUpdateComplete.self).map(\.txPHY) == [.leCoded])
        var sent = 0
        for second in 0..<10 {
            while sent < pair.central.credits + 12 {
                pair.central.sendData(
                    pattern(27), handle: pair.centralHandle, at: pair.after(2_000 + Int64(second) * 100))
                sent += 1
            }
            pair.air.advance(to: pair.after(2_100 + Int64(second) * 100))
        }
        // An exchange: 2,448 us of data, an empty answer of 720 us, twice 150 us: about 28 in each interval of 100 ms.
        #expect((110...130).contains(pair.peripheral.data.count))
    }
}
