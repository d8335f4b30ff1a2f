// SPDX-License-Identifier: Apache-2.0

/// Writes help from the table.
struct HelpText: Sendable {
    private let program: ProgramSpecification
    private let width = 100

    init(_ program: ProgramSpecification) { self.program = program }

    /// Help about the program.
    func overview() -> String {
        var lines = [
            "\(program.name): \(program.summary)", "", "Usage: \(program.name) [OPTIONS] VERB [ARGUMENTS]", "",
            "Verbs:",
        ]
        lines += table(program.verbs.map { ($0.name, $0.summary) })
        lines += ["", "Options of all verbs:"] + table(program.shared.map { (label($0), $0.help) })
        lines += ["", "Choice of a device:"] + table(program.selectors.map { (label($0), $0.help) })
        lines += ["", "Exit codes:"] + table(ExitCode.documented.map { (String($0.rawValue), $0.meaning) })
        lines += ["", "'\(program.name) VERB --help' says more about a verb.", ""]
        return lines.joined(separator: "\n")
    }

    /// Help about one verb.
    func help(_ verb: VerbSpecification) -> String {
        var lines = ["\(program.name) \(verb.name): \(verb.summary)", ""]
        if !verb.details.isEmpty {
            lines += verb.details.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) + [""]
        }
        lines.append("Usage: \(usage(verb))")
        if !verb.positionals.isEmpty {
            lines += ["", "Arguments:"] + table(verb.positionals.map { ($0.placeholder, $0.help) })
        }
        if !verb.options.isEmpty { lines += ["", "Options:"] + table(verb.options.map { (label($0), $0.help) }) }
        if verb.selectsDevice {
            lines += ["", "Choice of a device:"] + table(program.selectors.map { (label($0), $0.help) })
        }
        if !verb.examples.isEmpty { lines += ["", "Examples:"] + verb.examples.map { "  \(program.name) \($0)" } }
        lines += ["", "Options of all verbs:"] + table(program.shared.map { (label($0), $0.help) })
        return (lines + [""]).joined(separator: "\n")
    }

    /// The line that shows how a verb is called.
    func usage(_ verb: VerbSpecification) -> String {
        let words = verb.positionals.map { positional in
            let word = positional.placeholder + (positional.repeats ? "…" : "")
            return positional.isOptional ? "[\(word)]" : word
        }
        return ([program.name, verb.name, "[OPTIONS]"] + words).joined(separator: " ")
    }

    private func label(_ option: OptionSpecification) -> String {
        let letter = option.letter.map { "-\($0), " } ?? ""
        return letter + "--\(option.name)" + (option.placeholder.map { " \($0)" } ?? "")
    }

    /// Two columns; the second is wrapped.
    private func table(_ rows: [(String, String)]) -> [String] {
        let left = min(28, rows.map(\.0.count).max() ?? 0)
        return rows.flatMap { label, text -> [String] in
            var lines: [String] = []
            var line = "  " + label
            if label.count > left {
                lines.append(line)
                line = ""
            }
            line += String(repeating: " ", count: max(0, left + 4 - line.count))
            var isEmpty = true
            for word in text.split(separator: " ") {
                if !isEmpty, line.count + 1 + word.count > width {
                    lines.append(line)
                    line = String(repeating: " ", count: left + 4)
                    isEmpty = true
                }
                line += (isEmpty ? "" : " ") + word
                isEmpty = false
            }
            return lines + [line]
        }
    }
}
