// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// A bearer of enhanced ATT on a credit based channel. Core 5.4, Vol 3, Part F, 3.2.11 and Part G, 5.3.
///
/// It serves the same client as the first bearer of the link: subscriptions are shared, and values go out on the first one.
final class EnhancedBearer: ATTBearerOutput {
    /// The link holds its channels, and those their bearers.
    private unowned(unsafe) let engine: StackEngine
    private unowned(unsafe) let channel: DataChannel
    let bearer: ATTBearer

    init(engine: StackEngine, channel: DataChannel) {
        self.engine = engine
        self.channel = channel
        let mtu = min(channel.flow.local.mtu, channel.flow.remote.mtu)
        bearer = ATTBearer(enhancedMTU: mtu, beside: channel.link.bearer)
        bearer.output = self
    }

    func receive(_ pdu: RawSpan, now: MonotonicTime) {
        bearer.receive(pdu, now: now)
        engine.arm(bearer.nextDeadline)
    }

    func readyToSend(now: MonotonicTime) {
        bearer.readyToSend(now: now)
        engine.arm(bearer.nextDeadline)
    }

    func close(_ reason: HostError) { bearer.close(reason) }

    // MARK: - ATTBearerOutput

    func bearer(_ bearer: ATTBearer, send pdu: RawSpan) {
        engine.arm(bearer.nextDeadline)
        // The queue holds far more than all requests and answers of a bearer.
        guard channel.flow.enqueue(pdu.array) else {
            return engine.disconnect(channel, HostError(.queueFull, detail: "the peer reads no answers"))
        }
        engine.pumpChannels(channel.link)
    }

    func bearerCanSend(_ bearer: ATTBearer) -> Bool {
        if channel.phase == .open, channel.flow.queued < CreditFlow.lowWater { return true }
        channel.owesReady = true
        return false
    }

    func bearer(_ bearer: ATTBearer, received value: RawSpan, of handle: UInt16, isIndication: Bool) {
        engine.received(value, of: handle, isIndication: isIndication, on: channel.link)
    }

    func bearer(_ bearer: ATTBearer, changedMTU mtu: Int) {}

    func bearerReadyToWrite(_ bearer: ATTBearer) {}

    func bearer(_ bearer: ATTBearer, failed error: HostError) { engine.disconnect(channel, error) }
}

extension StackEngine {
    /// Opens bearers of enhanced ATT; see `Host/openParallelBearers(_:on:timeout:completion:)`.
    public func openParallelBearers(
        _ count: Int, on id: LinkID, timeout: Duration, now: MonotonicTime, completion: @escaping HostCompletion<Int>
    ) -> OperationID {
        self.now = now
        guard let link = open(id, "opening ATT bearers", completion) else { return reserveOperation() }
        let text = "opening ATT bearers to \(link.address)"
        guard (1...5).contains(count) else {
            completion(.failure(HostError(.invalidArgument, text, detail: "1 to 5 bearers can be opened at once")))
            return reserveOperation()
        }
        let operation = begin(deadline: deadline(timeout), link: id) { completion(.failure($0.during(text))) }
        var options = ChannelOptions(maximumUnit: configuration.mtu, isEnhanced: true, security: .encrypted)
        options.maximumUnit = max(64, configuration.mtu)
        let request = ChannelRequest(
            count: count, psm: .enhancedATT, options: options, sink: nil, operation: operation
        ) { [unowned self] result in
            guard finish(operation) else { return result.abandon() }
            switch result {
            case .failed(let error): completion(.failure(error.during(text)))
            case .opened(let opened):
                for channel in opened { attachBearer(to: channel) }
                completion(.success(bearerCount(of: link)))
            }
        }
        start(request, on: link)
        return operation
    }

    func attachBearer(to channel: DataChannel) {
        channel.bearer = EnhancedBearer(engine: self, channel: channel)
    }

    /// Open bearers of a link beside the first.
    func bearerCount(of link: Link) -> Int {
        link.channels?.all.reduce(0) { $0 + ($1.bearer == nil ? 0 : 1) } ?? 0
    }

    /// The bearer for a read: the first one when it is free, else another that is.
    func bearerForReading(of link: Link) -> ATTBearer {
        guard let table = link.channels, !link.bearer.isIdle else { return link.bearer }
        for channel in table.all {
            if let bearer = channel.bearer?.bearer, channel.phase == .open, bearer.isOpen, bearer.isIdle {
                return bearer
            }
        }
        return link.bearer
    }

    func tickBearers() {
        for link in allLinks {
            for channel in link.channels?.all ?? [] {
                if let bearer = channel.bearer?.bearer, bearer.nextDeadline <= now { bearer.tick(now: now) }
            }
        }
    }

    /// The security of a link changed: all its bearers go by it.
    func updateBearers(of link: Link) {
        for channel in link.channels?.all ?? [] { channel.bearer?.bearer.peer = link.bearer.peer }
    }
}
