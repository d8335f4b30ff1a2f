// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

extension CommandTable {
    /// Commands for advertising sets.
    static let extendedAdvertisingCommands: [Entry] = [
        plain(HCI.LESetAdvertisingSetRandomAddress.self) { (controller, command) throws(Refusal) in
            let set = try controller.advertisingSet(command.advertisingHandle)
            if set.isEnabled, set.isConnectable { throw Refusal(.commandDisallowed) }
            set.randomAddress = command.address
        },
        complete(HCI.LESetExtendedAdvertisingParameters.self) { (controller, command) throws(Refusal) in
            .init(txPower: try controller.setParameters(command))
        },
        plain(HCI.LESetExtendedAdvertisingData.self) { (controller, command) throws(Refusal) in
            let set = try controller.advertisingSet(command.advertisingHandle)
            try controller.setData(of: set, command)
        },
        plain(HCI.LESetExtendedScanResponseData.self) { (controller, command) throws(Refusal) in
            let set = try controller.advertisingSet(command.advertisingHandle)
            try controller.setResponse(of: set, command)
        },
        plain(HCI.LESetExtendedAdvertisingEnable.self) { (controller, command) throws(Refusal) in
            try controller.enable(command)
        },
        complete(HCI.LEReadMaximumAdvertisingDataLength.self) { controller, _ in
            .init(length: controller.configuration.maximumAdvertisingDataLength)
        },
        complete(HCI.LEReadNumberOfSupportedAdvertisingSets.self) { controller, _ in
            .init(count: controller.configuration.maximumAdvertisingSets)
        },
        plain(HCI.LERemoveAdvertisingSet.self) { (controller, command) throws(Refusal) in
            let set = try controller.advertisingSet(command.advertisingHandle)
            if set.isEnabled || set.train?.isEnabled == true { throw Refusal(.commandDisallowed) }
            set.retire()
            controller.sets.removeAll { $0 === set }
        },
        plain(HCI.LEClearAdvertisingSets.self) { (controller, _) throws(Refusal) in
            if controller.sets.contains(where: { $0.isEnabled || $0.train?.isEnabled == true }) {
                throw Refusal(.commandDisallowed)
            }
            for set in controller.sets { set.retire() }
            controller.sets = []
        },
    ].map { $0.requiring(.extendedAdvertising).speaking(.extended) }
}

extension VirtualController {
    /// The set with this handle.
    func advertisingSet(_ handle: UInt8) throws(Refusal) -> AdvertisingSet {
        guard let set = sets.first(where: { $0.isExtended && $0.handle == handle })
        else { throw Refusal(.unknownAdvertisingIdentifier) }
        return set
    }

    /// Core 5.4, Vol 4, Part E, 7.8.53. Returns the power.
    fileprivate func setParameters(_ command: HCI.LESetExtendedAdvertisingParameters) throws(Refusal) -> Int8 {
        guard command.advertisingHandle <= 0xEF, Self.areValid(command) else { throw Refusal(.invalidParameters) }
        guard HCI.PHYMask(command.primaryPHY).isSubset(of: supportedPHYs),
            command.properties.contains(.legacy) || HCI.PHYMask(command.secondaryPHY).isSubset(of: supportedPHYs)
        else { throw Refusal(.unsupportedFeatureOrValue) }
        let known = sets.first { $0.isExtended && $0.handle == command.advertisingHandle }
        if known == nil, sets.count >= Int(configuration.maximumAdvertisingSets) {
            throw Refusal(.memoryCapacityExceeded)
        }
        let set = known ?? AdvertisingSet(handle: command.advertisingHandle, isExtended: true, controller: self)
        guard !set.isEnabled else { throw Refusal(.commandDisallowed) }
        if set.train != nil, !command.properties.allowsPeriodic { throw Refusal(.invalidParameters) }
        // Data that are there already must suit the type.
        if command.properties.contains(.legacy), max(set.data.octets.count, set.response.octets.count) > 31 {
            throw Refusal(.invalidParameters)
        }
        var settings = AdvertisingSet.Settings(power: configuration.txPower)
        settings.properties = command.properties
        settings.interval = command.intervalMinimum
        settings.intervalMaximum = command.intervalMaximum
        settings.channelMap = command.channelMap
        settings.ownAddressType = command.ownAddressType
        settings.peer = DeviceAddress(command.peerAddress, command.peerAddressKind)
        settings.filterPolicy = command.filterPolicy
        if command.txPower != 127 { settings.power = min(command.txPower, max(20, configuration.txPower)) }
        settings.primaryPHY = command.primaryPHY
        settings.secondaryPHY = command.secondaryPHY
        // Legacy packets have no room for it.
        settings.sid = command.properties.contains(.legacy) ? 0xFF : command.sid
        settings.notifiesScanRequests = command.notifiesScanRequests
        set.settings = settings
        if known == nil { sets.append(set) }
        return settings.power
    }

    private static func areValid(_ command: HCI.LESetExtendedAdvertisingParameters) -> Bool {
        let properties = command.properties
        guard properties.rawValue & ~0x7F == 0, command.channelMap & 7 != 0, command.channelMap <= 7,
            command.ownAddressType.rawValue <= 3, command.filterPolicy <= 3, command.sid <= 0x0F,
            command.txPower <= 20 || command.txPower == 127,
            command.primaryPHY == .le1M || command.primaryPHY == .leCoded,
            !properties.contains(.directed) && command.ownAddressType.rawValue < 2
                || command.peerAddressKind.rawValue <= 1
        else { return false }
        if properties.contains(.legacy) {
            // Five combinations are packets of legacy advertising.
            guard [0x13, 0x15, 0x1D, 0x12, 0x10].contains(properties.rawValue), command.primaryPHY == .le1M
            else { return false }
        } else {
            guard !properties.isSuperset(of: [.connectable, .scannable]), !properties.contains(.highDutyCycle),
                !properties.contains(.anonymous) || properties.isDisjoint(with: [.connectable, .scannable]),
                (1...3).contains(command.secondaryPHY.rawValue)
            else { return false }
        }
        return properties.contains(.highDutyCycle)
            || command.intervalMinimum >= 0x20 && command.intervalMinimum <= command.intervalMaximum
    }

    /// Core 5.4, Vol 4, Part E, 7.8.54.
    fileprivate func setData(of set: AdvertisingSet, _ command: HCI.LESetExtendedAdvertisingData) throws(Refusal) {
        guard set.takesData || command.data.isEmpty && command.operation == .complete
        else { throw Refusal(.invalidParameters) }
        if command.operation == .unchanged {
            guard set.isEnabled, !set.isLegacy, !set.data.octets.isEmpty, command.data.isEmpty
            else { throw Refusal(.invalidParameters) }
            return set.touch()
        }
        let limit = set.isLegacy ? 31 : Int(configuration.maximumAdvertisingDataLength)
        try set.data.take(
            command.operation, command.data, isInUse: set.isEnabled, limit: limit, isLegacy: set.isLegacy
        ) { fits($0, set) }
        set.touch()
    }

    /// Core 5.4, Vol 4, Part E, 7.8.55.
    fileprivate func setResponse(of set: AdvertisingSet, _ command: HCI.LESetExtendedScanResponseData) throws(Refusal) {
        guard command.operation.rawValue <= 3, set.isScannable || command.data.isEmpty && command.operation == .complete
        else { throw Refusal(.invalidParameters) }
        if set.isEnabled, set.isScannable, !set.isLegacy, command.data.isEmpty { throw Refusal(.commandDisallowed) }
        let limit = set.isLegacy ? 31 : Int(configuration.maximumAdvertisingDataLength)
        try set.response.take(
            command.operation, command.data, isInUse: set.isEnabled, limit: limit, isLegacy: set.isLegacy
        ) { fits($0, set) }
        set.touch()
    }

    /// Core 5.4, Vol 4, Part E, 7.8.56. Either all sets start or none.
    fileprivate func enable(_ command: HCI.LESetExtendedAdvertisingEnable) throws(Refusal) {
        var chosen: [AdvertisingSet] = []
        for one in command.sets {
            let set = try advertisingSet(one.advertisingHandle)
            if chosen.contains(where: { $0 === set }) { throw Refusal(.invalidParameters) }
            chosen.append(set)
        }
        guard command.enable else {
            for set in chosen.isEmpty ? sets : chosen { set.stop() }
            return
        }
        guard !chosen.isEmpty else { throw Refusal(.invalidParameters) }
        for (set, one) in zip(chosen, command.sets) {
            guard set.data.isComplete, set.response.isComplete else { throw Refusal(.commandDisallowed) }
            // An extended scannable set has nothing to say but its response.
            if !set.isLegacy, set.isScannable, set.response.octets.isEmpty { throw Refusal(.commandDisallowed) }
            if set.isHighDuty, !(1...128).contains(one.duration) { throw Refusal(.invalidParameters) }
            guard fits(max(set.data.octets.count, set.response.octets.count), set) else {
                throw Refusal(.packetTooLong)
            }
            try checkStart(set)
        }
        for (set, one) in zip(chosen, command.sets) {
            start(set, duration: Int64(one.duration) * 10_000_000, maximumEvents: Int(one.maximumEvents))
        }
    }

    /// Whether data are through before the next event begins.
    private func fits(_ count: Int, _ set: AdvertisingSet) -> Bool {
        set.isLegacy
            || AdvertisingTime.duration(
                of: count, primary: set.settings.primaryPHY, secondary: set.settings.secondaryPHY,
                channelMap: set.settings.channelMap) <= Int64(set.settings.intervalMaximum) * 625_000
    }
}

extension AdvertisingSet.Payload {
    /// Takes one part of the data, or all of it. Core 5.4, Vol 4, Part E, 7.8.54.
    mutating func take(
        _ operation: HCI.DataOperation, _ part: [UInt8], isInUse: Bool, limit: Int, isLegacy: Bool,
        fits: (Int) -> Bool
    ) throws(Refusal) {
        switch operation {
        case .complete:
            // Legacy packets have their limit by their type, others by the memory.
            guard part.count <= limit else { throw Refusal(isLegacy ? .invalidParameters : .memoryCapacityExceeded) }
            if isInUse, !fits(part.count) { throw Refusal(.packetTooLong) }
            octets = part
            isComplete = true
        case .first, .intermediate, .last:
            guard !isInUse else { throw Refusal(.commandDisallowed) }
            guard !isLegacy, !part.isEmpty else { throw Refusal(.invalidParameters) }
            if operation == .first {
                octets = []
            } else if isComplete {
                throw Refusal(.invalidParameters)
            }
            guard octets.count + part.count <= limit else {
                octets = []
                isComplete = true
                throw Refusal(.memoryCapacityExceeded)
            }
            octets += part
            isComplete = operation == .last
        default: throw Refusal(.invalidParameters)
        }
    }
}

extension HCI.AdvertisingProperties {
    /// Whether a set of this type may advertise periodically. Core 5.4, Vol 4, Part E, 7.8.61.
    var allowsPeriodic: Bool { isDisjoint(with: [.connectable, .scannable, .legacy, .anonymous]) }
}

extension HCI.PHYMask {
    /// The bit of one mode; empty for an unknown one.
    init(_ phy: HCI.PHY) {
        self.init(rawValue: (1...3).contains(phy.rawValue) ? 1 << (phy.rawValue - 1) : 0)
    }
}
