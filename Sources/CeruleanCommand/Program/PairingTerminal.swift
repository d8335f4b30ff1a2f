// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire
import Dispatch
import Synchronization

/// Answers the questions of pairing on the terminal, or with what the command line said already.
struct PairingTerminal: Sendable {
    var console: Console
    /// `--passkey`.
    var passkey: Passkey?
    /// `--yes`.
    var agrees: Bool
    /// `--replace`.
    var replaces: Bool

    /// One closure for each kind of question.
    var responder: PairingResponder {
        var responder = PairingResponder()
        responder.confirmJustWorks = { peer in
            await confirm("\(name(peer)) wants to pair, and nothing proves who it is. Pair?")
        }
        responder.showPasskey = { peer, digits in
            console.talk("Type this passkey on \(name(peer)): \(digits)", .error)
            return true
        }
        responder.enterPasskey = { peer in await digits("Passkey that \(name(peer)) shows: ") }
        responder.enterSamePasskey = { peer in await digits("Passkey to type on both devices: ") }
        responder.compareNumbers = { peer, digits in
            await confirm("This device shows \(digits). Does \(name(peer)) show the same number?")
        }
        responder.replaceBond = { peer, old, new in
            if replaces { return true }
            return await confirm(
                "\(name(peer)) is paired already (\(old.text)). Replace its keys by new ones (\(new.text))?")
        }
        responder.keypress = { _, kind in console.talk("the other side: \(kind)") }
        return responder
    }

    // MARK: - private

    private func name(_ peer: PairingPeer) -> String { peer.address?.description ?? "\(peer.id)" }

    private func confirm(_ question: String) async -> Bool {
        if agrees {
            console.talk("\(question) yes (--yes)")
            return true
        }
        guard let line = await console.ask("\(question) [y/N] ") else {
            console.talk("no answer: refused; --yes agrees beforehand", .error)
            return false
        }
        return ["y", "yes"].contains(line.lowercased().filter { !$0.isWhitespace })
    }

    private func digits(_ question: String) async -> Passkey? {
        if let passkey { return passkey }
        for _ in 0..<3 {
            guard let line = await console.ask(question) else {
                console.talk("no passkey was given: refused; --passkey gives it beforehand", .error)
                return nil
            }
            if let passkey = Passkey(line.filter { !$0.isWhitespace }) { return passkey }
            console.talk("a passkey has six digits", .error)
        }
        return nil
    }
}

extension Console {
    /// Asks for a line on standard error and reads it; nil at the end of input. A terminal is read on a thread of its own.
    func ask(_ question: String) async -> String? {
        writeError(Array(TerminalText.escaped(question).utf8))
        guard inputIsTerminal else {
            let line = try? nextLine()
            writeError([0x0A])
            return line
        }
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: try? nextLine()) }
        }
    }
}

extension BondStrength {
    /// A few words for people.
    var text: String {
        let kind = isSecureConnections ? "secure connections" : "legacy"
        return "\(isAuthenticated ? "authenticated" : "not authenticated"), \(kind), \(keySize * 8)-bit key"
    }

    /// The members of JSON output.
    var members: [FieldValue.Member] {
        [
            .init("authenticated", .bool(isAuthenticated)), .init("secureConnections", .bool(isSecureConnections)),
            .init("keySize", FieldValue(integer: keySize)),
        ]
    }

    /// The level that a link with such a key has. Core 5.4, Vol 3, Part C, 10.2.1.
    var securityLevel: SecurityLevel {
        guard isAuthenticated else { return .encrypted }
        return isSecureConnections && keySize == 16 ? .secureConnections : .authenticated
    }
}

extension PairingMethod {
    /// For people.
    var text: String {
        switch self {
        case .justWorks: "just works"
        case .passkeyEntry: "passkey entry"
        case .numericComparison: "numeric comparison"
        case .outOfBand: "out of band"
        }
    }

    /// For JSON output.
    var word: String {
        switch self {
        case .justWorks: "justWorks"
        case .passkeyEntry: "passkeyEntry"
        case .numericComparison: "numericComparison"
        case .outOfBand: "outOfBand"
        }
    }
}

/// Remembers how the last pairing of a host ended.
final class PairingWatch: HostEventSink {
    struct Outcome: Hashable, Sendable {
        var method: PairingMethod
        var strength: BondStrength
        var isBonded: Bool
    }

    private let last = Mutex<Outcome?>(nil)

    /// Nil when nothing was paired.
    var outcome: Outcome? { last.withLock { $0 } }

    func receive(_ event: HostEvent) {
        guard case .pairing(_, .finished(let method, let strength, let isBonded)) = event else { return }
        last.withLock { $0 = Outcome(method: method, strength: strength, isBonded: isBonded) }
    }
}
