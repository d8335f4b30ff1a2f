// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// What a ``PeripheralServer`` serves and advertises: see ``PeripheralServer/snapshot()`` and
/// ``PeripheralServer/restore(_:services:timeout:)``.
///
/// What bonded centrals subscribed to is kept with their keys in the adapter's bond store, by the handles that are kept
/// here.
public struct ServerSnapshot: Snapshot {
    /// What one kind of access needed.
    public struct Access: Codable, Hashable, Sendable {
        /// The link's lowest security level, 1 to 4.
        public var security: UInt8
        /// The shortest encryption key in octets, 7 to 16.
        public var minimumKeySize: Int
        /// The application decided as well. Without its handlers such access is not allowed again.
        public var needsAuthorization: Bool
    }

    /// A descriptor that was served.
    public struct Descriptor: Codable, Hashable, Sendable {
        /// Its type.
        public var uuid: String
        /// The value that was kept, in hexadecimal digits.
        public var value: String
        /// Its handle, where the engine knew it.
        public var handle: UInt16?
        /// What reading needed; nil: not allowed.
        public var read: Access?
        /// What writing needed; nil: not allowed.
        public var write: Access?
    }

    /// A characteristic that was served.
    public struct Characteristic: Codable, Hashable, Sendable {
        /// Its type.
        public var uuid: String
        /// What it could do.
        public var properties: UInt16
        /// The value that was kept, in hexadecimal digits.
        public var value: String
        /// The handle of its value, where the engine knew it.
        public var handle: UInt16?
        /// What reading needed; nil: not allowed.
        public var read: Access?
        /// What writing needed; nil: not allowed.
        public var write: Access?
        /// Its descriptors in order, without those that the host adds.
        public var descriptors: [Descriptor]
    }

    /// A service that was served.
    public struct Service: Codable, Hashable, Sendable {
        /// Its type.
        public var uuid: String
        /// Primary, or only there to be included.
        public var isPrimary: Bool
        /// The handle of its declaration, where the engine knew it.
        public var handle: UInt16?
        /// The last handle that was wished for it; nil: as many as it needs.
        public var endHandle: UInt16?
        /// The services it included, as places in ``ServerSnapshot/services``.
        public var includes: [Int]
        /// Its characteristics in order.
        public var characteristics: [Characteristic]
    }

    /// An advertisement that ran or waited to begin again.
    public struct Advertisement: Codable, Hashable, Sendable {
        /// What extended packets had beyond legacy ones.
        public struct Extended: Codable, Hashable, Sendable {
            /// Mode of the advertising channel: 1 for LE 1M, 3 for LE Coded.
            public var primaryPHY: UInt8
            /// Mode of the data: 1 for LE 1M, 2 for LE 2M, 3 for LE Coded.
            public var secondaryPHY: UInt8
            /// Without an address.
            public var isAnonymous: Bool
            /// The transmit power was told.
            public var includesTXPower: Bool
            /// The number of the set, where one was wished.
            public var setID: UInt8?
            /// Old controllers might send legacy packets instead.
            public var allowsLegacy: Bool
            /// Periodic data in hexadecimal digits, if there was some.
            public var periodicData: String?
            /// Milliseconds between periodic data.
            public var periodicInterval: Double?
            /// The transmit power was told with the periodic data.
            public var periodicTXPower: Bool?
        }

        /// The name, for an advertisement of fields.
        public var name: String?
        /// The services, for an advertisement of fields.
        public var services: [String]?
        /// The octets in hexadecimal digits, for an advertisement of octets.
        public var data: String?
        /// The scan response in hexadecimal digits, for an advertisement of octets.
        public var scanResponse: String?
        /// Whether centrals might connect.
        public var isConnectable: Bool
        /// Whether scanners might ask for the scan response.
        public var isScannable: Bool
        /// Milliseconds between advertisements.
        public var interval: Double
        /// Milliseconds after which it was to end by itself; nil: never. It runs that long again.
        public var duration: Double?
        /// What extended packets had; nil for legacy ones.
        public var extended: Extended?
        /// Whether it began again: `never`, `afterDisconnection`, `immediately`.
        public var restart: String
    }

    /// The version of the form: 1.
    public var format = 1
    /// The services in the order of their publication.
    public var services: [Service] = []
    /// The advertisements in the order of their start.
    public var advertisements: [Advertisement] = []

    /// Nothing served.
    public init() {}
}

// MARK: - Taking

extension ServerCore {
    func snapshot() -> ServerSnapshot {
        var snapshot = ServerSnapshot()
        let places = Dictionary(
            publishedServices.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        snapshot.services = publishedServices.map { id, service in
            ServerSnapshot.Service(
                uuid: service.uuid.description, isPrimary: service.isPrimary, handle: id.handle,
                endHandle: service.endHandle, includes: service.includes.compactMap { places[$0] },
                characteristics: service.characteristics.map(ServerSnapshot.Characteristic.init))
        }
        snapshot.advertisements = advertisements.map {
            ServerSnapshot.Advertisement($0.parameters, restart: $0.restart)
        }
        return snapshot
    }
}

extension ServerSnapshot.Access {
    init?(_ access: AttributePermissions.Access?) {
        guard let access else { return nil }
        security = access.security.rawValue
        minimumKeySize = access.minimumKeySize
        needsAuthorization = access.needsAuthorization
    }
}

extension ServerSnapshot.Characteristic {
    init(_ one: LocalCharacteristic) {
        uuid = one.uuid.description
        properties = one.properties.rawValue
        value = Hex.encode(one.value)
        handle = one.id?.handle
        read = ServerSnapshot.Access(one.permissions.read)
        write = ServerSnapshot.Access(one.permissions.write)
        let identifiers = one.descriptorIDs
        descriptors = one.descriptors.enumerated().map { index, descriptor in
            var octets: [UInt8] = []
            if case .stored(let value) = descriptor.value { octets = value }
            return ServerSnapshot.Descriptor(
                uuid: descriptor.uuid.description, value: Hex.encode(octets),
                handle: identifiers.indices.contains(index) ? identifiers[index].handle : nil,
                read: ServerSnapshot.Access(descriptor.permissions.read),
                write: ServerSnapshot.Access(descriptor.permissions.write))
        }
    }
}

extension ServerSnapshot.Advertisement {
    init(_ parameters: AdvertisingParameters, restart: AdvertisingRestart) {
        isConnectable = parameters.isConnectable
        isScannable = parameters.isScannable
        interval = parameters.interval.inSeconds * 1000
        duration = parameters.duration.map { $0.inSeconds * 1000 }
        self.restart = restart.name
        switch parameters.content {
        case .fields(let name, let services):
            self.name = name
            self.services = services.map(\.description)
        case .raw(let data, let scanResponse):
            self.data = Hex.encode(data)
            self.scanResponse = Hex.encode(scanResponse)
        }
        extended = parameters.extended.map { extended in
            Extended(
                primaryPHY: extended.primaryPHY.rawValue, secondaryPHY: extended.secondaryPHY.rawValue,
                isAnonymous: extended.isAnonymous, includesTXPower: extended.includesTXPower, setID: extended.setID,
                allowsLegacy: extended.allowsLegacy, periodicData: extended.periodic.map { Hex.encode($0.data) },
                periodicInterval: extended.periodic.map { $0.interval.inSeconds * 1000 },
                periodicTXPower: extended.periodic?.includesTXPower)
        }
    }
}

extension AdvertisingRestart {
    /// The word that snapshots use.
    var name: String {
        switch kind {
        case .never: "never"
        case .afterDisconnection: "afterDisconnection"
        case .immediately: "immediately"
        }
    }

    /// The rule of that word; words that are not known mean the default.
    init(name: String) {
        switch name {
        case "never": self = .never
        case "immediately": self = .immediately
        default: self = .afterDisconnection
        }
    }
}
