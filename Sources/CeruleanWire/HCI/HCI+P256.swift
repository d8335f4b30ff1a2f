// SPDX-License-Identifier: Apache-2.0

// Diffie-Hellman on P-256 in the controller.
extension HCI {
    /// Makes a key pair and tells its public half. Core 5.4, Vol 4, Part E, 7.8.36.
    public struct LEReadLocalP256PublicKey: HCICommandWithStatus, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadLocalP256PublicKey

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Computes the Diffie-Hellman key with a peer's public key. Core 5.4, Vol 4, Part E, 7.8.37.
    public struct LEGenerateDHKey: HCICommandWithStatus, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leGenerateDHKey
        /// The x coordinate of the peer's key.
        public var x = Value256.zero
        /// The y coordinate of the peer's key.
        public var y = Value256.zero

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(x: Value256, y: Value256) {
            self.x = x
            self.y = y
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.value256("key X coordinate", &x)
            try v.value256("key Y coordinate", &y)
        }
    }

    /// Computes the Diffie-Hellman key with a peer's public key, also with the debug key. Core 5.4, Vol 4, Part E, 7.8.37.
    public struct LEGenerateDHKeyV2: HCICommandWithStatus, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leGenerateDHKeyV2
        /// The x coordinate of the peer's key.
        public var x = Value256.zero
        /// The y coordinate of the peer's key.
        public var y = Value256.zero
        /// 0: the private key that was generated; 1: the debug key.
        public var keyType: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(x: Value256, y: Value256, keyType: UInt8) {
            self.x = x
            self.y = y
            self.keyType = keyType
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.value256("key X coordinate", &x)
            try v.value256("key Y coordinate", &y)
            try v.field("key type", &keyType)
        }
    }

    /// The public half of a key pair that was made. Core 5.4, Vol 4, Part E, 7.7.65.8.
    public struct LEReadLocalP256PublicKeyComplete: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.readLocalP256PublicKeyComplete
        /// 0x00, or why it failed.
        public var status = ErrorCode(rawValue: 0)
        /// The x coordinate.
        public var x = Value256.zero
        /// The y coordinate.
        public var y = Value256.zero

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(status: ErrorCode, x: Value256, y: Value256) {
            self.status = status
            self.x = x
            self.y = y
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("status", &status)
            try v.value256("key X coordinate", &x)
            try v.value256("key Y coordinate", &y)
        }
    }

    /// The Diffie-Hellman key that was computed. Core 5.4, Vol 4, Part E, 7.7.65.9.
    public struct LEGenerateDHKeyComplete: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.generateDHKeyComplete
        /// 0x00, or why it failed.
        public var status = ErrorCode(rawValue: 0)
        /// The key; all ones when the peer's key was no point of the curve.
        public var key = Value256.zero

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(status: ErrorCode, key: Value256) {
            self.status = status
            self.key = key
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("status", &status)
            try v.value256("DH key", &key)
        }
    }
}
