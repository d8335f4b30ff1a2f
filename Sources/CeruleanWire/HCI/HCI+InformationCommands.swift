// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// Reads one page of the LMP features. Core 5.4, Vol 4, Part E, 7.4.4.
    public struct ReadLocalExtendedFeatures: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.readLocalExtendedFeatures

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// The page.
            public var page: UInt8 = 0
            /// The last page that is not empty.
            public var maximumPage: UInt8 = 0
            /// The bits of the page.
            public var features: UInt64 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(page: UInt8, maximumPage: UInt8, features: UInt64) {
                self.page = page
                self.maximumPage = maximumPage
                self.features = features
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("page number", &page)
                try v.field("max page number", &maximumPage)
                try v.field("extended LMP features", &features)
            }
        }

        /// The page.
        public var page: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(page: UInt8) {
            self.page = page
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("page number", &page)
        }
    }

    /// Reads the country code; in the specification up to Core 1.2, some hosts still ask.
    public struct ReadCountryCode: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.readCountryCode

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// 0: no restriction.
            public var code: UInt8 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(code: UInt8) {
                self.code = code
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("country code", &code)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Reads after which silence of an encrypted link the host is told. Core 5.4, Vol 4, Part E, 7.3.93.
    public struct ReadAuthenticatedPayloadTimeout: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.readAuthenticatedPayloadTimeout

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// The connection, 0x0000 to 0x0EFF.
            public var handle: UInt16 = 0
            /// Units of 10 ms.
            public var timeout: UInt16 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(handle: UInt16, timeout: UInt16) {
                self.handle = handle
                self.timeout = timeout
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("connection handle", &handle)
                try v.field("authenticated payload timeout", &timeout)
            }
        }

        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(handle: UInt16) {
            self.handle = handle
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
        }
    }

    /// Sets after which silence of an encrypted link the host is told. Core 5.4, Vol 4, Part E, 7.3.94.
    public struct WriteAuthenticatedPayloadTimeout: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.writeAuthenticatedPayloadTimeout

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// The connection, 0x0000 to 0x0EFF.
            public var handle: UInt16 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(handle: UInt16) {
                self.handle = handle
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("connection handle", &handle)
            }
        }

        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0
        /// Units of 10 ms, at least 1.
        public var timeout: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(handle: UInt16, timeout: UInt16) {
            self.handle = handle
            self.timeout = timeout
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
            try v.field("authenticated payload timeout", &timeout)
        }
    }

    /// No packet with a valid check came for the time that was set. Core 5.4, Vol 4, Part E, 7.7.75.
    public struct AuthenticatedPayloadTimeoutExpired: HCIEvent, Hashable {
        /// The event's number.
        public static let code = EventCode.authenticatedPayloadTimeoutExpired
        /// The connection, 0x0000 to 0x0EFF.
        public var handle: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(handle: UInt16) {
            self.handle = handle
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
        }
    }

    /// Sets one feature bit that is under control of the host. Core 5.4, Vol 4, Part E, 7.8.115.
    public struct LESetHostFeature: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetHostFeature
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// Number of the feature.
        public var bit: UInt8 = 0
        /// 0 or 1.
        public var value: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(bit: UInt8, value: UInt8) {
            self.bit = bit
            self.value = value
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("bit number", &bit)
            try v.field("bit value", &value)
        }
    }

    /// Reads the codecs of synchronous links. Core 5.4, Vol 4, Part E, 7.4.8.
    public struct ReadLocalSupportedCodecs: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.readLocalSupportedCodecs

        /// A codec of a maker.
        public struct VendorCodec: WirePacket, Hashable {
            /// The maker; Assigned Numbers, 7.1.
            public var company: UInt16 = 0
            /// Chosen by the maker.
            public var codec: UInt16 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(company: UInt16, codec: UInt16) {
                self.company = company
                self.codec = codec
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("company identifier", &company)
                try v.field("vendor codec identifier", &codec)
            }
        }

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// Numbers of coding formats; Assigned Numbers, 2.11.
            public var standard: [UInt8] = []
            /// Codecs of makers.
            public var vendor: [VendorCodec] = []

            /// No codec.
            @inlinable
            public init() {}

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.counted("standard codecs", &standard)
                var count = UInt8(truncatingIfNeeded: vendor.count)
                try v.field("num vendor codecs", &count)
                try v.repeated("vendor codecs", &vendor, count: v.remaining == nil ? vendor.count : Int(count))
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }
}
