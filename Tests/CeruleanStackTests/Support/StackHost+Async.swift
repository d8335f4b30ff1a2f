// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire

/// The calls of a host as awaited functions.
extension StackHost {
    func start() async throws { try await call { start(timeout: .seconds(5), completion: $0) } }

    func stop() async throws { try await call { stop(completion: $0) } }

    func advertise(_ content: AdvertisingParameters.Content) async throws -> AdvertisementID {
        try await call { startAdvertising(AdvertisingParameters(content: content), completion: $0) }
    }

    func connect(_ address: DeviceAddress, timeout: Duration = .seconds(10)) async throws -> LinkInfo {
        try await call { _ = connect(PeerID(address), options: ConnectOptions(), timeout: timeout, completion: $0) }
    }

    func publish(_ services: [ServiceDefinition], _ sink: Sink) async throws -> [PublishedService] {
        addSink(sink)
        return try await call { publish(services, for: sink, completion: $0) }
    }

    /// The value of the first characteristic of a type.
    func find(_ type: BluetoothUUID, in service: BluetoothUUID, on link: LinkID) async throws -> AttributeID {
        let services: [ServiceInfo] = try await call {
            _ = discoverServices([service], on: link, timeout: .seconds(10), completion: $0)
        }
        guard let found = services.first else { throw HostError(.notFound, detail: "\(service)") }
        let characteristics: [CharacteristicInfo] = try await call {
            _ = discoverCharacteristics(of: found.id, on: link, timeout: .seconds(10), completion: $0)
        }
        guard let match = characteristics.first(where: { $0.uuid == type }) else {
            throw HostError(.notFound, detail: "\(type)")
        }
        return match.id
    }

    func read(_ attribute: AttributeID, _ link: LinkID) async throws -> [UInt8] {
        try await call { _ = read(attribute, on: link, timeout: .seconds(10), completion: $0) }
    }

    func subscribe(_ attribute: AttributeID, _ link: LinkID) async throws {
        try await call {
            _ = subscribe(to: attribute, mode: .notifications, on: link, timeout: .seconds(10), completion: $0)
        }
    }

    private func call<Value: Sendable>(_ body: (@escaping HostCompletion<Value>) -> Void) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            body { continuation.resume(with: $0) }
        }
    }
}
