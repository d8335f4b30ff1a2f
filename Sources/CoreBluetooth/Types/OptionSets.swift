// SPDX-License-Identifier: Apache-2.0

/// What a characteristic can do. The low eight bits are those of the air.
public struct CBCharacteristicProperties: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Wraps the bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// May be broadcast. Not for local characteristics.
    public static let broadcast = Self(rawValue: 0x01)
    /// Can be read.
    public static let read = Self(rawValue: 0x02)
    /// Can be written without a response.
    public static let writeWithoutResponse = Self(rawValue: 0x04)
    /// Can be written.
    public static let write = Self(rawValue: 0x08)
    /// Notifies.
    public static let notify = Self(rawValue: 0x10)
    /// Indicates.
    public static let indicate = Self(rawValue: 0x20)
    /// Takes signed writes.
    public static let authenticatedSignedWrites = Self(rawValue: 0x40)
    /// Has extended properties. Not for local characteristics.
    public static let extendedProperties = Self(rawValue: 0x80)
    /// Only centrals on encrypted links can subscribe to notifications.
    public static let notifyEncryptionRequired = Self(rawValue: 0x100)
    /// Only centrals on encrypted links can subscribe to indications.
    public static let indicateEncryptionRequired = Self(rawValue: 0x200)
}

/// What a central may do with a local attribute.
public struct CBAttributePermissions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Wraps the bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Read it.
    public static let readable = Self(rawValue: 0x01)
    /// Write it.
    public static let writeable = Self(rawValue: 0x02)
    /// Read it on an encrypted link.
    public static let readEncryptionRequired = Self(rawValue: 0x04)
    /// Write it on an encrypted link.
    public static let writeEncryptionRequired = Self(rawValue: 0x08)
}

/// Which peers ``CBCentralManager/registerForConnectionEvents(options:)`` is about.
public struct CBConnectionEventMatchingOption: RawRepresentable, Hashable, Sendable {
    /// The key's text.
    public let rawValue: String
    /// Wraps a text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Peers with one of these services: an array of at most four `CBUUID`.
    public static let serviceUUIDs = Self(rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs")
    /// These peers: an array of `UUID`.
    public static let peripheralUUIDs = Self(rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs")
}
