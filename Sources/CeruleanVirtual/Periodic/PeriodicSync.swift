// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// A controller that is synchronized to periodic advertising, or tries to be.
final class PeriodicSync {
    /// What a peer said when it handed the synchronization over.
    struct Transfer {
        var handle: UInt16
        var serviceData: UInt16
    }

    /// Events without a packet after which a synchronization has failed. Core 5.4, Vol 6, Part B, 4.4.5.
    static let attempts = 6

    let handle: UInt16
    unowned let controller: VirtualController
    /// Nil when the advertiser has stopped.
    var train: PeriodicTrain?
    /// As the host was told.
    let advertiser: DeviceAddress
    let sid: UInt8
    let skip: Int64
    /// Nanoseconds.
    let timeout: Int64
    let transfer: Transfer?
    var reports: Bool
    var filtersDuplicates: Bool
    private(set) var isEstablished = false
    private let phy: HCI.PHY
    private let units: UInt16
    private var failures = 0
    private var nextEvent: Int64 = 0
    private var lastReported: UInt16?
    private var watchdog: TimerNode!

    init(
        handle: UInt16, controller: VirtualController, train: PeriodicTrain, advertiser: DeviceAddress, sid: UInt8,
        skip: UInt16, timeout: UInt16, reports: Bool, filtersDuplicates: Bool, transfer: Transfer? = nil
    ) {
        self.handle = handle
        self.controller = controller
        self.train = train
        self.advertiser = advertiser
        self.sid = sid
        self.skip = Int64(skip)
        self.timeout = Int64(timeout) * 10_000_000
        self.reports = reports
        self.filtersDuplicates = filtersDuplicates
        self.transfer = transfer
        phy = train.phy
        units = train.units
        watchdog = TimerNode { [unowned self] _ in timedOut() }
    }

    func start() {
        // A train that stops before the first packet must not be waited for.
        let spacing = Int64(units) * 1_250_000
        controller.air.schedule(watchdog, at: controller.air.now + Int64(Self.attempts + 1) * spacing)
        train?.add(self)
    }

    /// Nothing is told to the host.
    func stop() {
        controller.air.cancel(watchdog)
        train?.remove(self)
        train = nil
    }

    /// The advertiser sends its data now.
    func event(_ number: Int64) {
        guard let train, number >= nextEvent, controller.isOnAir else { return }
        let sender = train.set.controller
        let air = controller.air
        let power = Double(train.set.settings.power)
        guard let rssi = air.reception(from: sender, at: controller, on: phy, power: power) else { return missed() }
        nextEvent = number + 1 + skip
        air.schedule(watchdog, at: air.now + timeout)
        if !isEstablished {
            isEstablished = true
            controller.established(self)
            tellEstablished(.success)
        }
        let data = train.data.octets
        let count = air.receivedCount(
            of: data.count, from: sender, at: controller, on: phy, power: power)
        report(train, data.prefix(count), isWhole: count == data.count, rssi)
    }

    func tellEstablished(_ status: HCI.ErrorCode) {
        if let transfer {
            controller.emit(
                HCI.LEPeriodicAdvertisingSyncTransferReceived(
                    status: status, handle: transfer.handle, serviceData: transfer.serviceData, syncHandle: handle,
                    sid: sid, advertiserAddressKind: advertiser.kind, advertiserAddress: advertiser.address, phy: phy,
                    interval: units, clockAccuracy: 5))
        } else {
            controller.emit(
                HCI.LEPeriodicAdvertisingSyncEstablished(
                    status: status, syncHandle: handle, sid: sid, advertiserAddressKind: advertiser.kind,
                    advertiserAddress: advertiser.address, phy: phy, interval: units, clockAccuracy: 5))
        }
    }

    // MARK: - private

    private func missed() {
        guard !isEstablished else { return }
        failures += 1
        if failures >= Self.attempts { timedOut() }
    }

    private func timedOut() {
        controller.forget(self)
        if isEstablished {
            controller.emit(HCI.LEPeriodicAdvertisingSyncLost(syncHandle: handle))
        } else {
            tellEstablished(.failedToBeEstablished)
        }
    }

    private func report(_ train: PeriodicTrain, _ data: ArraySlice<UInt8>, isWhole: Bool, _ rssi: Int8) {
        guard reports, controller.allows(.periodicAdvertisingReport) else { return }
        if filtersDuplicates, train.includesADI {
            if lastReported == train.did { return }
            lastReported = isWhole ? train.did : nil
        }
        var rest = data
        repeat {
            let part = rest.prefix(247)
            rest = rest.dropFirst(part.count)
            controller.emit(
                HCI.LEPeriodicAdvertisingReport(
                    syncHandle: handle, txPower: train.includesTXPower ? train.set.settings.power : 127, rssi: rssi,
                    cteType: 0xFF, dataStatus: !rest.isEmpty ? .moreToCome : isWhole ? .complete : .truncated,
                    data: Array(part)))
        } while !rest.isEmpty
    }
}
