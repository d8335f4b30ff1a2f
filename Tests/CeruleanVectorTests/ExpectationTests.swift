// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanVectors
import CeruleanWire
import Foundation
import Testing

@Suite struct ExpectationTests {
    @Test(arguments: [("profiles.json", 116), ("bluest.json", 150), ("smp-crypto.json", 47)])
    func allCasesPass(name: String, count: Int) async throws {
        var report = VectorReport()
        report.add(await VectorRunner().run(file: Vectors.directory.appendingPathComponent(name).path))
        #expect(report.lines.last == "\(count) passed, 0 failed", "\(report.lines)")
    }

    /// Whatever a case expects is compared: changed, removed or added to, or without any expectation, the case fails.
    @Test(arguments: [("profiles.json", "expect"), ("bluest.json", "expected"), ("smp-crypto.json", "output")])
    func everyChangedExpectationFails(name: String, expecting: String) async throws {
        let file = try Vectors.load(name)
        guard case .object(let members) = file else {
            Issue.record("no object")
            return
        }
        var count = 0
        for section in members where section.name == "cases" || section.name == "vectors" {
            guard case .list(let cases) = section.value else { continue }
            for body in cases where body["informative"] == nil {
                for copy in Self.copies(of: body, expecting) {
                    count += 1
                    let document = FieldValue.object([.init(section.name, .list([copy]))])
                    let outcome = await VectorRunner().run(document: document, named: "one").first?.outcome
                    guard case .failed = outcome else {
                        Issue.record("passed with \(JSONText.encode(copy))")
                        continue
                    }
                }
            }
        }
        #expect(count > 250)
    }

    @Test(arguments: ["cases", "vectors"])
    func anIdThatStandsTwiceFails(section: String) async {
        let body: FieldValue = [
            "id": "a", "kind": "decode", "format": "sfloat", "hex": "7200", "expect": ["value": 114],
        ]
        let results = await VectorRunner().run(document: .object([.init(section, [body, body])]), named: "two")
        #expect(results.map(\.outcome).first == .passed)
        #expect(results.count { if case .failed = $0.outcome { true } else { false } } == 1)
    }

    @Test(arguments: [
        #"{"kind":"decode","hex":"7200","expect":{"value":114}}"#,
        #"{"kind":"decode","format":"half","hex":"7200","expect":{"value":114}}"#,
        #"{"kind":"decode","format":"sfloat","characteristic":"2A19","hex":"7200","expect":{"value":114}}"#,
        #"{"kind":"decode","characteristic":"2A19","options":{"signalCount":4},"hex":"64","expect":{"value":100}}"#,
        #"{"kind":"decode","characteristic":"2A56","options":{"signals":4},"hex":"64","expect":{"signals":[]}}"#,
        #"{"kind":"decode","characteristic":"1234","hex":"64","expect":{"value":100}}"#,
        #"{"kind":"decode","characteristic":"2A19","hex":"6","expect":{"value":100}}"#,
        #"{"kind":"decode","characteristic":"2A19","hex":"64","expect":{"value":100},"tol":"1"}"#,
        #"{"kind":"csc.derive","hex":"00","previousHex":"00","options":{},"expect":{}}"#,
        #"{"kind":"csc.derive","hex":"00","previousHex":"00","options":{"wheelCircumference":0},"expect":{}}"#,
        #"{"kind":"csc.derive","hex":"00","previousHex":"01","options":{"wheelCircumference":2},"expect":{}}"#,
    ])
    func whatAValueCaseLacksFailsIt(text: String) async throws {
        let body = try JSONText.parse(utf8: Array(text.utf8))
        guard case .failed = await Vectors.outcome(of: body) else {
            Issue.record("passed")
            return
        }
    }

    private static func copies(of body: FieldValue, _ expecting: String) -> [FieldValue] {
        guard case .object(let members) = body,
            let index = members.firstIndex(where: { $0.name == expecting })
        else { return [] }
        let variants = Variants.of(members[index].value)
        var copies = [members + [.init("surprise", 1)]]
        // Long lists of numbers are sampled.
        for at in stride(from: 0, to: variants.count, by: max(1, variants.count / 60)) {
            copies.append(members)
            copies[copies.count - 1][index].value = variants[at]
        }
        copies.append(members)
        copies[copies.count - 1].remove(at: index)
        return copies.map { .object($0) }
    }
}

/// Values in each of which one thing is not what it was.
enum Variants {
    /// Members of expectations that are for readers.
    private static let ignored: Set<String> = ["sdkExtended", "meaning"]

    static func of(_ value: FieldValue) -> [FieldValue] {
        switch value {
        case .integer(let number): return [.integer(number + 1), .text("\(number)"), .null]
        case .number(let number): return [.number(number + max(1, abs(number)) * 1e-3), .null]
        case .bool(let flag): return [.bool(!flag), .integer(flag ? 1 : 0)]
        case .text(let text): return [.text(text + "0"), .text(changed(text)), 1]
        case .null: return [0, "null"]
        case .bytes: return []
        case .list(let list):
            var copies: [FieldValue] = [.list(list + [7]), .object([])]
            for index in list.indices {
                for inner in of(list[index]) {
                    var copy = list
                    copy[index] = inner
                    copies.append(.list(copy))
                }
            }
            return copies
        case .object(let members):
            var copies: [FieldValue] = [.object(members + [.init("surplus", 1)])]
            for index in members.indices where !ignored.contains(members[index].name) {
                var shorter = members
                shorter.remove(at: index)
                copies.append(.object(shorter))
                for inner in of(members[index].value) {
                    var copy = members
                    copy[index].value = inner
                    copies.append(.object(copy))
                }
            }
            return copies
        }
    }

    /// Another digit at the end, so that hexadecimal stays hexadecimal.
    private static func changed(_ text: String) -> String {
        guard let last = text.last else { return "00" }
        return text.dropLast() + (last == "1" ? "2" : "1")
    }
}
