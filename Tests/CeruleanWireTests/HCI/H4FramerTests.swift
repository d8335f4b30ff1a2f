// SPDX-License-Identifier: Apache-2.0

import CeruleanWire
import Testing

@Suite struct H4FramerTests {
    struct Packet: Hashable {
        var type: H4.PacketType
        var body: [UInt8]
    }

    /// Reset, Command Complete for it, ACL data of 3 octets, empty ACL, synchronous data, isochronous data (length in 14
    /// bits of 16), an event without parameters.
    static let stream: [UInt8] = [
        0x01, 0x03, 0x0C, 0x00, 0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00, 0x02, 0x01, 0x20, 0x03, 0x00, 0xAA, 0xBB,
        0xCC,
        0x02, 0x02, 0x10, 0x00, 0x00, 0x03, 0x01, 0x00, 0x02, 0x11, 0x22, 0x05, 0x01, 0x00, 0x02, 0xC0, 0x33, 0x44,
        0x04,
        0xFF, 0x00,
    ]
    static let packets = [
        Packet(type: .command, body: [0x03, 0x0C, 0x00]),
        Packet(type: .event, body: [0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]),
        Packet(type: .acl, body: [0x01, 0x20, 0x03, 0x00, 0xAA, 0xBB, 0xCC]),
        Packet(type: .acl, body: [0x02, 0x10, 0x00, 0x00]),
        Packet(type: .synchronous, body: [0x01, 0x00, 0x02, 0x11, 0x22]),
        Packet(type: .isochronous, body: [0x01, 0x00, 0x02, 0xC0, 0x33, 0x44]),
        Packet(type: .event, body: [0xFF, 0x00]),
    ]

    private func feed(_ framer: inout H4Framer, _ bytes: ArraySlice<UInt8>, _ out: inout [Packet]) throws(WireError) {
        var found: [Packet] = []
        defer { out += found }
        try framer.feed(Array(bytes).span.bytes) { type, body in found.append(Packet(type: type, body: body.array)) }
    }

    @Test func cutsAStreamThatComesWhole() throws {
        var framer = H4Framer()
        var out: [Packet] = []
        try feed(&framer, Self.stream[...], &out)
        #expect(out == Self.packets)
        #expect(framer.pendingCount == 0)
    }

    @Test func givesTheSamePacketsWhereverTheStreamIsSplit() throws {
        for first in 0...Self.stream.count {
            for second in first...Self.stream.count {
                var framer = H4Framer()
                var out: [Packet] = []
                try feed(&framer, Self.stream[..<first], &out)
                try feed(&framer, Self.stream[first..<second], &out)
                try feed(&framer, Self.stream[second...], &out)
                #expect(out == Self.packets)
            }
        }
    }

    @Test func givesTheSamePacketsOctetByOctet() throws {
        var framer = H4Framer()
        var out: [Packet] = []
        for index in Self.stream.indices { try feed(&framer, Self.stream[index...index], &out) }
        #expect(out == Self.packets)
    }

    @Test func stopsAtAnUnknownTypeAndStaysStopped() throws {
        for split in [0, 3, 4, 5] {
            var framer = H4Framer()
            var out: [Packet] = []
            let bytes: [UInt8] = [0x01, 0x03, 0x0C, 0x00, 0x07, 0x04, 0x0E, 0x00]
            #expect(throws: WireError.invalid("packet type", at: 4)) {
                try feed(&framer, bytes[..<split], &out)
                try feed(&framer, bytes[split...], &out)
            }
            #expect(out == [Self.packets[0]])
            #expect(throws: WireError.invalid("packet type", at: 4)) { try feed(&framer, Self.stream[...], &out) }
            #expect(out.count == 1)
            framer.reset()
            try feed(&framer, Self.stream[...], &out)
            #expect(out.count == 1 + Self.packets.count)
        }
    }

    @Test func refusesPacketsAbove64KiBBeforeKeepingThem() throws {
        // Type octet, 4 octets of header, 65,531 of data are 65,536; one more is too many.
        for (length, isTaken) in [(65_531, true), (65_532, false), (65_535, false)] {
            let header: [UInt8] = [0x02, 0x01, 0x00, UInt8(length & 0xFF), UInt8(length >> 8)]
            for split in 1...6 {
                var framer = H4Framer()
                var out: [Packet] = []
                let bytes = header + [UInt8](repeating: 1, count: length)
                do throws(WireError) {
                    try feed(&framer, bytes[..<split], &out)
                    try feed(&framer, bytes[split...], &out)
                    #expect(isTaken && out.count == 1)
                } catch {
                    #expect(!isTaken && error == WireError(offset: 0, reason: .tooLong))
                }
                #expect(framer.pendingCount == 0)
            }
        }
    }

    @Test func survivesRandomOctets() {
        var random = SeededGenerator(state: 7)
        for _ in 0..<2_000 {
            var framer = H4Framer()
            for _ in 0..<4 {
                let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    UInt8.random(in: 0...6, using: &random)
                }
                var out: [Packet] = []
                try? feed(&framer, bytes[...], &out)
                #expect(framer.pendingCount <= H4Framer.maximumPacketSize)
            }
        }
    }
}

/// Numbers that depend on nothing but their start (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
