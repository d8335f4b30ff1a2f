// SPDX-License-Identifier: Apache-2.0

import CeruleanWire
import Testing

@Suite struct ATTPacketTests {
    /// PDUs from the exchanges of the GATT test specification.
    static let pdus = [
        "020002", "030002", "100100ffff0028", "110610001300001820002900b068300032001918",
        "111490009600efcdab89674523010000000085600000", "011097000a", "060100ffff00280018", "0701000700",
        "060100ffff0028fb349b5f80000080001000000d180000", "080100ffff0228", "090811f0010010000a18",
        "091515f08215f0efcdab89674523010000000009b00000", "0404000500", "05010400022905000129", "0a0300",
        "0b426c75655a",
        "0c13f0f000", "0e15f00300", "0f09426c75655a", "120300010203", "13", "520700010203", "1603001200ff",
        "1703001200ff",
        "1801", "19", "1b0300010203", "1d0300010203", "1e", "d2070001020300000000311f0acd1c3a5b0a", "2003000500",
        "2104000102030401 00aa".filter { $0 != " " }, "230500010011060002002233",
    ]

    @Test(arguments: pdus)
    func publishedPDUsReadAndWriteBackTheSame(hex: String) throws {
        let octets = try Hex.decode(hex)
        let opcode = ATT.Opcode(rawValue: octets[0])
        let type = try #require(ATT.type(of: opcode))
        let packet = try type.init(pdu: octets)
        #expect(try packet.pdu() == octets)
        #expect(ATT.dissect(octets)["opcode"] == .text(opcode.description))
        #expect(ATT.dissect(octets)["error"] == nil)
    }

    @Test func errorsSayWhere() {
        #expect(throws: WireError(offset: 3, reason: .truncated)) {
            try ATT.ReadBlobRequest(pdu: [0x0C, 0x2A, 0x00, 0x16])
        }
        #expect(throws: WireError(offset: 5, reason: .trailing)) {
            try ATT.ReadBlobRequest(pdu: [0x0C, 1, 0, 2, 0, 9])
        }
        #expect(throws: WireError.invalid("opcode", at: 0)) { try ATT.ReadRequest(pdu: [0x0C, 1, 0]) }
        #expect(throws: WireError(offset: 0, reason: .truncated)) { try ATT.ReadRequest(pdu: [] as [UInt8]) }
        #expect(throws: WireError.invalid("length", at: 1)) { try ATT.ReadByTypeResponse(pdu: [0x09, 0x01, 0xAA]) }
    }

    @Test func fieldsAreRead() throws {
        let error = try ATT.ErrorResponse(pdu: [0x01, 0x0A, 0x03, 0x00, 0x05])
        #expect(error.request == .readRequest)
        #expect(error.handle == 3)
        #expect(error.error == .insufficientAuthentication)
        let groups = try ATT.ReadByGroupTypeResponse(pdu: [0x11, 6, 1, 0, 4, 0, 1, 0x18, 5, 0, 8, 0, 0x0D, 0x18])
        #expect(groups.count == 2)
        #expect(groups[1].handle == 5)
        #expect(groups[1].end == 8)
        #expect(Array(groups[1].value) == [0x0D, 0x18])
        let variable = try ATT.ReadMultipleVariableResponse(pdu: [0x21, 1, 0, 9, 5, 0, 7, 7])
        #expect(variable.items.map(\.length) == [1, 5])
        #expect(variable.items.map(\.value) == [[9], [7, 7]])
    }

    @Test func opcodesAreOfTheirKind() {
        for raw in UInt8.min...UInt8.max {
            let opcode = ATT.Opcode(rawValue: raw)
            switch opcode.kind {
            case .command: #expect(opcode.isCommand)
            case .request: #expect(!opcode.isCommand)
            case .response, .confirmation, .notification, .indication: #expect(ATT.type(of: opcode) != nil)
            }
            if let response = opcode.response { #expect([.response, .confirmation].contains(response.kind)) }
        }
        #expect(ATT.Opcode.signedWriteCommand.isSigned)
        #expect(ATT.ErrorCode.insufficientEncryption.asksForSecurity)
        #expect(ATT.ErrorCode(rawValue: 0x85).isApplicationDefined)
    }

    /// The views of the hot list agree with the packets on random bytes.
    @Test func viewsAndPacketsAgree() {
        var random = SystemRandom(state: 7)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...14, using: &random)
            var octets = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let opcodes: [UInt8] = [0x1B, 0x1D, 0x12, 0x52, 0x0B, 0x16, 0x17, 0x09, 0x11, 0x05, 0x07]
            if let opcode = opcodes.randomElement(using: &random), !octets.isEmpty { octets[0] = opcode }
            if octets.count > 1, octets[0] != 0x0B { octets[1] = UInt8.random(in: 0...8, using: &random) }
            compare(octets)
        }
    }

    private func compare(_ octets: [UInt8]) {
        let view = try? ATT.HandleValueView(decoding: octets)
        let value = { (range: Range<Int>?) in range.map { Array(octets[$0]) } }
        switch octets.first {
        case 0x1B:
            let packet = try? ATT.HandleValueNotification(pdu: octets)
            #expect(view?.handle == packet?.handle && value(view?.value) == packet?.value)
        case 0x1D:
            let packet = try? ATT.HandleValueIndication(pdu: octets)
            #expect(view?.handle == packet?.handle && value(view?.value) == packet?.value)
        case 0x12:
            let packet = try? ATT.WriteRequest(pdu: octets)
            #expect(view?.handle == packet?.handle && value(view?.value) == packet?.value)
        case 0x52:
            let packet = try? ATT.WriteCommand(pdu: octets)
            #expect(view?.handle == packet?.handle && value(view?.value) == packet?.value)
        case 0x0B:
            let view = try? ATT.ValueView(decoding: octets)
            #expect(value(view?.value) == (try? ATT.ReadResponse(pdu: octets))?.value)
        case 0x16:
            let view = try? ATT.PrepareWriteView(decoding: octets)
            let packet = try? ATT.PrepareWriteRequest(pdu: octets)
            #expect(view?.offset == packet?.offset && value(view?.value) == packet?.value)
        case 0x09:
            let view = try? ATT.ItemListView(octets.span.bytes)
            let packet = try? ATT.ReadByTypeResponse(pdu: octets)
            #expect(view?.count == packet?.count)
            if let view, let packet { #expect(Array(octets[view[0]].dropFirst(2)) == Array(packet[0].value)) }
        case 0x11:
            let view = try? ATT.ItemListView(octets.span.bytes)
            #expect(view?.count == (try? ATT.ReadByGroupTypeResponse(pdu: octets))?.count)
        case 0x05:
            let view = try? ATT.ItemListView(octets.span.bytes)
            let packet = try? ATT.FindInformationResponse(pdu: octets)
            if let view { #expect(view.count == packet.map { $0.short.count + $0.long.count }) }
        case 0x07:
            let view = try? ATT.ItemListView(octets.span.bytes)
            if let view { #expect(view.count == (try? ATT.FindByTypeValueResponse(pdu: octets))?.items.count) }
        default: break
        }
    }

    /// SplitMix64: the same numbers in each run.
    struct SystemRandom: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    @Test func everyDecoderSurvivesRandomBytes() {
        var random = SystemRandom(state: 11)
        for _ in 0..<20_000 {
            let octets = (0..<Int.random(in: 0...30, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            guard let first = octets.first, let type = ATT.type(of: ATT.Opcode(rawValue: first)) else {
                _ = ATT.dissect(octets)
                continue
            }
            if let packet = try? type.init(pdu: octets) { #expect((try? packet.pdu()) == octets) }
        }
    }
}
