// SPDX-License-Identifier: Apache-2.0

import CeruleanTesting
import Synchronization

/// Something that hostile bytes are thrown at.
public struct FuzzTarget: Sendable {
    /// Collects what did not hold.
    struct Context {
        var mutator: Mutator
        private(set) var failures: [String] = []
        let name: String
        let seed: UInt64
        var input = 0

        mutating func expect(_ condition: Bool, _ what: @autoclosure () -> String) {
            guard !condition, failures.count < 100 else { return }
            failures.append("\(name) seed=\(seed) input=\(input): \(what())")
        }

        /// Notes which input comes now, for a report of a crash.
        mutating func next(_ number: Int) {
            input = number
            CrashReport.input.store(number, ordering: .relaxed)
        }
    }

    private enum Body: Sendable {
        /// Takes one input after the other; they look like the samples.
        case each(samples: [[UInt8]], @Sendable (inout Context, [UInt8]) -> Void)
        /// Makes a number of inputs itself, by what the context's mutator decides.
        case whole(@Sendable (inout Context, Int) -> Void)
    }

    /// What it is called on the command line, and its folder in the corpus.
    public let name: String
    /// Its share of the inputs.
    let weight: Int
    private let body: Body

    init(_ name: String, weight: Int, _ body: @escaping @Sendable (inout Context, Int) -> Void) {
        self.name = name
        self.weight = weight
        self.body = .whole(body)
    }

    private init(_ name: String, weight: Int, _ body: Body) {
        self.name = name
        self.weight = weight
        self.body = body
    }

    /// A target that takes one input after the other.
    static func each(
        _ name: String, weight: Int = 10, _ samples: [[UInt8]],
        _ body: @escaping @Sendable (inout Context, [UInt8]) -> Void
    ) -> FuzzTarget {
        FuzzTarget(name, weight: weight, .each(samples: samples, body))
    }

    /// Inputs that a seed decides.
    func run(seed: UInt64, inputs: Int) -> [String] {
        var context = context(seed: seed, Mutator(seed: seed &* 1_000_003 &+ UInt64(number + 1)))
        switch body {
        case .each(let samples, let body):
            for number in 0..<inputs {
                context.next(number)
                body(&context, context.mutator.input(like: samples))
            }
        case .whole(let body): body(&context, inputs)
        }
        return context.failures
    }

    /// One input that is given, of libFuzzer or of the corpus: it is the input itself, or decides what happens.
    ///
    /// - Returns: What did not hold.
    public func run(data: [UInt8]) -> [String] {
        var context: Context
        switch body {
        case .each(_, let body):
            context = self.context(seed: 0, Mutator(seed: UInt64(data.count)))
            body(&context, data)
        case .whole(let body):
            context = self.context(seed: 0, Mutator(data: data))
            body(&context, min(64, max(1, data.count / 8)))
        }
        return context.failures
    }

    private func context(seed: UInt64, _ mutator: Mutator) -> Context {
        CrashReport.target.store(number, ordering: .relaxed)
        CrashReport.seed.store(seed, ordering: .relaxed)
        return Context(mutator: mutator, name: name, seed: seed)
    }

    private var number: Int { Self.all.firstIndex { $0.name == name } ?? -1 }

    /// All there are.
    public static let all: [FuzzTarget] =
        WireTargets.all + ProfileTargets.all + FileTargets.all + SecurityTargets.all + EngineTargets.all
        + BlueSTTargets.all
}

/// Makes hostile inputs: random ones, and good ones made bad.
struct Mutator {
    private var random: SeededGenerator
    /// What decides first, while there is some.
    private var data: ArraySlice<UInt8> = []

    /// Decisions that a seed makes.
    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Decisions that `data` makes, octet by octet, so that who changes an octet changes one decision.
    init(data: [UInt8]) {
        random = SeededGenerator(seed: UInt64(data.count))
        self.data = data[...]
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        guard let first = data.popFirst() else { return Int.random(in: range, using: &random) }
        var value = UInt64(first)
        var most: UInt64 = 255
        let width = UInt64(range.upperBound &- range.lowerBound)
        while most < width, let next = data.popFirst() {
            value = value << 8 | UInt64(next)
            most = most << 8 | 255
        }
        return range.lowerBound + Int(value % (width + 1))
    }

    mutating func chance(_ percent: Int) -> Bool { number(0...99) < percent }
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(number(0...255)) } }

    mutating func input(like samples: [[UInt8]]) -> [UInt8] {
        guard !samples.isEmpty, !chance(15) else { return bytes(number(0...chanceLength())) }
        var input = samples[number(0...samples.count - 1)]
        mutate(&input)
        return input
    }

    private mutating func chanceLength() -> Int { chance(5) ? 600 : 40 }

    /// Changes at most a few things.
    mutating func mutate(_ input: inout [UInt8]) {
        for _ in 0..<number(0...4) { mutateOnce(&input) }
    }

    private mutating func mutateOnce(_ input: inout [UInt8]) {
        guard !input.isEmpty else {
            input = bytes(number(0...8))
            return
        }
        let at = number(0...input.count - 1)
        switch number(0...8) {
        case 0: input[at] ^= 1 << UInt8(number(0...7))
        case 1: input[at] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF][number(0...5)]
        case 2: input.removeSubrange(at...)
        case 3: input += bytes(number(1...40))
        case 4: input.insert(contentsOf: input[at..<min(input.count, at + number(1...16))], at: at)
        case 5: input.removeSubrange(at..<min(input.count, at + number(1...4)))
        case 6: input.insert(contentsOf: bytes(number(1...4)), at: at)
        case 7 where at + 1 < input.count:
            let value = [0, 1, 2, 3, 0x16, 0x17, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF, input.count][number(0...10)]
            input[at] = UInt8(truncatingIfNeeded: value)
            input[at + 1] = UInt8(truncatingIfNeeded: value >> 8)
        default: input[at] = UInt8(number(0...255))
        }
    }
}
