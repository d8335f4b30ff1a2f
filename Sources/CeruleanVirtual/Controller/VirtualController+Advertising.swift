// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

extension VirtualController {
    /// The set that legacy commands speak of.
    var legacySet: AdvertisingSet {
        if let set = sets.first(where: { !$0.isExtended }) { return set }
        let set = AdvertisingSet(handle: 0, isExtended: false, controller: self)
        sets.append(set)
        return set
    }

    var isLegacyAdvertising: Bool { sets.contains { !$0.isExtended && $0.isEnabled } }

    var isAdvertising: Bool { sets.contains { $0.isEnabled } }

    // MARK: - legacy commands

    func setAdvertisingParameters(_ command: HCI.LESetAdvertisingParameters) throws(Refusal) {
        let set = legacySet
        guard !set.isEnabled else { throw Refusal(.commandDisallowed) }
        guard let properties = HCI.AdvertisingProperties(command.type), command.ownAddressType.rawValue <= 3,
            command.filterPolicy <= 3, command.channelMap & 7 != 0, command.channelMap <= 7
        else { throw Refusal(.invalidParameters) }
        if properties.contains(.directed) || command.ownAddressType.rawValue >= 2 {
            guard command.peerAddressKind.rawValue <= 1 else { throw Refusal(.invalidParameters) }
        }
        let range: ClosedRange<UInt16> = 0x20...0x4000
        // High duty cycle has its own interval.
        guard
            properties.contains(.highDutyCycle)
                || range.contains(command.intervalMinimum) && range.contains(command.intervalMaximum)
                    && command.intervalMinimum <= command.intervalMaximum
        else { throw Refusal(.invalidParameters) }
        set.settings.properties = properties
        set.settings.interval = UInt32(command.intervalMinimum)
        set.settings.intervalMaximum = UInt32(command.intervalMaximum)
        set.settings.channelMap = command.channelMap
        set.settings.ownAddressType = command.ownAddressType
        set.settings.peer = DeviceAddress(command.peerAddress, command.peerAddressKind)
        set.settings.filterPolicy = command.filterPolicy
    }

    func setAdvertising(_ enable: Bool) throws(Refusal) {
        let set = legacySet
        guard enable else { return set.stop() }
        try checkStart(set)
        guard !set.isEnabled else { return }
        start(set, duration: 0, maximumEvents: 0)
    }

    // MARK: - all sets

    /// Whether a set may start now.
    func checkStart(_ set: AdvertisingSet) throws(Refusal) {
        let random = set.isExtended ? set.randomAddress : randomAddress
        guard
            !lacksAddress(set.settings.ownAddressType, random: random, entry: resolving.index(of: set.settings.peer))
        else { throw Refusal(.invalidParameters) }
        if set.isConnectable, linkCount >= configuration.maximumConnections {
            throw Refusal(.connectionLimitExceeded)
        }
    }

    /// Starts a set, or starts its limits anew.
    func start(_ set: AdvertisingSet, duration: Int64, maximumEvents: Int) {
        // 1.28 s. Core 5.4, Vol 6, Part B, 4.4.2.4.3.
        let limit = set.isHighDuty && !set.isExtended ? 1_280_000_000 : duration
        set.start(
            end: limit > 0 ? air.now + limit : .max, maximumEvents: maximumEvents, first: air.now + advertisingDelay())
        set.train?.startIfPossible()
    }

    /// One advertising event, and the time of the next.
    func advertise(_ set: AdvertisingSet, _ now: Int64) {
        guard set.isEnabled else { return }
        if now >= set.end { return terminate(set, .advertisingTimeout) }
        if set.maximumEvents > 0, set.eventCount >= set.maximumEvents { return terminate(set, .limitReached) }
        let event = event(of: set)
        let length =
            set.isLegacy
            ? 0
            : AdvertisingTime.duration(
                of: event.data.count, primary: event.primaryPHY, secondary: event.secondaryPHY,
                channelMap: event.channelMap)
        let interval =
            set.isHighDuty ? 3_750_000 : Int64(set.settings.interval) * 625_000 + advertisingDelay()
        // Counted until it shows; more than that nobody is told.
        set.eventCount = min(set.eventCount + 1, 0xFFFF)
        air.schedule(set.timer, at: min(now + max(interval, length), set.end))
        guard isOnAir else { return }
        if set.isLegacy {
            air.transmit(event, from: self)
        } else {
            let hearing = air.listeners(to: event, from: self)
            if !hearing.isEmpty { set.sendData(event, to: hearing, at: now + length) }
        }
    }

    /// Ends a set's advertising by itself, and tells the host.
    func terminate(_ set: AdvertisingSet, _ reason: HCI.ErrorCode) {
        set.stop()
        if set.isExtended {
            emitTerminated(set, reason, handle: 0)
        } else {
            emitConnectionFailure(reason, role: .peripheral)
        }
    }

    func emitTerminated(_ set: AdvertisingSet, _ status: HCI.ErrorCode, handle: UInt16) {
        // Events are only counted for sets with a limit. Core 5.4, Vol 4, Part E, 7.7.65.18.
        let count = set.maximumEvents > 0 ? UInt8(clamping: set.eventCount) : 0
        emit(
            HCI.LEAdvertisingSetTerminated(
                status: status, advertisingHandle: set.handle, handle: handle, eventCount: count))
    }

    /// Whether a set answers a connection request from this address. Filter policy bit 1: only from the filter accept list.
    func acceptsConnection(_ set: AdvertisingSet, from peer: DeviceAddress) -> Bool {
        guard set.isEnabled, linkCount < configuration.maximumConnections, let who = identify(peer) else {
            return false
        }
        // Directed advertising knows its one peer and ignores the filter policy.
        return set.isDirected || set.settings.filterPolicy & 2 == 0 || isListed(who)
    }

    /// Whether a set answers a scan request from this address. Filter policy bit 0: only from the filter accept list.
    func acceptsScan(_ set: AdvertisingSet, from peer: DeviceAddress) -> Bool {
        guard set.isEnabled, set.isScannable, let who = identify(peer),
            set.settings.filterPolicy & 1 == 0 || isListed(who)
        else { return false }
        if set.settings.notifiesScanRequests {
            emit(
                HCI.LEScanRequestReceived(
                    advertisingHandle: set.handle, scannerAddressKind: who.address.kind,
                    scannerAddress: who.address.address))
        }
        return true
    }

    // MARK: - private

    private func event(of set: AdvertisingSet) -> AdvertisingEvent {
        let settings = set.settings
        let entry = resolving.index(of: settings.peer)
        var address = ownAddress(
            settings.ownAddressType, entry: entry, random: set.isExtended ? set.randomAddress : randomAddress)
        if settings.properties.contains(.anonymous) { address = DeviceAddress(.zero, .anonymous) }
        var target: DeviceAddress?
        if set.isDirected { target = targetAddress(of: settings, entry: entry) }
        var event = AdvertisingEvent(
            set: set, properties: settings.properties, address: address, target: target,
            channelMap: settings.channelMap, power: settings.power, data: set.takesData ? set.data.octets : [])
        guard !set.isLegacy else { return event }
        event.primaryPHY = settings.primaryPHY
        event.secondaryPHY = settings.secondaryPHY
        event.sid = settings.sid
        event.did = set.did
        if settings.properties.contains(.includesTXPower) { event.toldPower = settings.power }
        if let train = set.train, train.isRunning { event.train = train }
        return event
    }

    /// 0 to 10 ms, so that two advertisers do not stay in step. Core 5.4, Vol 6, Part B, 4.4.2.2.1.
    private func advertisingDelay() -> Int64 { Int64(air.random.next() % 10_000_001) }
}

extension HCI.AdvertisingProperties {
    /// What a type of legacy advertising is in extended commands. Core 5.4, Vol 4, Part E, 7.8.53.
    init?(_ type: HCI.AdvertisingType) {
        switch type {
        case .connectable: self = [.legacy, .connectable, .scannable]
        case .directedHighDuty: self = [.legacy, .connectable, .directed, .highDutyCycle]
        case .scannable: self = [.legacy, .scannable]
        case .nonConnectable: self = [.legacy]
        case .directedLowDuty: self = [.legacy, .connectable, .directed]
        default: return nil
        }
    }

    /// What such a set's packets are called in legacy reports.
    var legacyReport: HCI.AdvertisingReportType {
        if contains(.directed) { return .directed }
        if contains(.connectable) { return .connectable }
        return contains(.scannable) ? .scannable : .nonConnectable
    }
}
