// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// Who is asked when a link is paired.
struct PairingAsker {
    /// Gets the questions; nil: nobody does, and they are answered by what callers agreed to.
    var sink: (any HostEventSink)?
    var actions: [SecurityAction] = []
    var isPerforming = false
}

// Pairing and encryption of links: what `SecurityManager` wants is done here.
extension StackEngine {
    // MARK: - calls

    /// Says how links are paired, and who is asked; see `Host/setPairing(_:asking:)`.
    public func setPairing(_ policy: PairingPolicy, asking sink: (any HostEventSink)?) {
        security.policy = policy
        asker.sink = sink
    }

    /// Takes bonds that were loaded, before the start.
    public func useBonds(_ database: BondDatabase) {
        security.use(database)
        cache = DatabaseCache(database.databases)
    }

    /// Nobody answers for a sink that is gone.
    public func removePairingSink(_ sink: any HostEventSink) {
        if asker.sink === sink { asker.sink = nil }
    }

    /// Out of band data for the next pairing; see ``SecurityManager/outOfBand``.
    public func setOutOfBand(_ supply: OutOfBandSupply) { security.outOfBand = supply }

    /// Makes a link as secure as wanted; see `Host/secure(_:options:timeout:completion:)`.
    public func secure(
        _ id: LinkID, options: PairingOptions, timeout: Duration, now: MonotonicTime,
        completion: @escaping HostCompletion<SecurityLevel>
    ) -> OperationID {
        self.now = now
        guard let link = open(id, "pairing", completion) else { return reserveOperation() }
        let text = "pairing with \(link.address)"
        let operation = begin(deadline: deadline(timeout), link: id) { [unowned self] error in
            completion(.failure(error.during(text)))
            if error.code == .cancelled || error.code == .timedOut {
                perform(security.cancelPairing(on: id, now: self.now))
            }
        }
        raise(options, on: link) { [unowned self] result in
            guard finish(operation) else { return }
            completion(result.mapError { $0.during(text) })
        }
        return operation
    }

    /// Answers the open question of a link.
    public func answerPairing(_ answer: PairingAnswer, on id: LinkID, now: MonotonicTime) {
        self.now = now
        perform(security.answer(answer, on: id, now: now))
    }

    /// Tells the peer what our user types.
    public func sendKeypress(_ kind: SMP.KeypressKind, on id: LinkID, now: MonotonicTime) {
        self.now = now
        perform(security.sendKeypress(kind, on: id, now: now))
    }

    /// Devices that keys are kept for, oldest first.
    public var bonds: [BondedPeer] {
        security.database.bonds.map {
            BondedPeer(peer: PeerID($0.identity), address: $0.identity, name: $0.name, strength: $0.strength)
        }
    }

    /// Forgets the keys of a device and ends its links. False if there are none.
    public func unpair(_ peer: PeerID, now: MonotonicTime) -> Bool {
        self.now = now
        guard let identity = DeviceAddress(peer), security.database[identity] != nil else { return false }
        perform(security.unpair(identity))
        return true
    }

    // MARK: - raising

    /// Raises a link's security; `done` is called once.
    func raise(
        _ options: PairingOptions, on link: Link, done: @escaping (Result<SecurityLevel, HostError>) -> Void
    ) {
        link.raises.append(done)
        if link.raises.count == 1 { link.pairingOptions = options }
        var policy = security.policy
        if asker.sink == nil {
            // Nobody can be shown anything, and what would be asked is settled by the caller.
            policy.ioCapability = .noInputNoOutput
            policy.confirmsJustWorks = !options.allowsJustWorks
        }
        let request = SecurityRequest(pairsAgain: options.pairsAgain, policy: policy)
        perform(security.raise(options.level, on: link.id, request: request, now: now))
    }

    /// The level that an ATT error asks for; nil if raising cannot help. Core 5.4, Vol 3, Part C, 10.3.2.
    func levelWanted(after error: HostError, on link: Link) -> SecurityLevel? {
        guard configuration.raisesSecurity, let code = error.attribute, link.phase == .open,
            let status = security.status(of: link.id)
        else { return nil }
        let level: SecurityLevel
        switch ATT.ErrorCode(rawValue: code) {
        case .insufficientEncryption: level = .encrypted
        case .insufficientAuthentication: level = status.level == .open ? .encrypted : .authenticated
        default: return nil
        }
        guard status.level < level else { return nil }
        // The key of a bond may be used without asking; a new pairing needs somebody who answers.
        let bonded = security.keyLevel(of: link.id) ?? .open
        return bonded >= level || asker.sink != nil ? level : nil
    }

    // MARK: - events

    func receiveSecurityManager(_ payload: RawSpan, on link: Link) {
        // Longer ones are wrong whatever follows.
        let count = min(payload.byteCount, SMP.maximumLength + 1)
        perform(security.receive(payload.extracting(0..<count).array, on: link.id, now: now))
    }

    func encryptionChanged(_ handle: UInt16, _ status: HCI.ErrorCode, isOn: Bool, keySize: UInt8? = nil) {
        guard Int(handle) < links.count, let link = links[Int(handle)] else { return }
        perform(
            security.encryptionChanged(
                status: status.rawValue, isOn: isOn, keySize: keySize.map { Int($0) }, on: link.id, now: now))
    }

    func longTermKeyRequested(_ event: HCI.LELongTermKeyRequest) {
        guard Int(event.handle) < links.count, let link = links[Int(event.handle)] else {
            return command(HCI.LELongTermKeyRequestNegativeReply(handle: event.handle))
        }
        perform(
            security.keyRequested(
                diversifier: event.diversifier, random: event.random, on: link.id, now: now))
    }

    func secureOpened(_ link: Link) {
        guard let airAddress else { return }
        perform(
            security.linkOpened(
                link.id, role: link.role, localAddress: airAddress, peerAddress: link.onAir, now: now))
    }

    /// The address is known: this is who we are for bonded peers. Bonds that were made on another address are of no use, and
    /// may be what a foreign controller is after (security H20).
    func becomeSomebody() -> HostError? {
        guard let localAddress else { return nil }
        if let known = security.database.adapterAddress, known != localAddress, !security.database.bonds.isEmpty {
            return HostError(
                .badData,
                detail: "the bonds belong to the adapter \(known), this one is \(localAddress); use other bonds for it")
        }
        if security.database.resolvingKey == nil {
            security.database.resolvingKey = try? configuration.crypto.randomValue()
        }
        security.database.adapterAddress = localAddress
        security.identity = LocalIdentity(
            address: localAddress, resolvingKey: security.database.resolvingKey ?? .zero)
        return nil
    }

    func tickSecurity() {
        if now >= security.nextDeadline { perform(security.tick(now: now)) }
    }

    // MARK: - actions

    /// Does what the manager wants, in order, also when doing it leads to more.
    func perform(_ actions: [SecurityAction]) {
        asker.actions += actions
        arm(security.nextDeadline)
        guard !asker.isPerforming else { return }
        asker.isPerforming = true
        while !asker.actions.isEmpty { perform(asker.actions.removeFirst()) }
        asker.isPerforming = false
        arm(security.nextDeadline)
    }

    private func perform(_ action: SecurityAction) {
        switch action {
        case .bondsChanged:
            forgetIdentities()
            nameBonds()
            onBondsChanged(security.database)
        case .send(let pdu, let id):
            if let link = self.link(id) { transmit(pdu.span.bytes, on: .securityManager, of: link) }
        case .encrypt(let key, let id): if let link = self.link(id) { encrypt(link, key) }
        case .answerKeyRequest(let key, let id):
            guard let link = self.link(id) else { return }
            if let key {
                command(HCI.LELongTermKeyRequestReply(handle: link.handle, key: key.littleEndian))
            } else {
                command(HCI.LELongTermKeyRequestNegativeReply(handle: link.handle))
            }
        case .disconnect(let reason, let id):
            guard let link = self.link(id) else { return }
            link.closeReason = link.closeReason ?? link.securityFailure
            close(link, reason: reason)
        case .ask(let question, let id): ask(question, id)
        case .peerKeypress(let kind, let id): asker.sink?.receive(.pairing(id, .keypress(kind)))
        case .statusChanged(let id): if let link = self.link(id) { statusChanged(link) }
        case .identified(let identity, let id): if let link = self.link(id) { identified(link, identity) }
        case .raised(let level, let id): endRaises(id, .success(level))
        case .failed(let failure, let id):
            let error = failure.hostError
            self.link(id)?.securityFailure = error
            endRaises(id, .failure(error))
            if case .linkClosed = failure { return }
            if case .pairing(.linkClosed) = failure { return }
            emit(.pairing(id, .failed(error)))
        case .paired(let outcome, let id):
            if outcome.isBonded, let link = self.link(id) { keepClient(link.bearer) }
            emit(
                .pairing(
                    id,
                    .finished(method: outcome.method, strength: outcome.strength, isBonded: outcome.isBonded)))
        }
    }

    private func encrypt(_ link: Link, _ key: LongTermKey) {
        let enable = HCI.LEEnableEncryption(
            handle: link.handle, random: key.random, diversifier: key.diversifier, key: key.key.littleEndian)
        command(enable) { [unowned self] result in
            guard case .failure(let error) = result else { return }
            perform(
                security.encryptionChanged(
                    status: error.controller ?? HCI.ErrorCode.unspecified.rawValue, isOn: false, on: link.id,
                    now: now))
        }
    }

    private func ask(_ question: PairingQuestion, _ id: LinkID) {
        if let sink = asker.sink { return sink.receive(.pairing(id, .question(question))) }
        let options = self.link(id).flatMap { $0.raises.isEmpty ? nil : $0.pairingOptions }
        let isAgreed =
            switch question {
            case .confirmJustWorks: options?.allowsJustWorks ?? false
            case .replaceBond: options?.replacesBond ?? false
            case .showPasskey, .enterPasskey, .enterSamePasskey, .compareNumbers, .provideOutOfBand: false
            }
        perform(security.answer(isAgreed ? .accept : .refuse, on: id, now: now))
    }

    /// Keeps with each bond the name that its peer advertised.
    private func nameBonds() {
        for bond in security.database.bonds where bond.name == nil {
            guard let index = advertisers.index(of: bond.identity) else { continue }
            guard let name = name(of: advertisers.entries[index]), !name.isEmpty else { continue }
            _ = security.updateBond(bond.identity) { $0.name = String(name.prefix(248)) }
        }
    }

    private func endRaises(_ id: LinkID, _ result: Result<SecurityLevel, HostError>) {
        guard let link = self.link(id) ?? closingLink, link.id == id else { return }
        let raises = link.raises
        link.raises = []
        for done in raises { done(result) }
    }

    private func statusChanged(_ link: Link) {
        guard let status = security.status(of: link.id) else { return }
        let wasEncrypted = link.bearer.peer.security > .open
        link.bearer.peer.security = status.level
        link.bearer.peer.keySize = status.keySize
        link.bearer.peer.hasKeys = status.hasKeys
        link.mustWait = status.mustWait
        if !wasEncrypted, status.level > .open { restoreClient(link) }
        linkUpdated(link)
        guard !link.mustWait else { return }
        let held = link.held
        link.held = []
        for start in held { start() }
    }

    private func identified(_ link: Link, _ identity: DeviceAddress) {
        let peer = PeerID(identity)
        let old = link.peer
        link.identity = identity
        guard peer != old else { return }
        link.peer = peer
        link.bearer.peer.peer = peer
        if !link.isAnnounced { return }
        emit(.identityResolved(from: old, to: peer))
        linkUpdated(link)
    }

    // MARK: - bonded clients

    /// What a bonded client subscribed to and said of itself holds again, once the link is encrypted (security A10, R3).
    private func restoreClient(_ link: Link) {
        guard let identity = link.identity, let bond = security.database[identity] else { return }
        link.isRestoring = true
        link.bearer.restoreConfigurations(bond.configurations)
        link.bearer.restoreClient(
            features: bond.clientFeatures, knownDatabase: bond.knownDatabase?.littleEndian, now: now)
        link.isRestoring = false
        keepClient(link.bearer)
    }

    /// Keeps what a bonded client subscribed to, what it can do, and the database that it knows.
    func keepClient(_ bearer: ATTBearer) {
        guard let link = self.link(bearer.peer.link), let identity = link.identity, bearer.peer.security > .open,
            !link.isRestoring, let bond = security.database[identity]
        else { return }
        var new = bond
        new.configurations = bearer.configurations
        new.clientFeatures = bearer.clientFeatures
        if bearer.isClientAware, let hash = server.databaseHash {
            new.knownDatabase = Value128(littleEndian: hash[...])
        }
        guard new != bond else { return }
        let changed = security.updateBond(identity) {
            $0.configurations = new.configurations
            $0.clientFeatures = new.clientFeatures
            $0.knownDatabase = new.knownDatabase
        }
        if changed { onBondsChanged(security.database) }
    }

    // MARK: - signed writes

    /// The level of a signed write, if it is genuine and new. The number is kept before the value counts. Security A11.
    func verify(_ command: [UInt8], from bearer: ATTBearer) -> SecurityLevel? {
        guard let link = self.link(bearer.peer.link), let identity = link.identity else { return nil }
        let (isGenuine, actions) = security.verify(signed: command, on: link.id)
        perform(actions)
        guard isGenuine, let strength = security.database[identity]?.strength else { return nil }
        return strength.isAuthenticated ? .authenticated : .encrypted
    }

    /// Signs a command with our key for the peer; nil without one. The number is kept before it is used.
    func sign(_ command: [UInt8], for link: Link) -> [UInt8]? {
        guard let identity = link.identity, let signed = try? security.sign(command, for: identity) else { return nil }
        perform(signed.actions)
        return signed.signature
    }
}

extension SecurityFailure {
    /// The failure as a host tells it.
    var hostError: HostError {
        switch self {
        case .pairing(.refused(let reason)):
            HostError(.insufficientSecurity, detail: "pairing failed: \(reason) (SMP \(Self.hex(reason.rawValue)))")
        case .pairing(.refusedByPeer(let reason)):
            HostError(.refused, detail: "the peer ended pairing: \(reason) (SMP \(Self.hex(reason.rawValue)))")
        case .pairing(.timedOut): HostError(.timedOut, detail: "the peer did not answer while pairing")
        case .pairing(.encryptionFailed(let status)), .encryption(let status):
            HostError(
                .insufficientSecurity, controller: status,
                detail: "the link could not be encrypted: \(HCI.ErrorCode(rawValue: status))")
        case .pairing(.linkClosed), .linkClosed: HostError(.disconnected, detail: "the link went down")
        case .keyMissing:
            HostError(
                .insufficientSecurity, controller: HCI.ErrorCode.pinOrKeyMissing.rawValue,
                detail: "the peer has lost the key of its bond, or is another device; unpair it and pair anew")
        case .tooSoon: HostError(.refused, detail: "too soon after a failed pairing; try again later")
        case .notOnThisLink: HostError(.wrongState, detail: "pairing timed out on this link; connect anew")
        case .insufficient(let level):
            HostError(.insufficientSecurity, detail: "pairing reached \(level.rawValue) of 4 levels only")
        case .timedOut: HostError(.timedOut, detail: "the central did not encrypt the link")
        case .bondKept: HostError(.refused, detail: "the old bond was kept")
        }
    }

    private static func hex(_ value: UInt8) -> String { "0x" + Hex.encode([value]) }
}
