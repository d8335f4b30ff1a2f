// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanBlueST
import CeruleanHost
import CeruleanWire

/// `notify --feature`: samples of a BlueST board.
struct FeatureNotification: Sendable {
    private let names: [String]
    private let count: Int?
    private let seconds: Duration?
    private let isJSON: Bool
    private let console: Console

    /// Reads the options.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage``.
    init(_ invocation: Invocation, _ console: Console) throws(CommandError) {
        guard invocation.positional(0) == nil else {
            throw .usage("notify takes an ATTRIBUTE or --feature, not both")
        }
        names = (invocation.value("feature") ?? "").split(separator: ",").map { String($0.filter { $0 != " " }) }
        guard !names.isEmpty else { throw .usage("--feature names no feature") }
        let known = FeatureRegistry()
        for name in names where known.feature(id: name) == nil {
            throw .usage(
                "'\(name)' is no feature; known are \(known.allFeatures.map(\.id).joined(separator: ", "))")
        }
        count = try invocation.integer("count", 1...Int.max)
        seconds = try invocation.seconds("seconds")
        isJSON = invocation.has("json")
        self.console = console
    }

    func run(_ invocation: Invocation) async throws -> ExitCode {
        try await Session.onBoard(invocation) { session, node in
            var features: [Feature] = []
            for name in names { features.append(try node.feature(id: name).feature) }
            let samples = try await node.samples(of: features, timeout: session.timeout)
            let clock = session.central.host.loop
            let deadline = seconds.map { clock.now + $0 }
            return try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    var seen = 0
                    for try await sample in samples {
                        try print(sample, of: node, session)
                        seen += 1
                        if let count, seen >= count { break }
                    }
                    return true
                }
                if let deadline {
                    group.addTask {
                        try await clock.sleep(until: deadline)
                        return true
                    }
                }
                defer { group.cancelAll() }
                _ = try await group.next()
                try Task.checkCancellation()
                if samples.droppedCount > 0 { console.talk("\(samples.droppedCount) samples lost: output is too slow") }
                return .ok
            }
        }
    }

    private func print(_ sample: FeatureSample, of node: Node, _ session: Session) throws(CommandError) {
        guard isJSON else { return try console.line("\(sample)" + lossText(sample)) }
        var members: [FieldValue.Member] = [.init("time", .text(session.clock.text(sample.time)))]
        if let address = node.peripheral?.address { members.append(.init("address", .text(address.description))) }
        members.append(.init("name", .text(node.name)))
        if let found = try? node.feature(sample.feature) {
            members.append(.init("uuid", .text(found.characteristic.description)))
        }
        members.append(.init("feature", .text(sample.feature.id)))
        if let timestamp = sample.timestamp { members.append(.init("timestamp", FieldValue(integer: timestamp))) }
        members.append(.init("lost", FieldValue(integer: sample.lostBefore)))
        members.append(.init("value", .bytes(Array(sample.raw))))
        members.append(.init("decoded", .object(sample.members)))
        try console.json(.object(members))
    }

    private func lossText(_ sample: FeatureSample) -> String {
        sample.lostBefore > 0 ? "  (\(sample.lostBefore) lost before)" : ""
    }
}

extension PositionalSpecification {
    /// An attribute, where something else may be named instead.
    static var optionalAttribute: Self {
        var attribute = attribute
        attribute.isOptional = true
        return attribute
    }
}
