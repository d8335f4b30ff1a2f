// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// One simulated air with any number of LE controllers on it.
///
/// A model without clocks, tasks, threads and I/O: it knows only the moments that it is told. Not Sendable: it lives with
/// its controllers on its owner's executor. The owner calls ``advance(to:)`` when ``nextDeadline`` has come and hands each
/// controller its host's octets; what the controllers have to say comes out of ``VirtualController/output``. With one seed
/// and the same calls, every run is the same.
///
/// Moments that lie before the latest one that the air was told count as that one. Packets take as long as on a real air,
/// but links do not disturb each other: each has the air, and the radios at its ends, for itself.
/// ```swift
/// let air = Air(seed: 1)
/// let controller = air.addController(.init(publicAddress: address), now: now)
/// controller.output = { packet in queue.append(packet) }
/// controller.receive(bytes.span.bytes, now: now)
/// if let deadline = air.nextDeadline { air.advance(to: deadline) }
/// ```
public final class Air {
    /// How signals weaken.
    public let configuration: Configuration
    /// The controllers that are there, in the order in which they came.
    public private(set) var controllers: [VirtualController] = []

    var random: SeededRandom
    private(set) var now: Int64 = 0
    private var timers = TimerQueue()
    private var listeners: [VirtualController] = []
    private var impairments: [PairKey: Impairment] = [:]
    private var nextIdentifier: UInt32 = 1
    private var links: [ObjectIdentifier: Link] = [:]
    private var isBusy = false
    private var deferred: [(VirtualController, [UInt8], Int64)] = []

    /// An empty air; `seed` decides all that chance decides.
    public init(seed: UInt64, configuration: Configuration = Configuration()) {
        random = SeededRandom(seed: seed)
        self.configuration = configuration
    }

    deinit {
        for link in links.values { link.releaseEnds() }
    }

    /// Brings a controller, powered on and in its initial state.
    public func addController(_ configuration: VirtualController.Configuration, now: MonotonicTime) -> VirtualController
    {
        run(now) {}
        let controller = VirtualController(configuration, identifier: nextIdentifier, air: self)
        nextIdentifier += 1
        controllers.append(controller)
        return controller
    }

    /// Takes a controller away as if its power was lost: it says nothing more, and its peers' links time out.
    public func remove(_ controller: VirtualController, now: MonotonicTime) {
        guard controllers.contains(where: { $0 === controller }) else { return }
        run(now) {
            controller.powerOff()
            controllers.removeAll { $0 === controller }
            impairments = impairments.filter { !$0.key.holds(controller.identifier) }
            controller.output = nil
        }
    }

    /// When ``advance(to:)`` has something to do; nil when nothing will happen by itself.
    public var nextDeadline: MonotonicTime? { timers.first.map { MonotonicTime(nanoseconds: $0) } }

    /// Runs everything that is due up to `now`, in order of time.
    public func advance(to now: MonotonicTime) {
        run(now) {}
    }

    // MARK: - faults

    /// Loses packets between two controllers, both ways, advertising too, until it is set again.
    ///
    /// - Parameters:
    ///   - probability: 0 to 1, for each packet.
    ///   - burstLength: how many packets are lost in a row on the average, at least 1.
    ///   - a: One side.
    ///   - b: The other side.
    ///   - now: The present moment.
    public func setLoss(
        _ probability: Double, burstLength: Double = 1, between a: VirtualController, and b: VirtualController,
        now: MonotonicTime
    ) {
        run(now) {
            let key = PairKey(a, b)
            impairments[key, default: Impairment()].loss = min(max(probability, 0), 1)
            impairments[key, default: Impairment()].burstLength = max(burstLength, 1)
            updateLinks(of: a)
        }
    }

    /// Lets nothing through between two controllers for `duration`.
    public func interrupt(
        _ a: VirtualController, _ b: VirtualController, for duration: Duration, now: MonotonicTime
    ) {
        run(now) {
            let end = (MonotonicTime(nanoseconds: self.now) + max(.zero, duration)).nanoseconds
            impairments[PairKey(a, b), default: Impairment()].blockedUntil = end
            updateLinks(of: a)
            schedule(TimerNode { [unowned self, weak a] _ in if let a { updateLinks(of: a) } }, at: end)
        }
    }

    /// Ends the connections between two controllers at once, with `reason` on both sides.
    public func drop(_ a: VirtualController, _ b: VirtualController, reason: HCI.ErrorCode, now: MonotonicTime) {
        run(now) {
            for end in a.allLinks where end.other.controller === b { end.link.close(reason, reason) }
        }
    }

    // MARK: - inside

    /// Tells the moment, runs what is due, then `body`. Calls from inside an output closure only add to the queue.
    func run(_ now: MonotonicTime, _ body: () -> Void) {
        if isBusy { return body() }
        isBusy = true
        runDue(upTo: now.nanoseconds)
        body()
        while !deferred.isEmpty {
            let waiting = deferred
            deferred.removeAll()
            for (controller, bytes, moment) in waiting {
                runDue(upTo: moment)
                controller.process(bytes.span.bytes)
            }
        }
        runDue(upTo: self.now)
        isBusy = false
    }

    /// Takes octets of a host; from inside an output closure they wait until the air is through with what it does.
    func receive(_ bytes: RawSpan, for controller: VirtualController, now: MonotonicTime) {
        if isBusy {
            deferred.append((controller, bytes.array, now.nanoseconds))
            return
        }
        isBusy = true
        runDue(upTo: now.nanoseconds)
        controller.process(bytes)
        isBusy = false
        if !deferred.isEmpty { run(now) {} }
    }

    func schedule(_ node: TimerNode, at time: Int64) { timers.schedule(node, at: max(time, now)) }

    func cancel(_ node: TimerNode) { timers.cancel(node) }

    /// Keeps the list of those who listen; called when `controller` begins or stops scanning or initiating.
    func updateListening(_ controller: VirtualController) {
        let listens = controller.isListening
        let index = listeners.firstIndex { $0 === controller }
        if listens, index == nil {
            let place = listeners.firstIndex { $0.identifier > controller.identifier } ?? listeners.count
            listeners.insert(controller, at: place)
        } else if !listens, let index {
            listeners.remove(at: index)
        }
    }

    /// Sends one advertising event to all who can hear it.
    func transmit(_ event: AdvertisingEvent, from sender: VirtualController) {
        var found: Found?
        for listener in listeners where listener !== sender && listener.hears(event, at: now) {
            receive(event, from: sender, at: listener, &found)
        }
        if let found { connect(found, to: sender, event) }
    }

    /// Who hears that an extended event begins, by their identifiers.
    func listeners(to event: AdvertisingEvent, from sender: VirtualController) -> Set<UInt32> {
        var hearing: Set<UInt32> = []
        for listener in listeners where listener !== sender && listener.hears(event, at: now) {
            guard
                isReceived(from: sender, at: listener, on: event.primaryPHY, power: Double(event.power)) != nil
            else { continue }
            hearing.insert(listener.identifier)
        }
        return hearing
    }

    /// Sends the data of an extended event to those who heard its beginning.
    func transmitData(_ event: AdvertisingEvent, from sender: VirtualController, to hearing: Set<UInt32>) {
        var found: Found?
        for listener in listeners where hearing.contains(listener.identifier) {
            receive(event, from: sender, at: listener, &found)
        }
        if let found { connect(found, to: sender, event) }
    }

    /// Measured strength of an event's data when they arrive, nil when they do not.
    func reception(of event: AdvertisingEvent, at receiver: VirtualController) -> Int8? {
        reception(from: event.set.controller, at: receiver, on: event.dataPHY, power: Double(event.power))
    }

    /// Measured strength at `receiver` when a packet from `sender` arrives there, nil when it does not.
    func reception(
        from sender: VirtualController, at receiver: VirtualController, on phy: HCI.PHY, power: Double
    ) -> Int8? {
        isReceived(from: sender, at: receiver, on: phy, power: power).map { measured($0) }
    }

    /// Octets of a chain that arrive before its first lost packet; the first packet has arrived.
    func receivedCount(of count: Int, _ event: AdvertisingEvent, at receiver: VirtualController) -> Int {
        receivedCount(
            of: count, from: event.set.controller, at: receiver, on: event.secondaryPHY, power: Double(event.power))
    }

    /// Octets of a chain that arrive before its first lost packet; the first packet has arrived.
    func receivedCount(
        of count: Int, from sender: VirtualController, at receiver: VirtualController, on phy: HCI.PHY, power: Double
    ) -> Int {
        let packets = AdvertisingTime.packets(count)
        for packet in 1..<max(packets, 1) where isReceived(from: sender, at: receiver, on: phy, power: power) == nil {
            return AdvertisingTime.octets(in: packet)
        }
        return count
    }

    func meanStrength(from sender: VirtualController, at receiver: VirtualController) -> Double {
        meanStrength(from: sender, at: receiver, power: Double(sender.configuration.txPower))
    }

    /// A strength as a receiver tells it: with deviation, within -127 to 20 dBm.
    func measured(_ strength: Double) -> Int8 {
        let level = min(max(strength + configuration.deviation * random.normal(), -127), 20)
        return Int8(level + (level < 0 ? -0.5 : 0.5))
    }

    /// Whether a link between two controllers could work now, in the radio mode that reaches less far of `phys`.
    func condition(_ a: VirtualController, _ b: VirtualController, on phys: [HCI.PHY]) -> Impairment {
        var impairment = impairments.isEmpty ? Impairment() : impairments[PairKey(a, b)] ?? Impairment()
        let strength = min(meanStrength(from: a, at: b), meanStrength(from: b, at: a))
        if !a.isOnAir || !b.isOnAir || impairment.blockedUntil > now
            || phys.contains(where: { strength < configuration.sensitivity(on: $0) })
        {
            impairment.loss = 1
        }
        return impairment
    }

    func keep(_ link: Link) { links[ObjectIdentifier(link)] = link }

    func forget(_ link: Link) { links[ObjectIdentifier(link)] = nil }

    func updateLinks(of controller: VirtualController) {
        for end in controller.allLinks { end.link.updateCondition() }
    }

    // MARK: - private

    private func runDue(upTo time: Int64) {
        while let node = timers.popDue(at: time) {
            now = max(now, node.time)
            node.action(now)
        }
        now = max(now, time)
    }

    private func receive(
        _ event: AdvertisingEvent, from sender: VirtualController, at listener: VirtualController, _ found: inout Found?
    ) {
        guard let rssi = reception(of: event, at: listener) else { return }
        if found == nil, let (who, own) = listener.initiates(to: event, at: sender) {
            found = Found(initiator: listener, advertiser: who, own: own)
            return
        }
        let count =
            event.isLegacy ? event.data.count : receivedCount(of: event.data.count, event, at: listener)
        listener.scanned(event, received: count, rssi: rssi, from: sender)
    }

    /// The mean strength of a packet that arrives.
    private func isReceived(
        from sender: VirtualController, at receiver: VirtualController, on phy: HCI.PHY, power: Double
    ) -> Double? {
        guard sender.isOnAir, receiver.isOnAir else { return nil }
        if let impairment = impairments.isEmpty ? nil : impairments[PairKey(sender, receiver)] {
            if impairment.blockedUntil > now || random.happens(impairment.loss) { return nil }
        }
        let strength = meanStrength(from: sender, at: receiver, power: power)
        return strength >= configuration.sensitivity(on: phy) ? strength : nil
    }

    private func meanStrength(
        from sender: VirtualController, at receiver: VirtualController, power: Double
    ) -> Double {
        configuration.strength(
            power: power, squaredDistance: sender.position.squaredDistance(to: receiver.position))
    }

    private func connect(_ found: Found, to advertiser: VirtualController, _ event: AdvertisingEvent) {
        let initiator = found.initiator
        guard let parameters = initiator.initiator.parameters(on: event.dataPHY),
            let peer = advertiser.identify(found.own)
        else { return }
        let set = event.set
        initiator.stopInitiating()
        set.stop()
        let link = Link(
            air: self, central: initiator, peripheral: advertiser, parameters: parameters, phy: event.dataPHY,
            isLegacy: event.isLegacy)
        initiator.connected(link.central, peer: found.advertiser, own: found.own)
        advertiser.connected(link.peripheral, peer: peer, own: event.address, by: set)
        link.start()
    }

    /// Who answers an advertising event with a connection request.
    private struct Found {
        var initiator: VirtualController
        var advertiser: Identified
        var own: DeviceAddress
    }
}

/// Two controllers in any order.
struct PairKey: Hashable {
    private let low: UInt32
    private let high: UInt32

    init(_ a: VirtualController, _ b: VirtualController) {
        low = min(a.identifier, b.identifier)
        high = max(a.identifier, b.identifier)
    }

    func holds(_ identifier: UInt32) -> Bool { low == identifier || high == identifier }
}

/// What is wrong between two controllers.
struct Impairment {
    var loss = 0.0
    var burstLength = 1.0
    var blockedUntil = Int64.min
}
