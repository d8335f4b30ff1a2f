// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

extension CommandTable {
    /// Commands for legacy advertising and scanning.
    static let legacyAdvertisingCommands: [Entry] = [
        plain(HCI.LESetAdvertisingParameters.self) { (controller, command) throws(Refusal) in
            try controller.setAdvertisingParameters(command)
        },
        complete(HCI.LEReadAdvertisingChannelTXPower.self) { controller, _ in
            .init(level: controller.configuration.txPower)
        },
        plain(HCI.LESetAdvertisingData.self) { controller, command in
            controller.legacySet.data.octets = command.data
        },
        plain(HCI.LESetScanResponseData.self) { controller, command in
            controller.legacySet.response.octets = command.data
        },
        plain(HCI.LESetAdvertisingEnable.self) { (controller, command) throws(Refusal) in
            try controller.setAdvertising(command.enable)
        },
        plain(HCI.LESetScanParameters.self) { (controller, command) throws(Refusal) in
            guard !controller.scanner.isEnabled else { throw Refusal(.commandDisallowed) }
            guard command.type.rawValue <= 1, command.ownAddressType.rawValue <= 3, command.filterPolicy <= 3,
                Scanner.isValid(interval: command.interval, window: command.window)
            else { throw Refusal(.invalidParameters) }
            controller.scanner.modes = [
                .init(phy: .le1M, type: command.type, interval: command.interval, window: command.window)
            ]
            controller.scanner.ownAddressType = command.ownAddressType
            controller.scanner.filterPolicy = command.filterPolicy
        },
        plain(HCI.LESetScanEnable.self) { (controller, command) throws(Refusal) in
            if command.enable { try controller.checkScanAddress() }
            controller.setScanning(command.enable, duplicateFilter: command.filterDuplicates ? 1 : 0)
        },
    ].map { $0.speaking(.legacy) }

    /// Commands for extended scanning.
    static let extendedScanCommands: [Entry] = [
        plain(HCI.LESetExtendedScanParameters.self) { (controller, command) throws(Refusal) in
            guard !controller.scanner.isEnabled else { throw Refusal(.commandDisallowed) }
            guard command.ownAddressType.rawValue <= 3, command.filterPolicy <= 3, !command.phys.isEmpty,
                command.parameters.allSatisfy({
                    $0.type.rawValue <= 1
                        && Scanner.isValid(interval: $0.interval, window: $0.window, maximum: .max)
                })
            else { throw Refusal(.invalidParameters) }
            guard command.phys.isSubset(of: controller.supportedPHYs.subtracting(.le2M))
            else { throw Refusal(.unsupportedFeatureOrValue) }
            controller.scanner.modes = zip(HCI.PHY.all(in: command.phys), command.parameters).map {
                .init(phy: $0, type: $1.type, interval: $1.interval, window: $1.window)
            }
            controller.scanner.ownAddressType = command.ownAddressType
            controller.scanner.filterPolicy = command.filterPolicy
            controller.scanner.isExtended = true
        },
        plain(HCI.LESetExtendedScanEnable.self) { (controller, command) throws(Refusal) in
            let duration = Int64(command.duration) * 10_000_000
            let period = Int64(command.period) * 1_280_000_000
            guard command.filterDuplicates <= 2 else { throw Refusal(.invalidParameters) }
            if command.enable {
                guard period == 0 || duration > 0 && duration < period, command.filterDuplicates != 2 || period > 0
                else { throw Refusal(.invalidParameters) }
                try controller.checkScanAddress()
                controller.scanner.isExtended = true
            }
            controller.setScanning(
                command.enable, duplicateFilter: command.filterDuplicates, duration: duration,
                period: duration > 0 ? period : 0)
        },
    ].map { $0.requiring(.extendedAdvertising).speaking(.extended) }

    /// Commands for addresses and the filter accept list.
    static let acceptListCommands: [Entry] = [
        plain(HCI.LESetRandomAddress.self) { (controller, command) throws(Refusal) in
            guard !controller.isLegacyAdvertising, !controller.scanner.isEnabled, !controller.initiator.isPending
            else { throw Refusal(.commandDisallowed) }
            controller.randomAddress = command.address
        },
        complete(HCI.LEReadFilterAcceptListSize.self) { controller, _ in
            .init(size: controller.configuration.filterAcceptListSize)
        },
        plain(HCI.LEClearFilterAcceptList.self) { (controller, _) throws(Refusal) in
            try controller.checkAcceptListIsFree()
            controller.acceptList = []
        },
        plain(HCI.LEAddDeviceToFilterAcceptList.self) { (controller, command) throws(Refusal) in
            try controller.checkAcceptListIsFree()
            let device = try controller.listed(command.address, command.addressKind)
            guard !controller.acceptList.contains(device) else { return }
            guard controller.acceptList.count < Int(controller.configuration.filterAcceptListSize)
            else { throw Refusal(.memoryCapacityExceeded) }
            controller.acceptList.append(device)
        },
        plain(HCI.LERemoveDeviceFromFilterAcceptList.self) { (controller, command) throws(Refusal) in
            try controller.checkAcceptListIsFree()
            let device = try controller.listed(command.address, command.addressKind)
            controller.acceptList.removeAll { $0 == device }
        },
    ]
}

extension VirtualController {
    /// The list must not change while something uses it. Core 5.4, Vol 4, Part E, 7.8.15 to 7.8.17.
    fileprivate func checkAcceptListIsFree() throws(Refusal) {
        let isUsed =
            sets.contains { $0.isEnabled && $0.settings.filterPolicy != 0 }
            || scanner.isEnabled && scanner.filterPolicy & 1 != 0
            || initiator.isPending && initiator.usesAcceptList
        if isUsed { throw Refusal(.commandDisallowed) }
    }

    fileprivate func listed(
        _ address: BluetoothAddress, _ kind: DeviceAddress.Kind
    ) throws(Refusal) -> DeviceAddress {
        guard kind.rawValue <= 1 || kind == .anonymous else { throw Refusal(.invalidParameters) }
        // The address of an anonymous advertiser does not matter.
        return DeviceAddress(kind == .anonymous ? .zero : address, kind)
    }

    fileprivate func checkScanAddress() throws(Refusal) {
        guard !lacksAddress(scanner.ownAddressType, random: randomAddress, entry: nil)
        else { throw Refusal(.invalidParameters) }
    }
}
