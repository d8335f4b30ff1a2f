// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

extension CommandTable {
    /// Commands for private addresses.
    static let privacyCommands: [Entry] = [
        plain(HCI.LEAddDeviceToResolvingList.self) { (controller, command) throws(Refusal) in
            try controller.checkResolvingListIsFree()
            let identity = DeviceAddress(command.peerAddress, command.peerAddressKind)
            guard identity.kind.rawValue <= 1, controller.resolving.index(of: identity) == nil,
                command.peerKey == .zero
                    || !controller.resolving.entries.contains(where: { $0.peerKey == command.peerKey })
            else { throw Refusal(.invalidParameters) }
            guard controller.resolving.entries.count < Int(controller.configuration.resolvingListSize)
            else { throw Refusal(.memoryCapacityExceeded) }
            controller.resolving.append(
                .init(identity: identity, peerKey: command.peerKey, localKey: command.localKey))
        },
        plain(HCI.LERemoveDeviceFromResolvingList.self) { (controller, command) throws(Refusal) in
            try controller.checkResolvingListIsFree()
            controller.resolving.remove(at: try controller.entry(command.peerAddress, command.peerAddressKind))
        },
        plain(HCI.LEClearResolvingList.self) { (controller, _) throws(Refusal) in
            try controller.checkResolvingListIsFree()
            controller.resolving.removeAll()
        },
        complete(HCI.LEReadResolvingListSize.self) { controller, _ in
            .init(size: controller.configuration.resolvingListSize)
        },
        complete(HCI.LEReadPeerResolvableAddress.self) { (controller, command) throws(Refusal) in
            let index = try controller.entry(command.peerAddress, command.peerAddressKind)
            return .init(address: controller.resolving[index].heard)
        },
        complete(HCI.LEReadLocalResolvableAddress.self) { (controller, command) throws(Refusal) in
            let index = try controller.entry(command.peerAddress, command.peerAddressKind)
            let air = controller.air
            return .init(address: controller.resolving.localAddress(index, now: air.now, &air.random) ?? .zero)
        },
        plain(HCI.LESetAddressResolutionEnable.self) { (controller, command) throws(Refusal) in
            try controller.checkPrivacyIsIdle()
            controller.resolving.isEnabled = command.enable
        },
        plain(HCI.LESetResolvablePrivateAddressTimeout.self) { (controller, command) throws(Refusal) in
            guard (1...0xE10).contains(command.timeout) else { throw Refusal(.invalidParameters) }
            controller.resolving.lifetime = Int64(command.timeout) * 1_000_000_000
            controller.resolving.expireAddresses()
        },
        plain(HCI.LESetPrivacyMode.self) { (controller, command) throws(Refusal) in
            try controller.checkResolvingListIsFree()
            guard command.mode <= 1 else { throw Refusal(.invalidParameters) }
            let index = try controller.entry(command.peerAddress, command.peerAddressKind)
            controller.resolving[index].acceptsIdentity = command.mode == 1
        },
    ].map { $0.requiring(.privacy) }
}

extension VirtualController {
    fileprivate func entry(_ address: BluetoothAddress, _ kind: DeviceAddress.Kind) throws(Refusal) -> Int {
        guard kind.rawValue <= 1 else { throw Refusal(.invalidParameters) }
        guard let index = resolving.index(of: DeviceAddress(address, kind)) else { throw Refusal(.unknownConnection) }
        return index
    }
}
