// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
import CeruleanWire

/// What a ``PeripheralServer`` serves and advertises: see ``PeripheralServer/snapshot()`` and
/// ``PeripheralServer/restore(_:services:timeout:)``.
///
/// What bonded centrals subscribed to is kept with their keys in the adapter's bond store, by the handles that are kept
/// here.
public struct ServerSnapshot: Snapshot {
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
        /// Reading was allowed, on links of at least this security level (1 to 4); nil: not allowed.
        public var readSecurity: UInt8?
        /// Writing was allowed, on links of at least this security level (1 to 4); nil: not allowed.
        public var writeSecurity: UInt8?
    }

    /// A service that was served.
    public struct Service: Codable, Hashable, Sendable {
        /// Its type.
        public var uuid: String
        /// Primary, or only there to be included.
        public var isPrimary: Bool
        /// The handle of its declaration, where the engine knew it.
        public var handle: UInt16?
        /// The services it included, as places in ``ServerSnapshot/services``.
        public var includes: [Int]
        /// Its characteristics in order.
        public var characteristics: [Characteristic]
    }

    /// An advertisement that ran or waited to begin again.
    public struct Advertisement: Codable, Hashable, Sendable {
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

extension PeripheralServer {
    /// What is served and advertised at this moment, to be restored by a later process.
    public func snapshot() async -> ServerSnapshot { await core.snapshot() }

    /// Publishes and advertises again what an earlier process did, with the values and at the handles that it had.
    ///
    /// Handlers cannot be written down: pass the services that have some, and each takes the place of the one of its
    /// type in the snapshot, with the values kept. Services of the snapshot that are not passed are served from their
    /// values alone; passed ones that the snapshot does not know are published behind the others.
    ///
    /// - Returns: The services in the order of the snapshot, then the others.
    /// - Throws: ``BluetoothError``, with `badData` for a snapshot that names no service where one should be.
    @discardableResult
    public func restore(
        _ snapshot: ServerSnapshot, services: [LocalService] = [], timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> [PublishedService] {
        var left = services
        var published: [PublishedService] = []
        for saved in snapshot.services {
            var service = try Self.service(saved, from: &left)
            service.includes = saved.includes.compactMap { index in
                published.indices.contains(index) ? published[index].id : nil
            }
            published += try await publish([service], timeout: timeout)
        }
        if !left.isEmpty { published += try await publish(left, timeout: timeout) }
        for advertisement in snapshot.advertisements {
            try await advertise(
                try Self.parameters(advertisement), restart: AdvertisingRestart(name: advertisement.restart),
                timeout: timeout)
        }
        return published
    }

    private static func service(
        _ saved: ServerSnapshot.Service, from left: inout [LocalService]
    ) throws(BluetoothError) -> LocalService {
        guard let uuid = BluetoothUUID(saved.uuid) else { throw Self.bad("\(saved.uuid) is no UUID") }
        var service: LocalService
        if let index = left.firstIndex(where: { $0.uuid == uuid }) {
            service = left.remove(at: index)
        } else {
            var definitions: [CharacteristicDefinition] = []
            for characteristic in saved.characteristics { definitions.append(try definition(characteristic)) }
            service = LocalService(
                ServiceDefinition(uuid: uuid, isPrimary: saved.isPrimary, characteristics: definitions))
        }
        service.handle = saved.handle
        var candidates = service.characteristics
        for characteristic in saved.characteristics {
            guard let uuid = BluetoothUUID(characteristic.uuid),
                let index = candidates.firstIndex(where: { $0.uuid == uuid })
            else { continue }
            candidates.remove(at: index).restore(try octets(characteristic.value), handle: characteristic.handle)
        }
        return service
    }

    private static func definition(
        _ saved: ServerSnapshot.Characteristic
    ) throws(BluetoothError) -> CharacteristicDefinition {
        guard let uuid = BluetoothUUID(saved.uuid) else { throw Self.bad("\(saved.uuid) is no UUID") }
        func access(_ level: UInt8?) -> AttributePermissions.Access? {
            level.map { AttributePermissions.Access(security: SecurityLevel(rawValue: min(max($0, 1), 4))) }
        }
        return CharacteristicDefinition(
            uuid: uuid, properties: CharacteristicProperties(rawValue: saved.properties),
            permissions: AttributePermissions(read: access(saved.readSecurity), write: access(saved.writeSecurity)),
            value: .stored(try octets(saved.value)))
    }

    private static func parameters(
        _ saved: ServerSnapshot.Advertisement
    ) throws(BluetoothError) -> AdvertisingParameters {
        let content: AdvertisingParameters.Content
        if let data = saved.data {
            content = .raw(data: try octets(data), scanResponse: try octets(saved.scanResponse ?? ""))
        } else {
            content = .fields(name: saved.name, services: (saved.services ?? []).compactMap { BluetoothUUID($0) })
        }
        let interval = saved.interval.isFinite ? min(max(saved.interval, 20), 10_240) : 100
        return AdvertisingParameters(
            content: content, isConnectable: saved.isConnectable, isScannable: saved.isScannable,
            interval: .microseconds(Int64(interval * 1000)))
    }

    private static func octets(_ text: String) throws(BluetoothError) -> [UInt8] {
        do { return try Hex.decode(text) } catch { throw bad("\(error)") }
    }

    private static func bad(_ detail: String) -> BluetoothError {
        BluetoothError(.badData, "restoring services", detail: detail)
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

extension ServerCore {
    func snapshot() -> ServerSnapshot {
        var snapshot = ServerSnapshot()
        let places = Dictionary(
            publishedServices.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        snapshot.services = publishedServices.map { id, service in
            ServerSnapshot.Service(
                uuid: service.uuid.description, isPrimary: service.isPrimary, handle: id.handle,
                includes: service.includes.compactMap { places[$0] },
                characteristics: service.characteristics.map { characteristic in
                    ServerSnapshot.Characteristic(
                        uuid: characteristic.uuid.description, properties: characteristic.properties.rawValue,
                        value: Hex.encode(characteristic.value), handle: characteristic.id?.handle,
                        readSecurity: characteristic.permissions.read?.security.rawValue,
                        writeSecurity: characteristic.permissions.write?.security.rawValue)
                })
        }
        snapshot.advertisements = advertisements.map { advertisement in
            let parameters = advertisement.parameters
            var saved = ServerSnapshot.Advertisement(
                isConnectable: parameters.isConnectable, isScannable: parameters.isScannable,
                interval: parameters.interval.inSeconds * 1000, restart: advertisement.restart.name)
            switch parameters.content {
            case .fields(let name, let services):
                saved.name = name
                saved.services = services.map(\.description)
            case .raw(let data, let scanResponse):
                saved.data = Hex.encode(data)
                saved.scanResponse = Hex.encode(scanResponse)
            }
            return saved
        }
        return snapshot
    }
}
