// SPDX-License-Identifier: Apache-2.0

/// The Attribute Protocol. Core 5.4, Vol 3, Part F.
///
/// Every PDU is a nested type that conforms to ``ATT/PDU``:
/// ```swift
/// var request = ATT.ReadBlobRequest()
/// request.handle = 0x0003
/// request.offset = 22
/// let octets = try request.pdu()                       // 0c 03 00 16 00
/// let same = try ATT.ReadBlobRequest(pdu: octets)
/// ```
public enum ATT {
    /// The MTU of a bearer before any exchange, and the least one allowed, in octets. Vol 3, Part F, 3.2.8.
    public static let defaultMTU = 23
    /// The largest MTU that serves any purpose: a value of 512 octets in a Prepare Write, in octets.
    public static let maximumMTU = 517
    /// The longest attribute value, in octets. Vol 3, Part F, 3.2.9.
    public static let maximumValueLength = 512
    /// The fixed L2CAP channel of the unenhanced bearer on LE. Vol 3, Part A, 2.1.
    public static let channel: UInt16 = 0x0004
    /// Seconds after which a transaction without an answer has failed. Vol 3, Part F, 3.3.3.
    public static let transactionTimeout: Duration = .seconds(30)
}

extension ATT {
    /// A packet of the Attribute Protocol; `visit` lists what follows the opcode.
    public protocol PDU: WirePacket, Hashable {
        /// The first octet on the wire.
        static var opcode: Opcode { get }
    }
}

extension ATT.PDU {
    /// Decodes a whole PDU, opcode included. Offsets in errors count from the opcode.
    ///
    /// - Throws: ``WireError``: `.invalid("opcode")` when the first octet is another packet's, and whatever is wrong behind it.
    @inlinable
    public init(pdu: RawSpan) throws(WireError) {
        guard pdu.byteCount > 0 else { throw WireError(offset: 0, reason: .truncated) }
        guard pdu[0] == Self.opcode.rawValue else { throw .invalid("opcode", at: 0) }
        do {
            try self.init(decoding: pdu.extracting(1..<pdu.byteCount))
        } catch {
            throw error.shifted(by: 1)
        }
    }

    /// Decodes a whole PDU, opcode included. Offsets in errors count from the opcode.
    @inlinable
    public init(pdu: [UInt8]) throws(WireError) {
        try self.init(pdu: pdu.span.bytes)
    }

    /// All octets, opcode included.
    @inlinable
    public func pdu() throws(WireError) -> [UInt8] {
        var bytes = [Self.opcode.rawValue]
        try encode(into: &bytes)
        return bytes
    }
}

extension ATT {
    /// The name and fields of any PDU, for traces: `{"opcode": "Read Request", "attribute handle": 3}`.
    ///
    /// Never fails: what cannot be decoded is shown as an `error` beside the `octets`.
    public static func dissect(_ pdu: [UInt8]) -> FieldValue {
        guard let first = pdu.first else { return ["error": "empty"] }
        let opcode = Opcode(rawValue: first)
        guard let type = type(of: opcode) else {
            return ["opcode": .text(opcode.description), "octets": .bytes(Array(pdu.dropFirst()))]
        }
        do {
            let packet = try type.init(pdu: pdu)
            guard case .object(let fields) = packet.dissected() else { return ["opcode": .text(opcode.description)] }
            return .object([FieldValue.Member("opcode", .text(opcode.description))] + fields + items(of: packet))
        } catch {
            return [
                "opcode": .text(opcode.description), "error": .text(error.description),
                "octets": .bytes(Array(pdu.dropFirst())),
            ]
        }
    }

    /// The items of a list whose lengths stand in front of it.
    private static func items(of packet: any PDU) -> [FieldValue.Member] {
        switch packet {
        case let packet as ReadByTypeResponse:
            let items = (0..<packet.count).map { index -> FieldValue in
                let (handle, value) = packet[index]
                return ["attribute handle": FieldValue(integer: handle), "attribute value": .bytes(Array(value))]
            }
            return [FieldValue.Member("attributes", .list(items))]
        case let packet as ReadByGroupTypeResponse:
            let items = (0..<packet.count).map { index -> FieldValue in
                let (start, end, value) = packet[index]
                return [
                    "attribute handle": FieldValue(integer: start), "group end handle": FieldValue(integer: end),
                    "attribute value": .bytes(Array(value)),
                ]
            }
            return [FieldValue.Member("attributes", .list(items))]
        default: return []
        }
    }

    /// The packet type that an opcode stands for; nil for reserved opcodes.
    public static func type(of opcode: Opcode) -> (any PDU.Type)? {
        switch opcode {
        case .errorResponse: ErrorResponse.self
        case .exchangeMTURequest: ExchangeMTURequest.self
        case .exchangeMTUResponse: ExchangeMTUResponse.self
        case .findInformationRequest: FindInformationRequest.self
        case .findInformationResponse: FindInformationResponse.self
        case .findByTypeValueRequest: FindByTypeValueRequest.self
        case .findByTypeValueResponse: FindByTypeValueResponse.self
        case .readByTypeRequest: ReadByTypeRequest.self
        case .readByTypeResponse: ReadByTypeResponse.self
        case .readRequest: ReadRequest.self
        case .readResponse: ReadResponse.self
        case .readBlobRequest: ReadBlobRequest.self
        case .readBlobResponse: ReadBlobResponse.self
        case .readMultipleRequest: ReadMultipleRequest.self
        case .readMultipleResponse: ReadMultipleResponse.self
        case .readByGroupTypeRequest: ReadByGroupTypeRequest.self
        case .readByGroupTypeResponse: ReadByGroupTypeResponse.self
        case .writeRequest: WriteRequest.self
        case .writeResponse: WriteResponse.self
        case .prepareWriteRequest: PrepareWriteRequest.self
        case .prepareWriteResponse: PrepareWriteResponse.self
        case .executeWriteRequest: ExecuteWriteRequest.self
        case .executeWriteResponse: ExecuteWriteResponse.self
        case .handleValueNotification: HandleValueNotification.self
        case .handleValueIndication: HandleValueIndication.self
        case .handleValueConfirmation: HandleValueConfirmation.self
        case .readMultipleVariableRequest: ReadMultipleVariableRequest.self
        case .readMultipleVariableResponse: ReadMultipleVariableResponse.self
        case .multipleHandleValueNotification: MultipleHandleValueNotification.self
        case .writeCommand: WriteCommand.self
        case .signedWriteCommand: SignedWriteCommand.self
        default: nil
        }
    }
}
