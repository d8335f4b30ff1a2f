// SPDX-License-Identifier: Apache-2.0

/// Logical Link Control and Adaptation Protocol, as used on LE links. Core 5.4, Vol 3, Part A.
public enum L2CAP {
    /// The smallest MTU that every LE device supports on its signaling and ATT channels. Vol 3, Part A, 4.
    public static let minimumMTU = 23

    /// Names one end of a channel. Vol 3, Part A, 2.1.
    ///
    /// It is a packet of its own so that lists of channel ids can be visited.
    public struct ChannelID: RawRepresentable, Hashable, WirePacket {
        /// The number on the wire.
        public var rawValue: UInt16
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// The null identifier (0x0000).
        @inlinable
        public init() { self.init(rawValue: 0) }

        /// Never a valid destination (0x0000).
        public static let null = Self(rawValue: 0x0000)
        /// Attribute Protocol (0x0004).
        public static let attribute = Self(rawValue: 0x0004)
        /// LE signaling (0x0005).
        public static let signaling = Self(rawValue: 0x0005)
        /// Security Manager Protocol (0x0006).
        public static let securityManager = Self(rawValue: 0x0006)
        /// Channels that LE devices allocate for credit based flow control (0x0040 to 0x007F).
        public static let dynamicRange: ClosedRange<UInt16> = 0x0040...0x007F

        /// True for the channels that can be allocated dynamically on an LE link.
        public var isDynamic: Bool { Self.dynamicRange.contains(rawValue) }

        /// Lists the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("channel id", &rawValue)
        }
    }
}

extension L2CAP.ChannelID: CustomStringConvertible {
    /// The name of a fixed channel, else four hexadecimal digits.
    public var description: String {
        switch self {
        case .null: "null"
        case .attribute: "ATT"
        case .signaling: "signaling"
        case .securityManager: "SMP"
        default:
            "0x" + Hex.encode([UInt8(truncatingIfNeeded: rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)])
        }
    }
}

extension L2CAP {
    /// The four octets in front of every PDU. Vol 3, Part A, 3.1.
    public struct BasicHeader: WirePacket, Hashable {
        /// Octets of the header itself.
        public static let byteCount = 4

        /// Octets that follow the header.
        public var length: UInt16 = 0
        /// The destination channel.
        public var channelID = ChannelID.null

        /// A header of zeros.
        @inlinable
        public init() {}

        /// A header for `length` octets to `channelID`.
        @inlinable
        public init(length: UInt16, channelID: ChannelID) {
            self.length = length
            self.channelID = channelID
        }

        /// Reads the header at `offset` without copying. Nil when fewer than four octets are there.
        @inlinable
        public init?(in span: RawSpan, at offset: Int = 0) {
            guard offset >= 0, offset <= span.byteCount - Self.byteCount else { return nil }
            length = span.uint16(at: offset)
            channelID = ChannelID(rawValue: span.uint16(at: offset + 2))
        }

        /// Lists the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("pdu length", &length)
            try v.code("channel id", &channelID)
        }

        /// Appends the four octets to `bytes`.
        @inlinable
        public func append(to bytes: inout [UInt8]) {
            bytes.append(UInt8(truncatingIfNeeded: length))
            bytes.append(UInt8(truncatingIfNeeded: length >> 8))
            bytes.append(UInt8(truncatingIfNeeded: channelID.rawValue))
            bytes.append(UInt8(truncatingIfNeeded: channelID.rawValue >> 8))
        }
    }

    /// A whole basic frame whose information payload stays in the receive buffer: for the hot path.
    public struct BasicFrame: WirePacket, Hashable {
        /// Length and channel.
        public var header = BasicHeader()
        /// Where the information payload is, counted from the start of the decoded span.
        public var payload: Range<Int> = 0..<0

        /// A frame of zeros.
        @inlinable
        public init() {}

        /// Reads a frame that fills `span` exactly.
        ///
        /// - Throws: `.truncated` when the span ends before the announced length, `.trailing` when it goes on behind it.
        @inlinable
        public init(in span: RawSpan) throws(WireError) {
            guard let header = BasicHeader(in: span) else {
                // The visit reads two numbers: the offset is that of the one that is cut.
                throw WireError(offset: span.byteCount < 2 ? 0 : 2, reason: .truncated)
            }
            let end = BasicHeader.byteCount + Int(header.length)
            guard end <= span.byteCount else { throw WireError(offset: BasicHeader.byteCount, reason: .truncated) }
            guard end == span.byteCount else { throw WireError(offset: end, reason: .trailing) }
            self.header = header
            payload = BasicHeader.byteCount..<end
        }

        /// Lists the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.nested("basic header", &header)
            try v.bytes("information payload", &payload, count: Int(header.length))
        }
    }

    /// A simplified protocol/service multiplexer: what an LE credit based channel connects to. Vol 3, Part A, 4.22.
    public struct SPSM: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt16
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// Enhanced ATT (0x0027).
        public static let enhancedATT = Self(rawValue: 0x0027)
        /// Numbers that the Bluetooth SIG assigns (0x0001 to 0x007F).
        public static let assignedRange: ClosedRange<UInt16> = 0x0001...0x007F
        /// Numbers that a device picks for itself (0x0080 to 0x00FF).
        public static let dynamicRange: ClosedRange<UInt16> = 0x0080...0x00FF
    }
}
