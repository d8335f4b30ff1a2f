// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// Notifications that were handed over for sending, until the controller is done with their last packets.
///
/// Never longer than what waits for the link and what the controller holds, both of which are bounded.
struct SentUpdates {
    private var entries: [(handle: UInt16, packet: UInt64)] = []
    private var head = 0

    /// Takes a value that goes with the packet of this number, counted from 1.
    @inline(__always)
    mutating func append(_ handle: UInt16, packet: UInt64) { entries.append((handle, packet)) }

    /// The packets up to this number have left.
    @inline(__always)
    mutating func completed(_ packet: UInt64) {
        while head < entries.count, entries[head].packet <= packet { head += 1 }
        if head == entries.count {
            entries.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 256, head * 2 >= entries.count {
            entries.removeFirst(head)
            head = 0
        }
    }

    /// The handles of those whose packets have a higher number.
    func handles(behind packet: UInt64) -> [UInt16] {
        entries[head...].filter { $0.packet > packet }.map(\.handle)
    }

    /// The handles of the values in a PDU that notifies. Core 5.4, Vol 3, Part F, 3.4.7.
    @inline(__always)
    static func forEachHandle(in pdu: RawSpan, _ body: (UInt16) -> Void) {
        guard pdu.byteCount >= 3 else { return }
        if pdu[0] == ATT.Opcode.handleValueNotification.rawValue {
            body(UInt16(pdu[1]) | UInt16(pdu[2]) << 8)
        } else if pdu[0] == ATT.Opcode.multipleHandleValueNotification.rawValue {
            var position = 1
            while position + 4 <= pdu.byteCount {
                body(UInt16(pdu[position]) | UInt16(pdu[position + 1]) << 8)
                position += 4 + (Int(pdu[position + 2]) | Int(pdu[position + 3]) << 8)
            }
        }
    }
}
