// SPDX-License-Identifier: Apache-2.0

/// Counts results and puts them into words.
public struct VectorReport: Sendable {
    private struct Count: Sendable {
        var passed = 0
        var failed = 0
    }

    private var kinds: [(name: String, count: Count)] = []
    /// Cases where everything expected was found.
    public private(set) var passed = 0
    /// Cases where something differs.
    public private(set) var failed = 0
    /// Cases for information, counted nowhere else.
    public private(set) var informative = 0
    /// Cases left out.
    public private(set) var leftOut = 0
    private var details: [String] = []

    /// A report without results.
    public init() {}

    /// Adds the results of a file.
    public mutating func add(_ results: [CaseResult]) {
        for result in results { add(result) }
    }

    /// A line for each kind, each case for information and each failure, then the sums.
    public var lines: [String] {
        var lines = kinds.map { "\($0.name): \($0.count.passed) passed, \($0.count.failed) failed" }
        lines += details
        lines.append("informative: \(informative), left out: \(leftOut)")
        lines.append("\(passed) passed, \(failed) failed")
        return lines
    }

    // MARK: - Private

    private mutating func add(_ result: CaseResult) {
        switch result.outcome {
        case .passed:
            passed += 1
            count(result.kind) { $0.passed += 1 }
        case .failed(let failure):
            failed += 1
            count(result.kind) { $0.failed += 1 }
            details.append("FAILED \(result.id) (\(result.kind)): \(failure)")
        case .informative(let failure):
            informative += 1
            let words = failure.map { "differs: \($0)" } ?? "agrees"
            details.append("informative \(result.id) (\(result.kind)): \(words)")
        case .leftOut: leftOut += 1
        }
    }

    private mutating func count(_ kind: String, _ change: (inout Count) -> Void) {
        let index =
            kinds.firstIndex { $0.name == kind }
            ?? {
                kinds.append((kind, Count()))
                return kinds.count - 1
            }()
        change(&kinds[index].count)
    }
}
