// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// One end of a link: what its controller keeps for it.
final class LinkEnd {
    /// Something that waits to be sent.
    enum Outgoing {
        case data([UInt8], isFirst: Bool)
        case control(LinkControl)
    }

    /// Something that a host asks the other end's link layer, as often as it likes.
    enum Question { case version, features, dataLength }

    let role: HCI.Role
    unowned let link: Link
    /// Nil when the controller has let go of the link (power off, reset, disconnected).
    private(set) var controller: VirtualController?
    var handle: UInt16 = 0
    /// The peer's identity when it is known, else its address.
    var peer = DeviceAddress(.zero, .public)
    /// The address that the peer connected with.
    var peerOnAir = DeviceAddress(.zero, .public)
    /// What to do with synchronizations that the peer hands over; nil: as for all links.
    var syncTransfer: SyncTransferPolicy?
    /// Synchronizations that are on their way to the peer.
    var openTransfers = 0
    static let maximumTransfers = 4
    /// Units of 10 ms after which the host is told that no packet with a valid check came.
    var payloadTimeout: UInt16 = 3_000
    /// When the host was told so last.
    private(set) var payloadAlarm = Int64.min
    private(set) var payloadTimer: TimerNode!

    /// What this end asked for, and what it can receive.
    var wanted = DataLength()
    /// Data lengths in force for sending; the other end's are those for receiving.
    var sending = DataLength()
    var phy = HCI.PHY.le1M
    /// The data lengths that the host knows of: sending, receiving.
    var announced = [DataLength(), DataLength()]
    /// What LE Set PHY asked for.
    var phyRequest: (tx: HCI.PHYMask, rx: HCI.PHYMask) = ([], [])
    var isUpdating = false
    var isChangingPHY = false
    var awaitsReply = false
    var disconnectRequested = false
    /// What the host asked the other end for and has not been answered: one question of each kind at a time.
    var questions: Set<Question> = []
    /// The key that the host gave for the encryption that is starting, or in force.
    var key: [UInt8]?
    var isEncrypting = false
    var isEncrypted = false
    var awaitsKey = false
    /// Data of the host rests while encryption starts.
    var holdsData = false {
        didSet {
            guard !holdsData, !held.isEmpty else { return }
            queue += held
            held.removeAll()
        }
    }
    /// Packets of the host that are not done.
    private(set) var dataCount = 0

    private var queue: [Outgoing] = []
    private var head = 0
    private var held: [Outgoing] = []
    /// Octets of the first packet that the peer has acknowledged.
    private var acknowledged = 0
    private var size = 0
    /// The part in flight has reached the peer, but the peer's answer was lost.
    var isDelivered = false

    init(role: HCI.Role, link: Link, controller: VirtualController) {
        self.role = role
        self.link = link
        self.controller = controller
        payloadTimer = TimerNode { [unowned self] now in
            payloadAlarm = now
            self.controller?.emit(HCI.AuthenticatedPayloadTimeoutExpired(handle: handle))
            self.link.watchPayload(of: self)
        }
    }

    var other: LinkEnd { role == .central ? link.peripheral : link.central }

    var hasData: Bool { head < queue.count }

    func enqueue(_ item: Outgoing) {
        if case .data = item {
            dataCount += 1
            if holdsData { return held.append(item) }
        }
        queue.append(item)
    }

    /// Octets of the next part to be sent; 0 when there is none. A part that has to be repeated keeps its size.
    func takeSize() -> Int {
        guard hasData else { return 0 }
        if isDelivered { return size }
        switch queue[head] {
        case .data(let bytes, _): size = min(bytes.count - acknowledged, sending.limit(on: phy))
        case .control(let control): size = control.size
        }
        return size
    }

    /// The next part, still in the queue.
    enum Part {
        case data([UInt8], Range<Int>, isFirst: Bool)
        case control(LinkControl)
    }

    /// The first `size` octets that wait; nil when the size is 0.
    func part(of size: Int) -> Part? {
        guard size > 0, hasData else { return nil }
        switch queue[head] {
        case .data(let bytes, let isFirst):
            return .data(bytes, acknowledged..<acknowledged + size, isFirst: isFirst && acknowledged == 0)
        case .control(let control): return .control(control)
        }
    }

    /// Takes note that the peer has the first `size` octets; true when a packet of the host is done.
    func acknowledge(_ size: Int) -> Bool {
        isDelivered = false
        guard hasData else { return false }
        var isDone = false
        switch queue[head] {
        case .data(let bytes, _):
            acknowledged += size
            guard acknowledged >= bytes.count else { return false }
            dataCount -= 1
            isDone = true
        case .control: break
        }
        acknowledged = 0
        head += 1
        if head == queue.count {
            queue.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64 {
            queue.removeSubrange(..<head)
            head = 0
        }
        return isDone
    }

    /// The controller lets go; nothing reaches it any more.
    func release() {
        controller = nil
        queue.removeAll()
        held.removeAll()
        head = 0
        acknowledged = 0
        isDelivered = false
        dataCount = 0
    }
}
