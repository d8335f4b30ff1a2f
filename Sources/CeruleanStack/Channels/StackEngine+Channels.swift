// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

// Credit based channels: the calls of `Host`, and data both ways. Core 5.4, Vol 3, Part A, 3.4 and 10.
extension StackEngine {
    /// Takes channels that peers open; see `Host/listen(to:options:for:completion:)`.
    public func listen(
        to psm: UInt16?, options: ChannelOptions, for sink: any HostEventSink, now: MonotonicTime,
        completion: @escaping HostCompletion<UInt16>
    ) {
        self.now = now
        let wanted = psm ?? L2CAP.SPSM.dynamicRange.first { channels.listeners[$0] == nil }
        guard let number = wanted else {
            return completion(.failure(HostError(.queueFull, "listening for channels", detail: "no PSM is free")))
        }
        let legal = L2CAP.SPSM.assignedRange.contains(number) || L2CAP.SPSM.dynamicRange.contains(number)
        guard legal, number != L2CAP.SPSM.enhancedATT.rawValue else {
            let detail = "PSMs go from 0x0001 to 0x00FF, without that of enhanced ATT"
            return completion(.failure(HostError(.invalidArgument, "listening to PSM \(number)", detail: detail)))
        }
        guard channels.listeners[number] == nil else {
            let error = HostError(.wrongState, "listening to PSM \(number)", detail: "somebody listens already")
            return completion(.failure(error))
        }
        channels.listeners[number] = Channels.Listener(options: options, sink: sink)
        completion(.success(number))
    }

    /// Takes no more channels.
    public func stopListening(to psm: UInt16) { channels.listeners.removeValue(forKey: psm) }

    /// Opens channels; see `Host/openChannels(_:to:on:options:for:timeout:completion:)`.
    public func openChannels(
        _ count: Int, to psm: UInt16, on id: LinkID, options: ChannelOptions, for sink: any HostEventSink,
        timeout: Duration, now: MonotonicTime, completion: @escaping HostCompletion<[ChannelInfo]>
    ) -> OperationID {
        self.now = now
        guard let link = open(id, "opening a channel", completion) else { return reserveOperation() }
        let text = "opening a channel to PSM \(psm) of \(link.address)"
        guard (1...(options.isEnhanced ? 5 : 1)).contains(count), (1...0xFF).contains(psm) else {
            let detail = "one channel, or with enhanced flow control up to five, to a PSM from 0x0001 to 0x00FF"
            completion(.failure(HostError(.invalidArgument, text, detail: detail)))
            return reserveOperation()
        }
        let operation = begin(deadline: deadline(timeout), link: id) { completion(.failure($0.during(text))) }
        let request = ChannelRequest(
            count: count, psm: L2CAP.SPSM(rawValue: psm), options: options, sink: sink, operation: operation
        ) { [unowned self] result in
            guard finish(operation) else { return result.abandon() }
            completion(result.infos.mapError { $0.during(text) })
        }
        start(request, on: link)
        return operation
    }

    /// Sends one unit; see `Host/send(_:on:)`.
    public func send(_ unit: [UInt8], on id: ChannelID, now: MonotonicTime) throws(HostError) -> Bool {
        self.now = now
        guard let channel = channels.byID[id], channel.phase == .open else { return true }
        guard unit.count <= channel.flow.remote.mtu else {
            throw HostError(
                .invalidArgument, "sending on a channel",
                detail: "\(unit.count) octets, the peer takes \(channel.flow.remote.mtu)")
        }
        guard channel.flow.enqueue(unit) else {
            channel.owesReady = true
            return false
        }
        pumpChannels(channel.link)
        return true
    }

    /// Gives room back; see `Host/consume(_:of:)`.
    public func consume(_ octets: Int, of id: ChannelID, now: MonotonicTime) {
        self.now = now
        guard let channel = channels.byID[id] else { return }
        channel.flow.consume(octets)
        grantCredits(channel)
    }

    /// Closes a channel behind what is queued; see `Host/closeChannel(_:completion:)`.
    public func closeChannel(_ id: ChannelID, now: MonotonicTime, completion: @escaping HostCompletion<Void>) {
        self.now = now
        guard let channel = channels.byID[id] else { return completion(.success(())) }
        channel.closedCompletions.append(completion)
        guard channel.phase == .open else { return }
        channel.phase = .draining
        // A peer that gives no credits does not keep the channel.
        channel.closeTimer = begin(deadline: deadline(.seconds(10)), link: channel.link.id) {
            [weak self, weak channel] _ in
            guard let self, let channel, channel.phase == .draining else { return }
            disconnect(channel)
        }
        pumpChannels(channel.link)
    }

    /// Closes what belongs to a sink that is removed.
    public func removeChannels(of sink: any HostEventSink) {
        for (psm, listener) in channels.listeners where listener.sink === sink { channels.listeners[psm] = nil }
        for channel in channels.byID.values where channel.sink === sink {
            channel.sink = nil
            if channel.phase == .open || channel.phase == .draining { disconnect(channel) }
        }
    }

    // MARK: - data

    /// A frame on a dynamic channel. Security L5: one without channel is ignored without a word.
    func receiveChannelFrame(_ frame: RawSpan, on number: UInt16, of link: Link) {
        guard let channel = link.channels?[number], channel.phase == .open || channel.phase == .draining else { return }
        switch channel.flow.receive(frame) {
        case .more: break
        case .unit: deliver(channel)
        case .violation(let detail):
            return disconnect(channel, HostError(.invalidResponse, detail: "the peer sent \(detail)"))
        }
        grantCredits(channel)
    }

    private func deliver(_ channel: DataChannel) {
        if let bearer = channel.bearer {
            let unit = channel.flow.unit
            channel.flow.consume(max(1, unit.count))
            return bearer.receive(unit.span.bytes, now: now)
        }
        guard let sink = channel.sink else { return channel.flow.consume(max(1, channel.flow.unit.count)) }
        sink.receive(.channel(.received(channel.id, channel.flow.unit)))
    }

    private func grantCredits(_ channel: DataChannel) {
        guard channel.phase == .open || channel.phase == .draining, channel.link.phase == .open else { return }
        guard let credits = channel.flow.grant() else { return }
        sendSignaling(
            .flowControlCredit(L2CAP.FlowControlCredit(channelID: channel.flow.local.channel, credits: credits)),
            nextIdentifier(of: channel.link), on: channel.link)
    }

    /// Sends frames of the link's channels in turn, as far as credits and the link's own queue go.
    func pumpChannels(_ link: Link) {
        guard let table = link.channels, link.phase == .open else { return }
        while true {
            guard let channel = table.nextToSend() else { break }
            guard link.backlog < Link.highWater else {
                link.owesReady = true
                break
            }
            var frame: [UInt8] = []
            swap(&frame, &channels.scratch)
            frame.removeAll(keepingCapacity: true)
            let isFrame = channel.flow.nextFrame(into: &frame)
            if isFrame { transmit(frame.span.bytes, on: channel.flow.remote.channel, of: link) }
            swap(&frame, &channels.scratch)
            guard isFrame, link.phase == .open else { break }
        }
        for index in 0..<LinkChannels.count {
            if let channel = table.table[index] { progressed(channel) }
        }
    }

    /// Tells that there is room again; closes what was only to be emptied.
    private func progressed(_ channel: DataChannel) {
        if channel.phase == .draining, channel.flow.isDrained { return disconnect(channel) }
        guard channel.owesReady, channel.flow.queued <= CreditFlow.lowWater else { return }
        channel.owesReady = false
        if let bearer = channel.bearer { return bearer.readyToSend(now: now) }
        channel.sink?.receive(.channel(.readyToSend(channel.id)))
    }
}

extension LinkChannels {
    /// The next channel, in turn, that has a frame to send and credit for it.
    fileprivate func nextToSend() -> DataChannel? {
        for step in 0..<Self.count {
            let index = (turn + step) % Self.count
            guard let channel = table[index], channel.phase == .open || channel.phase == .draining,
                channel.flow.canSend
            else { continue }
            turn = index + 1
            return channel
        }
        return nil
    }
}
