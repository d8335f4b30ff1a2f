// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// How a controller scans.
struct Scanner {
    /// Scanning in one radio mode.
    struct Mode {
        var phy: HCI.PHY
        var type: HCI.ScanType
        /// Units of 0.625 ms.
        var interval: UInt16
        /// Units of 0.625 ms.
        var window: UInt16
    }

    /// What the duplicate filter remembers of a report.
    struct Seen: Hashable {
        var address: DeviceAddress
        var isResponse: Bool
        var sid: UInt8
        var did: UInt16
    }

    /// Advertisers that the duplicate filter remembers; when there are more it starts anew.
    static let seenLimit = 4096

    var modes = [Mode(phy: .le1M, type: .passive, interval: 0x10, window: 0x10)]
    var ownAddressType = HCI.OwnAddressType.public
    var filterPolicy: UInt8 = 0
    /// Scans for extended packets too, and reports with the extended event.
    var isExtended = false
    var isEnabled = false
    /// Between two durations of a period.
    var rests = false
    /// 0 off, 1 on, 2 anew in each period.
    var duplicateFilter: UInt8 = 0
    /// Nanoseconds; 0 without end.
    var duration: Int64 = 0
    /// Nanoseconds; 0 without repetition.
    var period: Int64 = 0
    var start: Int64 = 0
    var seen: Set<Seen> = []

    var isActive: Bool { isEnabled && !rests }

    static func isValid(interval: UInt16, window: UInt16, maximum: UInt16 = 0x4000) -> Bool {
        (4...maximum).contains(interval) && (4...maximum).contains(window) && window <= interval
    }

    func mode(_ phy: HCI.PHY) -> Mode? { modes.first { $0.phy == phy } }

    /// Whether a receiver that began at `start` listens on one of the channels of `map` now. It changes the channel at each
    /// interval. Core 5.4, Vol 6, Part B, 4.4.3.
    static func listens(interval: UInt16, window: UInt16, start: Int64, map: UInt8, now: Int64) -> Bool {
        let length = Int64(interval) * 625_000
        let elapsed = max(0, now - start)
        guard elapsed % length < Int64(window) * 625_000 else { return false }
        // An event on several channels takes up to 10 ms; one of them meets the receiver's.
        return map == 7 || map >> UInt8(elapsed / length % 3) & 1 == 1
    }

    /// True when a report was made before and must not be made again.
    mutating func isDuplicate(_ report: Seen) -> Bool {
        guard duplicateFilter != 0 else { return false }
        if seen.count >= Self.seenLimit { seen.removeAll(keepingCapacity: true) }
        return !seen.insert(report).inserted
    }
}

extension VirtualController {
    var isListening: Bool { isOnAir && (scanner.isActive || initiator.isPending) }

    func setScanning(_ enable: Bool, duplicateFilter: UInt8, duration: Int64 = 0, period: Int64 = 0) {
        scanner.isEnabled = enable
        scanner.duplicateFilter = duplicateFilter
        scanner.duration = duration
        scanner.period = period
        if enable { beginScan() } else { air.cancel(scanTimer) }
        scanner.rests = false
        air.updateListening(self)
    }

    /// The duration or the period of extended scanning is over.
    func scanTimerFired() {
        guard scanner.isEnabled else { return }
        if scanner.rests {
            beginScan(again: true)
        } else if scanner.period == 0 {
            setScanning(false, duplicateFilter: 0)
            emit(HCI.LEScanTimeout())
            return
        } else {
            scanner.rests = true
            air.schedule(scanTimer, at: scanner.start + scanner.period)
        }
        air.updateListening(self)
    }

    private func beginScan(again: Bool = false) {
        scanner.rests = false
        scanner.start = air.now
        if !again || scanner.duplicateFilter == 2 { scanner.seen = [] }
        if scanner.duration > 0 {
            air.schedule(scanTimer, at: air.now + scanner.duration)
        } else {
            air.cancel(scanTimer)
        }
    }

    /// Whether the receiver is on when an advertising event goes out.
    func hears(_ event: AdvertisingEvent, at now: Int64) -> Bool {
        if initiator.isPending, event.isLegacy || initiator.isExtended, let mode = initiator.mode(event.primaryPHY),
            Scanner.listens(
                interval: mode.scanInterval, window: mode.scanWindow, start: initiator.start, map: event.channelMap,
                now: now)
        {
            return true
        }
        guard scanner.isActive, event.isLegacy || scanner.isExtended, let mode = scanner.mode(event.primaryPHY)
        else { return false }
        return Scanner.listens(
            interval: mode.interval, window: mode.window, start: scanner.start, map: event.channelMap, now: now)
    }

    /// An advertising event arrived: reports it, and asks for the scan response. Of long data `received` octets came.
    func scanned(_ event: AdvertisingEvent, received: Int, rssi: Int8, from sender: VirtualController) {
        guard scanner.isActive, event.isLegacy || scanner.isExtended, let mode = scanner.mode(event.primaryPHY),
            let who = identify(event.address)
        else { return }
        synchronize(to: event, who)
        if scanner.filterPolicy & 1 == 1, !isListed(who) { return }
        var match = TargetMatch.own
        if let target = event.target {
            match = self.match(target, scanner.ownAddressType)
            if match == .other || match == .unresolved && scanner.filterPolicy & 2 == 0 { return }
        }
        report(event, who, match, event.data.prefix(received), isWhole: received == event.data.count, rssi)
        guard mode.type == .active, event.properties.contains(.scannable) else { return }
        let own = ownAddress(scanner.ownAddressType, entry: who.entry, random: randomAddress)
        guard sender.acceptsScan(event.set, from: own), let answer = air.reception(of: event, at: self) else { return }
        let response = event.set.response.octets
        let count = event.isLegacy ? response.count : air.receivedCount(of: response.count, event, at: self)
        report(
            event, who, match, response.prefix(count), isResponse: true, isWhole: count == response.count, answer)
    }

    // MARK: - private

    private func report(
        _ event: AdvertisingEvent, _ who: Identified, _ match: TargetMatch, _ data: ArraySlice<UInt8>,
        isResponse: Bool = false, isWhole: Bool, _ rssi: Int8
    ) {
        let isWanted: Bool
        if scanner.isExtended {
            isWanted = allows(.extendedAdvertisingReport)
        } else {
            isWanted = allows(match == .unresolved ? .directedAdvertisingReport : .advertisingReport)
        }
        guard isWanted,
            !scanner.isDuplicate(
                .init(address: who.address, isResponse: isResponse, sid: event.sid, did: event.did))
        else { return }
        if scanner.isExtended {
            emitExtended(event, who, match, data, isResponse: isResponse, isWhole: isWhole, rssi)
        } else if match == .unresolved, let target = event.target {
            var report = HCI.LEDirectedAdvertisingReport.Report()
            report.addressKind = who.address.kind
            report.address = who.address.address
            report.targetKind = target.kind
            report.target = target.address
            report.rssi = rssi
            emit(HCI.LEDirectedAdvertisingReport(reports: [report]))
        } else {
            emitLegacy(isResponse ? .scanResponse : event.properties.legacyReport, who.address, data, rssi)
        }
    }

    private func emitLegacy(
        _ type: HCI.AdvertisingReportType, _ address: DeviceAddress, _ data: ArraySlice<UInt8>, _ rssi: Int8
    ) {
        var packet: [UInt8] = []
        packet.reserveCapacity(15 + data.count)
        packet += [
            H4.PacketType.event.rawValue, HCI.EventCode.leMeta.rawValue, UInt8(truncatingIfNeeded: 12 + data.count),
            HCI.LESubevent.advertisingReport.rawValue, 1, type.rawValue, address.kind.rawValue,
        ]
        packet.append(address.address)
        packet.append(UInt8(truncatingIfNeeded: data.count))
        packet += data
        packet.append(UInt8(bitPattern: rssi))
        emit(raw: packet)
    }

    /// One event for each part of the data. Core 5.4, Vol 4, Part E, 7.7.65.13.
    private func emitExtended(
        _ event: AdvertisingEvent, _ who: Identified, _ match: TargetMatch, _ data: ArraySlice<UInt8>,
        isResponse: Bool, isWhole: Bool, _ rssi: Int8
    ) {
        var kinds = HCI.ExtendedReportType(
            rawValue: event.properties.intersection([.connectable, .scannable, .directed, .legacy]).rawValue)
        if isResponse { kinds.insert(.scanResponse) }
        var target = DeviceAddress(.zero, .public)
        if let called = event.target {
            target = called
            if match == .unresolved {
                // A private address that could not be resolved.
                target.kind = DeviceAddress.Kind(rawValue: 0xFE)
            } else if called.randomKind == .resolvablePrivate {
                let own = identity(scanner.ownAddressType, random: randomAddress)
                target = DeviceAddress(own.address, own.kind == .public ? .publicIdentity : .randomIdentity)
            }
        }
        var rest = data
        repeat {
            let part = rest.prefix(HCI.LEExtendedAdvertisingReport.maximumData)
            rest = rest.dropFirst(part.count)
            let status: HCI.DataStatus = !rest.isEmpty ? .moreToCome : isWhole ? .complete : .truncated
            let type = HCI.ExtendedReportType(kinds, status).rawValue
            var packet: [UInt8] = []
            packet.reserveCapacity(29 + part.count)
            packet += [
                H4.PacketType.event.rawValue, HCI.EventCode.leMeta.rawValue, UInt8(truncatingIfNeeded: 26 + part.count),
                HCI.LESubevent.extendedAdvertisingReport.rawValue, 1, UInt8(truncatingIfNeeded: type),
                UInt8(truncatingIfNeeded: type >> 8), who.address.kind.rawValue,
            ]
            packet.append(who.address.address)
            let interval = isResponse ? 0 : event.train?.units ?? 0
            packet += [
                event.primaryPHY.rawValue, event.isLegacy ? 0 : event.secondaryPHY.rawValue, event.sid,
                UInt8(bitPattern: event.toldPower), UInt8(bitPattern: rssi), UInt8(truncatingIfNeeded: interval),
                UInt8(truncatingIfNeeded: interval >> 8), target.kind.rawValue,
            ]
            packet.append(target.address)
            packet.append(UInt8(truncatingIfNeeded: part.count))
            packet += part
            emit(raw: packet)
        } while !rest.isEmpty
    }
}

extension [UInt8] {
    /// Six octets, least significant first.
    fileprivate mutating func append(_ address: BluetoothAddress) {
        for shift in stride(from: UInt64(0), to: 48, by: 8) {
            append(UInt8(truncatingIfNeeded: address.rawValue >> shift))
        }
    }
}
