// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// Periodic advertising of one set.
///
/// Events that nobody listens to are not simulated: the next one is computed when somebody synchronizes.
final class PeriodicTrain {
    unowned let set: AdvertisingSet
    /// Units of 1.25 ms.
    var units: UInt16 = 6
    /// Units of 1.25 ms, the longest that the host allowed.
    var unitsMaximum: UInt16 = 6
    var includesTXPower = false
    var data = AdvertisingSet.Payload()
    /// Changes with the data.
    var did: UInt16 = 0
    /// Packets carry their number of data, so that receivers may tell changes.
    var includesADI = false
    /// The host wants it.
    private(set) var isEnabled = false
    /// It is on the air.
    private(set) var isRunning = false
    private var base: Int64 = 0
    private var lastEvent: Int64 = -1
    private var receivers: [PeriodicSync] = []
    private var timer: TimerNode!

    init(set: AdvertisingSet) {
        self.set = set
        timer = TimerNode { [unowned self] now in fire(now) }
    }

    var phy: HCI.PHY { self.set.settings.secondaryPHY }

    /// Nanoseconds between two events.
    var spacing: Int64 { Int64(units) * 1_250_000 }

    /// Whether so many octets are through before the next event.
    func fits(_ count: Int) -> Bool {
        AdvertisingTime.chain(of: count, on: phy) <= Int64(unitsMaximum) * 1_250_000
    }

    func enable(includesADI: Bool) {
        self.includesADI = includesADI
        isEnabled = true
        startIfPossible()
    }

    /// It begins with the set's advertising and goes on when that ends. Core 5.4, Vol 4, Part E, 7.8.63.
    func startIfPossible() {
        guard isEnabled, !isRunning, set.isEnabled else { return }
        isRunning = true
        base = set.controller.air.now + spacing
        lastEvent = -1
    }

    /// Who is synchronized is not told: it finds out by its timeout.
    func stop() {
        isEnabled = false
        isRunning = false
        set.controller.air.cancel(timer)
        for receiver in receivers { receiver.train = nil }
        receivers = []
    }

    func add(_ receiver: PeriodicSync) {
        receivers.append(receiver)
        wake()
    }

    func remove(_ receiver: PeriodicSync) {
        receivers.removeAll { $0 === receiver }
        if receivers.isEmpty { set.controller.air.cancel(timer) }
    }

    // MARK: - private

    private func wake() {
        guard isRunning, !receivers.isEmpty, !timer.isScheduled else { return }
        let air = set.controller.air
        let next = air.now < base ? 0 : (air.now - base) / spacing + 1
        air.schedule(timer, at: base + max(next, lastEvent + 1) * spacing)
    }

    private func fire(_ now: Int64) {
        lastEvent = (now - base) / spacing
        let event = lastEvent
        for receiver in receivers { receiver.event(event) }
        wake()
    }
}
