// SPDX-License-Identifier: Apache-2.0

extension SMP.Opcode: CustomStringConvertible {
    /// The specification's name, or `code 0x0F`.
    public var description: String {
        switch self {
        case .pairingRequest: "Pairing Request"
        case .pairingResponse: "Pairing Response"
        case .pairingConfirm: "Pairing Confirm"
        case .pairingRandom: "Pairing Random"
        case .pairingFailed: "Pairing Failed"
        case .encryptionInformation: "Encryption Information"
        case .centralIdentification: "Central Identification"
        case .identityInformation: "Identity Information"
        case .identityAddressInformation: "Identity Address Information"
        case .signingInformation: "Signing Information"
        case .securityRequest: "Security Request"
        case .pairingPublicKey: "Pairing Public Key"
        case .pairingDHKeyCheck: "Pairing DHKey Check"
        case .keypressNotification: "Pairing Keypress Notification"
        default: "code 0x" + Hex.encode([rawValue])
        }
    }
}

extension SMP.FailureReason: CustomStringConvertible {
    /// The specification's name in lower case, or `reason 0x20`.
    public var description: String {
        switch self {
        case .passkeyEntryFailed: "passkey entry failed"
        case .outOfBandNotAvailable: "OOB not available"
        case .authenticationRequirements: "authentication requirements"
        case .confirmValueFailed: "confirm value failed"
        case .pairingNotSupported: "pairing not supported"
        case .encryptionKeySize: "encryption key size"
        case .commandNotSupported: "command not supported"
        case .unspecifiedReason: "unspecified reason"
        case .repeatedAttempts: "repeated attempts"
        case .invalidParameters: "invalid parameters"
        case .dhKeyCheckFailed: "DHKey check failed"
        case .numericComparisonFailed: "numeric comparison failed"
        case .brEDRPairingInProgress: "BR/EDR pairing in progress"
        case .crossTransportKeyNotAllowed: "cross-transport key derivation not allowed"
        case .keyRejected: "key rejected"
        case .busy: "busy"
        default: "reason 0x" + Hex.encode([rawValue])
        }
    }
}

extension SMP.IOCapability: CustomStringConvertible {
    /// The specification's name, or `capability 0x05`.
    public var description: String {
        switch self {
        case .displayOnly: "DisplayOnly"
        case .displayYesNo: "DisplayYesNo"
        case .keyboardOnly: "KeyboardOnly"
        case .noInputNoOutput: "NoInputNoOutput"
        case .keyboardDisplay: "KeyboardDisplay"
        default: "capability 0x" + Hex.encode([rawValue])
        }
    }
}

extension SMP.OutOfBandFlag: CustomStringConvertible {
    /// `not present`, `present`, or `flag 0x02`.
    public var description: String {
        switch self {
        case .notPresent: "not present"
        case .present: "present"
        default: "flag 0x" + Hex.encode([rawValue])
        }
    }
}

extension SMP.KeypressKind: CustomStringConvertible {
    /// What happened, or `kind 0x05`.
    public var description: String {
        switch self {
        case .started: "passkey entry started"
        case .digitEntered: "passkey digit entered"
        case .digitErased: "passkey digit erased"
        case .cleared: "passkey cleared"
        case .completed: "passkey entry completed"
        default: "kind 0x" + Hex.encode([rawValue])
        }
    }
}
