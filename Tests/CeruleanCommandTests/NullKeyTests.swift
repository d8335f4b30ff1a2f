// SPDX-License-Identifier: Apache-2.0

import CeruleanWire
import Testing

@testable import CeruleanCommand

/// Keys without a value in JSON.
@Suite struct NullKeyTests {
    private static func hasNull(_ value: FieldValue) -> Bool {
        switch value {
        case .object(let members): members.contains { $0.value == .null || hasNull($0.value) }
        case .list(let values): values.contains(where: hasNull)
        default: false
        }
    }

    @Test(arguments: [
        ["scan", "--timeout", "3", "--json", "--history", "3"],
        ["notify", "2A37", "--service", "180D", "--count", "2", "--json"], ["info", "--name", "boxpro", "--json"],
        ["notify", "--feature", "sensorFusion", "--count", "2", "--json"], ["profiles", "--json"],
        ["devices", "--json"],
    ])
    func areLeftOut(arguments: [String]) async throws {
        let outcome = try await RoomVerbTests.run(arguments, in: .demonstration())
        #expect(outcome.code == .ok && !outcome.test.objects.isEmpty)
        #expect(!outcome.test.objects.contains(where: Self.hasNull), "\(outcome.test.out)")
    }

    @Test func areLeftOutAtAnyDepthAndElementsOfListsStay() {
        let value: FieldValue = ["a": .null, "b": [["c": .null, "d": 1], .null], "e": ["f": .null]]
        #expect(value.withoutEmptyKeys == ["b": [["d": 1], .null], "e": .object([])])
    }
}
