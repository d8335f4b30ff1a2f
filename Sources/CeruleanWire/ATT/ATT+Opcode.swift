// SPDX-License-Identifier: Apache-2.0

extension ATT {
    /// The first octet of a PDU. Core 5.4, Vol 3, Part F, 3.3.1 and 3.4.8.
    public struct Opcode: RawRepresentable, Hashable, Sendable {
        /// The octet: signature flag, command flag and six bits of method.
        public let rawValue: UInt8

        /// Wraps an octet.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Error Response (0x01).
        @inlinable public static var errorResponse: Self { Self(rawValue: 0x01) }
        /// Exchange MTU Request (0x02).
        @inlinable public static var exchangeMTURequest: Self { Self(rawValue: 0x02) }
        /// Exchange MTU Response (0x03).
        @inlinable public static var exchangeMTUResponse: Self { Self(rawValue: 0x03) }
        /// Find Information Request (0x04).
        @inlinable public static var findInformationRequest: Self { Self(rawValue: 0x04) }
        /// Find Information Response (0x05).
        @inlinable public static var findInformationResponse: Self { Self(rawValue: 0x05) }
        /// Find By Type Value Request (0x06).
        @inlinable public static var findByTypeValueRequest: Self { Self(rawValue: 0x06) }
        /// Find By Type Value Response (0x07).
        @inlinable public static var findByTypeValueResponse: Self { Self(rawValue: 0x07) }
        /// Read By Type Request (0x08).
        @inlinable public static var readByTypeRequest: Self { Self(rawValue: 0x08) }
        /// Read By Type Response (0x09).
        @inlinable public static var readByTypeResponse: Self { Self(rawValue: 0x09) }
        /// Read Request (0x0A).
        @inlinable public static var readRequest: Self { Self(rawValue: 0x0A) }
        /// Read Response (0x0B).
        @inlinable public static var readResponse: Self { Self(rawValue: 0x0B) }
        /// Read Blob Request (0x0C).
        @inlinable public static var readBlobRequest: Self { Self(rawValue: 0x0C) }
        /// Read Blob Response (0x0D).
        @inlinable public static var readBlobResponse: Self { Self(rawValue: 0x0D) }
        /// Read Multiple Request (0x0E).
        @inlinable public static var readMultipleRequest: Self { Self(rawValue: 0x0E) }
        /// Read Multiple Response (0x0F).
        @inlinable public static var readMultipleResponse: Self { Self(rawValue: 0x0F) }
        /// Read By Group Type Request (0x10).
        @inlinable public static var readByGroupTypeRequest: Self { Self(rawValue: 0x10) }
        /// Read By Group Type Response (0x11).
        @inlinable public static var readByGroupTypeResponse: Self { Self(rawValue: 0x11) }
        /// Write Request (0x12).
        @inlinable public static var writeRequest: Self { Self(rawValue: 0x12) }
        /// Write Response (0x13).
        @inlinable public static var writeResponse: Self { Self(rawValue: 0x13) }
        /// Prepare Write Request (0x16).
        @inlinable public static var prepareWriteRequest: Self { Self(rawValue: 0x16) }
        /// Prepare Write Response (0x17).
        @inlinable public static var prepareWriteResponse: Self { Self(rawValue: 0x17) }
        /// Execute Write Request (0x18).
        @inlinable public static var executeWriteRequest: Self { Self(rawValue: 0x18) }
        /// Execute Write Response (0x19).
        @inlinable public static var executeWriteResponse: Self { Self(rawValue: 0x19) }
        /// Handle Value Notification (0x1B).
        @inlinable public static var handleValueNotification: Self { Self(rawValue: 0x1B) }
        /// Handle Value Indication (0x1D).
        @inlinable public static var handleValueIndication: Self { Self(rawValue: 0x1D) }
        /// Handle Value Confirmation (0x1E).
        @inlinable public static var handleValueConfirmation: Self { Self(rawValue: 0x1E) }
        /// Read Multiple Variable Request (0x20).
        @inlinable public static var readMultipleVariableRequest: Self { Self(rawValue: 0x20) }
        /// Read Multiple Variable Response (0x21).
        @inlinable public static var readMultipleVariableResponse: Self { Self(rawValue: 0x21) }
        /// Multiple Handle Value Notification (0x23).
        @inlinable public static var multipleHandleValueNotification: Self { Self(rawValue: 0x23) }
        /// Write Command (0x52).
        @inlinable public static var writeCommand: Self { Self(rawValue: 0x52) }
        /// Signed Write Command (0xD2).
        @inlinable public static var signedWriteCommand: Self { Self(rawValue: 0xD2) }
    }

    /// What a PDU is to the one who receives it. Core 5.4, Vol 3, Part F, 3.3.
    public enum PDUKind: Hashable, Sendable {
        /// Asks for a response; an unknown one is answered with Request Not Supported.
        case request
        /// Answers a request.
        case response
        /// Asks for nothing; an unknown one is ignored.
        case command
        /// A value from the server that asks for nothing.
        case notification
        /// A value from the server that asks for a confirmation.
        case indication
        /// Answers an indication.
        case confirmation
    }
}

extension ATT.Opcode {
    /// Set when the PDU is a command. Bit 6.
    @inlinable
    public var isCommand: Bool { rawValue & 0x40 != 0 }

    /// Set when the PDU ends in an authentication signature of 12 octets. Bit 7.
    @inlinable
    public var isSigned: Bool { rawValue & 0x80 != 0 }

    /// What the PDU is to its receiver. Of the reserved opcodes, those with the command flag are commands, others requests.
    @inlinable
    public var kind: ATT.PDUKind {
        switch self {
        case .errorResponse, .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse,
            .readByTypeResponse,
            .readResponse, .readBlobResponse, .readMultipleResponse, .readByGroupTypeResponse, .writeResponse,
            .prepareWriteResponse, .executeWriteResponse, .readMultipleVariableResponse:
            .response
        case .handleValueNotification, .multipleHandleValueNotification: .notification
        case .handleValueIndication: .indication
        case .handleValueConfirmation: .confirmation
        default: isCommand ? .command : .request
        }
    }

    /// The response that answers this request when nothing goes wrong; nil when it is no request of the specification.
    @inlinable
    public var response: ATT.Opcode? {
        switch self {
        case .exchangeMTURequest, .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readRequest,
            .readBlobRequest, .readMultipleRequest, .readByGroupTypeRequest, .writeRequest, .prepareWriteRequest,
            .executeWriteRequest, .handleValueIndication, .readMultipleVariableRequest:
            ATT.Opcode(rawValue: rawValue + 1)
        default: nil
        }
    }
}

extension ATT.Opcode: CustomStringConvertible {
    /// The specification's name, or the number for a reserved one.
    public var description: String {
        switch self {
        case .errorResponse: "Error Response"
        case .exchangeMTURequest: "Exchange MTU Request"
        case .exchangeMTUResponse: "Exchange MTU Response"
        case .findInformationRequest: "Find Information Request"
        case .findInformationResponse: "Find Information Response"
        case .findByTypeValueRequest: "Find By Type Value Request"
        case .findByTypeValueResponse: "Find By Type Value Response"
        case .readByTypeRequest: "Read By Type Request"
        case .readByTypeResponse: "Read By Type Response"
        case .readRequest: "Read Request"
        case .readResponse: "Read Response"
        case .readBlobRequest: "Read Blob Request"
        case .readBlobResponse: "Read Blob Response"
        case .readMultipleRequest: "Read Multiple Request"
        case .readMultipleResponse: "Read Multiple Response"
        case .readByGroupTypeRequest: "Read By Group Type Request"
        case .readByGroupTypeResponse: "Read By Group Type Response"
        case .writeRequest: "Write Request"
        case .writeResponse: "Write Response"
        case .prepareWriteRequest: "Prepare Write Request"
        case .prepareWriteResponse: "Prepare Write Response"
        case .executeWriteRequest: "Execute Write Request"
        case .executeWriteResponse: "Execute Write Response"
        case .handleValueNotification: "Handle Value Notification"
        case .handleValueIndication: "Handle Value Indication"
        case .handleValueConfirmation: "Handle Value Confirmation"
        case .readMultipleVariableRequest: "Read Multiple Variable Request"
        case .readMultipleVariableResponse: "Read Multiple Variable Response"
        case .multipleHandleValueNotification: "Multiple Handle Value Notification"
        case .writeCommand: "Write Command"
        case .signedWriteCommand: "Signed Write Command"
        default: "opcode 0x" + Hex.encode([rawValue])
        }
    }
}
