// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// One attempt to connect, for all who wait for it. It is given up when the last of them gives up.
final class ConnectionAttempt {
    let number: UInt64
    let record: PeerRecord
    var options: ConnectOptions
    var waiters: [(id: UInt64, completion: HostCompletion<LinkInfo>)] = []
    /// Those who wait for its end.
    var leavers: [HostCompletion<Void>] = []
    var operation: OperationID?
    /// False while an earlier link is still being ended.
    var isStarted = false
    var isBeingCancelled = false

    init(number: UInt64, record: PeerRecord, options: ConnectOptions) {
        self.number = number
        self.record = record
        self.options = options
    }
}

/// A link that this central connected.
final class CentralLink {
    let id: LinkID
    /// Of the device; more than one when handles were made under several of its addresses before it was identified.
    var records: [PeerRecord]
    /// How often the host was asked for the link, and is to be told that it is left.
    var holds = 1
    var feeds: [AttributeID: Feed] = [:]
    var isLeaving = false
    var leavers: [HostCompletion<Void>] = []

    init(_ id: LinkID, _ record: PeerRecord) {
        self.id = id
        records = [record]
    }

    /// The one that was connected first.
    var record: PeerRecord { records[0] }

    func serves(_ record: PeerRecord) -> Bool { records.contains { $0 === record } }

    /// The feed of an attribute. After a change elsewhere in the database values come under a new identifier of the
    /// same handle.
    func feed(of attribute: AttributeID) -> Feed? {
        if let feed = feeds[attribute] { return feed }
        guard let handle = attribute.handle, let feed = feeds.values.first(where: { $0.attribute.handle == handle })
        else { return nil }
        return feed
    }
}

extension CentralCore {
    /// Waits are bounded by those who wait, so the host's own timeout never comes first.
    private static var noTimeout: Duration { .seconds(1 << 31) }

    /// Connects, joins an attempt under way, or answers at once when connected.
    func connect(
        _ record: PeerRecord, options: ConnectOptions, _ completion: @escaping HostCompletion<LinkInfo>
    ) -> (@Sendable (GiveUp) -> Void)? {
        guard !isOver else {
            completion(.failure(HostError(.wrongState, detail: "the central was shut down")))
            return nil
        }
        let link = links.first { $0.serves(record) }
        if let link, !link.isLeaving, let info = record.link {
            completion(.success(info))
            return nil
        }
        let key = ObjectIdentifier(record)
        let attempt = attempts[key] ?? ConnectionAttempt(number: number(), record: record, options: options)
        let id = number()
        attempt.waiters.append((id, completion))
        if attempt.waiters.count == 1 { attempt.options = options }
        if attempts[key] == nil {
            attempts[key] = attempt
            keep(record)
            if link == nil { start(attempt) }
        }
        return { [self] reason in assumeIsolated { $0.giveUp(record, waiter: id, reason) } }
    }

    private func start(_ attempt: ConnectionAttempt) {
        attempt.isStarted = true
        attempt.isBeingCancelled = false
        attempt.record.update { $0.statistics.connectionAttempts += 1 }
        report(attempt.record, .connecting)
        let (record, number, options) = (attempt.record, attempt.number, attempt.options)
        attempt.operation = host.assumeIsolated { host in
            host.connect(record.id, options: options, timeout: Self.noTimeout) { [self] result in
                assumeIsolated { core in
                    guard let attempt = core.attempts[ObjectIdentifier(record)], attempt.number == number else {
                        return
                    }
                    core.ended(attempt, result)
                }
            }
        }
    }

    private func giveUp(_ record: PeerRecord, waiter: UInt64, _ reason: GiveUp) {
        guard let attempt = attempts[ObjectIdentifier(record)],
            let index = attempt.waiters.firstIndex(where: { $0.id == waiter })
        else { return }
        let completion = attempt.waiters.remove(at: index).completion
        if reason == .timedOut { attempt.record.update { $0.statistics.timeouts += 1 } }
        if attempt.waiters.isEmpty {
            let code: HostError.Code = reason == .timedOut ? .timedOut : .cancelled
            let error = BluetoothError(HostError(code), during: "connecting to \(record.label)")
            record.update { $0.lastError = error }
            cancel(attempt)
        }
        completion(.failure(HostError(.cancelled)))
    }

    /// Ends an attempt and all who wait for it.
    func abandon(_ attempt: ConnectionAttempt) {
        let waiters = attempt.waiters
        attempt.waiters = []
        cancel(attempt)
        for waiter in waiters {
            waiter.completion(.failure(HostError(.cancelled, detail: "a disconnection was asked for meanwhile")))
        }
    }

    private func cancel(_ attempt: ConnectionAttempt) {
        guard attempt.isStarted else {
            // It still waited for an earlier link to end.
            return ended(attempt, .failure(HostError(.cancelled)))
        }
        guard !attempt.isBeingCancelled else { return }
        attempt.isBeingCancelled = true
        guard let operation = attempt.operation else { return }
        host.assumeIsolated { $0.cancel(operation) }
    }

    private func ended(_ attempt: ConnectionAttempt, _ result: Result<LinkInfo, HostError>) {
        let key = ObjectIdentifier(attempt.record)
        guard attempts[key] === attempt else { return }
        if case .failure(let cause) = result, cause.code == .cancelled, attempt.isBeingCancelled,
            !attempt.waiters.isEmpty, !isOver
        {
            // Somebody asked again while the attempt was being given up.
            let leavers = attempt.leavers
            attempt.leavers = []
            for leaver in leavers { leaver(.success(())) }
            return start(attempt)
        }
        attempts[key] = nil
        switch result {
        case .success(let info): opened(info, attempt)
        case .failure(let cause): failed(cause, attempt)
        }
        for leaver in attempt.leavers { leaver(.success(())) }
        attempt.leavers = []
    }

    private func opened(_ info: LinkInfo, _ attempt: ConnectionAttempt) {
        let record = attempt.record
        identify(record, as: info.peer)
        let link: CentralLink
        if let first = linkTable[info.id] {
            // Another handle of the same device has it already: one link for both.
            first.holds += 1
            guard !attempt.waiters.isEmpty else { return report(record, .disconnected(reason: nil)) }
            first.records.append(record)
            link = first
        } else {
            link = CentralLink(info.id, record)
            links.append(link)
            linkTable[info.id] = link
        }
        let now = loop.now
        record.update { state in
            state.link = info
            state.address = info.address ?? state.address
            state.lastError = nil
            state.generation &+= 1
            state.statistics.began(at: now)
        }
        report(record, .connected)
        for waiter in attempt.waiters { waiter.completion(.success(info)) }
        // All gave up while the answer was on its way.
        let isWanted = !attempt.waiters.isEmpty
        attempt.waiters = []
        if isWanted { reconnected(record) } else { leave(link, force: false) { _ in } }
    }

    private func failed(_ cause: HostError, _ attempt: ConnectionAttempt) {
        let record = attempt.record
        let isOurs = cause.code == .cancelled
        let error = BluetoothError(cause, during: "connecting to \(record.label)")
        if !isOurs { record.update { $0.lastError = error } }
        let reason = record.read { $0.lastError }
        if !goOn(record, reason ?? error) {
            report(record, .disconnected(reason: reason?.code == .cancelled ? nil : reason))
        }
        let waiters = attempt.waiters
        attempt.waiters = []
        for waiter in waiters { waiter.completion(.failure(cause)) }
    }

    /// Ends attempts and the link of a peer.
    func disconnect(_ record: PeerRecord, force: Bool, _ completion: @escaping HostCompletion<Void>) {
        forgo(record, nil)
        if let attempt = attempts[ObjectIdentifier(record)] {
            attempt.leavers.append(completion)
            abandon(attempt)
        } else if let link = links.first(where: { $0.serves(record) }) {
            leave(link, force: force, completion)
        } else {
            completion(.success(()))
        }
    }

    func leave(_ link: CentralLink, force: Bool, _ completion: @escaping HostCompletion<Void>) {
        link.leavers.append(completion)
        guard !link.isLeaving else { return }
        link.isLeaving = true
        for record in link.records { forgo(record, nil) }
        for record in link.records { report(record, .disconnecting) }
        let (id, holds) = (link.id, link.holds)
        host.assumeIsolated { host in
            for _ in 1..<holds { host.disconnect(id, force: force) { _ in } }
            host.disconnect(id, force: force) { [self] result in
                assumeIsolated { core in
                    // Others may hold the link: for this central it has ended nevertheless.
                    if let link = core.linkTable[id] { core.closed(link, nil) }
                }
            }
        }
    }

    func linkClosed(_ id: LinkID, _ cause: HostError) {
        guard let link = linkTable[id] else { return }
        closed(link, link.isLeaving ? nil : BluetoothError(cause, during: "connection to \(link.record.label)"))
    }

    /// The link is gone; without a reason when that was asked for.
    func closed(_ link: CentralLink, _ reason: BluetoothError?) {
        guard linkTable.removeValue(forKey: link.id) != nil else { return }
        links.removeAll { $0 === link }
        let now = loop.now
        for record in link.records {
            record.update { state in
                state.link = nil
                state.lastError = reason
                state.statistics.ended(at: now, isLoss: reason != nil)
            }
            record.forgetServices()
        }
        detach(Array(link.feeds.values), of: link, reason)
        for record in link.records {
            if let reason, goOn(record, reason) { continue }
            report(record, .disconnected(reason: reason))
        }
        let leavers = link.leavers
        link.leavers = []
        for leaver in leavers { leaver(.success(())) }
        for record in link.records {
            if let attempt = attempts[ObjectIdentifier(record)], !attempt.isStarted { start(attempt) }
        }
    }
}
