// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// Links that are wanted, in order; a controller makes one at a time.
struct Connector {
    /// Somebody who waits for a link.
    struct Waiter {
        var operation: OperationID
        var exchangesMTU: Bool
        var completion: HostCompletion<LinkInfo>
    }

    /// A link that is wanted, by one or several.
    struct Wish {
        var address: DeviceAddress
        var parameters: ConnectionParameterRequest?
        var phys: HCI.PHYMask?
        var waiters: [Waiter]
    }

    enum Phase: Hashable {
        case idle
        /// The controller was asked; Connection Complete will tell.
        case creating
        /// The controller was asked to give up; Connection Complete will tell, with a link perhaps.
        case cancelling
    }

    var phase = Phase.idle
    /// What the controller is busy with; nobody wants it any more while it is cancelled.
    var current: Wish?
    var waiting: [Wish] = []
    /// When a cancelled attempt counts as ended whatever the controller says.
    var deadline = MonotonicTime.distantFuture

    static let limit = 256
}

extension StackEngine {
    /// Connects, or joins the link that is up; see `Host/connect(_:options:timeout:completion:)`.
    public func connect(
        _ peer: PeerID, options: ConnectOptions, timeout: Duration, now: MonotonicTime,
        completion: @escaping HostCompletion<LinkInfo>
    ) -> OperationID {
        self.now = now
        let text = { "connect to \(DeviceAddress(peer).map(\.description) ?? peer.description)" }
        func refuse(_ error: HostError) -> OperationID {
            completion(.failure(error.during(text())))
            return reserveOperation()
        }
        if let error = unavailable(text()) { return refuse(error) }
        guard let wanted = DeviceAddress(peer), wanted.kind != .anonymous else {
            return refuse(HostError(.notFound, detail: "no such peer"))
        }
        if let phys = options.phys {
            guard !phys.isEmpty, phys.isSubset(of: [.le1M, .leCoded]) else {
                return refuse(HostError(.invalidArgument, detail: "one looks on LE 1M, LE Coded or both"))
            }
            guard phys == .le1M || startup.isExtended && startup.features.contains(.leCoded) else {
                return refuse(HostError(.unsupported, detail: "this controller has no LE Coded"))
            }
        }
        if let request = options.parameters, let error = request.error { return refuse(error) }
        let address = airAddress(of: wanted)
        if let link = allLinks.first(where: { $0.isPeer(wanted) && $0.phase == .open && !$0.isUnwanted }) {
            link.users += 1
            let operation = reserveOperation()
            completion(.success(link.info))
            return operation
        }
        guard connector.waiting.count < Connector.limit else {
            return refuse(HostError(.queueFull, detail: "\(Connector.limit) connections are being made"))
        }
        let operation = begin(deadline: deadline(timeout), link: nil) { _ in }
        (operations[operation] as? ClosureOperation)?.failed = { [unowned self] error in
            forget(operation)
            completion(.failure(error.during(text())))
        }
        let waiter = Connector.Waiter(
            operation: operation, exchangesMTU: options.exchangesMTU, completion: completion)
        if connector.phase == .creating, connector.current?.address == address {
            connector.current?.waiters.append(waiter)
        } else if let index = connector.waiting.firstIndex(where: { $0.address == address }) {
            connector.waiting[index].waiters.append(waiter)
        } else {
            connector.waiting.append(
                Connector.Wish(
                    address: address, parameters: options.parameters, phys: options.phys, waiters: [waiter]))
        }
        connectNext()
        return operation
    }

    // MARK: - the controller

    func connectNext() {
        guard connector.phase == .idle, !connector.waiting.isEmpty, state == .poweredOn, !privacy.isChanging else {
            return
        }
        let wish = connector.waiting.removeFirst()
        connector.current = wish
        connector.phase = .creating
        createConnection(wish) { [self] result in
            guard case .failure(let error) = result, connector.phase != .idle else { return }
            if error.controller == HCI.ErrorCode.commandDisallowed.rawValue, scanner.current != nil, !scanner.isPaused {
                // This controller cannot scan meanwhile: scanning rests until the link is up.
                scanner.isPaused = true
                updateScanning()
                if let current = connector.current, !current.waiters.isEmpty {
                    connector.waiting.insert(current, at: 0)
                }
                connector.phase = .idle
                connector.current = nil
                return connectNext()
            }
            attemptEnded(HostError(.connectionFailed, controller: error.controller, detail: error.detail))
        }
    }

    private func createConnection(_ wish: Connector.Wish, _ done: @escaping (Result<Void, HostError>) -> Void) {
        let request = wish.parameters ?? ConnectionParameterRequest()
        let units = request.units
        guard startup.isExtended else {
            return command(
                HCI.LECreateConnection(
                    scanInterval: 96, scanWindow: 96, filterPolicy: 0, peerAddressKind: wish.address.peerKind,
                    peerAddress: wish.address.address, ownAddressType: startup.ownAddressType,
                    intervalMinimum: units.minimum, intervalMaximum: units.maximum, latency: units.latency,
                    supervisionTimeout: units.timeout, eventLengthMinimum: 0, eventLengthMaximum: 0), done)
        }
        var phys = HCI.PHYMask.le1M
        if let wanted = wish.phys {
            phys = wanted
        } else if let index = advertisers.index(of: wish.address),
            advertisers.entries[index].traits?.primaryPHY == .leCoded
        {
            phys = .leCoded
        }
        let count = UInt16(phys.rawValue.nonzeroBitCount)
        let one = HCI.LEExtendedCreateConnection.PHYParameters(
            scanInterval: 96, scanWindow: 96 / count, intervalMinimum: units.minimum, intervalMaximum: units.maximum,
            latency: units.latency, supervisionTimeout: units.timeout, eventLengthMinimum: 0, eventLengthMaximum: 0)
        command(
            HCI.LEExtendedCreateConnection(
                filterPolicy: 0, ownAddressType: startup.ownAddressType, peerAddressKind: wish.address.peerKind,
                peerAddress: wish.address.address, phys: phys,
                parameters: Array(repeating: one, count: Int(count))), done)
    }

    /// The attempt is over without a link.
    private func attemptEnded(_ error: HostError) {
        let waiters = connector.current?.waiters ?? []
        attemptOver()
        for waiter in waiters { end(waiter.operation, error) }
        connectNext()
    }

    private func attemptOver() {
        connector.current = nil
        connector.phase = .idle
        connector.deadline = .distantFuture
        if scanner.isPaused {
            scanner.isPaused = false
            updateScanning()
        }
    }

    /// Somebody does not wait any more.
    private func forget(_ operation: OperationID) {
        for index in connector.waiting.indices {
            connector.waiting[index].waiters.removeAll { $0.operation == operation }
        }
        connector.waiting.removeAll { $0.waiters.isEmpty }
        guard connector.current?.waiters.contains(where: { $0.operation == operation }) == true else { return }
        connector.current?.waiters.removeAll { $0.operation == operation }
        guard connector.phase == .creating, connector.current?.waiters.isEmpty == true else { return }
        connector.phase = .cancelling
        command(HCI.LECreateConnectionCancel()) { [self] result in
            // "Disallowed" means that Connection Complete has been sent, or is about to be.
            guard connector.phase == .cancelling else { return }
            connector.deadline = now + .seconds(2)
            arm(connector.deadline)
        }
    }

    func tickConnector() {
        guard connector.phase == .cancelling, now >= connector.deadline else { return }
        attemptEnded(HostError(.connectionFailed, detail: "the controller did not end the attempt"))
    }

    // MARK: - events

    /// - Parameter onAir: The private address that the controller resolved.
    func connectionComplete(_ event: HCI.LEConnectionComplete, onAir: DeviceAddress? = nil) {
        guard event.status == .success else {
            if event.role == .peripheral, event.status == .advertisingTimeout { return advertisingConnected() }
            // Security H12: rubbish beside a failed status is not looked at.
            guard connector.phase != .idle else { return }
            return attemptEnded(
                HostError(.connectionFailed, controller: event.status.rawValue, detail: "\(event.status)"))
        }
        guard event.handle <= HCI.maximumHandle, event.role == .central || event.role == .peripheral,
            event.peerAddressKind != .anonymous
        else {
            counters.malformedEvents &+= 1
            return
        }
        if let old = links[Int(event.handle)] {
            // Security H12: the controller uses the handle again, so the old link is gone.
            closed(old, HostError(.disconnected, detail: "the controller used the link's number again"))
        }
        guard linkCount < configuration.maximumLinks else {
            command(HCI.Disconnect(handle: event.handle, reason: .remoteLowResources))
            guard event.role == .central else { return advertisingConnected() }
            guard connector.phase != .idle else { return }
            return attemptEnded(HostError(.connectionFailed, detail: "no room for another link"))
        }
        let address = DeviceAddress(event.peerAddress, event.peerAddressKind)
        let link = openLink(
            event.handle, to: DeviceAddress(address.address, address.peerKind), onAir: onAir,
            role: event.role == .central ? .central : .peripheral,
            parameters: ConnectionParameters(
                interval: event.interval, latency: event.latency, timeout: event.supervisionTimeout))
        if link.role == .central {
            centralLinkOpened(link)
        } else {
            advertisingConnected()
            announce(link)
        }
        replayEarlyPackets(link)
    }

    /// Tells of a link, with the device behind its address if that is bonded; then security starts.
    private func announce(_ link: Link) {
        secureOpened(link)
        link.isAnnounced = true
        emit(.linkOpened(link.info))
    }

    private func openLink(
        _ handle: UInt16, to address: DeviceAddress, onAir: DeviceAddress?, role: LinkInfo.Role,
        parameters: ConnectionParameters
    ) -> Link {
        lastLink &+= 1
        // The handle inside makes looking a link up a matter of one index.
        let id = LinkID(rawValue: lastLink << 12 | UInt64(handle))
        let link = Link(
            engine: self, handle: handle, id: id, address: address, role: role, parameters: parameters)
        link.onAir = onAir ?? address
        links[Int(handle)] = link
        linkCount += 1
        readPHY(of: link)
        return link
    }

    private func centralLinkOpened(_ link: Link) {
        guard connector.phase != .idle, let wish = connector.current, wish.address == link.address else {
            // A link that nobody asked for.
            link.isUnwanted = true
            return close(link, reason: .remoteUserTerminated)
        }
        let waiters = wish.waiters
        attemptOver()
        if waiters.isEmpty {
            // It came up while we gave up: nobody hears of it.
            link.isUnwanted = true
            close(link, reason: .remoteUserTerminated)
            return connectNext()
        }
        announce(link)
        for waiter in waiters { join(waiter, link) }
        connectNext()
    }

    /// Ends a connect with the link that came up, behind an MTU exchange if that is wanted.
    private func join(_ waiter: Connector.Waiter, _ link: Link) {
        let operation = waiter.operation
        guard let pending = operations[operation] as? ClosureOperation else { return }
        link.users += 1
        pending.link = link.id
        pending.failed = { [unowned self] error in
            // Gone before it was handed over: the link has one user less.
            leave(link)
            let error =
                error.code == .disconnected
                ? HostError(.connectionFailed, controller: error.controller, detail: error.detail) : error
            waiter.completion(.failure(error.during("connect to \(link.address)")))
        }
        let joined = { [unowned self] in
            // A link that is being closed ends the operation with the reason when it is gone.
            guard link.phase == .open, finish(operation) else { return }
            waiter.completion(.success(link.info))
        }
        // The link to a bonded device is handed over when it is encrypted (security R1).
        let done = { [unowned self] in
            if !holds(link, joined) { joined() }
        }
        guard waiter.exchangesMTU, link.phase == .open else { return done() }
        link.bearer.exchangeMTU(now: now) { _ in done() }
        arm(link.bearer.nextDeadline)
    }

    private func replayEarlyPackets(_ link: Link) {
        for body in earlyPackets.take(link.handle) { receiveACL(body.span.bytes) }
    }
}

extension DeviceAddress {
    /// The address that a ``PeerID`` was made from; nil when it was not made from one.
    init?(_ peer: PeerID) {
        let kind = Kind(rawValue: UInt8(truncatingIfNeeded: peer.uuid.high & 0x0FFF))
        let address = DeviceAddress(BluetoothAddress(rawValue: peer.uuid.low), kind)
        guard PeerID(address) == peer else { return nil }
        self = address
    }
}
