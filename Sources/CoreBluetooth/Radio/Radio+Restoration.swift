// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

extension Radio {
    /// How long the first state is held back for connections that the process before had. Longer than the 4 s after
    /// which a peer notices that the process before is gone, and advertises again.
    static var patienceForRestored: Duration { .seconds(6) }

    /// Wants what the manager of the process before wanted. True when its first state has to wait for connections that
    /// it had.
    func beginRestoring(_ client: UInt64) -> Bool {
        guard let saved = centrals[client]?.saved else { return false }
        centrals[client]?.saved = nil
        guard isOn else { return false }
        var awaited: Set<PeerID> = []
        for peripheral in saved.peripherals {
            guard let peer = Identities.host.peer(of: peripheral.identifier) else { continue }
            centrals[client]?.claims[peer] = Claim(
                epoch: 0, phase: .waiting, reconnects: peripheral.reconnects, tree: peripheral.tree)
            if peripheral.isConnected { awaited.insert(peer) }
        }
        evaluateConnections()
        guard !awaited.isEmpty else { return false }
        let timer = loop.schedule(at: loop.now + Self.patienceForRestored) { [weak self] in
            self?.assumeIsolated { $0.endRestoring(client) }
        }
        centrals[client]?.restoration = Restoration(awaited: awaited, timer: timer)
        return true
    }

    /// One connection that was waited for is there, or will not come.
    func awaited(_ client: UInt64, _ peer: PeerID) {
        guard centrals[client]?.restoration?.awaited.remove(peer) != nil,
            centrals[client]?.restoration?.awaited.isEmpty == true
        else { return }
        endRestoring(client)
    }

    private func endRestoring(_ client: UInt64) {
        guard let restoration = centrals[client]?.restoration else { return }
        if let timer = restoration.timer { loop.cancel(timer) }
        centrals[client]?.restoration = nil
        let seen = CBManagerState(state)
        centrals[client]?.core.deliver { $0.radioChanged(seen) }
    }
}
