// SPDX-License-Identifier: Apache-2.0

extension L2CAP {
    /// The kind of a signaling command. Vol 3, Part A, 4, Table 4.2.
    public struct SignalingCode: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Command Reject Response (0x01).
        public static let commandReject = Self(rawValue: 0x01)
        /// Disconnection Request (0x06).
        public static let disconnectionRequest = Self(rawValue: 0x06)
        /// Disconnection Response (0x07).
        public static let disconnectionResponse = Self(rawValue: 0x07)
        /// Connection Parameter Update Request (0x12).
        public static let connectionParameterUpdateRequest = Self(rawValue: 0x12)
        /// Connection Parameter Update Response (0x13).
        public static let connectionParameterUpdateResponse = Self(rawValue: 0x13)
        /// LE Credit Based Connection Request (0x14).
        public static let leCreditBasedConnectionRequest = Self(rawValue: 0x14)
        /// LE Credit Based Connection Response (0x15).
        public static let leCreditBasedConnectionResponse = Self(rawValue: 0x15)
        /// Flow Control Credit Indication (0x16).
        public static let flowControlCredit = Self(rawValue: 0x16)
        /// Credit Based Connection Request (0x17).
        public static let creditBasedConnectionRequest = Self(rawValue: 0x17)
        /// Credit Based Connection Response (0x18).
        public static let creditBasedConnectionResponse = Self(rawValue: 0x18)
        /// Credit Based Reconfigure Request (0x19).
        public static let reconfigureRequest = Self(rawValue: 0x19)
        /// Credit Based Reconfigure Response (0x1A).
        public static let reconfigureResponse = Self(rawValue: 0x1A)

        /// True when the command answers one: such a command must never be answered by a Command Reject.
        ///
        /// Known responses of BR/EDR count too (0x03, 0x05, 0x09, 0x0B, 0x0D, 0x0F, 0x11).
        public var isResponse: Bool {
            switch rawValue {
            case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x15, 0x18, 0x1A: true
            default: false
            }
        }
    }

    /// The four octets in front of every signaling command. Vol 3, Part A, 4.
    public struct SignalingHeader: WirePacket, Hashable {
        /// Octets of the header itself.
        public static let byteCount = 4

        /// The kind of command.
        public var code = SignalingCode(rawValue: 0)
        /// Matches a response to its request; 0 is illegal.
        public var identifier: UInt8 = 0
        /// Octets that follow the header.
        public var length: UInt16 = 0

        /// A header of zeros.
        @inlinable
        public init() {}

        /// A header for `length` octets of data.
        @inlinable
        public init(code: SignalingCode, identifier: UInt8, length: UInt16) {
            self.code = code
            self.identifier = identifier
            self.length = length
        }

        /// Lists the fields in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("code", &code)
            try v.field("identifier", &identifier)
            try v.field("data length", &length)
        }
    }

    /// One command of the LE signaling channel with its identifier. Vol 3, Part A, 4.
    ///
    /// An LE frame carries exactly one command; anything behind it throws `.trailing`.
    /// ```swift
    /// let command = try L2CAP.SignalingCommand(decoding: payload)
    /// if case .connectionParameterUpdateRequest(let request) = command.body { … }
    /// ```
    public struct SignalingCommand: Hashable, Sendable {
        /// What is asked, answered or told.
        public enum Body: Hashable, Sendable {
            /// The peer did not accept a command.
            case commandReject(CommandReject)
            /// Close a channel.
            case disconnectionRequest(DisconnectionRequest)
            /// The channel is closed.
            case disconnectionResponse(DisconnectionResponse)
            /// A peripheral asks for other connection parameters.
            case connectionParameterUpdateRequest(ConnectionParameterUpdateRequest)
            /// The central's answer.
            case connectionParameterUpdateResponse(ConnectionParameterUpdateResponse)
            /// Open one channel.
            case leCreditBasedConnectionRequest(LECreditBasedConnectionRequest)
            /// The answer to it.
            case leCreditBasedConnectionResponse(LECreditBasedConnectionResponse)
            /// More credits for a channel.
            case flowControlCredit(FlowControlCredit)
            /// Open up to five channels.
            case creditBasedConnectionRequest(CreditBasedConnectionRequest)
            /// The answer to it.
            case creditBasedConnectionResponse(CreditBasedConnectionResponse)
            /// Change MTU and MPS.
            case reconfigureRequest(ReconfigureRequest)
            /// The answer to it.
            case reconfigureResponse(ReconfigureResponse)
            /// A command that this version does not know, with its data.
            case unknown(SignalingCode, [UInt8])
        }

        /// Matches a response to its request; 0 is illegal and to be ignored.
        public var identifier: UInt8
        /// The command itself.
        public var body: Body

        /// A command to be sent.
        public init(identifier: UInt8, _ body: Body) {
            self.identifier = identifier
            self.body = body
        }

        /// Decodes the information payload of a frame on the signaling channel.
        ///
        /// - Throws: ``WireError`` with the offset counted from the start of `span`. The header can still be read on its
        ///   own to answer with a Command Reject.
        public init(decoding span: RawSpan) throws(WireError) {
            let header = try SignalingHeader(decodingPrefixOf: span)
            let start = SignalingHeader.byteCount
            let end = start + Int(header.length)
            guard end <= span.byteCount else { throw WireError(offset: 2, reason: .truncated) }
            guard end == span.byteCount else { throw WireError(offset: end, reason: .trailing) }
            identifier = header.identifier
            do {
                body = try Self.decode(header.code, span.extracting(start..<end))
            } catch {
                throw error.shifted(by: start)
            }
        }

        /// Decodes the information payload of a frame on the signaling channel.
        public init(decoding bytes: [UInt8]) throws(WireError) { try self.init(decoding: bytes.span.bytes) }

        /// The kind of command.
        public var code: SignalingCode {
            switch body {
            case .commandReject: .commandReject
            case .disconnectionRequest: .disconnectionRequest
            case .disconnectionResponse: .disconnectionResponse
            case .connectionParameterUpdateRequest: .connectionParameterUpdateRequest
            case .connectionParameterUpdateResponse: .connectionParameterUpdateResponse
            case .leCreditBasedConnectionRequest: .leCreditBasedConnectionRequest
            case .leCreditBasedConnectionResponse: .leCreditBasedConnectionResponse
            case .flowControlCredit: .flowControlCredit
            case .creditBasedConnectionRequest: .creditBasedConnectionRequest
            case .creditBasedConnectionResponse: .creditBasedConnectionResponse
            case .reconfigureRequest: .reconfigureRequest
            case .reconfigureResponse: .reconfigureResponse
            case .unknown(let code, _): code
            }
        }

        /// Header and data, ready to be the payload of a frame on the signaling channel.
        ///
        /// - Throws: `.tooLong` when the data does not fit the length field.
        public func encoded() throws(WireError) -> [UInt8] {
            let data = try encodedData()
            guard let length = UInt16(exactly: data.count) else { throw WireError(offset: 2, reason: .tooLong) }
            return try SignalingHeader(code: code, identifier: identifier, length: length).encoded() + data
        }

        /// Name, identifier and fields, for people.
        public func dissected() -> FieldValue {
            let (name, fields): (String, FieldValue) =
                switch body {
                case .commandReject(let packet): ("commandReject", packet.dissected())
                case .disconnectionRequest(let packet): ("disconnectionRequest", packet.dissected())
                case .disconnectionResponse(let packet): ("disconnectionResponse", packet.dissected())
                case .connectionParameterUpdateRequest(let packet):
                    ("connectionParameterUpdateRequest", packet.dissected())
                case .connectionParameterUpdateResponse(let packet):
                    ("connectionParameterUpdateResponse", packet.dissected())
                case .leCreditBasedConnectionRequest(let packet):
                    ("leCreditBasedConnectionRequest", packet.dissected())
                case .leCreditBasedConnectionResponse(let packet):
                    ("leCreditBasedConnectionResponse", packet.dissected())
                case .flowControlCredit(let packet): ("flowControlCredit", packet.dissected())
                case .creditBasedConnectionRequest(let packet): ("creditBasedConnectionRequest", packet.dissected())
                case .creditBasedConnectionResponse(let packet): ("creditBasedConnectionResponse", packet.dissected())
                case .reconfigureRequest(let packet): ("reconfigureRequest", packet.dissected())
                case .reconfigureResponse(let packet): ("reconfigureResponse", packet.dissected())
                case .unknown(let code, let data):
                    ("unknown", ["code": FieldValue(integer: code.rawValue), "data": .bytes(data)])
                }
            return ["command": .text(name), "identifier": FieldValue(integer: identifier), "fields": fields]
        }

        // MARK: - private

        private static func decode(_ code: SignalingCode, _ data: RawSpan) throws(WireError) -> Body {
            switch code {
            case .commandReject: .commandReject(try CommandReject(decoding: data))
            case .disconnectionRequest: .disconnectionRequest(try DisconnectionRequest(decoding: data))
            case .disconnectionResponse: .disconnectionResponse(try DisconnectionResponse(decoding: data))
            case .connectionParameterUpdateRequest:
                .connectionParameterUpdateRequest(try ConnectionParameterUpdateRequest(decoding: data))
            case .connectionParameterUpdateResponse:
                .connectionParameterUpdateResponse(try ConnectionParameterUpdateResponse(decoding: data))
            case .leCreditBasedConnectionRequest:
                .leCreditBasedConnectionRequest(try LECreditBasedConnectionRequest(decoding: data))
            case .leCreditBasedConnectionResponse:
                .leCreditBasedConnectionResponse(try LECreditBasedConnectionResponse(decoding: data))
            case .flowControlCredit: .flowControlCredit(try FlowControlCredit(decoding: data))
            case .creditBasedConnectionRequest:
                .creditBasedConnectionRequest(try CreditBasedConnectionRequest(decoding: data))
            case .creditBasedConnectionResponse:
                .creditBasedConnectionResponse(try CreditBasedConnectionResponse(decoding: data))
            case .reconfigureRequest: .reconfigureRequest(try ReconfigureRequest(decoding: data))
            case .reconfigureResponse: .reconfigureResponse(try ReconfigureResponse(decoding: data))
            default: .unknown(code, data.array)
            }
        }

        private func encodedData() throws(WireError) -> [UInt8] {
            switch body {
            case .commandReject(let packet): try packet.encoded()
            case .disconnectionRequest(let packet): try packet.encoded()
            case .disconnectionResponse(let packet): try packet.encoded()
            case .connectionParameterUpdateRequest(let packet): try packet.encoded()
            case .connectionParameterUpdateResponse(let packet): try packet.encoded()
            case .leCreditBasedConnectionRequest(let packet): try packet.encoded()
            case .leCreditBasedConnectionResponse(let packet): try packet.encoded()
            case .flowControlCredit(let packet): try packet.encoded()
            case .creditBasedConnectionRequest(let packet): try packet.encoded()
            case .creditBasedConnectionResponse(let packet): try packet.encoded()
            case .reconfigureRequest(let packet): try packet.encoded()
            case .reconfigureResponse(let packet): try packet.encoded()
            case .unknown(_, let data): data
            }
        }
    }
}
