// SPDX-License-Identifier: Apache-2.0
// The names are those of the framework of Apple.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The domain of ``CBATTError``.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// What a peer answers in place of what was asked. Core 5.4, Vol 3, Part F, 3.4.1.1.
///
/// A number that has no case keeps it in `errorCode`, and ``code`` is `unlikelyError`.
public struct CBATTError: CustomNSError, Hashable, _BridgedStoredNSError {
    /// The error as Foundation knows it.
    public let _nsError: NSError
    /// Wraps an error of this domain.
    public init(_nsError error: NSError) { _nsError = error }
    /// The domain.
    public static var _nsErrorDomain: String { CBATTErrorDomain }
    /// The domain.
    public static var errorDomain: String { CBATTErrorDomain }

    /// The error with a code, and what else is known of it.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.init(number: code.rawValue, userInfo: userInfo)
    }

    /// The error with a number that may lack a case.
    init(number: Int, userInfo: [String: Any] = [:]) {
        var userInfo = userInfo
        if userInfo[NSLocalizedDescriptionKey] == nil {
            userInfo[NSLocalizedDescriptionKey] = Code(rawValue: number)?.text ?? "Unknown ATT error."
        }
        _nsError = NSError(domain: CBATTErrorDomain, code: number, userInfo: userInfo)
    }

    /// What went wrong; `unlikelyError` for a number without a case.
    public var code: Code { Code(rawValue: _nsError.code) ?? .unlikelyError }
    /// The number of the code.
    public var errorCode: Int { _nsError.code }
    /// What else is known.
    public var userInfo: [String: Any] { _nsError.userInfo }
    /// What else is known.
    public var errorUserInfo: [String: Any] { _nsError.userInfo }
    /// A sentence for people.
    public var localizedDescription: String { _nsError.localizedDescription }

    /// Equal when domain, number and everything else that is known are.
    public static func == (a: Self, b: Self) -> Bool { a._nsError == b._nsError }
    /// Hashes what makes errors equal.
    public func hash(into hasher: inout Hasher) { hasher.combine(_nsError) }

    /// What went wrong.
    public enum Code: Int, _ErrorCodeProtocol, Sendable {
        /// The error that these are the codes of.
        public typealias _ErrorType = CBATTError
        /// No error.
        case success = 0x00
        /// There is no such attribute.
        case invalidHandle = 0x01
        /// It cannot be read.
        case readNotPermitted = 0x02
        /// It cannot be written.
        case writeNotPermitted = 0x03
        /// The request makes no sense.
        case invalidPdu = 0x04
        /// The peer has to be authenticated first.
        case insufficientAuthentication = 0x05
        /// The peer does not know the request.
        case requestNotSupported = 0x06
        /// The offset is behind the end of the value.
        case invalidOffset = 0x07
        /// The application refuses.
        case insufficientAuthorization = 0x08
        /// Too many prepared writes wait.
        case prepareQueueFull = 0x09
        /// Nothing was found.
        case attributeNotFound = 0x0A
        /// The value cannot be read in parts.
        case attributeNotLong = 0x0B
        /// The key is too short.
        case insufficientEncryptionKeySize = 0x0C
        /// The value has a wrong length.
        case invalidAttributeValueLength = 0x0D
        /// Something unlikely happened.
        case unlikelyError = 0x0E
        /// The link has to be encrypted first.
        case insufficientEncryption = 0x0F
        /// This type has no groups.
        case unsupportedGroupType = 0x10
        /// The peer lacks resources.
        case insufficientResources = 0x11

        /// The sentence that goes with it.
        var text: String {
            switch self {
            case .success: "No error."
            case .invalidHandle: "There is no such attribute."
            case .readNotPermitted: "It cannot be read."
            case .writeNotPermitted: "It cannot be written."
            case .invalidPdu: "The request makes no sense."
            case .insufficientAuthentication: "The peer has to be authenticated first."
            case .requestNotSupported: "The peer does not know the request."
            case .invalidOffset: "The offset is behind the end of the value."
            case .insufficientAuthorization: "The application refuses."
            case .prepareQueueFull: "Too many prepared writes wait."
            case .attributeNotFound: "Nothing was found."
            case .attributeNotLong: "The value cannot be read in parts."
            case .insufficientEncryptionKeySize: "The key is too short."
            case .invalidAttributeValueLength: "The value has a wrong length."
            case .unlikelyError: "Something unlikely happened."
            case .insufficientEncryption: "The link has to be encrypted first."
            case .unsupportedGroupType: "This type has no groups."
            case .insufficientResources: "The peer lacks resources."
            }
        }
    }
}

extension CBATTError {
    /// No error.
    public static var success: Code { .success }
    /// There is no such attribute.
    public static var invalidHandle: Code { .invalidHandle }
    /// It cannot be read.
    public static var readNotPermitted: Code { .readNotPermitted }
    /// It cannot be written.
    public static var writeNotPermitted: Code { .writeNotPermitted }
    /// The request makes no sense.
    public static var invalidPdu: Code { .invalidPdu }
    /// The peer has to be authenticated first.
    public static var insufficientAuthentication: Code { .insufficientAuthentication }
    /// The peer does not know the request.
    public static var requestNotSupported: Code { .requestNotSupported }
    /// The offset is behind the end of the value.
    public static var invalidOffset: Code { .invalidOffset }
    /// The application refuses.
    public static var insufficientAuthorization: Code { .insufficientAuthorization }
    /// Too many prepared writes wait.
    public static var prepareQueueFull: Code { .prepareQueueFull }
    /// Nothing was found.
    public static var attributeNotFound: Code { .attributeNotFound }
    /// The value cannot be read in parts.
    public static var attributeNotLong: Code { .attributeNotLong }
    /// The key is too short.
    public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
    /// The value has a wrong length.
    public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
    /// Something unlikely happened.
    public static var unlikelyError: Code { .unlikelyError }
    /// The link has to be encrypted first.
    public static var insufficientEncryption: Code { .insufficientEncryption }
    /// This type has no groups.
    public static var unsupportedGroupType: Code { .unsupportedGroupType }
    /// The peer lacks resources.
    public static var insufficientResources: Code { .insufficientResources }
}
