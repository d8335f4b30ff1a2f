// SPDX-License-Identifier: Apache-2.0

import CeruleanWire
import Testing

@Suite struct SMPTests {
    @Test func readsAPairingRequestFieldByField() throws {
        // Core 5.4, Vol 3, Part H, 3.5.1: code, IO capability, OOB flag, AuthReq, key size, two key distributions.
        let request = try SMP.PairingRequest(pdu: [0x01, 0x04, 0x01, 0x2D, 0x10, 0x07, 0x0B])
        #expect(request.features.ioCapability == .keyboardDisplay)
        #expect(request.features.outOfBand == .present)
        #expect(
            request.features.requirements == [.bonding, .protectedAgainstMITM, .secureConnections, .h7])
        #expect(request.features.maximumKeySize == 16)
        #expect(request.features.initiatorKeys == [.encryption, .identity, .signing])
        #expect(request.features.responderKeys == [.encryption, .identity, .link])
    }

    @Test func keepsReservedBits() throws {
        let octets: [UInt8] = [0x02, 0xFF, 0xFE, 0xFF, 0xFD, 0xFC, 0xFB]
        #expect(try SMP.PairingResponse(pdu: octets).pdu() == octets)
    }

    @Test func namesThePartsOfTheRequirements() {
        let shown = SMP.dissect([0x0B, 0x0D])
        #expect(shown["code"] == "Security Request")
        #expect(shown["bonding flags"] == 1)
        #expect(shown["MITM"] == 1)
        #expect(shown["SC"] == 1)
        #expect(shown["keypress"] == 0)
    }

    @Test func showsWhatItCannotRead() {
        #expect(SMP.dissect([0x05])["error"] == "truncated at offset 1")
        #expect(SMP.dissect([0x0F, 0x01])["octets"] == .bytes([0x01]))
        #expect(SMP.dissect([])["error"] == "empty")
        #expect(SMP.dissect([0x05, 0x0B])["reason"] == "DHKey check failed")
    }

    @Test func turnsNumbersAround() throws {
        let octets = (0..<16).map { UInt8($0) }
        let value = try #require(Value128(littleEndian: octets))
        #expect(value.description == "0f0e0d0c0b0a09080706050403020100")
        #expect(value.littleEndian == octets)
        #expect(Value128(bigEndian: octets.reversed()) == value)
        #expect(Value128(littleEndian: octets.dropLast()) == nil)
        #expect(Value128(bigEndian: octets + [0]) == nil)
        let wide = try #require(Value256(littleEndian: (0..<32).map { UInt8($0) }))
        #expect(wide.bigEndian == (0..<32).reversed().map { UInt8($0) })
        #expect(Value256(bigEndian: wide.bigEndian) == wide)
        #expect(Value256(littleEndian: octets) == nil)
    }

    @Test func s16_everyCodeHasOneLength() throws {
        // Core 5.4, Vol 3, Part H, 3.5 and 3.6.
        let lengths: [UInt8: Int] = [
            0x01: 7, 0x02: 7, 0x03: 17, 0x04: 17, 0x05: 2, 0x06: 17, 0x07: 11, 0x08: 17, 0x09: 8, 0x0A: 17, 0x0B: 2,
            0x0C: 65, 0x0D: 17, 0x0E: 2,
        ]
        for code in UInt8.min...UInt8.max {
            for count in 1...70 {
                var pdu = [UInt8](repeating: 0x01, count: count)
                pdu[0] = code
                let command = try? SMP.Command(pdu: pdu)
                #expect((command != nil) == (lengths[code] == count))
                if let command {
                    #expect(try command.pdu() == pdu)
                    #expect(command.opcode.rawValue == code)
                }
            }
        }
    }

    @Test func acceptsOnlyIdentitiesAsIdentityAddress() {
        func identity(_ kind: DeviceAddress.Kind, _ text: String) -> DeviceAddress? {
            var packet = SMP.IdentityAddressInformation()
            packet.kind = kind
            packet.address = BluetoothAddress(text) ?? .zero
            return packet.identity
        }
        #expect(identity(.public, "00:11:22:33:44:55") != nil)
        #expect(identity(.random, "C0:11:22:33:44:55") != nil)
        #expect(identity(.random, "40:11:22:33:44:55") == nil)
        #expect(identity(.random, "00:11:22:33:44:55") == nil)
        #expect(identity(.public, "00:00:00:00:00:00") == nil)
        #expect(identity(.anonymous, "C0:11:22:33:44:55") == nil)
        #expect(identity(.publicIdentity, "00:11:22:33:44:55") == nil)
    }
}
