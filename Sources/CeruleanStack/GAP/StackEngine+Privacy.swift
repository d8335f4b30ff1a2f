// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// Our own private addresses, and the addresses under which bonded peers were heard last.
struct Privacy {
    /// Nil when we use our identity address.
    var rotation: AddressRotation?
    /// The address on the air while it is a private one.
    var airAddress: DeviceAddress?
    /// The controller is being given another address.
    var isChanging = false
    /// What the controller resolves.
    var list = ResolvingListState()
    /// Where bonded peers were heard last, by identity. No more entries than bonds.
    var heard: [DeviceAddress: DeviceAddress] = [:]

    var deadline: MonotonicTime {
        guard let rotation, airAddress != nil, !isChanging else { return .distantFuture }
        return rotation.deadline
    }
}

// Privacy. Core 5.4, Vol 3, Part C, 10.7.
extension StackEngine {
    // MARK: - our address

    /// The first private address, before anything is sent; nil when we use none.
    func firstPrivateAddress() -> BluetoothAddress? {
        privacy = Privacy()
        guard let interval = configuration.addressRotation else { return nil }
        if security.database.resolvingKey == nil {
            security.database.resolvingKey = try? configuration.crypto.randomValue()
        }
        guard let key = security.database.resolvingKey, key != .zero else { return nil }
        var rotation = AddressRotation(key: key, interval: interval)
        guard let address = try? rotation.tick(now: now, crypto: configuration.crypto) else { return nil }
        rotation.took(now: now)
        privacy.rotation = rotation
        privacy.airAddress = address
        arm(privacy.deadline)
        return address.address
    }

    /// The address that peers of new links know us by.
    var airAddress: DeviceAddress? { privacy.airAddress ?? localAddress }

    /// It is time for another address. The controller takes one only while it neither advertises nor scans.
    func tickPrivacy() {
        guard now >= privacy.deadline, state == .poweredOn else { return }
        // While a link is being made the address stays.
        guard connector.phase == .idle, !scanner.isBusy, !advertiser.isStarting,
            let address = try? privacy.rotation?.tick(now: now, crypto: configuration.crypto)
        else {
            privacy.rotation?.wasRefused(now: now)
            return arm(privacy.deadline)
        }
        privacy.isChanging = true
        let legacy = startup.isExtended ? nil : advertiser.running.first?.id
        if legacy != nil { command(HCI.LESetAdvertisingEnable(enable: false)) }
        if scanner.current != nil { enableScanning(false) { _ in } }
        scanner.isBusy = true
        command(HCI.LESetRandomAddress(address: address.address)) { [self] result in
            privacy.isChanging = false
            if case .success = result {
                privacy.rotation?.took(now: now)
                privacy.airAddress = address
                if startup.isExtended { changeSetAddresses(address.address) }
            } else {
                privacy.rotation?.wasRefused(now: now)
            }
            arm(privacy.deadline)
            guard state == .poweredOn else { return }
            if let legacy, advertiser[legacy] != nil {
                command(HCI.LESetAdvertisingEnable(enable: true)) { self.advertisingStep(legacy, $0) }
            }
            scanner.isBusy = false
            scanner.current = nil
            updateScanning()
            connectNext()
        }
    }

    // MARK: - addresses of peers

    /// Finds out who is behind a private address that was heard.
    func identify(_ index: Int) {
        let entry = advertisers.entries[index]
        guard entry.address.randomKind == .resolvablePrivate else { return advertisers.setIdentity(index, nil) }
        switch security.resolve(entry.address, now: now) {
        case .identity(let identity):
            advertisers.setIdentity(index, identity)
            let wasReported = entry.reported != 0
            if wasReported { emit(.identityResolved(from: PeerID(entry.address), to: PeerID(identity))) }
        case .nobody: advertisers.setIdentity(index, nil)
        case .tooBusy: return
        }
    }

    /// A bonded peer was heard: it can be reached under this address now.
    func heard(_ identity: DeviceAddress, at address: DeviceAddress) { privacy.heard[identity] = address }

    /// The bonds have changed: who is behind an address is found out anew.
    func forgetIdentities() {
        advertisers.forgetIdentities()
        cache.retain { security.database[$0] != nil }
        later { [unowned self] in updateResolvingList() }
        privacy.heard = privacy.heard.filter { security.database[$0.key] != nil }
    }

    /// Where to call a peer: a bonded one by its identity where the controller resolves that, else where it was heard last.
    func airAddress(of address: DeviceAddress) -> DeviceAddress {
        if let identity = listedIdentity(of: address) { return identity }
        return privacy.heard[DeviceAddress(address.address, address.peerKind)] ?? address
    }
}
