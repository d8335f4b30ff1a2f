// SPDX-License-Identifier: Apache-2.0

extension VerbSpecification {
    /// `doctor`: what is wrong with this machine's Bluetooth.
    static let doctor = VerbSpecification(
        name: "doctor",
        summary: "say what is wrong with this machine's Bluetooth and what to do",
        details: "Exits with 0 when an adapter can be used, else with 3. Nothing is changed.",
        examples: ["doctor --json"],
        run: { invocation, console in
            let checks = Machine.real.checks()
            for check in checks {
                if invocation.has("json") {
                    try console.json(check.fieldValue)
                    continue
                }
                let style: TerminalText.Style =
                    check.status == .ok ? .green : check.status == .warning ? .yellow : .red
                let word = check.status.rawValue + String(repeating: " ", count: 8 - check.status.rawValue.count)
                try console.line(console.styled(word, style) + TerminalText.escaped("\(check.name): \(check.detail)"))
                if let advice = check.advice { try console.line("          → \(advice)") }
            }
            // Only the last one tells whether it can be used: an adapter may be open to us by other ways.
            return checks.last?.status == .ok ? .ok : .noAdapter
        })
}
