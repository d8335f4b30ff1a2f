// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// One credit based channel: cuts units into frames, puts frames together, and counts credits both ways. Pure: the owner sends.
/// Core 5.4, Vol 3, Part A, 3.4.3 and 10.1. Security L11, L12.
struct CreditFlow {
    /// One end of a channel.
    struct End: Hashable {
        var channel: L2CAP.ChannelID
        /// Octets of the longest unit that it takes.
        var mtu: Int
        /// Octets of the longest frame that it takes.
        var mps: Int
    }

    /// What a frame came to.
    enum Received: Hashable {
        /// The unit is not whole yet.
        case more
        /// The unit is whole: it lies in ``CreditFlow/unit`` until the next frame.
        case unit
        /// The peer broke the protocol: the channel must be closed.
        case violation(String)
    }

    /// Octets that may wait to be sent.
    static let highWater = 131_072
    /// Octets that wait below which the application is told to go on.
    static let lowWater = 32_768
    /// Octets of the longest frame that we ask for, with its header: longer ones save hardly anything, and let others wait.
    static let longestFrame = Reassembler.maximumFrame

    let local: End
    var remote: End
    /// Frames that the peer may have under way and unused here.
    let window: Int
    /// Frames that we may send.
    private(set) var sendCredits: Int
    /// Frames that the peer may send.
    private(set) var receiveCredits: Int
    /// The unit that is being put together, or the last whole one.
    private(set) var unit: [UInt8] = []
    private var unitLength: Int?
    private var isWhole = false
    /// Octets that were handed over and not given back; an empty unit counts as one.
    private(set) var unconsumed = 0
    /// The units that they lie in behind the oldest, by their octets.
    private var held = ATTQueue<Int>()
    /// Octets that are left of the oldest unit.
    private var oldest = 0
    /// Frames that the oldest unit counts as.
    private var oldestFrames = 0
    /// Frames that all these units count as, at least one each, so that short ones do not pile up.
    private var heldFrames = 0

    private var queue = ATTQueue<[UInt8]>()
    private var head: [UInt8] = []
    private var headSent = 0
    private var hasHead = false
    /// Octets that wait to be sent.
    private(set) var queued = 0

    /// - Parameter octets: what the application lets wait at most.
    init(local: End, remote: End, sendCredits: Int, window octets: Int) {
        self.local = local
        self.remote = remote
        self.sendCredits = sendCredits
        window = Self.window(local, octets)
        receiveCredits = window
    }

    /// The MPS for units of so many octets on a link with data packets of so many octets: frames fill whole packets with their
    /// headers, as few as the unit needs. Core 5.4, Vol 3, Part A, 3.4.3; Vol 6, Part B, 2.4.
    static func frame(unit: Int, packet: Int) -> Int {
        let packet = min(max(packet, 27), 251)
        let needed = (unit + 2 + L2CAP.BasicHeader.byteCount + packet - 1) / packet
        return min(max(needed, 1), longestFrame / packet) * packet - L2CAP.BasicHeader.byteCount
    }

    /// Frames for a window of so many octets: always enough for two units of the longest kind, or nothing would ever be whole.
    static func window(_ local: End, _ octets: Int) -> Int {
        let unit = (local.mtu + 2 + local.mps - 1) / local.mps
        return min(max(octets / local.mps, 2 * unit, 4), 65_535)
    }

    /// The peer agreed to the channel.
    mutating func open(_ remote: End, credits: Int) {
        self.remote = remote
        sendCredits = credits
    }

    // MARK: - receiving

    mutating func receive(_ frame: RawSpan) -> Received {
        guard receiveCredits > 0 else { return .violation("a frame without credit") }
        receiveCredits -= 1
        guard frame.byteCount <= local.mps else { return .violation("a frame beyond the MPS") }
        if isWhole {
            isWhole = false
            unit.removeAll(keepingCapacity: true)
        }
        var part = frame
        if unitLength == nil {
            guard frame.byteCount >= 2 else { return .violation("a frame without the length of its unit") }
            let length = Int(frame.uint16(at: 0))
            guard length <= local.mtu else { return .violation("a unit beyond the MTU") }
            unitLength = length
            unit.reserveCapacity(length)
            part = frame.extracting(2..<frame.byteCount)
        }
        guard let length = unitLength else { return .more }
        guard unit.count + part.byteCount <= length else { return .violation("a unit longer than it said") }
        unsafe part.withUnsafeBytes { unsafe unit.append(contentsOf: $0) }
        guard unit.count == length else { return .more }
        unitLength = nil
        isWhole = true
        // An empty unit counts too, or they would pile up.
        hold(max(1, length))
        return .unit
    }

    private mutating func hold(_ octets: Int) {
        unconsumed += octets
        heldFrames += frames(octets)
        guard oldest == 0 else { return held.append(octets) }
        oldest = octets
        oldestFrames = frames(octets)
    }

    /// The application used octets.
    mutating func consume(_ octets: Int) {
        var octets = min(max(octets, 0), unconsumed)
        unconsumed -= octets
        while octets > 0, oldest > 0 {
            let part = min(octets, oldest)
            octets -= part
            oldest -= part
            guard oldest == 0 else { return }
            heldFrames -= oldestFrames
            oldest = held.popFirst() ?? 0
            oldestFrames = frames(oldest)
        }
    }

    private func frames(_ octets: Int) -> Int { (octets + local.mps - 1) / local.mps }

    /// Credits to give to the peer now; nil when it has enough or has to wait for the application.
    mutating func grant() -> UInt16? {
        let used = heldFrames + (isWhole ? 0 : frames(unit.count))
        let more = window - used - receiveCredits
        // Few and large grants: each is a packet of its own.
        guard more > 0, more >= max(1, window / 2) || receiveCredits == 0 else { return nil }
        receiveCredits += more
        return UInt16(clamping: more)
    }

    // MARK: - sending

    /// False when there is no room; nothing was taken then.
    mutating func enqueue(_ unit: [UInt8]) -> Bool {
        guard queued == 0 || queued + unit.count <= Self.highWater else { return false }
        queued += unit.count
        queue.append(unit)
        return true
    }

    /// True when nothing waits to be sent.
    var isDrained: Bool { !hasHead && queue.isEmpty }

    /// True when a frame could be sent now.
    var canSend: Bool { sendCredits > 0 && !isDrained }

    /// Appends the next frame to `frame`; false when there is none, or no credit.
    mutating func nextFrame(into frame: inout [UInt8]) -> Bool {
        guard sendCredits > 0 else { return false }
        if !hasHead {
            guard let next = queue.popFirst() else { return false }
            head = next
            headSent = 0
            hasHead = true
            frame.append(littleEndian: UInt16(truncatingIfNeeded: next.count))
        }
        let room = remote.mps - frame.count
        let size = min(max(0, room), head.count - headSent)
        frame.append(contentsOf: head[headSent..<headSent + size])
        headSent += size
        queued -= size
        sendCredits -= 1
        if headSent == head.count {
            hasHead = false
            head = []
        }
        return true
    }

    /// The peer gives credits; false when that breaks the protocol (L12).
    mutating func add(credits: UInt16) -> Bool {
        guard credits > 0, sendCredits + Int(credits) <= 65_535 else { return false }
        sendCredits += Int(credits)
        return true
    }
}
