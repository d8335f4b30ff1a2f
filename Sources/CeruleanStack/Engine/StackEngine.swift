// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// A Bluetooth LE host without input and output: H4 octets and calls go in, H4 octets and events come out, all of it
/// synchronously. ``StackHost`` puts it on an event loop and a transport.
///
/// The owner sets ``send``, ``onEvent`` and ``onValue``, hands received octets to ``receive(_:now:)``, and calls
/// ``tick(now:)`` when ``nextDeadline`` has come. Everything happens on one thread; callbacks may call the engine.
/// ```swift
/// let engine = StackEngine(configuration: StackConfiguration(name: "Lab"))
/// engine.send = { packets in socket.write(packets) }
/// engine.start(now: now, timeout: .seconds(5)) { result in … }
/// ```
public final class StackEngine {
    /// How it was set up.
    public let configuration: StackConfiguration
    /// Takes one or more whole H4 packets for the controller. The span is valid only during the call.
    @exclusivity(unchecked) public var send: (RawSpan) -> Void = { _ in }
    /// Takes every event but `HostEvent/value(link:attribute:value:mode:)`.
    @exclusivity(unchecked) public var onEvent: (HostEvent) -> Void = { _ in }
    /// Takes notifications and indications. The span is valid only during the call; nothing was copied or allocated.
    @exclusivity(unchecked) public var onValue: (LinkID, AttributeID, RawSpan, SubscriptionMode) -> Void = {
        _, _, _, _ in
    }
    /// Takes the bonds whenever they have changed, for saving.
    public var onBondsChanged: (BondDatabase) -> Void = { _ in }
    /// Called when the stream of the controller cannot be read any more (security H1): close and open the transport, then
    /// ``start(now:timeout:completion:)``.
    public var onTransportFailure: (HostError) -> Void = { _ in }

    /// Whether the adapter can be used.
    @exclusivity(unchecked) public internal(set) var state = AdapterState.poweredOff
    /// When ``tick(now:)`` must be called next; `.distantFuture` when nothing is pending. May be earlier than needed.
    @exclusivity(unchecked) public internal(set) var nextDeadline = MonotonicTime.distantFuture
    /// The address on the air; nil before the first start.
    public internal(set) var localAddress: DeviceAddress?
    /// What was counted since the engine was made.
    @exclusivity(unchecked) public internal(set) var counters = Counters()

    /// Things worth knowing that are no errors of anybody's call.
    public struct Counters: Hashable, Sendable {
        /// Events that were too short, or told impossible things.
        public var malformedEvents: UInt64 = 0
        /// Events of kinds that are not handled.
        public var unknownEvents: UInt64 = 0
        /// ACL packets that belong to no link, or are malformed.
        public var droppedPackets: UInt64 = 0
        /// Resets that the engine had to do.
        public var resets: UInt64 = 0
    }

    // Everything below is the state of the parts; each extension of the engine says what it keeps.
    //
    // Nothing here is held `inout` while a callback runs, but the framer, and a flag keeps calls from coming back to that:
    // the checks for overlapping access, a third of the cost of a notification, are left out.
    @exclusivity(unchecked) var now = MonotonicTime.zero

    // Receiving
    @exclusivity(unchecked) var framer = H4Framer()
    @exclusivity(unchecked) var isReceiving = false
    @exclusivity(unchecked) var deferredInput: [UInt8] = []
    @exclusivity(unchecked) var takesInput = false

    // Commands and start-up
    @exclusivity(unchecked) var commands = CommandQueue()
    @exclusivity(unchecked) var isPumping = false
    var startup = Startup()
    /// Everything is being ended: no command is taken.
    var isEnding = false

    // Links
    @exclusivity(unchecked) var links: [Link?] = Array(repeating: nil, count: Int(HCI.maximumHandle) + 1)
    @exclusivity(unchecked) var linkCount = 0
    var lastLink: UInt64 = 0
    var earlyPackets = EarlyPackets()

    // Sending
    @exclusivity(unchecked) var aclLength = 27
    @exclusivity(unchecked) var aclTotal = 0
    @exclusivity(unchecked) var aclFree = 0
    @exclusivity(unchecked) var sendRing: [Link] = []
    @exclusivity(unchecked) var sendRingHead = 0
    @exclusivity(unchecked) var packetScratch: [UInt8] = []

    // Operations
    @exclusivity(unchecked) var operations = OperationTable()

    // GAP
    @exclusivity(unchecked) var advertisers: AdvertiserTable
    @exclusivity(unchecked) var scanner = Scanner()
    var advertiser = Advertiser()
    var connector = Connector()
    var syncs = Syncs()

    // Security
    var privacy = Privacy()
    var security: SecurityManager
    var asker = PairingAsker()
    /// Databases of bonded peers.
    var cache = DatabaseCache()
    /// What is done when the present call is over.
    private var deferred: [() -> Void] = []
    /// The link that is being closed, while those who wait for it are told.
    var closingLink: Link?

    // Channels
    @exclusivity(unchecked) var channels = Channels()

    // Our database
    let server = GATTServer()
    private(set) lazy var answers = ServerAnswers(self)
    @exclusivity(unchecked) var publications: Publications

    /// An engine that is off.
    public init(configuration: StackConfiguration = StackConfiguration()) {
        self.configuration = configuration
        security = SecurityManager(policy: configuration.pairing, crypto: configuration.crypto)
        advertisers = AdvertiserTable(capacity: configuration.maximumAdvertisers, seed: configuration.seed)
        publications = Publications(name: configuration.name, appearance: configuration.appearance)
        setUpServer()
    }

    // MARK: - input

    /// Takes octets of the controller, cut anywhere. May be called from inside ``send``: they are then taken afterwards.
    public func receive(_ bytes: RawSpan, now: MonotonicTime) {
        guard takesInput else { return }
        guard !isReceiving else {
            // What comes from inside a callback waits for its turn; a controller that floods us here is given up.
            guard deferredInput.count + bytes.byteCount <= 1 << 20 else {
                return transportFailed(HostError(.adapterFailed, detail: "the controller sends faster than it is read"))
            }
            unsafe bytes.withUnsafeBytes { unsafe deferredInput.append(contentsOf: $0) }
            return
        }
        self.now = now
        isReceiving = true
        feed(bytes)
        while !deferredInput.isEmpty {
            var input: [UInt8] = []
            swap(&input, &deferredInput)
            feed(input.span.bytes)
            input.removeAll(keepingCapacity: true)
            if deferredInput.isEmpty { swap(&input, &deferredInput) }
        }
        isReceiving = false
    }

    /// Lets time pass. Call it when ``nextDeadline`` has come; earlier calls do nothing.
    public func tick(now: MonotonicTime) {
        self.now = now
        guard now >= nextDeadline else { return }
        nextDeadline = .distantFuture
        tickCommands()
        tickDeferred()
        tickOperations()
        tickLinks()
        tickBearers()
        tickConnector()
        tickAdvertising()
        tickSyncs()
        tickSecurity()
        tickPrivacy()
        tickResolvingList()
        earlyPackets.expire(now: now)
        recomputeDeadline()
    }

    // MARK: - deadlines

    /// Something is due at `moment`.
    @inline(__always)
    func arm(_ moment: MonotonicTime) {
        if moment < nextDeadline { nextDeadline = moment }
    }

    func emit(_ event: HostEvent) { onEvent(event) }

    func setState(_ new: AdapterState) {
        guard new != state else { return }
        state = new
        emit(.stateChanged(new))
    }

    // MARK: - private

    /// Does something when the present call is over: completions do not come from inside the call that they belong to.
    func later(_ body: @escaping () -> Void) {
        deferred.append(body)
        arm(now)
    }

    private func tickDeferred() {
        let bodies = deferred
        deferred = []
        for body in bodies { body() }
    }

    private func recomputeDeadline() {
        if !deferred.isEmpty { arm(now) }
        arm(commands.deadline)
        arm(startup.deadline)
        arm(connector.deadline)
        arm(advertiser.deadline)
        arm(syncs.deadline)
        arm(security.nextDeadline)
        arm(privacy.deadline)
        arm(privacy.list.retry)
        arm(earlyPackets.deadline)
        arm(operations.nextDeadline)
        for link in allLinks {
            arm(link.bearer.nextDeadline)
            arm(link.closeDeadline)
            for channel in link.channels?.all ?? [] {
                if let bearer = channel.bearer?.bearer { arm(bearer.nextDeadline) }
            }
        }
    }

    private func feed(_ bytes: RawSpan) {
        do {
            try framer.feed(bytes) { type, body in packet(type, body) }
        } catch {
            transportFailed(
                HostError(
                    .adapterFailed, detail: "the controller's stream cannot be read: \(error); it has to be reset"))
        }
    }

    private func packet(_ type: H4.PacketType, _ body: RawSpan) {
        guard takesInput else { return }
        switch type {
        case .acl: receiveACL(body)
        case .event: receiveEvent(body)
        default: counters.unknownEvents &+= 1
        }
    }
}
