// SPDX-License-Identifier: Apache-2.0

import CeruleanBITalino
import CeruleanRecording
import CeruleanWire
import Foundation

/// The kinds of bitalino.json about streams of octets: whole, cut and damaged.
public struct BITalinoStreams: VectorSuite {
    /// Creates the suite.
    public init() {}

    /// The kinds.
    public var kinds: Set<String> { ["stream", "longstream", "fragmentation"] }

    /// Runs one case.
    public func run(_ test: VectorCase) async throws(CaseFailure) {
        var members = try test.members()
        switch test.kind {
        case "fragmentation": try Self.fragmentation(&members)
        case "stream": try Self.stream(try members.hex("streamHex"), &members)
        default:
            guard let bytes = Data(base64Encoded: try members.text("streamBase64")) else {
                throw CaseFailure("streamBase64: no base64")
            }
            try Self.stream([UInt8](bytes), &members)
        }
        try members.finish()
    }

    /// The first inputs, as many as `channels` says.
    ///
    /// - Parameter tellsSize: `frameBytes` must stand beside and be their frame's size.
    static func inputs(
        _ members: inout CaseObject, tellsSize: Bool = true
    ) throws(CaseFailure) -> BITalino.InputSet {
        let count = try members.integer("channels")
        guard (1...6).contains(count) else { throw CaseFailure("channels: \(count) is not 1 to 6") }
        if tellsSize {
            let expected = try members.integer("frameBytes")
            let size = BITalino.FrameCodec.size(inputs: count)
            guard expected == size else { throw CaseFailure("frameBytes: expected \(expected), got \(size)") }
        }
        return BITalino.InputSet(BITalino.Input.allCases.prefix(count))
    }

    // MARK: - Private

    private typealias Row = [Int]

    private static func stream(_ bytes: [UInt8], _ members: inout CaseObject) throws(CaseFailure) {
        let inputs = try inputs(&members)
        var expected = try members.object("expect")
        // What other programs make of the stream, and what happened to it, is for readers.
        for name in expected.names
        where ["slide", "aligned", "truth"].contains(name) || name.hasPrefix("officialPython") {
            _ = expected.optional(name)
        }
        var confirm = try expected.object("confirm")
        try expected.finish()
        for name in ["falseFrames", "intactMissed"] { _ = confirm.optional(name) }
        // Octet by octet and all at once must come to the same.
        let rows = rows(of: [bytes], inputs: inputs)
        guard Self.rows(of: bytes.map { [$0] }, inputs: inputs) == rows else {
            throw CaseFailure("the result depends on how the stream is cut")
        }
        try compare(rows, with: &confirm)
        // Long streams do not list their rows: the digest decides.
        if let wanted = confirm.optional("rows") {
            try Expectation.compare(
                .list(rows.map { .list($0.map { FieldValue(integer: $0) }) }), with: wanted, at: "expect.confirm.rows")
        }
        try confirm.finish()
    }

    private static func fragmentation(_ members: inout CaseObject) throws(CaseFailure) {
        let inputs = try inputs(&members, tellsSize: false)
        var chunks: [[UInt8]] = []
        for text in try members.texts("notifications") {
            do {
                chunks.append(try Hex.decode(text))
            } catch {
                throw CaseFailure("notifications: \(error)")
            }
        }
        let rows = rows(of: chunks, inputs: inputs)
        var expected = try members.object("expect")
        try compare(rows, with: &expected)
        for (name, row) in [("first", rows.first), ("last", rows.last)] {
            let wanted = try expected.required(name)
            try Expectation.compare(
                .list((row ?? []).map { FieldValue(integer: $0) }), with: wanted, at: "expect.\(name)")
        }
        try expected.finish()
    }

    private static func compare(_ rows: [Row], with expected: inout CaseObject) throws(CaseFailure) {
        let count = try expected.integer("count")
        guard rows.count == count else {
            throw CaseFailure("\(expected.path).count: expected \(count), got \(rows.count)")
        }
        let digest = try expected.text("sha256")
        var text: [UInt8] = []
        for row in rows { text += Array((row.map(String.init).joined(separator: ",") + "\n").utf8) }
        let actual = Hex.encode(try SHA256.digest(of: text))
        guard actual == digest else { throw CaseFailure("\(expected.path).sha256: expected \(digest), got \(actual)") }
    }

    private static func rows(of chunks: [[UInt8]], inputs: BITalino.InputSet) -> [Row] {
        var receiver = BITalino.FrameReceiver(inputs: inputs)
        var rows: [Row] = []
        for chunk in chunks {
            receiver.receive(chunk) { frame, _ in
                rows.append(
                    [Int(frame.sequence)] + (0..<4).map { frame.line($0) }
                        + (0..<inputs.count).map { Int(frame.analog[$0]) })
            }
        }
        return rows
    }
}
