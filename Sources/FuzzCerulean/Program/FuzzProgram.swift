// SPDX-License-Identifier: Apache-2.0

import CeruleanTransport
import CeruleanWire
import Foundation

/// The command line: hostile bytes for every decoder, then random scenarios of two whole stacks.
public enum FuzzProgram {
    private static let usage = """
        usage: fuzz-cerulean [--seed S] [--inputs N] [--scenarios N] [--seconds S] [--target NAME]…
               fuzz-cerulean --corpus DIRECTORY | --links N --period MS --duration S | --list
        Throws N hostile inputs, shared out among the targets, and runs N random scenarios; both are decided by the seed.
        --seconds goes on with further seeds until the time is over. --corpus
        runs the files of DIRECTORY/TARGET/ instead; --links streams notifications over N links at once,
        one per link in each MS milliseconds, for S seconds of virtual time. Exits 1 when something did not hold.

        """

    private struct Options {
        var seed: UInt64 = 1
        var inputs = 1_000_000
        var scenarios = 500
        var seconds: Int?
        var targets: [String] = []
        var corpus: String?
        var soak: LinkSoak?
    }

    /// Runs with the arguments behind the program's name.
    ///
    /// - Returns: The exit code: 0, 1 when something did not hold, 2 for wrong arguments.
    public static func run(_ arguments: [String]) -> Int32 {
        if arguments.contains("--list") {
            for target in FuzzTarget.all { print(target.name) }
            print("scenarios")
            return 0
        }
        guard let options = parse(arguments) else { return say(usage, 2) }
        CrashReport.install()
        if let corpus = options.corpus { return replay(corpus) }
        if let soak = options.soak { return run(soak) }
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

    private static func run(_ soak: LinkSoak) -> Int32 {
        let outcome = soak.run()
        for failure in outcome.failures { print("FAILED \(failure)") }
        print(
            "soak: \(soak.links) links, \(soak.duration.components.seconds) s of virtual time in \(Int(outcome.seconds)) s, "
                + "\(outcome.received) notifications, \(outcome.resident) KiB resident, grown by \(outcome.growth) KiB, "
                + "\(outcome.failures.count) failures")
        return outcome.failures.isEmpty ? 0 : 1
    }

    /// Runs what fuzzing found worth keeping. A folder that no target has, or no file at all, is a failure.
    private static func replay(_ directory: String) -> Int32 {
        var failures: [String] = []
        var inputs = 0
        let files = FileManager.default
        do {
            for name in try files.contentsOfDirectory(atPath: directory).sorted() {
                guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
                    failures.append("\(directory)/\(name): no such target")
                    continue
                }
                for file in try files.contentsOfDirectory(atPath: "\(directory)/\(name)").sorted() {
                    let data = try Data(contentsOf: URL(filePath: "\(directory)/\(name)/\(file)"))
                    failures += target.run(data: [UInt8](data)).map { "\(file): \($0)" }
                    inputs += 1
                }
            }
        } catch {
            failures.append("\(error)")
        }
        if inputs == 0 { failures.append("\(directory) holds no inputs") }
        for failure in failures.prefix(20) { print("FAILED \(failure)") }
        print("corpus: \(inputs) inputs, \(failures.count) failures")
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
            case "--corpus": options.corpus = value
            case "--seed":
                guard let seed = UInt64(value) else { return nil }
                options.seed = seed
            case "--links", "--period", "--duration":
                guard let number = Int(value), number > 0, number <= 1_000_000 else { return nil }
                var soak = options.soak ?? LinkSoak()
                if option == "--links" { soak.links = min(number, 3839) }
                if option == "--period" { soak.period = .milliseconds(number) }
                if option == "--duration" { soak.duration = .seconds(number) }
                options.soak = soak
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

    /// Writes `text` to standard error.
    ///
    /// - Returns: `code`.
    @discardableResult
    public static func say(_ text: String, _ code: Int32 = 0) -> Int32 {
        let octets = Array(text.utf8)
        _ = unsafe write(2, octets, octets.count)
        return code
    }
}
