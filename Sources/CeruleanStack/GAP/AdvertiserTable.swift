// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// The advertisers that were heard, with what they said last: merges advertisement and scan response, and remembers for each
/// scan what it was told.
///
/// At most ``capacity`` entries; when it is full the one that has been silent for longest makes room (a second-chance ring, so
/// an insertion costs the same however many there are). Looking up and merging neither allocate nor depend on the number of
/// advertisers while contents stay the same. Security D5, D6.
struct AdvertiserTable {
    /// What extended packets tell beyond legacy ones, as the controller gives it.
    struct Traits: Hashable {
        var primaryPHY: HCI.PHY
        var secondaryPHY: HCI.PHY
        var setID: UInt8
        var txPower: Int8
        var periodicInterval: UInt16
        var isTruncated: Bool
    }

    /// What was heard, but for its data.
    struct Heard {
        /// Address, kind and set.
        var key: UInt64
        var rssi: Int8
        var isConnectable: Bool
        var traits: Traits?
    }

    struct Entry {
        /// Address, kind and set: the identity of an entry.
        var key: UInt64
        var data: [UInt8] = []
        var response: [UInt8]?
        var time: MonotonicTime
        var rssi: Int8
        var isConnectable = false
        var traits: Traits?
        /// The end of the scan response was lost.
        var isResponseTruncated = false
        /// Heard again since the ring's hand passed.
        var isWarm = false
        /// Scans that were told of the present content.
        var reported: UInt64 = 0
        /// Scans whose filter was applied to the present content, and those that it passed.
        var judged: UInt64 = 0
        var passed: UInt64 = 0

        /// True when the advertisement or the scan response lists a service.
        func lists(_ service: BluetoothUUID) -> Bool {
            if AdvertisingDataView(data.span.bytes).contains(service: service) { return true }
            guard let response else { return false }
            return AdvertisingDataView(response.span.bytes).contains(service: service)
        }

        /// The complete or shortened name.
        static func name(in data: [UInt8]) -> String? {
            AdvertisingDataView(data.span.bytes).name.map { String(decoding: data[$0], as: UTF8.self) }
        }

        var address: DeviceAddress {
            DeviceAddress(
                BluetoothAddress(rawValue: key), DeviceAddress.Kind(rawValue: UInt8(truncatingIfNeeded: key >> 48)))
        }

        /// What scans are told.
        var advertisement: Advertisement {
            let address = address
            return Advertisement(
                peer: peer, address: address.kind == .anonymous ? nil : address, rssi: rssi == 127 ? nil : Int(rssi),
                isConnectable: isConnectable, time: time, raw: data, scanResponse: response,
                extended: traits.map { Advertisement.Extended($0, isResponseTruncated: isResponseTruncated) })
        }

        /// The bonded device behind a private address.
        var identity: DeviceAddress?
        /// That was looked for.
        var isIdentified = false

        var peer: PeerID { PeerID(identity ?? address) }

        mutating func contentChanged() {
            reported = 0
            judged = 0
        }
    }

    let capacity: Int
    private(set) var entries: [Entry] = []
    /// Entry numbers plus one by hash, 0 for free; at most half full.
    private var slots = [Int32](repeating: 0, count: 256)
    private var hand = 0
    /// Some entry belongs to a set.
    private var hasSets = false
    private let multiplier: UInt64

    /// `seed` keeps outsiders from choosing addresses that collide.
    init(capacity: Int, seed: UInt64) {
        self.capacity = max(1, capacity)
        multiplier = (seed &* 0x9E37_79B9_7F4A_7C15) | 1
    }

    /// - Parameter set: Number of the advertiser's set, 0 to 15; 0xFF without.
    static func key(_ address: DeviceAddress, set: UInt8 = 0xFF) -> UInt64 {
        address.address.rawValue | UInt64(address.peerKind.rawValue) << 48 | UInt64(set &+ 1) << 56
    }

    /// The entry of an address: that of its legacy packets, else of the set with the lowest number.
    func index(of address: DeviceAddress) -> Int? {
        if let index = find(Self.key(address)) { return index }
        guard hasSets else { return nil }
        for set in UInt8(0)...15 {
            if let index = find(Self.key(address, set: set)) { return index }
        }
        return nil
    }

    /// Merges an advertisement. Returns the entry's number, valid until the next call.
    mutating func merge(advertisement data: RawSpan, _ heard: Heard, now: MonotonicTime) -> Int {
        let index = find(heard.key) ?? insert(Entry(key: heard.key, time: now, rssi: heard.rssi))
        if !data.isEqual(to: entries[index].data) {
            entries[index].data.replace(with: data)
            entries[index].contentChanged()
        }
        if entries[index].isConnectable != heard.isConnectable || entries[index].traits != heard.traits {
            entries[index].isConnectable = heard.isConnectable
            entries[index].traits = heard.traits
            entries[index].contentChanged()
        }
        touch(index, heard.rssi, now)
        return index
    }

    /// Merges a scan response. Nil when no advertisement came before it.
    mutating func merge(response data: RawSpan, _ heard: Heard, now: MonotonicTime) -> Int? {
        guard let index = find(heard.key) else { return nil }
        if entries[index].response == nil {
            entries[index].response = data.array
            entries[index].contentChanged()
        } else if !data.isEqual(to: entries[index].response ?? []) {
            entries[index].response?.replace(with: data)
            entries[index].contentChanged()
        }
        let isTruncated = heard.traits?.isTruncated ?? false
        if entries[index].isResponseTruncated != isTruncated {
            entries[index].isResponseTruncated = isTruncated
            entries[index].contentChanged()
        }
        touch(index, heard.rssi, now)
        return index
    }

    mutating func setIdentity(_ index: Int, _ identity: DeviceAddress?) {
        entries[index].identity = identity
        entries[index].isIdentified = true
    }

    /// Bonds have changed: everybody is looked for again.
    mutating func forgetIdentities() {
        for index in entries.indices {
            entries[index].identity = nil
            entries[index].isIdentified = false
        }
    }

    mutating func setReported(_ index: Int, _ scans: UInt64) { entries[index].reported |= scans }

    mutating func setJudged(_ index: Int, _ scans: UInt64, passed: UInt64) {
        entries[index].judged |= scans
        entries[index].passed = entries[index].passed & ~scans | passed & scans
    }

    /// A scan number is used again: nothing was told to it.
    mutating func forget(scan bit: UInt64) {
        for index in entries.indices {
            entries[index].reported &= ~bit
            entries[index].judged &= ~bit
        }
    }

    // MARK: - private

    private mutating func touch(_ index: Int, _ rssi: Int8, _ now: MonotonicTime) {
        entries[index].rssi = rssi
        entries[index].time = now
        entries[index].isWarm = true
    }

    private func slot(_ key: UInt64) -> Int {
        Int(truncatingIfNeeded: (key &* multiplier) >> 24) & (slots.count - 1)
    }

    private func find(_ key: UInt64) -> Int? {
        var position = slot(key)
        while slots[position] != 0 {
            let index = Int(slots[position]) - 1
            if entries[index].key == key { return index }
            position = (position + 1) & (slots.count - 1)
        }
        return nil
    }

    private mutating func insert(_ entry: Entry) -> Int {
        if entry.key >> 56 != 0 { hasSets = true }
        if entries.count < capacity {
            entries.append(entry)
            if entries.count * 2 > slots.count {
                grow()
            } else {
                occupy(entries.count - 1)
            }
            return entries.count - 1
        }
        while entries[hand].isWarm {
            entries[hand].isWarm = false
            hand = (hand + 1) % capacity
        }
        let index = hand
        hand = (hand + 1) % capacity
        vacate(entries[index].key)
        entries[index] = entry
        occupy(index)
        return index
    }

    private mutating func occupy(_ index: Int) {
        var position = slot(entries[index].key)
        while slots[position] != 0 { position = (position + 1) & (slots.count - 1) }
        slots[position] = Int32(index + 1)
    }

    private mutating func grow() {
        slots = [Int32](repeating: 0, count: slots.count * 2)
        for index in entries.indices { occupy(index) }
    }

    /// Frees the slot of `key` and closes the gap that it leaves in its run.
    private mutating func vacate(_ key: UInt64) {
        let mask = slots.count - 1
        var gap = slot(key)
        while slots[gap] != 0, entries[Int(slots[gap]) - 1].key != key { gap = (gap + 1) & mask }
        guard slots[gap] != 0 else { return }
        var position = gap
        while true {
            position = (position + 1) & mask
            guard slots[position] != 0 else { break }
            let home = slot(entries[Int(slots[position]) - 1].key)
            // The entry may move back only when its home does not lie behind the gap.
            if (position - home) & mask >= (position - gap) & mask {
                slots[gap] = slots[position]
                gap = position
            }
        }
        slots[gap] = 0
    }
}

extension Advertisement.Extended {
    init(_ traits: AdvertiserTable.Traits, isResponseTruncated: Bool) {
        self.init(
            primaryPHY: traits.primaryPHY,
            secondaryPHY: traits.secondaryPHY.rawValue == 0 ? nil : traits.secondaryPHY,
            setID: traits.setID <= 15 ? traits.setID : nil,
            txPower: traits.txPower == 127 ? nil : Int(traits.txPower),
            periodicInterval: traits.periodicInterval == 0
                ? nil : .microseconds(Int64(traits.periodicInterval) * 1_250),
            isTruncated: traits.isTruncated || isResponseTruncated)
    }
}

extension RawSpan {
    /// True when the octets are those of `bytes`; eight at a time.
    func isEqual(to bytes: [UInt8]) -> Bool {
        let count = byteCount
        guard count == bytes.count else { return false }
        let other = bytes.span.bytes
        var position = 0
        while position + 8 <= count {
            let mine = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
            let theirs = unsafe other.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
            if mine != theirs { return false }
            position += 8
        }
        while position < count {
            if self[position] != other[position] { return false }
            position += 1
        }
        return true
    }
}

extension [UInt8] {
    /// Becomes a copy of `bytes`, in the room it has.
    mutating func replace(with bytes: RawSpan) {
        removeAll(keepingCapacity: true)
        unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
    }
}
