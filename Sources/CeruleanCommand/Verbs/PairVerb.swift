// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanStack
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
            --oob takes what the device told in another way (an NFC tag, a label): hex of its commitment and random value, 32
            octets in the order of the air, of a temporary key of 16 octets for legacy pairing, or of a whole tag's AD
            structures. --show-oob prints the same of this side and waits for Enter until the device has it.
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
            .value("oob", "HEX", "the device's out of band data"),
            .flag("show-oob", "print out of band data of this side for the device"),
            .flag("yes", "agree to what would be asked"),
            .flag("again", "make new keys for a device that is paired already"),
        ],
        selectsDevice: true,
        changesBonds: true,
        examples: [
            "pair --adapter virtual --name \"cerulean lock\"",
            "pair --address C4:7C:8D:00:11:22 --io keyboard --passkey 123456",
            "pair --name lock --oob 2211...F0 --show-oob",
        ],
        run: { invocation, console in
            let choice = try PairingChoice(invocation)
            let selector = try DeviceSelector(invocation)
            return try await Session.run(invocation) { session in
                let terminal = PairingTerminal(
                    console: console, passkey: choice.passkey, agrees: choice.agrees, replaces: choice.pairsAgain)
                await session.central.setPairing(choice.policy, responder: terminal.responder)
                try await choice.exchangeOutOfBand(session, console, asJSON: invocation.has("json"))
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
    /// What the device told.
    var outOfBand: OutOfBandText?
    /// The device is to be told something, too.
    var showsOutOfBand: Bool

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
        if let text = invocation.value("oob") { outOfBand = try OutOfBandText(text) } else { outOfBand = nil }
        showsOutOfBand = invocation.has("show-oob")
        let isOutOfBand = outOfBand != nil || showsOutOfBand
        if let outOfBand {
            let isLegacy = invocation.has("legacy")
            guard (isLegacy ? outOfBand.temporaryKey : nil) != nil || (!isLegacy && outOfBand.data != nil) else {
                let wanted = isLegacy ? "a temporary key with --legacy" : "commitment and random value without --legacy"
                throw .usage("--oob takes \(wanted)")
            }
        }
        if showsOutOfBand, invocation.has("legacy") { throw .usage("--show-oob is not for legacy pairing") }
        if level > .encrypted, ability == .noInputNoOutput, !isOutOfBand {
            throw .usage("--io none cannot prove anything: --mitm and --sc-only need another")
        }
        agrees = invocation.has("yes")
        pairsAgain = invocation.has("again")
        policy = PairingPolicy(
            ioCapability: ability, bonds: !invocation.has("no-bond"), minimumLevel: level,
            wantsProtection: ability == .noInputNoOutput && !isOutOfBand ? false : nil,
            supportsSecureConnections: !invocation.has("legacy"), confirmsJustWorks: false, fixedPasskey: passkey)
        options = PairingOptions(
            level: isOutOfBand ? max(level, .authenticated) : level, pairsAgain: pairsAgain, replacesBond: pairsAgain)
    }

    /// Takes what the device told, and shows what it is to be told.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/noAdapter`` where the adapter pairs by itself.
    func exchangeOutOfBand(_ session: Session, _ console: Console, asJSON: Bool) async throws {
        guard outOfBand != nil || showsOutOfBand else { return }
        guard let stack = session.central.host as? StackHost else {
            throw CommandError(.noAdapter, "this adapter pairs by itself and takes no out of band data")
        }
        var supply = OutOfBandSupply(temporaryKey: outOfBand?.temporaryKey, peer: outOfBand?.data)
        if showsOutOfBand {
            let local = try LocalOutOfBand(crypto: SystemCrypto())
            supply.local = local
            let (confirm, random) = (local.data.confirm.littleEndian, local.data.random.littleEndian)
            let block = OutOfBandText.block(local.data, address: await stack.localAddress)
            if asJSON {
                try console.json(
                    .object([
                        .init("event", "outOfBand"), .init("time", .text(session.clock.now)),
                        .init("confirm", .bytes(confirm)), .init("random", .bytes(random)),
                        .init("block", .bytes(block)),
                    ]))
            } else {
                try console.line("oob \(Hex.encode(confirm + random))")
                try console.line("tag \(Hex.encode(block))")
            }
            if !agrees { _ = await console.ask("Give this to the device, then press Enter. ") }
        }
        await stack.setOutOfBand(supply)
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
