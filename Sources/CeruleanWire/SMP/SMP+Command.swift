// SPDX-License-Identifier: Apache-2.0

extension SMP {
    /// Any packet of the protocol.
    public enum Command: Hashable, Sendable {
        /// Starts pairing.
        case pairingRequest(PairingRequest)
        /// Agrees to pair.
        case pairingResponse(PairingResponse)
        /// Commits to a random value.
        case pairingConfirm(PairingConfirm)
        /// Opens a commitment.
        case pairingRandom(PairingRandom)
        /// Ends pairing.
        case pairingFailed(PairingFailed)
        /// A Long Term Key.
        case encryptionInformation(EncryptionInformation)
        /// The numbers that name it.
        case centralIdentification(CentralIdentification)
        /// An Identity Resolving Key.
        case identityInformation(IdentityInformation)
        /// An identity address.
        case identityAddressInformation(IdentityAddressInformation)
        /// A signature key.
        case signingInformation(SigningInformation)
        /// A peripheral asks for encryption or pairing.
        case securityRequest(SecurityRequest)
        /// A public key.
        case pairingPublicKey(PairingPublicKey)
        /// Proves knowledge of the Diffie-Hellman key.
        case pairingDHKeyCheck(PairingDHKeyCheck)
        /// Something was typed.
        case keypressNotification(KeypressNotification)

        /// Decodes a whole PDU. The length is checked against the code before anything else is read.
        ///
        /// - Throws: ``WireError``: `.invalid("code")` for reserved codes, `.truncated` or `.trailing` for a wrong length.
        public init(pdu: [UInt8]) throws(WireError) {
            guard let first = pdu.first else { throw WireError(offset: 0, reason: .truncated) }
            let opcode = Opcode(rawValue: first)
            guard let length = opcode.length else { throw .invalid("code", at: 0) }
            if pdu.count < length { throw WireError(offset: pdu.count, reason: .truncated) }
            if pdu.count > length { throw WireError(offset: length, reason: .trailing) }
            switch opcode {
            case .pairingRequest: self = .pairingRequest(try PairingRequest(pdu: pdu))
            case .pairingResponse: self = .pairingResponse(try PairingResponse(pdu: pdu))
            case .pairingConfirm: self = .pairingConfirm(try PairingConfirm(pdu: pdu))
            case .pairingRandom: self = .pairingRandom(try PairingRandom(pdu: pdu))
            case .pairingFailed: self = .pairingFailed(try PairingFailed(pdu: pdu))
            case .encryptionInformation: self = .encryptionInformation(try EncryptionInformation(pdu: pdu))
            case .centralIdentification: self = .centralIdentification(try CentralIdentification(pdu: pdu))
            case .identityInformation: self = .identityInformation(try IdentityInformation(pdu: pdu))
            case .identityAddressInformation:
                self = .identityAddressInformation(try IdentityAddressInformation(pdu: pdu))
            case .signingInformation: self = .signingInformation(try SigningInformation(pdu: pdu))
            case .securityRequest: self = .securityRequest(try SecurityRequest(pdu: pdu))
            case .pairingPublicKey: self = .pairingPublicKey(try PairingPublicKey(pdu: pdu))
            case .pairingDHKeyCheck: self = .pairingDHKeyCheck(try PairingDHKeyCheck(pdu: pdu))
            default: self = .keypressNotification(try KeypressNotification(pdu: pdu))
            }
        }

        /// The packet as what all packets have in common.
        public var packet: any PDU {
            switch self {
            case .pairingRequest(let packet): packet
            case .pairingResponse(let packet): packet
            case .pairingConfirm(let packet): packet
            case .pairingRandom(let packet): packet
            case .pairingFailed(let packet): packet
            case .encryptionInformation(let packet): packet
            case .centralIdentification(let packet): packet
            case .identityInformation(let packet): packet
            case .identityAddressInformation(let packet): packet
            case .signingInformation(let packet): packet
            case .securityRequest(let packet): packet
            case .pairingPublicKey(let packet): packet
            case .pairingDHKeyCheck(let packet): packet
            case .keypressNotification(let packet): packet
            }
        }

        /// Its code.
        public var opcode: Opcode { type(of: packet).opcode }

        /// All octets, code included.
        public func pdu() throws(WireError) -> [UInt8] { try packet.pdu() }
    }

    /// The name and fields of any PDU, for traces: `{"code": "Pairing Failed", "reason": "busy"}`.
    ///
    /// Never fails: what cannot be decoded is shown as an `error` beside the `octets`.
    public static func dissect(_ pdu: [UInt8]) -> FieldValue {
        guard let first = pdu.first else { return ["error": "empty"] }
        let code = FieldValue.Member("code", .text(Opcode(rawValue: first).description))
        do {
            guard case .object(let fields) = try Command(pdu: pdu).packet.dissected() else { return .object([code]) }
            return .object([code] + fields)
        } catch {
            return .object([
                code, FieldValue.Member("error", .text(error.description)),
                FieldValue.Member("octets", .bytes(Array(pdu.dropFirst()))),
            ])
        }
    }
}
