// SPDX-License-Identifier: Apache-2.0
import CeruleanWire
import Testing

@Suite struct HCITraceTests {
    private func packet(_ trace: inout HCITrace, _ hex: String, _ isReceived: Bool) throws -> HCITrace.Packet {
        trace.dissect(try Hex.decode(hex), isReceived: isReceived)
    }

    /// LE Connection Complete: handle 0x0040, we are central, the peer is C7:CE:00:00:00:14 (random).
    static let opened = "043e13 01 00 4000 00 01 14000000cec7 1800 0000 6400 00"

    @Test func namesCommandsAndTheirAnswers() throws {
        var trace = HCITrace()
        let reset = try packet(&trace, "01030c00", false)
        #expect(reset.name == "Reset" && reset.kind == .command)
        #expect(reset.layer("hci")?["opcode"] == 0x0C03)
        let answer = try packet(&trace, "040e0a 01 0910 00 665544332211", true)
        #expect(answer.name == "Command Complete: Read BD_ADDR")
        #expect(answer.layer("hci")?["BD_ADDR"] == "11:22:33:44:55:66")
        let refused = try packet(&trace, "040e04 01 0910 0c", true)
        #expect(refused.layer("hci")?["status"] == .text(HCI.ErrorCode(rawValue: 0x0C).description))
        let unknown = try packet(&trace, "0142fc020102", false)
        #expect(unknown.layer("hci")?["octets"] == .bytes([1, 2]))
        let cut = try packet(&trace, "0142", false)
        #expect(cut.layer("hci")?["error"] != nil)
    }

    @Test func followsAConnectionAndPutsItsFramesTogether() throws {
        var trace = HCITrace()
        #expect(try packet(&trace, Self.opened, true).connection == 1)
        // Read Response of 5 octets in two packets; the other direction in between.
        let first = try packet(&trace, "02 4020 0500 0600 0400 0b", true)
        #expect(first.layers.map(\.name) == ["hci"])
        let request = try packet(&trace, "02 4000 0700 0300 0400 0a 0300", false)
        #expect(request.name == "ATT Read Request")
        #expect(request.layer("att")?["attribute handle"] == 3)
        #expect(request.peer?.description.contains("C7:CE:00:00:00:14") == true)
        let last = try packet(&trace, "02 4010 0500 0102030405", true)
        #expect(last.name == "ATT Read Response")
        #expect(last.layer("att")?["attribute value"] == .bytes([1, 2, 3, 4, 5]))
        #expect(last.layer("l2cap")?["channel id"] == 4)
        // Disconnection Complete closes it; the handle is another connection's afterwards.
        #expect(try packet(&trace, "040504 00 4000 13", true).connection == 1)
        #expect(try packet(&trace, Self.opened, true).connection == 2)
    }

    @Test func putsUnitsOfCreditBasedChannelsTogether() throws {
        var trace = HCITrace()
        _ = try packet(&trace, Self.opened, true)
        // We ask for SPSM 0x80 with our end 0x0040; the peer's end is 0x0041.
        _ = try packet(&trace, "02 4000 1200 0e00 0500 14 01 0a00 8000 4000 0001 4000 0a00", false)
        _ = try packet(&trace, "02 4020 1200 0e00 0500 15 01 0a00 4100 0001 4000 0a00 0000", true)
        let first = try packet(&trace, "02 4020 0800 0400 4000 0300 aabb", true)
        #expect(first.name == "L2CAP segment on SPSM 0x80")
        let last = try packet(&trace, "02 4020 0500 0100 4000 cc", true)
        #expect(last.layer("sdu")?["data"] == .bytes([0xAA, 0xBB, 0xCC]))
        let sent = try packet(&trace, "02 4000 0700 0300 4100 0100 dd", false)
        #expect(sent.layer("sdu")?["data"] == .bytes([0xDD]))
        // A length above its segments, and one below.
        let over = try packet(&trace, "02 4000 0900 0500 4100 0100 ddeeff", false)
        #expect(over.layer("sdu")?["error"] != nil)
    }

    /// A channel to enhanced ATT holds ATT.
    @Test func looksIntoEnhancedATT() throws {
        var trace = HCITrace()
        _ = try packet(&trace, Self.opened, true)
        _ = try packet(&trace, "02 4000 1200 0e00 0500 17 02 0a00 2700 4000 4000 0400 4000", false)
        _ = try packet(&trace, "02 4020 1200 0e00 0500 18 02 0a00 4000 4000 0400 0000 4200", true)
        let read = try packet(&trace, "02 4000 0900 0500 4200 0300 0a0300", false)
        #expect(read.name == "ATT Read Request")
    }
}
