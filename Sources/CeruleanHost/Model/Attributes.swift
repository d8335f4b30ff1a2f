// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// What a characteristic can do. Core 5.4, Vol 3, Part G, 3.3.1.1 (low octet) and 3.3.3.1 (high octet).
public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
    /// The property octet; the extended properties in the high octet.
    public let rawValue: UInt16
    /// Wraps the bits.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// May be broadcast (0x01).
    public static let broadcast = Self(rawValue: 0x01)
    /// Can be read (0x02).
    public static let read = Self(rawValue: 0x02)
    /// Can be written without a response (0x04).
    public static let writeWithoutResponse = Self(rawValue: 0x04)
    /// Can be written (0x08).
    public static let write = Self(rawValue: 0x08)
    /// Notifies (0x10).
    public static let notify = Self(rawValue: 0x10)
    /// Indicates (0x20).
    public static let indicate = Self(rawValue: 0x20)
    /// Takes signed writes (0x40).
    public static let signedWrite = Self(rawValue: 0x40)
    /// Has extended properties (0x80).
    public static let extended = Self(rawValue: 0x80)
    /// Takes reliable writes (extended properties, 0x0001).
    public static let reliableWrite = Self(rawValue: 0x0100)
    /// Its description can be written (extended properties, 0x0002).
    public static let writableAuxiliaries = Self(rawValue: 0x0200)

    /// The words that vectors, device files and JSON output use, in the order of the bits.
    public static let words: [(CharacteristicProperties, String)] = [
        (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "write-without-response"),
        (.write, "write"),
        (.notify, "notify"), (.indicate, "indicate"), (.signedWrite, "signed-write"), (.extended, "extended"),
    ]

    /// The words of the properties that are set.
    public var names: [String] { Self.words.filter { contains($0.0) }.map(\.1) }
}

extension CharacteristicProperties: CustomStringConvertible {
    /// The words of the properties: `[read, notify]`.
    public var description: String { "[\(names.joined(separator: ", "))]" }
}

/// What a client may do with an attribute, and how the link must be secured for it. Core 5.4, Vol 3, Part F, 3.2.5.
public struct AttributePermissions: Hashable, Sendable {
    /// What is needed for one kind of access.
    public struct Access: Hashable, Sendable {
        /// The link's lowest security.
        public var security: SecurityLevel
        /// The shortest encryption key in octets, 7 to 16, when the link must be encrypted.
        public var minimumKeySize: Int
        /// The application decides as well: only for values that it answers itself (``ValueSource/dynamic``), by what it
        /// answers. A stored value that needs it cannot be published.
        public var needsAuthorization: Bool

        /// Allowed on a link of at least `security`.
        public init(security: SecurityLevel = .open, minimumKeySize: Int = 7, needsAuthorization: Bool = false) {
            self.security = security
            self.minimumKeySize = minimumKeySize
            self.needsAuthorization = needsAuthorization
        }

        /// Allowed to everybody.
        public static let open = Self()
        /// Allowed on encrypted links.
        public static let encrypted = Self(security: .encrypted)
        /// Allowed on links whose peer was authenticated.
        public static let authenticated = Self(security: .authenticated)
    }

    /// What reading needs; nil forbids it.
    public var read: Access?
    /// What writing needs; nil forbids it.
    public var write: Access?

    /// Nothing is allowed unless said.
    public init(read: Access? = nil, write: Access? = nil) {
        self.read = read
        self.write = write
    }

    /// Readable by everybody.
    public static let readable = Self(read: .open)
    /// Writable by everybody.
    public static let writable = Self(write: .open)
    /// Readable and writable by everybody.
    public static let readWrite = Self(read: .open, write: .open)
}

/// A service found on a peer.
public struct ServiceInfo: Hashable, Sendable {
    /// The service.
    public var id: AttributeID
    /// Its type.
    public var uuid: BluetoothUUID
    /// Primary, or only included by others.
    public var isPrimary: Bool
    /// The last handle that belongs to it, where the engine knows handles.
    public var endHandle: UInt16?

    /// Describes a service.
    public init(id: AttributeID, uuid: BluetoothUUID, isPrimary: Bool, endHandle: UInt16?) {
        self.id = id
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.endHandle = endHandle
    }
}

/// A characteristic found on a peer.
public struct CharacteristicInfo: Hashable, Sendable {
    /// The attribute that holds the value.
    public var id: AttributeID
    /// Its type.
    public var uuid: BluetoothUUID
    /// What it can do.
    public var properties: CharacteristicProperties
    /// The last handle that belongs to it, where the engine knows handles.
    public var endHandle: UInt16?

    /// Describes a characteristic.
    public init(id: AttributeID, uuid: BluetoothUUID, properties: CharacteristicProperties, endHandle: UInt16?) {
        self.id = id
        self.uuid = uuid
        self.properties = properties
        self.endHandle = endHandle
    }
}

/// A descriptor found on a peer.
public struct DescriptorInfo: Hashable, Sendable {
    /// The attribute.
    public var id: AttributeID
    /// Its type.
    public var uuid: BluetoothUUID

    /// Describes a descriptor.
    public init(id: AttributeID, uuid: BluetoothUUID) {
        self.id = id
        self.uuid = uuid
    }
}

/// How to write a value.
public enum WriteMode: Hashable, Sendable {
    /// The peer answers; values longer than one packet are sent as prepared writes.
    case withResponse
    /// The peer does not answer; ends when the host has queued the packet, at most 8 KiB ahead of the controller. At most
    /// MTU - 3 octets.
    case withoutResponse
    /// Without response and signed with the key of the bond (capability ``HostCapabilities/signedWrites``), for characteristics
    /// with the property `signedWrite`; at most MTU - 15 octets. On an encrypted link it goes unsigned: that protects it already.
    case signed
}

/// What to receive of a characteristic.
public enum SubscriptionMode: Hashable, Sendable {
    /// Nothing.
    case off
    /// Values without confirmation.
    case notifications
    /// Values that are confirmed one by one.
    case indications
}
