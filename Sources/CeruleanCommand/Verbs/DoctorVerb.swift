// SPDX-License-Identifier: Apache-2.0

extension VerbSpecification {
    /// `doctor`: what is wrong with this machine's Bluetooth.
    static let doctor = VerbSpecification(
        name: "doctor",
        summary: "say what is wrong with this machine's Bluetooth and what to do",
        details: """
            Looks at kernel, adapters and drivers, firmware, switches, rights and who holds adapters, then opens the adapter and
            tells what its controller can do. Exits with 0 when an adapter can be used, else with 3: with --adapter the one that it
            names. Nothing is changed.
            """,
        examples: ["doctor --json", "doctor --adapter virtual"],
        run: { invocation, console in
            let checks = try await checks(invocation)
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
            // Only this one tells whether it can be used: an adapter may be open to us by other ways.
            return checks.contains { $0.isUsable } ? .ok : .noAdapter
        })

    /// Looks at the machine; when an adapter is named, at what it needs, and opens it.
    private static func checks(_ invocation: Invocation) async throws -> [MachineCheck] {
        let name = invocation.value("adapter") ?? "auto"
        var checks: [MachineCheck] = []
        if name == "auto" {
            checks = Machine.real.checks()
            guard checks.last?.status == .ok else { return checks }
        } else if name.hasPrefix("hci:") {
            checks = Machine.real.surroundings()
        }
        let surroundings = checks
        do {
            return try await Session.run(invocation) { session in
                let usable = MachineCheck(name: "adapter", status: .ok, detail: "\(name) can be used", isUsable: true)
                return surroundings + [usable] + (await MachineCheck.controller(session, name: name))
            }
        } catch let error as CommandError where error.exit == .noAdapter {
            let failed = MachineCheck(
                name: "adapter", status: .failed, detail: "\(name) cannot be used: \(error.description)",
                advice: "without a radio use --adapter virtual, or tcp:HOST:PORT")
            return surroundings + [failed]
        }
    }
}
