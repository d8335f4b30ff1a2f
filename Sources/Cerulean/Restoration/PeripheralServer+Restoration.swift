// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
import CeruleanWire

extension PeripheralServer {
    /// What is served and advertised at this moment, to be restored by a later process.
    public func snapshot() async -> ServerSnapshot { await core.snapshot() }

    /// Publishes and advertises again what an earlier process did, with the values and at the handles that it had.
    ///
    /// Handlers cannot be written down: pass the services that have some, and each takes the place of the one of its
    /// type in the snapshot, with the values kept. One whose characteristics or descriptors are others than they were
    /// takes the values that it still has a place for, and new handles. Services of the snapshot that are not passed are
    /// served from their values alone; passed ones that the snapshot does not know are published behind the others.
    ///
    /// - Returns: The services in the order of the snapshot, then the others.
    /// - Throws: ``BluetoothError``, with `badData` for a snapshot that names no service where one should be. Nothing
    ///   is published or advertised then.
    @discardableResult
    public func restore(
        _ snapshot: ServerSnapshot, services: [LocalService] = [], timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> [PublishedService] {
        var left = services
        var restored: [RestoredService] = []
        for saved in snapshot.services { restored.append(try RestoredService(saved, from: &left)) }
        var advertisements: [AdvertisingParameters] = []
        for advertisement in snapshot.advertisements { advertisements.append(try advertisement.parameters()) }
        var published: [Int: PublishedService] = [:]
        var others: [PublishedService] = []
        var running: [RunningAdvertisement] = []
        do throws(BluetoothError) {
            // Those with known handles come first: nothing else may take these.
            for hasHandles in [true, false] {
                for (index, one) in restored.enumerated() where one.keepsHandles == hasHandles {
                    var service = one.service
                    service.includes = one.includes.compactMap { published[$0]?.id }
                    published[index] = try await publish([service], timeout: timeout).first
                }
            }
            if !left.isEmpty { others = try await publish(left, timeout: timeout) }
            for (parameters, saved) in zip(advertisements, snapshot.advertisements) {
                let restart = AdvertisingRestart(name: saved.restart)
                running.append(try await advertise(parameters, restart: restart, timeout: timeout))
            }
        } catch {
            for advertisement in running { await advertisement.stop() }
            for service in others + published.sorted(by: { $0.key > $1.key }).map(\.value) {
                try? await unpublish(service, timeout: timeout)
            }
            throw error
        }
        return restored.indices.compactMap { published[$0] } + others
    }
}

/// A service as it is published again.
private struct RestoredService {
    var service: LocalService
    /// Places of the services that it includes.
    var includes: [Int]
    /// Its parts are the same: it takes the handles that it had.
    var keepsHandles: Bool

    /// The service of the process where it passed one, else one made of the values.
    init(_ saved: ServerSnapshot.Service, from left: inout [LocalService]) throws(BluetoothError) {
        guard let uuid = BluetoothUUID(saved.uuid) else { throw Self.bad("\(saved.uuid) is no UUID") }
        if let index = left.firstIndex(where: { $0.uuid == uuid }) {
            service = left.remove(at: index)
        } else {
            var definitions: [CharacteristicDefinition] = []
            for characteristic in saved.characteristics { definitions.append(try Self.definition(characteristic)) }
            service = LocalService(
                ServiceDefinition(uuid: uuid, isPrimary: saved.isPrimary, characteristics: definitions))
        }
        includes = saved.includes
        keepsHandles =
            service.isPrimary == saved.isPrimary
            && service.characteristics.elementsEqual(saved.characteristics, by: Self.isSame)
        service.handle = keepsHandles ? saved.handle : nil
        service.endHandle = keepsHandles ? saved.endHandle : nil
        var candidates = service.characteristics
        for characteristic in saved.characteristics {
            guard let uuid = BluetoothUUID(characteristic.uuid),
                let index = candidates.firstIndex(where: { $0.uuid == uuid })
            else { continue }
            try Self.restore(candidates.remove(at: index), to: characteristic, keepsHandles)
        }
    }

    /// True when the attributes of a characteristic are those that it had.
    private static func isSame(_ one: LocalCharacteristic, as saved: ServerSnapshot.Characteristic) -> Bool {
        one.uuid == BluetoothUUID(saved.uuid) && one.properties.rawValue == saved.properties
            && one.descriptors.elementsEqual(saved.descriptors) { $0.uuid == BluetoothUUID($1.uuid) }
    }

    private static func restore(
        _ one: LocalCharacteristic, to saved: ServerSnapshot.Characteristic, _ keepsHandles: Bool
    ) throws(BluetoothError) {
        var left = Array(one.descriptors.enumerated())
        var descriptors: [(index: Int, value: [UInt8], handle: UInt16?)] = []
        for descriptor in saved.descriptors {
            let uuid = BluetoothUUID(descriptor.uuid)
            guard let place = left.firstIndex(where: { $0.element.uuid == uuid }) else { continue }
            let index = left.remove(at: place).offset
            descriptors.append((index, try octets(descriptor.value), keepsHandles ? descriptor.handle : nil))
        }
        one.restore(try octets(saved.value), handle: keepsHandles ? saved.handle : nil, descriptors: descriptors)
    }

    private static func definition(
        _ saved: ServerSnapshot.Characteristic
    ) throws(BluetoothError) -> CharacteristicDefinition {
        guard let uuid = BluetoothUUID(saved.uuid) else { throw bad("\(saved.uuid) is no UUID") }
        var descriptors: [DescriptorDefinition] = []
        for descriptor in saved.descriptors {
            guard let uuid = BluetoothUUID(descriptor.uuid) else { throw bad("\(descriptor.uuid) is no UUID") }
            descriptors.append(
                DescriptorDefinition(
                    uuid: uuid, permissions: permissions(descriptor.read, descriptor.write),
                    value: .stored(try octets(descriptor.value))))
        }
        return CharacteristicDefinition(
            uuid: uuid, properties: CharacteristicProperties(rawValue: saved.properties),
            permissions: permissions(saved.read, saved.write), value: .stored(try octets(saved.value)),
            descriptors: descriptors)
    }

    private static func permissions(
        _ read: ServerSnapshot.Access?, _ write: ServerSnapshot.Access?
    ) -> AttributePermissions {
        func access(_ saved: ServerSnapshot.Access?) -> AttributePermissions.Access? {
            // Nobody is there to authorize.
            guard let saved, !saved.needsAuthorization else { return nil }
            return AttributePermissions.Access(
                security: SecurityLevel(rawValue: min(max(saved.security, 1), 4)),
                minimumKeySize: min(max(saved.minimumKeySize, 7), 16))
        }
        return AttributePermissions(read: access(read), write: access(write))
    }

    fileprivate static func octets(_ text: String) throws(BluetoothError) -> [UInt8] {
        do { return try Hex.decode(text) } catch { throw bad("\(error)") }
    }

    private static func bad(_ detail: String) -> BluetoothError {
        BluetoothError(.badData, "restoring services", detail: detail)
    }
}

extension ServerSnapshot.Advertisement {
    fileprivate func parameters() throws(BluetoothError) -> AdvertisingParameters {
        let content: AdvertisingParameters.Content
        if let data {
            content = .raw(
                data: try RestoredService.octets(data), scanResponse: try RestoredService.octets(scanResponse ?? ""))
        } else {
            content = .fields(name: name, services: (services ?? []).compactMap { BluetoothUUID($0) })
        }
        var parameters = AdvertisingParameters(
            content: content, isConnectable: isConnectable, isScannable: isScannable,
            interval: Self.time(interval, 20...10_240, 100))
        parameters.duration = duration.map { Self.time($0, 10...655_350, 655_350) }
        guard let extended else { return parameters }
        var made = ExtendedAdvertising(
            primaryPHY: PHY(rawValue: extended.primaryPHY), secondaryPHY: PHY(rawValue: extended.secondaryPHY),
            isAnonymous: extended.isAnonymous, includesTXPower: extended.includesTXPower, setID: extended.setID,
            allowsLegacy: extended.allowsLegacy)
        if let data = extended.periodicData {
            made.periodic = PeriodicAdvertising(
                data: try RestoredService.octets(data),
                interval: Self.time(extended.periodicInterval ?? 100, 7.5...81_920, 100),
                includesTXPower: extended.periodicTXPower ?? false)
        }
        parameters.extended = made
        return parameters
    }

    private static func time(
        _ milliseconds: Double, _ range: ClosedRange<Double>, _ usual: Double
    ) -> Duration {
        let value = milliseconds.isFinite ? min(max(milliseconds, range.lowerBound), range.upperBound) : usual
        return .microseconds(Int64(value * 1000))
    }
}
