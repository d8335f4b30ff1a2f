// SPDX-License-Identifier: Apache-2.0

extension SMP {
    /// The Long Term Key of a device that is peripheral. Core 5.4, Vol 3, Part H, 3.6.2.
    public struct EncryptionInformation: PDU {
        /// Encryption Information (0x06).
        public static let opcode = Opcode.encryptionInformation
        /// The key.
        public var key = Value128.zero
        /// All zeros.
        public init() {}
        /// Sends a key.
        public init(key: Value128) { self.key = key }
        /// Shows the fields to `visitor`.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ visitor: inout V) throws(WireError) {
            try visitor.value128("Long Term Key", &key)
        }
    }

    /// The numbers that name the Long Term Key just sent. Core 5.4, Vol 3, Part H, 3.6.3.
    public struct CentralIdentification: PDU {
        /// Central Identification (0x07).
        public static let opcode = Opcode.centralIdentification
        /// The encrypted diversifier.
        public var diversifier: UInt16 = 0
        /// The random number.
        public var random: UInt64 = 0
        /// All zeros.
        public init() {}
        /// Sends the numbers.
        public init(diversifier: UInt16, random: UInt64) {
            self.diversifier = diversifier
            self.random = random
        }
        /// Shows the fields to `visitor`.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ visitor: inout V) throws(WireError) {
            try visitor.field("EDIV", &diversifier)
            try visitor.field("Rand", &random)
        }
    }

    /// The key that resolves a device's private addresses. Core 5.4, Vol 3, Part H, 3.6.4.
    public struct IdentityInformation: PDU {
        /// Identity Information (0x08).
        public static let opcode = Opcode.identityInformation
        /// The key; all zeros when the device has none.
        public var key = Value128.zero
        /// All zeros.
        public init() {}
        /// Sends a key.
        public init(key: Value128) { self.key = key }
        /// Shows the fields to `visitor`.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ visitor: inout V) throws(WireError) {
            try visitor.value128("Identity Resolving Key", &key)
        }
    }

    /// The address that names a device for good. Core 5.4, Vol 3, Part H, 3.6.5.
    public struct IdentityAddressInformation: PDU {
        /// Identity Address Information (0x09).
        public static let opcode = Opcode.identityAddressInformation
        /// Public or random; other kinds are not allowed here and are left to be checked by the reader.
        public var kind = DeviceAddress.Kind.public
        /// The address.
        public var address = BluetoothAddress.zero
        /// All zeros.
        public init() {}
        /// Sends an identity.
        public init(_ identity: DeviceAddress) {
            kind = identity.peerKind
            address = identity.address
        }
        /// The identity, if it is one that a device may have: public, or static random.
        public var identity: DeviceAddress? {
            let identity = DeviceAddress(address, kind)
            guard kind == .public || kind == .random, identity.isIdentity, address != .zero else { return nil }
            return identity
        }
        /// Shows the fields to `visitor`.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ visitor: inout V) throws(WireError) {
            try visitor.code("address type", &kind)
            try visitor.address("address", &address)
        }
    }

    /// The key that a device signs with. Core 5.4, Vol 3, Part H, 3.6.6.
    public struct SigningInformation: PDU {
        /// Signing Information (0x0A).
        public static let opcode = Opcode.signingInformation
        /// The key.
        public var key = Value128.zero
        /// All zeros.
        public init() {}
        /// Sends a key.
        public init(key: Value128) { self.key = key }
        /// Shows the fields to `visitor`.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ visitor: inout V) throws(WireError) {
            try visitor.value128("signature key", &key)
        }
    }
}
