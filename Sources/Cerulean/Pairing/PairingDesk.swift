// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire
import Synchronization

/// Takes the questions of a host to a responder, and its answers back. One task for each question, at most one for each link.
final class PairingDesk: HostEventSink {
    private let host: any Host
    private let responder: PairingResponder
    private let tasks = Mutex<[LinkID: Task<Void, Never>]>([:])

    init(host: any Host, responder: PairingResponder) {
        self.host = host
        self.responder = responder
    }

    /// Called on the loop.
    func open(_ policy: PairingPolicy) {
        host.assumeIsolated { host in
            host.addSink(self)
            host.setPairing(policy, asking: self)
        }
    }

    /// Called on the loop. Open questions are not answered any more.
    func close() {
        host.assumeIsolated { $0.removeSink(self) }
        let open = tasks.withLock { tasks in
            defer { tasks = [:] }
            return tasks
        }
        for task in open.values { task.cancel() }
    }

    func receive(_ event: HostEvent) {
        switch event {
        case .pairing(let link, .question(let question)): ask(question, link)
        case .pairing(let link, .keypress(let kind)): responder.keypress(peer(link), kind)
        case .pairing(let link, .finished): ended(link, nil)
        case .pairing(let link, .failed(let error)): ended(link, BluetoothError(error, during: "pairing"))
        case .linkClosed(let info, let reason):
            guard let task = tasks.withLock({ $0.removeValue(forKey: info.id) }) else { return }
            task.cancel()
            responder.ended(Self.peer(info), BluetoothError(reason, during: "pairing"))
        default: break
        }
    }

    // MARK: - Private

    private func ended(_ link: LinkID, _ error: BluetoothError?) {
        tasks.withLock { $0.removeValue(forKey: link) }?.cancel()
        responder.ended(peer(link), error)
    }

    private func ask(_ question: PairingQuestion, _ link: LinkID) {
        let peer = peer(link)
        let task = Task(executorPreference: host.loop.backgroundExecutor) { [host, responder] in
            guard let answer = await Self.answer(question, peer, responder), !Task.isCancelled else { return }
            host.loop.execute { host.assumeIsolated { $0.answerPairing(answer, on: link) } }
        }
        tasks.withLock { $0.updateValue(task, forKey: link) }?.cancel()
    }

    private static func answer(
        _ question: PairingQuestion, _ peer: PairingPeer, _ responder: PairingResponder
    ) async -> PairingAnswer? {
        switch question {
        case .confirmJustWorks: await responder.confirmJustWorks(peer) ? .accept : .refuse
        case .showPasskey(let digits): await responder.showPasskey(peer, digits) ? nil : .refuse
        case .enterPasskey: await responder.enterPasskey(peer).map { .passkey($0) } ?? .refuse
        case .enterSamePasskey: await responder.enterSamePasskey(peer).map { .passkey($0) } ?? .refuse
        case .compareNumbers(let digits): await responder.compareNumbers(peer, digits) ? .accept : .refuse
        case .provideOutOfBand(secureConnections: true):
            await responder.outOfBand(peer).map { .outOfBand($0) } ?? .refuse
        case .provideOutOfBand(secureConnections: false):
            await responder.temporaryKey(peer).map { .temporaryKey($0) } ?? .refuse
        case .replaceBond(let old, let new): await responder.replaceBond(peer, old, new) ? .accept : .refuse
        }
    }

    private func peer(_ link: LinkID) -> PairingPeer {
        let info = host.assumeIsolated { $0.links.first { $0.id == link } }
        return info.map { Self.peer($0) }
            ?? PairingPeer(id: PeerID(BluetoothUUID()), address: nil, role: .peripheral)
    }

    private static func peer(_ info: LinkInfo) -> PairingPeer {
        PairingPeer(id: info.peer, address: info.address, role: info.role)
    }
}
