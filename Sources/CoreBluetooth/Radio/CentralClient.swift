// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// What the radio knows of one central manager.
struct CentralClient {
    let core: ManagerCore
    var scan: RunningScan?
    /// Peers that the manager wants or has, by the name under which it knows them.
    var claims: [PeerID: Claim] = [:]
    var matching: ConnectionMatching?
    /// What the manager of the process before had; until the adapter is on.
    var saved: SavedCentral?
    /// A restoration that is under way.
    var restoration: Restoration?
    var showsSystemServices = false

    init(_ core: ManagerCore) { self.core = core }
}

/// One scan of a manager.
struct RunningScan {
    /// Tells the scans of one manager apart.
    var number: UInt64
    var id: ScanID?
    var services: Set<BluetoothUUID>
    var solicited: Set<BluetoothUUID>
    var reportsDuplicates: Bool
    /// What was reported of each device: which fields, and the length of what they were read from.
    var seen: [PeerID: (fields: UInt8, size: Int)] = [:]

    /// Starting it failed, and is tried again.
    var hasFailed = false

    static let maximumSeen = 16_384
    /// How long a scan waits that could not be started.
    static let rest: Duration = .seconds(1)
}

/// A manager's wish for a connection, or the connection.
struct Claim {
    enum Phase: Hashable {
        /// Its start was put off.
        case delayed
        /// The link is to be made.
        case waiting
        /// The link is up; what was found on the one before is being found again.
        case joining(LinkID)
        case connected(LinkID)
        /// Lost; its manager tells what is to be found again.
        case lost
    }

    /// Grows with each call of `connect` for the peripheral.
    var epoch: UInt64
    var phase: Phase
    /// The link is made again when it is lost.
    var reconnects: Bool
    /// What is to be found again.
    var tree: KeptTree?
    /// What ends ``Phase/delayed``.
    var timer: LoopTimer?

    var link: LinkID? {
        switch phase {
        case .joining(let link), .connected(let link): link
        case .delayed, .waiting, .lost: nil
        }
    }
}

/// A manager on a link, and the name under which it knows the peer.
struct Holder: Hashable {
    var client: UInt64
    var peer: PeerID
}

/// A link that managers hold together; the host knows one user.
struct HeldLink {
    var info: LinkInfo
    var holders: [Holder] = []
    var isLeaving = false
    /// The peer's services, once all were found.
    var services: [ServiceInfo]?
    var isFindingServices = false
    /// The link is being looked at by itself, and has to be once more.
    var isPriming = false
    var mustPrime = false
    var serviceWaiters: [@Sendable (Result<[ServiceInfo], HostError>) -> Void] = []
    /// Who wants values, by the key of the attribute.
    var subscriptions: [UInt64: Set<UInt64>] = [:]
    /// Calls that wait for one before them, by the key of the attribute; the first of each is under way.
    var subscriptionJobs: [UInt64: [SubscriptionJob]] = [:]
    /// The attributes behind the keys, as they were named last.
    var subscribed: [UInt64: AttributeID] = [:]
    /// Managers that were told of the link because of its services.
    var told: Set<UInt64> = []

    init(_ info: LinkInfo) { self.info = info }
}

/// A call that subscribes or unsubscribes.
struct SubscriptionJob {
    var client: UInt64
    var characteristic: AttributeID
    var mode: SubscriptionMode
    var done: Radio.Ending<Void>
}

/// Which links a manager wants to hear of, whoever made them.
struct ConnectionMatching: Sendable {
    var services: Set<BluetoothUUID> = []
    var peers: Set<PeerID> = []
}

/// What a manager of the process before had, on its way back.
struct Restoration {
    /// Connections that are waited for.
    var awaited: Set<PeerID>
    var timer: LoopTimer?
}

/// What was found on a peer, to be found again on the next link.
struct KeptTree: Sendable, Codable, Hashable {
    struct Service: Sendable, Codable, Hashable {
        var uuid: String
        var isPrimary: Bool
        var characteristics: [Characteristic]?
    }

    struct Characteristic: Sendable, Codable, Hashable {
        var uuid: String
        var properties: UInt
        var isNotifying: Bool
        var descriptors: [String]?
    }

    var services: [Service]
}

/// The same places as in a ``KeptTree`` with what they are on the new link; nil where the peer has no such attribute
/// any more.
struct FoundTree: Sendable {
    struct Service: Sendable {
        var info: ServiceInfo
        var characteristics: [Characteristic?]
    }

    struct Characteristic: Sendable {
        var id: AttributeID
        var descriptors: [AttributeID?]
        var isNotifying: Bool
    }

    var services: [Service?]
}
