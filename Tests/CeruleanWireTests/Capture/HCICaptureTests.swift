// SPDX-License-Identifier: Apache-2.0
import CeruleanWire
import Testing

@Suite struct HCICaptureTests {
    /// HCI Reset, sent at 2000-01-01 00:00:00: a moment that btsnoop files of other programs give as 00E03AB44A676000.
    @Test func writesBtsnoop() throws {
        let capture = HCICapture(.init(path: "a.btsnoop"))
        #expect(capture.header == Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 3, 0xEA])
        let record = capture.record([1, 3, 0x0C, 0], isReceived: false, microseconds: 946_684_800_000_000)
        #expect(try record == Hex.decode("00000004 00000004 00000002 00000000 00E03AB44A676000 01030C00"))
        let data = capture.record([2, 1, 0, 0, 0], isReceived: true, microseconds: 0)
        #expect(try Array(data.prefix(12)) == Hex.decode("00000005 00000005 00000001"))
    }

    @Test func writesPcapng() throws {
        let capture = HCICapture(.init(path: "A.PCAPNG"))
        #expect(
            try capture.header
                == Hex.decode(
                    "0A0D0D0A 1C000000 4D3C2B1A 0100 0000 FFFFFFFFFFFFFFFF 1C000000"
                        + "01000000 14000000 C900 0000 00000000 14000000"))
        // Event Command Complete of one octet less than a multiple of four: one octet fills up.
        let record = capture.record([4, 0x0E, 4, 1, 3, 0x0C, 0], isReceived: true, microseconds: 0x1_0000_0002)
        #expect(
            try record
                == Hex.decode(
                    "06000000 2C000000 00000000 01000000 02000000 0B000000 0B000000"
                        + "00000001 040E0401030C00 00 2C000000"))
    }
}
