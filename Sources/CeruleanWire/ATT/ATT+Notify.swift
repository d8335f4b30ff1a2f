// SPDX-License-Identifier: Apache-2.0

extension ATT {
    /// A value from the server. Vol 3, Part F, 3.4.7.1.
    public struct HandleValueNotification: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.handleValueNotification
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

    /// A value from the server that must be confirmed. Vol 3, Part F, 3.4.7.2.
    public struct HandleValueIndication: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.handleValueIndication
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

    /// Confirms an indication. Vol 3, Part F, 3.4.7.3.
    public struct HandleValueConfirmation: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.handleValueConfirmation

        /// It has no field.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Several values from the server. Vol 3, Part F, 3.4.7.4.
    public struct MultipleHandleValueNotification: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.multipleHandleValueNotification

        /// A handle with its value.
        public struct Item: WirePacket, Hashable {
            /// The attribute.
            public var handle: UInt16 = 0
            /// The whole value; its length is sent before it.
            public var value: [UInt8] = []

            /// All zeros.
            @inlinable
            public init() {}

            /// Shows the fields in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("handle", &handle)
                var length = UInt16(truncatingIfNeeded: value.count)
                guard Int(length) == value.count else { throw WireError(offset: v.offset, reason: .tooLong) }
                try v.field("length", &length)
                try v.bytes("value", &value, count: Int(length))
            }
        }

        /// The values in order.
        public var items: [Item] = []

        /// Empty.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.repeated("handle length value tuple list", &items, count: nil)
        }
    }
}
