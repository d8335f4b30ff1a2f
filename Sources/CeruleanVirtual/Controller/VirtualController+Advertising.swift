// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// What a controller advertises.
struct Advertiser {
    var parameters = HCI.LESetAdvertisingParameters(
        intervalMinimum: 0x800, intervalMaximum: 0x800, type: .connectable, ownAddressType: .public,
        peerAddressKind: .public, peerAddress: .zero, channelMap: 7, filterPolicy: 0)
    var data: [UInt8] = []
    var scanResponse: [UInt8] = []
    var isEnabled = false
    /// High duty cycle directed advertising ends here.
    var end = Int64.max

    var isDirected: Bool { parameters.type == .directedHighDuty || parameters.type == .directedLowDuty }
    var isConnectable: Bool { parameters.type == .connectable || isDirected }
    var isScannable: Bool { parameters.type == .connectable || parameters.type == .scannable }

    static func areValid(_ parameters: HCI.LESetAdvertisingParameters) -> Bool {
        guard parameters.type.rawValue <= 4, parameters.ownAddressType.rawValue <= 3, parameters.filterPolicy <= 3,
            parameters.channelMap & 7 != 0, parameters.channelMap <= 7
        else { return false }
        let isDirected = parameters.type.rawValue == 1 || parameters.type.rawValue == 4
        if isDirected || parameters.ownAddressType.rawValue >= 2 {
            guard parameters.peerAddressKind.rawValue <= 1 else { return false }
        }
        // High duty cycle has its own interval.
        if parameters.type == .directedHighDuty { return true }
        let range: ClosedRange<UInt16> = 0x20...0x4000
        return range.contains(parameters.intervalMinimum) && range.contains(parameters.intervalMaximum)
            && parameters.intervalMinimum <= parameters.intervalMaximum
    }
}

extension VirtualController {
    func setAdvertising(_ enable: Bool) throws(Refusal) {
        guard enable else { return stopAdvertising() }
        guard !lacksAddress(advertiser.parameters.ownAddressType) else { throw Refusal(.invalidParameters) }
        if advertiser.isConnectable, linkCount >= configuration.maximumConnections {
            throw Refusal(.connectionLimitExceeded)
        }
        guard !advertiser.isEnabled else { return }
        advertiser.isEnabled = true
        // 1.28 s. Core 5.4, Vol 6, Part B, 4.4.2.4.3.
        advertiser.end = advertiser.parameters.type == .directedHighDuty ? air.now + 1_280_000_000 : .max
        air.schedule(advertisingTimer, at: air.now + advertisingDelay())
    }

    func stopAdvertising() {
        advertiser.isEnabled = false
        air.cancel(advertisingTimer)
    }

    /// One advertising event, and the time of the next.
    func advertise(_ now: Int64) {
        guard advertiser.isEnabled else { return }
        guard now < advertiser.end else {
            stopAdvertising()
            return emitConnectionFailure(.advertisingTimeout, role: .peripheral)
        }
        let parameters = advertiser.parameters
        let type: HCI.AdvertisingReportType =
            switch parameters.type {
            case .connectable: .connectable
            case .scannable: .scannable
            case .nonConnectable: .nonConnectable
            default: .directed
            }
        let target = advertiser.isDirected ? DeviceAddress(parameters.peerAddress, parameters.peerAddressKind) : nil
        let interval =
            parameters.type == .directedHighDuty
            ? 3_750_000 : Int64(parameters.intervalMinimum) * 625_000 + advertisingDelay()
        air.schedule(advertisingTimer, at: min(now + interval, advertiser.end))
        guard isOnAir else { return }
        air.transmit(
            AdvertisingEvent(
                type: type, address: ownAddress(parameters.ownAddressType), target: target,
                channelMap: parameters.channelMap, data: target == nil ? advertiser.data : []), from: self)
    }

    /// Whether the advertiser answers a connection request. Filter policy bit 1: only from the filter accept list.
    func acceptsConnection(from peer: DeviceAddress) -> Bool {
        guard advertiser.isEnabled, linkCount < configuration.maximumConnections else { return false }
        // Directed advertising knows its one peer and ignores the filter policy.
        return advertiser.isDirected || advertiser.parameters.filterPolicy & 2 == 0 || acceptList.contains(peer)
    }

    /// Whether the advertiser answers a scan request. Filter policy bit 0: only from the filter accept list.
    func acceptsScan(from peer: DeviceAddress) -> Bool {
        advertiser.isEnabled && advertiser.isScannable
            && (advertiser.parameters.filterPolicy & 1 == 0 || acceptList.contains(peer))
    }

    // MARK: - private

    /// 0 to 10 ms, so that two advertisers do not stay in step. Core 5.4, Vol 6, Part B, 4.4.2.2.1.
    private func advertisingDelay() -> Int64 { Int64(air.random.next() % 10_000_001) }
}
