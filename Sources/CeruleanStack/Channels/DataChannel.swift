// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// One credit based channel of a link, and who uses it.
final class DataChannel {
    /// How far it is.
    enum Phase: Hashable {
        /// We asked the peer for it.
        case opening
        /// Open.
        case open
        /// The application closed it; what is queued still goes.
        case draining
        /// We asked the peer to close it.
        case closing
        /// Gone.
        case closed
    }

    /// The link holds its channels.
    unowned(unsafe) let link: Link
    let id: ChannelID
    let psm: L2CAP.SPSM
    let isIncoming: Bool
    let isEnhanced: Bool
    var flow: CreditFlow
    var phase: Phase
    /// Who hears of it; nil for bearers of enhanced ATT.
    var sink: (any HostEventSink)?
    /// The bearer that it carries.
    var bearer: EnhancedBearer?
    /// Somebody was told that the queue is full.
    var owesReady = false
    /// The request of ours that closes it waits for its answer.
    var closeIdentifier: UInt8?
    /// What ends when a peer keeps us waiting with closing.
    var closeTimer: OperationID?
    /// Called when it is gone.
    var closedCompletions: [HostCompletion<Void>] = []

    init(
        link: Link, id: ChannelID, psm: L2CAP.SPSM, isIncoming: Bool, isEnhanced: Bool, flow: CreditFlow, phase: Phase,
        sink: (any HostEventSink)?
    ) {
        self.link = link
        self.id = id
        self.psm = psm
        self.isIncoming = isIncoming
        self.isEnhanced = isEnhanced
        self.flow = flow
        self.phase = phase
        self.sink = sink
    }

    var info: ChannelInfo {
        ChannelInfo(
            id: id, link: link.id, peer: link.peer, psm: psm.rawValue, isIncoming: isIncoming,
            maximumSend: flow.remote.mtu, maximumReceive: flow.local.mtu)
    }
}

/// The channels of one link, found by our end, and the requests about them that wait for an answer.
final class LinkChannels {
    /// Our ends of dynamic channels. Vol 3, Part A, 2.1.
    static let first = L2CAP.ChannelID.dynamicRange.lowerBound
    static let count = L2CAP.ChannelID.dynamicRange.count
    /// Requests of ours that wait at one time.
    static let maximumRequests = 32

    enum Request {
        /// With what ends when the answer does not come.
        case open([DataChannel], ChannelRequest, timer: OperationID)
        case close(DataChannel)
    }

    private(set) var table: [DataChannel?] = Array(repeating: nil, count: LinkChannels.count)
    var requests: [UInt8: Request] = [:]
    /// Which channel sends next, so that none waits for another's queue.
    var turn = 0

    /// The channel with this end of ours.
    subscript(channel: UInt16) -> DataChannel? {
        guard L2CAP.ChannelID.dynamicRange.contains(channel) else { return nil }
        return table[Int(channel - Self.first)]
    }

    /// All channels in the order of our ends.
    var all: [DataChannel] { table.compactMap { $0 } }

    /// The channel with this end of the peer's.
    func channel(remote: L2CAP.ChannelID) -> DataChannel? {
        table.first { $0?.flow.remote.channel == remote && $0?.phase != .opening } ?? nil
    }

    /// Free ends of ours, lowest first, at most `count`.
    func free(_ count: Int) -> [L2CAP.ChannelID] {
        table.indices.lazy.filter { self.table[$0] == nil }.prefix(count).map {
            L2CAP.ChannelID(rawValue: Self.first + UInt16($0))
        }
    }

    func insert(_ channel: DataChannel) { table[Int(channel.flow.local.channel.rawValue - Self.first)] = channel }

    func remove(_ channel: DataChannel) {
        let index = Int(channel.flow.local.channel.rawValue - Self.first)
        if table[index] === channel { table[index] = nil }
    }
}

/// All channels of an engine by identifier, and the PSMs that are listened to.
struct Channels {
    struct Listener {
        var options: ChannelOptions
        var sink: any HostEventSink
    }

    var listeners: [UInt16: Listener] = [:]
    var byID: [ChannelID: DataChannel] = [:]
    var last: UInt64 = 0
    /// One frame on its way, used again and again.
    var scratch: [UInt8] = []

    mutating func nextID() -> ChannelID {
        last &+= 1
        return ChannelID(rawValue: last)
    }
}
