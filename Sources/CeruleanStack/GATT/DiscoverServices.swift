// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// Walks a range of handles and watches that every answer makes progress (security A13).
struct HandleRange {
    let end: UInt16
    /// The first handle of the next request.
    private(set) var next: UInt16
    private var last: UInt16?

    init(_ start: UInt16, _ end: UInt16) {
        next = start
        self.end = end
    }

    /// Takes an item at `handle`; false when it lies outside the request or does not come behind the item before.
    mutating func accept(_ handle: UInt16) -> Bool {
        guard handle >= next, handle <= end, last.map({ handle > $0 }) ?? (handle != 0) else { return false }
        last = handle
        return true
    }

    /// Sets the next request behind `handle`; false when the range is used up. Never counts beyond 0xFFFF.
    mutating func advance(past handle: UInt16) -> Bool {
        guard handle < end else { return false }
        next = handle + 1
        last = nil
        return true
    }

    /// Appends the two handles of the next request.
    func append(to pdu: inout [UInt8]) {
        pdu.append(littleEndian: next)
        pdu.append(littleEndian: end)
    }
}

extension ATT.ErrorResponse {
    /// The normal end of a discovery. The handle it names does not matter (vector GAD-CL-BV-04-C).
    var endsDiscovery: Bool { error == .attributeNotFound }
}

/// Discover All Primary (or Secondary) Services. Core 5.4, Vol 3, Part G, 4.4.1.
struct DiscoverServices: ClientProcedure {
    private var range: HandleRange
    private let isPrimary: Bool
    private(set) var found: [GATT.Service] = []

    init(isPrimary: Bool = true, start: UInt16 = 1, end: UInt16 = 0xFFFF) {
        self.isPrimary = isPrimary
        range = HandleRange(start, end)
    }

    mutating func request(into pdu: inout [UInt8], mtu: Int) {
        pdu.append(ATT.Opcode.readByGroupTypeRequest.rawValue)
        range.append(to: &pdu)
        pdu.append(contentsOf: [isPrimary ? 0x00 : 0x01, 0x28])
    }

    mutating func received(_ response: RawSpan, mtu: Int) -> ProcedureStep<[GATT.Service]> {
        guard let items = try? ATT.ItemListView(response), items.length == 6 || items.length == 20 else {
            return .failed(.invalidResponse("services of a wrong length"))
        }
        var furthest: UInt16 = 0
        for index in 0..<items.count {
            let item = items[index]
            let start = response.uint16(at: item.lowerBound)
            let end = response.uint16(at: item.lowerBound + 2)
            guard let uuid = response.uuid(in: item.lowerBound + 4..<item.upperBound), end >= start, range.accept(start)
            else { return .failed(.invalidResponse("service at handle \(start) out of order")) }
            found.append(GATT.Service(start: start, end: end, uuid: uuid, isPrimary: isPrimary))
            furthest = max(furthest, end)
        }
        return range.advance(past: furthest) ? .request : .finished(found)
    }

    mutating func refused(_ error: ATT.ErrorResponse) -> ProcedureStep<[GATT.Service]> {
        error.endsDiscovery ? .finished(found) : .failed(.refused(error))
    }
}

/// Discover Primary Service by Service UUID. Core 5.4, Vol 3, Part G, 4.4.2.
struct DiscoverServicesByType: ClientProcedure {
    private var range: HandleRange
    private let uuid: BluetoothUUID
    private let value: [UInt8]
    private var found: [GATT.Service] = []

    /// - Parameter sendsFullUUID: sends 16 octets for an assigned UUID too.
    init(_ uuid: BluetoothUUID, sendsFullUUID: Bool, start: UInt16 = 1, end: UInt16 = 0xFFFF) {
        self.uuid = uuid
        value = sendsFullUUID ? uuid.littleEndian128 : uuid.attBytes
        range = HandleRange(start, end)
    }

    mutating func request(into pdu: inout [UInt8], mtu: Int) {
        pdu.append(ATT.Opcode.findByTypeValueRequest.rawValue)
        range.append(to: &pdu)
        pdu.append(contentsOf: [0x00, 0x28])
        pdu.append(contentsOf: value)
    }

    mutating func received(_ response: RawSpan, mtu: Int) -> ProcedureStep<[GATT.Service]> {
        guard let items = try? ATT.ItemListView(response) else {
            return .failed(.invalidResponse("services cut short"))
        }
        var furthest: UInt16 = 0
        for index in 0..<items.count {
            let item = items[index]
            let start = response.uint16(at: item.lowerBound)
            let end = response.uint16(at: item.lowerBound + 2)
            guard end >= start, range.accept(start) else {
                return .failed(.invalidResponse("service at handle \(start) out of order"))
            }
            found.append(GATT.Service(start: start, end: end, uuid: uuid))
            furthest = max(furthest, end)
        }
        return range.advance(past: furthest) ? .request : .finished(found)
    }

    mutating func refused(_ error: ATT.ErrorResponse) -> ProcedureStep<[GATT.Service]> {
        error.endsDiscovery ? .finished(found) : .failed(.refused(error))
    }
}

/// Find Included Services. Core 5.4, Vol 3, Part G, 4.5.1: a service of 128 bits is named by handles alone, its UUID is read.
struct FindIncludedServices: ClientProcedure {
    private var range: HandleRange
    private var found: [GATT.Include] = []
    private var reading: [GATT.Include] = []
    private var furthest: UInt16 = 0

    init(start: UInt16, end: UInt16) { range = HandleRange(start, end) }

    mutating func request(into pdu: inout [UInt8], mtu: Int) {
        if let next = reading.last {
            pdu.append(ATT.Opcode.readRequest.rawValue)
            pdu.append(littleEndian: next.start)
        } else {
            pdu.append(ATT.Opcode.readByTypeRequest.rawValue)
            range.append(to: &pdu)
            pdu.append(contentsOf: [0x02, 0x28])
        }
    }

    mutating func received(_ response: RawSpan, mtu: Int) -> ProcedureStep<[GATT.Include]> {
        if var include = reading.popLast() {
            guard response[0] == ATT.Opcode.readResponse.rawValue, let uuid = response.uuid(in: 1..<response.byteCount)
            else { return .failed(.invalidResponse("service declaration of a wrong length")) }
            include.uuid = uuid
            found.append(include)
            return goOn()
        }
        guard let items = try? ATT.ItemListView(response), items.length == 6 || items.length == 8 else {
            return .failed(.invalidResponse("includes of a wrong length"))
        }
        for index in 0..<items.count {
            let item = items[index]
            let handle = response.uint16(at: item.lowerBound)
            let start = response.uint16(at: item.lowerBound + 2)
            let end = response.uint16(at: item.lowerBound + 4)
            guard range.accept(handle) else {
                return .failed(.invalidResponse("include at handle \(handle) out of order"))
            }
            furthest = handle
            // An include of nothing is left out (security A15).
            guard start != 0, end >= start else { continue }
            var include = GATT.Include(handle: handle, start: start, end: end, uuid: BluetoothUUID())
            if items.length == 8 {
                include.uuid = BluetoothUUID(response.uint16(at: item.lowerBound + 6))
                found.append(include)
            } else {
                reading.append(include)
            }
        }
        reading.reverse()
        return goOn()
    }

    mutating func refused(_ error: ATT.ErrorResponse) -> ProcedureStep<[GATT.Include]> {
        reading.isEmpty && error.endsDiscovery ? .finished(found) : .failed(.refused(error))
    }

    private mutating func goOn() -> ProcedureStep<[GATT.Include]> {
        if !reading.isEmpty { return .request }
        return range.advance(past: furthest) ? .request : .finished(found)
    }
}
