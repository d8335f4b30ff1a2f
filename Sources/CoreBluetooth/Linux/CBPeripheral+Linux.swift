// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire
public import Foundation

// What Linux knows of a peripheral and Apple's framework does not tell.
extension CBPeripheral {
    /// The address that the device was heard with last; nil before it was. Linux only.
    public var linuxAddress: DeviceAddress? { peripheral { $0.advertisement?.address } }

    /// The octets of its last advertisement, where the engine has them. Linux only.
    public var linuxAdvertisement: Data? { peripheral { $0.advertisement?.raw.map { Data($0) } } }

    /// The octets of its last scan response. Linux only.
    public var linuxScanResponse: Data? { peripheral { $0.advertisement?.scanResponse.map { Data($0) } } }

    /// Pairs with the connected device, or encrypts with the keys that are there; `completion` is called on the
    /// manager's queue with nil or the reason why it failed. Linux only.
    public func linuxPair(
        _ options: PairingOptions = PairingOptions(), completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let (client, peer, core) = (core.number, peer, core)
        core.onRadio { radio in
            radio.pair(client, peer, options) { result in
                core.deliver { _ in completion(result.map { _ in }.cbError) }
            }
        }
    }
}
