// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// A connection between two controllers.
///
/// Packets cross at connection events: the anchors lie one interval apart, and as many exchanges follow each as fit and as
/// there is data for. While nothing waits and nothing is lost, no event is simulated: the next anchor is computed when there
/// is something to send. A link that loses packets is simulated event by event; one that lets nothing through only waits
/// for its supervision timeout.
final class Link {
    enum Condition { case clean, lossy, dead }

    unowned let air: Air
    private(set) var central: LinkEnd!
    private(set) var peripheral: LinkEnd!
    private(set) var parameters: LinkParameters
    private(set) var isClosed = false

    private var condition = Condition.clean
    private var impairment = Impairment()
    /// The moment of event 0.
    private var base: Int64
    /// The latest event that took place.
    private var lastEvent: Int64 = -1
    /// Latest moment at which both ends heard each other; nil before the first time.
    private var lastHeard: Int64?
    private var isExchanging = false
    private var eventEnd: Int64 = 0
    private var centralSize = 0
    private var peripheralSize = 0
    private var isInBurst = false
    /// A host had no room in the latest exchange.
    private var isRefused = false
    /// What changes at coming events.
    private var instants: [(event: Int64, change: () -> Void)] = []
    private var timer: TimerNode!
    private var watchdog: TimerNode!
    /// A procedure that the peer does not go on with ends the link.
    private(set) var procedureTimer: TimerNode!
    /// 40 s. Vol 6, Part B, 5.2.
    static let procedureTimeout: Int64 = 40_000_000_000

    init(
        air: Air, central: VirtualController, peripheral: VirtualController, parameters: LinkParameters, phy: HCI.PHY,
        isLegacy: Bool
    ) {
        self.air = air
        self.parameters = parameters
        // The request has 34 octets; the first window opens 1.25 ms after it at the earliest, 2.5 ms after one on the
        // secondary channel, 3.75 ms on LE Coded. Vol 6, Part B, 4.5.3.
        base = air.now + AirTime.packet(34, on: phy) + (isLegacy ? 1 : phy == .leCoded ? 3 : 2) * 1_250_000
        self.central = LinkEnd(role: .central, link: self, controller: central)
        self.peripheral = LinkEnd(role: .peripheral, link: self, controller: peripheral)
        self.central.phy = phy
        self.peripheral.phy = phy
        timer = TimerNode { [unowned self] now in fire(now) }
        watchdog = TimerNode { [unowned self] _ in timedOut() }
        procedureTimer = TimerNode { [unowned self] _ in close(.responseTimeout, .connectionTimeout) }
    }

    /// Called once both controllers know the link.
    func start() {
        air.keep(self)
        updateCondition()
        wake()
    }

    // MARK: - time

    /// Something waits to be sent: makes sure that the next event that can carry it takes place.
    func wake() {
        guard !isClosed, !isExchanging, condition != .dead else { return }
        guard let event = nextEvent() else { return air.cancel(timer) }
        let moment = anchor(event)
        if !timer.isScheduled || timer.time != moment { air.schedule(timer, at: moment) }
    }

    /// The distance, the power or the faults have changed.
    func updateCondition() {
        guard !isClosed else { return }
        let before = condition
        if let a = central.controller, let b = peripheral.controller {
            impairment = air.condition(a, b, on: [central.phy, peripheral.phy])
        } else {
            impairment = Impairment(loss: 1)
        }
        condition = impairment.loss >= 1 ? .dead : impairment.loss > 0 ? .lossy : .clean
        if before == .clean, condition != .clean { noteSilentEvents() }
        if condition == .clean {
            air.cancel(watchdog)
        } else {
            armWatchdog()
        }
        if condition == .dead, !isExchanging { air.cancel(timer) }
        watchPayload(of: central)
        watchPayload(of: peripheral)
        wake()
    }

    /// Tells the host of an encrypted link that nothing with a valid check came for the time that it set. On a link that
    /// loses nothing LE Ping keeps this from happening. Vol 6, Part B, 5.4.
    func watchPayload(of end: LinkEnd) {
        guard !isClosed, end.isEncrypted, end.controller != nil, condition != .clean else {
            return air.cancel(end.payloadTimer)
        }
        air.schedule(
            end.payloadTimer,
            at: max(lastHeard ?? base, end.payloadAlarm)
                + Int64(end.payloadTimeout) * 10_000_000)
    }

    /// Changes `parameters` (and the grid of events) at an event `distance` ahead of the next.
    func atInstant(_ distance: Int64, _ change: @escaping () -> Void) {
        instants.append((max(lastEvent, firstEvent(after: air.now) - 1) + distance, change))
        wake()
    }

    /// Puts new parameters into force at the event that is due now.
    func apply(_ new: LinkParameters) {
        base = air.now
        lastEvent = -1
        parameters = new
        instants = instants.map { (0, $0.change) }
        if condition != .clean { armWatchdog() }
    }

    // MARK: - end

    /// Ends the link: tells each end that still holds it its reason.
    func close(_ centralReason: HCI.ErrorCode, _ peripheralReason: HCI.ErrorCode) {
        guard !isClosed else { return }
        stop()
        let controllers = (central.controller, peripheral.controller)
        controllers.0?.disconnected(central, centralReason)
        controllers.1?.disconnected(peripheral, peripheralReason)
        releaseEnds()
    }

    /// Breaks the ties between the ends and their controllers.
    func releaseEnds() {
        central.release()
        peripheral.release()
    }

    /// One end is gone without a word; the other finds out by the supervision timeout.
    func abandon(_ end: LinkEnd) {
        end.release()
        if end.other.controller == nil {
            stop()
        } else {
            updateCondition()
        }
    }

    private func stop() {
        isClosed = true
        air.cancel(timer)
        air.cancel(watchdog)
        air.cancel(procedureTimer)
        air.cancel(central.payloadTimer)
        air.cancel(peripheral.payloadTimer)
        instants.removeAll()
        air.forget(self)
    }

    // MARK: - private: which event comes next

    private func anchor(_ event: Int64) -> Int64 { base + event * parameters.spacing }

    /// The first event at `moment` or later.
    private func firstEvent(after moment: Int64) -> Int64 {
        moment <= base ? 0 : (moment - base + parameters.spacing - 1) / parameters.spacing
    }

    private func nextEvent() -> Int64? {
        var event = max(lastEvent + 1, firstEvent(after: air.now))
        let stride = Int64(parameters.latency) + 1
        if peripheral.hasData { return event }
        // The peripheral sleeps through `latency` events when it has nothing to say.
        event = (event + stride - 1) / stride * stride
        let instant = instants.map(\.event).min().map { max($0, lastEvent + 1, firstEvent(after: air.now)) }
        if central.hasData || condition == .lossy { return min(event, instant ?? event) }
        return instant
    }

    // MARK: - private: events

    private func fire(_ now: Int64) {
        if isExchanging {
            finishExchange(now)
        } else {
            lastEvent = max(lastEvent + 1, (now - base) / parameters.spacing)
            let due = instants.filter { $0.event <= lastEvent }
            instants.removeAll { $0.event <= lastEvent }
            for instant in due { instant.change() }
            guard !isClosed else { return }
            if !due.isEmpty, lastEvent < 0 { lastEvent = 0 }
            eventEnd = now + parameters.spacing - AirTime.interframeSpace
            beginExchange(now)
        }
    }

    private var exchangeTime: Int64 {
        AirTime.packet(centralSize, on: central.phy) + AirTime.packet(peripheralSize, on: peripheral.phy)
            + 2 * AirTime.interframeSpace
    }

    private func beginExchange(_ now: Int64) {
        centralSize = central.takeSize()
        peripheralSize = peripheral.takeSize()
        isExchanging = true
        air.schedule(timer, at: now + exchangeTime)
    }

    private func finishExchange(_ now: Int64) {
        isExchanging = false
        guard condition != .dead else { return }
        let isComplete = exchange()
        guard !isClosed else { return }
        if isComplete {
            lastHeard = now
            if condition == .lossy {
                armWatchdog()
                watchPayload(of: central)
                watchPayload(of: peripheral)
            }
            centralSize = central.takeSize()
            peripheralSize = peripheral.takeSize()
            if !isRefused, central.hasData || peripheral.hasData, now + exchangeTime <= eventEnd {
                return beginExchange(now)
            }
        }
        wake()
    }

    /// The central's packet and the peripheral's answer; false when one of them was lost, which ends the event.
    private func exchange() -> Bool {
        // Both parts were chosen when the exchange began. What the peripheral answers was chosen before it saw the central's packet.
        let answer = peripheral.part(of: peripheralSize)
        let sent = central.part(of: centralSize)
        if isLost() { return false }
        // Data that a host has no room for are not acknowledged, and sent again at the next event.
        let isSentRefused = !central.isDelivered && refuses(sent, at: peripheral)
        let isAnswerRefused = refuses(answer, at: central)
        isRefused = isSentRefused || isAnswerRefused
        if !central.isDelivered, let sent, !isSentRefused {
            central.isDelivered = true
            deliver(sent, to: peripheral)
        }
        guard !isClosed else { return true }
        if isLost() { return false }
        if let answer, !isAnswerRefused { deliver(answer, to: central) }
        guard !isClosed else { return true }
        if sent != nil, !isSentRefused { finish(central, centralSize) }
        if answer != nil, !isAnswerRefused, !isClosed { finish(peripheral, peripheralSize) }
        return true
    }

    private func refuses(_ part: LinkEnd.Part?, at end: LinkEnd) -> Bool {
        guard case .data = part else { return false }
        return end.controller?.hostFlow.hasRoom == false
    }

    private func isLost() -> Bool {
        guard condition == .lossy else { return false }
        if isInBurst {
            isInBurst = !air.random.happens(1 / impairment.burstLength)
            if isInBurst { return true }
        }
        // Bursts are drawn more seldom the longer they are, so that the mean loss stays.
        let share = impairment.loss / (impairment.burstLength - impairment.loss * (impairment.burstLength - 1))
        isInBurst = air.random.happens(share)
        return isInBurst
    }

    private func deliver(_ part: LinkEnd.Part, to end: LinkEnd) {
        switch part {
        case .data(let bytes, let range, let isFirst):
            end.controller?.deliver(bytes[range], isFirst: isFirst, to: end)
        case .control(let control): received(control, at: end)
        }
    }

    private func finish(_ end: LinkEnd, _ size: Int) {
        if case .control(.terminate(let reason)) = end.part(of: size) {
            // Acknowledged: the end that asked learns that it is over. Vol 6, Part B, 5.1.6.
            let own = HCI.ErrorCode.localHostTerminated
            return end.role == .central ? close(own, reason) : close(reason, own)
        }
        if end.acknowledge(size) { end.controller?.completed(end) }
    }

    // MARK: - private: supervision

    private func noteSilentEvents() {
        let spacing = parameters.spacing * (Int64(parameters.latency) + 1)
        guard air.now >= base else { return }
        lastHeard = max(lastHeard ?? base, base + (air.now - base) / spacing * spacing)
    }

    private func armWatchdog() {
        // Before the first packet six intervals are enough. Vol 6, Part B, 4.5.2.
        let deadline = lastHeard.map { $0 + parameters.timeout } ?? base + 6 * parameters.spacing
        air.schedule(watchdog, at: deadline)
    }

    private func timedOut() {
        let reason = lastHeard == nil ? HCI.ErrorCode.failedToBeEstablished : .connectionTimeout
        close(
            central.disconnectRequested ? .localHostTerminated : reason,
            peripheral.disconnectRequested ? .localHostTerminated : reason)
    }
}
