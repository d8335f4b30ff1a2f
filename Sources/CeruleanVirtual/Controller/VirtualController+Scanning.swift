// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// How a controller scans.
struct Scanner {
    /// What was reported already.
    struct Seen: Hashable {
        var address: DeviceAddress
        var isResponse: Bool
    }

    /// Advertisers that the duplicate filter remembers; when there are more it starts anew.
    static let seenLimit = 4096

    var parameters = HCI.LESetScanParameters(
        type: .passive, interval: 0x10, window: 0x10, ownAddressType: .public, filterPolicy: 0)
    var isEnabled = false
    var filtersDuplicates = false
    var start: Int64 = 0
    var seen: Set<Seen> = []

    static func isValid(interval: UInt16, window: UInt16) -> Bool {
        (4...0x4000).contains(interval) && (4...0x4000).contains(window) && window <= interval
    }

    /// Whether a receiver that began at `start` listens on one of the channels of `map` now. It changes the channel at each
    /// interval. Core 5.4, Vol 6, Part B, 4.4.3.
    static func listens(interval: UInt16, window: UInt16, start: Int64, map: UInt8, now: Int64) -> Bool {
        let length = Int64(interval) * 625_000
        let elapsed = max(0, now - start)
        guard elapsed % length < Int64(window) * 625_000 else { return false }
        // An event on several channels takes up to 10 ms; one of them meets the receiver's.
        return map == 7 || map >> UInt8(elapsed / length % 3) & 1 == 1
    }
}

/// A connection that is being made.
struct Initiator {
    var request: HCI.LECreateConnection?
    var start: Int64 = 0

    var isPending: Bool { request != nil }
    var usesAcceptList: Bool { request?.filterPolicy == 1 }
}

extension VirtualController {
    var isListening: Bool { isOnAir && (scanner.isEnabled || initiator.isPending) }

    func setScanning(_ enable: Bool, filterDuplicates: Bool) {
        scanner.isEnabled = enable
        scanner.filtersDuplicates = filterDuplicates
        scanner.seen = []
        scanner.start = air.now
        air.updateListening(self)
    }

    func setInitiating(_ request: HCI.LECreateConnection?) {
        initiator = Initiator(request: request, start: air.now)
        air.updateListening(self)
    }

    /// Whether the receiver is on when an advertising event goes out on the channels of `map`.
    func hears(_ map: UInt8, at now: Int64) -> Bool {
        if let request = initiator.request,
            Scanner.listens(
                interval: request.scanInterval, window: request.scanWindow, start: initiator.start, map: map, now: now)
        {
            return true
        }
        return scanner.isEnabled
            && Scanner.listens(
                interval: scanner.parameters.interval, window: scanner.parameters.window, start: scanner.start,
                map: map,
                now: now)
    }

    /// Whether it answers this event with a connection request, and the advertiser accepts that.
    func initiates(to event: AdvertisingEvent, at advertiser: VirtualController) -> Bool {
        guard let request = initiator.request, event.type == .connectable || event.type == .directed else {
            return false
        }
        let own = ownAddress(request.ownAddressType)
        if let target = event.target, target != own { return false }
        let isWanted =
            request.filterPolicy == 1
            ? acceptList.contains(event.address)
            : event.address == request.peer
        // Two devices have one connection at most.
        return isWanted && linkCount < configuration.maximumConnections
            && !links.contains { $0?.peer == event.address } && advertiser.acceptsConnection(from: own)
    }

    /// An advertising event arrived: reports it, and asks for the scan response.
    func scanned(_ event: AdvertisingEvent, rssi: Int8, from sender: VirtualController) {
        guard scanner.isEnabled else { return }
        let own = ownAddress(scanner.parameters.ownAddressType)
        if scanner.parameters.filterPolicy & 1 == 1, !acceptList.contains(event.address) { return }
        if let target = event.target, target != own { return }
        report(event.type, event.address, event.data, rssi)
        guard scanner.parameters.type == .active, sender.acceptsScan(from: own),
            let answer = air.reception(from: sender, at: self)
        else { return }
        report(.scanResponse, event.address, sender.advertiser.scanResponse, answer)
    }

    // MARK: - private

    private func report(_ type: HCI.AdvertisingReportType, _ address: DeviceAddress, _ data: [UInt8], _ rssi: Int8) {
        guard allows(.advertisingReport) else { return }
        if scanner.filtersDuplicates {
            if scanner.seen.count >= Scanner.seenLimit { scanner.seen.removeAll(keepingCapacity: true) }
            guard scanner.seen.insert(.init(address: address, isResponse: type == .scanResponse)).inserted else {
                return
            }
        }
        var packet: [UInt8] = []
        packet.reserveCapacity(15 + data.count)
        packet += [
            H4.PacketType.event.rawValue, HCI.EventCode.leMeta.rawValue, UInt8(truncatingIfNeeded: 12 + data.count),
            HCI.LESubevent.advertisingReport.rawValue, 1, type.rawValue, address.kind.rawValue,
        ]
        for shift in stride(from: UInt64(0), to: 48, by: 8) {
            packet.append(UInt8(truncatingIfNeeded: address.address.rawValue >> shift))
        }
        packet.append(UInt8(truncatingIfNeeded: data.count))
        packet += data
        packet.append(UInt8(bitPattern: rssi))
        emit(raw: packet)
    }
}
