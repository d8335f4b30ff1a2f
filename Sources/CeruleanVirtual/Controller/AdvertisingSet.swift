// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// One advertising set: made by extended commands, or the one that legacy commands speak of.
final class AdvertisingSet {
    /// What the host chose.
    struct Settings {
        var properties: HCI.AdvertisingProperties = [.connectable, .scannable, .legacy]
        /// Units of 0.625 ms.
        var interval: UInt32 = 0x800
        /// Units of 0.625 ms.
        var intervalMaximum: UInt32 = 0x800
        var channelMap: UInt8 = 7
        var ownAddressType = HCI.OwnAddressType.public
        var peer = DeviceAddress(.zero, .public)
        var filterPolicy: UInt8 = 0
        /// dBm.
        var power: Int8
        var primaryPHY = HCI.PHY.le1M
        var secondaryPHY = HCI.PHY.le1M
        var sid: UInt8 = 0xFF
        var notifiesScanRequests = false
    }

    /// Data that the host may give in parts.
    struct Payload {
        var octets: [UInt8] = []
        /// False while parts are missing.
        var isComplete = true
    }

    let handle: UInt8
    /// Made by extended commands.
    let isExtended: Bool
    unowned let controller: VirtualController
    var settings: Settings
    var randomAddress: BluetoothAddress?
    var data = Payload()
    var response = Payload()
    var did: UInt16
    private(set) var isEnabled = false
    /// It stops by itself then.
    private(set) var end = Int64.max
    /// Events after which it stops; 0 without limit.
    private(set) var maximumEvents = 0
    var eventCount = 0
    var train: PeriodicTrain?
    private(set) var timer: TimerNode!
    /// The end of the data of the event that is on the air.
    private var tail: TimerNode!
    private var pending: (event: AdvertisingEvent, hearing: Set<UInt32>)?

    init(handle: UInt8, isExtended: Bool, controller: VirtualController) {
        self.handle = handle
        self.isExtended = isExtended
        self.controller = controller
        settings = Settings(power: controller.configuration.txPower)
        did = UInt16(truncatingIfNeeded: UInt32(handle) &* 257 &+ controller.identifier) & 0xFFF
        timer = TimerNode { [unowned self] now in self.controller.advertise(self, now) }
        tail = TimerNode { [unowned self] _ in finish() }
    }

    var isConnectable: Bool { settings.properties.contains(.connectable) }
    var isScannable: Bool { settings.properties.contains(.scannable) }
    var isDirected: Bool { settings.properties.contains(.directed) }
    var isLegacy: Bool { settings.properties.contains(.legacy) }
    var isHighDuty: Bool { settings.properties.contains(.highDutyCycle) }

    /// Whether this type of advertising carries data at all. Core 5.4, Vol 4, Part E, table 7.1 in 7.8.53.
    var takesData: Bool {
        isLegacy ? !isDirected : !isScannable
    }

    /// Counts the change of data: scanners report it anew.
    func touch() { did = (did &+ 1) & 0xFFF }

    /// Starts, or starts counting anew.
    func start(end: Int64, maximumEvents: Int, first: Int64) {
        isEnabled = true
        self.end = end
        self.maximumEvents = maximumEvents
        eventCount = 0
        controller.air.schedule(timer, at: first)
    }

    func stop() {
        isEnabled = false
        pending = nil
        controller.air.cancel(timer)
        controller.air.cancel(tail)
    }

    /// Nothing of it happens any more.
    func retire() {
        stop()
        train?.stop()
        train = nil
    }

    /// Lets the controllers `hearing` wait for the data behind the pointers of the primary channel.
    func sendData(_ event: AdvertisingEvent, to hearing: Set<UInt32>, at moment: Int64) {
        pending = (event, hearing)
        controller.air.schedule(tail, at: moment)
    }

    private func finish() {
        guard let (event, hearing) = pending else { return }
        pending = nil
        guard controller.isOnAir else { return }
        controller.air.transmitData(event, from: controller, to: hearing)
    }
}
