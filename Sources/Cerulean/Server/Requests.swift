// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// A remote device in the central role, connected to us.
public struct RemoteCentral: Hashable, Sendable {
    /// The link.
    public var link: LinkID
    /// Who it is.
    public var id: PeerID
    /// Its address, where the engine knows it.
    public var address: DeviceAddress?

    /// Names a central on a link; two links are two values.
    public init(link: LinkID, id: PeerID, address: DeviceAddress?) {
        self.link = link
        self.id = id
        self.address = address
    }
}

/// A read of one of our characteristics.
public struct ReadRequest: Hashable, Sendable {
    /// Who reads.
    public var central: RemoteCentral
    /// Where the part begins that is asked for. Answer with the whole value nevertheless.
    public var offset: Int

    /// A read.
    public init(central: RemoteCentral, offset: Int) {
        self.central = central
        self.offset = offset
    }
}

/// A write to one of our characteristics.
public struct WriteRequest: Hashable, Sendable {
    /// Who writes.
    public var central: RemoteCentral
    /// The value as it will be: parts of a long write are put together, and onto what is kept where they begin later.
    public var value: [UInt8]
    /// True when the peer waits for the answer.
    public var needsResponse: Bool

    /// A write.
    public init(central: RemoteCentral, value: [UInt8], needsResponse: Bool) {
        self.central = central
        self.value = value
        self.needsResponse = needsResponse
    }
}

/// Refuses a request with an ATT error code. Core 5.4, Vol 3, Part F, 3.4.1.1.
public struct RequestFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code that the peer gets.
    public var code: UInt8

    /// An error with any code; 0x80 to 0x9F are the application's own.
    public init(code: UInt8) { self.code = code }

    /// Reading is not permitted (0x02).
    public static let readNotPermitted = Self(code: 0x02)
    /// Writing is not permitted (0x03).
    public static let writeNotPermitted = Self(code: 0x03)
    /// The peer must be authenticated (0x05).
    public static let insufficientAuthentication = Self(code: 0x05)
    /// The request is not supported (0x06).
    public static let requestNotSupported = Self(code: 0x06)
    /// The offset is behind the end of the value (0x07).
    public static let invalidOffset = Self(code: 0x07)
    /// The application does not allow it (0x08).
    public static let insufficientAuthorization = Self(code: 0x08)
    /// The value has the wrong length (0x0D).
    public static let invalidValueLength = Self(code: 0x0D)
    /// Something went wrong that is nobody's fault (0x0E).
    public static let unlikelyError = Self(code: 0x0E)
    /// There is no room (0x11).
    public static let insufficientResources = Self(code: 0x11)
    /// The value is not allowed (0x13).
    public static let valueNotAllowed = Self(code: 0x13)
    /// The write is refused (0xFC).
    public static let writeRequestRejected = Self(code: 0xFC)
    /// The procedure is going on already (0xFE).
    public static let procedureInProgress = Self(code: 0xFE)
    /// The value is out of range (0xFF).
    public static let outOfRange = Self(code: 0xFF)

    /// The name of the code.
    public var description: String { "\(ErrorText.attribute(code)) (ATT \(code))" }
}

/// What happens at a ``PeripheralServer``.
public enum ServerEvent: Sendable {
    /// A central connected.
    case connected(RemoteCentral)
    /// A central is gone, with the reason that the host gave.
    case disconnected(RemoteCentral, reason: HostError)
    /// A central subscribed, to notifications or indications, or changed between the two.
    case subscribed(LocalCharacteristic, by: RemoteCentral, mode: SubscriptionMode)
    /// A central unsubscribed, or left.
    case unsubscribed(LocalCharacteristic, by: RemoteCentral)
    /// The link to a central ended before so many of the last values were known to have reached it; comes in front of
    /// ``disconnected(_:reason:)``. They were sent and are not sent again: a central that comes back reads what is kept,
    /// or gets them from you. Engines that see no acknowledgements of the controller never say it.
    case undelivered(LocalCharacteristic, count: Int, to: RemoteCentral)
    /// A central wrote a value, and it was stored.
    case written(LocalCharacteristic, value: [UInt8], by: RemoteCentral)
    /// Advertising began again.
    case advertisingRestarted
    /// Advertising ended and will not begin again by itself.
    case advertisingEnded
}

/// Whether advertising begins again after it ended because somebody connected.
public struct AdvertisingRestart: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case never, afterDisconnection, immediately
    }
    let kind: Kind

    /// It stays off.
    public static let never = Self(kind: .never)
    /// When no central is connected any more, and when the adapter was switched off and on.
    public static let afterDisconnection = Self(kind: .afterDisconnection)
    /// At once, for several centrals; where the controller refuses, after the next disconnection.
    public static let immediately = Self(kind: .immediately)
}
