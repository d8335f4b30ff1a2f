// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// One pairing, from the features of both sides to the last key. Core 5.4, Vol 3, Part H, 2.
///
/// Pure: the owner performs the returned actions in order, tells what the controller and the application say, and calls
/// ``tick(now:)`` at ``deadline``. After `finished` or `failed` every input returns nothing.
/// ```swift
/// var machine = PairingMachine(context: context)
/// perform(machine.start(now: now))
/// perform(machine.receive(pdu, now: now))
/// ```
public struct PairingMachine: Sendable {
    private enum Phase: Sendable {
        case idle
        /// Initiator: the request is out.
        case requested(SMP.PairingFeatures)
        /// The application is asked before pairing goes on; nothing may come from the peer.
        case consent(PairingAgreement, questions: [PairingQuestion])
        case legacy(LegacyPairing, PairingAgreement)
        case secure(SecurePairing, PairingAgreement)
        case keys(KeyExchange)
        case over
    }

    /// Keypress notifications that are passed on in one pairing; later ones are ignored (row S22).
    static let keypressLimit = 64

    /// What was known before pairing started.
    public let context: PairingContext
    /// When pairing times out; nil while nothing runs.
    public private(set) var deadline: MonotonicTime?
    /// The question that the application has not answered yet.
    public private(set) var openQuestion: PairingQuestion?
    private var phase = Phase.idle
    private var usesKeypress = false
    private var keypresses = 0
    /// Values that depend on a secret were exchanged: a failure from here on counts as an attempt (row S11).
    public private(set) var hasAuthenticated = false
    private var mayReplaceBond = false

    /// A machine that has not started.
    public init(context: PairingContext) { self.context = context }

    /// True from the first PDU to the end.
    public var isRunning: Bool {
        switch phase {
        case .idle, .over: false
        case .requested, .consent, .legacy, .secure, .keys: true
        }
    }

    /// The peer's key is the debug key: whoever listens can read the link.
    public var usesDebugKey: Bool {
        guard case .secure(let secure, _) = phase else { return false }
        return secure.usedDebugKey
    }

    /// True after `finished` or `failed`.
    public var isOver: Bool {
        if case .over = phase { return true }
        return false
    }

    // MARK: - Inputs

    /// Central: sends the Pairing Request.
    public mutating func start(now: MonotonicTime) -> [PairingAction] {
        guard case .idle = phase, context.isInitiator else { return [] }
        let features = PairingAgreement.features(context)
        phase = .requested(features)
        return run(now) { _, actions throws(PairingFault) in
            actions.append(try .command(.pairingRequest(.init(features: features))))
        }
    }

    /// Takes a PDU from channel 6. Anything that does not belong where it comes ends pairing.
    public mutating func receive(_ pdu: [UInt8], now: MonotonicTime) -> [PairingAction] {
        guard !isOver else { return [] }
        let command: SMP.Command
        do {
            command = try SMP.Command(pdu: pdu)
        } catch {
            let isReserved = pdu.first.map { SMP.Opcode(rawValue: $0).length == nil } ?? false
            return fail(.refused(isReserved ? .commandNotSupported : .invalidParameters))
        }
        return receive(command, now: now)
    }

    /// Takes a decoded PDU.
    public mutating func receive(_ command: SMP.Command, now: MonotonicTime) -> [PairingAction] {
        guard !isOver else { return [] }
        switch command {
        case .pairingFailed(let packet):
            return isRunning ? fail(.refusedByPeer(packet.reason)) : []
        case .keypressNotification(let packet):
            return receive(packet.kind, now: now)
        case .securityRequest where context.isInitiator:
            // One procedure at a time: the request is answered by the pairing that runs (rows S17, S21).
            return []
        default:
            return run(now) { machine, actions throws(PairingFault) in
                try machine.dispatch(command, &actions)
            }
        }
    }

    /// Takes the application's answer. One that does not fit the open question is ignored (row S8).
    public mutating func answer(_ answer: PairingAnswer, now: MonotonicTime) -> [PairingAction] {
        guard isRunning else { return [] }
        if case .refuse = answer { return fail(.refused(refusal)) }
        guard let question = openQuestion else { return [] }
        return run(now) { machine, actions throws(PairingFault) in
            switch (question, answer) {
            case (.confirmJustWorks, .accept): try machine.consented(&actions)
            case (.replaceBond, .accept):
                machine.mayReplaceBond = true
                try machine.consented(&actions)
            case (.enterPasskey, .passkey(let passkey)), (.enterSamePasskey, .passkey(let passkey)):
                machine.openQuestion = nil
                try machine.use(passkey, &actions)
            case (.compareNumbers, .accept):
                guard case .secure(var secure, let agreement) = machine.phase else { return }
                machine.openQuestion = nil
                try secure.confirmComparison(&actions)
                machine.phase = .secure(secure, agreement)
            case (.provideOutOfBand(secureConnections: false), .temporaryKey(let key)):
                guard case .legacy(var legacy, let agreement) = machine.phase else { return }
                machine.openQuestion = nil
                try legacy.use(key, &actions)
                machine.phase = .legacy(legacy, agreement)
            case (.provideOutOfBand(secureConnections: true), .outOfBand(let data)):
                guard case .secure(var secure, let agreement) = machine.phase else { return }
                machine.openQuestion = nil
                try secure.use(data, &actions)
                machine.phase = .secure(secure, agreement)
            default: return
            }
        }
    }

    /// Tells the peer what our user types. Does nothing unless both sides want it.
    public mutating func sendKeypress(_ kind: SMP.KeypressKind, now: MonotonicTime) -> [PairingAction] {
        guard usesKeypress, isRunning else { return [] }
        return run(now) { _, actions throws(PairingFault) in
            actions.append(try .command(.keypressNotification(.init(kind: kind))))
        }
    }

    /// Peripheral: the controller asks for the key that belongs to the numbers. Nil while pairing has none to give: the owner
    /// then looks at the bonds, or answers negatively (rows S14, S15).
    public func key(diversifier: UInt16, random: UInt64) -> LongTermKey? {
        guard !context.isInitiator, diversifier == 0, random == 0 else { return nil }
        switch phase {
        case .legacy(let legacy, let agreement):
            return legacy.key.map { LongTermKey(key: $0, strength: agreement.strength) }
        case .secure(let secure, _):
            return secure.key.map { LongTermKey(key: $0, strength: secure.strength) }
        case .idle, .requested, .consent, .keys, .over: return nil
        }
    }

    /// The controller asked for a key while pairing runs: answers with pairing's own, or negatively.
    public func answerKeyRequest(diversifier: UInt16, random: UInt64) -> PairingAction {
        .answerKeyRequest(key(diversifier: diversifier, random: random)?.key)
    }

    /// The link is encrypted now. Ignored unless pairing waits for it.
    public mutating func encryptionStarted(now: MonotonicTime) -> [PairingAction] {
        let exchange: KeyExchange
        switch phase {
        case .legacy(let legacy, let agreement):
            guard legacy.key != nil else { return [] }
            exchange = KeyExchange(context: context, agreement: agreement, sharedKey: nil, usedDebugKey: false)
        case .secure(let secure, let agreement):
            guard let key = secure.key else { return [] }
            exchange = KeyExchange(
                context: context, agreement: agreement, sharedKey: LongTermKey(key: key, strength: secure.strength),
                usedDebugKey: secure.usedDebugKey)
        case .idle, .requested, .consent, .keys, .over: return []
        }
        openQuestion = nil
        return run(now) { machine, actions throws(PairingFault) in
            var exchange = exchange
            try exchange.begin(&actions)
            machine.keep(exchange, &actions)
        }
    }

    /// The link could not be encrypted. Ignored unless pairing waits for it.
    public mutating func encryptionFailed(_ status: UInt8) -> [PairingAction] {
        switch phase {
        case .legacy, .secure: fail(.encryptionFailed(status))
        case .idle, .requested, .consent, .keys, .over: []
        }
    }

    /// The moment is there, or has passed.
    public mutating func tick(now: MonotonicTime) -> [PairingAction] {
        guard let deadline, now >= deadline, isRunning else { return [] }
        return fail(.timedOut)
    }

    /// Ends pairing for a reason of ours.
    public mutating func cancel(_ reason: SMP.FailureReason = .unspecifiedReason) -> [PairingAction] {
        isRunning ? fail(.refused(reason)) : []
    }

    /// The link is gone.
    public mutating func linkClosed() -> [PairingAction] { isRunning ? fail(.linkClosed) : [] }

    // MARK: - Private

    /// Runs one step: errors end pairing, anything sent or received starts the time again. Part H, 3.4.
    private mutating func run(
        _ now: MonotonicTime, _ step: (inout Self, inout [PairingAction]) throws(PairingFault) -> Void
    ) -> [PairingAction] {
        var actions: [PairingAction] = []
        deadline = now + SMP.timeout
        do {
            try step(&self, &actions)
        } catch {
            return fail(error.failure)
        }
        if isOver { deadline = nil }
        return actions
    }

    private mutating func fail(_ failure: PairingFailure) -> [PairingAction] {
        phase = .over
        deadline = nil
        openQuestion = nil
        guard case .refused(let reason) = failure else { return [.failed(failure)] }
        return [
            .send([SMP.Opcode.pairingFailed.rawValue, reason.rawValue]), .failed(failure),
        ]
    }

    private mutating func dispatch(
        _ command: SMP.Command, _ actions: inout [PairingAction]
    ) throws(PairingFault) {
        switch phase {
        case .idle:
            guard !context.isInitiator else { throw .failure(.refused(.commandNotSupported)) }
            guard case .pairingRequest(let packet) = command else { throw .outOfOrder }
            guard context.policy.acceptsPairing else { throw .failure(.refused(.pairingNotSupported)) }
            let response = PairingAgreement.features(context, answering: packet.features)
            try agree(packet.features, response, &actions)
        case .requested(let request):
            guard case .pairingResponse(let packet) = command else { throw .outOfOrder }
            try agree(request, packet.features, &actions)
        case .consent, .over: throw .outOfOrder
        case .legacy(var legacy, let agreement):
            try legacy.receive(command, &actions)
            phase = .legacy(legacy, agreement)
        case .secure(var secure, let agreement):
            try secure.receive(command, &actions)
            phase = .secure(secure, agreement)
            noteQuestion(actions)
        case .keys(var exchange):
            try exchange.receive(command, &actions)
            keep(exchange, &actions)
        }
    }

    private mutating func agree(
        _ request: SMP.PairingFeatures, _ response: SMP.PairingFeatures, _ actions: inout [PairingAction]
    ) throws(PairingFault) {
        let agreement: PairingAgreement
        do {
            agreement = try PairingAgreement(request: request, response: response, context: context)
        } catch {
            throw .failure(error)
        }
        var questions: [PairingQuestion] = []
        if let old = context.existing {
            guard context.policy.replacesBonds else { throw .failure(.refused(.pairingNotSupported)) }
            if context.provesBond, agreement.strength.isAtLeast(old) {
                // The device that has the key makes it better: nobody loses anything.
                mayReplaceBond = true
            } else {
                questions.append(.replaceBond(old: old, new: agreement.strength))
            }
        }
        if agreement.method == .justWorks, context.policy.confirmsJustWorks || !context.isInitiator {
            questions.append(.confirmJustWorks)
        }
        phase = .consent(agreement, questions: questions)
        try askNext(&actions)
    }

    private mutating func consented(_ actions: inout [PairingAction]) throws(PairingFault) {
        guard case .consent(let agreement, var questions) = phase, !questions.isEmpty else { return }
        questions.removeFirst()
        openQuestion = nil
        phase = .consent(agreement, questions: questions)
        try askNext(&actions)
    }

    private mutating func askNext(_ actions: inout [PairingAction]) throws(PairingFault) {
        guard case .consent(let agreement, let questions) = phase else { return }
        if let question = questions.first {
            openQuestion = question
            actions.append(.ask(question))
        } else {
            try authenticate(agreement, &actions)
        }
    }

    private mutating func authenticate(
        _ agreement: PairingAgreement, _ actions: inout [PairingAction]
    ) throws(PairingFault) {
        usesKeypress = agreement.usesKeypress
        hasAuthenticated = true
        if !context.isInitiator {
            actions.append(try .command(.pairingResponse(.init(features: agreement.response))))
        }
        if agreement.isSecureConnections {
            var secure = try SecurePairing(context: context, agreement: agreement)
            try secure.begin(&actions)
            phase = .secure(secure, agreement)
        } else {
            let legacy = try PairingFault.catching { () throws(CryptoError) in
                try LegacyPairing(context: context, agreement: agreement)
            }
            phase = .legacy(legacy, agreement)
        }
        switch agreement.method {
        case .justWorks:
            if case .legacy(var legacy, _) = phase {
                try legacy.use(.zero, &actions)
                phase = .legacy(legacy, agreement)
            }
        case .numericComparison: break
        case .passkeyEntry: try enterPasskey(agreement, &actions)
        case .outOfBand: try useOutOfBand(agreement, &actions)
        }
    }

    private mutating func enterPasskey(
        _ agreement: PairingAgreement, _ actions: inout [PairingAction]
    ) throws(PairingFault) {
        let shows: PairingAgreement.PasskeySource = context.isInitiator ? .initiatorShows : .responderShows
        if agreement.passkeySource == shows {
            let number = try PairingFault.catching { () throws(CryptoError) in
                if let fixed = context.policy.fixedPasskey { return fixed.number }
                return try context.crypto.random(below: 1_000_000)
            }
            let passkey = Passkey(truncating: number)
            actions.append(.ask(.showPasskey(passkey)))
            try use(passkey, &actions)
        } else {
            let question: PairingQuestion =
                agreement.passkeySource == .bothType ? .enterSamePasskey : .enterPasskey
            openQuestion = question
            actions.append(.ask(question))
        }
    }

    private mutating func use(_ passkey: Passkey, _ actions: inout [PairingAction]) throws(PairingFault) {
        switch phase {
        case .legacy(var legacy, let agreement):
            try legacy.use(passkey.temporaryKey, &actions)
            phase = .legacy(legacy, agreement)
        case .secure(var secure, let agreement):
            try secure.use(passkey, &actions)
            phase = .secure(secure, agreement)
        case .idle, .requested, .consent, .keys, .over: return
        }
    }

    private mutating func useOutOfBand(
        _ agreement: PairingAgreement, _ actions: inout [PairingAction]
    ) throws(PairingFault) {
        switch phase {
        case .legacy(var legacy, _):
            if let key = context.outOfBand.temporaryKey {
                try legacy.use(key, &actions)
                phase = .legacy(legacy, agreement)
                return
            }
        case .secure(var secure, _):
            // Only the peer has data: there is nothing to ask for.
            guard context.outOfBand.flag == .present else { return }
            if let data = context.outOfBand.peer {
                try secure.use(data, &actions)
                phase = .secure(secure, agreement)
                return
            }
        case .idle, .requested, .consent, .keys, .over: return
        }
        guard context.outOfBand.isGivenWhenAsked else { throw .failure(.refused(.outOfBandNotAvailable)) }
        let question = PairingQuestion.provideOutOfBand(secureConnections: agreement.isSecureConnections)
        openQuestion = question
        actions.append(.ask(question))
    }

    private mutating func keep(_ exchange: KeyExchange, _ actions: inout [PairingAction]) {
        var exchange = exchange
        if exchange.isDone {
            phase = .over
            actions.append(.finished(exchange.take(mayReplaceBond: mayReplaceBond)))
        } else {
            phase = .keys(exchange)
        }
    }

    private mutating func noteQuestion(_ actions: [PairingAction]) {
        for case .ask(let question) in actions { openQuestion = question }
    }

    private mutating func receive(_ kind: SMP.KeypressKind, now: MonotonicTime) -> [PairingAction] {
        guard usesKeypress, isRunning, kind.rawValue <= SMP.KeypressKind.completed.rawValue,
            keypresses < Self.keypressLimit
        else { return [] }
        keypresses += 1
        deadline = now + SMP.timeout
        return [.peerKeypress(kind)]
    }

    /// What the peer is told when our user says no.
    private var refusal: SMP.FailureReason {
        switch openQuestion {
        case .enterPasskey, .enterSamePasskey, .showPasskey: .passkeyEntryFailed
        case .compareNumbers: .numericComparisonFailed
        case .provideOutOfBand: .outOfBandNotAvailable
        case .confirmJustWorks, .replaceBond: .pairingNotSupported
        case nil: usesPasskey ? .passkeyEntryFailed : .unspecifiedReason
        }
    }

    private var usesPasskey: Bool {
        switch phase {
        case .legacy(_, let agreement), .secure(_, let agreement): agreement.method == .passkeyEntry
        case .idle, .requested, .consent, .keys, .over: false
        }
    }
}
