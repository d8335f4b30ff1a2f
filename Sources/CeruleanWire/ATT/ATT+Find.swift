// SPDX-License-Identifier: Apache-2.0

extension ATT {
    /// Says why a request failed. Vol 3, Part F, 3.4.1.1.
    public struct ErrorResponse: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.errorResponse
        /// The request that failed.
        public var request = Opcode(rawValue: 0)
        /// The handle that it failed on; 0 when there is none.
        public var handle: UInt16 = 0
        /// Why.
        public var error = ErrorCode(rawValue: 0)

        /// All zeros.
        @inlinable
        public init() {}

        /// An error with its three fields.
        @inlinable
        public init(request: Opcode, handle: UInt16, error: ErrorCode) {
            self.request = request
            self.handle = handle
            self.error = error
        }

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("request opcode", &request)
            try v.field("attribute handle", &handle)
            try v.code("error code", &error)
        }
    }

    /// Tells the server how long PDUs to the client may be. Vol 3, Part F, 3.4.2.1.
    public struct ExchangeMTURequest: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.exchangeMTURequest
        /// Octets that the client can receive.
        public var mtu: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("client receive MTU", &mtu)
        }
    }

    /// Tells the client how long PDUs to the server may be. Vol 3, Part F, 3.4.2.2.
    public struct ExchangeMTUResponse: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.exchangeMTUResponse
        /// Octets that the server can receive.
        public var mtu: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("server receive MTU", &mtu)
        }
    }

    /// Asks for handles and types in a range. Vol 3, Part F, 3.4.3.1.
    public struct FindInformationRequest: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.findInformationRequest
        /// First handle asked for.
        public var start: UInt16 = 0
        /// Last handle asked for.
        public var end: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("starting handle", &start)
            try v.field("ending handle", &end)
        }
    }

    /// Handles and types; all types of one size. Vol 3, Part F, 3.4.3.2.
    public struct FindInformationResponse: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.findInformationResponse

        /// A handle with a type of 16 bits.
        public struct Short: WirePacket, Hashable {
            /// The handle.
            public var handle: UInt16 = 0
            /// The type.
            public var type = BluetoothUUID()

            /// All zeros.
            @inlinable
            public init() {}

            /// Shows the fields in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("handle", &handle)
                try v.uuid("type", &type, size: 2)
            }
        }

        /// A handle with a type of 128 bits.
        public struct Long: WirePacket, Hashable {
            /// The handle.
            public var handle: UInt16 = 0
            /// The type.
            public var type = BluetoothUUID()

            /// All zeros.
            @inlinable
            public init() {}

            /// Shows the fields in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("handle", &handle)
                try v.uuid("type", &type, size: 16)
            }
        }

        /// 1 when types have 16 bits, 2 when they have 128.
        public var format: UInt8 = 0
        /// The pairs of format 1.
        public var short: [Short] = []
        /// The pairs of format 2.
        public var long: [Long] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            let start = v.offset
            try v.field("format", &format)
            switch format {
            case 1: try v.repeated("information", &short, count: nil)
            case 2: try v.repeated("information", &long, count: nil)
            default: throw .invalid("format", at: start)
            }
        }
    }

    /// Asks for attributes of a 16-bit type with a given value, and the ends of their groups. Vol 3, Part F, 3.4.3.3.
    public struct FindByTypeValueRequest: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.findByTypeValueRequest
        /// First handle asked for.
        public var start: UInt16 = 0
        /// Last handle asked for.
        public var end: UInt16 = 0
        /// The type, in its 16-bit form.
        public var type: UInt16 = 0
        /// The value to be found.
        public var value: [UInt8] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("starting handle", &start)
            try v.field("ending handle", &end)
            try v.field("attribute type", &type)
            try v.rest("attribute value", &value)
        }
    }

    /// Handles that were found, with the ends of their groups. Vol 3, Part F, 3.4.3.4.
    public struct FindByTypeValueResponse: PDU {
        /// The first octet on the wire.
        public static let opcode = Opcode.findByTypeValueResponse

        /// A handle and the last handle of its group.
        public struct Item: WirePacket, Hashable {
            /// The attribute that was found.
            public var handle: UInt16 = 0
            /// The last handle of its group.
            public var end: UInt16 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Shows the fields in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("found attribute handle", &handle)
                try v.field("group end handle", &end)
            }
        }

        /// What was found, one or more.
        public var items: [Item] = []

        /// No item.
        @inlinable
        public init() {}

        /// Shows the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.repeated("handles information", &items, count: nil)
        }
    }
}
