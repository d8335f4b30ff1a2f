// SPDX-License-Identifier: Apache-2.0

import CeruleanVirtual
import CeruleanWire
import Testing

@Suite struct SeedTests {
    /// Two controllers that advertise, scan, connect and exchange data over a bad link; everything they said.
    private func run(seed: UInt64) throws -> [[UInt8]] {
        let air = Air(seed: seed)
        let central = try TestHost(air, 1)
        let peripheral = try TestHost(air, 2, at: Position(x: 3))
        air.setLoss(0.3, burstLength: 2, between: central.controller, and: peripheral.controller, now: .zero)
        try central.scan()
        try peripheral.advertise(milliseconds: 20)
        air.advance(to: milliseconds(500))
        try central.start(central.connection(to: peripheral.address), at: milliseconds(500))
        air.advance(to: milliseconds(1_000))
        for index in 0..<100 {
            central.sendData([UInt8(index)], handle: 1, at: milliseconds(1_000 + Int64(index) * 17))
            peripheral.sendData([UInt8(index)], handle: 1, at: milliseconds(1_000 + Int64(index) * 23))
        }
        air.advance(to: milliseconds(4_000))
        return central.packets + peripheral.packets
    }

    @Test func theSameSeedGivesTheSameRun() throws {
        let first = try run(seed: 42)
        #expect(first.count > 200)
        for _ in 0..<5 { #expect(try run(seed: 42) == first) }
        #expect(try run(seed: 43) != first)
    }

    @Test func anHourOfAThousandIdleLinksCostsNothing() throws {
        let air = Air(seed: 1)
        let central = try TestHost(air, 1) { $0.maximumConnections = 1_000 }
        for number in 0..<1_000 {
            let now = milliseconds(Int64(number) * 40)
            let peripheral = try TestHost(air, UInt64(100 + number))
            try peripheral.advertise(milliseconds: 20, at: now)
            try central.start(central.connection(to: peripheral.address, interval: 6), at: now)
            air.advance(to: milliseconds(Int64(number) * 40 + 39))
        }
        #expect(central.all(HCI.LEConnectionComplete.self).count == 1_000)
        // No event is simulated while nothing waits.
        #expect(air.nextDeadline == nil)
        air.advance(to: milliseconds(3_600_000))
        #expect(central.all(HCI.DisconnectionComplete.self).isEmpty)
    }

    /// Random commands and data, well formed and not, at random times: no trap, and every command is answered.
    @Test(arguments: 0..<8)
    func hostileHostsDoNoHarm(seed: UInt64) throws {
        let air = Air(seed: seed)
        var random = Generator(state: seed)
        let hosts = try (1...4).map { try TestHost(air, UInt64($0), at: Position(x: Double($0)), setUp: false) }
        let opcodes: [UInt16] = [
            0x0406, 0x041D, 0x0C01, 0x0C03, 0x0C2D, 0x0C63, 0x1001, 0x1002, 0x1405, 0x2001, 0x2002, 0x2005, 0x2006,
            0x2008,
            0x2009, 0x200A, 0x200A, 0x200B, 0x200C, 0x200C, 0x200D, 0x200D, 0x200E, 0x2010, 0x2011, 0x2012, 0x2013,
            0x2013,
            0x2014, 0x2015, 0x2016, 0x2018, 0x2020, 0x2021, 0x2022, 0x2024, 0x2030, 0x2031, 0x2032, 0x204B, 0x2060,
        ]
        let sizes = [
            0x0406: 3, 0x200A: 1, 0x200B: 7, 0x200C: 2, 0x200D: 25, 0x2013: 14, 0x2006: 15, 0x2022: 6, 0x2032: 7,
        ]
        var now: Int64 = 0
        for round in 0..<3_000 {
            let host = hosts[Int.random(in: 0..<hosts.count, using: &random)]
            now += Int64.random(in: 0...3_000_000, using: &random)
            let moment = MonotonicTime(nanoseconds: now)
            if round % 50 == 0 {
                // A well-behaved start now and then, so that there are links to harm.
                try host.send(HCI.SetEventMask(mask: .leHost), at: moment)
                try host.send(HCI.LESetEventMask(mask: .init(rawValue: .max)), at: moment)
                try host.send(
                    HCI.LESetAdvertisingParameters(
                        intervalMinimum: 32, intervalMaximum: 32, type: .connectable, ownAddressType: .public,
                        peerAddressKind: .public, peerAddress: .zero, channelMap: 7, filterPolicy: 0), at: moment)
                try host.send(HCI.LESetAdvertisingEnable(enable: true), at: moment)
                try hosts[0].send(hosts[0].connection(to: host.address), at: moment)
            }
            let kind = Int.random(in: 0..<10, using: &random)
            var bytes: [UInt8]
            if kind < 7 {
                let opcode = opcodes[Int.random(in: 0..<opcodes.count, using: &random)]
                let size = sizes[Int(opcode)] ?? Int.random(in: 0...32, using: &random)
                bytes = [1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(size)]
                bytes += (0..<size).map { _ in
                    UInt8.random(in: 0...(Bool.random(using: &random) ? 3 : 255), using: &random)
                }
            } else if kind < 9 {
                let size = Int.random(in: 0...260, using: &random)
                bytes = [2, UInt8.random(in: 0...4, using: &random), UInt8.random(in: 0...3, using: &random) << 4]
                bytes += [UInt8(size & 0xFF), UInt8(size >> 8)] + [UInt8](repeating: 1, count: size)
            } else if round % 20 == 0 {
                bytes = (0..<20).map { _ in UInt8.random(in: 0...255, using: &random) }
            } else {
                bytes = [1, 3, 0x0C, 0]
            }
            host.send(raw: bytes, at: moment)
            if round % 100 == 99 { for host in hosts { host.packets.removeAll(keepingCapacity: true) } }
        }
        air.advance(to: MonotonicTime(nanoseconds: now + 40_000_000_000))
        // Whatever happened, Reset brings each of them back.
        for host in hosts {
            // Zeros fill up a packet that was announced and not sent, then they are no H4.
            host.send(raw: [UInt8](repeating: 0, count: 66_000) + [1, 3, 0x0C, 0], at: MonotonicTime(nanoseconds: now))
            host.packets.removeAll()
            host.send(raw: [1, 3, 0x0C, 0], at: MonotonicTime(nanoseconds: now))
            #expect(host.all(HCI.CommandComplete.self).map(\.opcode).contains(.reset))
        }
    }
}

struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
