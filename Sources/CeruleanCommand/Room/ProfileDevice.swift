// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanSensing
import CeruleanWire

/// A device that serves profiles of the catalog with their initial values.
struct ProfileDevice: SimulatedDevice {
    var kind: String { "profile" }
    var name: String
    var services: [ServiceDeclaration]

    /// Reads `SERVICE,SERVICE…`: UUIDs, names or tags of the catalog.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/notFound`` for what the catalog does not have.
    init(_ text: String, name: String?) throws(CommandError) {
        var services: [ServiceDeclaration] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let found = ProfileQuery(String(part)).services(in: .standard)
            guard !found.isEmpty else {
                throw CommandError(.notFound, "profile '\(part)' is not known; 'profiles' lists what is")
            }
            services += found.filter { one in !services.contains { $0.uuid == one.uuid } }
        }
        self.services = services
        self.name = name ?? services.first?.name ?? "Cerulean"
    }

    /// Publishes the services and advertises as many as fit.
    func serve(on server: PeripheralServer, ready: @escaping @Sendable () -> Void) async throws {
        let local = services.map { $0.local() }
        let published = try await server.publish(local)
        try await advertise(parameters(), of: published, on: server) {
            ready()
            while true { try await server.host.loop.sleep(for: .seconds(3600)) }
        }
    }

    private func parameters() -> AdvertisingParameters {
        var shown = services.map(\.uuid)
        while true {
            var fields = AdvertisementFields()
            fields.flags = 0x06
            fields.name = name
            fields.services = shown
            if let made = try? fields.legacyPayloads() {
                return AdvertisingParameters(
                    content: .raw(data: made.advertisement, scanResponse: made.scanResponse))
            }
            guard shown.popLast() != nil else { break }
        }
        // The name alone does not fit: the engine cuts it.
        return AdvertisingParameters(content: .fields(name: name, services: []))
    }
}

/// What somebody asks the catalog for: a tag, a UUID, or a name.
struct ProfileQuery: Sendable {
    private let text: String
    private let uuid: BluetoothUUID?

    init(_ text: String) {
        self.text = text.lowercased()
        uuid =
            BluetoothUUID(text)
            ?? (AssignedNumbers.service(named: text) ?? AssignedNumbers.characteristic(named: text))?.uuid
    }

    /// The services with this UUID or name, else those with this tag.
    func services(in catalog: ProfileCatalog) -> [ServiceDeclaration] {
        let exact = catalog.services.filter { $0.uuid == uuid || $0.name.lowercased() == text }
        return exact.isEmpty ? catalog.services.filter { $0.tag.lowercased() == text } : exact
    }

    /// The characteristics with this UUID or name, each with its service.
    func characteristics(
        in catalog: ProfileCatalog
    ) -> [(service: ServiceDeclaration, characteristic: AnyCharacteristicProfile)] {
        catalog.services.flatMap { service in
            service.characteristics.filter { $0.uuid == uuid || $0.name.lowercased() == text }.map { (service, $0) }
        }
    }

    /// What the number alone is assigned to.
    var assigned: (kind: String, attribute: AssignedNumbers.Attribute)? {
        guard let uuid else { return nil }
        if let service = AssignedNumbers.service(uuid) { return ("service", service) }
        if let characteristic = AssignedNumbers.characteristic(uuid) { return ("characteristic", characteristic) }
        return AssignedNumbers.descriptor(uuid).map { ("descriptor", $0) }
    }
}
