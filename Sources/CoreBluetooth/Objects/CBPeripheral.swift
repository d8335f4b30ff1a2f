// SPDX-License-Identifier: Apache-2.0
// The names are those of the framework of Apple.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CeruleanHost
import CeruleanWire
public import Foundation
import Synchronization

/// A device that a central manager found, wants or is connected to.
///
/// Keep it as long as it is needed: the manager holds connected peripherals alone, and letting go of one that is being
/// connected ends the attempt. All calls may come from any thread; the delegate is called on the manager's queue.
open class CBPeripheral: CBPeer {
    struct Storage {
        weak var delegate: (any CBPeripheralDelegate)?
        var name: String?
        var rssi: NSNumber?
        var state = CBPeripheralState.disconnected
        var services: [CBService]?
        var link: LinkID?
        /// The longest value of one packet.
        var maximumLength = 0
        /// Another one with each `connect`, in the whole process: an object that is gone does not end the wish of the
        /// one that came after it.
        var epoch: UInt64 = 0
        var reconnects = false
        /// Writes without response that the host has not taken yet.
        var waitingWrites = 0
        var isCongested = false
        /// Everything that was found, by the host's name for it.
        var found: [UInt64: CBAttribute] = [:]
        var advertisement: Advertisement?
    }

    /// Writes without response that are taken before ``canSendWriteWithoutResponse`` is false, and how many of them may
    /// be left when it is true again.
    static let writeWindow = (full: 20, ready: 10)
    /// Best effort goes so far.
    static let maximumWrites = 256

    private static let epochs = Atomic<UInt64>(0)
    static var nextEpoch: UInt64 { epochs.add(1, ordering: .relaxed).newValue }

    let core: ManagerCore
    let peer: PeerID
    let peripheral = Guarded(Storage())

    init(_ peer: PeerID, _ core: ManagerCore) {
        self.peer = peer
        self.core = core
        super.init(identifier: Identities.host.identifier(of: peer))
    }

    deinit {
        let (state, epoch) = peripheral { ($0.state, $0.epoch) }
        guard state == .connecting else { return }
        let (client, peer) = (core.number, peer)
        core.onRadio { $0.cancelConnection(client, peer, epoch: epoch) }
    }

    /// Who hears of values and of what came of operations. Not kept.
    open var delegate: (any CBPeripheralDelegate)? {
        get { peripheral { $0.delegate } }
        set { peripheral { $0.delegate = newValue } }
    }
    /// The name that the device tells when it is connected, else the advertised one.
    open var name: String? { peripheral { $0.name } }
    /// The signal strength that was read last.
    @available(*, deprecated, message: "use the value of didReadRSSI")
    open var rssi: NSNumber? { peripheral { $0.rssi } }
    /// Whether it is connected to this manager.
    open var state: CBPeripheralState { peripheral { $0.state } }
    /// Its services, as far as they were found; nil before anything was.
    open var services: [CBService]? { peripheral { $0.services } }
    /// Whether a write without response will be sent rather than dropped.
    open var canSendWriteWithoutResponse: Bool { peripheral { $0.state == .connected && !$0.isCongested } }
    /// Never true on Linux.
    open var ancsAuthorized: Bool { false }

    /// Measures the signal strength.
    open func readRSSI() { measure() }

    /// Finds services of these types; all of them for nil.
    open func discoverServices(_ serviceUUIDs: [CBUUID]?) { findServices(serviceUUIDs) }

    /// Finds the services that a service includes.
    open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
        findIncluded(includedServiceUUIDs, service)
    }

    /// Finds the characteristics of a service.
    open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
        findCharacteristics(characteristicUUIDs, service)
    }

    /// Finds the descriptors of a characteristic.
    open func discoverDescriptors(for characteristic: CBCharacteristic) { findDescriptors(characteristic) }

    /// Reads a value; the delegate gets it as it gets notifications.
    open func readValue(for characteristic: CBCharacteristic) { read(characteristic) }

    /// Reads the value of a descriptor.
    open func readValue(for descriptor: CBDescriptor) { read(descriptor) }

    /// Writes a value of at most 512 octets with a response, or of ``maximumWriteValueLength(for:)`` without; longer
    /// ones without response are cut.
    open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
        write(Array(data), characteristic, type)
    }

    /// Writes the value of a descriptor. The Client Characteristic Configuration is written by
    /// ``setNotifyValue(_:for:)`` alone.
    open func writeValue(_ data: Data, for descriptor: CBDescriptor) { write(Array(data), descriptor) }

    /// The longest value of a write; 0 when not connected. It may grow shortly after the connection.
    open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
        peripheral { storage in
            guard storage.state == .connected else { return 0 }
            return type == .withResponse ? 512 : storage.maximumLength
        }
    }

    /// Subscribes to notifications, or to indications where there are no notifications; or unsubscribes.
    open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
        subscribe(enabled, characteristic)
    }

    /// Opens a channel to a listener of the device.
    open func openL2CAPChannel(_ PSM: CBL2CAPPSM) { openChannel(PSM) }

    /// The class, the identifier and the rest, for people.
    open override var description: String {
        let (name, state) = peripheral { ($0.name ?? "(null)", $0.state) }
        return "<CBPeripheral: identifier = \(identifier.uuidString), name = \(name), state = \(state)>"
    }
}
