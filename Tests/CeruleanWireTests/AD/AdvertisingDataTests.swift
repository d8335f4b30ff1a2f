// SPDX-License-Identifier: Apache-2.0
import CeruleanWire
import Testing

@Suite struct AdvertisingDataTests {
    static func data(_ hex: String) throws -> AdvertisingData { AdvertisingData(decoding: try Hex.decode(hex)) }

    // D1 of the hostile input table.
    @Test func d1_stopsAtAStructureThatGoesBeyondTheEnd() throws {
        let data = try Self.data("020106 0509 4142")
        #expect(data.structures == [.init(type: .flags, data: [6])])
        #expect(data.fault == WireError(offset: 3, reason: .truncated))
        #expect(data.rest == [5, 9, 0x41, 0x42])
        #expect(try Self.data("05").fault == WireError(offset: 0, reason: .truncated))
        #expect(try Self.data("FF 09").fault == WireError(offset: 0, reason: .truncated))
    }

    // D2
    @Test func d2_endsAtALengthOfZero() throws {
        let data = try Self.data("020106 00 0309 4142")
        #expect(data.structures.count == 1)
        #expect(data.fault == nil)
        #expect(data.rest == [0, 3, 9, 0x41, 0x42])
        #expect(try Self.data("").structures.isEmpty)
    }

    @Test func aStructureOfATypeAloneIsEmpty() throws {
        let data = try Self.data("0109 020A04")
        #expect(data.elements == [.localName([], complete: true), .txPower(4)])
    }

    // D3
    @Test func d3_takesWholeUUIDsAndIgnoresElementsThatAreCut() throws {
        let bytes = try Hex.decode("0603 0D18 0F18 0A" + "02160D" + "02FF4C" + "05FF4C000215")
        let fields = AdvertisementFields(advertisement: bytes)
        #expect(fields.services == [0x180D, 0x180F])
        #expect(fields.serviceData.isEmpty)
        #expect(fields.manufacturerData == [.init(company: 0x4C, data: [2, 0x15])])
        #expect(fields.others.count == 3)
        let view = AdvertisingDataView(bytes.span.bytes)
        let hasRate = view.contains(service: 0x180D)
        let hasBattery = view.contains(service: 0x180F)
        let hasInformation = view.contains(service: 0x180A)
        let company = view.manufacturerData?.company
        let rate = view.serviceData(of: 0x180D)
        #expect(hasRate && hasBattery && !hasInformation)
        #expect(company == 0x4C)
        #expect(rate == nil)
    }

    // D4
    @Test(arguments: [
        ([0x41, 0xFF, 0x42], "A\u{FFFD}B"), ([0x41, 0x00, 0x42], "A"), ([0x1B, 0x5B, 0x32, 0x4A], "\u{1B}[2J"),
        ([0xE2, 0x80, 0xAE, 0x41], "\u{202E}A"),
        ([UInt8](repeating: 0x61, count: 248), String(repeating: "a", count: 248)),
    ])
    func repairsNamesAndKeepsTheirOctets(octets: [UInt8], text: String) {
        let fields = AdvertisementFields(advertisement: [UInt8(octets.count + 1), 9] + octets)
        #expect(fields.name == text)
        #expect(fields.nameBytes == octets)
        #expect(AdvertisementFields(advertisement: [1, 9]).name == nil)
    }

    // D6
    @Test func aScanResponseNeedsAnAdvertisementOfItsOwnSet() {
        var merge = AdvertisementMerge()
        let early = merge.received(scanResponse: [2, 9, 0x41])
        #expect(!early)
        #expect(merge.fields.name == nil)
        merge.received(advertisement: [2, 1, 6], set: 1)
        let otherSet = merge.received(scanResponse: [2, 9, 0x41], set: 2)
        let noSet = merge.received(scanResponse: [2, 9, 0x41])
        #expect(!otherSet && !noSet)
        #expect(merge.fields.name == nil)
        let ownSet = merge.received(scanResponse: [2, 9, 0x41], set: 1)
        #expect(ownSet)
        #expect(merge.fields.name == "A")
        #expect(merge.fields.flags == 6)
        merge.received(advertisement: [2, 1, 4], set: 1)
        #expect(merge.fields.name == "A")
        merge.received(advertisement: [2, 1, 4], set: 2)
        #expect(merge.fields.name == nil)
    }

    @Test func mergesAnAdvertisementAndItsScanResponse() throws {
        let fields = AdvertisementFields(
            advertisement: try Hex.decode("020106 03030D18 04084269 74 020AFC"),
            scanResponse: try Hex.decode("05030D180F18 0909 424954616C696E6F 0319 4103 04160F1864 03020A18 02FF01"))
        #expect(fields.name == "BITalino" && fields.isNameComplete)
        #expect(fields.services == [0x180D, 0x180F, 0x180A])
        #expect(fields.txPower == -4 && fields.appearance == 833)
        #expect(fields.serviceData == [.init(uuid: 0x180F, data: [0x64])])
        let members = FieldValue.object(fields.fieldMembers)
        #expect(members["services"] == ["180D", "180F", "180A"])
        #expect(members["serviceData"] == ["180F": .bytes([0x64])])
        #expect(members["manufacturerData"] == nil)
    }

    @Test func aShortenedNameNeverReplacesACompleteOne() throws {
        var fields = AdvertisementFields(advertisement: try Hex.decode("0309 4142 0208 41"))
        #expect(fields.name == "AB")
        fields.merge(try Self.data("0309 4344"))
        #expect(fields.name == "CD")
    }

    @Test func writesAndRefusesBeyondTheLimit() throws {
        let data = try AdvertisingData([
            .flags([.generalDiscoverable, .brEDRNotSupported]), .services([0x180D], width: .two, complete: true),
            .name("0123456789ABCDEFGHIJKL", complete: true),
        ])
        #expect(data.byteCount == 31)
        #expect(try data.encoded() == Hex.decode("020106 03030D18 1709") + Array("0123456789ABCDEFGHIJKL".utf8))
        #expect(AdvertisingData(decoding: try data.encoded()) == data)
        var longer = data
        longer.structures.append(.init(type: .txPowerLevel, data: [0]))
        #expect(throws: WireError(offset: 31, reason: .tooLong)) { try longer.encoded() }
        #expect(try longer.encoded(limit: AdvertisingData.extendedLimit).count == 34)
        let huge = AdvertisingData(structures: [.init(type: .manufacturerData, data: [UInt8](repeating: 0, count: 255))]
        )
        #expect(throws: WireError(offset: 0, reason: .tooLong)) {
            try huge.encoded(limit: AdvertisingData.extendedLimit)
        }
    }

    @Test func dividesValuesBetweenAdvertisementAndScanResponse() throws {
        var fields = AdvertisementFields()
        fields.flags = 6
        fields.services = ["C566488A-0882-4E1B-A6D0-0B7071652234"]
        fields.name = "BITalino-00-11"
        fields.manufacturerData = [.init(company: 0x4C, data: [1, 2, 3])]
        let (first, second) = try fields.legacyPayloads()
        #expect(first.count <= 31 && second.count <= 31)
        let read = AdvertisementFields(advertisement: first, scanResponse: second)
        #expect(read == fields)
        fields.name = String(repeating: "ä", count: 40)
        let short = try fields.legacyPayloads()
        let shortRead = AdvertisementFields(advertisement: short.advertisement, scanResponse: short.scanResponse)
        #expect(!shortRead.isNameComplete)
        #expect(shortRead.name == String(repeating: "ä", count: 14))
        fields.manufacturerData = [.init(company: 1, data: [UInt8](repeating: 0, count: 28))]
        #expect(throws: WireError.self) { try fields.legacyPayloads() }
        fields.others = []
        #expect(try fields.payload().count > 31)
    }

    @Test func viewAndOwnedFormAgreeOnRandomBytes() {
        var random = SeededRandom(seed: 4)
        for _ in 0..<4000 {
            var bytes = random.bytes(0...40)
            if !bytes.isEmpty { bytes[0] %= 12 }
            let data = AdvertisingData(decoding: bytes)
            let fields = AdvertisementFields(advertisement: bytes)
            let view = AdvertisingDataView(bytes.span.bytes)
            let name = view.name.map { Array(bytes[$0]) }
            let manufacturer = view.manufacturerData.map {
                AdvertisementFields.ManufacturerData(company: $0.company, data: Array(bytes[$0.data]))
            }
            #expect(manufacturer == fields.manufacturerData.first)
            if name == nil { #expect(fields.nameBytes == nil) }
            for service in fields.services {
                let found = view.contains(service: service)
                #expect(found)
            }
            #expect(data.byteCount + data.rest.count == bytes.count)
            _ = data.dissected()
            for element in data.elements {
                if let structure = try? element.structure() { #expect(structure.element.type == element.type) }
            }
        }
    }
}
