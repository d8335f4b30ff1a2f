// SPDX-License-Identifier: Apache-2.0

/// Names one L2CAP channel of a host; never used again for another one.
public struct ChannelID: Hashable, Sendable {
    /// The host's own number.
    public let rawValue: UInt64
    /// Wraps a host's number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A connection oriented L2CAP channel with credit based flow control. Core 5.4, Vol 3, Part A, 3.4 and 10.
public struct ChannelInfo: Hashable, Sendable {
    /// The channel.
    public var id: ChannelID
    /// The link that it runs on.
    public var link: LinkID
    /// The device at the other end.
    public var peer: PeerID
    /// What was connected to.
    public var psm: UInt16
    /// The peer opened it.
    public var isIncoming: Bool
    /// Octets of the longest unit that the peer takes.
    public var maximumSend: Int
    /// Octets of the longest unit that we take.
    public var maximumReceive: Int

    /// Describes a channel.
    public init(
        id: ChannelID, link: LinkID, peer: PeerID, psm: UInt16, isIncoming: Bool, maximumSend: Int, maximumReceive: Int
    ) {
        self.id = id
        self.link = link
        self.peer = peer
        self.psm = psm
        self.isIncoming = isIncoming
        self.maximumSend = maximumSend
        self.maximumReceive = maximumReceive
    }
}

/// How a channel is opened, or taken from a peer.
public struct ChannelOptions: Hashable, Sendable {
    /// Octets of the longest unit that is taken from the peer, 64 to 65,535.
    public var maximumUnit: Int
    /// Octets that may come before the application has used what came, at least two units. More are refused to the peer by
    /// giving it no credits.
    public var window: Int
    /// Use enhanced credit based flow control, which opens several channels at once. Listeners take both kinds.
    public var isEnhanced: Bool
    /// The level that the link must have. As the one who opens, it is raised to that; a peer that lacks it is refused.
    public var security: SecurityLevel

    /// By default units of 2,048 octets and a window of 64 KiB on any link.
    public init(
        maximumUnit: Int = 2_048, window: Int = 65_536, isEnhanced: Bool = false, security: SecurityLevel = .open
    ) {
        self.maximumUnit = min(max(maximumUnit, 64), 65_535)
        self.window = min(max(window, 2 * self.maximumUnit), 1 << 24)
        self.isEnhanced = isEnhanced
        self.security = security
    }
}

/// What happens on channels. Goes only to the sink that opened the channel or listens.
public enum ChannelEvent: Hashable, Sendable {
    /// A peer opened a channel to a PSM that is listened to.
    case opened(ChannelInfo)
    /// A whole unit came. Give its octets back with ``Host/consume(_:of:)`` when they were used.
    case received(ChannelID, [UInt8])
    /// ``Host/send(_:on:)`` takes units again.
    case readyToSend(ChannelID)
    /// A channel is gone. Nothing more comes on it.
    case closed(ChannelInfo, reason: HostError)
}

/// Engines without ``HostCapabilities/l2capChannels``.
extension Host {
    /// Ends with `unsupported`.
    public func listen(
        to psm: UInt16?, options: ChannelOptions, for sink: any HostEventSink,
        completion: @escaping HostCompletion<UInt16>
    ) {
        completion(.failure(HostError(.unsupported, "listening for channels", detail: "this engine has no channels")))
    }

    /// Does nothing.
    public func stopListening(to psm: UInt16) {}

    /// Ends with `unsupported`.
    public func openChannels(
        _ count: Int, to psm: UInt16, on link: LinkID, options: ChannelOptions, for sink: any HostEventSink,
        timeout: Duration, completion: @escaping HostCompletion<[ChannelInfo]>
    ) -> OperationID {
        completion(.failure(HostError(.unsupported, "opening a channel", detail: "this engine has no channels")))
        return OperationID(rawValue: 0)
    }

    /// Throws `unsupported`.
    public func send(_ unit: [UInt8], on channel: ChannelID) throws(HostError) -> Bool {
        throw HostError(.unsupported, "sending on a channel", detail: "this engine has no channels")
    }

    /// Does nothing.
    public func consume(_ octets: Int, of channel: ChannelID) {}

    /// Ends at once: there is no channel.
    public func closeChannel(_ channel: ChannelID, completion: @escaping HostCompletion<Void>) {
        completion(.success(()))
    }

    /// Ends with `unsupported`.
    public func openParallelBearers(
        _ count: Int, on link: LinkID, timeout: Duration, completion: @escaping HostCompletion<Int>
    ) -> OperationID {
        completion(.failure(HostError(.unsupported, "opening ATT bearers", detail: "this engine has one bearer")))
        return OperationID(rawValue: 0)
    }
}
