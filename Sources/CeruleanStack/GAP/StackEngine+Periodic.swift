// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// Periodic advertisers that are followed, and those that are looked for: a controller looks for one at a time.
struct Syncs {
    /// Somebody who wants to follow.
    struct Wish {
        var operation: OperationID
        var peer: PeerID
        var address: DeviceAddress
        var setID: UInt8
        var options: PeriodicSyncOptions
        var completion: HostCompletion<PeriodicSync>
    }

    enum Phase: Hashable {
        case idle
        /// The controller was asked; LE Periodic Advertising Sync Established will tell.
        case creating
        /// The controller was asked to give up; the same event will tell.
        case cancelling
    }

    /// One that is followed.
    struct Running {
        var id: SyncID
        /// Parts of data of which more is to come.
        var data: [UInt8] = []
        /// The data were too long; what still comes of them is left out.
        var isCut = false
    }

    static let limit = 64

    var phase = Phase.idle
    var current: Wish?
    var waiting: [Wish] = []
    var running: [UInt16: Running] = [:]
    var lastNumber: UInt64 = 0
    /// When an attempt that was given up counts as ended whatever the controller says.
    var deadline = MonotonicTime.distantFuture
}

// Core 5.4, Vol 4, Part E, 7.8.67 to 7.8.69.
extension StackEngine {
    /// Follows a periodic advertiser; see `Host/synchronize(to:setID:options:timeout:completion:)`.
    public func synchronize(
        to peer: PeerID, setID: UInt8, options: PeriodicSyncOptions, timeout: Duration, now: MonotonicTime,
        completion: @escaping HostCompletion<PeriodicSync>
    ) -> OperationID {
        self.now = now
        let text = { "synchronization to \(DeviceAddress(peer).map(\.description) ?? peer.description)" }
        func refuse(_ error: HostError) -> OperationID {
            completion(.failure(error.during(text())))
            return reserveOperation()
        }
        if let error = unavailable(text()) { return refuse(error) }
        guard startup.isExtended, startup.features.contains(.periodicAdvertising) else {
            return refuse(HostError(.unsupported, detail: "this controller has no periodic advertising"))
        }
        guard let wanted = DeviceAddress(peer), wanted.kind != .anonymous else {
            return refuse(HostError(.notFound, detail: "no such peer"))
        }
        guard setID <= 15, (0...499).contains(options.skip), options.supervisionTimeout >= .milliseconds(100),
            options.supervisionTimeout <= .milliseconds(163_840)
        else {
            return refuse(
                HostError(
                    .invalidArgument,
                    detail: "sets go from 0 to 15, the skip to 499, the timeout from 100 ms to 163.84 s"))
        }
        guard syncs.waiting.count < Syncs.limit else {
            return refuse(HostError(.queueFull, detail: "\(Syncs.limit) advertisers are looked for"))
        }
        let operation = begin(deadline: deadline(timeout), link: nil) { _ in }
        (operations[operation] as? ClosureOperation)?.failed = { [unowned self] error in
            forgetSync(operation)
            completion(.failure(error.during(text())))
        }
        syncs.waiting.append(
            Syncs.Wish(
                operation: operation, peer: peer, address: airAddress(of: wanted), setID: setID, options: options,
                completion: completion))
        syncNext()
        return operation
    }

    /// Stops following. Does nothing when it has ended.
    public func endSync(_ id: SyncID, now: MonotonicTime) {
        self.now = now
        guard let handle = syncs.running.first(where: { $0.value.id == id })?.key else { return }
        syncs.running[handle] = nil
        command(HCI.LEPeriodicAdvertisingTerminateSync(syncHandle: handle))
    }

    /// Ends all with one reason. Those who wait are told as operations.
    func endSyncs(_ error: HostError) {
        let running = syncs.running.values.sorted { $0.id.rawValue < $1.id.rawValue }
        let last = syncs.lastNumber
        syncs = Syncs()
        syncs.lastNumber = last
        scanner.seeksPeriodic = false
        for sync in running { emit(.syncEnded(sync.id, error.during("synchronization"))) }
    }

    func tickSyncs() {
        guard now >= syncs.deadline else { return }
        syncAttemptOver()
    }

    // MARK: - events

    func syncEstablished(_ event: HCI.LEPeriodicAdvertisingSyncEstablished) {
        guard event.status == .success else {
            guard syncs.phase != .idle else { return }
            let wish = syncs.current
            syncAttemptOver()
            if let wish {
                end(
                    wish.operation,
                    HostError(.connectionFailed, controller: event.status.rawValue, detail: "\(event.status)"))
            }
            return
        }
        let address = DeviceAddress(event.advertiserAddress, event.advertiserAddressKind)
        guard syncs.phase == .creating, let wish = syncs.current, wish.setID == event.sid,
            wish.address.address == address.address || wish.peer == PeerID(address)
        else {
            // Nobody wants it any more.
            command(HCI.LEPeriodicAdvertisingTerminateSync(syncHandle: event.syncHandle))
            if syncs.phase == .cancelling { syncAttemptOver() }
            return
        }
        syncAttemptOver()
        syncs.lastNumber &+= 1
        let id = SyncID(rawValue: syncs.lastNumber)
        if let old = syncs.running.updateValue(Syncs.Running(id: id), forKey: event.syncHandle) {
            emit(.syncEnded(old.id, HostError(.disconnected, "synchronization")))
        }
        guard finish(wish.operation) else { return endSync(id, now: now) }
        wish.completion(
            .success(
                PeriodicSync(
                    id: id, peer: wish.peer, address: address, setID: event.sid, phy: event.phy,
                    interval: .microseconds(Int64(event.interval) * 1_250))))
    }

    func periodicReport(_ event: HCI.LEPeriodicAdvertisingReport) {
        guard var sync = syncs.running[event.syncHandle] else { return }
        let room = ReportAssembler.limit - sync.data.count
        sync.isCut = sync.isCut || event.data.count > room
        sync.data += event.data.prefix(max(0, room))
        guard event.dataStatus != .moreToCome else {
            syncs.running[event.syncHandle] = sync
            return
        }
        syncs.running[event.syncHandle] = Syncs.Running(id: sync.id)
        emit(
            .periodicReport(
                sync.id,
                PeriodicReport(
                    data: sync.data, rssi: event.rssi == 127 ? nil : Int(event.rssi),
                    txPower: event.txPower == 127 ? nil : Int(event.txPower),
                    isTruncated: sync.isCut || event.dataStatus != .complete, time: now)))
    }

    func syncLost(_ event: HCI.LEPeriodicAdvertisingSyncLost) {
        guard let sync = syncs.running.removeValue(forKey: event.syncHandle) else { return }
        emit(
            .syncEnded(
                sync.id, HostError(.disconnected, "synchronization", detail: "the advertiser is not heard any more")))
    }

    // MARK: - private

    private func syncNext() {
        guard syncs.phase == .idle, !syncs.waiting.isEmpty, state == .poweredOn else { return seek() }
        let wish = syncs.waiting.removeFirst()
        syncs.current = wish
        syncs.phase = .creating
        seek()
        command(
            HCI.LEPeriodicAdvertisingCreateSync(
                options: 0, sid: wish.setID, advertiserAddressKind: wish.address.peerKind,
                advertiserAddress: wish.address.address, skip: UInt16(clamping: wish.options.skip),
                timeout: UInt16(clamping: wish.options.supervisionTimeout.wholeNanoseconds / 10_000_000), cteType: 0)
        ) { [self] result in
            guard case .failure(let error) = result, syncs.phase != .idle else { return }
            syncAttemptOver()
            end(wish.operation, error)
        }
    }

    /// Listens for what is looked for, without reporting it, whoever scans or not.
    private func seek() {
        let seeks = syncs.phase != .idle
        var phys = HCI.PHYMask.le1M
        if let address = syncs.current?.address, let index = advertisers.index(of: address),
            advertisers.entries[index].traits?.primaryPHY == .leCoded
        {
            phys = .leCoded
        }
        guard scanner.seeksPeriodic != seeks || seeks && scanner.seekPHYs != phys else { return }
        scanner.seeksPeriodic = seeks
        scanner.seekPHYs = phys
        updateScanning()
    }

    private func syncAttemptOver() {
        syncs.phase = .idle
        syncs.current = nil
        syncs.deadline = .distantFuture
        syncNext()
    }

    /// Somebody does not wait any more.
    private func forgetSync(_ operation: OperationID) {
        syncs.waiting.removeAll { $0.operation == operation }
        guard syncs.phase == .creating, syncs.current?.operation == operation else { return }
        syncs.phase = .cancelling
        syncs.current = nil
        command(HCI.LEPeriodicAdvertisingCreateSyncCancel()) { [self] result in
            guard syncs.phase == .cancelling else { return }
            // "Disallowed" means that the event has been sent, or is about to be.
            syncs.deadline = now + .seconds(2)
            arm(syncs.deadline)
        }
    }
}
