// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

extension CommandTable {
    /// Commands for periodic advertising and for synchronizing to it.
    static let periodicCommands: [Entry] = [
        plain(HCI.LESetPeriodicAdvertisingParameters.self) { (controller, command) throws(Refusal) in
            try controller.setPeriodicParameters(command)
        },
        plain(HCI.LESetPeriodicAdvertisingData.self) { (controller, command) throws(Refusal) in
            try controller.setPeriodicData(command)
        },
        plain(HCI.LESetPeriodicAdvertisingEnable.self) { (controller, command) throws(Refusal) in
            try controller.setPeriodic(command)
        },
        status(HCI.LEPeriodicAdvertisingCreateSync.self) { (controller, command) throws(Refusal) in
            try controller.createSync(command)
        },
        plain(HCI.LEPeriodicAdvertisingCreateSyncCancel.self) { (controller, _) throws(Refusal) in
            try controller.cancelSync()
        },
        plain(HCI.LEPeriodicAdvertisingTerminateSync.self) { (controller, command) throws(Refusal) in
            controller.forget(try controller.sync(command.syncHandle))
        },
        plain(HCI.LEAddDeviceToPeriodicAdvertiserList.self) { (controller, command) throws(Refusal) in
            let one = try controller.listed(command.advertiserAddress, command.advertiserAddressKind, command.sid)
            guard !controller.advertiserList.contains(one) else { throw Refusal(.invalidParameters) }
            guard controller.advertiserList.count < Int(controller.configuration.periodicAdvertiserListSize)
            else { throw Refusal(.memoryCapacityExceeded) }
            controller.advertiserList.append(one)
        },
        plain(HCI.LERemoveDeviceFromPeriodicAdvertiserList.self) { (controller, command) throws(Refusal) in
            let one = try controller.listed(command.advertiserAddress, command.advertiserAddressKind, command.sid)
            guard controller.advertiserList.contains(one) else { throw Refusal(.unknownAdvertisingIdentifier) }
            controller.advertiserList.removeAll { $0 == one }
        },
        plain(HCI.LEClearPeriodicAdvertiserList.self) { (controller, _) throws(Refusal) in
            guard controller.syncRequest == nil else { throw Refusal(.commandDisallowed) }
            controller.advertiserList = []
        },
        complete(HCI.LEReadPeriodicAdvertiserListSize.self) { controller, _ in
            .init(size: controller.configuration.periodicAdvertiserListSize)
        },
        plain(HCI.LESetPeriodicAdvertisingReceiveEnable.self) { (controller, command) throws(Refusal) in
            let sync = try controller.sync(command.syncHandle)
            guard command.enable <= 3 else { throw Refusal(.invalidParameters) }
            sync.reports = command.enable & 1 == 1
            sync.filtersDuplicates = command.enable & 2 != 0
        },
    ].map { $0.requiring(.periodicAdvertising).speaking(.extended) }

    /// Commands that hand synchronizations over to connected peers.
    static let syncTransferCommands: [Entry] = [
        complete(HCI.LEPeriodicAdvertisingSyncTransfer.self) { (controller, command) throws(Refusal) in
            let end = try controller.end(command.handle)
            let sync = try controller.sync(command.syncHandle)
            guard let train = sync.train else { throw Refusal(.unknownAdvertisingIdentifier) }
            try controller.transfer(train, sync.sid, command.serviceData, to: end)
            return .init(handle: command.handle)
        }.requiring(.periodicSyncTransferSender),
        complete(HCI.LEPeriodicAdvertisingSetInfoTransfer.self) { (controller, command) throws(Refusal) in
            let end = try controller.end(command.handle)
            let set = try controller.advertisingSet(command.advertisingHandle)
            guard let train = set.train, train.isRunning else { throw Refusal(.commandDisallowed) }
            try controller.transfer(train, set.settings.sid, command.serviceData, to: end)
            return .init(handle: command.handle)
        }.requiring(.periodicSyncTransferSender),
        complete(HCI.LESetPeriodicAdvertisingSyncTransferParameters.self) { (controller, command) throws(Refusal) in
            let end = try controller.end(command.handle)
            end.syncTransfer = try controller.policy(command.mode, command.skip, command.timeout, command.cteType)
            return .init(handle: command.handle)
        }.requiring(.periodicSyncTransferRecipient),
        plain(HCI.LESetDefaultPeriodicAdvertisingSyncTransferParameters.self) { (controller, command) throws(Refusal) in
            controller.defaultSyncTransfer = try controller.policy(
                command.mode, command.skip, command.timeout, command.cteType)
        }.requiring(.periodicSyncTransferRecipient),
    ]
}

extension VirtualController {
    fileprivate func listed(
        _ address: BluetoothAddress, _ kind: DeviceAddress.Kind, _ sid: UInt8
    ) throws(Refusal) -> PeriodicAdvertiser {
        guard syncRequest == nil else { throw Refusal(.commandDisallowed) }
        guard kind.rawValue <= 1, sid <= 0x0F else { throw Refusal(.invalidParameters) }
        return PeriodicAdvertiser(address: DeviceAddress(address, kind), sid: sid)
    }

    fileprivate func transfer(
        _ train: PeriodicTrain, _ sid: UInt8, _ serviceData: UInt16, to end: LinkEnd
    ) throws(Refusal) {
        guard end.other.controller?.configuration.features.contains(.periodicSyncTransferRecipient) != false
        else { throw Refusal(.unsupportedRemoteFeature) }
        guard end.openTransfers < LinkEnd.maximumTransfers else { throw Refusal(.controllerBusy) }
        end.openTransfers += 1
        let set = train.set
        let address = set.controller.ownAddress(
            set.settings.ownAddressType, entry: set.controller.resolving.index(of: set.settings.peer),
            random: set.randomAddress)
        end.link.send(
            .periodicSync(
                PeriodicInformation(train: train, advertiser: address, sid: sid, serviceData: serviceData)), from: end)
    }
}
