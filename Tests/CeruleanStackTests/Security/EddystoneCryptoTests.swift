// SPDX-License-Identifier: Apache-2.0

import CeruleanWire
import Testing

@testable import CeruleanStack

@Suite struct EddystoneCryptoTests {
    private let crypto = SystemCrypto()

    private static func value(_ hex: String) throws -> Value128 {
        try #require(Value128(bigEndian: try Hex.decode(hex)))
    }

    /// Vectors of the paper that defines EAX: key, nonce, header, message, cipher text, tag.
    @Test(arguments: [
        [
            "233952DEE4D5ED5F9B9C6D6FF80FF478", "62EC67F9C3A4A407FCB2A8C49031A8B3", "6BFB914FD07EAE6B", "", "",
            "E037830E8389F27B025A2D6527E79D01",
        ],
        [
            "91945D3F4DCBEE0BF45EF52255F095A4", "BECAF043B0A23D843194BA972C66DEBD", "FA3BFD4806EB53FA", "F7FB",
            "19DD", "5C4C9331049D0BDAB0277408F67967E5",
        ],
        [
            "8395FCF1E95BEBD697BD010BC766AAC3", "22E7ADD93CFC6393C57EC0B3C17D6B44", "126735FCC320D25A",
            "CA40D7446E545FFAED3BD12A740A659FFBBB3CEAB7", "CB8920F87A6C75CFF39627B56E3ED197C552D295A7",
            "CFC46AFC253B4652B1AF3795B124AB6E",
        ],
    ])
    func eaxIsThePublishedOne(vector: [String]) throws {
        let octets = try vector.map { try Hex.decode($0) }
        let key = try Self.value(vector[0])
        let sealed = try crypto.eax(octets[3], key: key, nonce: octets[1], header: octets[2], isOpening: false)
        #expect(sealed.output == octets[4])
        #expect(sealed.tag.bigEndian == octets[5])
        let opened = try crypto.eax(octets[4], key: key, nonce: octets[1], header: octets[2], isOpening: true)
        #expect(opened.output == octets[3] && opened.tag == sealed.tag)
    }

    @Test func telemetryOpensWithItsKeyAndTimeOnly() throws {
        let key = try Self.value("00112233445566778899aabbccddeeff")
        let content = try Hex.decode("0ba915800001e240000f1206")
        let sealed = try crypto.sealEddystoneTelemetry(content, key: key, exponent: 8, time: 1_000_000, salt: 0x1234)
        #expect(sealed.encrypted.count == 12 && sealed.encrypted != content)
        func open(_ key: Value128, _ time: UInt32, _ salt: UInt16, _ check: UInt16) throws -> [UInt8]? {
            try crypto.openEddystoneTelemetry(
                sealed.encrypted, key: key, exponent: 8, time: time, salt: salt, check: check)
        }
        #expect(try open(key, 1_000_000, 0x1234, sealed.check) == content)
        // The same 256 seconds as an identifier lasts.
        #expect(try open(key, 1_000_191, 0x1234, sealed.check) == content)
        #expect(try open(key, 1_000_192, 0x1234, sealed.check) == nil)
        #expect(try open(key, 1_000_000, 0x1235, sealed.check) == nil)
        #expect(try open(key, 1_000_000, 0x1234, sealed.check ^ 1) == nil)
        #expect(try open(.zero, 1_000_000, 0x1234, sealed.check) == nil)
    }

    /// Computed with OpenSSL from the published steps.
    @Test(
        arguments: [
            (1_000_000, "812d126179cc7389"), (1_000_191, "812d126179cc7389"), (1_000_192, "2758e6e3ca58cff4"),
        ] as [(UInt32, String)])
    func anIdentifierLastsTwoToThePowerOfItsExponent(time: UInt32, expected: String) throws {
        let key = try Self.value("00112233445566778899aabbccddeeff")
        #expect(Hex.encode(try crypto.eddystoneIdentifier(key, exponent: 8, time: time)) == expected)
    }
}
