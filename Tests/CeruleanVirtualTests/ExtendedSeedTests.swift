// SPDX-License-Identifier: Apache-2.0

import CeruleanVirtual
import CeruleanWire
import Testing

@Suite struct ExtendedSeedTests {
    /// Sets, scanning, periodic advertising, private addresses and a link, with losses.
    private func run(seed: UInt64) throws -> [[UInt8]] {
        let air = Air(seed: seed)
        let key = Value128(0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3210)
        let hosts = try (1...3).map { try TestHost(extended: air, UInt64($0), at: Position(x: Double($0) * 2)) }
        for host in hosts {
            for peer in hosts where peer !== host {
                try host.run(
                    HCI.LEAddDeviceToResolvingList(
                        peerAddressKind: .public, peerAddress: peer.address.address,
                        peerKey: Value128(key.number &+ UInt128(peer.address.address.rawValue)),
                        localKey: Value128(key.number &+ UInt128(host.address.address.rawValue))))
            }
            try host.run(HCI.LESetResolvablePrivateAddressTimeout(timeout: 2))
            try host.run(HCI.LESetAddressResolutionEnable(enable: true))
        }
        air.setLoss(0.1, between: hosts[0].controller, and: hosts[1].controller, now: .zero)
        try hosts[1].makeSet(1, own: .resolvableOrPublic, peer: hosts[0].address)
        try hosts[1].setData(1, pattern(900))
        try hosts[1].run(
            HCI.LESetPeriodicAdvertisingParameters(
                advertisingHandle: 1, intervalMinimum: 40, intervalMaximum: 40, properties: 0))
        try hosts[1].setPeriodicData(1, pattern(300))
        try hosts[1].run(HCI.LESetPeriodicAdvertisingEnable(enable: 1, advertisingHandle: 1))
        try hosts[1].enableSet(1)
        try hosts[2].makeSet(1, [.connectable], milliseconds: 40, own: .resolvableOrPublic, peer: hosts[0].address)
        try hosts[2].enableSet(1)
        try hosts[0].scanExtended(.active, own: .resolvableOrPublic)
        try hosts[0].start(
            HCI.LEPeriodicAdvertisingCreateSync(
                options: 0, sid: 3, advertiserAddressKind: .public, advertiserAddress: hosts[1].address.address,
                skip: 0,
                timeout: 100, cteType: 0))
        try hosts[0].start(hosts[0].extendedConnection(to: hosts[2].address, own: .resolvableOrPublic))
        air.advance(to: milliseconds(8_000))
        return hosts.flatMap(\.packets)
    }

    @Test func theSameSeedGivesTheSameRun() throws {
        let first = try run(seed: 42)
        #expect(first.count > 400)
        for _ in 0..<3 { #expect(try run(seed: 42) == first) }
        #expect(try run(seed: 43) != first)
    }

    /// Random extended commands, well formed and not, at random times: no trap, each is answered once, Reset always helps.
    @Test(arguments: 0..<6)
    func hostileHostsDoNoHarm(seed: UInt64) throws {
        let air = Air(seed: seed)
        var random = Generator(state: seed)
        let hosts = try (1...4).map { try TestHost(extended: air, UInt64($0), at: Position(x: Double($0))) }
        let sizes: [(opcode: UInt16, size: Int)] = [
            (0x2035, 7), (0x2036, 25), (0x2036, 25), (0x2037, 14), (0x2038, 14), (0x2039, 6), (0x2039, 2), (0x203A, 0),
            (0x203C, 1), (0x203D, 0), (0x203E, 7), (0x203F, 13), (0x2040, 2), (0x2041, 8), (0x2041, 13), (0x2042, 6),
            (0x2043, 26), (0x2043, 42), (0x2044, 14), (0x2045, 0), (0x2046, 2), (0x2047, 8), (0x2048, 8), (0x2049, 0),
            (0x2059, 3), (0x205A, 6), (0x205B, 5), (0x205C, 8), (0x205D, 6), (0x2027, 39), (0x2028, 7), (0x2029, 0),
            (0x202B, 7), (0x202C, 7), (0x202D, 1), (0x202E, 2), (0x204E, 8), (0x2005, 6), (0x2011, 7), (0x200E, 0),
            (0x2019, 28), (0x201A, 18), (0x201B, 2), (0x205E, 65), (0x2025, 0), (0x2026, 64), (0x2032, 7), (0x0406, 3),
            (0x0C7B, 2), (0x0C7C, 4), (0x1004, 1), (0x2022, 6), (0x2013, 14),
        ]
        var now: Int64 = 0
        for round in 0..<3_000 {
            let host = hosts[Int.random(in: 0..<hosts.count, using: &random)]
            now += Int64.random(in: 0...4_000_000, using: &random)
            let moment = MonotonicTime(nanoseconds: now)
            if round % 40 == 0 { try prepare(host, hosts[0], round, moment) }
            if round % 500 == 499 { host.send(raw: [1, 3, 0x0C, 0], at: moment) }
            var (opcode, size) = sizes[Int.random(in: 0..<sizes.count, using: &random)]
            if Int.random(in: 0..<8, using: &random) == 0 { size = Int.random(in: 0...80, using: &random) }
            if Int.random(in: 0..<50, using: &random) == 0 {
                opcode = UInt16.random(in: 0x2000...0x20FF, using: &random)
            }
            let most: UInt8 = Bool.random(using: &random) ? 3 : 255
            let parameters = (0..<size).map { _ in UInt8.random(in: 0...most, using: &random) }
            host.packets.removeAll(keepingCapacity: true)
            host.send(raw: [1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(size)] + parameters, at: moment)
            #expect(answers(host) == 1)
        }
        let end = MonotonicTime(nanoseconds: now + 60_000_000_000)
        air.advance(to: end)
        for host in hosts { #expect(try host.run(HCI.Reset(), at: end) == .success) }
        air.advance(to: MonotonicTime(nanoseconds: now + 200_000_000_000))
        #expect(air.nextDeadline == nil)
    }

    /// A well-behaved start, so that there is something to harm.
    private func prepare(_ host: TestHost, _ central: TestHost, _ round: Int, _ moment: MonotonicTime) throws {
        try host.send(HCI.SetEventMask(mask: .leHost), at: moment)
        try host.send(HCI.LESetEventMask(mask: .init(rawValue: .max)), at: moment)
        let handle = UInt8(round / 40 % 4)
        try host.makeSet(handle, round % 80 == 0 ? [.connectable] : [], milliseconds: 30, at: moment)
        try host.setData(handle, pattern(round % 1_000), at: moment)
        try host.send(
            HCI.LESetPeriodicAdvertisingParameters(
                advertisingHandle: handle, intervalMinimum: 24, intervalMaximum: 80, properties: 0), at: moment)
        try host.send(HCI.LESetPeriodicAdvertisingEnable(enable: 1, advertisingHandle: handle), at: moment)
        try host.enableSet(handle, at: moment)
        try central.scanExtended(.active, at: moment)
        try central.send(
            HCI.LEPeriodicAdvertisingCreateSync(
                options: 0, sid: 3, advertiserAddressKind: .public, advertiserAddress: host.address.address, skip: 0,
                timeout: 50, cteType: 0), at: moment)
        try central.send(central.extendedConnection(to: host.address), at: moment)
    }

    private func answers(_ host: TestHost) -> Int {
        host.all(HCI.CommandComplete.self).count + host.all(HCI.CommandStatus.self).count
    }
}
