// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanVectors
import CeruleanWire
import Foundation
import Testing

enum Vectors {
    static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Vectors")

    static func load(_ name: String) throws -> FieldValue {
        try JSONText.parse(utf8: [UInt8](Data(contentsOf: directory.appendingPathComponent(name))))
    }

    static func cases(of file: FieldValue) -> [FieldValue] {
        if case .list(let cases)? = file["cases"] { cases } else { [] }
    }

    static func outcome(of body: FieldValue) async -> CaseResult.Outcome {
        let results = await VectorRunner().run(document: ["cases": .list([body])], named: "one")
        return results.first?.outcome ?? .leftOut
    }
}

@Suite struct VectorFileTests {
    @Test func allCasesOfBITalinoPass() async throws {
        var report = VectorReport()
        report.add(await VectorRunner().run(file: Vectors.directory.appendingPathComponent("bitalino.json").path))
        #expect(report.passed == 151)
        #expect(report.failed == 0)
        #expect(report.informative == 4)
        #expect(report.lines.last == "151 passed, 0 failed")
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"cases":[]}"#, #"{"cases":{}}"#, #"{"cases":[1]}"#, #"{"cases":[{"id":"a"}]}"#,
        #"{"cases":[{"id":"a","kind":"nonsense"}]}"#, #"{"surprise":1}"#, #"{"surprise":[{"id":"a"}]}"#,
        #"{"cases":[{"id":"a","kind":"loss","informative":"yes"}]}"#,
    ])
    func whatIsNotUnderstoodIsAFailedCase(text: String) async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("vectors-\(UUID().uuidString).json")
        try text.write(to: url, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: url) }
        var report = VectorReport()
        report.add(await VectorRunner().run(file: url.path))
        #expect(report.passed == 0)
        #expect(report.failed == 1)
    }

    @Test func aMissingFileIsAFailedCase() async {
        var report = VectorReport()
        report.add(await VectorRunner().run(file: "/nonexistent/file.json"))
        #expect(report.failed == 1)
    }

    @Test func casesWithNeedsAreLeftOutIfAsked() async {
        let file: FieldValue = ["cases": [["id": "a", "kind": "nonsense", "needs": "much"]]]
        var report = VectorReport()
        report.add(await VectorRunner(withoutNeeds: true).run(document: file, named: "x"))
        #expect(report.leftOut == 1)
        #expect(report.failed == 0)
    }
}

@Suite struct MutationTests {
    /// Every value that a case expects is compared: changed, removed or added to, the case fails.
    @Test func everyChangedExpectationFails() async throws {
        var count = 0
        for body in Vectors.cases(of: try Vectors.load("bitalino.json")) where body["informative"] == nil {
            let changes = Mutation.changes(of: body)
            // Long tables of rows are sampled.
            for change in stride(from: 0, to: changes.count, by: max(1, changes.count / 40)).map({ changes[$0] }) {
                count += 1
                guard case .failed = await Vectors.outcome(of: change.body) else {
                    Issue.record("\(JSONText.encode(body["id"] ?? nil)): \(change.path) was not compared")
                    continue
                }
            }
        }
        #expect(count > 2000)
    }
}

/// Copies of a case in each of which one expected value is wrong.
enum Mutation {
    private static let ignored: Set<String> = [
        "slide", "aligned", "truth", "officialPythonFramesBeforeError", "falseFrames", "intactMissed",
    ]
    /// Members of a case that hold what is expected, beside `expect`.
    private static let expecting: Set<String> = [
        "expect", "expectBytes", "expectState", "frames", "points", "unit", "frameBytes",
    ]

    static func changes(of body: FieldValue) -> [(path: String, body: FieldValue)] {
        guard case .object(let members) = body else { return [] }
        var all: [(String, FieldValue)] = []
        for (index, member) in members.enumerated() {
            let inner: [(String, FieldValue)]
            if expecting.contains(member.name) {
                inner = variants(of: member.value, path: member.name)
            } else if member.name == "steps", case .list(let steps) = member.value {
                inner = steps.indices.flatMap { step in
                    changes(of: steps[step]).map { change in
                        var copy = steps
                        copy[step] = change.body
                        return ("steps[\(step)].\(change.path)", .list(copy))
                    }
                }
            } else {
                inner = []
            }
            for (path, value) in inner {
                var copy = members
                copy[index].value = value
                all.append((path, .object(copy)))
            }
        }
        return all
    }

    private static func variants(of value: FieldValue, path: String) -> [(String, FieldValue)] {
        switch value {
        case .integer(let number): [(path, .integer(number + 1)), (path + " as text", .text("\(number)"))]
        case .number(let number): [(path, .number(number + max(1, abs(number)) * 1e-3)), (path + " as null", .null)]
        case .bool(let flag): [(path, .bool(!flag)), (path + " as number", .integer(flag ? 1 : 0))]
        case .text(let text): [(path, .text(changed(text))), (path + " as number", .integer(1))]
        case .null, .bytes: []
        case .list(let list):
            list.indices.flatMap { index in
                variants(of: list[index], path: "\(path)[\(index)]").map { inner in
                    var copy = list
                    copy[index] = inner.1
                    return (inner.0, FieldValue.list(copy))
                }
            } + (path == "points" || path == "frames" ? [] : [(path + " longer", .list(list + [7]))])
        case .object(let members):
            members.indices.filter { !ignored.contains(members[$0].name) }.flatMap { index in
                variants(of: members[index].value, path: "\(path).\(members[index].name)").map { inner in
                    var copy = members
                    copy[index].value = inner.1
                    return (inner.0, FieldValue.object(copy))
                }
            } + [(path + " surplus", .object(members + [.init("surplus", 1)]))]
        }
    }

    /// Another digit at the end, so that hexadecimal stays hexadecimal.
    private static func changed(_ text: String) -> String {
        guard let last = text.last else { return "00" }
        return text.dropLast() + (last == "1" ? "2" : "1")
    }
}
