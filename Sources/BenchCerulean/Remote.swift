// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// The other side of every workload: a controller and the peers behind it, in as few instructions as possible.
///
/// It answers all commands, makes a link for each Create Connection, and serves one small database on each link.
final class Remote {
    /// Octets for the host, taken by the owner.
    @exclusivity(unchecked) var outbox: [UInt8] = []
    /// What a Read Response carries.
    var readValue: [UInt8] {
        get { Array(readAnswer.dropFirst(8 + 10)) }
        set {
            // Completed packets, then the response.
            let length = newValue.count + 1
            readAnswer =
                Self.completed + [2, 0, 0x20, UInt8(length + 4), 0, UInt8(length), 0, 4, 0, 0x0B] + newValue
        }
    }
    @exclusivity(unchecked) private var readAnswer: [UInt8] = []
    private static let completed: [UInt8] = [4, 0x13, 5, 1, 0, 0, 1, 0]

    /// Puts a running number into the value of the next Read Response.
    func number(_ value: UInt64) {
        readAnswer.withUnsafeMutableBytes { unsafe $0.storeBytes(of: value, toByteOffset: 8 + 10, as: UInt64.self) }
    }
    /// ATT PDUs of the host that are no requests of the set-up, for the owner to look at.
    var onResponse: (RawSpan) -> Void = { _ in }

    /// Handles of the database.
    static let valueHandle: UInt16 = 3
    private var lastHandle: UInt16 = 0

    /// Takes packets of the host.
    func receive(_ packets: RawSpan) {
        var position = 0
        while position < packets.byteCount {
            let type = H4.PacketType(rawValue: packets[position])
            guard let size = type.bodySize(of: packets, at: position + 1) else { return }
            let body = packets.extracting(position + 1..<position + 1 + size)
            if type == .acl { receiveACL(body) } else { receiveCommand(body) }
            position += 1 + size
        }
    }

    // MARK: - controller

    private func receiveCommand(_ body: RawSpan) {
        let opcode = HCI.Opcode(rawValue: body.uint16(at: 0))
        switch opcode {
        case .leReadBufferSize: complete(opcode, [251, 0, 64])
        case .readLocalSupportedCommands: complete(opcode, [UInt8](repeating: 0xFF, count: 64))
        case .readBDADDR: complete(opcode, [1, 0, 0, 0xE0, 0x0D, 0])
        case .leCreateConnection:
            event(0x0F, [0, 1, 0x0D, 0x20])
            let peer = body.extracting(3 + 6..<3 + 12).array
            open(role: 0, addressKind: body[3 + 5], peer)
        default: complete(opcode, [0, 0, 0, 0, 0, 0, 0, 0])
        }
    }

    /// Opens the next link.
    func open(role: UInt8, addressKind: UInt8, _ peer: [UInt8]) {
        lastHandle += 1
        let handle = [UInt8(truncatingIfNeeded: lastHandle), UInt8(truncatingIfNeeded: lastHandle >> 8)]
        event(0x3E, [0x01, 0] + handle + [role, addressKind] + peer + [24, 0, 0, 0, 0xF4, 1, 0])
    }

    private func complete(_ opcode: HCI.Opcode, _ parameters: [UInt8]) {
        let code = opcode.rawValue
        event(0x0E, [1, UInt8(truncatingIfNeeded: code), UInt8(truncatingIfNeeded: code >> 8), 0] + parameters)
    }

    private func event(_ code: UInt8, _ parameters: [UInt8]) {
        outbox += [4, code, UInt8(parameters.count)]
        outbox += parameters
    }

    // MARK: - peer

    private func receiveACL(_ body: RawSpan) {
        let handle = body.uint16(at: 0) & 0x0FFF
        let pdu = body.extracting(8..<body.byteCount)
        let start = outbox.count
        if pdu[0] == 0x0A, body.uint16(at: 6) == 4 {
            outbox.append(contentsOf: readAnswer)
            outbox[start + 9] = UInt8(truncatingIfNeeded: handle)
            outbox[start + 10] = UInt8(truncatingIfNeeded: handle >> 8) | 0x20
        } else {
            outbox.append(contentsOf: Self.completed)
        }
        outbox[start + 4] = UInt8(truncatingIfNeeded: handle)
        outbox[start + 5] = UInt8(truncatingIfNeeded: handle >> 8)
        guard body.uint16(at: 6) == 4 else { return }
        switch pdu[0] {
        case 0x0A: return
        case 0x02: answer(handle, [0x03, 0x05, 0x02])
        case 0x10 where pdu.uint16(at: 1) <= 1: answer(handle, [0x11, 6, 1, 0, 4, 0, 0x0D, 0x18])
        case 0x06 where pdu.uint16(at: 1) <= 1: answer(handle, [0x07, 1, 0, 4, 0])
        case 0x08 where pdu.uint16(at: 1) <= 2 && pdu.uint16(at: 5) == 0x2803:
            answer(handle, [0x09, 7, 2, 0, 0x12, 3, 0, 0x37, 0x2A])
        case 0x04 where pdu.uint16(at: 1) <= 4: answer(handle, [0x05, 1, 4, 0, 0x02, 0x29])
        case 0x12: answer(handle, [0x13])
        case 0x04, 0x06, 0x08, 0x10:
            answer(handle, [0x01, pdu[0], pdu[1], pdu[2], 0x0A])
        default: onResponse(pdu)
        }
    }

    private func answer(_ handle: UInt16, _ pdu: [UInt8]) {
        header(handle, pdu.count)
        outbox.append(contentsOf: pdu)
    }

    private func header(_ handle: UInt16, _ count: Int) {
        outbox.append(2)
        append(handle | 0x2000)
        append(UInt16(count + 4))
        append(UInt16(count))
        append(4)
    }

    private func append(_ value: UInt16) {
        outbox.append(UInt8(truncatingIfNeeded: value))
        outbox.append(UInt8(truncatingIfNeeded: value >> 8))
    }

    // MARK: - packets for the workloads

    /// A PDU as ACL packets with at most `part` octets of data each.
    static func packets(_ pdu: [UInt8], handle: UInt16, part: Int) -> [UInt8] {
        let frame = [UInt8(pdu.count & 255), UInt8(pdu.count >> 8), 4, 0] + pdu
        var out: [UInt8] = []
        var position = 0
        while position < frame.count {
            let count = min(part, frame.count - position)
            let word = handle | (position == 0 ? 0x2000 : 0x1000)
            out += [2, UInt8(word & 255), UInt8(word >> 8), UInt8(count & 255), UInt8(count >> 8)]
            out += frame[position..<position + count]
            position += count
        }
        return out
    }
}
