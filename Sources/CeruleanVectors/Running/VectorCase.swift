// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// One test case of a vector file.
public struct VectorCase: Sendable {
    /// What is tested; decides which suite runs the case.
    public let kind: String
    /// Names the case in its file.
    public let id: String
    /// All members of the case.
    public let body: FieldValue
    /// What stands beside the cases in the file, by name: databases that cases share.
    public let shared: FieldValue

    /// A case with what its file shares.
    public init(kind: String, id: String, body: FieldValue, shared: FieldValue = .object([])) {
        self.kind = kind
        self.id = id
        self.body = body
        self.shared = shared
    }

    /// The members that matter to a suite: all but those for readers and those that the runner itself uses.
    ///
    /// - Throws: ``CaseFailure`` if the case is no object.
    public func members() throws(CaseFailure) -> CaseObject {
        var object = try CaseObject(body, at: "")
        for name in Self.readerOnly { _ = object.optional(name) }
        for name in ["id", "kind", "informative", "needs"] { _ = object.optional(name) }
        return object
    }

    /// Members of a case that are for people and never compared.
    static let readerOnly: [String] = [
        "title", "description", "name", "note", "notes", "why", "oracle", "source", "agree", "peer_notes", "suite_name",
        "extraction", "answered_this_way_by", "mutations", "streamBytes", "cppApiAccepts", "pythonApiResult",
    ]
}

/// Runs all cases of some kinds.
public protocol VectorSuite: Sendable {
    /// The kinds that this suite knows.
    var kinds: Set<String> { get }
    /// Kinds that are the names of sections of a file, each a list of cases.
    var sections: Set<String> { get }
    /// Runs one case and compares everything it expects.
    ///
    /// - Throws: ``CaseFailure`` at the first difference, and at anything in the case that the suite does not know.
    func run(_ test: VectorCase) async throws(CaseFailure)
}

extension VectorSuite {
    /// None.
    public var sections: Set<String> { [] }
}

/// Why a case failed.
public struct CaseFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What differs and where, for people.
    public var reason: String

    /// A failure with its reason.
    public init(_ reason: String) { self.reason = reason }

    /// The reason.
    public var description: String { reason }
}

/// What became of one case.
public struct CaseResult: Hashable, Sendable {
    /// How it ended.
    public enum Outcome: Hashable, Sendable {
        /// Everything expected was found.
        case passed
        /// Something differs.
        case failed(CaseFailure)
        /// A case for information: run and shown, counted nowhere; nil if it passed.
        case informative(CaseFailure?)
        /// Left out because it needs what was not asked for.
        case leftOut
    }

    /// The kind of the case.
    public var kind: String
    /// Its name in the file.
    public var id: String
    /// How it ended.
    public var outcome: Outcome

    /// Describes a result.
    public init(kind: String, id: String, outcome: Outcome) {
        self.kind = kind
        self.id = id
        self.outcome = outcome
    }
}
