// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// Exchange MTU. Core 5.4, Vol 3, Part G, 4.3.1. A refusal counts as 23 octets.
struct ExchangeMTU: ClientProcedure {
    let localMTU: Int

    mutating func request(into pdu: inout [UInt8], mtu: Int) {
        pdu.append(ATT.Opcode.exchangeMTURequest.rawValue)
        pdu.append(littleEndian: UInt16(localMTU))
    }

    mutating func received(_ response: RawSpan, mtu: Int) -> ProcedureStep<Int> {
        guard response.byteCount == 3 else { return .failed(.invalidResponse("MTU of a wrong length")) }
        return .finished(Int(response.uint16(at: 1)))
    }

    mutating func refused(_ error: ATT.ErrorResponse) -> ProcedureStep<Int> { .finished(ATT.defaultMTU) }
}

/// Read Characteristic Value. Core 5.4, Vol 3, Part G, 4.8.1.
struct ReadValue: ClientProcedure {
    let handle: UInt16

    mutating func request(into pdu: inout [UInt8], mtu: Int) {
        pdu.append(ATT.Opcode.readRequest.rawValue)
        pdu.append(littleEndian: handle)
    }

    mutating func received(_ response: RawSpan, mtu: Int) -> ProcedureStep<[UInt8]> {
        .finished(response.array(in: 1..<response.byteCount))
    }
}

/// Read Long Characteristic Values. Core 5.4, Vol 3, Part G, 4.8.3.
///
/// The parts are read one after the other: a server that changes the value meanwhile may hand out parts of both.
struct ReadLongValue: ClientProcedure {
    let handle: UInt16
    private let start: Int
    private(set) var value: [UInt8] = []

    init(handle: UInt16, offset: UInt16 = 0) {
        self.handle = handle
        start = Int(offset)
    }

    mutating func request(into pdu: inout [UInt8], mtu: Int) {
        let offset = start + value.count
        pdu.append((offset == 0 ? ATT.Opcode.readRequest : .readBlobRequest).rawValue)
        pdu.append(littleEndian: handle)
        // At most 65535: no more than 512 octets are read behind an offset that had 16 bits.
        if offset > 0 { pdu.append(littleEndian: UInt16(clamping: offset)) }
    }

    mutating func received(_ response: RawSpan, mtu: Int) -> ProcedureStep<[UInt8]> {
        take(response, mtu: mtu) ? .request : .finished(value)
    }

    mutating func refused(_ error: ATT.ErrorResponse) -> ProcedureStep<[UInt8]> {
        endsWell(error) ? .finished(value) : .failed(.refused(error))
    }

    /// Takes a part; true when more may follow.
    mutating func take(_ response: RawSpan, mtu: Int) -> Bool {
        let part = response.byteCount - 1
        if value.isEmpty {
            value = response.array(in: 1..<response.byteCount)
        } else {
            value.append(response.extracting(1..<response.byteCount))
        }
        // Only a full part means that more may follow.
        if part == mtu - 1, start + value.count < ATT.maximumValueLength { return true }
        if start + value.count > ATT.maximumValueLength {
            value.removeLast(min(value.count, start + value.count - ATT.maximumValueLength))
        }
        return false
    }

    /// True for a value of exactly one part: some servers say so with an error.
    func endsWell(_ error: ATT.ErrorResponse) -> Bool {
        !value.isEmpty && (error.error == .invalidOffset || error.error == .attributeNotLong)
    }
}

/// Read Using Characteristic UUID, for all attributes of a type in a range. Core 5.4, Vol 3, Part G, 4.8.2.
struct ReadByType: ClientProcedure {
    private var range: HandleRange
    private let uuid: BluetoothUUID
    private let onlyFirst: Bool
    private var found: [GATT.FoundValue] = []

    init(_ uuid: BluetoothUUID, start: UInt16, end: UInt16, onlyFirst: Bool = false) {
        self.uuid = uuid
        self.onlyFirst = onlyFirst
        range = HandleRange(start, end)
    }

    mutating func request(into pdu: inout [UInt8], mtu: Int) {
        pdu.append(ATT.Opcode.readByTypeRequest.rawValue)
        range.append(to: &pdu)
        pdu.append(contentsOf: uuid.attBytes)
    }

    mutating func received(_ response: RawSpan, mtu: Int) -> ProcedureStep<ReadByTypeResult> {
        guard let items = try? ATT.ItemListView(response) else {
            return .failed(.invalidResponse("values of a wrong length"))
        }
        var furthest: UInt16 = 0
        for index in 0..<items.count {
            let item = items[index]
            let handle = response.uint16(at: item.lowerBound)
            guard range.accept(handle) else {
                return .failed(.invalidResponse("value at handle \(handle) out of order"))
            }
            furthest = handle
            found.append(
                GATT.FoundValue(handle: handle, value: response.array(in: item.lowerBound + 2..<item.upperBound)))
        }
        guard !onlyFirst, range.advance(past: furthest) else {
            return .finished(ReadByTypeResult(values: found, endedBy: nil))
        }
        return .request
    }

    mutating func refused(_ error: ATT.ErrorResponse) -> ProcedureStep<ReadByTypeResult> {
        guard error.endsDiscovery, !found.isEmpty else { return .failed(.refused(error)) }
        return .finished(ReadByTypeResult(values: found, endedBy: error.error))
    }
}

/// Read Multiple Characteristic Values: values of known lengths, joined. Core 5.4, Vol 3, Part G, 4.8.4.
struct ReadMultiple: ClientProcedure {
    let handles: [UInt16]

    mutating func request(into pdu: inout [UInt8], mtu: Int) {
        pdu.append(ATT.Opcode.readMultipleRequest.rawValue)
        for handle in handles { pdu.append(littleEndian: handle) }
    }

    mutating func received(_ response: RawSpan, mtu: Int) -> ProcedureStep<[UInt8]> {
        .finished(response.array(in: 1..<response.byteCount))
    }
}

/// Read Multiple Variable Length Characteristic Values. Core 5.4, Vol 3, Part G, 4.8.5.
struct ReadMultipleVariable: ClientProcedure {
    let handles: [UInt16]

    mutating func request(into pdu: inout [UInt8], mtu: Int) {
        pdu.append(ATT.Opcode.readMultipleVariableRequest.rawValue)
        for handle in handles { pdu.append(littleEndian: handle) }
    }

    mutating func received(_ response: RawSpan, mtu: Int) -> ProcedureStep<[[UInt8]]> {
        guard let packet = try? ATT.ReadMultipleVariableResponse(pdu: response), packet.items.count <= handles.count
        else {
            return .failed(.invalidResponse("values of a wrong length"))
        }
        // Cut at the MTU: what is not whole is left out, the caller reads it alone.
        return .finished(packet.items.filter { Int($0.length) == $0.value.count }.map(\.value))
    }
}
