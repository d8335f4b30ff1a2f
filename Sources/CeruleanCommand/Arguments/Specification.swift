// SPDX-License-Identifier: Apache-2.0

/// One option of the table: parsing, help and completions are made of it.
struct OptionSpecification: Sendable {
    /// The name without dashes: `adapter`.
    var name: String
    /// A one-letter form without dash.
    var letter: Character?
    /// What stands for the value in help, `SECONDS`; nil for a switch.
    var placeholder: String?
    /// The values that completion offers; empty for free text.
    var choices: [String] = []
    /// May be given several times; otherwise the last one counts.
    var repeats = false
    /// One line of help.
    var help: String

    /// Names a file or a directory: completion offers them.
    var isFile: Bool { placeholder == "FILE" || placeholder == "DIR" }

    /// An option with a value.
    static func value(
        _ name: String, _ placeholder: String, _ help: String, letter: Character? = nil, choices: [String] = [],
        repeats: Bool = false
    ) -> Self {
        Self(name: name, letter: letter, placeholder: placeholder, choices: choices, repeats: repeats, help: help)
    }

    /// A switch.
    static func flag(_ name: String, _ help: String, letter: Character? = nil) -> Self {
        Self(name: name, letter: letter, placeholder: nil, help: help)
    }
}

/// One argument that is no option.
struct PositionalSpecification: Sendable {
    /// What stands for it in help, `ATTRIBUTE`.
    var placeholder: String
    /// One line of help.
    var help: String
    /// The values that completion offers; empty for free text.
    var choices: [String] = []
    /// May be left out.
    var isOptional = false
    /// Takes all that follow.
    var repeats = false
    /// Names files: completion offers them.
    var isFile = false
}

/// One verb of the program.
struct VerbSpecification: Sendable {
    /// The word itself.
    var name: String
    /// One line of help, lower case, without a full stop.
    var summary: String
    /// More help: paragraphs behind the lists.
    var details: String = ""
    /// Arguments in order.
    var positionals: [PositionalSpecification] = []
    /// Options of this verb alone.
    var options: [OptionSpecification] = []
    /// Works on a device: the selectors are listed in its help.
    var selectsDevice = false
    /// Makes or forgets bonds: it does not start without them.
    var changesBonds = false
    /// Examples for help, without the program's name in front.
    var examples: [String] = []
    /// Does the work.
    var run: @Sendable (Invocation, Console) async throws -> ExitCode
}

/// All verbs and the options that they share.
struct ProgramSpecification: Sendable {
    /// How the program is called.
    var name: String
    /// One line of help.
    var summary: String
    /// Options that stand before or behind any verb.
    var shared: [OptionSpecification]
    /// Options that choose a device; they may stand before or behind those verbs that work on one.
    var selectors: [OptionSpecification]
    /// The verbs in the order of help.
    var verbs: [VerbSpecification]

    /// The verb of this name.
    func verb(_ name: String) -> VerbSpecification? { verbs.first { $0.name == name } }
}

/// What the user asked for.
struct Invocation: Sendable {
    /// The verb.
    var verb: VerbSpecification
    /// The whole table, for verbs that speak about others.
    var program: ProgramSpecification
    /// Values of options in the order in which they were given; a switch has one empty value for each time.
    var options: [String: [String]]
    /// Arguments that are no options.
    var positionals: [String]
    /// The environment of the program.
    var environment: [String: String] = [:]
    /// Says something on standard error that the user should know before the verb does anything.
    var notice: @Sendable (String) -> Void = { _ in }

    /// True when the switch was given.
    func has(_ name: String) -> Bool { options[name] != nil }

    /// The last value of an option.
    func value(_ name: String) -> String? { options[name]?.last }

    /// All values of an option that may be given several times.
    func values(_ name: String) -> [String] { options[name] ?? [] }

    /// The argument at `index`, if it was given.
    func positional(_ index: Int) -> String? { index < positionals.count ? positionals[index] : nil }

    /// A duration in seconds, such as `2.5`.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage`` for anything but a number from `minimum` to a year.
    func seconds(_ name: String, minimum: Double = 0) throws(CommandError) -> Duration? {
        guard let text = value(name) else { return nil }
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let number = Double(text),
            number >= minimum,
            number <= 31_536_000
        else {
            throw .usage("--\(name) takes seconds, such as 2.5, not '\(text)'")
        }
        return .seconds(number)
    }

    /// A whole number within `range`.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage`` for anything else.
    func integer(_ name: String, _ range: ClosedRange<Int>) throws(CommandError) -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .usage(
                "--\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
        }
        return number
    }

    /// One of some words.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage`` for anything else.
    func choice(_ name: String, _ words: [String]) throws(CommandError) -> String? {
        guard let text = value(name) else { return nil }
        guard words.contains(text) else {
            throw .usage("--\(name) takes one of \(words.joined(separator: ", ")), not '\(text)'")
        }
        return text
    }
}
