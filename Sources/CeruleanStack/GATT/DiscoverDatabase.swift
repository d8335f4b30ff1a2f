// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// Finds a whole database: features, services, includes, characteristics, descriptors, extended properties.
///
/// Includes and characteristics are asked for over all services at once, which takes fewer requests than one service at a
/// time. A server that refuses what is optional (features, secondary services, includes) has none.
struct DiscoverDatabase: ClientProcedure {
    private enum Phase {
        case features(ReadByType)
        case primary(DiscoverServices)
        case secondary(DiscoverServices)
        case includes(FindIncludedServices)
        case characteristics(DiscoverCharacteristics)
        case descriptors(DiscoverDescriptors)
        case extendedProperties(ReadValue)
    }

    private var phase = Phase.features(ReadByType(GATT.serverSupportedFeatures, start: 1, end: 0xFFFF))
    private var database = GATT.Database()
    private var services: [GATT.Service] = []
    private var includes: [GATT.Include] = []
    private var characteristics: [GATT.Characteristic] = []
    /// Position in the tree: the characteristic whose descriptors are being found.
    private var serviceIndex = 0
    private var characteristicIndex = -1

    mutating func request(into pdu: inout [UInt8], mtu: Int) {
        switch phase {
        case .features(var part):
            part.request(into: &pdu, mtu: mtu)
            phase = .features(part)
        case .primary(var part), .secondary(var part): part.request(into: &pdu, mtu: mtu)
        case .includes(var part): part.request(into: &pdu, mtu: mtu)
        case .characteristics(var part): part.request(into: &pdu, mtu: mtu)
        case .descriptors(var part): part.request(into: &pdu, mtu: mtu)
        case .extendedProperties(var part): part.request(into: &pdu, mtu: mtu)
        }
    }

    mutating func received(_ response: RawSpan, mtu: Int) -> ProcedureStep<GATT.Database> {
        switch phase {
        case .features(var part):
            // One is enough: a second request for more of them is not made.
            guard case .failed(let error) = part.received(response, mtu: mtu) else {
                if let view = try? ATT.ItemListView(response) {
                    database.serverFeatures = response.array(in: view[0].lowerBound + 2..<view[0].upperBound)
                }
                return enter(.primary(DiscoverServices()))
            }
            return .failed(error)
        case .primary(var part):
            let step = part.received(response, mtu: mtu)
            phase = .primary(part)
            return after(step) { $0.afterPrimary($1) }
        case .secondary(var part):
            let step = part.received(response, mtu: mtu)
            phase = .secondary(part)
            return after(step) { $0.afterSecondary($1) }
        case .includes(var part):
            let step = part.received(response, mtu: mtu)
            phase = .includes(part)
            return after(step) { $0.afterIncludes($1) }
        case .characteristics(var part):
            let step = part.received(response, mtu: mtu)
            phase = .characteristics(part)
            return after(step) { $0.afterCharacteristics($1) }
        case .descriptors(var part):
            let step = part.received(response, mtu: mtu)
            phase = .descriptors(part)
            return after(step) { $0.afterDescriptors($1) }
        case .extendedProperties(var part):
            return after(part.received(response, mtu: mtu)) { $0.afterExtendedProperties($1) }
        }
    }

    mutating func refused(_ error: ATT.ErrorResponse) -> ProcedureStep<GATT.Database> {
        switch phase {
        case .features: return enter(.primary(DiscoverServices()))
        case .primary(var part): return after(part.refused(error)) { $0.afterPrimary($1) }
        case .secondary(let part): return afterSecondary(part.found)
        case .includes(var part):
            guard case .finished(let found) = part.refused(error) else { return afterIncludes([]) }
            return afterIncludes(found)
        case .characteristics(var part): return after(part.refused(error)) { $0.afterCharacteristics($1) }
        case .descriptors(var part): return after(part.refused(error)) { $0.afterDescriptors($1) }
        case .extendedProperties: return nextDescriptors()
        }
    }

    // MARK: - private

    private mutating func enter(_ next: Phase) -> ProcedureStep<GATT.Database> {
        phase = next
        return .request
    }

    private mutating func after<Found>(
        _ step: ProcedureStep<Found>, _ then: (inout Self, Found) -> ProcedureStep<GATT.Database>
    ) -> ProcedureStep<GATT.Database> {
        switch step {
        case .request: .request
        case .failed(let error): .failed(error)
        case .finished(let found): then(&self, found)
        }
    }

    private mutating func afterPrimary(_ found: [GATT.Service]) -> ProcedureStep<GATT.Database> {
        services = found
        return enter(.secondary(DiscoverServices(isPrimary: false)))
    }

    private mutating func afterSecondary(_ found: [GATT.Service]) -> ProcedureStep<GATT.Database> {
        services = (services + found).sorted { $0.start < $1.start }
        guard let first = services.first, let last = services.map(\.end).max() else { return .finished(database) }
        return enter(.includes(FindIncludedServices(start: first.start, end: last)))
    }

    private mutating func afterIncludes(_ found: [GATT.Include]) -> ProcedureStep<GATT.Database> {
        includes = found
        guard let first = services.first, let last = services.map(\.end).max() else { return .finished(database) }
        return enter(.characteristics(DiscoverCharacteristics(start: first.start, end: last)))
    }

    private mutating func afterCharacteristics(_ found: [GATT.Characteristic]) -> ProcedureStep<GATT.Database> {
        characteristics = found
        plant()
        return nextDescriptors()
    }

    private mutating func afterDescriptors(_ found: [GATT.Descriptor]) -> ProcedureStep<GATT.Database> {
        database.services[serviceIndex].characteristics[characteristicIndex].descriptors = found
        guard let extended = found.first(where: { $0.uuid == GATT.extendedProperties }) else {
            return nextDescriptors()
        }
        return enter(.extendedProperties(ReadValue(handle: extended.handle)))
    }

    private mutating func afterExtendedProperties(_ value: [UInt8]) -> ProcedureStep<GATT.Database> {
        if let low = value.first {
            let bits = CharacteristicProperties(rawValue: UInt16(low) << 8)
            database.services[serviceIndex].characteristics[characteristicIndex].characteristic.properties.formUnion(
                bits)
        }
        return nextDescriptors()
    }

    /// Goes to the next characteristic that has room for descriptors.
    private mutating func nextDescriptors() -> ProcedureStep<GATT.Database> {
        characteristicIndex += 1
        while serviceIndex < database.services.count {
            let nodes = database.services[serviceIndex].characteristics
            while characteristicIndex < nodes.count {
                let characteristic = nodes[characteristicIndex].characteristic
                if characteristic.handle < characteristic.end {
                    return enter(
                        .descriptors(DiscoverDescriptors(start: characteristic.handle + 1, end: characteristic.end)))
                }
                characteristicIndex += 1
            }
            serviceIndex += 1
            characteristicIndex = 0
        }
        return .finished(database)
    }

    /// Puts includes and characteristics into the innermost service around them, in one pass over all of them.
    private mutating func plant() {
        database.services = services.map { GATT.Database.ServiceNode($0) }
        var innermost = Sweep(services)
        for include in includes {
            if let index = innermost.service(at: include.handle) { database.services[index].includes.append(include) }
        }
        innermost = Sweep(services)
        for var characteristic in characteristics {
            guard let index = innermost.service(at: characteristic.declaration) else { continue }
            characteristic.end = min(characteristic.end, services[index].end)
            guard characteristic.handle <= characteristic.end else { continue }
            database.services[index].characteristics.append(GATT.Database.CharacteristicNode(characteristic))
        }
    }

    /// Finds the innermost service around handles that come in order; linear in all, however services are nested.
    private struct Sweep {
        private let services: [GATT.Service]
        private var next = 0
        private var open: [Int] = []

        init(_ services: [GATT.Service]) { self.services = services }

        mutating func service(at handle: UInt16) -> Int? {
            while next < services.count, services[next].start <= handle {
                open.append(next)
                next += 1
            }
            while let last = open.last, services[last].end < handle { open.removeLast() }
            return open.last
        }
    }
}
