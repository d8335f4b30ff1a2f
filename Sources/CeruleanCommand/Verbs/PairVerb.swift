// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire

extension VerbSpecification {
    /// `pair`: makes keys with a device.
    static let pair = VerbSpecification(
        name: "pair",
        summary: "pair with a device, so that links to it are encrypted",
        details: """
            What this side can show and take in decides the method: two sides that can compare show the same six digits, a side
            with a keyboard types the digits of one with a display, and where neither can anything, nothing proves who is who.
            Questions are asked on the terminal; --passkey and --yes answer beforehand. The keys are kept in a file for each
            adapter below $XDG_STATE_HOME/cerulean (or --bonds FILE), and used by all verbs. A device that is paired already is
            connected and encrypted with its key; --again makes new ones.
            """,
        options: [
            .value(
                "io", "WHAT",
                "what this side can show and take in: none, display, yesno, keyboard, both (default both)",
                choices: Array(PairingChoice.abilities.map(\.word))),
            .flag("bond", "keep the keys (default)"),
            .flag("no-bond", "forget the keys with the connection"),
            .flag("mitm", "insist on a method that keeps others out of the middle"),
            .flag("sc-only", "insist on LE Secure Connections, authenticated, with a key of 128 bits"),
            .flag("legacy", "offer legacy pairing only"),
            .value("passkey", "DIGITS", "the six digits that the device shows, or that this side is to show"),
            .flag("yes", "agree to what would be asked"),
            .flag("again", "make new keys for a device that is paired already"),
        ],
        selectsDevice: true,
        changesBonds: true,
        examples: [
            "pair --adapter virtual --name \"cerulean lock\"",
            "pair --address C4:7C:8D:00:11:22 --io keyboard --passkey 123456",
        ],
        run: { invocation, console in
            let choice = try PairingChoice(invocation)
            let selector = try DeviceSelector(invocation)
            return try await Session.run(invocation) { session in
                let terminal = PairingTerminal(
                    console: console, passkey: choice.passkey, agrees: choice.agrees, replaces: choice.pairsAgain)
                await session.central.setPairing(choice.policy, responder: terminal.responder)
                let watch = PairingWatch()
                await session.central.watch(watch)
                let discovery = try await selector.find(with: session.central, timeout: session.timeout)
                let peripheral = try await session.central.connect(to: discovery, timeout: session.timeout)
                let level = try await peripheral.pair(choice.options, timeout: max(session.timeout, .seconds(60)))
                let report = PairingReport(
                    name: discovery.name, address: peripheral.address ?? discovery.address, level: level,
                    outcome: watch.outcome)
                if invocation.has("json") {
                    try console.json(report.fieldValue(time: session.clock.now))
                } else {
                    try console.line(TerminalText.escaped(report.text))
                }
                if report.outcome?.method == .justWorks {
                    console.talk("nothing proves that this is the device you mean; --mitm insists on a proof", .warning)
                }
                return .ok
            }
        })
}

/// What the options of `pair` ask for.
struct PairingChoice: Sendable {
    static let abilities: [(word: String, value: SMP.IOCapability)] = [
        ("none", .noInputNoOutput), ("display", .displayOnly), ("yesno", .displayYesNo), ("keyboard", .keyboardOnly),
        ("both", .keyboardDisplay),
    ]

    var policy: PairingPolicy
    var options: PairingOptions
    var passkey: Passkey?
    var agrees: Bool
    var pairsAgain: Bool

    /// Reads the options.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage``.
    init(_ invocation: Invocation) throws(CommandError) {
        let word = try invocation.choice("io", Self.abilities.map(\.word)) ?? "both"
        let ability = Self.abilities.first { $0.word == word }?.value ?? .keyboardDisplay
        for (one, other) in [("bond", "no-bond"), ("legacy", "sc-only")] where invocation.has(one) {
            if invocation.has(other) { throw .usage("--\(one) and --\(other) exclude each other") }
        }
        if let text = invocation.value("passkey") {
            guard let digits = Passkey(text) else { throw .usage("--passkey takes six digits, not '\(text)'") }
            passkey = digits
        }
        let level: SecurityLevel =
            invocation.has("sc-only") ? .secureConnections : invocation.has("mitm") ? .authenticated : .encrypted
        if level > .encrypted, ability == .noInputNoOutput {
            throw .usage("--io none cannot prove anything: --mitm and --sc-only need another")
        }
        agrees = invocation.has("yes")
        pairsAgain = invocation.has("again")
        policy = PairingPolicy(
            ioCapability: ability, bonds: !invocation.has("no-bond"), minimumLevel: level,
            wantsProtection: ability == .noInputNoOutput ? false : nil,
            supportsSecureConnections: !invocation.has("legacy"), confirmsJustWorks: false, fixedPasskey: passkey)
        options = PairingOptions(level: level, pairsAgain: pairsAgain, replacesBond: pairsAgain)
    }
}

/// What came of `pair`.
struct PairingReport: Sendable {
    var name: String?
    var address: DeviceAddress?
    var level: SecurityLevel
    /// Nil when the link was encrypted with a key that was there.
    var outcome: PairingWatch.Outcome?

    func fieldValue(time: String) -> FieldValue {
        var members: [FieldValue.Member] = [
            .init("event", .text(outcome == nil ? "encrypted" : "paired")), .init("time", .text(time)),
        ]
        if let address { members += address.members }
        if let name { members.append(.init("name", .text(name))) }
        members.append(.init("level", FieldValue(integer: level.rawValue)))
        if let outcome {
            members.append(.init("method", .text(outcome.method.word)))
            members += outcome.strength.members
            members.append(.init("bonded", .bool(outcome.isBonded)))
        }
        return .object(members)
    }

    var text: String {
        let device = [name, address?.description].compactMap { $0 }.joined(separator: " ")
        guard let outcome else { return "\(device) is paired already; the link is encrypted, level \(level.rawValue)" }
        let kept = outcome.isBonded ? "keys kept" : "keys not kept"
        return "paired with \(device): \(outcome.method.text), \(outcome.strength.text), \(kept)"
    }
}

extension DeviceAddress {
    /// `address` and `addressType` of JSON output.
    var members: [FieldValue.Member] {
        [
            .init("address", .text(address.description)),
            .init("addressType", .text(peerKind == .public ? "public" : "random")),
        ]
    }
}

extension Central {
    /// Lets `sink` see the events of the host, beside the central.
    func watch(_ sink: any HostEventSink) async {
        let host = host
        await withCheckedContinuation { continuation in
            host.loop.execute {
                host.assumeIsolated { $0.addSink(sink) }
                continuation.resume()
            }
        }
    }
}
