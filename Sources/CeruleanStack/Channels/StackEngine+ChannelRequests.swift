// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

// What peers ask about channels. Core 5.4, Vol 3, Part A, 4.22 to 4.28. Security L10 to L14.
extension StackEngine {
    /// A peer wants one channel.
    func channelRequested(
        _ request: L2CAP.LECreditBasedConnectionRequest, _ identifier: UInt8, on link: Link
    ) {
        guard link.backlog < Link.highWater else { return }
        var response = L2CAP.LECreditBasedConnectionResponse()
        let listener = channels.listeners[request.spsm.rawValue]
        response.result = refusal(listener?.options.security, on: link) ?? .success
        if response.result == .success {
            if !request.source.isDynamic {
                response.result = .invalidSource
            } else if link.channels?.channel(remote: request.source) != nil {
                response.result = .sourceAlreadyAllocated
            } else if request.mtu < 23 || request.mps < 23 || request.mps > 65_533 {
                response.result = .unacceptableParameters
            }
        }
        guard response.result == .success, let listener else {
            return sendSignaling(.leCreditBasedConnectionResponse(response), identifier, on: link)
        }
        let theirs = CreditFlow.End(channel: request.source, mtu: Int(request.mtu), mps: Int(request.mps))
        let ours = Proposal(spsm: request.spsm, options: listener.options, sink: listener.sink, isEnhanced: false)
        guard let channel = accept([theirs], credits: request.initialCredits, ours, on: link).first else {
            response.result = .noResources
            return sendSignaling(.leCreditBasedConnectionResponse(response), identifier, on: link)
        }
        response.destination = channel.flow.local.channel
        response.mtu = UInt16(clamping: channel.flow.local.mtu)
        response.mps = UInt16(clamping: channel.flow.local.mps)
        response.initialCredits = UInt16(clamping: channel.flow.receiveCredits)
        sendSignaling(.leCreditBasedConnectionResponse(response), identifier, on: link)
        announce([channel])
    }

    /// A peer wants up to five channels.
    func channelsRequested(_ request: L2CAP.CreditBasedConnectionRequest, _ identifier: UInt8, on link: Link) {
        guard link.backlog < Link.highWater else { return }
        var response = L2CAP.CreditBasedConnectionResponse()
        let count = request.sources.count
        response.destinations = Array(repeating: .null, count: min(count, 5))
        let isBearer = request.spsm == .enhancedATT && configuration.enhancedBearers > 0
        let listener = channels.listeners[request.spsm.rawValue]
        let security: SecurityLevel? = isBearer ? .encrypted : listener?.options.security
        if !(1...5).contains(count) || request.mtu < 64 || request.mps < 64 || request.mps > 65_533 {
            // Security L13.
            response.result = .invalidParameters
        } else {
            response.result = refusal(security, on: link) ?? .success
        }
        guard response.result == .success else {
            return sendSignaling(.creditBasedConnectionResponse(response), identifier, on: link)
        }
        let options =
            isBearer ? ChannelOptions(maximumUnit: configuration.mtu, isEnhanced: true) : listener?.options
        let ours = Proposal(
            spsm: request.spsm, options: options ?? ChannelOptions(), sink: isBearer ? nil : listener?.sink,
            isEnhanced: true)
        // Some may be refused while others open; the last refusal is told.
        var room = isBearer ? max(0, configuration.enhancedBearers - bearerCount(of: link)) : 5
        var opened: [DataChannel] = []
        var seen: Set<L2CAP.ChannelID> = []
        for (index, source) in request.sources.enumerated() {
            guard source.isDynamic else {
                response.result = .invalidSource
                continue
            }
            guard seen.insert(source).inserted, link.channels?.channel(remote: source) == nil else {
                response.result = .sourceAlreadyAllocated
                continue
            }
            let theirs = CreditFlow.End(channel: source, mtu: Int(request.mtu), mps: Int(request.mps))
            guard room > 0, let channel = accept([theirs], credits: request.initialCredits, ours, on: link).first else {
                response.result = .noResources
                continue
            }
            room -= 1
            response.destinations[index] = channel.flow.local.channel
            opened.append(channel)
        }
        if let first = opened.first {
            response.mtu = UInt16(clamping: first.flow.local.mtu)
            response.mps = UInt16(clamping: first.flow.local.mps)
            response.initialCredits = UInt16(clamping: first.flow.receiveCredits)
        }
        sendSignaling(.creditBasedConnectionResponse(response), identifier, on: link)
        if isBearer { for channel in opened { attachBearer(to: channel) } } else { announce(opened) }
    }

    /// A peer changes what it takes on channels with enhanced flow control.
    func reconfigureRequested(_ request: L2CAP.ReconfigureRequest, _ identifier: UInt8, on link: Link) {
        guard link.backlog < Link.highWater else { return }
        // The ends that are named are the sender's.
        let found = request.destinations.compactMap { link.channels?.channel(remote: $0) }
        let ends = Set(request.destinations)
        var result = L2CAP.ReconfigureResult.success
        if !(1...5).contains(request.destinations.count) || ends.count != request.destinations.count
            || found.count != request.destinations.count || !found.allSatisfy(\.isEnhanced)
        {
            result = .invalidDestination
        } else if request.mtu < 64 || request.mps < 64 || request.mps > 65_533 {
            result = .unacceptableParameters
        } else if found.contains(where: { Int(request.mtu) < $0.flow.remote.mtu }) {
            result = .mtuReduced
        } else if found.count > 1, found.contains(where: { Int(request.mps) < $0.flow.remote.mps }) {
            result = .mpsReduced
        }
        if result == .success {
            for channel in found {
                channel.flow.remote.mtu = Int(request.mtu)
                channel.flow.remote.mps = Int(request.mps)
            }
        }
        sendSignaling(.reconfigureResponse(L2CAP.ReconfigureResponse(result: result)), identifier, on: link)
    }

    /// A peer closes a channel.
    func disconnectionRequested(_ request: L2CAP.DisconnectionRequest, _ identifier: UInt8, on link: Link) {
        guard link.backlog < Link.highWater else { return }
        guard let channel = link.channels?[request.destination.rawValue], channel.phase != .opening else {
            var data: [UInt8] = []
            data.append(littleEndian: request.destination.rawValue)
            data.append(littleEndian: request.source.rawValue)
            return sendSignaling(
                .commandReject(L2CAP.CommandReject(reason: .invalidChannel, data: data)), identifier, on: link)
        }
        // Core 5.4, Vol 3, Part A, 4.6: with another source it is ignored.
        guard channel.flow.remote.channel == request.source else { return }
        sendSignaling(
            .disconnectionResponse(
                L2CAP.DisconnectionResponse(destination: request.destination, source: request.source)), identifier,
            on: link)
        gone(channel, HostError(.disconnected, detail: "the peer closed the channel"))
    }

    /// A peer gives credits. Security L12.
    func creditsReceived(_ indication: L2CAP.FlowControlCredit, on link: Link) {
        guard let channel = link.channels?.channel(remote: indication.channelID),
            channel.phase == .open || channel.phase == .draining
        else { return }
        guard channel.flow.add(credits: indication.credits) else {
            return disconnect(
                channel, HostError(.invalidResponse, detail: "the peer gave \(indication.credits) credits"))
        }
        pumpChannels(link)
    }

    // MARK: - private

    private struct Proposal {
        var spsm: L2CAP.SPSM
        var options: ChannelOptions
        var sink: (any HostEventSink)?
        var isEnhanced: Bool
    }

    /// Why a PSM is not open to this link; nil when it is. Nil as level: nobody listens.
    private func refusal(_ level: SecurityLevel?, on link: Link) -> L2CAP.ConnectionResult? {
        guard let level else { return .spsmNotSupported }
        let peer = link.bearer.peer
        // Security R3: a bonded peer is nobody before its link is encrypted.
        if link.mustWait { return .insufficientEncryption }
        guard peer.security < level else { return nil }
        return peer.security == .open && peer.hasKeys ? .insufficientEncryption : .insufficientAuthentication
    }

    private func accept(
        _ theirs: [CreditFlow.End], credits: UInt16, _ ours: Proposal, on link: Link
    ) -> [DataChannel] {
        let table = link.channels ?? LinkChannels()
        link.channels = table
        let ends = table.free(theirs.count)
        guard ends.count == theirs.count else { return [] }
        return zip(theirs, ends).map { remote, end in
            let local = CreditFlow.End(
                channel: end, mtu: ours.options.maximumUnit,
                mps: CreditFlow.frame(unit: ours.options.maximumUnit, packet: link.dataLength.receive))
            let channel = DataChannel(
                link: link, id: channels.nextID(), psm: ours.spsm, isIncoming: true, isEnhanced: ours.isEnhanced,
                flow: CreditFlow(
                    local: local, remote: remote, sendCredits: Int(credits), window: ours.options.window),
                phase: .open, sink: ours.sink)
            table.insert(channel)
            channels.byID[channel.id] = channel
            return channel
        }
    }

    private func announce(_ opened: [DataChannel]) {
        for channel in opened where channel.phase == .open {
            channel.sink?.receive(.channel(.opened(channel.info)))
        }
    }
}
