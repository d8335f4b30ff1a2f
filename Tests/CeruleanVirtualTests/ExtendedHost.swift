// SPDX-License-Identifier: Apache-2.0

import CeruleanVirtual
import CeruleanWire
import Testing

/// Hosts that speak the extended commands.
extension TestHost {
    convenience init(
        extended air: Air, _ number: UInt64, at position: Position = .origin,
        _ change: (inout VirtualController.Configuration) -> Void = { _ in }
    ) throws {
        try self.init(air, number, at: position, change)
        try run(HCI.LESetEventMask(mask: .init(rawValue: .max)))
    }

    /// Makes a set.
    @discardableResult
    func makeSet(
        _ handle: UInt8 = 1, _ properties: HCI.AdvertisingProperties = [], milliseconds: Int = 100,
        primary: HCI.PHY = .le1M, secondary: HCI.PHY = .le1M, sid: UInt8 = 3, own: HCI.OwnAddressType = .public,
        peer: DeviceAddress = .init(.zero, .public), filterPolicy: UInt8 = 0, notifies: Bool = false,
        power: Int8 = 127, at now: MonotonicTime = .zero
    ) throws -> HCI.ErrorCode {
        let interval = UInt32(milliseconds * 8 / 5)
        return try run(
            HCI.LESetExtendedAdvertisingParameters(
                advertisingHandle: handle, properties: properties, intervalMinimum: interval, intervalMaximum: interval,
                channelMap: 7, ownAddressType: own, peerAddressKind: peer.kind, peerAddress: peer.address,
                filterPolicy: filterPolicy, txPower: power, primaryPHY: primary, maximumSkip: 0,
                secondaryPHY: secondary,
                sid: sid, notifiesScanRequests: notifies), at: now)
    }

    /// Gives a set its data, in as many parts as HCI needs.
    @discardableResult
    func setData(_ handle: UInt8, _ data: [UInt8], at now: MonotonicTime = .zero) throws -> HCI.ErrorCode {
        try inParts(data) { operation, part in
            try run(
                HCI.LESetExtendedAdvertisingData(
                    advertisingHandle: handle, operation: operation, allowsFragments: 0, data: part), at: now)
        }
    }

    @discardableResult
    func setResponse(_ handle: UInt8, _ data: [UInt8], at now: MonotonicTime = .zero) throws -> HCI.ErrorCode {
        try inParts(data) { operation, part in
            try run(
                HCI.LESetExtendedScanResponseData(
                    advertisingHandle: handle, operation: operation, allowsFragments: 0, data: part), at: now)
        }
    }

    @discardableResult
    func setPeriodicData(_ handle: UInt8, _ data: [UInt8], at now: MonotonicTime = .zero) throws -> HCI.ErrorCode {
        try inParts(data) { operation, part in
            try run(
                HCI.LESetPeriodicAdvertisingData(advertisingHandle: handle, operation: operation, data: part), at: now)
        }
    }

    @discardableResult
    func setData(_ data: [UInt8]) throws -> HCI.ErrorCode { try setData(1, data) }

    @discardableResult
    func setResponse(_ data: [UInt8]) throws -> HCI.ErrorCode { try setResponse(1, data) }

    @discardableResult
    func setPeriodicData(_ data: [UInt8]) throws -> HCI.ErrorCode { try setPeriodicData(1, data) }

    @discardableResult
    func enableSet(
        _ handle: UInt8 = 1, _ enable: Bool = true, duration: UInt16 = 0, events: UInt8 = 0,
        at now: MonotonicTime = .zero
    ) throws -> HCI.ErrorCode {
        try run(
            HCI.LESetExtendedAdvertisingEnable(
                enable: enable, sets: [.init(advertisingHandle: handle, duration: duration, maximumEvents: events)]),
            at: now)
    }

    @discardableResult
    func scanExtended(
        _ type: HCI.ScanType = .passive, phys: HCI.PHYMask = .le1M, own: HCI.OwnAddressType = .public,
        filterPolicy: UInt8 = 0, filterDuplicates: UInt8 = 0, duration: UInt16 = 0, period: UInt16 = 0,
        at now: MonotonicTime = .zero
    ) throws -> HCI.ErrorCode {
        let one = HCI.LESetExtendedScanParameters.PHYParameters(type: type, interval: 0x60, window: 0x60)
        try run(
            HCI.LESetExtendedScanParameters(
                ownAddressType: own, filterPolicy: filterPolicy, phys: phys,
                parameters: [HCI.LESetExtendedScanParameters.PHYParameters](
                    repeating: one, count: phys.rawValue.nonzeroBitCount)), at: now)
        return try run(
            HCI.LESetExtendedScanEnable(
                enable: true, filterDuplicates: filterDuplicates, duration: duration, period: period), at: now)
    }

    func extendedConnection(
        to peer: DeviceAddress, phys: HCI.PHYMask = .le1M, interval: UInt16 = 24, own: HCI.OwnAddressType = .public,
        filterPolicy: UInt8 = 0
    ) -> HCI.LEExtendedCreateConnection {
        let one = HCI.LEExtendedCreateConnection.PHYParameters(
            scanInterval: 0x60, scanWindow: 0x60, intervalMinimum: interval, intervalMaximum: interval, latency: 0,
            supervisionTimeout: 100, eventLengthMinimum: 0, eventLengthMaximum: 0)
        return HCI.LEExtendedCreateConnection(
            filterPolicy: filterPolicy, ownAddressType: own, peerAddressKind: peer.kind, peerAddress: peer.address,
            phys: phys,
            parameters: [HCI.LEExtendedCreateConnection.PHYParameters](
                repeating: one, count: phys.rawValue.nonzeroBitCount))
    }

    /// Every extended report, part by part.
    var extendedReports: [HCI.LEExtendedAdvertisingReport.Report] {
        all(HCI.LEExtendedAdvertisingReport.self).flatMap(\.reports)
    }

    /// Extended reports with their parts joined.
    var joinedReports: [HCI.LEExtendedAdvertisingReport.Report] {
        var result: [HCI.LEExtendedAdvertisingReport.Report] = []
        var isOpen = false
        for report in extendedReports {
            if isOpen, let last = result.indices.last {
                result[last].data += report.data
                result[last].type = report.type
            } else {
                result.append(report)
            }
            isOpen = report.type.dataStatus == .moreToCome
        }
        return result
    }

    private func inParts(
        _ data: [UInt8], _ give: (HCI.DataOperation, [UInt8]) throws -> HCI.ErrorCode
    ) throws -> HCI.ErrorCode {
        guard data.count > 200 else { return try give(.complete, data) }
        var status = HCI.ErrorCode.success
        for start in stride(from: 0, to: data.count, by: 200) {
            let end = min(start + 200, data.count)
            status = try give(start == 0 ? .first : end == data.count ? .last : .intermediate, Array(data[start..<end]))
            if status != .success { break }
        }
        return status
    }
}

/// Octets that tell where they belong.
func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) } }
