// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

extension Radio {
    /// How long what was written before the end may take to go out.
    private static var drainingTime: Duration { .seconds(10) }

    // MARK: Opening

    func openChannel(
        _ client: UInt64, _ peer: PeerID, _ psm: UInt16, _ done: @escaping Ending<ChannelHold>
    ) {
        guard let link = centrals[client]?.claims[peer]?.link else { return done(.failure(HostError(.disconnected))) }
        host.assumeIsolated { host in
            _ = host.openChannels(
                1, to: psm, on: link, options: ChannelOptions(), for: self, timeout: .seconds(60)
            ) { [self] result in
                assumeIsolated { radio in
                    switch result {
                    case .failure(let error): done(.failure(error))
                    case .success(let channels):
                        guard let info = channels.first else { return done(.failure(HostError(.refused))) }
                        done(.success(radio.add(info, listener: nil)))
                    }
                }
            }
        }
    }

    private func add(_ info: ChannelInfo, listener: UInt64?) -> ChannelHold {
        let pipe = ChannelPipe(self, info, listener: listener)
        channels[info.id] = pipe
        return ChannelHold(pipe)
    }

    // MARK: Listening

    func listen(_ client: UInt64, _ isEncrypted: Bool, _ done: @escaping Ending<UInt16>) {
        let options = ChannelOptions(security: isEncrypted ? .encrypted : .open)
        host.assumeIsolated { host in
            host.listen(to: nil, options: options, for: self) { [self] result in
                assumeIsolated { $0.listening(client, result, done) }
            }
        }
    }

    private func listening(_ client: UInt64, _ result: Result<UInt16, HostError>, _ done: Ending<UInt16>) {
        if case .success(let psm) = result {
            guard servers[client] != nil else {
                host.assumeIsolated { $0.stopListening(to: psm) }
                return done(.failure(HostError(.wrongState)))
            }
            listeners[psm] = client
        }
        done(result)
    }

    /// False when the manager does not listen there.
    func stopListening(_ client: UInt64, _ psm: UInt16) -> Bool {
        guard listeners[psm] == client else { return false }
        listeners[psm] = nil
        host.assumeIsolated { $0.stopListening(to: psm) }
        for pipe in channels.values where pipe.listener == client && pipe.psm == psm { pipe.close() }
        return true
    }

    func stopListening(_ client: UInt64) {
        for (psm, owner) in listeners where owner == client { _ = stopListening(client, psm) }
    }

    // MARK: Events

    func happened(_ event: ChannelEvent) {
        switch event {
        case .opened(let info): opened(info)
        case .received(let id, let octets):
            if channels[id]?.received(octets) != true {
                host.assumeIsolated { $0.consume(octets.count, of: id) }
            }
        case .readyToSend(let id):
            if let pipe = channels[id] { pump(pipe) }
        case .closed(let info, _): channels.removeValue(forKey: info.id)?.ended()
        }
    }

    private func opened(_ info: ChannelInfo) {
        guard let client = listeners[info.psm], let core = servers[client]?.core else {
            return host.assumeIsolated { $0.closeChannel(info.id) { _ in } }
        }
        let hold = add(info, listener: client)
        let (peer, length) = (info.peer, infos[info.link]?.maximumValueLength ?? 20)
        core.deliver(toServer: { $0.channelOpened(hold, peer, maximumLength: length) })
    }

    func pump(_ pipe: ChannelPipe) {
        guard channels[pipe.id] === pipe else { return pipe.ended() }
        let host = host
        pipe.pump(
            { unit in
                host.assumeIsolated { host in
                    do throws(HostError) {
                        return try host.send(unit, on: pipe.id)
                    } catch {
                        // No unit is longer than the peer takes; what else fails ends with the channel.
                        return false
                    }
                }
            },
            close: { host.assumeIsolated { $0.closeChannel(pipe.id) { _ in } } })
    }

    /// Both streams are closed: the channel goes behind what was written, or after a while without it.
    func drain(_ pipe: ChannelPipe) {
        pump(pipe)
        guard channels[pipe.id] === pipe else { return }
        _ = loop.schedule(at: loop.now + Self.drainingTime) { [weak self] in
            self?.assumeIsolated { radio in
                guard radio.channels[pipe.id] === pipe else { return }
                radio.host.assumeIsolated { $0.closeChannel(pipe.id) { _ in } }
            }
        }
    }

    /// The adapter is off: what the host did not close is over nevertheless.
    func endChannels() {
        for pipe in channels.values { pipe.ended() }
        channels = [:]
    }
}
