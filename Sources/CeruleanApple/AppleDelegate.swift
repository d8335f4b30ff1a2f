// SPDX-License-Identifier: Apache-2.0
// The names are those of the framework of Apple.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

#if canImport(CoreBluetooth)
import CeruleanHost
import CoreBluetooth
import Foundation

/// Hands an object of Apple's framework to the host's loop, on whose queue it was handed out.
///
/// `@unchecked Sendable` since Apple's objects are used on their manager's queue, which the loop runs on; the facade's
/// guard themselves.
struct Carried<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// Takes what Apple's framework calls to the host, in order. Values are taken out of the objects at once: they change
/// with the next
/// call.
final class AppleDelegate: NSObject, Sendable {
    private let host: HostReference

    /// - Parameter host: set before the first manager is made.
    init(_ host: HostReference) { self.host = host }

    private func call(_ body: @escaping @Sendable (isolated AppleHost) -> Void) { host.call(body) }
}

/// Refers to the host without keeping it.
///
/// `@unchecked Sendable` since it is set once, before anybody else has it.
final class HostReference: @unchecked Sendable {
    weak var host: AppleHost?

    func call(_ body: @escaping @Sendable (isolated AppleHost) -> Void) {
        guard let host else { return }
        if host.loop.isCurrent {
            host.assumeIsolated(body)
        } else {
            host.loop.execute { host.assumeIsolated(body) }
        }
    }
}

extension AppleDelegate: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        let state = central.state
        call { $0.centralState(state) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let (peripheral, fields) = (Carried(peripheral), AdvertisementFacts(advertisementData, rssi: RSSI))
        call { $0.discovered(peripheral.value, fields) }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        let peripheral = Carried(peripheral)
        call { $0.connected(peripheral.value) }
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        let (peripheral, error) = (Carried(peripheral), HostError(apple: error, or: .connectionFailed))
        call { $0.failedToConnect(peripheral.value, error) }
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        let (peripheral, error) = (Carried(peripheral), HostError(disconnection: error))
        call { $0.disconnected(peripheral.value, error) }
    }
}

extension AppleDelegate: CBPeripheralDelegate {
    private func result<Value>(_ error: (any Error)?, _ value: @autoclosure () -> Value) -> Result<Value, HostError> {
        if let error { .failure(HostError(apple: error, or: .refused)) } else { .success(value()) }
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        let peripheral = Carried(peripheral)
        call { $0.modified(peripheral.value) }
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        let (peripheral, result) = (Carried(peripheral), result(error, RSSI.intValue))
        call { $0.measured(peripheral.value, result) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        let (peripheral, result) = (Carried(peripheral), result(error, ()))
        call { $0.servicesFound(peripheral.value, result) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) {
        let (peripheral, service, result) = (Carried(peripheral), Carried(service), result(error, ()))
        call { $0.ended(.included, peripheral.value, service.value, result) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        let (peripheral, service, result) = (Carried(peripheral), Carried(service), result(error, ()))
        call { $0.ended(.characteristics, peripheral.value, service.value, result) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        let (peripheral, target, result) = (Carried(peripheral), Carried(characteristic), result(error, ()))
        call { $0.ended(.descriptors, peripheral.value, target.value, result) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        let result = result(error, Array(characteristic.value ?? Data()))
        let (peripheral, target) = (Carried(peripheral), Carried(characteristic))
        call { $0.updated(peripheral.value, target.value, result) }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        let result = result(error, AppleHost.octets(of: descriptor.value))
        let (peripheral, target) = (Carried(peripheral), Carried(descriptor))
        call { $0.readEnded(peripheral.value, target.value, result) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        let (peripheral, target, result) = (Carried(peripheral), Carried(characteristic), result(error, ()))
        call { $0.ended(.write, peripheral.value, target.value, result) }
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        let (peripheral, target, result) = (Carried(peripheral), Carried(descriptor), result(error, ()))
        call { $0.ended(.write, peripheral.value, target.value, result) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        let (peripheral, target, result) = (Carried(peripheral), Carried(characteristic), result(error, ()))
        call { $0.ended(.subscription, peripheral.value, target.value, result) }
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        let peripheral = Carried(peripheral)
        call { $0.readyToWrite(peripheral.value) }
    }
}

extension AppleDelegate: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        let state = peripheral.state
        call { $0.serverState(state) }
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        let error = error.map { HostError(apple: $0, or: .refused) }
        call { $0.advertisingStarted(error) }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        let error = error.map { HostError(apple: $0, or: .invalidArgument) }
        call { $0.added(error) }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        let (central, target) = (Carried(central), Carried(characteristic))
        call { $0.subscribed(central.value, target.value, true) }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        let (central, target) = (Carried(central), Carried(characteristic))
        call { $0.subscribed(central.value, target.value, false) }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        let requests = Carried([request])
        call { $0.requested(requests.value, isRead: true) }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        let requests = Carried(requests)
        call { $0.requested(requests.value, isRead: false) }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        call { $0.readyToUpdate() }
    }
}
#endif
