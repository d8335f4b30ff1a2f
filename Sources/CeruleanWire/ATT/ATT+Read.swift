// SPDX-License-Identifier: Apache-2.0

extension ATT {
    /// Asks for the values of all attributes of a type. Vol 3, Part F, 3.4.4.1.
    public struct ReadByTypeRequest: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.readByTypeRequest
        /// First handle asked for.
        public var start: UInt16 = 0
        /// Last handle asked for.
        public var end: UInt16 = 0
        /// The type; sent in 2 octets when it has a 16-bit form.
        public var type = BluetoothUUID()

        /// All zeros.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("starting handle", &start)
            try v.field("ending handle", &end)
            try v.uuid("attribute type", &type, size: v.remaining ?? (type.short == nil ? 16 : 2))
        }
    }

    /// Handles with values, all of one length. Vol 3, Part F, 3.4.4.2.
    public struct ReadByTypeResponse: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.readByTypeResponse
        /// Octets of one item: 2 more than its value.
        public var length: UInt8 = 0
        /// The items one behind the other.
        public var data: [UInt8] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// How many items there are.
        @inlinable
        public var count: Int { length < 2 ? 0 : data.count / Int(length) }

        /// The item at `index`, which must be within `0..<count`.
        @inlinable
        public subscript(index: Int) -> (handle: UInt16, value: ArraySlice<UInt8>) {
            let start = index * Int(length)
            return (UInt16(data[start]) | UInt16(data[start + 1]) << 8, data[start + 2..<start + Int(length)])
        }

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            let start = v.offset
            try v.field("length", &length)
            guard length >= 2 else { throw .invalid("length", at: start) }
            try v.rest("attribute data list", &data)
            guard !data.isEmpty, data.count % Int(length) == 0 else {
                throw WireError(offset: v.offset, reason: .truncated)
            }
        }
    }

    /// Asks for a value. Vol 3, Part F, 3.4.4.3.
    public struct ReadRequest: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.readRequest
        /// The attribute.
        public var handle: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("attribute handle", &handle)
        }
    }

    /// The first octets of a value. Vol 3, Part F, 3.4.4.4.
    public struct ReadResponse: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.readResponse
        /// At most MTU - 1 octets.
        public var value: [UInt8] = []

        /// An empty value.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.rest("attribute value", &value)
        }
    }

    /// Asks for part of a long value. Vol 3, Part F, 3.4.4.5.
    public struct ReadBlobRequest: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.readBlobRequest
        /// The attribute.
        public var handle: UInt16 = 0
        /// Octets to be left out at the start.
        public var offset: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("attribute handle", &handle)
            try v.field("value offset", &offset)
        }
    }

    /// Part of a long value. Vol 3, Part F, 3.4.4.6.
    public struct ReadBlobResponse: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.readBlobResponse
        /// At most MTU - 1 octets.
        public var value: [UInt8] = []

        /// An empty part.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.rest("part attribute value", &value)
        }
    }

    /// A handle in a list.
    public struct HandleItem: WirePacket, Hashable {
        /// The attribute.
        public var handle: UInt16 = 0

        /// Handle 0.
        @inlinable
        public init() {}

        /// Wraps a handle.
        @inlinable
        public init(_ handle: UInt16) { self.handle = handle }

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("handle", &handle)
        }
    }

    /// Asks for several values of known lengths. Vol 3, Part F, 3.4.4.7.
    public struct ReadMultipleRequest: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.readMultipleRequest
        /// The attributes; two or more.
        public var handles: [HandleItem] = []

        /// No handle.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.repeated("set of handles", &handles, count: nil)
        }
    }

    /// Values one behind the other, without lengths. Vol 3, Part F, 3.4.4.8.
    public struct ReadMultipleResponse: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.readMultipleResponse
        /// At most MTU - 1 octets.
        public var values: [UInt8] = []

        /// Empty.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.rest("set of values", &values)
        }
    }

    /// Asks for the values of all attributes of a grouping type, and the ends of their groups. Vol 3, Part F, 3.4.4.9.
    public struct ReadByGroupTypeRequest: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.readByGroupTypeRequest
        /// First handle asked for.
        public var start: UInt16 = 0
        /// Last handle asked for.
        public var end: UInt16 = 0
        /// The type; sent in 2 octets when it has a 16-bit form.
        public var type = BluetoothUUID()

        /// All zeros.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("starting handle", &start)
            try v.field("ending handle", &end)
            try v.uuid("attribute group type", &type, size: v.remaining ?? (type.short == nil ? 16 : 2))
        }
    }

    /// Groups with values, all of one length. Vol 3, Part F, 3.4.4.10.
    public struct ReadByGroupTypeResponse: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.readByGroupTypeResponse
        /// Octets of one item: 4 more than its value.
        public var length: UInt8 = 0
        /// The items one behind the other.
        public var data: [UInt8] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// How many items there are.
        @inlinable
        public var count: Int { length < 4 ? 0 : data.count / Int(length) }

        /// The item at `index`, which must be within `0..<count`.
        @inlinable
        public subscript(index: Int) -> (handle: UInt16, end: UInt16, value: ArraySlice<UInt8>) {
            let start = index * Int(length)
            return (
                UInt16(data[start]) | UInt16(data[start + 1]) << 8,
                UInt16(data[start + 2]) | UInt16(data[start + 3]) << 8,
                data[start + 4..<start + Int(length)]
            )
        }

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            let start = v.offset
            try v.field("length", &length)
            guard length >= 4 else { throw .invalid("length", at: start) }
            try v.rest("attribute data list", &data)
            guard !data.isEmpty, data.count % Int(length) == 0 else {
                throw WireError(offset: v.offset, reason: .truncated)
            }
        }
    }

    /// Asks for several values of any length. Vol 3, Part F, 3.4.4.11.
    public struct ReadMultipleVariableRequest: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.readMultipleVariableRequest
        /// The attributes; two or more.
        public var handles: [HandleItem] = []

        /// No handle.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.repeated("set of handles", &handles, count: nil)
        }
    }

    /// Values with lengths; the last may be cut at the MTU. Vol 3, Part F, 3.4.4.12.
    public struct ReadMultipleVariableResponse: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.readMultipleVariableResponse

        /// A length and what is there of the value.
        public struct Item: WirePacket, Hashable {
            /// Octets of the whole value.
            public var length: UInt16 = 0
            /// The value, or its start when the PDU ends before it.
            public var value: [UInt8] = []

            /// Empty.
            @inlinable
            public init() {}

            /// Shows the fields in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("length", &length)
                try v.bytes("value", &value, count: min(Int(length), v.remaining ?? value.count))
            }
        }

        /// The values in the order of the handles.
        public var items: [Item] = []

        /// Empty.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.repeated("length value tuple list", &items, count: nil)
        }
    }
}
