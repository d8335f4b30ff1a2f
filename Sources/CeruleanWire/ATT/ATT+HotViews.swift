// SPDX-License-Identifier: Apache-2.0

extension ATT {
    /// A PDU of a handle and a value, read where it lies: notification, indication, Write Request, Write Command.
    ///
    /// Ranges count from the opcode. Nothing is copied or allocated.
    /// ```swift
    /// let view = try ATT.HandleValueView(decoding: pdu)
    /// deliver(view.handle, pdu.extracting(view.value))
    /// ```
    public struct HandleValueView: WirePacket, Hashable {
        /// Which of the four it is.
        public var opcode = Opcode(rawValue: 0)
        /// The attribute.
        public var handle: UInt16 = 0
        /// Where the value lies in the PDU.
        public var value: Range<Int> = 0..<0

        /// All zeros.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("opcode", &opcode)
            try v.field("attribute handle", &handle)
            try v.rest("attribute value", &value)
        }
    }

    /// A PDU that is a value alone, read where it lies: Read Response, Read Blob Response, Read Multiple Response.
    ///
    /// Ranges count from the opcode. Nothing is copied or allocated.
    public struct ValueView: WirePacket, Hashable {
        /// Which of the three it is.
        public var opcode = Opcode(rawValue: 0)
        /// Where the value lies in the PDU.
        public var value: Range<Int> = 0..<0

        /// All zeros.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("opcode", &opcode)
            try v.rest("attribute value", &value)
        }
    }

    /// Part of a value, read where it lies: Prepare Write Request and Response.
    ///
    /// Ranges count from the opcode. Nothing is copied or allocated.
    public struct PrepareWriteView: WirePacket, Hashable {
        /// Which of the two it is.
        public var opcode = Opcode(rawValue: 0)
        /// The attribute.
        public var handle: UInt16 = 0
        /// Where the part starts in the value.
        public var offset: UInt16 = 0
        /// Where the part lies in the PDU.
        public var value: Range<Int> = 0..<0

        /// All zeros.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("opcode", &opcode)
            try v.field("attribute handle", &handle)
            try v.field("value offset", &offset)
            try v.rest("part attribute value", &value)
        }
    }

    /// One value of a Multiple Handle Value Notification, read where it lies.
    public struct HandleLengthValueView: WirePacket, Hashable {
        /// The attribute.
        public var handle: UInt16 = 0
        /// Where the value lies, counted from the start of what was decoded.
        public var value: Range<Int> = 0..<0

        /// All zeros.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("handle", &handle)
            var length = UInt16(truncatingIfNeeded: value.count)
            try v.field("length", &length)
            try v.bytes("value", &value, count: Int(length))
        }
    }

    /// Items of one length behind each other, read where they lie: Find Information, Find By Type Value, Read By Type and
    /// Read By Group Type Response.
    ///
    /// Ranges count from the opcode. Nothing is copied or allocated.
    public struct ItemListView: Hashable, Sendable {
        /// Octets of one item.
        public let length: Int
        /// How many items there are; one or more.
        public let count: Int
        @usableFromInline let start: Int

        /// Splits one of the four responses into items.
        ///
        /// - Throws: ``WireError`` when it is another packet, the length is less than such an item needs, there is no item,
        ///   or the last is cut.
        @inlinable
        public init(_ pdu: RawSpan) throws(WireError) {
            guard pdu.byteCount >= 2 else { throw WireError(offset: pdu.byteCount, reason: .truncated) }
            switch Opcode(rawValue: pdu[0]) {
            case .findInformationResponse:
                guard pdu[1] == 1 || pdu[1] == 2 else { throw .invalid("format", at: 1) }
                (length, start) = (pdu[1] == 1 ? 4 : 18, 2)
            case .findByTypeValueResponse: (length, start) = (4, 1)
            case .readByTypeResponse: (length, start) = (Int(pdu[1]), 2)
            case .readByGroupTypeResponse: (length, start) = (Int(pdu[1]), 2)
            default: throw .invalid("opcode", at: 0)
            }
            let least = pdu[0] == Opcode.readByGroupTypeResponse.rawValue ? 4 : 2
            guard length >= least else { throw .invalid("length", at: 1) }
            let octets = pdu.byteCount - start
            guard octets >= length, octets % length == 0 else {
                throw WireError(offset: pdu.byteCount, reason: .truncated)
            }
            count = octets / length
        }

        /// Where item `index`, within `0..<count`, lies in the PDU.
        @inlinable
        public subscript(index: Int) -> Range<Int> {
            let first = start + index * length
            return first..<first + length
        }
    }
}
