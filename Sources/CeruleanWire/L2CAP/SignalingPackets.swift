// SPDX-License-Identifier: Apache-2.0

extension L2CAP {
    /// Why a command was not accepted. Vol 3, Part A, 4.1, Table 4.3.
    public struct CommandRejectReason: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt16
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// The code is unknown or the command malformed (0x0000).
        public static let notUnderstood = Self(rawValue: 0x0000)
        /// The command is longer than the signaling MTU (0x0001).
        public static let mtuExceeded = Self(rawValue: 0x0001)
        /// A channel id that does not exist (0x0002).
        public static let invalidChannel = Self(rawValue: 0x0002)
    }

    /// The outcome of a parameter update request. Vol 3, Part A, 4.21.
    public struct ParameterUpdateResult: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt16
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// The central will change the parameters (0x0000).
        public static let accepted = Self(rawValue: 0x0000)
        /// The central will not (0x0001).
        public static let rejected = Self(rawValue: 0x0001)
    }

    /// The outcome of a credit based connection request. Vol 3, Part A, 4.23 and 4.26.
    public struct ConnectionResult: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt16
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// Connected (0x0000).
        public static let success = Self(rawValue: 0x0000)
        /// Nobody listens there (0x0002).
        public static let spsmNotSupported = Self(rawValue: 0x0002)
        /// Too many channels (0x0004).
        public static let noResources = Self(rawValue: 0x0004)
        /// Pair with more care first (0x0005).
        public static let insufficientAuthentication = Self(rawValue: 0x0005)
        /// The user did not allow it (0x0006).
        public static let insufficientAuthorization = Self(rawValue: 0x0006)
        /// The link's key is too short (0x0007).
        public static let encryptionKeySizeTooShort = Self(rawValue: 0x0007)
        /// Encrypt the link first (0x0008).
        public static let insufficientEncryption = Self(rawValue: 0x0008)
        /// A source channel id out of range (0x0009).
        public static let invalidSource = Self(rawValue: 0x0009)
        /// A source channel id in use already (0x000A).
        public static let sourceAlreadyAllocated = Self(rawValue: 0x000A)
        /// MTU, MPS or credits are not acceptable (0x000B).
        public static let unacceptableParameters = Self(rawValue: 0x000B)
        /// MTU, MPS or credits are out of range (0x000C).
        public static let invalidParameters = Self(rawValue: 0x000C)
        /// A decision will follow (0x000D).
        public static let pendingNoInformation = Self(rawValue: 0x000D)
        /// Authentication is under way (0x000E).
        public static let pendingAuthentication = Self(rawValue: 0x000E)
        /// The user is being asked (0x000F).
        public static let pendingAuthorization = Self(rawValue: 0x000F)
    }

    /// The outcome of a reconfiguration. Vol 3, Part A, 4.28.
    public struct ReconfigureResult: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt16
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// Changed (0x0000).
        public static let success = Self(rawValue: 0x0000)
        /// The MTU may not shrink (0x0001).
        public static let mtuReduced = Self(rawValue: 0x0001)
        /// The MPS may not shrink on several channels at once (0x0002).
        public static let mpsReduced = Self(rawValue: 0x0002)
        /// A channel id that does not exist (0x0003).
        public static let invalidDestination = Self(rawValue: 0x0003)
        /// Other numbers are not acceptable (0x0004).
        public static let unacceptableParameters = Self(rawValue: 0x0004)
    }
}

extension L2CAP {
    /// Says that a command was not accepted. Vol 3, Part A, 4.1.
    public struct CommandReject: WirePacket, Hashable {
        /// Why.
        public var reason = CommandRejectReason.notUnderstood
        /// For ``CommandRejectReason/mtuExceeded`` the MTU, for ``CommandRejectReason/invalidChannel`` the two channel ids, else empty.
        public var data: [UInt8] = []

        /// A packet of zeros.
        @inlinable
        public init() {}

        /// A packet with these fields.
        @inlinable
        public init(reason: CommandRejectReason, data: [UInt8] = []) {
            self.reason = reason
            self.data = data
        }

        /// Lists the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("reason", &reason)
            try v.rest("reason data", &data)
        }
    }

    /// Asks to close a channel. Vol 3, Part A, 4.6.
    public struct DisconnectionRequest: WirePacket, Hashable {
        /// The end of the channel at the device that receives the request.
        public var destination = ChannelID.null
        /// The end of the channel at the device that sent the request.
        public var source = ChannelID.null

        /// A packet of zeros.
        @inlinable
        public init() {}

        /// A packet with these fields.
        @inlinable
        public init(destination: ChannelID, source: ChannelID) {
            self.destination = destination
            self.source = source
        }

        /// Lists the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("destination channel id", &destination)
            try v.code("source channel id", &source)
        }
    }

    /// Says that a channel is closed. Vol 3, Part A, 4.7.
    public struct DisconnectionResponse: WirePacket, Hashable {
        /// The end of the channel at the device that receives the request.
        public var destination = ChannelID.null
        /// The end of the channel at the device that sent the request.
        public var source = ChannelID.null

        /// A packet of zeros.
        @inlinable
        public init() {}

        /// A packet with these fields.
        @inlinable
        public init(destination: ChannelID, source: ChannelID) {
            self.destination = destination
            self.source = source
        }

        /// Lists the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("destination channel id", &destination)
            try v.code("source channel id", &source)
        }
    }

    /// A peripheral asks its central for other connection parameters. Vol 3, Part A, 4.20.
    public struct ConnectionParameterUpdateRequest: WirePacket, Hashable {
        /// Shortest connection interval in units of 1.25 ms, 6 to 3200.
        public var intervalMin: UInt16 = 0
        /// Longest connection interval in units of 1.25 ms, 6 to 3200.
        public var intervalMax: UInt16 = 0
        /// Connection events that the peripheral may skip, 0 to 499.
        public var latency: UInt16 = 0
        /// Supervision timeout in units of 10 ms, 10 to 3200.
        public var timeout: UInt16 = 0

        /// A packet of zeros.
        @inlinable
        public init() {}

        /// A packet with these fields.
        @inlinable
        public init(intervalMin: UInt16, intervalMax: UInt16, latency: UInt16, timeout: UInt16) {
            self.intervalMin = intervalMin
            self.intervalMax = intervalMax
            self.latency = latency
            self.timeout = timeout
        }

        /// True when every number is in its range and the timeout is longer than two worst-case intervals.
        ///
        /// A central rejects anything else. Vol 3, Part A, 4.20 and Vol 6, Part B, 4.5.2.
        public var isValid: Bool {
            let range: ClosedRange<UInt16> = 6...3200
            guard range.contains(intervalMin), range.contains(intervalMax), intervalMin <= intervalMax else {
                return false
            }
            guard latency <= 499, (10...3200).contains(timeout) else { return false }
            // timeout x 10 ms > (1 + latency) x interval x 1.25 ms x 2
            return Int(timeout) * 4 > (1 + Int(latency)) * Int(intervalMax)
        }

        /// Lists the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("minimum interval", &intervalMin)
            try v.field("maximum interval", &intervalMax)
            try v.field("latency", &latency)
            try v.field("timeout multiplier", &timeout)
        }
    }

    /// A central's answer to a parameter update request. Vol 3, Part A, 4.21.
    public struct ConnectionParameterUpdateResponse: WirePacket, Hashable {
        /// Accepted or rejected.
        public var result = ParameterUpdateResult.accepted

        /// A packet of zeros.
        @inlinable
        public init() {}

        /// A packet with these fields.
        @inlinable
        public init(result: ParameterUpdateResult) {
            self.result = result
        }

        /// Lists the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("result", &result)
        }
    }

    /// Asks to open one credit based channel. Vol 3, Part A, 4.22.
    public struct LECreditBasedConnectionRequest: WirePacket, Hashable {
        /// What to connect to.
        public var spsm = SPSM(rawValue: 0)
        /// The requester's end.
        public var source = ChannelID.null
        /// Largest SDU that the requester takes, at least 23 octets.
        public var mtu: UInt16 = 0
        /// Largest PDU payload that the requester takes, 23 to 65533 octets.
        public var mps: UInt16 = 0
        /// PDUs that the responder may send at once.
        public var initialCredits: UInt16 = 0

        /// A packet of zeros.
        @inlinable
        public init() {}

        /// A packet with these fields.
        @inlinable
        public init(spsm: SPSM, source: ChannelID, mtu: UInt16, mps: UInt16, initialCredits: UInt16) {
            self.spsm = spsm
            self.source = source
            self.mtu = mtu
            self.mps = mps
            self.initialCredits = initialCredits
        }

        /// Lists the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("spsm", &spsm)
            try v.code("source channel id", &source)
            try v.field("mtu", &mtu)
            try v.field("mps", &mps)
            try v.field("initial credits", &initialCredits)
        }
    }

    /// Answers a request to open one credit based channel. Vol 3, Part A, 4.23.
    public struct LECreditBasedConnectionResponse: WirePacket, Hashable {
        /// The responder's end; 0 when refused.
        public var destination = ChannelID.null
        /// Largest SDU that the responder takes.
        public var mtu: UInt16 = 0
        /// Largest PDU payload that the responder takes.
        public var mps: UInt16 = 0
        /// PDUs that the requester may send at once.
        public var initialCredits: UInt16 = 0
        /// Why it was refused, or success.
        public var result = ConnectionResult.success

        /// A packet of zeros.
        @inlinable
        public init() {}

        /// A packet with these fields.
        @inlinable
        public init(
            destination: ChannelID, mtu: UInt16, mps: UInt16, initialCredits: UInt16, result: ConnectionResult
        ) {
            self.destination = destination
            self.mtu = mtu
            self.mps = mps
            self.initialCredits = initialCredits
            self.result = result
        }

        /// Lists the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("destination channel id", &destination)
            try v.field("mtu", &mtu)
            try v.field("mps", &mps)
            try v.field("initial credits", &initialCredits)
            try v.code("result", &result)
        }
    }

    /// Gives the peer credits for more PDUs. Vol 3, Part A, 4.24.
    public struct FlowControlCredit: WirePacket, Hashable {
        /// The end at the device that sends this.
        public var channelID = ChannelID.null
        /// PDUs more, 1 to 65535.
        public var credits: UInt16 = 0

        /// A packet of zeros.
        @inlinable
        public init() {}

        /// A packet with these fields.
        @inlinable
        public init(channelID: ChannelID, credits: UInt16) {
            self.channelID = channelID
            self.credits = credits
        }

        /// Lists the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("channel id", &channelID)
            try v.field("credits", &credits)
        }
    }

    /// Asks to open up to five enhanced credit based channels. Vol 3, Part A, 4.25.
    public struct CreditBasedConnectionRequest: WirePacket, Hashable {
        /// What to connect to.
        public var spsm = SPSM(rawValue: 0)
        /// Largest SDU that the requester takes, at least 64 octets.
        public var mtu: UInt16 = 0
        /// Largest PDU payload that the requester takes, 64 to 65533 octets.
        public var mps: UInt16 = 0
        /// PDUs that the responder may send at once on each channel.
        public var initialCredits: UInt16 = 0
        /// The requester's ends. One to five are legal; decoding keeps as many as were sent.
        public var sources: [ChannelID] = []

        /// A packet of zeros.
        @inlinable
        public init() {}

        /// A packet with these fields.
        @inlinable
        public init(spsm: SPSM, mtu: UInt16, mps: UInt16, initialCredits: UInt16, sources: [ChannelID]) {
            self.spsm = spsm
            self.mtu = mtu
            self.mps = mps
            self.initialCredits = initialCredits
            self.sources = sources
        }

        /// Lists the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("spsm", &spsm)
            try v.field("mtu", &mtu)
            try v.field("mps", &mps)
            try v.field("initial credits", &initialCredits)
            try v.repeated("source channel ids", &sources, count: nil)
        }
    }

    /// Answers a request to open several channels. Vol 3, Part A, 4.26.
    public struct CreditBasedConnectionResponse: WirePacket, Hashable {
        /// Largest SDU that the responder takes.
        public var mtu: UInt16 = 0
        /// Largest PDU payload that the responder takes.
        public var mps: UInt16 = 0
        /// PDUs that the requester may send at once on each channel.
        public var initialCredits: UInt16 = 0
        /// Why some or all were refused, or success.
        public var result = ConnectionResult.success
        /// The responder's ends in the order of the request; 0 for each that was refused.
        public var destinations: [ChannelID] = []

        /// A packet of zeros.
        @inlinable
        public init() {}

        /// A packet with these fields.
        @inlinable
        public init(
            mtu: UInt16, mps: UInt16, initialCredits: UInt16, result: ConnectionResult, destinations: [ChannelID]
        ) {
            self.mtu = mtu
            self.mps = mps
            self.initialCredits = initialCredits
            self.result = result
            self.destinations = destinations
        }

        /// Lists the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("mtu", &mtu)
            try v.field("mps", &mps)
            try v.field("initial credits", &initialCredits)
            try v.code("result", &result)
            try v.repeated("destination channel ids", &destinations, count: nil)
        }
    }

    /// Asks to change MTU and MPS of open channels. Vol 3, Part A, 4.27.
    public struct ReconfigureRequest: WirePacket, Hashable {
        /// New largest SDU; must not be smaller than before.
        public var mtu: UInt16 = 0
        /// New largest PDU payload.
        public var mps: UInt16 = 0
        /// The sender's ends of the channels. One to five are legal.
        public var destinations: [ChannelID] = []

        /// A packet of zeros.
        @inlinable
        public init() {}

        /// A packet with these fields.
        @inlinable
        public init(mtu: UInt16, mps: UInt16, destinations: [ChannelID]) {
            self.mtu = mtu
            self.mps = mps
            self.destinations = destinations
        }

        /// Lists the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("mtu", &mtu)
            try v.field("mps", &mps)
            try v.repeated("destination channel ids", &destinations, count: nil)
        }
    }

    /// Answers a reconfiguration. Vol 3, Part A, 4.28.
    public struct ReconfigureResponse: WirePacket, Hashable {
        /// Why it was refused, or success.
        public var result = ReconfigureResult.success

        /// A packet of zeros.
        @inlinable
        public init() {}

        /// A packet with these fields.
        @inlinable
        public init(result: ReconfigureResult) {
            self.result = result
        }

        /// Lists the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("result", &result)
        }
    }
}
