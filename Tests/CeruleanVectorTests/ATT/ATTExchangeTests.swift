// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanVectors
import CeruleanWire
import Foundation
import Testing

@Suite struct ATTExchangeTests {
    private static func document() throws -> FieldValue {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Vectors/att-exchanges.json")
        return try JSONText.parse(utf8: [UInt8](try Data(contentsOf: file)))
    }

    private let runner = VectorRunner(suites: [ATTExchangeSuite()], withoutNeeds: true)

    @Test func allExchangesThatNeedNoSecurityPass() async throws {
        let results = await runner.run(document: try Self.document(), named: "att-exchanges.json")
        #expect(results.count { $0.outcome == .passed } == 53)
        #expect(results.count { $0.outcome == .leftOut } == 2)
        #expect(results.count == 55)
    }

    @Test func exchangesThatNeedSecurityPassToo() async throws {
        let runner = VectorRunner(suites: [ATTExchangeSuite()])
        let results = await runner.run(document: try Self.document(), named: "att-exchanges.json")
        #expect(results.filter { $0.outcome != .passed }.map(\.id).isEmpty)
        #expect(results.count == 55)
    }

    /// Each octet that our side must send is changed in turn, and each expectation: every changed case must fail.
    @Test func everyWrongExpectationFails() async throws {
        let document = try Self.document()
        guard case .list(let cases)? = document["cases"] else { throw CaseFailure("no cases") }
        var changed: [FieldValue] = []
        for body in cases where body["needs"] == nil {
            for part in ["preamble", "exchange"] { changed += Self.changedPDUs(of: body, part) }
            if let expect = body["expect"], case .object(let members) = expect {
                for member in members where member.name != "meaning" {
                    changed.append(
                        body.replacing("expect", with: expect.replacing(member.name, with: member.value.wrong)))
                    changed.append(body.replacing("expect", with: expect.replacing(member.name, with: [:])))
                    changed.append(body.replacing("expect", with: expect.removing(member.name)))
                }
                changed.append(body.removing("expect"))
                changed.append(body.replacing("expect", with: expect.replacing("surplus", with: 1)))
            }
            changed.append(body.replacing("surplus", with: true))
            if let action = body["action"] {
                changed.append(body.replacing("action", with: action.replacing("op", with: "unknown")))
                changed.append(body.replacing("action", with: action.replacing("surplus", with: 1)))
            }
        }
        #expect(changed.count > 1000)
        // Ids of their own, since one that stands twice is a failure by itself.
        let numbered = changed.enumerated().map { number, body in
            guard case .text(let id)? = body["id"] else { return body }
            return body.replacing("id", with: .text("\(number)-\(id)"))
        }
        let results = await runner.run(document: document.replacing("cases", with: .list(numbered)), named: "changed")
        #expect(results.count == changed.count)
        for (result, body) in zip(results, changed) where result.outcome == .passed {
            Issue.record("\(result.id) passes with \(JSONText.encode(body))")
        }
    }

    private static func changedPDUs(of body: FieldValue, _ part: String) -> [FieldValue] {
        guard case .list(let entries)? = body[part] else { return [] }
        var changed: [FieldValue] = []
        for (index, entry) in entries.enumerated() {
            guard case .list(let pair) = entry, pair[0] == "iut", case .text(let hex) = pair[1],
                let octets = try? Hex.decode(hex)
            else { continue }
            for position in Set([0, octets.count / 2, octets.count - 1]) {
                var wrong = octets
                wrong[position] ^= 1
                var list = entries
                list[index] = ["iut", .text(Hex.encode(wrong))]
                changed.append(body.replacing(part, with: .list(list)))
            }
            var list = entries
            list[index] = ["iut", .text(hex + "00")]
            changed.append(body.replacing(part, with: .list(list)))
        }
        if part == "exchange" { changed.append(body.replacing(part, with: .list(entries + [["iut", "13"]]))) }
        return changed
    }
}

extension FieldValue {
    fileprivate func replacing(_ name: String, with value: FieldValue) -> FieldValue {
        guard case .object(var members) = self else { return self }
        if let index = members.firstIndex(where: { $0.name == name }) {
            members[index].value = value
        } else {
            members.append(Member(name, value))
        }
        return .object(members)
    }

    fileprivate func removing(_ name: String) -> FieldValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.name != name })
    }

    /// A value of the same type that is another one.
    fileprivate var wrong: FieldValue {
        switch self {
        case .bool(let flag): .bool(!flag)
        case .integer(let number): .integer(number + 1)
        case .text(let hex): .text(hex + "00")
        default: .null
        }
    }
}
