// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost

/// What an ``ATTBearer`` asks of its owner. Every call comes on the thread that called the bearer.
public protocol ATTBearerOutput: AnyObject {
    /// Sends one PDU on the channel. The span is valid only during the call.
    ///
    /// Requests, responses and confirmations come even when ``bearerCanSend(_:)`` is false; they are few, and must be kept.
    func bearer(_ bearer: ATTBearer, send pdu: RawSpan)

    /// Whether the channel takes a command or notification now. When it said no, the owner calls
    /// ``ATTBearer/readyToSend(now:)`` as soon as it does.
    func bearerCanSend(_ bearer: ATTBearer) -> Bool

    /// A notification or indication came. The span is valid only during the call; nothing was copied.
    func bearer(_ bearer: ATTBearer, received value: RawSpan, of handle: UInt16, isIndication: Bool)

    /// The MTU in force changed.
    func bearer(_ bearer: ATTBearer, changedMTU mtu: Int)

    /// Write commands were refused or had to wait, and can go on.
    func bearerReadyToWrite(_ bearer: ATTBearer)

    /// The peer did not answer within 30 s. All operations have ended, nothing will be sent or taken any more: the link
    /// must be ended. Core 5.4, Vol 3, Part F, 3.3.3.
    func bearer(_ bearer: ATTBearer, failed error: HostError)
}

/// Who is at the other end of a bearer, and how the link to it is secured. The owner keeps it up to date.
public struct ATTPeer: Hashable, Sendable {
    /// The link.
    public var link: LinkID
    /// The device.
    public var peer: PeerID
    /// The security of the link now.
    public var security: SecurityLevel
    /// Octets of the encryption key, 7 to 16; 0 when the link is not encrypted.
    public var keySize: Int
    /// True when keys for this peer exist, whether or not the link is encrypted.
    public var hasKeys: Bool

    /// A peer on an open link without keys, unless said otherwise.
    public init(link: LinkID, peer: PeerID, security: SecurityLevel = .open, keySize: Int = 0, hasKeys: Bool = false) {
        self.link = link
        self.peer = peer
        self.security = security
        self.keySize = keySize
        self.hasKeys = hasKeys
    }
}

/// Names an operation of a bearer, for cancelling it. Unique for one bearer.
public struct ATTOperationID: Hashable, Sendable {
    /// The bearer's own number.
    public let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }
}
