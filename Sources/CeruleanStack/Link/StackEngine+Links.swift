// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

extension StackEngine {
    /// The links that are up.
    public var linkInfos: [LinkInfo] {
        allLinks.filter { !$0.isUnwanted }.map(\.info)
    }

    /// The links that exist, those that are being closed included, oldest first.
    var allLinks: [Link] { links.compactMap { $0 }.sorted { $0.id.rawValue < $1.id.rawValue } }

    /// The link with an identifier; nil when it is gone.
    func link(_ id: LinkID) -> Link? {
        let handle = Int(id.rawValue & 0xFFF)
        guard handle < links.count, let link = links[handle], link.id == id else { return nil }
        return link
    }

    /// Leaves a link; see `Host/disconnect(_:force:completion:)`.
    public func disconnect(
        _ id: LinkID, force: Bool, now: MonotonicTime, completion: @escaping HostCompletion<Void>
    ) {
        self.now = now
        guard let link = link(id) else { return completion(.success(())) }
        link.users = max(0, link.users - 1)
        guard force || link.users == 0 else { return completion(.success(())) }
        link.closedCompletions.append(completion)
        close(link, reason: .remoteUserTerminated)
    }

    /// Ends all links; `completion` is called when they are gone.
    public func closeLinks(now: MonotonicTime, completion: @escaping @Sendable () -> Void) {
        self.now = now
        let open = allLinks
        guard !open.isEmpty else { return completion() }
        for link in open {
            link.closedCompletions.append { [unowned self] _ in if linkCount == 0 { completion() } }
            close(link, reason: .remoteUserTerminated)
        }
    }

    /// One user of the link less; the last one closes it.
    func leave(_ link: Link) {
        link.users = max(0, link.users - 1)
        if link.users == 0, link.role == .central { close(link, reason: .remoteUserTerminated) }
    }

    /// Asks the controller to end the link. It is gone when Disconnection Complete comes, or after its supervision timeout.
    func close(_ link: Link, reason: HCI.ErrorCode) {
        guard link.phase == .open else { return }
        link.phase = .closing
        // The controller may have to wait for the peer's acknowledgement for as long as the link may be silent.
        link.closeDeadline = now + link.parameters.supervisionTimeout + .seconds(2)
        arm(link.closeDeadline)
        command(HCI.Disconnect(handle: link.handle, reason: reason)) { [self] result in
            guard case .failure(let error) = result, link.phase == .closing else { return }
            if error.controller == HCI.ErrorCode.unknownConnection.rawValue {
                closed(link, .disconnection(HCI.ErrorCode.localHostTerminated.rawValue))
            }
        }
    }

    func disconnectionComplete(_ event: HCI.DisconnectionComplete) {
        // Security H13.
        guard event.status == .success, Int(event.handle) < links.count, let link = links[Int(event.handle)] else {
            return
        }
        closed(link, .disconnection(event.reason.rawValue))
    }

    /// The link is gone: its operations end first, all with one reason, then the event.
    func closed(_ link: Link, _ reason: HostError) {
        guard link.phase != .closed else { return }
        link.phase = .closed
        let reason = link.closeReason ?? reason
        links[Int(link.handle)] = nil
        linkCount -= 1
        reclaimCredits(of: link)
        link.reassembler.drop()
        let info = link.info
        endOperations(of: link.id, reason)
        link.held = []
        closingLink = link
        perform(security.linkClosed(link.id, now: now))
        closingLink = nil
        link.raises = []
        closeChannels(of: link, reason)
        let lost = link.sentUpdates.handles(behind: link.completedPackets) + link.bearer.unsentUpdates
        link.bearer.close(reason)
        saveDatabases()
        if !link.isUnwanted, !lost.isEmpty { tellLost(lost, of: link) }
        if !link.isUnwanted { emit(.linkClosed(info, reason: reason)) }
        let completions = link.closedCompletions
        link.closedCompletions = []
        for completion in completions { completion(.success(())) }
        pumpACL()
    }

    /// Tells how many values of ours a peer may have missed.
    private func tellLost(_ handles: [UInt16], of link: Link) {
        for (handle, count) in Dictionary(handles.map { ($0, 1) }, uniquingKeysWith: +).sorted(by: { $0.key < $1.key })
        {
            guard let attribute = server.attribute(at: handle) else { continue }
            emit(.updatesLost(link: link.id, attribute: attribute, count: count))
        }
    }

    func linkUpdated(_ link: Link) {
        updateBearers(of: link)
        guard link.phase != .closed, !link.isUnwanted, link.isAnnounced else { return }
        emit(.linkUpdated(link.info))
    }

    func tickLinks() {
        let now = now
        for link in allLinks.filter({ $0.bearer.nextDeadline <= now || $0.closeDeadline <= now }) {
            if link.closeDeadline <= now {
                closed(link, .disconnection(HCI.ErrorCode.localHostTerminated.rawValue))
            } else {
                link.bearer.tick(now: now)
            }
        }
    }

    // MARK: - signal strength and parameters

    /// Measures the signal strength of the peer in dBm.
    public func readRSSI(
        _ id: LinkID, timeout: Duration, now: MonotonicTime, completion: @escaping HostCompletion<Int>
    ) -> OperationID {
        self.now = now
        guard let link = open(id, "read of the signal strength", completion) else { return reserveOperation() }
        let operation = begin(deadline: deadline(timeout), link: id) { error in
            completion(.failure(error.during("read of the signal strength of \(link.address)")))
        }
        command(HCI.ReadRSSI(handle: link.handle)) { [self] result in
            switch result {
            case .failure(let error): end(operation, error)
            case .success(let parameters):
                guard finish(operation) else { return }
                if parameters.rssi == 127 {
                    completion(.failure(HostError(.adapterFailed, detail: "the controller cannot measure it")))
                } else {
                    completion(.success(Int(parameters.rssi)))
                }
            }
        }
        return operation
    }

    /// Asks for other connection parameters; see `Host/requestParameters(_:on:timeout:completion:)`.
    public func requestParameters(
        _ request: ConnectionParameterRequest, on id: LinkID, timeout: Duration, now: MonotonicTime,
        completion: @escaping HostCompletion<ConnectionParameters>
    ) -> OperationID {
        self.now = now
        guard let link = open(id, "change of connection parameters", completion) else { return reserveOperation() }
        let text = "change of connection parameters of \(link.address)"
        if let error = request.error {
            completion(.failure(error.during(text)))
            return reserveOperation()
        }
        guard link.parameterRequest == nil else {
            completion(.failure(HostError(.wrongState, text, detail: "another change is under way")))
            return reserveOperation()
        }
        let operation = begin(deadline: deadline(timeout), link: id) { error in
            link.parameterRequest = nil
            completion(.failure(error.during(text)))
        }
        link.parameterRequest = Link.ParameterRequest(operation: operation, completion: completion)
        let units = request.units
        if link.role == .central {
            update(link, units) { [self] error in end(operation, error) }
        } else {
            let identifier = nextIdentifier(of: link)
            link.parameterRequest?.identifier = identifier
            sendSignaling(
                .connectionParameterUpdateRequest(
                    L2CAP.ConnectionParameterUpdateRequest(
                        intervalMin: units.minimum, intervalMax: units.maximum, latency: units.latency,
                        timeout: units.timeout)),
                identifier, on: link)
        }
        return operation
    }

    func update(
        _ link: Link, _ units: (minimum: UInt16, maximum: UInt16, latency: UInt16, timeout: UInt16),
        failed: @escaping (HostError) -> Void
    ) {
        command(
            HCI.LEConnectionUpdate(
                handle: link.handle, intervalMinimum: units.minimum, intervalMaximum: units.maximum,
                latency: units.latency, supervisionTimeout: units.timeout, eventLengthMinimum: 0, eventLengthMaximum: 0)
        ) { if case .failure(let error) = $0 { failed(error) } }
    }

    func connectionUpdateComplete(_ event: HCI.LEConnectionUpdateComplete) {
        guard Int(event.handle) < links.count, let link = links[Int(event.handle)] else { return }
        let request = link.parameterRequest
        if event.status == .success {
            link.parameters = ConnectionParameters(
                interval: event.interval, latency: event.latency, timeout: event.supervisionTimeout)
            linkUpdated(link)
        }
        guard let request else { return }
        link.parameterRequest = nil
        if event.status != .success {
            end(
                request.operation,
                HostError(.refused, controller: event.status.rawValue, detail: "\(event.status)"))
        } else if finish(request.operation) {
            request.completion(.success(link.parameters))
        }
    }

    /// The controller asks us about parameters that the peer wants.
    func remoteParameterRequest(_ event: HCI.LERemoteConnectionParameterRequest) {
        let problem = LEParameters.problem(
            event.intervalMinimum, event.intervalMaximum, event.latency, event.supervisionTimeout)
        if problem == nil {
            command(
                HCI.LERemoteConnectionParameterRequestReply(
                    handle: event.handle, intervalMinimum: event.intervalMinimum,
                    intervalMaximum: event.intervalMaximum, latency: event.latency,
                    supervisionTimeout: event.supervisionTimeout, eventLengthMinimum: 0, eventLengthMaximum: 0))
        } else {
            command(
                HCI.LERemoteConnectionParameterRequestNegativeReply(
                    handle: event.handle, reason: .unacceptableConnectionParameters))
        }
    }

    /// The link, if it is up; else the completion gets the error.
    func open<Value>(
        _ id: LinkID, _ operation: @autoclosure () -> String, _ completion: HostCompletion<Value>
    ) -> Link? {
        guard let link = link(id), link.phase == .open, !link.isUnwanted else {
            completion(.failure(HostError(.disconnected, operation(), detail: "the link is gone")))
            return nil
        }
        return link
    }
}
