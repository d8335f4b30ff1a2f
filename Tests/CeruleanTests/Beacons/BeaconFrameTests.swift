// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanWire
import Testing

/// Frames whose layouts are those of the published format documents; `Tests/Vectors/beacons.json` holds the rest.
@Suite struct BeaconFrameTests {
    private static func beacons(_ hex: String) throws -> [Beacon] {
        AdvertisementFields(advertisement: try Hex.decode(hex)).beacons
    }

    @Test func anIBeaconIsBuiltAsPhonesExpectIt() throws {
        let beacon = IBeacon(uuid: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", major: 1, minor: 2)
        #expect(
            Hex.encode(try beacon.advertisement())
                == "0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5")
    }

    @Test func anAltBeaconIsBuiltByItsSpecification() throws {
        let beacon = AltBeacon(id1: "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", id2: 1, id3: 1)
        #expect(
            Hex.encode(try beacon.advertisement())
                == "0201061bff1801beac2f234454cf6d4a0fadf2f4911ba9ffa600010001c500")
    }

    @Test(arguments: [
        ("https://goo.gl/Aq18zF", -18, "0201060303aafe1316aafe10ee03676f6f2e676c2f417131387a46"),
        ("http://www.nasa.gov", -40, "0201060303aafe0b16aafe10d8006e6173610d"),
    ])
    func anEddystoneURLIsBuiltWithTheListOfServices(url: String, power: Int8, expected: String) throws {
        #expect(Hex.encode(try EddystoneURL(url: url, txPower: power).advertisement()) == expected)
    }

    @Test(arguments: [
        "", "ftp://example.org", "https://", "https://ex ample.org", "https://exämple.org", "example.org",
    ])
    func aURLThatCannotBeSentIsRefused(url: String) {
        #expect(throws: WireError.self) { try EddystoneURL(url: url, txPower: 0).element() }
    }

    @Test func seventeenOctetsOfURLFitAndEighteenDoNot() throws {
        let letters = String(repeating: "a", count: 17)
        #expect(try EddystoneURL(url: "https://\(letters)", txPower: 0).advertisement().count == 31)
        #expect(throws: WireError(offset: 26, reason: .tooLong)) {
            try EddystoneURL(url: "https://\(letters)a", txPower: 0).element()
        }
    }

    @Test(arguments: [
        // A type octet whose low nibble is not 0, a reserved type, a version not known, a URL without anything, one of 18.
        "1716aafe01ebedd1ebeac04e5defa0170123456789ab0000", "1716aafe40ebedd1ebeac04e5defa0170123456789ab0000",
        "1116aafe20020ba915800001e240000f1206", "0616aafe10ee03", "1816aafe10ee03616161616161616161616161616161616161",
        // One octet short: UID, TLM, encrypted TLM, EID, formats 5 and 3, AltBeacon.
        "1416aafe000000112233445566778899aabbccddee", "1016aafe20000ba915800001e240000f12",
        "1416aafe2001000102030405060708090a0b1234ab", "0c16aafe30f411223344556677",
        "1aff99040512fc5394c37c0004fffc040cac364200cdcbb8334c88", "10ff990403291a1ece1efc18f94202ca0b",
        "1aff1801beac2f234454cf6d4a0fadf2f4911ba9ffa600010001c5",
        // Estimote: a sticker and telemetry one octet short, a version not known.
        "15ff5d0101d4a1b2c3d4e5f60104077841f301c03f45", "16169afe22b5a0f1e2d3c4b5a600fdfc3f3c4751fc9888",
        "17169afe32b5a0f1e2d3c4b5a600fdfc3f3c4751fc988801",
    ])
    func whatBreaksItsFormatIsNoBeacon(hex: String) throws { #expect(try Self.beacons(hex).isEmpty) }

    @Test func aBeaconNeedsNoListOfServicesAndMayBeInTheScanResponse() throws {
        let fields = AdvertisementFields(
            advertisement: try Hex.decode("0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5"),
            scanResponse: try Hex.decode("0d16aafe30f41122334455667788"))
        #expect(fields.beacons.map(\.kind) == ["ibeacon", "eddystone-eid"])
    }

    @Test func everyOctetOfEveryFrameMayBeAnything() throws {
        var number: UInt64 = 88_172_645_463_325_252
        func next() -> UInt8 {
            number ^= number << 13
            number ^= number >> 7
            number ^= number << 17
            return UInt8(truncatingIfNeeded: number >> 32)
        }
        let heads: [(UInt16?, [UInt8])] = [
            (0x004C, [0x02, 0x15]), (0x0118, [0xBE, 0xAC]), (0x0499, [0x05]), (0x0499, [0x03]), (0x015D, [0x01]),
            (nil, [0x00]), (nil, [0x10]), (nil, [0x20]), (nil, [0x20, 1]), (nil, [0x30]), (nil, [0x02]), (nil, [0x22]),
        ]
        for round in 0..<4000 {
            let (company, head) = heads[round % heads.count]
            let data = head + (0..<Int(next() % 32)).map { _ in next() }
            let beacons: [Beacon]
            if let company {
                beacons = [Beacon(company: company, data: data)].compactMap { $0 }
            } else {
                beacons = [Eddystone.service, EstimoteTelemetryA.service].compactMap { Beacon(service: $0, data: data) }
            }
            for beacon in beacons {
                #expect(beacon.fields["kind"] == .text(beacon.kind))
                guard let frame = beacon.frame as? any AdvertisableBeacon,
                    let advertisement = try? frame.advertisement()
                else { continue }
                // What can be sent reads back with the same values.
                #expect(AdvertisementFields(advertisement: advertisement).beacons.map(\.fields) == [beacon.fields])
            }
        }
    }

    @Test func valuesOutOfRangeAreRefused() {
        #expect(throws: WireError.self) { try EddystoneUID(namespace: [1], instance: [1], txPower: 0).element() }
        #expect(throws: WireError.self) { try EddystoneEID(identifier: [], txPower: 0).element() }
        #expect(throws: WireError.self) { try EddystoneEncryptedTLM(encrypted: [], salt: 0, check: 0).element() }
        for temperature in [Double.nan, .infinity, -128, 128] {
            #expect(throws: WireError.self) {
                try EddystoneTLM(battery: nil, temperature: temperature, count: 0, tenths: 0).element()
            }
        }
        for tag in [
            RuuviFormat5(temperature: 163.84), RuuviFormat5(humidity: -1), RuuviFormat5(pressure: 49_999),
            RuuviFormat5(pressure: 115_535), RuuviFormat5(acceleration: .init(x: .min)), RuuviFormat5(battery: 1599),
            RuuviFormat5(battery: 3647), RuuviFormat5(txPower: 3), RuuviFormat5(txPower: 22),
            RuuviFormat5(movements: 255), RuuviFormat5(sequence: 65_535),
        ] {
            #expect(throws: WireError.self) { try tag.element() }
        }
        #expect(throws: WireError.self) {
            try RuuviFormat3(humidity: 0, temperature: 0, pressure: 0, acceleration: .init(), battery: 0).element()
        }
    }

    @Test func aTagThatKnowsNothingSaysSo() throws {
        let element = try RuuviFormat5().element()
        guard case .manufacturerData(0x0499, let data) = element else {
            Issue.record("no manufacturer data")
            return
        }
        // The published vector of invalid values.
        #expect(Hex.encode(data) == "058000ffffffff800080008000ffffffffffffffffffffff")
    }
}
