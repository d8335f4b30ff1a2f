// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Names a remote device for good: it survives address rotation of a bonded peer, restarts of the process, and reconnections.
///
/// 128 bits, so that it can stand for CoreBluetooth's identifiers. Engines that know addresses derive it from the identity
/// address with ``init(_:)-(DeviceAddress)``.
public struct PeerID: Hashable, Sendable, CustomStringConvertible {
    /// The identifier as a UUID.
    public let uuid: BluetoothUUID

    /// Wraps an identifier given by the engine.
    public init(_ uuid: BluetoothUUID) { self.uuid = uuid }

    /// The identifier of the device with this identity address: a UUID of version 8 that holds kind and address.
    public init(_ address: DeviceAddress) {
        let kind = UInt64(address.peerKind.rawValue)
        self.init(
            BluetoothUUID(high: 0xCE50_1EA4_B1E0_8000 | kind, low: 0x8000_0000_0000_0000 | address.address.rawValue))
    }

    /// The identifier as the 36-character form of a UUID.
    public var description: String { uuid.description }
}

/// Names one link; never used again for another one.
public struct LinkID: Hashable, Sendable {
    /// The host's own number.
    public let rawValue: UInt64
    /// Wraps a host's number.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Names an attribute of a peer's database, or of ours. Valid for one link and one generation of the database: two attributes
/// with equal UUIDs are two identifiers, and one kept from an earlier link is refused as stale.
public struct AttributeID: Hashable, Sendable {
    /// The engine's own number.
    public let rawValue: UInt64
    /// The ATT handle, where the engine knows it.
    public let handle: UInt16?

    /// Wraps an engine's number.
    @inlinable
    public init(rawValue: UInt64, handle: UInt16?) {
        self.rawValue = rawValue
        self.handle = handle
    }
}

/// Names one running operation, for cancelling it.
public struct OperationID: Hashable, Sendable {
    /// The host's own number.
    public let rawValue: UInt64
    /// Wraps a host's number.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Names one running scan: a number from 0 to 63.
public struct ScanID: Hashable, Sendable {
    /// The number.
    public let rawValue: UInt8
    /// Wraps a number from 0 to 63.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue & 63 }
}

/// A set of running scans; at most 64 run at once.
public struct ScanSet: OptionSet, Hashable, Sendable {
    /// A bit for each scan.
    public let rawValue: UInt64
    /// Wraps the bits.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// The set of this scan alone.
    @inlinable
    public init(_ scan: ScanID) { rawValue = 1 << UInt64(scan.rawValue) }
    /// True when `scan` is in the set.
    @inlinable
    public func contains(_ scan: ScanID) -> Bool { rawValue & (1 << UInt64(scan.rawValue)) != 0 }
}

/// Names one running advertisement.
public struct AdvertisementID: Hashable, Sendable {
    /// The host's own number.
    public let rawValue: UInt64
    /// Wraps a host's number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Names a batch of requests that waits for our answer.
public struct RequestToken: Hashable, Sendable {
    /// The host's own number.
    public let rawValue: UInt64
    /// Wraps a host's number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}
