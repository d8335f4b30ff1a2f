// SPDX-License-Identifier: Apache-2.0
import CeruleanWire
import Testing

@Suite struct HCICaptureReaderTests {
    static let packets: [([UInt8], Bool)] = [
        ([1, 3, 0x0C, 0], false), ([4, 0x0E, 4, 1, 3, 0x0C, 0], true), ([2, 0x40, 0, 3, 0, 1, 2, 3], false),
    ]

    private func read(_ octets: [UInt8], step: Int) throws -> [HCICaptureReader.Record] {
        var reader = HCICaptureReader()
        var records: [HCICaptureReader.Record] = []
        var position = 0
        while position < octets.count {
            records += try reader.feed(octets[position..<min(position + step, octets.count)])
            position += step
        }
        try reader.finish()
        return records
    }

    @Test(arguments: [HCICapture.Format.btsnoop, .pcapng], [1, 7, 4096])
    func readsWhatWasWritten(format: HCICapture.Format, step: Int) throws {
        let capture = HCICapture(format)
        var octets = capture.header
        for (index, (packet, isReceived)) in Self.packets.enumerated() {
            octets += capture.record(
                packet, isReceived: isReceived, microseconds: 946_684_800_000_000 + Int64(index))
        }
        let records = try read(octets, step: step)
        #expect(records.map(\.packet) == Self.packets.map(\.0))
        #expect(records.map(\.isReceived) == Self.packets.map(\.1))
        #expect(records.map(\.microseconds) == [0, 1, 2].map { 946_684_800_000_000 + $0 })
        #expect(records.map(\.originalLength) == Self.packets.map(\.0.count))
    }

    /// A file of Linux's monitor: link type 2001, where flags hold adapter and kind; a log line is no packet.
    @Test func readsTheMonitorsFiles() throws {
        let octets = try Hex.decode(
            "6274736e6f6f7000 00000001 000007d1"
                + "00000003 00000003 0000000c 00000000 00E03AB44A676000 616263"
                + "00000003 00000003 00000002 00000000 00E03AB44A676000 030c00"
                + "00000006 00000006 00000003 00000000 00E03AB44A676000 0e0401030c00"
                + "00000005 00000005 00000005 00000000 00E03AB44A676000 4000010001")
        let records = try read(octets, step: 5)
        #expect(records.map(\.packet.first) == [1, 4, 2])
        #expect(records.map(\.isReceived) == [false, true, true])
    }

    /// Link type 1001 tells kind and direction by flags alone.
    @Test func readsPlainHCI() throws {
        let octets = try Hex.decode(
            "6274736e6f6f7000 00000001 000003e9"
                + "00000003 00000003 00000002 00000000 00E03AB44A676000 030c00"
                + "00000006 00000006 00000003 00000000 00E03AB44A676000 0e0401030c00"
                + "00000009 00000005 00000001 00000000 00E03AB44A676000 4000010001")
        let records = try read(octets, step: 4096)
        #expect(records.map(\.packet.first) == [1, 4, 2])
        #expect(records.map(\.originalLength) == [4, 7, 10])
    }

    /// pcap with nanoseconds and big-endian numbers, link type 201, and one without direction, 187.
    @Test func readsPcap() throws {
        let big = try Hex.decode(
            "a1b23c4d 0002 0004 00000000 00000000 0000ffff 000000c9"
                + "00000001 00000bb8 00000008 00000008 00000001 040f0000")
        let first = try read(big, step: 3)
        #expect(first.map(\.microseconds) == [1_000_003])
        #expect(first.map(\.isReceived) == [true])
        let little = try Hex.decode(
            "d4c3b2a1 0200 0400 00000000 00000000 ffff0000 bb000000"
                + "01000000 02000000 04000000 04000000 01030c00 01000000 02000000 05000000 05000000 0240000000")
        let second = try read(little, step: 4096)
        #expect(second.map(\.isReceived) == [false, nil])
    }

    /// pcapng whose times are in units of 2^-10 s, and a simple packet block.
    @Test func readsTimesOfOtherResolution() throws {
        let octets = try Hex.decode(
            "0A0D0D0A 1C000000 4D3C2B1A 0100 0000 FFFFFFFFFFFFFFFF 1C000000"
                + "01000000 20000000 BB00 0000 00000000 0900 0100 8A000000 0000 0000 20000000"
                + "06000000 24000000 00000000 00000000 00060000 04000000 04000000 01030C00 24000000"
                + "03000000 14000000 04000000 01030C00 14000000")
        let records = try read(octets, step: 4096)
        #expect(records.map(\.microseconds) == [1_500_000, 0])
        #expect(records.map(\.packet) == [[1, 3, 12, 0], [1, 3, 12, 0]])
    }

    @Test(arguments: [
        ("", "no btsnoop"), ("00", "no btsnoop"), ("000102030405", "no btsnoop"),
        ("6274736e6f6f7000 00000002 000003ea", "version 2"), ("6274736e6f6f7000 00000001 000003ed", "link type"),
        ("6274736e6f6f7000 00000001 000003ea 00000001 7fffffff 00000000 00000000 0000000000000000", "longer"),
        ("6274736e6f6f7000 00000001 000003ea 00000001", "ends within"),
        ("a1b2c3d4 0002 0004 00000000 00000000 0000ffff 00000001", "no Bluetooth HCI"),
        ("0A0D0D0A 0C000000 00000000", "byte order"),
        ("0A0D0D0A 1C000000 4D3C2B1A 0100 0000 FFFFFFFFFFFFFFFF 1C000000 06000000 05000000 00000000", "block of 5"),
    ])
    func saysWhatIsWrongWithAFile(text: String, reason: String) throws {
        let octets = try Hex.decode(text)
        var reader = HCICaptureReader()
        let failure = #expect(throws: HCICaptureReader.Failure.self) {
            _ = try reader.feed(octets)
            try reader.finish()
        }
        #expect(failure?.description.contains(reason) == true, "\(String(describing: failure))")
    }

    /// Whatever is done to a file, what is read is read, and nothing traps.
    @Test func survivesDamage() {
        var random = SeededRandom(seed: 7)
        for format in [HCICapture.Format.btsnoop, .pcapng] {
            let capture = HCICapture(format)
            var octets = capture.header
            for (packet, isReceived) in Self.packets {
                octets += capture.record(packet, isReceived: isReceived, microseconds: 1)
            }
            var trace = HCITrace()
            for _ in 0..<3000 {
                var damaged = octets
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                damaged = Array(damaged.prefix(Int.random(in: 0...damaged.count, using: &random)))
                var reader = HCICaptureReader()
                let records = (try? reader.feed(damaged)) ?? []
                #expect(records.count <= damaged.count / 4)
                for record in records { _ = trace.dissect(record.packet, isReceived: true) }
            }
        }
    }
}
