// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

// ACL data both ways: reassembly of what comes, fragments and credits for what goes. Core 5.4, Vol 4, Part E, 4.1 and 5.4.2.
extension StackEngine {
    func receiveACL(_ body: RawSpan) {
        guard let header = HCI.ACLHeader(reading: body) else {
            counters.droppedPackets &+= 1
            return
        }
        let handle = Int(header.handle)
        guard handle < links.count, let link = links[handle] else {
            // Security H16, L15: a packet may overtake the event that opens its link.
            if handle < links.count { earlyPackets.keep(body, handle: header.handle, now: now) }
            arm(earlyPackets.deadline)
            counters.droppedPackets &+= 1
            return
        }
        let size = HCI.ACLHeader.size
        guard Int(header.length) == body.byteCount - size, header.length > 0, header.broadcast == 0,
            header.boundary != .reserved
        else {
            // Security H17.
            link.reassembler.drop()
            counters.droppedPackets &+= 1
            return
        }
        let data = unsafe body.extracting(unchecked: size..<body.byteCount)
        if header.boundary.isFirst {
            guard let frame = L2CAP.BasicHeader(in: data) else { return link.reassembler.start(data) }
            let total = Int(frame.length) + L2CAP.BasicHeader.byteCount
            if total == data.byteCount {
                if link.reassembler.isOpen { link.reassembler.drop() }
                receive(data.extracting(L2CAP.BasicHeader.byteCount..<total), on: frame.channelID, of: link)
            } else if total < data.byteCount {
                link.reassembler.drop()
                counters.droppedPackets &+= 1
            } else {
                link.reassembler.start(data)
            }
        } else if link.reassembler.add(data) {
            let frame = link.reassembler.finish()
            let channel = L2CAP.ChannelID(rawValue: UInt16(frame[2]) | UInt16(frame[3]) << 8)
            receive(frame.span.bytes.extracting(4..<frame.count), on: channel, of: link)
            link.reassembler.recycle(frame)
        }
    }

    /// One whole frame.
    @inline(__always)
    private func receive(_ payload: RawSpan, on channel: L2CAP.ChannelID, of link: Link) {
        if channel == .attribute {
            link.bearer.receive(payload, now: now)
            arm(link.bearer.nextDeadline)
        } else if channel == .signaling {
            receiveSignaling(payload, on: link)
        } else if channel == .securityManager {
            receiveSecurityManager(payload, on: link)
        } else {
            // Security L5: other channels are ignored without a word.
            receiveChannelFrame(payload, on: channel.rawValue, of: link)
        }
    }

    // MARK: - sending

    /// Sends a frame, or lets it wait behind those that wait.
    func transmit(_ payload: RawSpan, on channel: L2CAP.ChannelID, of link: Link) {
        guard link.phase == .open, let length = UInt16(exactly: payload.byteCount) else { return }
        let header = L2CAP.BasicHeader(length: length, channelID: channel)
        let size = payload.byteCount + L2CAP.BasicHeader.byteCount
        if link.backlog == 0, size <= aclLength, takesPacket(link) {
            link.acceptedPackets &+= 1
            sendPacket(of: link, boundary: .firstNonFlushable, length: size) { packet in
                header.append(to: &packet)
                unsafe payload.withUnsafeBytes { unsafe packet.append(contentsOf: $0) }
            }
            return
        }
        guard link.backlog + size <= Link.limit else {
            return close(link, reason: .remoteLowResources)
        }
        link.acceptedPackets &+= UInt64((size + aclLength - 1) / aclLength)
        header.append(to: &link.sendQueue)
        unsafe payload.withUnsafeBytes { unsafe link.sendQueue.append(contentsOf: $0) }
        line(up: link)
        pumpACL()
    }

    /// A controller has room for a packet of this link. With several links none may hold more than half of the buffers, so
    /// that a peer out of range does not silence the others.
    private func takesPacket(_ link: Link) -> Bool {
        guard aclFree > 0 else { return false }
        return linkCount < 2 || link.inFlight < max(1, (aclTotal + 1) / 2)
    }

    private func line(up link: Link) {
        guard !link.isQueued, link.backlog > 0 else { return }
        link.isQueued = true
        sendRing.append(link)
    }

    /// Sends what waits, one packet of each link in turn, as far as the credits go.
    func pumpACL() {
        guard !isEnding else { return }
        var blocked = 0
        while aclFree > 0, sendRingHead < sendRing.count, blocked < sendRing.count - sendRingHead {
            let link = sendRing[sendRingHead]
            sendRingHead += 1
            if sendRingHead >= 64, sendRingHead * 2 >= sendRing.count {
                sendRing.removeFirst(sendRingHead)
                sendRingHead = 0
            }
            link.isQueued = false
            guard link.phase == .open, link.backlog > 0 else { continue }
            guard takesPacket(link) else {
                line(up: link)
                blocked += 1
                continue
            }
            blocked = 0
            sendNextFragment(of: link)
            line(up: link)
            tellReady(link)
        }
        if sendRingHead == sendRing.count {
            sendRing.removeAll(keepingCapacity: true)
            sendRingHead = 0
        }
    }

    private func sendNextFragment(of link: Link) {
        let isFirst = link.frameLeft == 0
        if isFirst {
            let length = Int(link.sendQueue[link.sendHead]) | Int(link.sendQueue[link.sendHead + 1]) << 8
            link.frameLeft = length + L2CAP.BasicHeader.byteCount
        }
        let size = min(link.frameLeft, aclLength)
        let range = link.sendHead..<link.sendHead + size
        link.frameLeft -= size
        link.sendHead += size
        sendPacket(of: link, boundary: isFirst ? .firstNonFlushable : .continuing, length: size) { packet in
            packet.append(contentsOf: link.sendQueue[range])
        }
        if link.sendHead == link.sendQueue.count {
            link.sendQueue.removeAll(keepingCapacity: true)
            link.sendHead = 0
        } else if link.sendHead >= 16_384 {
            link.sendQueue.removeFirst(link.sendHead)
            link.sendHead = 0
        }
    }

    /// Counts a packet as with the controller, then sends it: its completion may come from inside the call (security H10).
    private func sendPacket(
        of link: Link, boundary: HCI.PacketBoundary, length: Int, _ fill: (inout [UInt8]) -> Void
    ) {
        aclFree -= 1
        link.inFlight += 1
        var packet: [UInt8] = []
        swap(&packet, &packetScratch)
        packet.removeAll(keepingCapacity: true)
        packet.append(H4.PacketType.acl.rawValue)
        HCI.ACLHeader(handle: link.handle, boundary: boundary, length: UInt16(truncatingIfNeeded: length))
            .write(into: &packet)
        fill(&packet)
        send(packet.span.bytes)
        swap(&packet, &packetScratch)
    }

    private func tellReady(_ link: Link) {
        guard link.owesReady, link.backlog <= Link.lowWater else { return }
        link.owesReady = false
        link.bearer.readyToSend(now: now)
        arm(link.bearer.nextDeadline)
        if link.channels != nil { pumpChannels(link) }
    }

    // MARK: - credits

    func receiveCompletedPackets(_ parameters: RawSpan) {
        var completed = HCI.CompletedPackets(parameters)
        while let (handle, count) = completed.next() {
            guard Int(handle) < links.count, let link = links[Int(handle)] else { continue }
            // Security H10: never more than is in flight.
            let done = min(Int(count), link.inFlight)
            link.inFlight -= done
            link.completedPackets &+= UInt64(done)
            link.sentUpdates.completed(link.completedPackets)
            aclFree += done
            if link.backlog == 0 { tellReady(link) }
        }
        pumpACL()
    }

    /// The packets of a link that is gone count as done. Core 5.4, Vol 4, Part E, 4.3.
    func reclaimCredits(of link: Link) {
        aclFree += link.inFlight
        link.inFlight = 0
        link.sendQueue = []
        link.sendHead = 0
        link.frameLeft = 0
    }
}

/// ACL packets that came before the event that opens their link: a few, for a second. Security H16.
struct EarlyPackets {
    private struct Packet {
        var handle: UInt16
        var body: [UInt8]
        var until: MonotonicTime
    }

    static let limit = 8
    static let maximumSize = 1_024

    private var packets: [Packet] = []

    var deadline: MonotonicTime { packets.first?.until ?? .distantFuture }

    mutating func keep(_ body: RawSpan, handle: UInt16, now: MonotonicTime) {
        guard body.byteCount <= Self.maximumSize else { return }
        if packets.count >= Self.limit { packets.removeFirst() }
        packets.append(Packet(handle: handle, body: body.array, until: now + .seconds(1)))
    }

    mutating func expire(now: MonotonicTime) { packets.removeAll { $0.until <= now } }

    mutating func take(_ handle: UInt16) -> [[UInt8]] {
        let found = packets.filter { $0.handle == handle }.map(\.body)
        packets.removeAll { $0.handle == handle }
        return found
    }

    mutating func removeAll() { packets.removeAll() }
}
