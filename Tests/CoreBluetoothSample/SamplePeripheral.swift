// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

final class SamplePeripheral: NSObject {
    private var manager: CBPeripheralManager!
    private var waiting: [Data] = []
    private var content = Data([1, 2, 3, 4])
    private var isRestored = false
    private var notifying = CBMutableCharacteristic(
        type: CBUUID(string: "FFF3"), properties: [.read, .notify, .indicate], value: nil, permissions: .readable)

    init(restoreIdentifier: String?) {
        super.init()
        var options: [String: Any] = [:]
        if let restoreIdentifier { options[CBPeripheralManagerOptionRestoreIdentifierKey] = restoreIdentifier }
        manager = CBPeripheralManager(delegate: self, queue: nil, options: options)
    }

    func send(_ data: Data) {
        waiting.append(data)
        sendWaiting()
    }

    private func sendWaiting() {
        while let next = waiting.first, manager.updateValue(next, for: notifying, onSubscribedCentrals: nil) {
            waiting.removeFirst()
        }
    }
}

extension SamplePeripheral: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        say("state", ["state": peripheral.state.rawValue])
        guard peripheral.state == .poweredOn, !isRestored else { return }
        let value = CBMutableCharacteristic(
            type: CBUUID(string: "FFF1"), properties: [.read, .write], value: nil, permissions: [.readable, .writeable])
        let fixed = CBMutableCharacteristic(
            type: CBUUID(string: "2A29"), properties: .read, value: Data("Sample".utf8), permissions: .readable)
        let service = CBMutableService(type: CBUUID(string: "FFF0"), primary: true)
        service.characteristics = [value, notifying, fixed]
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        isRestored = true
        let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
        for characteristic in services.flatMap({ $0.characteristics ?? [] }) {
            if characteristic.uuid == notifying.uuid, let known = characteristic as? CBMutableCharacteristic {
                notifying = known
            }
        }
        say("restored", ["services": services.map(\.uuid.uuidString)])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        if let error { return say("error", ["message": error.localizedDescription]) }
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Sample", CBAdvertisementDataServiceUUIDsKey: [service.uuid],
        ])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
        say("advertising", ["code": (error as? CBError)?.errorCode ?? 0])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        let value = request.characteristic.uuid == notifying.uuid ? Data() : content
        guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
        request.value = value.subdata(in: request.offset..<value.count)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        var changed = content
        for request in requests {
            let part = request.value ?? Data()
            guard request.offset <= changed.count || request.offset == 0 else {
                return peripheral.respond(to: requests[0], withResult: .invalidOffset)
            }
            changed = changed.prefix(request.offset) + part
        }
        content = Data(changed)
        peripheral.respond(to: requests[0], withResult: .success)
        say("written", ["value": hex(content), "requests": requests.count])
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        say("subscribed", ["length": central.maximumUpdateValueLength])
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        say("unsubscribed")
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { sendWaiting() }
}
