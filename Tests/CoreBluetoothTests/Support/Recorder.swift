// SPDX-License-Identifier: Apache-2.0
// The names are those of the framework of Apple.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CoreBluetooth
import Synchronization

/// One call of a delegate.
struct Call: @unchecked Sendable {
    var name: String
    var peripheral: CBPeripheral?
    var service: CBService?
    var characteristic: CBCharacteristic?
    var descriptor: CBDescriptor?
    var services: [CBService] = []
    var central: CBCentral?
    var requests: [CBATTRequest] = []
    var dictionary: [String: Any] = [:]
    /// What the object's own value was at the time of the call.
    var value: Data?
    var number: Int?
    var channel: CBL2CAPChannel?
    var error: (any Error)?
    var isOnQueue = false
}

/// Writes down every call of the delegates, in order, and lets tests wait for them.
///
/// `@unchecked Sendable`: its state is behind a lock.
class Recorder: NSObject, @unchecked Sendable {
    private struct State {
        var calls: [Call] = []
        var read = 0
        var waiter: (matches: (Call) -> Bool, continuation: CheckedContinuation<Call, Never>)?
    }

    static let key = DispatchSpecificKey<Bool>()
    let queue: DispatchQueue
    private let lock = NSLock()
    private var state = State()

    override init() {
        queue = DispatchQueue(label: "recorder")
        queue.setSpecific(key: Self.key, value: true)
        super.init()
    }

    func record(_ call: Call) {
        var call = call
        call.isOnQueue = DispatchQueue.getSpecific(key: Self.key) == true
        let ready = lock.withLock { () -> CheckedContinuation<Call, Never>? in
            state.calls.append(call)
            guard let waiter = state.waiter, waiter.matches(call) else { return nil }
            state.waiter = nil
            state.read = state.calls.count
            return waiter.continuation
        }
        ready?.resume(returning: call)
    }

    /// The next call of this name that nobody waited for yet; calls before it are passed over.
    func next(_ name: String, where condition: @escaping (Call) -> Bool = { _ in true }) async -> Call {
        let matches: (Call) -> Bool = { $0.name == name && condition($0) }
        return await withCheckedContinuation { continuation in
            let found = lock.withLock { () -> Call? in
                for index in state.read..<state.calls.count where matches(state.calls[index]) {
                    state.read = index + 1
                    return state.calls[index]
                }
                state.read = state.calls.count
                state.waiter = (matches, continuation)
                return nil
            }
            if let found { continuation.resume(returning: found) }
        }
    }

    /// The names of all calls so far.
    var names: [String] { lock.withLock { state.calls.map(\.name) } }
    func calls(_ name: String) -> [Call] { lock.withLock { state.calls.filter { $0.name == name } } }
    var all: [Call] { lock.withLock { state.calls } }
}

final class CentralRecorder: Recorder, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    private let keeps = Atomic(true)
    /// Whether calls are written down with their channels.
    var keepsChannels: Bool {
        get { keeps.load(ordering: .relaxed) }
        set { keeps.store(newValue, ordering: .relaxed) }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        record(Call(name: "state", number: central.state.rawValue))
    }
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        record(Call(name: "willRestore", dictionary: dict, number: central.state.rawValue))
    }
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        record(Call(name: "discover", peripheral: peripheral, dictionary: advertisementData, number: RSSI.intValue))
    }
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.delegate = self
        record(Call(name: "connect", peripheral: peripheral))
    }
    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        record(Call(name: "fail", peripheral: peripheral, error: error))
    }
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) {
        record(Call(name: "disconnect", peripheral: peripheral, number: isReconnecting ? 1 : 0, error: error))
    }
    func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) {
        record(Call(name: "event", peripheral: peripheral, number: event.rawValue))
    }
    func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
        record(Call(name: "name", peripheral: peripheral))
    }
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        record(Call(name: "modified", peripheral: peripheral, services: invalidatedServices))
    }
    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        record(Call(name: "rssi", peripheral: peripheral, number: RSSI.intValue, error: error))
    }
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        record(Call(name: "services", peripheral: peripheral, error: error))
    }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) {
        record(Call(name: "included", peripheral: peripheral, service: service, error: error))
    }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        record(Call(name: "characteristics", peripheral: peripheral, service: service, error: error))
    }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        record(Call(name: "descriptors", peripheral: peripheral, characteristic: characteristic, error: error))
    }
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        record(
            Call(
                name: "value", peripheral: peripheral, characteristic: characteristic, value: characteristic.value,
                error: error))
    }
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        record(Call(name: "descriptor", peripheral: peripheral, descriptor: descriptor, error: error))
    }
    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        record(Call(name: "write", peripheral: peripheral, characteristic: characteristic, error: error))
    }
    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        record(Call(name: "writeDescriptor", peripheral: peripheral, descriptor: descriptor, error: error))
    }
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        record(
            Call(
                name: "notify", peripheral: peripheral, characteristic: characteristic,
                number: characteristic.isNotifying ? 1 : 0, error: error))
    }
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        record(Call(name: "ready", peripheral: peripheral, number: peripheral.canSendWriteWithoutResponse ? 1 : 0))
    }
    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        record(
            Call(name: "channel", peripheral: peripheral, channel: keepsChannels ? channel : nil, error: error))
    }
}

/// Answers reads with ``values`` and keeps what is written there, unless a test answers itself.
final class ServerRecorder: Recorder, CBPeripheralManagerDelegate, @unchecked Sendable {
    private let content = Mutex<[String: Data]>([:])
    /// Requests are left to the test.
    let isManual = Atomic(false)

    subscript(uuid: String) -> Data? {
        get { content.withLock { $0[uuid] } }
        set { content.withLock { $0[uuid] = newValue } }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        record(Call(name: "state", number: peripheral.state.rawValue))
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        record(Call(name: "willRestore", dictionary: dict))
    }
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        record(Call(name: "advertising", number: peripheral.isAdvertising ? 1 : 0, error: error))
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        record(Call(name: "add", service: service, error: error))
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        let count = (characteristic as? CBMutableCharacteristic)?.subscribedCentrals?.count
        record(Call(name: "subscribe", characteristic: characteristic, central: central, number: count))
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        let count = (characteristic as? CBMutableCharacteristic)?.subscribedCentrals?.count
        record(Call(name: "unsubscribe", characteristic: characteristic, central: central, number: count))
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        if !isManual.load(ordering: .relaxed) {
            let value = self[request.characteristic.uuid.uuidString] ?? Data()
            if request.offset > value.count {
                peripheral.respond(to: request, withResult: .invalidOffset)
            } else {
                request.value = value.dropFirst(request.offset)
                peripheral.respond(to: request, withResult: .success)
            }
        }
        record(
            Call(
                name: "read", characteristic: request.characteristic, central: request.central, requests: [request],
                number: request.offset))
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        if !isManual.load(ordering: .relaxed) {
            for request in requests {
                var value = self[request.characteristic.uuid.uuidString] ?? Data()
                if request.offset == 0 { value = Data() }
                value += request.value ?? Data()
                self[request.characteristic.uuid.uuidString] = value
            }
            peripheral.respond(to: requests[0], withResult: .success)
        }
        record(
            Call(
                name: "written", characteristic: requests[0].characteristic, requests: requests,
                value: requests[0].value))
    }
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { record(Call(name: "ready")) }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        record(Call(name: "publish", number: Int(PSM), error: error))
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        record(Call(name: "unpublish", number: Int(PSM), error: error))
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        record(Call(name: "channel", channel: channel, error: error))
    }
}
