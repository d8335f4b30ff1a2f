// SPDX-License-Identifier: Apache-2.0
// The names are those of the framework of Apple.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The domain of ``CBATTError``.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// What a peer answers in place of what was asked. Core 5.4, Vol 3, Part F, 3.4.1.1.
///
/// Every octet is a ``Code``, with a name or without. A number that is no octet keeps it in `errorCode`, and ``code`` is
/// `unlikelyError`.
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

    /// What went wrong; `unlikelyError` for a number that is no octet.
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
        /// The numbers without a name: as on Apple's systems, every octet is a code. From 0x80 on they are the
        /// application's, from 0xE0 on those of profiles. Core 5.4, Vol 3, Part F, 3.4.1.1.
        case _12, _13, _14, _15, _16, _17, _18, _19, _1A, _1B, _1C, _1D, _1E, _1F, _20, _21, _22, _23, _24, _25, _26,
            _27, _28, _29, _2A, _2B, _2C, _2D, _2E, _2F, _30, _31, _32, _33, _34, _35, _36, _37, _38, _39, _3A, _3B,
            _3C, _3D, _3E, _3F, _40, _41, _42, _43, _44, _45, _46, _47, _48, _49, _4A, _4B, _4C, _4D, _4E, _4F, _50,
            _51, _52, _53, _54, _55, _56, _57, _58, _59, _5A, _5B, _5C, _5D, _5E, _5F, _60, _61, _62, _63, _64, _65,
            _66, _67, _68, _69, _6A, _6B, _6C, _6D, _6E, _6F, _70, _71, _72, _73, _74, _75, _76, _77, _78, _79, _7A,
            _7B, _7C, _7D, _7E, _7F, _80, _81, _82, _83, _84, _85, _86, _87, _88, _89, _8A, _8B, _8C, _8D, _8E, _8F,
            _90, _91, _92, _93, _94, _95, _96, _97, _98, _99, _9A, _9B, _9C, _9D, _9E, _9F, _A0, _A1, _A2, _A3, _A4,
            _A5, _A6, _A7, _A8, _A9, _AA, _AB, _AC, _AD, _AE, _AF, _B0, _B1, _B2, _B3, _B4, _B5, _B6, _B7, _B8, _B9,
            _BA, _BB, _BC, _BD, _BE, _BF, _C0, _C1, _C2, _C3, _C4, _C5, _C6, _C7, _C8, _C9, _CA, _CB, _CC, _CD, _CE,
            _CF, _D0, _D1, _D2, _D3, _D4, _D5, _D6, _D7, _D8, _D9, _DA, _DB, _DC, _DD, _DE, _DF, _E0, _E1, _E2, _E3,
            _E4, _E5, _E6, _E7, _E8, _E9, _EA, _EB, _EC, _ED, _EE, _EF, _F0, _F1, _F2, _F3, _F4, _F5, _F6, _F7, _F8,
            _F9, _FA, _FB, _FC, _FD, _FE, _FF

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
            default: "Unknown ATT error."
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
