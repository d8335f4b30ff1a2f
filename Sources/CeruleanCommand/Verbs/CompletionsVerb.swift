// SPDX-License-Identifier: Apache-2.0

extension VerbSpecification {
    /// `completions SHELL`: prints a completion script.
    static let completions = VerbSpecification(
        name: "completions",
        summary: "print a completion script for a shell",
        details: """
            To load it into the shell that runs:
              source <(cerulean completions bash)
            """,
        positionals: [
            PositionalSpecification(
                placeholder: "SHELL", help: "bash, zsh or fish", choices: Completions.Shell.allCases.map(\.rawValue))
        ],
        examples: ["completions bash > /etc/bash_completion.d/cerulean", "completions fish | source"],
        run: { invocation, console in
            let name = invocation.positional(0) ?? ""
            guard let shell = Completions.Shell(rawValue: name) else {
                throw CommandError.usage("no completions for '\(name)'; known are bash, zsh and fish")
            }
            try console.out(Completions(invocation.program).script(shell))
            return .ok
        })
}
