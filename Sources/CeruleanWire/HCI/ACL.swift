// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// What an ACL packet carries of an L2CAP frame. Core 5.4, Vol 4, Part E, 5.4.2.
    public struct PacketBoundary: RawRepresentable, Hashable, Sendable {
        /// The two bits.
        public let rawValue: UInt8
        /// Wraps the two bits.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// First part, host to an LE controller (0b00).
        public static let firstNonFlushable = Self(rawValue: 0)
        /// A further part (0b01).
        public static let continuing = Self(rawValue: 1)
        /// First part, as an LE controller sends it to the host (0b10).
        public static let first = Self(rawValue: 2)
        /// Not used on LE links (0b11).
        public static let reserved = Self(rawValue: 3)

        /// True for the first part of a frame.
        @inlinable public var isFirst: Bool { rawValue == 0 || rawValue == 2 }
    }

    /// The four octets in front of ACL data. Core 5.4, Vol 4, Part E, 5.4.2.
    ///
    /// On the hot list: ``init(reading:)`` and ``write(into:)`` neither allocate nor throw, and agree with `visit`.
    public struct ACLHeader: WirePacket, Hashable {
        /// Octets of the header.
        public static let size = 4
        /// The connection, 12 bits.
        public var handle: UInt16 = 0
        /// First or further part, 2 bits.
        public var boundary: PacketBoundary = .firstNonFlushable
        /// 0 for point to point, 2 bits; LE knows nothing else.
        public var broadcast: UInt8 = 0
        /// Octets of data that follow.
        public var length: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// A point-to-point header.
        @inlinable
        public init(handle: UInt16, boundary: PacketBoundary, length: UInt16) {
            self.handle = handle
            self.boundary = boundary
            self.length = length
        }

        /// Reads the first four octets of `span`; nil when there are fewer. ``length`` is as announced, unchecked.
        @inlinable
        public init?(reading span: RawSpan) {
            guard span.byteCount >= Self.size else { return nil }
            let word = span.uint16(at: 0)
            handle = word & 0x0FFF
            boundary = PacketBoundary(rawValue: UInt8(truncatingIfNeeded: word >> 12) & 3)
            broadcast = UInt8(truncatingIfNeeded: word >> 14)
            length = span.uint16(at: 2)
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.bits("connection handle", &handle, width: 12, unit: 16)
            var bits = boundary.rawValue
            try v.bits("packet boundary flag", &bits, width: 2, unit: 16)
            boundary = PacketBoundary(rawValue: bits)
            try v.bits("broadcast flag", &broadcast, width: 2, unit: 16)
            try v.field("data total length", &length)
        }

        /// Appends the four octets to `bytes`; of each field the bits that have room.
        @inlinable
        public func write(into bytes: inout [UInt8]) {
            let word = handle & 0x0FFF | UInt16(boundary.rawValue & 3) << 12 | UInt16(broadcast & 3) << 14
            bytes.append(UInt8(truncatingIfNeeded: word))
            bytes.append(UInt8(truncatingIfNeeded: word >> 8))
            bytes.append(UInt8(truncatingIfNeeded: length))
            bytes.append(UInt8(truncatingIfNeeded: length >> 8))
        }
    }

    /// A whole ACL packet with its data as a range into the buffer that it was read from.
    public struct ACLPacket: WirePacket, Hashable {
        /// Handle, flags, announced length.
        public var header = ACLHeader()
        /// Where the data lies, counted from the start of the packet (behind the H4 type octet).
        public var data: Range<Int> = 0..<0

        /// An empty packet.
        @inlinable
        public init() {}

        /// Reads a packet that fills `span` exactly. Nil when it does not (the header may still be read on its own, to
        /// drop what was being put together on its link: security H17).
        @inlinable
        public init?(reading span: RawSpan) {
            guard let header = ACLHeader(reading: span), Int(header.length) == span.byteCount - ACLHeader.size
            else { return nil }
            self.header = header
            data = ACLHeader.size..<span.byteCount
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.nested("header", &header)
            try v.bytes("data", &data, count: v.remaining == nil ? data.count : Int(header.length))
        }
    }
}
