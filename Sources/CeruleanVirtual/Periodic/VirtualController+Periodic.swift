// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// What to do with synchronizations that a peer hands over. Core 5.4, Vol 4, Part E, 7.8.91.
struct SyncTransferPolicy {
    var mode: UInt8 = 0
    var skip: UInt16 = 0
    /// Units of 10 ms.
    var timeout: UInt16 = 0x0A
}

/// An entry of the periodic advertiser list.
struct PeriodicAdvertiser: Hashable {
    var address: DeviceAddress
    var sid: UInt8
}

/// What a peer tells of periodic advertising: LL_PERIODIC_SYNC_IND. Core 5.4, Vol 6, Part B, 2.4.2.27.
struct PeriodicInformation {
    var train: PeriodicTrain
    var advertiser: DeviceAddress
    var sid: UInt8
    var serviceData: UInt16
}

extension VirtualController {
    // MARK: - sending

    func setPeriodicParameters(_ command: HCI.LESetPeriodicAdvertisingParameters) throws(Refusal) {
        let set = try advertisingSet(command.advertisingHandle)
        guard set.settings.properties.allowsPeriodic, command.intervalMinimum >= 6,
            command.intervalMinimum <= command.intervalMaximum, command.properties & ~0x40 == 0
        else { throw Refusal(.invalidParameters) }
        let train = set.train ?? PeriodicTrain(set: set)
        guard !train.isEnabled else { throw Refusal(.commandDisallowed) }
        train.units = command.intervalMinimum
        train.unitsMaximum = command.intervalMaximum
        train.includesTXPower = command.properties & 0x40 != 0
        guard train.fits(train.data.octets.count) else { throw Refusal(.packetTooLong) }
        set.train = train
    }

    func setPeriodicData(_ command: HCI.LESetPeriodicAdvertisingData) throws(Refusal) {
        guard let train = try advertisingSet(command.advertisingHandle).train else { throw Refusal(.commandDisallowed) }
        if command.operation == .unchanged {
            guard train.isEnabled, !train.data.octets.isEmpty, command.data.isEmpty
            else { throw Refusal(.invalidParameters) }
        } else {
            try train.data.take(
                command.operation, command.data, isInUse: train.isEnabled,
                limit: Int(configuration.maximumAdvertisingDataLength), isLegacy: false
            ) { train.fits($0) }
        }
        train.did = (train.did &+ 1) & 0xFFF
    }

    func setPeriodic(_ command: HCI.LESetPeriodicAdvertisingEnable) throws(Refusal) {
        let set = try advertisingSet(command.advertisingHandle)
        guard command.enable <= 3 else { throw Refusal(.invalidParameters) }
        guard let train = set.train, command.enable & 1 == 0 || train.data.isComplete
        else { throw Refusal(.commandDisallowed) }
        guard command.enable & 1 == 0 || train.fits(train.data.octets.count) else { throw Refusal(.packetTooLong) }
        if command.enable & 2 != 0, !configuration.features.contains(.periodicAdvertisingADI) {
            throw Refusal(.unsupportedFeatureOrValue)
        }
        if command.enable & 1 == 0 {
            train.stop()
        } else {
            train.enable(includesADI: command.enable & 2 != 0)
        }
    }

    // MARK: - receiving

    func createSync(_ command: HCI.LEPeriodicAdvertisingCreateSync) throws(Refusal) {
        guard syncRequest == nil else { throw Refusal(.commandDisallowed) }
        guard command.options <= 7, command.skip <= 499, (0x0A...0x4000).contains(command.timeout),
            command.cteType & ~0x1F == 0,
            command.options & 1 == 1 || command.sid <= 0x0F && command.advertiserAddressKind.rawValue <= 1
        else { throw Refusal(.invalidParameters) }
        if command.options & 1 == 0,
            syncs.contains(where: {
                guard let sync = $0 else { return false }
                return sync.sid == command.sid && sync.advertiser.address == command.advertiserAddress
                    && sync.advertiser.peerKind == command.advertiserAddressKind
            })
        {
            throw Refusal(.connectionAlreadyExists)
        }
        guard syncs.count(where: { $0 != nil }) < configuration.maximumSyncs else {
            throw Refusal(.memoryCapacityExceeded)
        }
        syncRequest = command
    }

    func cancelSync() throws(Refusal) {
        guard syncRequest != nil else { throw Refusal(.commandDisallowed) }
        syncRequest = nil
        if let pending = syncs.compactMap({ $0 }).first(where: { !$0.isEstablished && $0.transfer == nil }) {
            forget(pending)
        }
        afterAnswer.append { [unowned self] in
            var event = HCI.LEPeriodicAdvertisingSyncEstablished()
            event.status = .operationCancelledByHost
            emit(event)
        }
    }

    func sync(_ handle: UInt16) throws(Refusal) -> PeriodicSync {
        guard Int(handle) < syncs.count, let sync = syncs[Int(handle)], sync.isEstablished
        else { throw Refusal(.unknownAdvertisingIdentifier) }
        return sync
    }

    /// A scanner heard a set that advertises periodically: begins to synchronize when the host asked for it.
    func synchronize(to event: AdvertisingEvent, _ who: Identified) {
        guard let command = syncRequest, let train = event.train, train.isRunning,
            !syncs.contains(where: { $0.map { !$0.isEstablished && $0.transfer == nil } ?? false })
        else { return }
        let found = PeriodicAdvertiser(address: who.listed, sid: event.sid)
        if command.options & 1 == 1 {
            guard advertiserList.contains(found) else { return }
        } else {
            let wanted = DeviceAddress(command.advertiserAddress, command.advertiserAddressKind)
            guard event.sid == command.sid, wanted == who.listed || wanted == who.onAir else { return }
        }
        guard !isSynchronized(to: train) else { return }
        addSync(
            train, who.address, event.sid, skip: command.skip, timeout: command.timeout,
            reports: command.options & 2 == 0, filtersDuplicates: command.options & 4 != 0)
    }

    /// The synchronization is over, or could not be made.
    func forget(_ sync: PeriodicSync) {
        if !sync.isEstablished, sync.transfer == nil { syncRequest = nil }
        sync.stop()
        syncs[Int(sync.handle)] = nil
    }

    /// The first packet came: the host's command is done.
    func established(_ sync: PeriodicSync) {
        if sync.transfer == nil { syncRequest = nil }
    }

    // MARK: - transfer

    /// A peer handed a synchronization over.
    func received(_ information: PeriodicInformation, at end: LinkEnd) {
        let policy = end.syncTransfer ?? defaultSyncTransfer
        guard policy.mode != 0, configuration.features.contains(.periodicSyncTransferRecipient),
            !isSynchronized(to: information.train), information.train.isRunning
        else { return }
        let who = identify(information.advertiser)?.address ?? information.advertiser
        addSync(
            information.train, who, information.sid, skip: policy.skip, timeout: policy.timeout,
            reports: policy.mode >= 2, filtersDuplicates: policy.mode == 3,
            transfer: .init(handle: end.handle, serviceData: information.serviceData))
    }

    func policy(
        _ mode: UInt8, _ skip: UInt16, _ timeout: UInt16, _ cteType: UInt8
    ) throws(Refusal) -> SyncTransferPolicy {
        guard mode <= 3, skip <= 499, (0x0A...0x4000).contains(timeout), cteType & ~0x1F == 0
        else { throw Refusal(.invalidParameters) }
        return SyncTransferPolicy(mode: mode, skip: skip, timeout: timeout)
    }

    // MARK: - private

    private func isSynchronized(to train: PeriodicTrain) -> Bool { syncs.contains { $0?.train === train } }

    private func addSync(
        _ train: PeriodicTrain, _ advertiser: DeviceAddress, _ sid: UInt8, skip: UInt16, timeout: UInt16,
        reports: Bool, filtersDuplicates: Bool, transfer: PeriodicSync.Transfer? = nil
    ) {
        guard syncs.count(where: { $0 != nil }) < configuration.maximumSyncs else { return }
        let free = syncs.firstIndex { $0 == nil } ?? syncs.count
        if free == syncs.count { syncs.append(nil) }
        let sync = PeriodicSync(
            handle: UInt16(truncatingIfNeeded: free), controller: self, train: train, advertiser: advertiser, sid: sid,
            skip: skip, timeout: timeout, reports: reports, filtersDuplicates: filtersDuplicates, transfer: transfer)
        syncs[free] = sync
        sync.start()
    }
}
