// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

/// The peripheral role as applications have it: a queue of what `updateValue` refused, and offsets in reads.
class ChatPeripheral: NSObject, CBPeripheralManagerDelegate {
    static let serviceUUID = CBUUID(string: "E20A39F4-73F5-4BC4-A12F-17D1AD07A961")
    static let characteristicUUID = CBUUID(string: "08590F7E-DB05-467E-8757-72F6FAEB13D4")

    private lazy var manager = CBPeripheralManager(delegate: self, queue: nil)
    private var transfer: CBMutableCharacteristic?
    private var queue: [Data] = []
    var onWrite: ((Data) -> Void)?

    func start() { _ = manager }

    func send(_ data: Data) {
        queue.append(data)
        drain()
    }

    private func drain() {
        guard let transfer = transfer else { return }
        while let next = queue.first {
            guard manager.updateValue(next, for: transfer, onSubscribedCentrals: nil) else { return }
            queue.removeFirst()
        }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let transfer = CBMutableCharacteristic(
            type: Self.characteristicUUID, properties: [.notify, .writeWithoutResponse, .read], value: nil,
            permissions: [.readable, .writeable])
        let service = CBMutableService(type: Self.serviceUUID, primary: true)
        service.characteristics = [transfer]
        peripheral.add(service)
        self.transfer = transfer
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        peripheral.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [Self.serviceUUID], CBAdvertisementDataLocalNameKey: "Chat",
        ])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        let value = Data("hello".utf8)
        guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
        request.value = value.subdata(in: request.offset..<value.count)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        for request in requests {
            guard let value = request.value else { continue }
            onWrite?(value)
        }
        peripheral.respond(to: requests[0], withResult: .success)
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { drain() }
}
