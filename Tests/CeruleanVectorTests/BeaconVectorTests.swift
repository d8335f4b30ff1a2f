// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanVectors
import CeruleanWire
import Foundation
import Testing

@Suite struct BeaconVectorTests {
    /// Where a case of each section says what is expected.
    private static let expecting: [(section: String, members: [String])] = [
        ("decode", ["expect"]), ("url_encode", ["service_data"]), ("eid", ["eid"]), ("region_match", ["match"]),
        ("distance", ["radius2013", "nexus5", "log_n2", "proximity"]), ("monitor", ["events"]),
    ]

    private static func outcome(_ section: String, _ body: FieldValue) async -> CaseResult.Outcome? {
        await VectorRunner().run(document: .object([.init(section, .list([body]))]), named: "one").first?.outcome
    }

    @Test func allCasesPass() async throws {
        var report = VectorReport()
        report.add(await VectorRunner().run(file: Vectors.directory.appendingPathComponent("beacons.json").path))
        #expect(report.lines.last == "82 passed, 0 failed", "\(report.lines)")
    }

    @Test(arguments: expecting.map(\.section))
    func everyChangedOrUnknownMemberFails(section: String) async throws {
        let file = try Vectors.load("beacons.json")
        guard case .list(let cases)? = file[section] else {
            Issue.record("no section \(section)")
            return
        }
        let expecting = Self.expecting.first { $0.section == section }?.members ?? []
        for body in cases {
            guard case .object(let members) = body else { continue }
            for copy in Self.mutations(of: members, expecting) {
                guard case .failed = await Self.outcome(section, .object(copy)) else {
                    Issue.record("\(section): passed with \(JSONText.encode(.object(copy)))")
                    continue
                }
            }
        }
    }

    private static func mutations(
        of members: [FieldValue.Member], _ expecting: [String]
    ) -> [[FieldValue.Member]] {
        var copies = [members + [.init("surprise", 1)]]
        for index in members.indices {
            guard expecting.contains(members[index].name) else { continue }
            for value in Variants.of(members[index].value) {
                var copy = members
                copy[index].value = value
                copies.append(copy)
            }
            var copy = members
            copy.remove(at: index)
            copies.append(copy)
        }
        return copies
    }
}
