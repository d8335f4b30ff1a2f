// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// A link and its present parameters.
public struct LinkInfo: Hashable, Sendable {
    /// The side of the link that we are on.
    public enum Role: Hashable, Sendable {
        /// We connected.
        case central
        /// We were connected to.
        case peripheral
    }

    /// The link.
    public var id: LinkID
    /// The device at the other end.
    public var peer: PeerID
    /// Its address, where the engine knows it.
    public var address: DeviceAddress?
    /// Our side.
    public var role: Role
    /// The ATT MTU in force, 23 to 517 octets.
    public var mtu: Int
    /// Interval, latency and timeout, where the engine knows them.
    public var parameters: ConnectionParameters?
    /// How the link is secured.
    public var security: SecurityLevel
    /// Radio modes, where the engine knows them.
    public var phy: LinkPHY?
    /// Octets in packets of the link layer, where the engine knows them.
    public var dataLength: LinkDataLength?

    /// A link as it is right after it was established.
    public init(
        id: LinkID, peer: PeerID, address: DeviceAddress?, role: Role, mtu: Int = 23,
        parameters: ConnectionParameters? = nil, security: SecurityLevel = .open, phy: LinkPHY? = nil,
        dataLength: LinkDataLength? = nil
    ) {
        self.id = id
        self.peer = peer
        self.address = address
        self.role = role
        self.mtu = mtu
        self.parameters = parameters
        self.security = security
        self.phy = phy
        self.dataLength = dataLength
    }

    /// The longest value that one write without response or one notification carries.
    public var maximumValueLength: Int { min(mtu - 3, 512) }

    /// The length of value that moves the most data: the longest one that fills whole packets of the link layer, such as 20,
    /// 244 or 495 octets. ``maximumValueLength`` where less than one packet fits or the packets are not known.
    public var bestValueLength: Int {
        guard let octets = dataLength?.transmit else { return maximumValueLength }
        // Each value has the headers of L2CAP (4 octets) and ATT (3) before it.
        let packets = (maximumValueLength + 7) / max(octets, 27)
        return packets > 0 ? packets * max(octets, 27) - 7 : maximumValueLength
    }
}

/// How a link is secured. Core 5.4, Vol 3, Part C, 10.2.
public struct SecurityLevel: RawRepresentable, Hashable, Comparable, Sendable {
    /// Mode 1 level, 1 to 4.
    public let rawValue: UInt8
    /// Wraps a mode 1 level.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Neither encrypted nor authenticated (level 1).
    public static let open = Self(rawValue: 1)
    /// Encrypted, the peer not authenticated (level 2).
    public static let encrypted = Self(rawValue: 2)
    /// Encrypted, the peer authenticated by legacy pairing (level 3).
    public static let authenticated = Self(rawValue: 3)
    /// Encrypted with 128 bits, the peer authenticated by LE Secure Connections (level 4).
    public static let secureConnections = Self(rawValue: 4)
    /// Orders by strength.
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Parameters in force on a link. Core 5.4, Vol 6, Part B, 4.5.1.
public struct ConnectionParameters: Hashable, Sendable {
    /// Time between connection events, 7.5 ms to 4 s.
    public var interval: Duration
    /// Events that the peripheral may skip, 0 to 499.
    public var latency: Int
    /// Silence after which the link counts as lost, 100 ms to 32 s.
    public var supervisionTimeout: Duration

    /// Pairs the three numbers.
    public init(interval: Duration, latency: Int, supervisionTimeout: Duration) {
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }
}

/// Parameters wished for a link.
public struct ConnectionParameterRequest: Hashable, Sendable {
    /// Shortest interval, 7.5 ms to 4 s.
    public var minimumInterval: Duration
    /// Longest interval, at least the shortest.
    public var maximumInterval: Duration
    /// Events that the peripheral may skip, 0 to 499.
    public var latency: Int
    /// Silence after which the link counts as lost, 100 ms to 32 s and more than twice (latency + 1) intervals.
    public var supervisionTimeout: Duration

    /// By default: 15 to 30 ms, no latency, 4 s.
    public init(
        minimumInterval: Duration = .milliseconds(15), maximumInterval: Duration = .milliseconds(30), latency: Int = 0,
        supervisionTimeout: Duration = .seconds(4)
    ) {
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }
}

/// How to connect.
public struct ConnectOptions: Hashable, Sendable {
    /// Parameters of the new link; nil leaves them to the engine.
    public var parameters: ConnectionParameterRequest?
    /// Exchange the ATT MTU right after the link is up.
    public var exchangesMTU: Bool
    /// Where to look for the peer: LE 1M, LE Coded or both. Nil looks where it was heard, else on LE 1M.
    public var phys: PHYSet?

    /// By default the engine's parameters, and an MTU exchange.
    public init(
        parameters: ConnectionParameterRequest? = nil, exchangesMTU: Bool = true, phys: PHYSet? = nil
    ) {
        self.parameters = parameters
        self.exchangesMTU = exchangesMTU
        self.phys = phys
    }
}
