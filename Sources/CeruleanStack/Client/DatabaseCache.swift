// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// What was found in the databases of bonded peers, each with the hash that it had. Core 5.4, Vol 3, Part G, 2.5.2.
///
/// Used only on encrypted links to bonded peers, and only after the peer has told the same hash on that link (security A21).
/// The hash is 16 octets of the peer's making: it is compared, never computed. Bounded: ``PeerDatabase/capacity`` peers, above which
/// the one that was used longest ago goes, and ``PeerDatabase/limit`` entries for each. Kept with the bonds.
struct DatabaseCache {
    private var entries: [DeviceAddress: PeerDatabase] = [:]
    /// Used longest ago first.
    private var order: [DeviceAddress] = []
    /// Something was found that is not kept with the bonds yet.
    private(set) var isChanged = false

    init(_ databases: [PeerDatabase] = []) {
        for database in databases {
            order.append(database.identity)
            entries[database.identity] = database
        }
    }

    /// All databases, that which was used longest ago first, to be kept with the bonds.
    mutating func takeChanges() -> [PeerDatabase] {
        isChanged = false
        return order.compactMap { entries[$0] }
    }

    /// What is known of a peer whose database has this hash now; an older one is forgotten.
    mutating func open(_ peer: DeviceAddress, hash: [UInt8]) {
        order.removeAll { $0 == peer }
        order.append(peer)
        if order.count > PeerDatabase.capacity { entries[order.removeFirst()] = nil }
        if entries[peer]?.hash != hash { entries[peer] = PeerDatabase(identity: peer, hash: hash) }
    }

    func entry(_ peer: DeviceAddress, hash: [UInt8]) -> PeerDatabase? {
        guard let entry = entries[peer], entry.hash == hash else { return nil }
        return entry
    }

    /// Keeps an answer with `count` entries, unless there are too many; an empty answer counts too.
    mutating func keep(_ peer: DeviceAddress, hash: [UInt8], count: Int, _ change: (inout PeerDatabase) -> Void) {
        guard let entry = entries[peer], entry.hash == hash, entry.count + count < PeerDatabase.limit else { return }
        isChanged = true
        change(&entries[peer, default: entry])
    }

    /// Forgets those that are not bonded any more.
    mutating func retain(where isBonded: (DeviceAddress) -> Bool) {
        order.removeAll { !isBonded($0) }
        entries = entries.filter { isBonded($0.key) }
    }
}

/// Whether the cache can be used on a link.
enum CacheUse {
    /// Not found out yet.
    case unknown
    /// The hash is being read; these wait for it.
    case reading([() -> Void])
    /// The peer's database has this hash.
    case hash([UInt8])
    /// The peer has none, or is not bonded.
    case none
}

extension StackEngine {
    /// Calls back when it is known whether the cache can be used: at once, or behind a read of the hash.
    func prepareCache(of link: Link, _ start: @escaping () -> Void) {
        guard !holds(link, { [self] in prepareCache(of: link, start) }) else { return }
        switch link.cache {
        case .none, .hash: return start()
        case .reading(let waiters): link.cache = .reading(waiters + [start])
        case .unknown:
            guard let identity = link.identity, security.database[identity] != nil, link.phase == .open,
                link.bearer.peer.security > .open
            else { return start() }
            link.cache = .reading([start])
            let generation = link.generation
            link.bearer.readByType(GATT.databaseHash, onlyFirst: true, now: now) { [unowned self] result in
                guard case .reading(let waiters) = link.cache else { return }
                if case .success(let found) = result, let hash = found.values.first?.value, hash.count == 16,
                    link.generation == generation
                {
                    link.cache = .hash(hash)
                    cache.open(identity, hash: hash)
                } else {
                    link.cache = link.generation == generation ? .none : .unknown
                }
                for waiter in waiters { waiter() }
            }
            arm(link.bearer.nextDeadline)
        }
    }

    /// What is known of the peer's database.
    func cached(_ link: Link) -> PeerDatabase? {
        guard case .hash(let hash) = link.cache, let identity = link.identity else { return nil }
        return cache.entry(identity, hash: hash)
    }

    /// Keeps what was found in the peer's database.
    func keep(_ link: Link, count: Int, _ change: (inout PeerDatabase) -> Void) {
        guard case .hash(let hash) = link.cache, let identity = link.identity else { return }
        cache.keep(identity, hash: hash, count: count, change)
    }

    /// What was found on links that ended is kept with the bonds: once for each link, not for each answer.
    func saveDatabases() {
        guard cache.isChanged else { return }
        security.database.keep(cache.takeChanges())
        onBondsChanged(security.database)
    }
}
