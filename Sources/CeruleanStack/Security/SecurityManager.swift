// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// The security of all links of a host: bonds, pairing, encryption, who is behind an address.
///
/// Pure: the owner tells what happens, performs the returned actions in order, and calls ``tick(now:)`` at ``nextDeadline``.
/// ```swift
/// var security = SecurityManager(crypto: SystemCrypto())
/// perform(security.linkOpened(link, role: .central, localAddress: own, peerAddress: peer, now: now))
/// perform(security.raise(.encrypted, on: link, now: now))
/// ```
public struct SecurityManager: Sendable {
    /// What links without a policy of their own do.
    public var policy: PairingPolicy
    /// Who we are; nil until the controller's address is known.
    public var identity: LocalIdentity?
    /// Out of band data for the next pairing.
    public var outOfBand = OutOfBandSupply()
    /// Ends the link when a bonded peer cannot encrypt it (row R2).
    public var closesWithoutEncryption = true
    /// Bonds, and what else is kept between runs.
    public internal(set) var database: BondDatabase
    /// When ``tick(now:)`` must be called next.
    public internal(set) var nextDeadline = MonotonicTime.distantFuture

    let crypto: any CryptoProvider
    var links: [LinkID: LinkSecurity] = [:]
    var limiter = AttemptLimiter()
    var resolver = AddressResolver()

    /// A manager without links.
    public init(
        policy: PairingPolicy = PairingPolicy(), database: BondDatabase = BondDatabase(),
        crypto: any CryptoProvider = SystemCrypto()
    ) {
        self.policy = policy
        self.database = database
        self.crypto = crypto
        resolver.use(database.bonds)
    }

    // MARK: - Bonds

    /// Takes a database that was loaded; links that are up keep what they have.
    public mutating func use(_ database: BondDatabase) {
        self.database = database
        resolver.use(database.bonds)
    }

    /// The bonded device behind an address; nil when there is none, or more than one (row S20).
    public mutating func bondedIdentity(of address: DeviceAddress, now: MonotonicTime) -> DeviceAddress? {
        if database.bonds.isEmpty { return nil }
        if address.isIdentity { return database[address]?.identity }
        guard case .identity(let identity) = resolve(address, now: now) else { return nil }
        return identity
    }

    /// Who is behind a resolvable private address. Without AES nobody is recognized, and everybody is a stranger: the safe side.
    public mutating func resolve(_ address: DeviceAddress, now: MonotonicTime) -> AddressResolver.Answer {
        (try? resolver.resolve(address, now: now, crypto: crypto)) ?? .nobody
    }

    /// Changes what is kept about a peer: subscriptions, features, its name. False if there is no such bond.
    public mutating func updateBond(_ identity: DeviceAddress, _ change: (inout Bond) -> Void) -> Bool {
        guard var bond = database[identity] else { return false }
        let before = bond
        change(&bond)
        bond.identity = before.identity
        guard database.put(bond) else { return false }
        if bond.resolvingKey != before.resolvingKey { resolver.use(database.bonds) }
        return true
    }

    /// Forgets a bond; links with the device end.
    public mutating func unpair(_ identity: DeviceAddress) -> [SecurityAction] {
        guard let bond = database.remove(identity) else { return [] }
        resolver.use(database.bonds)
        var actions: [SecurityAction] = [.bondsChanged]
        for (id, link) in links where link.identity == bond.identity {
            actions.append(.disconnect(.remoteUserTerminated, id))
        }
        return actions
    }

    /// The signature for a write command to a bonded peer, and a counter used up; nil without a key. The database is to be
    /// saved. Core 5.4, Vol 3, Part C, 10.4.1.
    public mutating func sign(
        _ pdu: [UInt8], for identity: DeviceAddress
    ) throws(CryptoError) -> (signature: [UInt8], actions: [SecurityAction])? {
        guard var bond = database[identity], let key = bond.localSignature, key.counter < .max else { return nil }
        let signature = try crypto.signature(of: pdu, counter: key.counter, key: key.key)
        bond.localSignature?.counter += 1
        _ = database.put(bond)
        return (signature, [.bondsChanged])
    }

    /// True if a signed write on a link is genuine and new; its counter is then used up. Without a key, a bond or
    /// cryptography it is not (row A11). Core 5.4, Vol 3, Part C, 10.4.2.
    public mutating func verify(signed pdu: [UInt8], on id: LinkID) -> (isGenuine: Bool, actions: [SecurityAction]) {
        guard let link = links[id], link.level == .open, let identity = link.identity, var bond = database[identity],
            let key = bond.peerSignature,
            let counter = try? crypto.verifiedCounter(ofSigned: pdu, key: key.key), counter >= key.counter,
            counter < .max
        else { return (false, []) }
        bond.peerSignature?.counter = counter + 1
        _ = database.put(bond)
        return (true, [.bondsChanged])
    }

    // MARK: - Links

    /// How secure a link is; nil if it is not known.
    public func status(of id: LinkID) -> LinkSecurityStatus? {
        guard let link = links[id] else { return nil }
        return LinkSecurityStatus(
            level: link.level, keySize: link.keySize, identity: link.identity, hasKeys: key(for: link) != nil,
            mustWait: link.mustEncrypt)
    }

    /// A link is up. With a bonded peripheral encryption starts at once (row R1).
    public mutating func linkOpened(
        _ id: LinkID, role: LinkInfo.Role, localAddress: DeviceAddress, peerAddress: DeviceAddress, now: MonotonicTime
    ) -> [SecurityAction] {
        var link = LinkSecurity(role: role, localAddress: localAddress, peerAddress: peerAddress)
        var actions: [SecurityAction] = []
        if let identity = bondedIdentity(of: peerAddress, now: now) {
            link.identity = identity
            link.mustEncrypt = true
            actions.append(.identified(identity, id))
            if role == .central, let key = database[identity]?.peerKey {
                link.expected = .init(key: key, isFromPairing: false)
                actions.append(.encrypt(key, id))
            }
            actions.append(.statusChanged(id))
        }
        links[id] = link
        return actions
    }

    /// A link is gone. What was wanted on it fails.
    public mutating func linkClosed(_ id: LinkID, now: MonotonicTime) -> [SecurityAction] {
        guard var link = links[id] else { return [] }
        var actions: [SecurityAction] = []
        if var machine = link.pairing {
            link.pairing = nil
            take(machine.linkClosed(), machine, &link, id, now, &actions)
        } else if link.wanted != nil || link.expected != nil || link.held != nil {
            actions.append(.failed(.linkClosed, id))
        }
        links[id] = nil
        return actions
    }

    /// Wants a link to be at least this secure: encrypts with the bond's key, or pairs. Ends with `raised` or `failed`.
    public mutating func raise(
        _ level: SecurityLevel, on id: LinkID, request: SecurityRequest = SecurityRequest(), now: MonotonicTime
    ) -> [SecurityAction] {
        guard var link = links[id] else { return [.failed(.linkClosed, id)] }
        defer { links[id] = link }
        if link.isMuted { return [.failed(.notOnThisLink, id)] }
        if link.level >= level, !request.pairsAgain { return [.raised(link.level, id)] }
        link.policy = request.policy ?? link.policy
        link.outOfBand = request.outOfBand ?? link.outOfBand
        link.wanted = max(level, link.wanted ?? level)
        // One procedure at a time (row S21): its end decides.
        if link.pairing != nil || link.expected != nil || link.held != nil { return [] }
        var actions: [SecurityAction] = []
        if link.role == .central {
            if !request.pairsAgain, let key = key(for: link), key.strength.level >= level {
                link.expected = .init(key: key, isFromPairing: false)
                actions.append(.encrypt(key, id))
            } else {
                startPairing(&link, id, now, isOurs: true, &actions)
            }
        } else if link.wantedUntil == nil {
            let needed = requirements(of: link)
            actions.append(.send([SMP.Opcode.securityRequest.rawValue, needed.rawValue], id))
            link.wantedUntil = now + SMP.timeout
            arm(now + SMP.timeout)
        }
        return actions
    }

    /// Gives up what somebody wanted for a link; a pairing that runs is ended.
    public mutating func cancelPairing(on id: LinkID, now: MonotonicTime) -> [SecurityAction] {
        change(id, now) { manager, link, actions in
            link.wanted = nil
            link.wantedUntil = nil
            if let outcome = link.held { manager.complete(outcome, isKept: false, &link, id, now, &actions) }
            if var machine = link.pairing { manager.take(machine.cancel(), machine, &link, id, now, &actions) }
        }
    }

    /// The level that the key of the bond gives to a link; nil without one.
    public func keyLevel(of id: LinkID) -> SecurityLevel? {
        links[id].flatMap { key(for: $0)?.strength.level }
    }

    /// The application's answer to the open question of a link.
    public mutating func answer(_ answer: PairingAnswer, on id: LinkID, now: MonotonicTime) -> [SecurityAction] {
        change(id, now) { manager, link, actions in
            if let outcome = link.held {
                switch answer {
                case .accept: manager.keep(outcome, mayReplace: true, &link, id, now, &actions)
                case .refuse: manager.complete(outcome, isKept: false, &link, id, now, &actions)
                case .passkey, .temporaryKey, .outOfBand: return
                }
            } else if var machine = link.pairing {
                manager.take(machine.answer(answer, now: now), machine, &link, id, now, &actions)
            }
        }
    }

    /// Tells the peer what our user types.
    public mutating func sendKeypress(
        _ kind: SMP.KeypressKind, on id: LinkID, now: MonotonicTime
    ) -> [SecurityAction] {
        change(id, now) { manager, link, actions in
            guard var machine = link.pairing else { return }
            manager.take(machine.sendKeypress(kind, now: now), machine, &link, id, now, &actions)
        }
    }

    /// A frame came on channel 6.
    public mutating func receive(_ pdu: [UInt8], on id: LinkID, now: MonotonicTime) -> [SecurityAction] {
        change(id, now) { manager, link, actions in
            guard !link.isMuted, !pdu.isEmpty else { return }
            if var machine = link.pairing {
                manager.take(machine.receive(pdu, now: now), machine, &link, id, now, &actions)
            } else {
                manager.receiveIdle(pdu, &link, id, now, &actions)
            }
        }
    }

    /// The controller asks for the key of a link.
    ///
    /// Keys of bonds are found by both numbers exactly (row R6); while pairing runs only its own key is given, and only when
    /// everything has been checked (rows S14, S15).
    public mutating func keyRequested(
        diversifier: UInt16, random: UInt64, on id: LinkID, now: MonotonicTime
    ) -> [SecurityAction] {
        change(id, now) { manager, link, actions in
            var found: LinkSecurity.Expected?
            if link.role == .peripheral {
                if let machine = link.pairing {
                    found = machine.key(diversifier: diversifier, random: random)
                        .map { .init(key: $0, isFromPairing: true) }
                } else if let key = manager.key(for: link), key.diversifier == diversifier, key.random == random,
                    key.strength.keySize >= manager.policy(of: link).minimumKeySize
                {
                    found = .init(key: key, isFromPairing: false)
                }
            }
            if found?.key.key == .zero { found = nil }
            if let found { link.expected = found }
            actions.append(.answerKeyRequest(found?.key.key, id))
        }
    }

    /// Encryption Change or Encryption Key Refresh Complete came. Without a request of ours it means nothing (row H15).
    ///
    /// - Parameters:
    ///   - status: the HCI error code; 0 for success.
    ///   - isOn: whether the link is encrypted now.
    ///   - keySize: octets of the key, where the event tells.
    ///   - id: The question.
    ///   - now: The present moment.
    public mutating func encryptionChanged(
        status: UInt8, isOn: Bool, keySize: Int? = nil, on id: LinkID, now: MonotonicTime
    ) -> [SecurityAction] {
        change(id, now) { manager, link, actions in
            manager.encryptionChanged(status, isOn, keySize, &link, id, now, &actions)
        }
    }

    /// Lets time pass.
    public mutating func tick(now: MonotonicTime) -> [SecurityAction] {
        guard now >= nextDeadline else { return [] }
        nextDeadline = .distantFuture
        var actions: [SecurityAction] = []
        for id in links.keys {
            actions += change(id, now) { manager, link, actions in
                if var machine = link.pairing {
                    manager.take(machine.tick(now: now), machine, &link, id, now, &actions)
                }
                if let until = link.wantedUntil, now >= until {
                    link.wanted = nil
                    link.wantedUntil = nil
                    if link.pairing == nil { actions.append(.failed(.timedOut, id)) }
                }
            }
        }
        return actions
    }

    // MARK: - Shared with the extensions

    /// Works on one link and arms its deadlines afterwards.
    mutating func change(
        _ id: LinkID, _ now: MonotonicTime,
        _ body: (inout Self, inout LinkSecurity, inout [SecurityAction]) -> Void
    ) -> [SecurityAction] {
        guard var link = links[id] else { return [] }
        var actions: [SecurityAction] = []
        body(&self, &link, &actions)
        links[id] = link
        if let deadline = link.pairing?.deadline { arm(deadline) }
        if let deadline = link.wantedUntil { arm(deadline) }
        return actions
    }

    mutating func arm(_ moment: MonotonicTime) { nextDeadline = min(nextDeadline, moment) }

    /// The key that encrypts this link, by our role on it.
    func key(for link: LinkSecurity) -> LongTermKey? {
        let bond = link.identity.flatMap { database[$0] }
        return link.role == .central ? bond?.peerKey : bond?.localKey
    }

    func policy(of link: LinkSecurity) -> PairingPolicy { link.policy ?? policy }

    func requirements(of link: LinkSecurity) -> SMP.AuthenticationRequirements {
        let policy = policy(of: link)
        var needed: SMP.AuthenticationRequirements = []
        if policy.bonds { needed.insert(.bonding) }
        if policy.wantsProtection || (link.wanted ?? .open) >= .authenticated { needed.insert(.protectedAgainstMITM) }
        if policy.supportsSecureConnections { needed.insert(.secureConnections) }
        if policy.offersKeypress { needed.insert(.keypress) }
        return needed
    }
}

/// What is known about one link.
struct LinkSecurity: Sendable {
    /// A key that was given to the controller; its answer is still to come.
    struct Expected: Hashable, Sendable {
        var key: LongTermKey
        var isFromPairing: Bool
    }

    let role: LinkInfo.Role
    let localAddress: DeviceAddress
    let peerAddress: DeviceAddress
    var identity: DeviceAddress?
    var policy: PairingPolicy?
    var outOfBand: OutOfBandSupply?
    var pairing: PairingMachine?
    var expected: Expected?
    var level = SecurityLevel.open
    var keySize = 0
    /// The key in force is that of the bond.
    var usesBondKey = false
    /// Pairing timed out: silence until the link is made anew. Core 5.4, Vol 3, Part H, 3.4.
    var isMuted = false
    /// A bonded peer that has not encrypted yet.
    var mustEncrypt = false
    /// What somebody waits for.
    var wanted: SecurityLevel?
    /// Peripheral: how long to wait for the central to follow a Security Request.
    var wantedUntil: MonotonicTime?
    /// Pairing is complete, but the application must agree that a bond is replaced.
    var held: PairingOutcome?
    /// Packets out of place that were answered; beyond a few they are ignored.
    var complaints = 0

    init(role: LinkInfo.Role, localAddress: DeviceAddress, peerAddress: DeviceAddress) {
        self.role = role
        self.localAddress = localAddress
        self.peerAddress = peerAddress
    }

    /// Whom failures are counted for.
    var device: DeviceAddress { identity ?? peerAddress }
}
