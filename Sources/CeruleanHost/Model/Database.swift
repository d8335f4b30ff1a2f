// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// A service that we serve.
public struct ServiceDefinition: Hashable, Sendable {
    /// Its type.
    public var uuid: BluetoothUUID
    /// Primary, or only there to be included.
    public var isPrimary: Bool
    /// Its characteristics in order.
    public var characteristics: [CharacteristicDefinition]
    /// Services published before that it includes.
    public var includes: [AttributeID]
    /// Wished first handle; nil takes the next free one. Refused with `invalidArgument` when taken.
    public var handle: UInt16?
    /// Wished last handle; nil takes what is needed.
    public var endHandle: UInt16?

    /// A primary service without wishes about handles.
    public init(
        uuid: BluetoothUUID, isPrimary: Bool = true, characteristics: [CharacteristicDefinition] = [],
        includes: [AttributeID] = [], handle: UInt16? = nil, endHandle: UInt16? = nil
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.characteristics = characteristics
        self.includes = includes
        self.handle = handle
        self.endHandle = endHandle
    }
}

/// Where the value of an attribute comes from.
public enum ValueSource: Hashable, Sendable {
    /// The host keeps it, at most 512 octets; writes change it and are reported afterwards.
    case stored([UInt8])
    /// The application answers each read and write.
    case dynamic
}

/// A characteristic that we serve.
///
/// The host adds the declaration, the Client Characteristic Configuration descriptor where `notify` or `indicate` is set and
/// none is given, and the Extended Properties descriptor where the high octet of `properties` is set and none is given.
public struct CharacteristicDefinition: Hashable, Sendable {
    /// Its type.
    public var uuid: BluetoothUUID
    /// What it can do.
    public var properties: CharacteristicProperties
    /// Who may do it.
    public var permissions: AttributePermissions
    /// Where its value comes from.
    public var value: ValueSource
    /// Descriptors in order.
    public var descriptors: [DescriptorDefinition]
    /// Wished handle of the declaration; nil takes the next free one.
    public var declarationHandle: UInt16?
    /// Wished handle of the value; nil takes the one behind the declaration.
    public var valueHandle: UInt16?

    /// A characteristic without wishes about handles.
    public init(
        uuid: BluetoothUUID, properties: CharacteristicProperties, permissions: AttributePermissions,
        value: ValueSource = .stored([]), descriptors: [DescriptorDefinition] = [], declarationHandle: UInt16? = nil,
        valueHandle: UInt16? = nil
    ) {
        self.uuid = uuid
        self.properties = properties
        self.permissions = permissions
        self.value = value
        self.descriptors = descriptors
        self.declarationHandle = declarationHandle
        self.valueHandle = valueHandle
    }
}

/// A descriptor that we serve.
public struct DescriptorDefinition: Hashable, Sendable {
    /// Its type. A Client Characteristic Configuration (2902) keeps one value for each client whatever `value` says.
    public var uuid: BluetoothUUID
    /// Who may read and write it.
    public var permissions: AttributePermissions
    /// Where its value comes from.
    public var value: ValueSource
    /// Wished handle; nil takes the next free one.
    public var handle: UInt16?

    /// A descriptor without a wish about its handle.
    public init(
        uuid: BluetoothUUID, permissions: AttributePermissions, value: ValueSource, handle: UInt16? = nil
    ) {
        self.uuid = uuid
        self.permissions = permissions
        self.value = value
        self.handle = handle
    }
}

/// A service that is being served, with the identifiers of its parts in the order of the definition.
public struct PublishedService: Hashable, Sendable {
    /// The identifiers of one characteristic.
    public struct Characteristic: Hashable, Sendable {
        /// The value.
        public var id: AttributeID
        /// The descriptors of the definition.
        public var descriptors: [AttributeID]

        /// Collects the identifiers.
        public init(id: AttributeID, descriptors: [AttributeID]) {
            self.id = id
            self.descriptors = descriptors
        }
    }

    /// The service.
    public var id: AttributeID
    /// Its characteristics.
    public var characteristics: [Characteristic]

    /// Collects the identifiers.
    public init(id: AttributeID, characteristics: [Characteristic]) {
        self.id = id
        self.characteristics = characteristics
    }
}

/// What a remote client wants from one of our dynamic attributes.
public struct AttributeRequest: Hashable, Sendable {
    /// Read or write.
    public enum Kind: Hashable, Sendable {
        /// The value from `offset` on.
        case read(offset: Int)
        /// Put `value` at `offset`.
        case write(value: [UInt8], offset: Int)
    }

    /// The attribute.
    public var attribute: AttributeID
    /// Read or write.
    public var kind: Kind

    /// Pairs attribute and kind.
    public init(attribute: AttributeID, kind: Kind) {
        self.attribute = attribute
        self.kind = kind
    }
}

/// Requests of one client that are answered together: one read, one write, or all prepared writes of an execution.
public struct RequestBatch: Hashable, Sendable {
    /// For ``Host/respond(to:with:)``; nil when no answer is wanted (a write command).
    public var token: RequestToken?
    /// The link it came over.
    public var link: LinkID
    /// Who asks.
    public var peer: PeerID
    /// The requests in order; never empty.
    public var requests: [AttributeRequest]

    /// Collects the parts.
    public init(token: RequestToken?, link: LinkID, peer: PeerID, requests: [AttributeRequest]) {
        self.token = token
        self.link = link
        self.peer = peer
        self.requests = requests
    }
}

/// The answer to a ``RequestBatch``.
public enum RequestResponse: Hashable, Sendable {
    /// All is well. For a read: the value from the requested offset on; the host cuts it to what fits.
    case success(value: [UInt8])
    /// An ATT error code, said of the request at `index`. Core 5.4, Vol 3, Part F, 3.4.1.1.
    case failure(code: UInt8, index: Int)
}

/// A new value of one of our attributes.
public struct AttributeUpdate: Hashable, Sendable {
    /// The attribute.
    public var attribute: AttributeID
    /// Its new value.
    public var value: [UInt8]

    /// Pairs attribute and value.
    public init(_ attribute: AttributeID, _ value: [UInt8]) {
        self.attribute = attribute
        self.value = value
    }
}

/// Who gets a new value of ours.
public enum UpdateAudience: Hashable, Sendable {
    /// Every subscriber.
    case allSubscribers
    /// One of them.
    case link(LinkID)
}
