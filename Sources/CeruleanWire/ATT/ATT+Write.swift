// SPDX-License-Identifier: Apache-2.0

extension ATT {
    /// Writes a value and asks for an answer. Vol 3, Part F, 3.4.5.1.
    public struct WriteRequest: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.writeRequest
        /// The attribute.
        public var handle: UInt16 = 0
        /// At most MTU - 3 octets.
        public var value: [UInt8] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("attribute handle", &handle)
            try v.rest("attribute value", &value)
        }
    }

    /// The value was written. Vol 3, Part F, 3.4.5.2.
    public struct WriteResponse: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.writeResponse

        /// It has no field.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Writes a value without an answer. Vol 3, Part F, 3.4.5.3.
    public struct WriteCommand: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.writeCommand
        /// The attribute.
        public var handle: UInt16 = 0
        /// At most MTU - 3 octets.
        public var value: [UInt8] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("attribute handle", &handle)
            try v.rest("attribute value", &value)
        }
    }

    /// Writes a signed value without an answer. Vol 3, Part F, 3.4.5.4.
    public struct SignedWriteCommand: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.signedWriteCommand
        /// Octets of a signature: a counter of 4 and a code of 8. Vol 3, Part H, 2.4.5.
        public static let signatureLength = 12
        /// The attribute.
        public var handle: UInt16 = 0
        /// At most MTU - 15 octets.
        public var value: [UInt8] = []
        /// 12 octets: counter and message authentication code.
        public var signature: [UInt8] = []

        /// All zeros.
        @inlinable
        public init() { signature = Array(repeating: 0, count: 12) }

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("attribute handle", &handle)
            try v.bytes("attribute value", &value, count: v.remaining.map { $0 - Self.signatureLength } ?? value.count)
            try v.bytes("authentication signature", &signature, count: Self.signatureLength)
        }
    }

    /// Puts part of a value into the server's queue. Vol 3, Part F, 3.4.6.1.
    public struct PrepareWriteRequest: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.prepareWriteRequest
        /// The attribute.
        public var handle: UInt16 = 0
        /// Where the part starts in the value.
        public var offset: UInt16 = 0
        /// At most MTU - 5 octets.
        public var value: [UInt8] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("attribute handle", &handle)
            try v.field("value offset", &offset)
            try v.rest("part attribute value", &value)
        }
    }

    /// Repeats what was put into the queue. Vol 3, Part F, 3.4.6.2.
    public struct PrepareWriteResponse: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.prepareWriteResponse
        /// The attribute.
        public var handle: UInt16 = 0
        /// Where the part starts in the value.
        public var offset: UInt16 = 0
        /// The part.
        public var value: [UInt8] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("attribute handle", &handle)
            try v.field("value offset", &offset)
            try v.rest("part attribute value", &value)
        }
    }

    /// Writes or drops everything in the queue. Vol 3, Part F, 3.4.6.3.
    public struct ExecuteWriteRequest: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.executeWriteRequest
        /// 0x00 drops the queue, 0x01 writes it; other numbers are reserved.
        public var flags: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("flags", &flags)
        }
    }

    /// The queue was written or dropped. Vol 3, Part F, 3.4.6.4.
    public struct ExecuteWriteResponse: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.executeWriteResponse

        /// It has no field.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }
}
