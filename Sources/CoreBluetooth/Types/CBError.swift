// SPDX-License-Identifier: Apache-2.0
// The names are those of the framework of Apple.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The domain of ``CBError``.
public let CBErrorDomain = "CBErrorDomain"

/// What goes wrong with managers, peripherals and links.
///
/// A number that has no case keeps it in `errorCode`, and ``code`` is `unknown`.
public struct CBError: CustomNSError, Hashable, _BridgedStoredNSError {
    /// The error as Foundation knows it.
    public let _nsError: NSError
    /// Wraps an error of this domain.
    public init(_nsError error: NSError) { _nsError = error }
    /// The domain.
    public static var _nsErrorDomain: String { CBErrorDomain }
    /// The domain.
    public static var errorDomain: String { CBErrorDomain }

    /// The error with a code, and what else is known of it.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.init(number: code.rawValue, userInfo: userInfo)
    }

    /// The error with a number that may lack a case.
    init(number: Int, userInfo: [String: Any] = [:]) {
        var userInfo = userInfo
        if userInfo[NSLocalizedDescriptionKey] == nil {
            userInfo[NSLocalizedDescriptionKey] = Code(rawValue: number)?.text ?? "Unknown error."
        }
        _nsError = NSError(domain: CBErrorDomain, code: number, userInfo: userInfo)
    }

    /// What went wrong; `unknown` for a number without a case.
    public var code: Code { Code(rawValue: _nsError.code) ?? .unknown }
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
        public typealias _ErrorType = CBError
        /// Nothing more is known.
        case unknown = 0
        /// An argument makes no sense.
        case invalidParameters = 1
        /// There is no such attribute.
        case invalidHandle = 2
        /// The peripheral is not connected.
        case notConnected = 3
        /// There is no room left.
        case outOfSpace = 4
        /// The operation was cancelled.
        case operationCancelled = 5
        /// The link fell silent.
        case connectionTimeout = 6
        /// The peer ended the link.
        case peripheralDisconnected = 7
        /// The system keeps this UUID for itself.
        case uuidNotAllowed = 8
        /// The manager advertises already.
        case alreadyAdvertising = 9
        /// The link could not be made.
        case connectionFailed = 10
        /// There are too many links.
        case connectionLimitReached = 11
        /// There is no such device.
        case unknownDevice = 12
        /// This system cannot do it.
        case operationNotSupported = 13
        /// The peer has forgotten its keys.
        case peerRemovedPairingInformation = 14
        /// The link was not encrypted in time.
        case encryptionTimedOut = 15
        /// There is no room for another bond.
        case tooManyLEPairedDevices = 16
        /// Too many notifications in the background. On watchOS alone.
        case leGattExceededBackgroundNotificationLimit = 17
        /// Nearly too many notifications in the background. On watchOS alone.
        case leGattNearBackgroundNotificationLimit = 18
        /// Channel sounding could not be set up. On iOS alone.
        case channelSoundingConfigurationFailed = 19
        /// Channel sounding failed. On iOS alone.
        case channelSoundingProcedureFailed = 20

        /// The misspelled name of ``unknownDevice``.
        @available(*, deprecated, renamed: "unknownDevice")
        public static var unkownDevice: Self { .unknownDevice }

        /// The sentence that goes with it.
        var text: String {
            switch self {
            case .unknown: "Unknown error."
            case .invalidParameters: "One or more parameters were invalid."
            case .invalidHandle: "There is no such attribute."
            case .notConnected: "The peripheral is not connected."
            case .outOfSpace: "There is no room left."
            case .operationCancelled: "The operation was cancelled."
            case .connectionTimeout: "The connection has timed out unexpectedly."
            case .peripheralDisconnected: "The specified device has disconnected from us."
            case .uuidNotAllowed: "The system keeps this UUID for itself."
            case .alreadyAdvertising: "The manager advertises already."
            case .connectionFailed: "The link could not be made."
            case .connectionLimitReached: "There are too many links."
            case .unknownDevice: "There is no such device."
            case .operationNotSupported: "This system cannot do it."
            case .peerRemovedPairingInformation: "Peer removed pairing information"
            case .encryptionTimedOut: "The link was not encrypted in time."
            case .tooManyLEPairedDevices: "There is no room for another bond."
            case .leGattExceededBackgroundNotificationLimit:
                "Too many notifications in the background. On watchOS alone."
            case .leGattNearBackgroundNotificationLimit:
                "Nearly too many notifications in the background. On watchOS alone."
            case .channelSoundingConfigurationFailed: "Channel sounding could not be set up. On iOS alone."
            case .channelSoundingProcedureFailed: "Channel sounding failed. On iOS alone."
            }
        }
    }
}

extension CBError {
    /// Nothing more is known.
    public static var unknown: Code { .unknown }
    /// An argument makes no sense.
    public static var invalidParameters: Code { .invalidParameters }
    /// There is no such attribute.
    public static var invalidHandle: Code { .invalidHandle }
    /// The peripheral is not connected.
    public static var notConnected: Code { .notConnected }
    /// There is no room left.
    public static var outOfSpace: Code { .outOfSpace }
    /// The operation was cancelled.
    public static var operationCancelled: Code { .operationCancelled }
    /// The link fell silent.
    public static var connectionTimeout: Code { .connectionTimeout }
    /// The peer ended the link.
    public static var peripheralDisconnected: Code { .peripheralDisconnected }
    /// The system keeps this UUID for itself.
    public static var uuidNotAllowed: Code { .uuidNotAllowed }
    /// The manager advertises already.
    public static var alreadyAdvertising: Code { .alreadyAdvertising }
    /// The link could not be made.
    public static var connectionFailed: Code { .connectionFailed }
    /// There are too many links.
    public static var connectionLimitReached: Code { .connectionLimitReached }
    /// There is no such device.
    public static var unknownDevice: Code { .unknownDevice }
    /// The misspelled name of ``unknownDevice``.
    @available(*, deprecated, renamed: "unknownDevice")
    public static var unkownDevice: Code { .unknownDevice }
    /// This system cannot do it.
    public static var operationNotSupported: Code { .operationNotSupported }
    /// The peer has forgotten its keys.
    public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
    /// The link was not encrypted in time.
    public static var encryptionTimedOut: Code { .encryptionTimedOut }
    /// There is no room for another bond.
    public static var tooManyLEPairedDevices: Code { .tooManyLEPairedDevices }
    /// Too many notifications in the background. On watchOS alone.
    public static var leGattExceededBackgroundNotificationLimit: Code { .leGattExceededBackgroundNotificationLimit }
    /// Nearly too many notifications in the background. On watchOS alone.
    public static var leGattNearBackgroundNotificationLimit: Code { .leGattNearBackgroundNotificationLimit }
    /// Channel sounding could not be set up. On iOS alone.
    public static var channelSoundingConfigurationFailed: Code { .channelSoundingConfigurationFailed }
    /// Channel sounding failed. On iOS alone.
    public static var channelSoundingProcedureFailed: Code { .channelSoundingProcedureFailed }
}
