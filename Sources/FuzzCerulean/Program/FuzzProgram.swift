// SPDX-License-Identifier: Apache-2.0

import CeruleanTransport
import CeruleanWire
import Glibc

/// The command line: hostile bytes for every decoder, then random scenarios of two whole stacks.
enum FuzzProgram {
    static let usage = """
        usage: fuzz-cerulean [--seed S] [--inputs N] [--scenarios N] [--seconds S] [--target NAME]… [--list]
        Throws N hostile inputs, shared out among the targets, and runs N random scenarios; both are decided by the seed.
        --seconds goes on with further seeds until the time is over. Exits 1 when something did not hold.

        """

    private struct Options {
        var seed: UInt64 = 1
        var inputs = 1_000_000
        var scenarios = 500
        var seconds: Int?
        var targets: [String] = []
    }

    static func run(_ arguments: [String]) -> Int32 {
        if arguments.contains("--list") {
            for target in FuzzTarget.all { print(target.name) }
            print("scenarios")
            return 0
        }
        guard let options = parse(arguments) else { return say(usage, 2) }
        CrashReport.install()
        let end = options.seconds.map { ThreadLoop.now + .seconds($0) }
        var seed = options.seed
        var inputs = 0
        var scenarios = 0
        var failures: [String] = []
        repeat {
            for target in chosen(options) {
                let share = max(1, options.inputs * target.weight / totalWeight(options))
                guard options.inputs > 0 else { continue }
                let start = ThreadLoop.now
                let found = target.run(seed: seed, inputs: share)
                inputs += share
                failures += found
                print(
                    "\(target.name) seed=\(seed) inputs=\(share) failures=\(found.count) ms=\(milliseconds(since: start))"
                )
            }
            if options.targets.isEmpty || options.targets.contains("scenarios") {
                let start = ThreadLoop.now
                let found = ScenarioRunner.run(seed: seed, count: options.scenarios)
                scenarios += options.scenarios
                failures += found
                print(
                    "scenarios seed=\(seed) count=\(options.scenarios) failures=\(found.count) ms=\(milliseconds(since: start))"
                )
            }
            seed &+= 1
        } while end.map { ThreadLoop.now < $0 } ?? false
        for failure in failures.prefix(20) { print("FAILED \(failure)") }
        print("fuzz: \(inputs) inputs, \(scenarios) scenarios, \(failures.count) failures")
        return failures.isEmpty ? 0 : 1
    }

    private static func chosen(_ options: Options) -> [FuzzTarget] {
        FuzzTarget.all.filter { options.targets.isEmpty || options.targets.contains($0.name) }
    }

    private static func totalWeight(_ options: Options) -> Int {
        max(1, chosen(options).reduce(0) { $0 + $1.weight })
    }

    private static func milliseconds(since start: MonotonicTime) -> Int64 {
        (ThreadLoop.now.nanoseconds - start.nanoseconds) / 1_000_000
    }

    private static func parse(_ arguments: [String]) -> Options? {
        var options = Options()
        var rest = arguments[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            switch option {
            case "--target":
                guard value == "scenarios" || FuzzTarget.all.contains(where: { $0.name == value }) else { return nil }
                options.targets.append(value)
            case "--seed":
                guard let seed = UInt64(value) else { return nil }
                options.seed = seed
            case "--inputs", "--scenarios", "--seconds":
                guard let number = Int(value), number >= 0, number <= 1_000_000_000_000 else { return nil }
                if option == "--inputs" { options.inputs = number }
                if option == "--scenarios" { options.scenarios = number }
                if option == "--seconds" { options.seconds = number }
            default: return nil
            }
        }
        return options
    }

    private static func say(_ text: String, _ code: Int32) -> Int32 {
        let octets = Array(text.utf8)
        _ = unsafe write(2, octets, octets.count)
        return code
    }
}
