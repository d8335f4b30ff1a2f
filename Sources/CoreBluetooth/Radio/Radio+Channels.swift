// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

extension Radio {
    // MARK: Opening

    func openChannel(
        _ client: UInt64, _ peer: PeerID, _ psm: UInt16, _ done: @escaping Ending<ChannelPipe>
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
                        done(.success(radio.add(info)))
                    }
                }
            }
        }
    }

    private func add(_ info: ChannelInfo) -> ChannelPipe {
        let pipe = ChannelPipe(self, info)
        channels[info.id] = pipe
        return pipe
    }

    // MARK: Listening

    func listen(_ client: UInt64, _ isEncrypted: Bool, _ done: @escaping Ending<UInt16>) {
        let options = ChannelOptions(security: isEncrypted ? .encrypted : .open)
        host.assumeIsolated { host in
            host.listen(to: nil, options: options, for: self) { [self] result in
                assumeIsolated { radio in
                    if case .success(let psm) = result { radio.listeners[psm] = client }
                    done(result)
                }
            }
        }
    }

    /// False when the manager does not listen there.
    func stopListening(_ client: UInt64, _ psm: UInt16) -> Bool {
        guard listeners[psm] == client else { return false }
        listeners[psm] = nil
        host.assumeIsolated { $0.stopListening(to: psm) }
        for pipe in channels.values where pipe.psm == psm { pipe.close() }
        return true
    }

    // MARK: Events

    func happened(_ event: ChannelEvent) {
        switch event {
        case .opened(let info): opened(info)
        case .received(let id, let octets): channels[id]?.received(octets)
        case .readyToSend(let id):
            if let pipe = channels[id] { pump(pipe) }
        case .closed(let info, _): channels.removeValue(forKey: info.id)?.ended()
        }
    }

    private func opened(_ info: ChannelInfo) {
        guard let client = listeners[info.psm], let core = servers[client]?.core else {
            return host.assumeIsolated { $0.closeChannel(info.id) { _ in } }
        }
        let pipe = add(info)
        let (peer, length) = (info.peer, infos[info.link]?.maximumValueLength ?? 20)
        core.deliver(toServer: { $0.channelOpened(pipe, peer, maximumLength: length) })
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
                        // It cannot be too long; what else fails ends with the channel.
                        return false
                    }
                }
            },
            close: { host.assumeIsolated { $0.closeChannel(pipe.id) { _ in } } })
    }
}
