// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// Flow control towards the host. Core 5.4, Vol 4, Part E, 4.2.
///
/// While the host has no room, the link layer does not acknowledge what its peers send, so that nothing piles up here.
struct HostFlow {
    var isEnabled = false
    /// Octets of data in one packet.
    var length = 251
    /// Packets that the host can hold.
    var count = 0
    /// Packets that the host has and has not given back.
    private var held: [UInt16: Int] = [:]
    private var heldCount = 0
    /// The rest of one packet of the link layer that the host gets in several.
    private var waiting: [(handle: UInt16, packet: [UInt8])] = []

    var isOn: Bool { isEnabled && count > 0 }

    /// True when the link layer may take another packet.
    var hasRoom: Bool { !isOn || waiting.isEmpty && heldCount < count }

    /// Takes data from the air; returns the packets that the host gets now.
    mutating func take(_ data: ArraySlice<UInt8>, isFirst: Bool, _ handle: UInt16) -> [[UInt8]] {
        var rest = data
        var isFirst = isFirst
        repeat {
            let part = rest.prefix(isOn ? length : rest.count)
            rest = rest.dropFirst(part.count)
            waiting.append((handle, Self.packet(part, isFirst: isFirst, handle)))
            isFirst = false
        } while !rest.isEmpty
        return release()
    }

    /// The host has given packets back; returns those that it gets now. More than it holds it cannot give.
    mutating func give(_ count: Int, _ handle: UInt16) -> [[UInt8]] {
        let given = min(count, held[handle] ?? 0)
        held[handle, default: 0] -= given
        heldCount -= given
        return release()
    }

    /// The link is over: its packets count no more.
    mutating func forget(_ handle: UInt16) -> [[UInt8]] {
        heldCount -= held.removeValue(forKey: handle) ?? 0
        waiting.removeAll { $0.handle == handle }
        return release()
    }

    static func packet(_ data: ArraySlice<UInt8>, isFirst: Bool, _ handle: UInt16) -> [UInt8] {
        var packet: [UInt8] = []
        packet.reserveCapacity(5 + data.count)
        packet.append(H4.PacketType.acl.rawValue)
        HCI.ACLHeader(
            handle: handle, boundary: isFirst ? .first : .continuing, length: UInt16(truncatingIfNeeded: data.count)
        ).write(into: &packet)
        packet += data
        return packet
    }

    private mutating func release() -> [[UInt8]] {
        var packets: [[UInt8]] = []
        while !waiting.isEmpty, !isOn || heldCount < count {
            let (handle, packet) = waiting.removeFirst()
            if isOn {
                held[handle, default: 0] += 1
                heldCount += 1
            }
            packets.append(packet)
        }
        return packets
    }
}

extension CommandTable {
    /// Commands for flow control towards the host.
    static let hostFlowCommands: [Entry] = [
        plain(HCI.SetControllerToHostFlowControl.self) { (controller, command) throws(Refusal) in
            guard command.enable <= 3 else { throw Refusal(.invalidParameters) }
            guard controller.linkCount == 0 else { throw Refusal(.commandDisallowed) }
            controller.hostFlow.isEnabled = command.enable & 1 == 1
        },
        plain(HCI.HostBufferSize.self) { (controller, command) throws(Refusal) in
            guard command.aclLength >= 27, command.aclCount > 0 else { throw Refusal(.invalidParameters) }
            guard controller.linkCount == 0 else { throw Refusal(.commandDisallowed) }
            controller.hostFlow.length = Int(command.aclLength)
            controller.hostFlow.count = Int(command.aclCount)
        },
        // Answered only when it is wrong. Core 5.4, Vol 4, Part E, 7.3.40.
        Entry(
            opcode: .hostNumberOfCompletedPackets,
            carryOut: { controller, parameters in
                guard let command = try? HCI.HostNumberOfCompletedPackets(decoding: parameters) else {
                    return controller.complete(.hostNumberOfCompletedPackets, .invalidParameters, HCIEmpty())
                }
                for entry in command.entries {
                    for packet in controller.hostFlow.give(Int(entry.count), entry.handle & 0x0FFF) {
                        controller.emit(raw: packet)
                    }
                }
            },
            refuse: { controller, code, _ in
                controller.complete(.hostNumberOfCompletedPackets, code, HCIEmpty())
            }),
    ]
}
