// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// The keys that the controller resolves private addresses with. Core 5.4, Vol 6, Part B, 6.1.
struct ResolvingListState {
    struct Entry: Hashable {
        var identity: DeviceAddress
        var key: Value128
    }

    /// What the controller has and uses.
    var listed: Set<DeviceAddress> = []
    /// What it was given last.
    var given: [Entry] = []
    /// When to try again: the list can be changed only while nothing advertises, scans or connects.
    var retry = MonotonicTime.distantFuture
}

// The controller finds bonded peers behind their private addresses itself, as far as it has room; the host does so for the rest.
extension StackEngine {
    /// The keys that the controller should have: those of the newest bonds. A key that two bonds have resolves to nobody
    /// (security S20), and one of zeros is none.
    private var wantedEntries: [ResolvingListState.Entry] {
        let bonds = security.database.bonds
        let entries = bonds.compactMap { bond -> ResolvingListState.Entry? in
            guard let key = bond.resolvingKey, key != .zero,
                bonds.count(where: { $0.resolvingKey == key }) == 1
            else { return nil }
            return ResolvingListState.Entry(identity: bond.identity, key: key)
        }
        return Array(entries.suffix(startup.resolvingListSize))
    }

    /// Gives the controller the keys of the bonds if they have changed. What goes on pauses meanwhile.
    func updateResolvingList() {
        guard startup.resolvingListSize > 0, state == .poweredOn else { return }
        let wanted = wantedEntries
        guard wanted != privacy.list.given else { return }
        guard connector.phase == .idle, syncs.phase == .idle, !scanner.isBusy, !advertiser.isStarting,
            !privacy.isChanging
        else {
            privacy.list.retry = now + .seconds(1)
            return arm(privacy.list.retry)
        }
        privacy.list.retry = .distantFuture
        privacy.list.given = wanted
        privacy.list.listed = []
        privacy.isChanging = true
        scanner.isBusy = true
        let paused = advertiser.running.map(\.id)
        if startup.isExtended {
            disableSets(advertiser.running.map(\.handle))
        } else if !paused.isEmpty {
            command(HCI.LESetAdvertisingEnable(enable: false))
        }
        if scanner.current != nil { enableScanning(false) { _ in } }
        command(HCI.LESetAddressResolutionEnable(enable: false))
        command(HCI.LEClearResolvingList())
        for entry in wanted { add(entry) }
        // With nothing in the list it costs nothing either.
        command(HCI.LESetAddressResolutionEnable(enable: !wanted.isEmpty)) { [self] result in
            if case .failure = result { privacy.list.listed = [] }
            privacy.isChanging = false
            guard state == .poweredOn else { return }
            resume(paused)
            scanner.isBusy = false
            scanner.current = nil
            updateScanning()
            connectNext()
        }
    }

    private func add(_ entry: ResolvingListState.Entry) {
        // Our own address is made by the host: without a key of ours the controller leaves it alone.
        command(
            HCI.LEAddDeviceToResolvingList(
                peerAddressKind: entry.identity.kind, peerAddress: entry.identity.address, peerKey: entry.key,
                localKey: .zero)
        ) { [self] result in
            if case .success = result { privacy.list.listed.insert(entry.identity) }
        }
        guard startup.supports(.leSetPrivacyMode) else { return }
        // Device privacy: a peer that shows its identity is heard too. Core 5.4, Vol 4, Part E, 7.8.77.
        command(
            HCI.LESetPrivacyMode(
                peerAddressKind: entry.identity.kind, peerAddress: entry.identity.address, mode: 1))
    }

    /// Advertises again what was paused and has not been stopped.
    private func resume(_ paused: [AdvertisementID]) {
        let running = advertiser.running.filter { paused.contains($0.id) }
        guard !running.isEmpty else { return }
        if startup.isExtended {
            enableSets(running.map { ($0.handle, $0.plan.duration) }) { [self] result in
                for one in running { advertisingStep(one.id, result) }
            }
        } else {
            command(HCI.LESetAdvertisingEnable(enable: true)) { [self] result in
                for one in running { advertisingStep(one.id, result) }
            }
        }
    }

    func tickResolvingList() {
        guard now >= privacy.list.retry else { return }
        privacy.list.retry = .distantFuture
        updateResolvingList()
    }

    /// The identity that the controller resolves an address to; nil when it does not.
    func listedIdentity(of address: DeviceAddress) -> DeviceAddress? {
        guard !privacy.list.listed.isEmpty else { return nil }
        let folded = DeviceAddress(address.address, address.peerKind)
        if privacy.list.listed.contains(folded) { return folded }
        guard folded.randomKind == .resolvablePrivate,
            case .identity(let identity) = security.resolve(folded, now: now),
            privacy.list.listed.contains(identity)
        else { return nil }
        return identity
    }
}
