// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// Who an address on the air belongs to.
struct Identified {
    /// As the host is told: the identity when it was resolved.
    var address: DeviceAddress
    /// As it was on the air.
    var onAir: DeviceAddress
    /// The peer's place in the resolving list.
    var entry: Int?

    /// Public or random: as lists name the peer.
    var listed: DeviceAddress { DeviceAddress(address.address, address.peerKind) }

    /// The private address that was resolved, or zeros.
    var privateAddress: BluetoothAddress { address == onAir ? .zero : onAir.address }
}

/// Whom directed advertising is for.
enum TargetMatch {
    case own
    case unresolved
    case other
}

extension VirtualController {
    /// Resolves an address; nil when its packets must be ignored for privacy. Core 5.4, Vol 6, Part B, 4.7.
    func identify(_ address: DeviceAddress) -> Identified? {
        if resolving.entries.isEmpty { return Identified(address: address, onAir: address) }
        guard resolving.isEnabled else {
            return Identified(address: address, onAir: address, entry: resolving.index(of: address))
        }
        if address.randomKind == .resolvablePrivate {
            guard let index = resolving.resolve(address.address) else {
                return Identified(address: address, onAir: address)
            }
            resolving[index].heard = address.address
            let identity = resolving[index].identity
            let kind: DeviceAddress.Kind = identity.kind == .public ? .publicIdentity : .randomIdentity
            return Identified(address: DeviceAddress(identity.address, kind), onAir: address, entry: index)
        }
        guard let index = resolving.index(of: address) else { return Identified(address: address, onAir: address) }
        let entry = resolving[index]
        // Network privacy: who has a key must use it.
        if entry.peerKey != .zero, !entry.acceptsIdentity { return nil }
        return Identified(address: address, onAir: address, entry: index)
    }

    func isListed(_ who: Identified) -> Bool { acceptList.contains(who.listed) || acceptList.contains(who.onAir) }

    /// The address that a procedure uses: types 2 and 3 make a private one from the peer's entry, and fall back to the
    /// identity without it. Core 5.4, Vol 4, Part E, 7.8.5.
    func ownAddress(_ type: HCI.OwnAddressType, entry: Int?, random: BluetoothAddress?) -> DeviceAddress {
        if let entry, type == .resolvableOrPublic || type == .resolvableOrRandom,
            let address = resolving.localAddress(entry, now: air.now, &air.random)
        {
            return DeviceAddress(address, .random)
        }
        return identity(type, random: random)
    }

    /// The address of a type without privacy.
    func identity(_ type: HCI.OwnAddressType, random: BluetoothAddress?) -> DeviceAddress {
        if type == .random || type == .resolvableOrRandom { return DeviceAddress(random ?? .zero, .random) }
        return DeviceAddress(configuration.publicAddress, .public)
    }

    /// True when a procedure would need a random address that was not set.
    func lacksAddress(_ type: HCI.OwnAddressType, random: BluetoothAddress?, entry: Int?) -> Bool {
        guard random == nil else { return false }
        if type == .resolvableOrRandom, let entry { return resolving[entry].localKey == .zero }
        return type == .random || type == .resolvableOrRandom
    }

    /// The address that directed advertising calls.
    func targetAddress(of settings: AdvertisingSet.Settings, entry: Int?) -> DeviceAddress {
        if let entry, settings.ownAddressType.rawValue >= 2,
            let address = resolving.targetAddress(entry, now: air.now, &air.random)
        {
            return DeviceAddress(address, .random)
        }
        return settings.peer
    }

    /// Whether directed advertising is for us.
    func match(_ target: DeviceAddress, _ type: HCI.OwnAddressType) -> TargetMatch {
        if target == identity(type, random: randomAddress) { return .own }
        guard target.randomKind == .resolvablePrivate else { return .other }
        return resolving.isEnabled && resolving.isLocal(target.address) ? .own : .unresolved
    }

    /// The resolving list must not change while it is used. Core 5.4, Vol 4, Part E, 7.8.38.
    func checkResolvingListIsFree() throws(Refusal) {
        if resolving.isEnabled { try checkPrivacyIsIdle() }
    }

    func checkPrivacyIsIdle() throws(Refusal) {
        if isAdvertising || scanner.isEnabled || initiator.isPending || syncRequest != nil {
            throw Refusal(.commandDisallowed)
        }
    }
}
