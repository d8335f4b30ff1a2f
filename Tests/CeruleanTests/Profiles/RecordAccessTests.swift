// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanWire
import Testing

/// The Record Access Control Point: Glucose Service 3.4 and the octets of the profile's tables.
@Suite struct RecordAccessTests {
    @Test func commandsAndAnswersAreOctets() throws {
        #expect(try RecordAccess(.report).encoded() == [1, 1])
        #expect(try RecordAccess(.report, .last).encoded() == [1, 6])
        #expect(try RecordAccess(.count, .first).encoded() == [4, 5])
        #expect(try RecordAccess(.report, .from(minimum: 17)).encoded() == [1, 3, 1, 17, 0])
        #expect(try RecordAccess(.delete, .range(0x0102, 0x0304)).encoded() == [2, 4, 1, 2, 1, 4, 3])
        #expect(try RecordAccess(.abort).encoded() == [3, 0])
        #expect(try RecordAccess(answerTo: .report, .noRecords).encoded() == [6, 0, 1, 6])
        #expect(try RecordAccess(count: 300).encoded() == [5, 0, 0x2C, 1])
        #expect(try RecordAccess(decoding: [5, 0, 0x2C, 1]).recordCount == 300)
        #expect(try RecordAccess(decoding: [6, 0, 1, 9]).outcome?.outcome.description == "operand not supported")
        for selection: RecordAccess.Selection in [
            .all, .first, .last, .upTo(maximum: 3), .from(minimum: 9), .range(1, 2),
        ] {
            #expect(try RecordAccess(decoding: RecordAccess(.report, selection).encoded()).selection == selection)
        }
        // A filter of another type, a range the wrong way round, operands that are missing or too many.
        for octets: [UInt8] in [[1, 3, 2, 0, 0], [1, 4, 1, 2, 0, 1, 0], [1, 3, 1], [1, 1, 0], [1, 9], [1, 0]] {
            #expect(try RecordAccess(decoding: octets).selection == nil)
        }
        #expect(throws: WireError.self) { try RecordAccess(decoding: [1]) }
        #expect(RecordAccess.Selection.range(2, 3).records(of: [1, 2, 3, 4]) { $0 } == [2, 3])
        #expect(RecordAccess.Selection.last.records(of: [1, 2, 3]) { $0 } == [3])
    }
}
