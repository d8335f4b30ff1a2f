// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanWire
import Testing

@Suite struct JSONTextTests {
    @Test func writesMembersInOrderOnOneLine() {
        let value: FieldValue = [
            "z": 1, "a": [true, nil, 0.5, -7], "hex": .bytes([0x01, 0xFF]), "text": "tab\t\"quote\" \u{1}é",
        ]
        #expect(
            JSONText.encode(value)
                == #"{"z":1,"a":[true,null,0.5,-7],"hex":"01ff","text":"tab\t\"quote\" \u0001é"}"#)
    }

    @Test(arguments: [Int64.min, Int64.max, 0, -1, 9_007_199_254_740_993])
    func keepsWholeNumbersExact(number: Int64) throws {
        #expect(JSONText.encode(.integer(number)) == "\(number)")
        #expect(try JSONText.parse("\(number)") == .integer(number))
    }

    @Test(arguments: [0.1, 1, -1e300, .leastNonzeroMagnitude, 1.0 / 3])
    func numbersReadBackTheSame(number: Double) throws {
        #expect(try JSONText.parse(JSONText.encode(.number(number))) == .number(number))
    }

    @Test func tellsIntegersFromNumbersAndBooleans() throws {
        #expect(try JSONText.parse(" [1, 1.0, 1e2, true] ") == [1, .number(1), .number(100), true])
    }

    @Test func readsEscapes() throws {
        #expect(try JSONText.parse(#""\u00e9\ud83d\ude00\/\n""#) == "é😀/\n")
    }

    @Test(arguments: [
        ("", 0), ("[1,]", 3), ("{\"a\":1,\"a\":2}", 7), ("[1 2]", 3), ("01", 1), ("\"\\ud800\"", 1), ("nul", 0),
        ("\"abc", 4), ("1e999", 0), ("{\"a\" 1}", 5), ("[1]x", 3), ("-", 1), ("\"\\x\"", 2), ("+1", 0), (".5", 0),
    ])
    func namesTheOffsetOfBadText(text: String, offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSONText.parse(text) }
        #expect(error?.offset == offset)
    }

    @Test func refusesBrokenUTF8() {
        #expect(throws: JSONError.self) { try JSONText.parse(utf8: [0x22, 0xC3, 0x22]) }
    }

    @Test func limitsDepthSizeAndCount() {
        let deep = String(repeating: "[", count: 1_000_000)
        #expect(throws: JSONError.self) { try JSONText.parse(deep) }
        #expect(throws: JSONError.self) { try JSONText.parse("[1,2,3]", limits: .init(values: 3)) }
        #expect(throws: JSONError.self) { try JSONText.parse("[1,2,3]", limits: .init(octets: 6)) }
    }
}
