// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// Channels that somebody here wants, from the call to the peer's answer.
struct ChannelRequest {
    /// What came of it.
    enum Result {
        case opened([DataChannel])
        case failed(HostError)

        var infos: Swift.Result<[ChannelInfo], HostError> {
            switch self {
            case .opened(let channels): .success(channels.map(\.info))
            case .failed(let error): .failure(error)
            }
        }

        /// Nobody waits any more: what was opened is closed.
        func abandon() {
            guard case .opened(let channels) = self else { return }
            for channel in channels { channel.link.engine.disconnect(channel) }
        }
    }

    var count: Int
    var psm: L2CAP.SPSM
    var options: ChannelOptions
    var sink: (any HostEventSink)?
    var operation: OperationID
    /// The link's security was raised once.
    var hasRaised = false
    /// The peer said that its answer takes time.
    var isPending = false
    var completion: (Result) -> Void
}

extension StackEngine {
    /// Asks for channels as soon as the link may be used and is secure enough.
    func start(_ request: ChannelRequest, on link: Link) {
        guard !holds(link, { [unowned self] in start(request, on: link) }) else { return }
        guard link.phase == .open, operations.contains(request.operation) else { return }
        guard link.bearer.peer.security >= request.options.security else {
            return raise(PairingOptions(level: request.options.security, allowsJustWorks: false), on: link) {
                [unowned self] result in
                switch result {
                case .failure(let error): request.completion(.failed(error))
                case .success(let level) where level < request.options.security:
                    request.completion(
                        .failed(HostError(.insufficientSecurity, detail: "the link reached level \(level.rawValue)")))
                case .success: ask(request, on: link)
                }
            }
        }
        ask(request, on: link)
    }

    private func ask(_ request: ChannelRequest, on link: Link) {
        guard link.phase == .open, operations.contains(request.operation) else { return }
        let table = link.channels ?? LinkChannels()
        link.channels = table
        let ends = table.free(request.count)
        guard ends.count == request.count, table.requests.count < LinkChannels.maximumRequests else {
            return request.completion(.failed(HostError(.queueFull, detail: "no channel of the link is free")))
        }
        let mps = CreditFlow.frame(unit: request.options.maximumUnit, packet: link.dataLength.receive)
        let opening = ends.map { end in
            let local = CreditFlow.End(channel: end, mtu: request.options.maximumUnit, mps: mps)
            let remote = CreditFlow.End(channel: .null, mtu: 0, mps: 23)
            let channel = DataChannel(
                link: link, id: channels.nextID(), psm: request.psm, isIncoming: false,
                isEnhanced: request.options.isEnhanced,
                flow: CreditFlow(local: local, remote: remote, sendCredits: 0, window: request.options.window),
                phase: .opening, sink: request.sink)
            table.insert(channel)
            return channel
        }
        let identifier = nextIdentifier(of: link)
        table.requests[identifier] = .open(
            opening, request, timer: openTimer(Self.answerTime, identifier: identifier, on: link))
        let credits = UInt16(clamping: opening[0].flow.receiveCredits)
        let mtu = UInt16(clamping: request.options.maximumUnit)
        if request.options.isEnhanced {
            sendSignaling(
                .creditBasedConnectionRequest(
                    L2CAP.CreditBasedConnectionRequest(
                        spsm: request.psm, mtu: mtu, mps: UInt16(clamping: mps), initialCredits: credits, sources: ends)
                ),
                identifier, on: link)
        } else {
            sendSignaling(
                .leCreditBasedConnectionRequest(
                    L2CAP.LECreditBasedConnectionRequest(
                        spsm: request.psm, source: ends[0], mtu: mtu, mps: UInt16(clamping: mps),
                        initialCredits: credits)
                ), identifier, on: link)
        }
    }

    /// An identifier that no request of ours waits with. At most 32 open channels, 64 close one, and one is about parameters: the
    /// rest of the 255 is free.
    func nextIdentifier(of link: Link) -> UInt8 {
        var next = link.nextIdentifier()
        while link.channels?.requests[next] != nil || link.parameterRequest?.identifier == next {
            next = link.nextIdentifier()
        }
        return next
    }

    /// How long an answer is waited for, whatever the caller's patience: a late one must be understood, to close what it opened.
    /// RTX and, once the peer said that it will take time, ERTX. Core 5.4, Vol 3, Part A, 6.2.1 and 6.2.2. Security L14.
    private static let answerTime = Duration.seconds(60)
    private static let lateAnswerTime = Duration.seconds(300)

    /// Begins the time after which a request to open channels counts as unanswered, and its ends are free again.
    private func openTimer(_ time: Duration, identifier: UInt8, on link: Link) -> OperationID {
        begin(deadline: deadline(time), link: link.id) { [weak self, weak link] error in
            guard let self, let table = link?.channels,
                case .open(let opening, let request, _) = table.requests[identifier]
            else { return }
            table.requests[identifier] = nil
            for channel in opening { forget(channel) }
            request.completion(.failed(error))
        }
    }

    // MARK: - answers

    func answered(_ response: L2CAP.LECreditBasedConnectionResponse, _ identifier: UInt8, on link: Link) {
        answered(
            identifier, on: link, isEnhanced: false, response.result,
            Parameters(mtu: response.mtu, mps: response.mps, credits: response.initialCredits),
            response.result == .success ? [response.destination] : [])
    }

    func answered(_ response: L2CAP.CreditBasedConnectionResponse, _ identifier: UInt8, on link: Link) {
        // The peer says that the final answer will follow: the request waits on.
        let pending: [L2CAP.ConnectionResult] = [.pendingNoInformation, .pendingAuthentication, .pendingAuthorization]
        if pending.contains(response.result) {
            guard let table = link.channels,
                case .open(let opening, var request, let timer) = table.requests[identifier],
                request.options.isEnhanced, !request.isPending
            else { return }
            request.isPending = true
            _ = finish(timer)
            table.requests[identifier] = .open(
                opening, request, timer: openTimer(Self.lateAnswerTime, identifier: identifier, on: link))
            return
        }
        answered(
            identifier, on: link, isEnhanced: true, response.result,
            Parameters(mtu: response.mtu, mps: response.mps, credits: response.initialCredits), response.destinations)
    }

    /// A Command Reject for a request of ours.
    func channelRequestRejected(_ identifier: UInt8, on link: Link) {
        switch link.channels?.requests[identifier] {
        case .open(let opening, let request, let timer):
            link.channels?.requests[identifier] = nil
            _ = finish(timer)
            for channel in opening { forget(channel) }
            request.completion(.failed(HostError(.unsupported, detail: "the peer knows no such channels")))
        case .close(let channel): gone(channel, HostError(.cancelled, detail: "the channel was closed"))
        case nil: break
        }
    }

    private struct Parameters {
        var mtu, mps, credits: UInt16
    }

    private func answered(
        _ identifier: UInt8, on link: Link, isEnhanced: Bool, _ result: L2CAP.ConnectionResult, _ their: Parameters,
        _ ends: [L2CAP.ChannelID]
    ) {
        // Security L7: an answer to something else is ignored.
        guard let table = link.channels, case .open(let opening, var request, let timer) = table.requests[identifier],
            request.options.isEnhanced == isEnhanced
        else { return }
        table.requests[identifier] = nil
        _ = finish(timer)
        let least = isEnhanced ? 64 : 23
        var opened: [DataChannel] = []
        var isBroken = ends.count > opening.count
        for (index, channel) in opening.enumerated() {
            let end = index < ends.count ? ends[index] : .null
            guard end != .null else {
                forget(channel)
                continue
            }
            // Security L10: an end that is no end, or is another channel's already, opens nothing.
            guard end.isDynamic, table.channel(remote: end) == nil, Int(their.mtu) >= least, Int(their.mps) >= least,
                their.mps <= 65_533
            else {
                isBroken = true
                forget(channel)
                continue
            }
            channel.flow.open(
                CreditFlow.End(channel: end, mtu: Int(their.mtu), mps: Int(their.mps)), credits: Int(their.credits))
            channel.phase = .open
            channels.byID[channel.id] = channel
            opened.append(channel)
        }
        guard opened.isEmpty else { return request.completion(.opened(opened)) }
        if isBroken {
            let error = HostError(.invalidResponse, detail: "the peer answered with impossible numbers")
            return request.completion(.failed(error))
        }
        let error = HostError(result)
        if !request.hasRaised, error.code == .insufficientSecurity, let level = levelWanted(after: error, on: link) {
            request.hasRaised = true
            let again = request
            return raise(PairingOptions(level: level, allowsJustWorks: false), on: link) { [unowned self] raised in
                switch raised {
                case .success: ask(again, on: link)
                case .failure: again.completion(.failed(error))
                }
            }
        }
        request.completion(.failed(error))
    }

    // MARK: - closing

    /// Asks the peer to close a channel; `reason` is what its user is told at once.
    func disconnect(_ channel: DataChannel, _ reason: HostError? = nil) {
        guard channel.phase == .open || channel.phase == .draining, channel.link.phase == .open else { return }
        channel.phase = .closing
        let link = channel.link
        let identifier = nextIdentifier(of: link)
        link.channels?.requests[identifier] = .close(channel)
        channel.closeIdentifier = identifier
        sendSignaling(
            .disconnectionRequest(
                L2CAP.DisconnectionRequest(
                    destination: channel.flow.remote.channel, source: channel.flow.local.channel)), identifier, on: link
        )
        // A peer that does not answer does not keep our end for ever.
        if let timer = channel.closeTimer { _ = finish(timer) }
        channel.closeTimer = begin(deadline: deadline(.seconds(5)), link: link.id) { [weak self, weak channel] _ in
            guard let self, let channel, channel.phase == .closing else { return }
            gone(channel, HostError(.cancelled, detail: "the channel was closed"))
        }
        if let reason { tell(channel, reason) }
    }

    func disconnected(_ response: L2CAP.DisconnectionResponse, _ identifier: UInt8, on link: Link) {
        guard case .close(let channel) = link.channels?.requests[identifier],
            channel.flow.remote.channel == response.destination, channel.flow.local.channel == response.source
        else { return }
        gone(channel, HostError(.cancelled, detail: "the channel was closed"))
    }

    /// A channel is gone: its user is told once, and those who wait for it.
    func gone(_ channel: DataChannel, _ reason: HostError) {
        guard channel.phase != .closed else { return }
        channel.phase = .closed
        if let identifier = channel.closeIdentifier { channel.link.channels?.requests[identifier] = nil }
        if let timer = channel.closeTimer { _ = finish(timer) }
        forget(channel)
        tell(channel, reason)
        let completions = channel.closedCompletions
        channel.closedCompletions = []
        for completion in completions { completion(.success(())) }
    }

    /// Tells the user, once.
    private func tell(_ channel: DataChannel, _ reason: HostError) {
        channels.byID[channel.id] = nil
        if let bearer = channel.bearer {
            channel.bearer = nil
            bearer.close(reason)
        }
        guard let sink = channel.sink else { return }
        channel.sink = nil
        sink.receive(.channel(.closed(channel.info, reason: reason)))
    }

    private func forget(_ channel: DataChannel) {
        channels.byID[channel.id] = nil
        channel.link.channels?.remove(channel)
    }

    /// The link is gone, and all its channels with it. Operations that wait have ended.
    func closeChannels(of link: Link, _ reason: HostError) {
        guard let table = link.channels else { return }
        table.requests = [:]
        for channel in table.all where channel.phase != .opening { gone(channel, reason) }
        link.channels = nil
    }
}

extension HostError {
    /// Why a peer opens no channel. Core 5.4, Vol 3, Part A, 4.23 and 4.26.
    init(_ result: L2CAP.ConnectionResult) {
        switch result {
        case .spsmNotSupported: self.init(.refused, detail: "nobody listens there")
        case .noResources: self.init(.refused, detail: "the peer has no resources for the channel")
        case .insufficientAuthentication:
            self.init(.insufficientSecurity, attribute: ATT.ErrorCode.insufficientAuthentication.rawValue)
        case .insufficientEncryption, .encryptionKeySizeTooShort:
            self.init(.insufficientSecurity, attribute: ATT.ErrorCode.insufficientEncryption.rawValue)
        case .insufficientAuthorization: self.init(.refused, detail: "the peer does not allow it")
        case .unacceptableParameters, .invalidParameters:
            self.init(.refused, detail: "the peer does not take these lengths")
        default: self.init(.refused, detail: "the peer refuses with result \(result.rawValue)")
        }
    }
}
