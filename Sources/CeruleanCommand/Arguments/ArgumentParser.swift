// SPDX-License-Identifier: Apache-2.0

/// Reads the command line by the table.
struct ArgumentParser: Sendable {
    /// What the command line says.
    enum Outcome: Sendable {
        /// Run a verb.
        case run(Invocation)
        /// Print help about a verb, or about the program.
        case help(VerbSpecification?)
        /// Print the version.
        case version
    }

    private let program: ProgramSpecification

    init(_ program: ProgramSpecification) { self.program = program }

    /// Reads the arguments behind the program's name.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage`` that names what is wrong and where to read more.
    func parse(_ arguments: [String]) throws(CommandError) -> Outcome {
        var verb: VerbSpecification?
        var options: [String: [String]] = [:]
        var positionals: [String] = []
        var onlyPositionals = false
        var wantsHelp = false
        var index = 0

        while index < arguments.count {
            let argument = arguments[index]
            index += 1
            if onlyPositionals || !argument.hasPrefix("-") || argument == "-" {
                if verb == nil {
                    if argument == "help" {
                        wantsHelp = true
                        continue
                    }
                    guard let found = program.verb(argument) else { throw unknownVerb(argument) }
                    verb = found
                } else {
                    positionals.append(argument)
                }
            } else if argument == "--" {
                onlyPositionals = true
            } else if argument == "--help" || argument == "-h" {
                wantsHelp = true
            } else if argument == "--version" {
                return .version
            } else {
                let (specification, attached) = try option(argument, of: verb)
                if specification.placeholder == nil {
                    guard attached == nil else { throw .usage("--\(specification.name) takes no value") }
                    options[specification.name, default: []].append("")
                } else if let attached {
                    options[specification.name, default: []].append(attached)
                } else {
                    guard index < arguments.count else {
                        throw .usage("--\(specification.name) needs a value: \(specification.placeholder ?? "")")
                    }
                    options[specification.name, default: []].append(arguments[index])
                    index += 1
                }
            }
        }
        if wantsHelp { return .help(verb) }
        guard let verb else { throw .usage("no verb given; see '\(program.name) --help'") }
        if !verb.selectsDevice, let wrong = program.selectors.first(where: { options[$0.name] != nil }) {
            throw .usage("\(verb.name) chooses no device, it does not take --\(wrong.name); \(more(verb))")
        }
        try check(positionals, verb)
        return .run(Invocation(verb: verb, program: program, options: options, positionals: positionals))
    }

    // MARK: - private

    private func option(
        _ argument: String, of verb: VerbSpecification?
    ) throws(CommandError) -> (OptionSpecification, attached: String?) {
        let known = (verb?.options ?? []) + program.shared + program.selectors
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let attached = parts.count == 2 ? parts[1] : nil
        if argument.hasPrefix("--") {
            let name = String(parts[0].dropFirst(2))
            if let found = known.first(where: { $0.name == name }) { return (found, attached) }
            if verb == nil, let owner = program.verbs.first(where: { $0.options.contains { $0.name == name } }) {
                throw .usage("--\(name) belongs behind its verb: \(program.name) \(owner.name) --\(name)")
            }
            throw .usage("unknown option --\(name)\(hint(name, known.map(\.name), prefix: "--")); \(more(verb))")
        }
        guard parts[0].count == 2, let letter = parts[0].last, let found = known.first(where: { $0.letter == letter })
        else { throw .usage("unknown option \(argument); \(more(verb))") }
        return (found, attached)
    }

    private func check(_ positionals: [String], _ verb: VerbSpecification) throws(CommandError) {
        let needed = verb.positionals.filter { !$0.isOptional }.count
        if positionals.count < needed {
            let missing = verb.positionals.filter { !$0.isOptional }[positionals.count]
            throw .usage("\(verb.name) needs \(missing.placeholder): \(missing.help); \(more(verb))")
        }
        if positionals.count > verb.positionals.count, verb.positionals.last?.repeats != true {
            throw .usage("\(verb.name) does not take '\(positionals[verb.positionals.count])'; \(more(verb))")
        }
    }

    private func unknownVerb(_ word: String) -> CommandError {
        .usage(
            "unknown verb '\(word)'\(hint(word, program.verbs.map(\.name), prefix: "")); see '\(program.name) --help'")
    }

    private func more(_ verb: VerbSpecification?) -> String {
        "see '\(program.name) \(verb.map { $0.name + " " } ?? "")--help'"
    }

    /// Offers the nearest word, if it is near.
    private func hint(_ word: String, _ known: [String], prefix: String) -> String {
        let near = known.map { ($0, Self.distance(word, $0)) }.min { $0.1 < $1.1 }
        guard let near, near.1 <= max(1, word.count / 3) else { return "" }
        return ", did you mean \(prefix)\(near.0)?"
    }

    /// How many characters have to be changed, added or removed. Words are short; longer ones are not compared.
    private static func distance(_ a: String, _ b: String) -> Int {
        let (x, y) = (Array(a.prefix(40)), Array(b.prefix(40)))
        var row = Array(0...y.count)
        for i in x.indices {
            var previous = row[0]
            row[0] = i + 1
            for j in y.indices {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, previous + (x[i] == y[j] ? 0 : 1))
                previous = above
            }
        }
        return row[y.count]
    }
}
