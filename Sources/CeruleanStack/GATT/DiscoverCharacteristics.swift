// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// Discover All Characteristics of a Service, or those of one type. Core 5.4, Vol 3, Part G, 4.6.
struct DiscoverCharacteristics: ClientProcedure {
    private var range: HandleRange
    private let uuid: BluetoothUUID?
    private var found: [GATT.Characteristic] = []

    init(uuid: BluetoothUUID? = nil, start: UInt16, end: UInt16) {
        self.uuid = uuid
        range = HandleRange(start, end)
    }

    mutating func request(into pdu: inout [UInt8], mtu: Int) {
        pdu.append(ATT.Opcode.readByTypeRequest.rawValue)
        range.append(to: &pdu)
        pdu.append(contentsOf: [0x03, 0x28])
    }

    mutating func received(_ response: RawSpan, mtu: Int) -> ProcedureStep<[GATT.Characteristic]> {
        guard let items = try? ATT.ItemListView(response), items.length == 7 || items.length == 21 else {
            return .failed(.invalidResponse("characteristics of a wrong length"))
        }
        var furthest: UInt16 = 0
        for index in 0..<items.count {
            let item = items[index]
            let declaration = response.uint16(at: item.lowerBound)
            guard let type = response.uuid(in: item.lowerBound + 5..<item.upperBound), range.accept(declaration) else {
                return .failed(.invalidResponse("characteristic at handle \(declaration) out of order"))
            }
            furthest = declaration
            let value = response.uint16(at: item.lowerBound + 3)
            // Ends of those before become known by the declaration that follows.
            if let previous = found.indices.last, found[previous].end >= declaration {
                found[previous].end = declaration - 1
            }
            // A value that does not lie behind its declaration is left out (security A15).
            guard value > declaration, value <= range.end else { continue }
            found.append(
                GATT.Characteristic(
                    declaration: declaration, handle: value, end: range.end, uuid: type,
                    properties: CharacteristicProperties(rawValue: UInt16(response[item.lowerBound + 2]))))
        }
        return range.advance(past: furthest) ? .request : .finished(result)
    }

    mutating func refused(_ error: ATT.ErrorResponse) -> ProcedureStep<[GATT.Characteristic]> {
        error.endsDiscovery ? .finished(result) : .failed(.refused(error))
    }

    private var result: [GATT.Characteristic] {
        found.filter { $0.handle <= $0.end && (uuid == nil || $0.uuid == uuid) }
    }
}

/// Discover All Characteristic Descriptors. Core 5.4, Vol 3, Part G, 4.7.1.
struct DiscoverDescriptors: ClientProcedure {
    private var range: HandleRange
    private let stop: BluetoothUUID?
    private var found: [GATT.Descriptor] = []

    /// - Parameter stop: ends as soon as a descriptor of this type was found.
    init(start: UInt16, end: UInt16, stoppingAt stop: BluetoothUUID? = nil) {
        self.stop = stop
        range = HandleRange(start, end)
    }

    mutating func request(into pdu: inout [UInt8], mtu: Int) {
        pdu.append(ATT.Opcode.findInformationRequest.rawValue)
        range.append(to: &pdu)
    }

    mutating func received(_ response: RawSpan, mtu: Int) -> ProcedureStep<[GATT.Descriptor]> {
        guard let items = try? ATT.ItemListView(response) else {
            return .failed(.invalidResponse("descriptors of a wrong length"))
        }
        var furthest: UInt16 = 0
        for index in 0..<items.count {
            let item = items[index]
            let handle = response.uint16(at: item.lowerBound)
            guard let uuid = response.uuid(in: item.lowerBound + 2..<item.upperBound), range.accept(handle) else {
                return .failed(.invalidResponse("descriptor at handle \(handle) out of order"))
            }
            found.append(GATT.Descriptor(handle: handle, uuid: uuid))
            if uuid == stop { return .finished(found) }
            furthest = handle
        }
        return range.advance(past: furthest) ? .request : .finished(found)
    }

    mutating func refused(_ error: ATT.ErrorResponse) -> ProcedureStep<[GATT.Descriptor]> {
        error.endsDiscovery ? .finished(found) : .failed(.refused(error))
    }
}
