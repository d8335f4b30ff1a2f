// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// Discovers a whole database, one procedure after the other, within one deadline.
struct DatabaseDiscovery {
    /// More than this is a peer that never ends.
    static let maximumAttributes = 65_536

    let host: any Host
    let link: LinkID
    let label: String
    let deadline: MonotonicTime

    func run(_ types: [BluetoothUUID]?) async throws(BluetoothError) -> [Service] {
        let link = link
        let found: [ServiceInfo] = try await step("discovering services") { host, timeout, completion in
            host.discoverServices(types, on: link, timeout: timeout, completion: completion)
        }
        var services: [Service] = []
        var count = 0
        for info in found {
            var service = Service(id: info.id, uuid: info.uuid, isPrimary: info.isPrimary, endHandle: info.endHandle)
            service.includedServices = try await included(info)
            service.characteristics = try await characteristics(info)
            count += 1 + service.characteristics.reduce(0) { $0 + 1 + $1.descriptors.count }
            guard count <= Self.maximumAttributes else {
                throw BluetoothError(.invalidResponse, "discovery on \(label)", detail: "the database has no end")
            }
            services.append(service)
        }
        return services
    }

    private func included(_ service: ServiceInfo) async throws(BluetoothError) -> [AttributeID] {
        // A service of one attribute has room for nothing.
        if let start = service.id.handle, service.endHandle == start { return [] }
        let link = link
        let found: [ServiceInfo] = try await step("discovering the services in \(service.uuid)") {
            host, timeout, completion in
            host.discoverIncludedServices(of: service.id, on: link, timeout: timeout, completion: completion)
        }
        return found.map(\.id)
    }

    private func characteristics(_ service: ServiceInfo) async throws(BluetoothError) -> [Characteristic] {
        if let start = service.id.handle, service.endHandle == start { return [] }
        let link = link
        let found: [CharacteristicInfo] = try await step("discovering the characteristics of \(service.uuid)") {
            host, timeout, completion in
            host.discoverCharacteristics(of: service.id, on: link, timeout: timeout, completion: completion)
        }
        var characteristics: [Characteristic] = []
        for info in found {
            characteristics.append(
                Characteristic(
                    id: info.id, uuid: info.uuid, properties: info.properties, endHandle: info.endHandle,
                    service: service.id, serviceUUID: service.uuid, descriptors: try await descriptors(info)))
        }
        return characteristics
    }

    private func descriptors(_ characteristic: CharacteristicInfo) async throws(BluetoothError) -> [Descriptor] {
        if let handle = characteristic.id.handle, characteristic.endHandle == handle { return [] }
        let link = link
        let found: [DescriptorInfo] = try await step("discovering the descriptors of \(characteristic.uuid)") {
            host, timeout, completion in
            host.discoverDescriptors(of: characteristic.id, on: link, timeout: timeout, completion: completion)
        }
        return found.map { Descriptor(id: $0.id, uuid: $0.uuid, characteristic: characteristic.id) }
    }

    private func step<Value: Sendable>(
        _ operation: String,
        start: @escaping @Sendable (isolated any Host, Duration, @escaping HostCompletion<Value>) -> OperationID
    ) async throws(BluetoothError) -> Value {
        let left = deadline - host.loop.now
        guard left > .zero else { throw BluetoothError(.timedOut, "\(operation) on \(label)") }
        let label = label
        return try await awaitHost(
            host, describe: { "\(operation) on \(label)" },
            start: { host, completion in start(host, left, completion) })
    }
}
