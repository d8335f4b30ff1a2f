// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The rows of the security list: each has a test that is named by it, or a line in SECURITY.md that says why it needs none.
@Suite struct RowIndexTests {
    /// Letters and how many rows they have.
    private static let rows: [String] = [
        ("H", 20), ("L", 15), ("A", 22), ("D", 6), ("S", 22), ("R", 6),
    ].flatMap { letter, count in (1...count).map { "\(letter)\($0)" } }

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Names of tests are `l7_…`, or `l6_l7_…` where one test is about several rows.
    private static func tested() throws -> Set<String> {
        let folder = root.appending(path: "Tests")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /func ((?:[hladsr][0-9]+_)+)/) {
                for row in match.output.1.split(separator: "_") { found.insert(row.uppercased()) }
            }
        }
        return found
    }

    @Test func everyRowHasATestOrAReason() throws {
        let tested = try Self.tested()
        let reasons = try String(contentsOf: Self.root.appending(path: "SECURITY.md"), encoding: .utf8)
        let section = try #require(reasons.components(separatedBy: "## Rows that do not apply").last)
        let explained = Set(section.matches(of: /- ([HLADSR][0-9]+)/).map { String($0.output.1) })
        for row in Self.rows { #expect(tested.contains(row) || explained.contains(row), "nothing about \(row)") }
        // Nor is there a test of a row that the list does not have, or an excuse for one that is tested.
        #expect(tested.isSubset(of: Self.rows))
        #expect(explained.isDisjoint(with: tested) && explained.isSubset(of: Self.rows))
        #expect(tested.count > 80)
    }
}
