// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

// How pairing begins and ends on a link.
extension SecurityManager {
    /// Packets out of place that are answered on one link while no pairing runs.
    static let complaintLimit = 8

    /// A frame on channel 6 while no pairing runs.
    mutating func receiveIdle(
        _ pdu: [UInt8], _ link: inout LinkSecurity, _ id: LinkID, _ now: MonotonicTime,
        _ actions: inout [SecurityAction]
    ) {
        let command: SMP.Command
        do {
            command = try SMP.Command(pdu: pdu)
        } catch {
            let isReserved = pdu.first.map { SMP.Opcode(rawValue: $0).length == nil } ?? false
            return complain(isReserved ? .commandNotSupported : .invalidParameters, &link, id, &actions)
        }
        switch command {
        case .pairingFailed(let packet):
            // The central does not want to follow our Security Request.
            guard link.wantedUntil != nil else { return }
            link.wanted = nil
            link.wantedUntil = nil
            actions.append(.failed(.pairing(.refusedByPeer(packet.reason)), id))
        case .keypressNotification: return
        case .securityRequest(let packet) where link.role == .central:
            receive(packet.requirements, &link, id, now, &actions)
        case .pairingRequest where link.role == .peripheral:
            if link.held != nil { return complain(.unspecifiedReason, &link, id, &actions) }
            if limiter.blockedUntil(link.device, now: now) != nil {
                return complain(.repeatedAttempts, &link, id, &actions)
            }
            var machine = PairingMachine(context: context(link, isOurs: link.wanted != nil))
            take(machine.receive(command, now: now), machine, &link, id, now, &actions)
        case .pairingRequest: complain(.commandNotSupported, &link, id, &actions)
        default: complain(.unspecifiedReason, &link, id, &actions)
        }
    }

    /// A peripheral asks for security. Core 5.4, Vol 3, Part H, 2.4.6; row S17.
    private mutating func receive(
        _ wanted: SMP.AuthenticationRequirements, _ link: inout LinkSecurity, _ id: LinkID, _ now: MonotonicTime,
        _ actions: inout [SecurityAction]
    ) {
        // Encryption is on its way, or a question is open: that answers it.
        guard link.expected == nil, link.held == nil else { return }
        let needsProtection = wanted.contains(.protectedAgainstMITM)
        func suffices(_ level: SecurityLevel) -> Bool { level >= (needsProtection ? .authenticated : .encrypted) }
        if suffices(link.level) { return }
        let policy = policy(of: link)
        let canProtect = policy.ioCapability != .noInputNoOutput || outOfBandSupply(of: link).flag == .present
        // A wish for protection that neither side could fulfil is no reason to pair a bonded device again.
        if let key = key(for: link), suffices(key.strength.level) || !canProtect {
            guard link.level == .open else { return }
            link.expected = .init(key: key, isFromPairing: false)
            return actions.append(.encrypt(key, id))
        }
        guard policy.acceptsPairing else { return complain(.pairingNotSupported, &link, id, &actions) }
        guard limiter.blockedUntil(link.device, now: now) == nil else { return }
        startPairing(&link, id, now, isOurs: false, &actions)
    }

    /// Central: sends a Pairing Request.
    mutating func startPairing(
        _ link: inout LinkSecurity, _ id: LinkID, _ now: MonotonicTime, isOurs: Bool,
        _ actions: inout [SecurityAction]
    ) {
        if let until = limiter.blockedUntil(link.device, now: now) {
            link.wanted = nil
            return actions.append(.failed(.tooSoon(until: until), id))
        }
        var machine = PairingMachine(context: context(link, isOurs: isOurs))
        take(machine.start(now: now), machine, &link, id, now, &actions)
        if let deadline = link.pairing?.deadline { arm(deadline) }
    }

    /// Keeps the machine as it is after an input, and does what it says.
    mutating func take(
        _ steps: [PairingAction], _ machine: PairingMachine, _ link: inout LinkSecurity, _ id: LinkID,
        _ now: MonotonicTime, _ actions: inout [SecurityAction]
    ) {
        link.pairing = machine.isRunning ? machine : nil
        for step in steps {
            switch step {
            case .send(let pdu): actions.append(.send(pdu, id))
            case .ask(let question): actions.append(.ask(question, id))
            case .peerKeypress(let kind): actions.append(.peerKeypress(kind, id))
            case .startEncryption(let key):
                link.expected = .init(key: key, isFromPairing: true)
                actions.append(.encrypt(key, id))
            case .answerKeyRequest(let key): actions.append(.answerKeyRequest(key, id))
            case .finished(let outcome):
                // Fixed digits are learned piece by piece, also by those who succeed (row S9).
                let isFixed = machine.context.policy.fixedPasskey != nil && outcome.method == .passkeyEntry
                if isFixed { limiter.failed(link.device, now: now) } else { limiter.succeeded(link.device) }
                useUpOutOfBand(&link, machine)
                finish(outcome, &link, id, now, &actions)
            case .failed(let failure):
                useUpOutOfBand(&link, machine)
                if machine.hasAuthenticated { limiter.failed(link.device, now: now) }
                if failure == .timedOut { link.isMuted = true }
                if link.expected?.isFromPairing == true { link.expected = nil }
                link.wanted = nil
                link.wantedUntil = nil
                actions.append(.failed(.pairing(failure), id))
            }
        }
    }

    // MARK: - Encryption

    mutating func encryptionChanged(
        _ status: UInt8, _ isOn: Bool, _ keySize: Int?, _ link: inout LinkSecurity, _ id: LinkID,
        _ now: MonotonicTime, _ actions: inout [SecurityAction]
    ) {
        guard let expected = link.expected else {
            // Encryption that ends on a link that had it: nothing that follows may be believed.
            if status == 0, !isOn, link.level != .open {
                setLevel(.open, 0, &link, id, &actions)
                actions.append(.disconnect(.authenticationFailure, id))
            }
            return
        }
        link.expected = nil
        guard status == 0, isOn else {
            return encryptionFailed(status == 0 ? 0x1F : status, expected, &link, id, now, &actions)
        }
        let size = min(keySize ?? expected.key.strength.keySize, expected.key.strength.keySize)
        guard size >= policy(of: link).minimumKeySize else {
            actions.append(.failed(.pairing(.refused(.encryptionKeySize)), id))
            return actions.append(.disconnect(.authenticationFailure, id))
        }
        link.mustEncrypt = false
        link.usesBondKey = !expected.isFromPairing
        let level = link.pairing?.usesDebugKey == true ? .open : expected.key.strength.level
        setLevel(level, size, &link, id, &actions)
        if expected.isFromPairing, var machine = link.pairing {
            return take(machine.encryptionStarted(now: now), machine, &link, id, now, &actions)
        }
        settleWish(&link, id, now, &actions)
    }

    private mutating func encryptionFailed(
        _ status: UInt8, _ expected: LinkSecurity.Expected, _ link: inout LinkSecurity, _ id: LinkID,
        _ now: MonotonicTime, _ actions: inout [SecurityAction]
    ) {
        if expected.isFromPairing, var machine = link.pairing {
            return take(machine.encryptionFailed(status), machine, &link, id, now, &actions)
        }
        // A bonded peer without its key is reported, never paired again by itself, and nothing is exchanged in clear (R1, R2).
        link.wanted = nil
        let isMissing = HCI.ErrorCode(rawValue: status) == .pinOrKeyMissing
        actions.append(.failed(isMissing ? .keyMissing : .encryption(status), id))
        if closesWithoutEncryption { actions.append(.disconnect(.authenticationFailure, id)) }
    }

    /// Encryption is on and no pairing runs: is that what was wanted?
    private mutating func settleWish(
        _ link: inout LinkSecurity, _ id: LinkID, _ now: MonotonicTime, _ actions: inout [SecurityAction]
    ) {
        guard let wanted = link.wanted else { return }
        if link.level >= wanted {
            link.wanted = nil
            link.wantedUntil = nil
            actions.append(.raised(link.level, id))
        } else if link.role == .central {
            startPairing(&link, id, now, isOurs: true, &actions)
        }
    }

    private func setLevel(
        _ level: SecurityLevel, _ keySize: Int, _ link: inout LinkSecurity, _ id: LinkID,
        _ actions: inout [SecurityAction]
    ) {
        guard link.level != level || link.keySize != keySize || link.identity != nil else { return }
        link.level = level
        link.keySize = keySize
        actions.append(.statusChanged(id))
    }

    // MARK: - End of pairing

    private mutating func finish(
        _ outcome: PairingOutcome, _ link: inout LinkSecurity, _ id: LinkID, _ now: MonotonicTime,
        _ actions: inout [SecurityAction]
    ) {
        guard outcome.isBonded else { return complete(outcome, isKept: false, &link, id, now, &actions) }
        keep(outcome, mayReplace: false, &link, id, now, &actions)
    }

    /// Puts the bond into the database, after a question if another one is in the way (rows S6, S20).
    mutating func keep(
        _ outcome: PairingOutcome, mayReplace: Bool, _ link: inout LinkSecurity, _ id: LinkID, _ now: MonotonicTime,
        _ actions: inout [SecurityAction]
    ) {
        link.held = nil
        let named = outcome.identity ?? link.identity ?? (link.peerAddress.isIdentity ? link.peerAddress : nil)
        // A device that was recognized cannot become another one.
        guard let named, link.identity == nil || DeviceAddress(named.address, named.peerKind) == link.identity else {
            return complete(outcome, isKept: false, &link, id, now, &actions)
        }
        var bond = Bond(identity: named, outcome: outcome)
        if let old = database[named] {
            let wasAgreed = mayReplace || (outcome.mayReplaceBond && link.identity == old.identity)
            guard wasAgreed else {
                guard policy(of: link).replacesBonds, let strength = old.strength else {
                    return complete(outcome, isKept: false, &link, id, now, &actions)
                }
                link.held = outcome
                return actions.append(.ask(.replaceBond(old: strength, new: outcome.strength), id))
            }
            bond.name = old.name
        }
        guard database.put(bond) else { return complete(outcome, isKept: false, &link, id, now, &actions) }
        resolver.use(database.bonds)
        link.identity = bond.identity
        link.usesBondKey = true
        actions.append(.bondsChanged)
        actions.append(.identified(bond.identity, id))
        complete(outcome, isKept: true, &link, id, now, &actions)
    }

    mutating func complete(
        _ outcome: PairingOutcome, isKept: Bool, _ link: inout LinkSecurity, _ id: LinkID, _ now: MonotonicTime,
        _ actions: inout [SecurityAction]
    ) {
        link.held = nil
        var outcome = outcome
        outcome.isBonded = isKept
        actions.append(.statusChanged(id))
        actions.append(.paired(outcome, id))
        guard let wanted = link.wanted else { return }
        link.wanted = nil
        link.wantedUntil = nil
        actions.append(link.level >= wanted ? .raised(link.level, id) : .failed(.insufficient(link.level), id))
    }

    // MARK: - Helpers

    private func complain(
        _ reason: SMP.FailureReason, _ link: inout LinkSecurity, _ id: LinkID, _ actions: inout [SecurityAction]
    ) {
        guard link.complaints < Self.complaintLimit else { return }
        link.complaints += 1
        actions.append(.send([SMP.Opcode.pairingFailed.rawValue, reason.rawValue], id))
    }

    private func outOfBandSupply(of link: LinkSecurity) -> OutOfBandSupply { link.outOfBand ?? outOfBand }

    private func context(_ link: LinkSecurity, isOurs: Bool) -> PairingContext {
        var policy = policy(of: link)
        if isOurs {
            // The application asked for it, so it allows it; Just Works is still asked about unless it said otherwise.
            policy.acceptsPairing = true
            if let wanted = link.wanted, wanted > policy.minimumLevel {
                policy.minimumLevel = wanted
                if wanted >= .authenticated { policy.wantsProtection = true }
            }
        } else {
            policy.confirmsJustWorks = true
        }
        var context = PairingContext(
            role: link.role, localAddress: link.localAddress, peerAddress: link.peerAddress, policy: policy,
            identity: identity, existing: link.identity.flatMap { database[$0]?.strength },
            outOfBand: outOfBandSupply(of: link), crypto: crypto)
        context.provesBond = link.level > .open && link.usesBondKey
        return context
    }

    /// A key pair that was in a pairing is not used again (row S3).
    private mutating func useUpOutOfBand(_ link: inout LinkSecurity, _ machine: PairingMachine) {
        guard machine.hasAuthenticated, let used = machine.context.outOfBand.local else { return }
        link.outOfBand?.local = nil
        if outOfBand.local == used { outOfBand.local = nil }
    }
}
