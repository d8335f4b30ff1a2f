// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

/// One test for each row of the table of answers to malformed requests: what the specification asks for.
@Suite struct MalformedRequestTests {
    let rig: BearerRig

    init() throws { rig = BearerRig(server: try TestDatabase.reference()) }

    /// Requests of every kind that has a fixed least length, whole.
    static let requests = [
        "021700", "0401000500", "060100ffff00280018", "080100ffff0028", "0a0300", "0c03000000", "0e03000500",
        "100100ffff0028", "120800aa", "1608000000aa", "1801", "2003000500",
    ]

    @Test(arguments: requests)
    func a1_anyRequestCutShortIsInvalid(hex: String) throws {
        let whole = try Hex.decode(hex)
        let least: [UInt8: Int] = [0x06: 7, 0x12: 3, 0x16: 5]
        for count in 1..<whole.count where count < least[whole[0], default: whole.count] {
            // Read By Type with an even cut of its UUID is none either.
            #expect(rig.receive(Array(whole.prefix(count))) == [Hex.encode([0x01, whole[0], 0, 0, 0x04])])
        }
    }

    @Test(arguments: [
        "02170000", "040100050000", "080100ffff002800", "0a030000", "0c0300000000", "0e0300050000",
        "100100ffff002800", "180100", "200300050000",
    ])
    func a1_trailingOctetsAreInvalid(hex: String) {
        #expect(rig.receive(hex) == ["01" + hex.prefix(2) + "000004"])
    }

    @Test func a9_readOfAWriteOnlyValueIsNotPermitted() { #expect(rig.receive("0a0a00") == ["010a0a0002"]) }

    @Test(arguments: ["0700", "1100", "0300", "0100"])
    func a9_writeToAReadOnlyValueOrDeclarationIsNotPermitted(handle: String) {
        #expect(rig.receive("12" + handle + "ff") == ["0112" + handle + "03"])
        let before = rig.receive("0a" + handle)
        #expect(rig.receive("52" + handle + "ff").isEmpty)
        #expect(rig.receive("0a" + handle) == before)
    }

    @Test func readMultipleVariableGivesALengthForEachValue() {
        #expect(rig.receive("2008000c00") == ["210400010203040100aa"])
    }

    @Test func readMultipleWithOneHandleIsInvalid() { #expect(rig.receive("0e0800") == ["010e000004"]) }

    @Test(arguments: ["01", "010000"])
    func configurationOfAnotherLengthThanTwoIsRefused(value: String) {
        #expect(rig.receive("120d00" + value) == ["01120d000d"])
        #expect(rig.receive("0a0d00") == ["0b0000"])
    }

    @Test(arguments: [
        "04000005", "0405000400", "060000ffff00280018", "080000ffff0028", "0805000400002a", "100000ffff0028",
    ])
    func startHandleZeroOrBehindTheEndIsInvalid(hex: String) throws {
        let request = hex.count == 8 ? hex + "00" : hex
        let start = request.dropFirst(2).prefix(4)
        #expect(rig.receive(request) == ["01" + request.prefix(2) + start + "01"])
    }

    @Test func readByTypeWithATypeOfThreeOctetsIsInvalid() {
        #expect(rig.receive("080100ffff002800") == ["0108000004"])
    }

    @Test(arguments: ["24", "1a00", "bf00", "00", "3f010203"])
    func unknownRequestsAreNotSupported(hex: String) { #expect(rig.receive(hex) == ["01" + hex.prefix(2) + "000006"]) }

    @Test(arguments: ["40", "ff00", "7f", "d2"])
    func unknownCommandsAreIgnored(hex: String) { #expect(rig.receive(hex).isEmpty) }

    @Test(arguments: ["1e", "0b01", "13", "0100000000", "09030100aa"])
    func unsolicitedConfirmationsAndResponsesAreIgnored(hex: String) {
        #expect(rig.receive(hex).isEmpty)
        #expect(rig.receive("0a0c00") == ["0baa"])
    }

    @Test func encryptedValueAsksForKeysFirst() {
        #expect(rig.receive("0a1100") == ["010a110005"])
        rig.bearer.peer.hasKeys = true
        #expect(rig.receive("0a1100") == ["010a11000f"])
        rig.bearer.peer.security = .encrypted
        #expect(rig.receive("0a1100") == ["0b55"])
    }

    @Test func executeWriteFlagTwoIsInvalid() { #expect(rig.receive("1802") == ["0118000004"]) }

    @Test func prepareBeyondTheValueIsRefusedAtExecute() {
        #expect(rig.receive("1608000500aa") == ["1708000500aa"])
        #expect(rig.receive("1801") == ["0118080007"])
        #expect(rig.receive("0a0800") == ["0b01020304"])
    }

    @Test func signedWriteThatCannotBeCheckedIsIgnored() {
        #expect(rig.receive("d20800ffff000000000102030405060708").isEmpty)
        #expect(rig.receive("0a0800") == ["0b01020304"])
    }

    @Test func readBlobAtOffsetZeroOfAShortValueGivesIt() { #expect(rig.receive("0c08000000") == ["0d01020304"]) }

    @Test func secondMTUExchangeIsAnsweredAndChangesNothing() {
        #expect(rig.receive("021700") == ["030002"])
        #expect(rig.receive("020001") == ["030002"])
        #expect(rig.bearer.mtu == 23)
    }

    @Test func endOfTheLastServiceIsItsOwn() {
        #expect(rig.receive("101400ffff0028") == ["111414001600f0debc9a785634127856341278563412"])
    }

    @Test func absentTypeIsNotFound() {
        #expect(rig.receive("080100ffff3a2b") == ["010801000a"])
        #expect(rig.receive("080100fffff00f") == ["010801000a"])
    }
}
