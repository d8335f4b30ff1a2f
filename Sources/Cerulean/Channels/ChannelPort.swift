// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire
import Synchronization

/// The end of one channel at its host: what comes waits here for a reader, and writers wait here for room.
final class ChannelPort: Sendable {
    private struct Writer {
        var id: UInt64
        var octets: [UInt8]
        var sent = 0
        var completion: HostCompletion<Void>
    }

    private struct State {
        var writers: [Writer] = []
        var lastWriter: UInt64 = 0
        var failure: HostError?
        var isClosed = false
        /// Units are being handed to the host.
        var isPumping = false
        /// The host told of room meanwhile.
        var pumpsAgain = false
        /// Octets that readers used and that the host does not know of.
        var used = 0
    }

    /// Octets that are given back at once, so that not every unit costs a call.
    private static let step = 16_384

    let host: any Host
    /// Units that came. The peer's credits bound what waits.
    let units = Channel<[UInt8]>(capacity: 1 << 24, overflow: .dropNewest)
    private let state = Mutex(State())

    let info: ChannelInfo

    init(_ host: any Host, _ info: ChannelInfo) {
        self.host = host
        self.info = info
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Called on the loop.
    func receive(_ event: ChannelEvent) {
        switch event {
        case .opened: break
        case .received(_, let unit): units.send(unit)
        case .readyToSend: pump()
        case .closed(_, let reason): closed(reason)
        }
    }

    // MARK: - reading

    /// The next unit; nil at the end and when the task is cancelled. What was used is counted here: readers come and go.
    func nextUnit(isolation: isolated (any Actor)?) async throws(BluetoothError) -> [UInt8]? {
        if let unit = units.takeFirst() { return used(unit) }
        // Before anybody waits the peer gets all the room that there is.
        giveBack(
            state.withLock { state in
                defer { state.used = 0 }
                return state.used
            })
        guard let unit = try await units.next(isolation: isolation) else { return nil }
        return used(unit)
    }

    /// An empty unit counts as one octet.
    private func used(_ unit: [UInt8]) -> [UInt8] {
        giveBack(
            state.withLock { state in
                state.used += max(1, unit.count)
                guard state.used >= Self.step else { return 0 }
                defer { state.used = 0 }
                return state.used
            })
        return unit
    }

    private func giveBack(_ octets: Int) {
        guard octets > 0 else { return }
        let (host, info) = (host, info)
        host.loop.execute { host.assumeIsolated { $0.consume(octets, of: info.id) } }
    }

    // MARK: - writing

    /// Called on the loop. Ends when the host has taken all octets.
    func write(_ octets: [UInt8], _ completion: @escaping HostCompletion<Void>) -> UInt64 {
        let (id, failure) = state.withLock { state -> (UInt64, HostError?) in
            state.lastWriter &+= 1
            guard !state.isClosed else {
                return (state.lastWriter, state.failure ?? HostError(.disconnected, detail: "the channel is closed"))
            }
            state.writers.append(Writer(id: state.lastWriter, octets: octets, completion: completion))
            return (state.lastWriter, nil)
        }
        if let failure { completion(.failure(failure)) } else { pump() }
        return id
    }

    /// Called on the loop. What the host has taken of the octets goes all the same.
    func giveUp(_ writer: UInt64) {
        let removed = state.withLock { state -> Writer? in
            guard let index = state.writers.firstIndex(where: { $0.id == writer }) else { return nil }
            return state.writers.remove(at: index)
        }
        removed?.completion(.failure(HostError(.cancelled)))
    }

    /// Hands units to the host as far as it takes them. The host may tell of room while it takes one.
    private func pump() {
        let isFirst = state.withLock { state in
            if state.isPumping { state.pumpsAgain = true }
            defer { state.isPumping = true }
            return !state.isPumping
        }
        guard isFirst else { return }
        repeat {
            handOver()
        } while state.withLock { state in
            state.isPumping = state.pumpsAgain
            state.pumpsAgain = false
            return state.isPumping
        }
    }

    private func handOver() {
        while true {
            guard let (unit, id, channel) = unitToSend() else { return }
            let result: Result<Bool, HostError> = host.assumeIsolated { host in
                Result { () throws(HostError) in try host.send(unit, on: channel) }
            }
            switch result {
            case .success(false): return
            case .success(true): finished(id, unit.count, nil)
            case .failure(let error): finished(id, unit.count, error)
            }
        }
    }

    private func unitToSend() -> ([UInt8], UInt64, ChannelID)? {
        state.withLock { state in
            guard let writer = state.writers.first, !state.isClosed else { return nil }
            let end = min(writer.sent + max(1, info.maximumSend), writer.octets.count)
            return (Array(writer.octets[writer.sent..<end]), writer.id, info.id)
        }
    }

    private func finished(_ id: UInt64, _ count: Int, _ error: HostError?) {
        let done = state.withLock { state -> Writer? in
            guard let first = state.writers.first, first.id == id else { return nil }
            state.writers[0].sent += count
            guard error != nil || state.writers[0].sent >= first.octets.count else { return nil }
            return state.writers.removeFirst()
        }
        done?.completion(error.map { .failure($0) } ?? .success(()))
    }

    // MARK: - ending

    private func closed(_ reason: HostError) {
        // What we asked for is no failure of the reader's.
        let isWanted = reason.code == .cancelled
        let writers = state.withLock { state in
            state.isClosed = true
            state.failure = reason
            defer { state.writers = [] }
            return state.writers
        }
        for writer in writers { writer.completion(.failure(reason)) }
        let text = "channel to PSM \(info.psm)"
        let isPeer = reason.code == .disconnected && reason.controller == nil
        units.end(isWanted || isPeer ? nil : BluetoothError(reason, during: text))
    }
}

/// Hands the channels of one PSM to whoever accepts them.
final class ListenerPort: HostEventSink {
    let host: any Host
    let accepted = Channel<ChannelPort>(capacity: 256, overflow: .dropNewest)
    private let ports = Mutex<[ChannelID: ChannelPort]>([:])

    init(_ host: any Host) { self.host = host }

    func receive(_ event: HostEvent) {
        guard case .channel(let event) = event else { return }
        switch event {
        case .opened(let info):
            let port = ChannelPort(host, info)
            ports.withLock { $0[info.id] = port }
            guard !accepted.send(port) else { return }
            // Nobody accepts: the peer is not kept waiting.
            host.assumeIsolated { $0.closeChannel(info.id) { _ in } }
        case .received(let id, _), .readyToSend(let id): port(id)?.receive(event)
        case .closed(let info, _):
            ports.withLock { $0.removeValue(forKey: info.id) }?.receive(event)
        }
    }

    /// Called on the loop: nobody will accept what waits.
    func refuseWaiting() {
        while let port = accepted.takeFirst() {
            host.assumeIsolated { host in if !port.isClosed { host.closeChannel(port.info.id) { _ in } } }
        }
    }

    /// The end of one channel; nil when it is gone.
    func port(_ id: ChannelID) -> ChannelPort? { ports.withLock { $0[id] } }

    /// Called on the loop: a channel that we opened.
    func adopt(_ info: ChannelInfo) {
        let port = ChannelPort(host, info)
        ports.withLock { $0[info.id] = port }
    }
}
