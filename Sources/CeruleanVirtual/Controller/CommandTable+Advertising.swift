// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

extension CommandTable {
    /// Commands for advertising, scanning and the filter accept list.
    static let advertisingCommands: [HCI.Opcode: Handler] = Dictionary(uniqueKeysWithValues: [
        plain(HCI.LESetRandomAddress.self) { (controller, command) throws(Refusal) in
            guard !controller.advertiser.isEnabled, !controller.scanner.isEnabled, !controller.initiator.isPending
            else { throw Refusal(.commandDisallowed) }
            controller.randomAddress = command.address
        },
        plain(HCI.LESetAdvertisingParameters.self) { (controller, command) throws(Refusal) in
            guard !controller.advertiser.isEnabled else { throw Refusal(.commandDisallowed) }
            guard Advertiser.areValid(command) else { throw Refusal(.invalidParameters) }
            controller.advertiser.parameters = command
        },
        complete(HCI.LEReadAdvertisingChannelTXPower.self) { controller, _ in
            .init(level: controller.configuration.txPower)
        },
        plain(HCI.LESetAdvertisingData.self) { controller, command in controller.advertiser.data = command.data },
        plain(HCI.LESetScanResponseData.self) { controller, command in
            controller.advertiser.scanResponse = command.data
        },
        plain(HCI.LESetAdvertisingEnable.self) { (controller, command) throws(Refusal) in
            try controller.setAdvertising(command.enable)
        },
        plain(HCI.LESetScanParameters.self) { (controller, command) throws(Refusal) in
            guard !controller.scanner.isEnabled else { throw Refusal(.commandDisallowed) }
            guard command.type.rawValue <= 1, command.ownAddressType.rawValue <= 3, command.filterPolicy <= 3,
                Scanner.isValid(interval: command.interval, window: command.window)
            else { throw Refusal(.invalidParameters) }
            controller.scanner.parameters = command
        },
        plain(HCI.LESetScanEnable.self) { (controller, command) throws(Refusal) in
            if command.enable, controller.lacksAddress(controller.scanner.parameters.ownAddressType) {
                throw Refusal(.invalidParameters)
            }
            controller.setScanning(command.enable, filterDuplicates: command.filterDuplicates)
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
    ])
}

extension VirtualController {
    /// The list must not change while something uses it. Core 5.4, Vol 4, Part E, 7.8.15 to 7.8.17.
    fileprivate func checkAcceptListIsFree() throws(Refusal) {
        let isUsed =
            advertiser.isEnabled && advertiser.parameters.filterPolicy != 0
            || scanner.isEnabled && scanner.parameters.filterPolicy & 1 != 0
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

    /// The address that a procedure uses. Without a resolving list a private one falls back to its second choice.
    func ownAddress(_ type: HCI.OwnAddressType) -> DeviceAddress {
        if type == .random || type == .resolvableOrRandom {
            return DeviceAddress(randomAddress ?? .zero, .random)
        }
        return DeviceAddress(configuration.publicAddress, .public)
    }

    /// True when a random address is asked for and none was set.
    func lacksAddress(_ type: HCI.OwnAddressType) -> Bool {
        (type == .random || type == .resolvableOrRandom) && randomAddress == nil
    }
}
