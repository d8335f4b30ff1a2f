// SPDX-License-Identifier: Apache-2.0

import CCeruleanCrypto
import CeruleanWire

/// Identities and the keys of their private addresses. Core 5.4, Vol 6, Part B, 1.3.2.2 and 4.7.
struct ResolvingList {
    /// A private address until it changes.
    struct Current {
        var address: BluetoothAddress
        var end: Int64
    }

    struct Entry {
        let identity: DeviceAddress
        let peerKey: Value128
        let localKey: Value128
        /// The peer may use its identity address although it has a key: device privacy.
        var acceptsIdentity = false
        /// Our address for this peer.
        var local: Current?
        /// The address under which we look for the peer.
        var target: Current?
        /// The private address that the peer used last.
        var heard = BluetoothAddress.zero
    }

    /// Addresses whose result is remembered; when there are more it starts anew.
    private static let cacheLimit = 1024

    private(set) var entries: [Entry] = []
    var isEnabled = false
    /// Nanoseconds until own private addresses change.
    var lifetime: Int64 = 900_000_000_000
    private var resolved: [BluetoothAddress: Int?] = [:]

    func index(of identity: DeviceAddress) -> Int? {
        entries.isEmpty ? nil : entries.firstIndex { $0.identity == identity }
    }

    subscript(index: Int) -> Entry {
        get { entries[index] }
        set { entries[index] = newValue }
    }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        resolved.removeAll()
    }

    mutating func remove(at index: Int) {
        entries.remove(at: index)
        resolved.removeAll()
    }

    mutating func removeAll() {
        entries.removeAll()
        resolved.removeAll()
    }

    /// Own addresses are made anew at their next use.
    mutating func expireAddresses() {
        for index in entries.indices {
            entries[index].local = nil
            entries[index].target = nil
        }
    }

    /// The peer whose key made `address`.
    mutating func resolve(_ address: BluetoothAddress) -> Int? {
        if entries.isEmpty { return nil }
        if let known = resolved[address] { return known }
        let index = entries.firstIndex { $0.peerKey != .zero && Self.matches(address, $0.peerKey) }
        if resolved.count >= Self.cacheLimit { resolved.removeAll(keepingCapacity: true) }
        resolved.updateValue(index, forKey: address)
        return index
    }

    /// True when one of our own keys made `address`.
    func isLocal(_ address: BluetoothAddress) -> Bool {
        entries.contains {
            $0.local?.address == address || $0.localKey != .zero && Self.matches(address, $0.localKey)
        }
    }

    /// Our private address for a peer; nil when we use our identity.
    mutating func localAddress(_ index: Int, now: Int64, _ random: inout SeededRandom) -> BluetoothAddress? {
        guard entries[index].localKey != .zero else { return nil }
        if let current = entries[index].local, now < current.end { return current.address }
        guard let address = Self.make(entries[index].localKey, &random) else { return nil }
        entries[index].local = Current(address: address, end: now + lifetime)
        return address
    }

    /// A private address of the peer to look for; nil when it uses its identity.
    mutating func targetAddress(_ index: Int, now: Int64, _ random: inout SeededRandom) -> BluetoothAddress? {
        guard entries[index].peerKey != .zero else { return nil }
        if let current = entries[index].target, now < current.end { return current.address }
        guard let address = Self.make(entries[index].peerKey, &random) else { return nil }
        entries[index].target = Current(address: address, end: now + lifetime)
        return address
    }

    // MARK: - private

    /// ah. Core 5.4, Vol 3, Part H, 2.2.2: nil when the library cannot.
    private static func hash(_ key: Value128, _ part: UInt64) -> UInt64? {
        var result = [UInt8](repeating: 0, count: 16)
        guard unsafe cerulean_aes128_encrypt(key.bigEndian, Value128(UInt128(part)).bigEndian, &result) == 0
        else { return nil }
        return result.suffix(3).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func matches(_ address: BluetoothAddress, _ key: Value128) -> Bool {
        hash(key, address.rawValue >> 24) == address.rawValue & 0xFF_FFFF
    }

    private static func make(_ key: Value128, _ random: inout SeededRandom) -> BluetoothAddress? {
        var part = random.next() & 0x3F_FFFF
        // Neither all zeros nor all ones. Vol 6, Part B, 1.3.2.2.
        if part == 0 || part == 0x3F_FFFF { part = 1 }
        part |= 0x40_0000
        return hash(key, part).map { BluetoothAddress(rawValue: part << 24 | $0) }
    }
}
