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

    private var shared: [OptionSpecification] { program.shared + [.flag("help", "say more", letter: "h")] }

    private var version: OptionSpecification { .flag("version", "print the version") }

    /// What stands behind a verb.
    private func options(of verb: VerbSpecification) -> [OptionSpecification] {
        verb.options + (verb.selectsDevice ? program.selectors : []) + shared
    }

    private func bash() -> String {
        let name = program.name
        var values: [String] = []
        for option in unique(shared + program.selectors + program.verbs.flatMap(\.options))
        where option.placeholder != nil {
            let found =
                if option.isFile {
                    "COMPREPLY=($(compgen -f -- \"$cur\"))"
                } else {
                    "COMPREPLY=($(compgen -W \(quoted(option.choices.joined(separator: " "))) -- \"$cur\"))"
                }
            values.append("        --\(option.name)) \(option.choices.isEmpty && !option.isFile ? ":" : found) ;;")
        }
        let verbs = program.verbs.map { verb in
            let dashed = quoted(options(of: verb).map { "--" + $0.name }.joined(separator: " "))
            let words = quoted(verb.positionals.flatMap(\.choices).joined(separator: " "))
            let files = verb.positionals.contains(where: \.isFile) ? " files=1" : ""
            return "        \(verb.name)) options=\(dashed) words=\(words)\(files) ;;"
        }
        let dashed = quoted((program.selectors + shared + [version]).map { "--" + $0.name }.joined(separator: " "))
        let all = quoted(program.verbs.map(\.name).joined(separator: " "))
        return """
            # bash completion for \(name); load with: source <(\(name) completions bash)
            _\(name)() {
                local cur=${COMP_WORDS[COMP_CWORD]} prev= verb= word options words files=
                COMPREPLY=()
                [ "$COMP_CWORD" -gt 0 ] && prev=${COMP_WORDS[COMP_CWORD - 1]}
                case $prev in
            \(values.joined(separator: "\n"))
                    *) prev= ;;
                esac
                if [ -n "$prev" ]; then
                    case ${COMPREPLY[0]} in *:) compopt -o nospace 2>/dev/null ;; esac
                    return
                fi
                for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                    case $word in \(program.verbs.map(\.name).joined(separator: "|"))) verb=$word; break ;; esac
                done
                case $verb in
            \(verbs.joined(separator: "\n"))
                    *) options=\(dashed) words=\(all) ;;
                esac
                case $cur in
                    -*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
                    *)
                        COMPREPLY=($(compgen -W "$words" -- "$cur"))
                        [ -n "$files" ] && COMPREPLY+=($(compgen -f -- "$cur")) ;;
                esac
            }
            complete -F _\(name) \(name)

            """
    }

    private func zsh() -> String {
        let name = program.name
        let list = program.verbs.map { "        \(quoted("\($0.name):\($0.summary)"))" }.joined(separator: "\n")
        let cases = program.verbs.map { verb in
            let arguments = verb.options.map(zshOption) + verb.positionals.map(zshPositional)
            let selectors = verb.selectsDevice ? " $selectors" : ""
            return "            \(verb.name)) _arguments -S $shared\(selectors) \(arguments.joined(separator: " ")) ;;"
        }
        return """
            #compdef \(name)
            # zsh completion for \(name); put it into a directory of $fpath as _\(name)
            _\(name)() {
                local curcontext="$curcontext" state line
                local -a verbs shared selectors
                verbs=(
            \(list)
                )
                shared=(\(shared.map(zshOption).joined(separator: " ")))
                selectors=(\(program.selectors.map(zshOption).joined(separator: " ")))
                _arguments -C -S $shared $selectors \(zshOption(version)) '1:verb:->verb' '*::argument:->argument'
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
                ":\(placeholder.lowercased().replacing(":", with: "\\:")):"
                + (option.isFile ? "_files" : option.choices.isEmpty ? " " : zshList(option.choices))
        }
        return quoted(text)
    }

    private func zshPositional(_ positional: PositionalSpecification) -> String {
        let list = zshList(positional.choices)
        let action =
            switch (positional.choices.isEmpty, positional.isFile) {
            case (true, true): "_files"
            case (true, false): " "
            case (false, false): list
            case (false, true): "{_alternative \"words\\:word\\:\(list)\" \"files\\:file\\:_files\"}"
            }
        let number = positional.repeats ? "*" : positional.isOptional ? ":" : ""
        return quoted("\(number):\(positional.placeholder.lowercased()):\(action)")
    }

    /// Words to choose from; a colon would end them.
    private func zshList(_ words: [String]) -> String {
        "(\(words.map { $0.replacing(":", with: "\\:") }.joined(separator: " ")))"
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
        let none = "not __fish_seen_subcommand_from"
        lines.append(fishOption(version, condition: "\(none) \(verbs)"))
        let others = program.verbs.filter { !$0.selectsDevice }.map(\.name).joined(separator: " ")
        lines += program.selectors.map { fishOption($0, condition: "\(none) \(others)") }
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
            let list = option.choices.isEmpty ? "" : " -a \(quoted(option.choices.joined(separator: " ")))"
            words.append(option.isFile ? "-r -F" : "-x\(list)")
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
