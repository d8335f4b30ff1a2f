// SPDX-License-Identifier: Apache-2.0

/// The Security Manager Protocol. Core 5.4, Vol 3, Part H, 3.
///
/// Every PDU is a nested type that conforms to ``SMP/PDU``; ``SMP/Command`` is any of them:
/// ```swift
/// let octets = try SMP.PairingFailed(reason: .confirmValueFailed).pdu()     // 05 04
/// guard case .pairingFailed(let failed) = try SMP.Command(pdu: octets) else { return }
/// ```
public enum SMP {
    /// The fixed L2CAP channel on LE. Vol 3, Part A, 2.1.
    public static let channel: UInt16 = 0x0006
    /// The longest PDU, in octets: a Pairing Public Key. Vol 3, Part H, 3.2.
    public static let maximumLength = 65
    /// Time without a PDU after which pairing has failed. Vol 3, Part H, 3.4.
    public static let timeout: Duration = .seconds(30)

    /// A packet of the Security Manager Protocol; `visit` lists what follows the code.
    public protocol PDU: WirePacket, Hashable {
        /// The first octet on the wire.
        static var opcode: Opcode { get }
    }
}

extension SMP.PDU {
    /// Decodes a whole PDU, code included. Offsets in errors count from the code.
    ///
    /// - Throws: ``WireError``: `.invalid("code")` when the first octet is another packet's, and whatever is wrong behind it.
    public init(pdu: RawSpan) throws(WireError) {
        guard pdu.byteCount > 0 else { throw WireError(offset: 0, reason: .truncated) }
        guard pdu[0] == Self.opcode.rawValue else { throw .invalid("code", at: 0) }
        do {
            try self.init(decoding: pdu.extracting(1..<pdu.byteCount))
        } catch {
            throw error.shifted(by: 1)
        }
    }

    /// Decodes a whole PDU, code included. Offsets in errors count from the code.
    public init(pdu: [UInt8]) throws(WireError) { try self.init(pdu: pdu.span.bytes) }

    /// All octets, code included.
    public func pdu() throws(WireError) -> [UInt8] {
        var bytes = [Self.opcode.rawValue]
        try encode(into: &bytes)
        return bytes
    }
}

extension SMP {
    /// What a PDU is. Core 5.4, Vol 3, Part H, 3.3.
    public struct Opcode: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Starts pairing (0x01).
        public static let pairingRequest = Self(rawValue: 0x01)
        /// Agrees to pair (0x02).
        public static let pairingResponse = Self(rawValue: 0x02)
        /// Commits to a random value (0x03).
        public static let pairingConfirm = Self(rawValue: 0x03)
        /// Opens the commitment (0x04).
        public static let pairingRandom = Self(rawValue: 0x04)
        /// Ends pairing (0x05).
        public static let pairingFailed = Self(rawValue: 0x05)
        /// A Long Term Key (0x06).
        public static let encryptionInformation = Self(rawValue: 0x06)
        /// The numbers that name a Long Term Key (0x07).
        public static let centralIdentification = Self(rawValue: 0x07)
        /// An Identity Resolving Key (0x08).
        public static let identityInformation = Self(rawValue: 0x08)
        /// An identity address (0x09).
        public static let identityAddressInformation = Self(rawValue: 0x09)
        /// A signature key (0x0A).
        public static let signingInformation = Self(rawValue: 0x0A)
        /// A peripheral asks for encryption or pairing (0x0B).
        public static let securityRequest = Self(rawValue: 0x0B)
        /// A P-256 public key (0x0C).
        public static let pairingPublicKey = Self(rawValue: 0x0C)
        /// Proves knowledge of the Diffie-Hellman key (0x0D).
        public static let pairingDHKeyCheck = Self(rawValue: 0x0D)
        /// Tells that a digit was typed (0x0E).
        public static let keypressNotification = Self(rawValue: 0x0E)

        /// Octets of a PDU with this code, code included; nil for reserved codes.
        public var length: Int? {
            switch self {
            case .pairingRequest, .pairingResponse: 7
            case .pairingConfirm, .pairingRandom, .encryptionInformation, .identityInformation, .signingInformation,
                .pairingDHKeyCheck:
                17
            case .pairingFailed, .securityRequest, .keypressNotification: 2
            case .centralIdentification: 11
            case .identityAddressInformation: 8
            case .pairingPublicKey: 65
            default: nil
            }
        }
    }

    /// Why pairing failed. Core 5.4, Vol 3, Part H, 3.5.5.
    public struct FailureReason: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The user could not or did not want to enter the passkey (0x01).
        public static let passkeyEntryFailed = Self(rawValue: 0x01)
        /// There is no out of band data (0x02).
        public static let outOfBandNotAvailable = Self(rawValue: 0x02)
        /// The abilities of both do not reach the security wanted (0x03).
        public static let authenticationRequirements = Self(rawValue: 0x03)
        /// The confirm value does not fit (0x04).
        public static let confirmValueFailed = Self(rawValue: 0x04)
        /// The device does not pair now (0x05).
        public static let pairingNotSupported = Self(rawValue: 0x05)
        /// The key would be too short (0x06).
        public static let encryptionKeySize = Self(rawValue: 0x06)
        /// The code is unknown (0x07).
        public static let commandNotSupported = Self(rawValue: 0x07)
        /// Something else (0x08).
        public static let unspecifiedReason = Self(rawValue: 0x08)
        /// Too soon after the last failure (0x09).
        public static let repeatedAttempts = Self(rawValue: 0x09)
        /// A length or a value is against the specification (0x0A).
        public static let invalidParameters = Self(rawValue: 0x0A)
        /// The DHKey check does not fit (0x0B).
        public static let dhKeyCheckFailed = Self(rawValue: 0x0B)
        /// The user said that the numbers differ (0x0C).
        public static let numericComparisonFailed = Self(rawValue: 0x0C)
        /// Pairing over BR/EDR is going on (0x0D).
        public static let brEDRPairingInProgress = Self(rawValue: 0x0D)
        /// No key can be derived for the other transport (0x0E).
        public static let crossTransportKeyNotAllowed = Self(rawValue: 0x0E)
        /// The device does not accept distributed keys (0x0F).
        public static let keyRejected = Self(rawValue: 0x0F)
        /// The device is busy (0x10).
        public static let busy = Self(rawValue: 0x10)
    }

    /// What a device can show and take in. Core 5.4, Vol 3, Part H, 2.3.2.
    public struct IOCapability: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Shows six digits, takes nothing in (0x00).
        public static let displayOnly = Self(rawValue: 0x00)
        /// Shows six digits, takes yes or no (0x01).
        public static let displayYesNo = Self(rawValue: 0x01)
        /// Shows nothing, takes digits (0x02).
        public static let keyboardOnly = Self(rawValue: 0x02)
        /// Neither (0x03).
        public static let noInputNoOutput = Self(rawValue: 0x03)
        /// Shows six digits, takes digits and yes or no (0x04).
        public static let keyboardDisplay = Self(rawValue: 0x04)

        /// All that are not reserved.
        public static let known: [Self] = [
            .displayOnly, .displayYesNo, .keyboardOnly, .noInputNoOutput, .keyboardDisplay,
        ]
    }

    /// Whether a device has the other's out of band data. Core 5.4, Vol 3, Part H, 3.5.1.
    public struct OutOfBandFlag: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// It has none (0x00).
        public static let notPresent = Self(rawValue: 0x00)
        /// It has some (0x01).
        public static let present = Self(rawValue: 0x01)
    }

    /// What happened at a keyboard. Core 5.4, Vol 3, Part H, 3.5.8.
    public struct KeypressKind: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Entry began (0x00).
        public static let started = Self(rawValue: 0x00)
        /// A digit was typed (0x01).
        public static let digitEntered = Self(rawValue: 0x01)
        /// A digit was taken back (0x02).
        public static let digitErased = Self(rawValue: 0x02)
        /// All digits were taken back (0x03).
        public static let cleared = Self(rawValue: 0x03)
        /// Entry is complete (0x04).
        public static let completed = Self(rawValue: 0x04)
    }

    /// What a device wants of pairing. Core 5.4, Vol 3, Part H, 3.5.1.
    public struct AuthenticationRequirements: OptionSet, Hashable, Sendable {
        /// The bits on the wire.
        public let rawValue: UInt8
        /// Wraps the bits.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Keys are to be kept (bit 0; the two bits hold 0 for no and 1 for yes).
        public static let bonding = Self(rawValue: 0x01)
        /// Protection against somebody in the middle is wanted (bit 2).
        public static let protectedAgainstMITM = Self(rawValue: 0x04)
        /// LE Secure Connections is supported (bit 3).
        public static let secureConnections = Self(rawValue: 0x08)
        /// Keypress notifications are sent and understood (bit 4).
        public static let keypress = Self(rawValue: 0x10)
        /// h7 is supported for keys of the other transport (bit 5).
        public static let h7 = Self(rawValue: 0x20)
    }

    /// Which keys a device sends. Core 5.4, Vol 3, Part H, 3.6.1.
    public struct KeyDistribution: OptionSet, Hashable, Sendable {
        /// The bits on the wire.
        public let rawValue: UInt8
        /// Wraps the bits.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A Long Term Key; without meaning for LE Secure Connections (bit 0).
        public static let encryption = Self(rawValue: 0x01)
        /// The Identity Resolving Key and identity address (bit 1).
        public static let identity = Self(rawValue: 0x02)
        /// The signature key (bit 2).
        public static let signing = Self(rawValue: 0x04)
        /// A key for the other transport is to be derived (bit 3).
        public static let link = Self(rawValue: 0x08)
    }
}
