// SPDX-License-Identifier: Apache-2.0

/// Writes completion scripts for shells from the table.
struct Completions: Sendable {
    /// A shell that is served.
    enum Shell: String, CaseIterable, Sendable {
        case bash, zsh, fish
    }

    private let program: ProgramSpecification

    init(_ program: ProgramSpecification) { self.program = program }

    /// The script for a shell.
    func script(_ shell: Shell) -> String {
        switch shell {
        case .bash: bash()
        case .zsh: zsh()
        case .fish: fish()
        }
    }

    private var shared: [OptionSpecification] {
        program.shared + program.selectors + [
            .flag("help", "say more", letter: "h"), .flag("version", "print the version"),
        ]
    }

    private func bash() -> String {
        let name = program.name
        var choices: [String] = []
        for option in unique(shared + program.verbs.flatMap(\.options)) where option.placeholder != nil {
            let values =
                option.choices.isEmpty
                ? "COMPREPLY=($(compgen -f -- \"$cur\"))"
                : "COMPREPLY=($(compgen -W \(quoted(option.choices.joined(separator: " "))) -- \"$cur\"))"
            choices.append("        --\(option.name)) \(values); return ;;")
        }
        let verbs = program.verbs.map { verb in
            let words = (verb.options + shared).map { "--" + $0.name } + verb.positionals.flatMap(\.choices)
            return "        \(verb.name)) words=\(quoted(words.joined(separator: " "))) ;;"
        }
        let all = quoted((program.verbs.map(\.name) + shared.map { "--" + $0.name }).joined(separator: " "))
        return """
            # bash completion for \(name); load with: source <(\(name) completions bash)
            _\(name)() {
                local cur=${COMP_WORDS[COMP_CWORD]} prev= verb= word words
                [ "$COMP_CWORD" -gt 0 ] && prev=${COMP_WORDS[COMP_CWORD - 1]}
                case $prev in
            \(choices.joined(separator: "\n"))
                esac
                for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                    case $word in \(program.verbs.map(\.name).joined(separator: "|"))) verb=$word; break ;; esac
                done
                case $verb in
            \(verbs.joined(separator: "\n"))
                    *) words=\(all) ;;
                esac
                COMPREPLY=($(compgen -W "$words" -- "$cur"))
                [ ${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "$cur"))
            }
            complete -F _\(name) \(name)

            """
    }

    private func zsh() -> String {
        let name = program.name
        let list = program.verbs.map { "        \(quoted("\($0.name):\($0.summary)"))" }.joined(separator: "\n")
        let cases = program.verbs.map { verb in
            let arguments = verb.options.map(zshOption) + verb.positionals.map(zshPositional)
            return "            \(verb.name)) _arguments -S $shared \(arguments.joined(separator: " ")) ;;"
        }
        return """
            #compdef \(name)
            # zsh completion for \(name); put it into a directory of $fpath as _\(name)
            _\(name)() {
                local curcontext="$curcontext" state line
                local -a verbs shared
                verbs=(
            \(list)
                )
                shared=(\(shared.map(zshOption).joined(separator: " ")))
                _arguments -C -S $shared '1:verb:->verb' '*::argument:->argument'
                case $state in
                    verb) _describe verb verbs ;;
                    argument)
                        case $line[1] in
            \(cases.joined(separator: "\n"))
                        esac ;;
                esac
            }
            _\(name) "$@"

            """
    }

    private func zshOption(_ option: OptionSpecification) -> String {
        let help = option.help.replacing("[", with: "(").replacing("]", with: ")").replacing(":", with: "\\:")
        var text =
            (option.repeats ? "*" : "") + "--\(option.name)" + (option.placeholder == nil ? "" : "=") + "[\(help)]"
        if let placeholder = option.placeholder {
            text +=
                ":\(placeholder.lowercased()):"
                + (option.choices.isEmpty ? "_files" : "(\(option.choices.joined(separator: " ")))")
        }
        return quoted(text)
    }

    private func zshPositional(_ positional: PositionalSpecification) -> String {
        let action =
            positional.choices.isEmpty
            ? (positional.isFile ? "_files" : " ") : "(\(positional.choices.joined(separator: " ")))"
        let number = positional.repeats ? "*" : positional.isOptional ? ":" : ""
        return quoted("\(number):\(positional.placeholder.lowercased()):\(action)")
    }

    private func fish() -> String {
        let name = program.name
        let verbs = program.verbs.map(\.name).joined(separator: " ")
        var lines = ["# fish completion for \(name); load with: \(name) completions fish | source"]
        lines.append("complete -c \(name) -f")
        for verb in program.verbs {
            lines.append(
                "complete -c \(name) -n \(quoted("not __fish_seen_subcommand_from \(verbs)")) -a \(verb.name) -d \(quoted(verb.summary))"
            )
        }
        lines += shared.map { fishOption($0, condition: nil) }
        for verb in program.verbs {
            let condition = "__fish_seen_subcommand_from \(verb.name)"
            lines += verb.options.map { fishOption($0, condition: condition) }
            for positional in verb.positionals where !positional.choices.isEmpty {
                lines.append(
                    "complete -c \(name) -n \(quoted(condition)) -a \(quoted(positional.choices.joined(separator: " ")))"
                )
            }
            if verb.positionals.contains(where: \.isFile) {
                lines.append("complete -c \(name) -n \(quoted(condition)) -F")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func fishOption(_ option: OptionSpecification, condition: String?) -> String {
        var words = ["complete -c \(program.name)"]
        if let condition { words.append("-n \(quoted(condition))") }
        words.append("-l \(option.name)")
        if let letter = option.letter { words.append("-s \(letter)") }
        if option.placeholder != nil {
            words.append(option.choices.isEmpty ? "-r -F" : "-x -a \(quoted(option.choices.joined(separator: " ")))")
        }
        return (words + ["-d \(quoted(option.help))"]).joined(separator: " ")
    }

    private func unique(_ options: [OptionSpecification]) -> [OptionSpecification] {
        var seen: Set<String> = []
        return options.filter { seen.insert($0.name).inserted }
    }

    /// A word in single quotes, as all three shells read it.
    private func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}
