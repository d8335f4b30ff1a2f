// SPDX-License-Identifier: Apache-2.0

/// Words for error codes.
enum ErrorText {
    /// An ATT error code. Core 5.4, Vol 3, Part F, 3.4.1.1, and the Core Specification Supplement, Part B.
    static func attribute(_ code: UInt8) -> String {
        switch code {
        case 0x01: "invalid handle"
        case 0x02: "read not permitted"
        case 0x03: "write not permitted"
        case 0x04: "invalid PDU"
        case 0x05: "insufficient authentication"
        case 0x06: "request not supported"
        case 0x07: "invalid offset"
        case 0x08: "insufficient authorization"
        case 0x09: "prepare queue full"
        case 0x0A: "attribute not found"
        case 0x0B: "attribute not long"
        case 0x0C: "encryption key too short"
        case 0x0D: "invalid attribute value length"
        case 0x0E: "unlikely error"
        case 0x0F: "insufficient encryption"
        case 0x10: "unsupported group type"
        case 0x11: "insufficient resources"
        case 0x12: "database out of sync"
        case 0x13: "value not allowed"
        case 0x80...0x9F: "application error"
        case 0xFC: "write request rejected"
        case 0xFD: "client characteristic configuration improperly configured"
        case 0xFE: "procedure already in progress"
        case 0xFF: "out of range"
        default: "unknown error"
        }
    }

    /// An HCI error code that a link or an adapter meets. Core 5.4, Vol 1, Part F, 1.3.
    static func controller(_ code: UInt8) -> String {
        switch code {
        case 0x01: "unknown command"
        case 0x02: "unknown connection"
        case 0x03: "hardware failure"
        case 0x05: "authentication failure"
        case 0x06: "PIN or key missing"
        case 0x07: "memory exceeded"
        case 0x08: "connection timeout, the peer fell silent"
        case 0x09: "connection limit exceeded"
        case 0x0B: "connection already exists"
        case 0x0C: "command disallowed"
        case 0x0D: "rejected, limited resources"
        case 0x11: "unsupported feature or parameter"
        case 0x12: "invalid parameters"
        case 0x13: "the peer ended the connection"
        case 0x14: "the peer ended the connection, low resources"
        case 0x15: "the peer ended the connection, power off"
        case 0x16: "ended by this side"
        case 0x1A: "unsupported remote feature"
        case 0x1F: "unspecified error"
        case 0x22: "link layer response timeout"
        case 0x28: "instant passed"
        case 0x3A: "controller busy"
        case 0x3B: "unacceptable connection parameters"
        case 0x3C: "advertising timeout"
        case 0x3D: "message integrity failure"
        case 0x3E: "connection could not be established"
        default: "controller error"
        }
    }

    /// A code of ours.
    static func code(_ code: BluetoothError.Code) -> String {
        switch code {
        case .noAdapter: "no such adapter"
        case .poweredOff: "Bluetooth is off"
        case .unauthorized: "no permission"
        case .adapterBusy: "the adapter is in use"
        case .adapterFailed: "the adapter failed"
        case .unsupported: "not supported"
        case .invalidArgument: "invalid argument"
        case .notFound: "not found"
        case .timedOut: "timed out"
        case .cancelled: "cancelled"
        case .disconnected: "disconnected"
        case .connectionFailed: "connection failed"
        case .refused: "refused"
        case .insufficientSecurity: "insufficient security"
        case .invalidResponse: "the peer broke the protocol"
        case .queueFull: "queue full"
        case .staleAttribute: "the attribute is from an earlier connection or database"
        case .badData: "bad data"
        case .wrongState: "not possible in the present state"
        default: code.description
        }
    }
}
