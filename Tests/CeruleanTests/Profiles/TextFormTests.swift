// SPDX-License-Identifier: Apache-2.0

import Cerulean
import Testing

/// A value with one field of each kind.
private struct Everything: ListedValue, Hashable {
    enum Mode: UInt8, CaseIterable, Sendable { case off, slow = 4, fast }
    var low: UInt8 = 0
    var isLive = false
    var mode = Mode.off
    var period: UInt16 = 10
    var offset: Int32 = 0
    var energy: UInt16?
    var name = ""

    mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.flags(1)
        try coder.bits("low", 1...3, &low)
        try coder.bit("live", 7, &isLive)
        try coder.code("mode", &mode)
        coder.byteOrder = .big
        try coder.integer("period", &period, words: [0: "default", 0xFFFF: "never"])
        try coder.integer("offset", &offset, octets: 3)
        coder.byteOrder = .little
        try coder.integer("energy", &energy, bit: 0)
        try coder.string("name", &name)
    }
}

@Suite struct TextFormTests {
    /// Octets laid out by hand: flags, code, two numbers with the most significant octet first, one with the least,
    /// text.
    private static let octets: [UInt8] = [0x8B, 0x04, 0x01, 0x02, 0xFF, 0xFF, 0xFE, 0x34, 0x12, 0x68, 0x69]

    @Test func fieldsOfAllKindsAreReadWrittenAndShown() throws {
        let value = try Everything(decoding: Self.octets)
        #expect(value.low == 5 && value.isLive && value.mode == .slow)
        #expect(value.period == 0x0102 && value.offset == -2 && value.energy == 0x1234 && value.name == "hi")
        #expect(try value.encoded() == Self.octets)
        #expect(
            value.texts.map { "\($0.name)=\($0.text)" } == [
                "low=5", "live=true", "mode=slow", "period=258", "offset=-2", "energy=4660", "name=hi",
            ])
        #expect(value.texts[2].choices == ["off", "slow", "fast"])
        #expect(value.texts[3].choices == ["default", "never"])
        #expect(value.texts.map(\.isOptional) == [false, false, false, false, false, true, false])
        let given = Dictionary(uniqueKeysWithValues: value.texts.map { ($0.name, $0.text) })
        #expect(try Everything(texts: given) == value)
        #expect(value.fields["mode"] == "slow")
    }

    @Test func textsOfSomeFieldsLeaveTheOthers() throws {
        var value = try Everything(decoding: Self.octets)
        try value.set(texts: ["energy": "", "period": "never", "offset": "-0x10"])
        #expect(value.energy == nil && value.period == 0xFFFF && value.offset == -16 && value.name == "hi")
        #expect(try value.encoded() == [0x8A, 0x04, 0xFF, 0xFF, 0xFF, 0xFF, 0xF0, 0x68, 0x69])
    }

    @Test(arguments: [
        ("low", "8", 0), ("low", "-1", 0), ("low", "", 0), ("low", "1x", 1), ("low", " 1", 0), ("live", "truth", 3),
        ("mode", "sloth", 3), ("mode", "", 0), ("period", "12.5", 2), ("period", "65536", 0), ("period", "def", 3),
        ("offset", "0x", 2), ("offset", "-0xG", 3), ("offset", "8388608", 0), ("energy", "+-1", 1), ("none", "1", 0),
    ])
    func aTextThatDoesNotFitIsRefusedWithItsPlace(field: String, text: String, position: Int) throws {
        let before = try Everything(decoding: Self.octets)
        var value = before
        do throws(TextError) {
            try value.set(texts: [field: text])
            Issue.record("taken: \(value)")
        } catch {
            #expect(error.field == field && error.position == position, "\(error)")
        }
        #expect(value == before)
    }

    @Test func aWholeValueWantsAllItsFields() {
        do throws(TextError) {
            _ = try BatteryLevel(texts: [:])
            Issue.record("taken")
        } catch {
            #expect(error.description == "value, character 0: missing")
        }
    }

    @Test func decodingTellsFieldAndOffset() {
        for (count, offset) in [(0, 0), (1, 1), (3, 2), (5, 4), (8, 7)] {
            #expect(throws: WireError(offset: offset, reason: .truncated)) {
                try Everything(decoding: Array(Self.octets.prefix(count)))
            }
        }
        #expect(throws: WireError.self) { try Everything(decoding: [0, 9, 0, 0, 0, 0, 0]) }
    }

    @Test func genericValuesCoverNumbersCodesArraysAndPairs() throws {
        #expect(try IntegerValue<UInt16>(5000).encoded() == [0x88, 0x13])
        #expect(try BigEndianValue<UInt16>(5000).encoded() == [0x13, 0x88])
        #expect(try BigEndianValue<Int16>(decoding: [0xFF, 0xFE]).number == -2)
        #expect(try ArrayValue<Int16>([1, -2]).encoded() == [1, 0, 0xFE, 0xFF])
        #expect(try ArrayValue<Int16>(decoding: [1, 0, 0xFE, 0xFF]).numbers == [1, -2])
        #expect(throws: WireError(offset: 2, reason: .truncated)) { try ArrayValue<Int16>(decoding: [1, 0, 2]) }
        typealias Location = PairValue<IntegerValue<Int16>, IntegerValue<Int16>>
        let location = try Location(decoding: [0xBF, 0x0E, 0x3E, 0xD0])
        #expect(location.first.number == 3775 && location.second.number == -12226)
        #expect(location.texts.map(\.name) == ["first.value", "second.value"])
        #expect(try Location(texts: ["first.value": "3775", "second.value": "-12226"]) == location)
        typealias Mode = CodeValue<Everything.Mode>
        #expect(try Mode(decoding: [5]).code == .fast)
        #expect(throws: WireError.self) { try Mode(decoding: [1]) }
        #expect(try Mode(texts: ["value": "slow"]).encoded() == [4])
        #expect(try ArrayValue<UInt8>(texts: ["values": "1, 2 ,255"]).numbers == [1, 2, 255])
        do throws(TextError) {
            _ = try ArrayValue<UInt8>(texts: ["values": "1, 2x, 3"])
            Issue.record("taken")
        } catch {
            #expect(error.position == 4)
        }
    }

    @Test func medicalNumbersAndDatesHaveTexts() throws {
        var measurement = TemperatureMeasurement()
        try measurement.set(texts: ["timestamp": "2026-11-30T22:45:01"])
        #expect(measurement.texts.first { $0.name == "timestamp" }?.text == "2026-11-30T22:45:01")
        do throws(TextError) {
            try measurement.set(texts: ["timestamp": "2026-13-30T22:45:01"])
            Issue.record("taken")
        } catch {
            #expect(error.position == 5)
        }
        let name = try #require(measurement.texts.first?.name)
        try measurement.set(texts: [name: "36.5"])
        #expect(measurement.texts.first?.text == "36.5")
    }

    @Test func aDeclarationServesEditorsAndCatalogs() throws {
        let catalog = ProfileCatalog.standard
        let battery = try #require(catalog.service(0x180F))
        #expect(catalog.tags.contains(battery.tag))
        #expect(catalog.services(tag: battery.tag).contains { $0.uuid == 0x180F })
        let level = try #require(catalog.characteristic(0x2A19, in: 0x180F))
        #expect(level.name == "Battery Level" && level.initialValue == [100])
        #expect(try level.texts(of: [80]).map(\.text) == ["80"])
        #expect(try level.octets(from: ["value": "81"]) == [81])
        #expect(try level.octets(from: [:], changing: [7]) == [7])
        #expect(catalog.characteristic(0x2A07)?.initialValue == [0xD8])
        #expect(throws: WireError.self) { try level.fields(of: []) }
        #expect(throws: TextError.self) { try level.octets(from: ["value": "256"]) }
    }
}
