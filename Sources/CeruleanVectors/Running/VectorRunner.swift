// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
public import CeruleanWire
import Foundation

/// Runs the cases of vector files and counts what became of them.
///
/// What is not understood is a failed case, never a skipped one: an unreadable file, an unknown member, kind or
/// operation.
public struct VectorRunner: Sendable {
    /// The suites, asked in order for one that knows a case's kind.
    public let suites: [any VectorSuite]
    /// Leaves out cases that have a `needs` member.
    public let withoutNeeds: Bool

    /// A runner with the given suites.
    public init(suites: [any VectorSuite] = VectorRunner.standardSuites, withoutNeeds: Bool = false) {
        self.suites = suites
        self.withoutNeeds = withoutNeeds
    }

    /// Runs all cases of one file.
    public func run(file path: String) async -> [CaseResult] {
        let name = URL(fileURLWithPath: path).lastPathComponent
        func failure(_ reason: String) -> [CaseResult] {
            [CaseResult(kind: "file", id: name, outcome: .failed(CaseFailure(reason)))]
        }
        guard let data = FileManager.default.contents(atPath: path) else { return failure("cannot be read") }
        do {
            return await run(document: try JSONText.parse(utf8: [UInt8](data)), named: name)
        } catch {
            return failure("no JSON: \(error)")
        }
    }

    /// Runs all cases of a file already parsed.
    public func run(document: FieldValue, named name: String) async -> [CaseResult] {
        guard case .object(let members) = document else {
            return [CaseResult(kind: "file", id: name, outcome: .failed(CaseFailure("no object")))]
        }
        var results: [CaseResult] = []
        var count = 0
        var seen: Set<String> = []
        let shared = FieldValue.object(members.filter { Self.sharedMembers.contains($0.name) })
        for member in members where !Self.readerOnly.contains(member.name) && !Self.sharedMembers.contains(member.name)
        {
            guard case .list(let cases) = member.value, isSection(member.name) else {
                let reason = CaseFailure("unknown member of the file, or no list of cases")
                results.append(CaseResult(kind: "file", id: "\(name): \(member.name)", outcome: .failed(reason)))
                continue
            }
            for (index, body) in cases.enumerated() {
                count += 1
                var result = await run(body, section: member.name, index: index, shared: shared)
                if let id = Self.id(of: body), !seen.insert(id).inserted {
                    result.outcome = .failed(CaseFailure("another case of the file has this id"))
                }
                results.append(result)
            }
        }
        if count == 0 && results.isEmpty {
            results.append(CaseResult(kind: "file", id: name, outcome: .failed(CaseFailure("no case in the file"))))
        }
        return results
    }

    /// Members of a file that are for people and never compared.
    static let readerOnly: Set<String> = [
        "title", "description", "provenance", "generated_from", "method", "conventions", "format", "topic", "set",
        "verification", "tolerance", "notes", "how_to_read", "byte_order", "definitions", "meta",
    ]

    /// Members of a file that its cases refer to.
    static let sharedMembers: Set<String> = ["databases"]

    // MARK: - Private

    private func isSection(_ name: String) -> Bool {
        Self.plainSections.contains(name) || suites.contains { $0.sections.contains(name) }
    }

    private static let plainSections: Set<String> = ["cases", "vectors"]

    private static func text(_ name: String, of body: FieldValue) -> String? {
        guard case .text(let text)? = body[name] else { return nil }
        return text
    }

    private static func id(of body: FieldValue) -> String? { text("id", of: body) ?? text("name", of: body) }

    /// A section with a name of its own belongs to the suite that knows it; elsewhere the kind decides.
    private func suite(for kind: String, in section: String) -> (any VectorSuite)? {
        if Self.plainSections.contains(section) { return suites.first { $0.kinds.contains(kind) } }
        return suites.first { $0.sections.contains(section) && $0.sections.contains(kind) }
    }

    private func run(_ body: FieldValue, section: String, index: Int, shared: FieldValue) async -> CaseResult {
        func text(_ name: String) -> String? { Self.text(name, of: body) }
        let isPlain = Self.plainSections.contains(section)
        let kind = text("kind") ?? (isPlain ? text("function") ?? text("role") : section) ?? "unknown"
        let id = Self.id(of: body) ?? "\(section)[\(index)]"
        var isInformative = false
        if let flag = body["informative"] {
            guard case .bool(let value) = flag else {
                return CaseResult(kind: kind, id: id, outcome: .failed(CaseFailure("informative: no true or false")))
            }
            isInformative = value
        }
        if withoutNeeds, body["needs"] != nil { return CaseResult(kind: kind, id: id, outcome: .leftOut) }
        var failure: CaseFailure?
        if let suite = suite(for: kind, in: section) {
            do {
                try await suite.run(VectorCase(kind: kind, id: id, body: body, shared: shared))
            } catch {
                failure = error
            }
        } else {
            failure = CaseFailure("unknown kind")
        }
        if isInformative { return CaseResult(kind: kind, id: id, outcome: .informative(failure)) }
        return CaseResult(kind: kind, id: id, outcome: failure.map { .failed($0) } ?? .passed)
    }
}

extension VectorRunner {
    /// All suites that are built in.
    public static let standardSuites: [any VectorSuite] = [
        ATTExchangeSuite(),
        BITalinoCodecCases(), BITalinoStreams(), BITalinoDeviceCases(), SMPCryptoSuite(),
        BlueSTNotificationCases(), BlueSTExchangeCases(), BeaconSuite(), ProfileSuite(), RedBearCases(),
        SensorTagCases(),
    ]
}
