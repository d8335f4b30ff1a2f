// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// The Attribute Protocol on one link: both roles, sans I/O. Core 5.4, Vol 3, Part F.
///
/// Everything happens on the owner's thread. The owner hands in received PDUs and the present time, calls
/// ``tick(now:)`` when ``nextDeadline`` has come, and performs what it is asked through ``ATTBearerOutput``. Calls from inside
/// a callback are allowed.
/// ```swift
/// let bearer = ATTBearer(localMTU: 517, server: server, peer: peer, output: self)
/// bearer.exchangeMTU(now: now) { _ in }
/// bearer.read(0x0003, now: now) { result in … }
/// ```
public final class ATTBearer {
    /// Operations that may wait for their turn; the next one ends with `queueFull`.
    public static let maximumQueuedOperations = 256
    /// Commands and notifications that may wait for room in the channel.
    public static let maximumQueuedValues = 64
    /// Indications that may wait for the confirmation of the one before.
    public static let maximumQueuedIndications = 64
    /// Answers handed to a channel that takes nothing; a peer that goes on asking without waiting gets no more.
    static let maximumBlockedAnswers = 8

    enum State {
        case open, failed, closed
    }

    /// The longest PDU that we take, 23 to 517 octets.
    public let localMTU: Int
    /// The longest PDU in either direction now, 23 to 517 octets.
    @exclusivity(unchecked) public private(set) var mtu = ATT.defaultMTU
    /// Who is at the other end. The owner changes it when the security of the link changes.
    public var peer: ATTPeer
    /// When ``tick(now:)`` must be called; `.distantFuture` when nothing is pending.
    @exclusivity(unchecked) public private(set) var nextDeadline = MonotonicTime.distantFuture

    // As for the engine: nothing is held `inout` while the output is called.
    @exclusivity(unchecked) private(set) var state = State.open
    @exclusivity(unchecked) var output: (any ATTBearerOutput)?
    @exclusivity(unchecked) var session: GATTServerSession?
    @exclusivity(unchecked) private var scratch: [UInt8] = []
    private var isMTUExchanged = false
    private var isEnhanced = false

    // The client's side: one request at a time.
    @exclusivity(unchecked) var current: ATTOperation?
    @exclusivity(unchecked) var waiting = ATTQueue<ATTOperation>()
    @exclusivity(unchecked) var pendingRequest: UInt8 = 0
    @exclusivity(unchecked) var requestDeadline = MonotonicTime.distantFuture { didSet { updateDeadline() } }
    var lastOperation: UInt64 = 0

    // Values that go without being asked for.
    @exclusivity(unchecked) var values = ATTQueue<OutgoingValue>()
    @exclusivity(unchecked) var indications = ATTQueue<OutgoingIndication>()
    @exclusivity(unchecked) var unconfirmed: OutgoingIndication?
    @exclusivity(unchecked) var indicationDeadline = MonotonicTime.distantFuture { didSet { updateDeadline() } }
    @exclusivity(unchecked) var writerWaits = false
    @exclusivity(unchecked) var updaterWaits = false
    @exclusivity(unchecked) private var blockedAnswers = 0

    @exclusivity(unchecked) var answerDeadline = MonotonicTime.distantFuture { didSet { updateDeadline() } }

    /// Opens a bearer.
    ///
    /// - Parameters:
    ///   - localMTU: the longest PDU that we take; held within 23 to 517 octets.
    ///   - server: answers the peer's requests; without one they are refused.
    ///   - peer: who is at the other end.
    ///   - output: performs what the bearer asks for; kept until ``close(_:)``. The stack itself sets it right behind.
    public init(localMTU: Int = ATT.maximumMTU, server: GATTServer?, peer: ATTPeer, output: (any ATTBearerOutput)?) {
        self.localMTU = min(max(localMTU, ATT.defaultMTU), ATT.maximumMTU)
        self.peer = peer
        self.output = output
        scratch.reserveCapacity(ATT.maximumMTU)
        session = server.map { GATTServerSession(server: $0, bearer: self) }
    }

    /// Opens one more bearer to the peer of another one, on a channel of its own. Core 5.4, Vol 3, Part F, 3.2.8 and 5.3.1.
    ///
    /// - Parameters:
    ///   - mtu: what the channel carries both ways; it is not exchanged. Held within 64 and 517 octets.
    ///   - first: the peer's first bearer. It keeps the subscriptions, and sends the values.
    init(enhancedMTU mtu: Int, beside first: ATTBearer) {
        localMTU = min(max(mtu, 64), ATT.maximumMTU)
        self.mtu = localMTU
        isEnhanced = true
        isMTUExchanged = true
        peer = first.peer
        output = nil
        scratch.reserveCapacity(ATT.maximumMTU)
        session = first.session.map { GATTServerSession(server: $0.server, bearer: self, first: $0) }
    }

    deinit { session?.close() }

    /// True until the bearer failed or was closed.
    public var isOpen: Bool { state == .open }

    /// True when nothing is outstanding or waits on the client's side.
    public var isIdle: Bool { current == nil && waiting.isEmpty }

    /// Takes one PDU from the peer. Nothing in it can trap or make the bearer grow.
    public func receive(_ pdu: RawSpan, now: MonotonicTime) {
        guard state == .open, pdu.byteCount > 0 else { return }
        let opcode = ATT.Opcode(rawValue: pdu[0])
        // Nobody may send more than was agreed on (security A2).
        guard pdu.byteCount <= mtu else {
            if opcode.kind == .request { refuse(opcode, handle: 0, .invalidPDU) }
            return
        }
        switch opcode.kind {
        case .notification: receiveNotification(pdu)
        case .indication: receiveIndication(pdu)
        case .response: receiveResponse(pdu, now: now)
        case .confirmation: receiveConfirmation(pdu, now: now)
        case .request: receiveRequest(opcode, pdu, now: now)
        case .command: session?.receiveCommand(opcode, pdu, now: now)
        }
    }

    /// Lets time pass. Call it when ``nextDeadline`` has come; at other times it does nothing.
    public func tick(now: MonotonicTime) {
        guard state == .open, nextDeadline <= now else { return }
        if requestDeadline <= now || indicationDeadline <= now {
            let request = requestDeadline <= now
            fail(
                HostError(
                    .timedOut, detail: "the peer did not \(request ? "answer" : "confirm an indication") within 30 s"))
        } else if answerDeadline <= now {
            session?.giveUpWaiting(now: now)
        }
    }

    /// Ends the bearer: every pending operation ends exactly once with `reason`. Nothing is sent any more.
    public func close(_ reason: HostError) {
        guard state != .closed else { return }
        state = .closed
        endAll(reason)
        session?.close()
        session = nil
        output = nil
    }

    // MARK: - MTU

    /// Exchanges the MTU, once for the life of the bearer; ends with the MTU in force.
    ///
    /// A peer that refuses leaves it at 23 octets. When the peer has exchanged it already nothing is sent.
    @discardableResult
    public func exchangeMTU(
        now: MonotonicTime, completion: @escaping (Result<Int, HostError>) -> Void
    ) -> ATTOperationID {
        start(ExchangeMTU(localMTU: localMTU), now: now) { [unowned self] result in
            // Operations are held by the bearer alone, so it is there when they end.
            completion(
                result.map { peerMTU in
                    self.agree(peerMTU)
                    return self.mtu
                })
        }
    }

    private func agree(_ peerMTU: Int) {
        guard !isMTUExchanged else { return }
        isMTUExchanged = true
        // A peer's number below 23 counts as 23, one above ours changes nothing (security A3).
        let agreed = max(ATT.defaultMTU, min(localMTU, peerMTU))
        guard agreed != mtu else { return }
        mtu = agreed
        output?.bearer(self, changedMTU: agreed)
    }

    private func receiveRequest(_ opcode: ATT.Opcode, _ pdu: RawSpan, now: MonotonicTime) {
        guard opcode == .exchangeMTURequest else {
            guard let session else { return refuse(opcode, handle: 0, .requestNotSupported) }
            session.receiveRequest(opcode, pdu, now: now)
            return
        }
        // On a channel of its own the lengths were agreed on already.
        guard !isEnhanced else { return refuse(opcode, handle: 0, .requestNotSupported) }
        guard let request = try? ATT.ExchangeMTURequest(pdu: pdu) else { return refuse(opcode, handle: 0, .invalidPDU) }
        let local = UInt16(localMTU)
        answer { pdu in
            pdu.append(ATT.Opcode.exchangeMTUResponse.rawValue)
            pdu.append(littleEndian: local)
        }
        // A second request is answered and changes nothing (host-stacks §2).
        agree(Int(request.mtu))
    }

    // MARK: - sending

    /// Builds a PDU in a buffer that is used again and again, and sends it.
    ///
    /// The buffer is taken out meanwhile: a peer in the same process may answer from inside the call.
    func transmit(_ build: (inout [UInt8]) -> Void) {
        guard let output, state == .open else { return }
        var pdu: [UInt8] = []
        swap(&pdu, &scratch)
        pdu.removeAll(keepingCapacity: true)
        build(&pdu)
        output.bearer(self, send: pdu.span.bytes)
        swap(&pdu, &scratch)
    }

    /// Sends a response or confirmation, unless the peer asks without waiting and the channel is stuck.
    func answer(_ build: (inout [UInt8]) -> Void) {
        guard let output, state == .open else { return }
        if output.bearerCanSend(self) {
            blockedAnswers = 0
        } else {
            guard blockedAnswers < Self.maximumBlockedAnswers else { return }
            blockedAnswers += 1
        }
        transmit(build)
    }

    /// Answers a request with an error.
    func refuse(_ request: ATT.Opcode, handle: UInt16, _ error: ATT.ErrorCode) {
        answer { pdu in
            pdu.append(ATT.Opcode.errorResponse.rawValue)
            pdu.append(request.rawValue)
            pdu.append(littleEndian: handle)
            pdu.append(error.rawValue)
        }
    }

    /// The channel takes commands and notifications again: sends what waits, then tells those who were refused.
    public func readyToSend(now: MonotonicTime) {
        guard state == .open else { return }
        blockedAnswers = 0
        flushValues(now: now)
    }

    // MARK: - ending

    private func fail(_ error: HostError) {
        state = .failed
        endAll(error)
        session?.close()
        output?.bearer(self, failed: error)
    }

    private func endAll(_ error: HostError) {
        var operations = waiting.removeAll()
        if let current { operations.insert(current, at: 0) }
        current = nil
        pendingRequest = 0
        requestDeadline = .distantFuture
        indicationDeadline = .distantFuture
        answerDeadline = .distantFuture
        let lost = values.removeAll()
        var unsent = indications.removeAll()
        if let unconfirmed { unsent.insert(unconfirmed, at: 0) }
        unconfirmed = nil
        for operation in operations { operation.fail(error) }
        for value in lost { value.completion?(.failure(error)) }
        for indication in unsent { indication.completion?(.failure(error)) }
    }

    private func updateDeadline() {
        nextDeadline = min(requestDeadline, indicationDeadline, answerDeadline)
    }
}

extension [UInt8] {
    /// Appends two octets, least significant first.
    @inline(__always)
    mutating func append(littleEndian value: UInt16) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 8))
    }

    /// Appends a copy of `span`.
    @inline(__always)
    mutating func append(_ span: RawSpan) {
        unsafe span.withUnsafeBytes { unsafe append(contentsOf: $0) }
    }
}
