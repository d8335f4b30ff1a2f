// SPDX-License-Identifier: Apache-2.0

extension SMP {
    /// What one side can do and wants: the common layout of Pairing Request and Pairing Response. Core 5.4, Vol 3, Part H, 3.5.1.
    public struct PairingFeatures: WirePacket, Hashable {
        /// What the device can show and take in.
        public var ioCapability = IOCapability.displayOnly
        /// Whether it has the other's out of band data.
        public var outOfBand = OutOfBandFlag.notPresent
        /// What it wants; reserved bits are kept as they came.
        public var requirements: AuthenticationRequirements = []
        /// The longest key it supports, in octets: 7 to 16; not checked here.
        public var maximumKeySize: UInt8 = 0
        /// Keys that the initiator sends.
        public var initiatorKeys: KeyDistribution = []
        /// Keys that the responder sends.
        public var responderKeys: KeyDistribution = []

        /// All zeros.
        public init() {}

        /// Names what one side can do and wants.
        public init(
            ioCapability: IOCapability, outOfBand: OutOfBandFlag, requirements: AuthenticationRequirements,
            maximumKeySize: UInt8, initiatorKeys: KeyDistribution, responderKeys: KeyDistribution
        ) {
            self.ioCapability = ioCapability
            self.outOfBand = outOfBand
            self.requirements = requirements
            self.maximumKeySize = maximumKeySize
            self.initiatorKeys = initiatorKeys
            self.responderKeys = responderKeys
        }

        /// Shows the fields to `visitor`.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ visitor: inout V) throws(WireError) {
            try visitor.code("IO capability", &ioCapability)
            try visitor.code("OOB data flag", &outOfBand)
            try requirements.visit(&visitor)
            try visitor.field("maximum encryption key size", &maximumKeySize)
            try initiatorKeys.visit(&visitor, "initiator key distribution")
            try responderKeys.visit(&visitor, "responder key distribution")
        }

        /// The three octets of f6: AuthReq, OOB flag and IO capability, most significant first. Core 5.4, Vol 3, Part H, 2.2.8.
        public var checkOctets: [UInt8] { [requirements.rawValue, outOfBand.rawValue, ioCapability.rawValue] }

        /// Packet with its code as the number of 56 bits that c1 takes: the code is its least significant octet. Part H, 2.2.3.
        public func confirmNumber(_ opcode: Opcode) -> UInt64 {
            let octets = [
                opcode.rawValue, ioCapability.rawValue, outOfBand.rawValue, requirements.rawValue, maximumKeySize,
                initiatorKeys.rawValue, responderKeys.rawValue,
            ]
            return octets.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// Starts pairing. Core 5.4, Vol 3, Part H, 3.5.1.
    public struct PairingRequest: PDU {
        /// Pairing Request (0x01).
        public static let opcode = Opcode.pairingRequest
        /// What the initiator can do and wants.
        public var features = PairingFeatures()
        /// All zeros.
        public init() {}
        /// A request with these features.
        public init(features: PairingFeatures) { self.features = features }
        /// Shows the fields to `visitor`.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ visitor: inout V) throws(WireError) {
            try features.visit(&visitor)
        }
    }

    /// Agrees to pair. Core 5.4, Vol 3, Part H, 3.5.2.
    public struct PairingResponse: PDU {
        /// Pairing Response (0x02).
        public static let opcode = Opcode.pairingResponse
        /// What the responder can do and wants.
        public var features = PairingFeatures()
        /// All zeros.
        public init() {}
        /// A response with these features.
        public init(features: PairingFeatures) { self.features = features }
        /// Shows the fields to `visitor`.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ visitor: inout V) throws(WireError) {
            try features.visit(&visitor)
        }
    }

    /// Commits to a random value. Core 5.4, Vol 3, Part H, 3.5.3.
    public struct PairingConfirm: PDU {
        /// Pairing Confirm (0x03).
        public static let opcode = Opcode.pairingConfirm
        /// The commitment.
        public var value = Value128.zero
        /// All zeros.
        public init() {}
        /// Sends a commitment.
        public init(value: Value128) { self.value = value }
        /// Shows the fields to `visitor`.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ visitor: inout V) throws(WireError) {
            try visitor.value128("confirm value", &value)
        }
    }

    /// Opens a commitment. Core 5.4, Vol 3, Part H, 3.5.4.
    public struct PairingRandom: PDU {
        /// Pairing Random (0x04).
        public static let opcode = Opcode.pairingRandom
        /// The random value.
        public var value = Value128.zero
        /// All zeros.
        public init() {}
        /// Sends a random value.
        public init(value: Value128) { self.value = value }
        /// Shows the fields to `visitor`.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ visitor: inout V) throws(WireError) {
            try visitor.value128("random value", &value)
        }
    }

    /// Ends pairing. Core 5.4, Vol 3, Part H, 3.5.5.
    public struct PairingFailed: PDU {
        /// Pairing Failed (0x05).
        public static let opcode = Opcode.pairingFailed
        /// Why.
        public var reason = FailureReason.unspecifiedReason
        /// An unspecified reason.
        public init() {}
        /// Ends pairing with a reason.
        public init(reason: FailureReason) { self.reason = reason }
        /// Shows the fields to `visitor`.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ visitor: inout V) throws(WireError) {
            try visitor.code("reason", &reason)
        }
    }

    /// A public key on P-256. Core 5.4, Vol 3, Part H, 3.5.6.
    public struct PairingPublicKey: PDU {
        /// Pairing Public Key (0x0C).
        public static let opcode = Opcode.pairingPublicKey
        /// The x coordinate.
        public var x = Value256.zero
        /// The y coordinate.
        public var y = Value256.zero
        /// All zeros, which is no valid key.
        public init() {}
        /// Sends a key.
        public init(x: Value256, y: Value256) {
            self.x = x
            self.y = y
        }
        /// Shows the fields to `visitor`.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ visitor: inout V) throws(WireError) {
            try visitor.value256("public key X", &x)
            try visitor.value256("public key Y", &y)
        }
    }

    /// Proves knowledge of the Diffie-Hellman key. Core 5.4, Vol 3, Part H, 3.5.7.
    public struct PairingDHKeyCheck: PDU {
        /// Pairing DHKey Check (0x0D).
        public static let opcode = Opcode.pairingDHKeyCheck
        /// The check value.
        public var value = Value128.zero
        /// All zeros.
        public init() {}
        /// Sends a check value.
        public init(value: Value128) { self.value = value }
        /// Shows the fields to `visitor`.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ visitor: inout V) throws(WireError) {
            try visitor.value128("DHKey check", &value)
        }
    }

    /// Tells the other side what happens at our keyboard. Core 5.4, Vol 3, Part H, 3.5.8.
    public struct KeypressNotification: PDU {
        /// Pairing Keypress Notification (0x0E).
        public static let opcode = Opcode.keypressNotification
        /// What happened.
        public var kind = KeypressKind.started
        /// Entry began.
        public init() {}
        /// Tells what happened.
        public init(kind: KeypressKind) { self.kind = kind }
        /// Shows the fields to `visitor`.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ visitor: inout V) throws(WireError) {
            try visitor.code("notification type", &kind)
        }
    }

    /// A peripheral asks for encryption or pairing. Core 5.4, Vol 3, Part H, 3.6.7.
    public struct SecurityRequest: PDU {
        /// Security Request (0x0B).
        public static let opcode = Opcode.securityRequest
        /// What the peripheral wants.
        public var requirements: AuthenticationRequirements = []
        /// Wants nothing in particular.
        public init() {}
        /// Asks for what is named.
        public init(requirements: AuthenticationRequirements) { self.requirements = requirements }
        /// Shows the fields to `visitor`.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ visitor: inout V) throws(WireError) {
            try requirements.visit(&visitor)
        }
    }
}

extension SMP.AuthenticationRequirements {
    /// Shows the parts of the octet to `visitor`. Core 5.4, Vol 3, Part H, figure 3.3.
    mutating func visit<V: FieldVisitor & ~Escapable>(_ visitor: inout V) throws(WireError) {
        var bonding = rawValue & 3
        var protection = rawValue >> 2 & 1
        var secure = rawValue >> 3 & 1
        var keypress = rawValue >> 4 & 1
        var h7 = rawValue >> 5 & 1
        var reserved = rawValue >> 6
        try visitor.bits("bonding flags", &bonding, width: 2, unit: 8)
        try visitor.bits("MITM", &protection, width: 1, unit: 8)
        try visitor.bits("SC", &secure, width: 1, unit: 8)
        try visitor.bits("keypress", &keypress, width: 1, unit: 8)
        try visitor.bits("CT2", &h7, width: 1, unit: 8)
        try visitor.bits("reserved", &reserved, width: 2, unit: 8)
        let lower = bonding | protection << 2 | secure << 3
        self = Self(rawValue: lower | keypress << 4 | h7 << 5 | reserved << 6)
    }
}

extension SMP.KeyDistribution {
    /// Shows the octet to `visitor`.
    mutating func visit<V: FieldVisitor & ~Escapable>(
        _ visitor: inout V, _ name: StaticString
    ) throws(WireError) {
        var raw = rawValue
        try visitor.field(name, &raw)
        self = Self(rawValue: raw)
    }
}
