// SPDX-License-Identifier: Apache-2.0

import CeruleanTesting
import Synchronization

/// Something that hostile bytes are thrown at.
struct FuzzTarget: Sendable {
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

    let name: String
    /// Its share of the inputs.
    let weight: Int
    let body: @Sendable (inout Context, Int) -> Void

    init(_ name: String, weight: Int, _ body: @escaping @Sendable (inout Context, Int) -> Void) {
        self.name = name
        self.weight = weight
        self.body = body
    }

    /// A target that takes one input after the other.
    static func each(
        _ name: String, weight: Int = 10, _ samples: [[UInt8]],
        _ body: @escaping @Sendable (inout Context, [UInt8]) -> Void
    ) -> FuzzTarget {
        FuzzTarget(name, weight: weight) { context, count in
            for number in 0..<count {
                context.next(number)
                let input = context.mutator.input(like: samples)
                body(&context, input)
            }
        }
    }

    func run(seed: UInt64, inputs: Int) -> [String] {
        let number = Self.all.firstIndex { $0.name == name } ?? -1
        CrashReport.target.store(number, ordering: .relaxed)
        CrashReport.seed.store(seed, ordering: .relaxed)
        var context = Context(mutator: Mutator(seed: seed &* 1_000_003 &+ UInt64(number + 1)), name: name, seed: seed)
        body(&context, inputs)
        return context.failures
    }

    static let all: [FuzzTarget] = WireTargets.all + FileTargets.all + SecurityTargets.all + EngineTargets.all
}

/// Makes hostile inputs: random ones, and good ones made bad.
struct Mutator {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    mutating func chance(_ percent: Int) -> Bool { number(0...99) < percent }
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
    }

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
        default: input[at] = UInt8.random(in: 0 ... .max, using: &random)
        }
    }
}
