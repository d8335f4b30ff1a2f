// SPDX-License-Identifier: Apache-2.0
// The names are those of the framework of Apple.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CoreBluetooth

final class SampleCentral: NSObject {
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    private let service = CBUUID(string: "FFF0")
    private let value = CBUUID(string: "FFF1")
    private let notifying = CBUUID(string: "FFF3")
    private let long = CBUUID(string: "FFF4")

    init(restoreIdentifier: String?) {
        super.init()
        var options: [String: Any] = [CBCentralManagerOptionShowPowerAlertKey: true]
        if let restoreIdentifier { options[CBCentralManagerOptionRestoreIdentifierKey] = restoreIdentifier }
        manager = CBCentralManager(delegate: self, queue: nil, options: options)
    }
}

extension SampleCentral: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        say("state", ["state": central.state.rawValue])
        guard central.state == .poweredOn else { return }
        if let peripheral {
            if peripheral.state == .disconnected { central.connect(peripheral) }
        } else {
            central.scanForPeripherals(withServices: [service])
        }
    }

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        peripheral = peripherals.first
        peripheral?.delegate = self
        let subscribed = peripheral?.services?.flatMap { $0.characteristics ?? [] }.filter(\.isNotifying) ?? []
        say(
            "restored",
            [
                "count": peripherals.count, "state": peripheral?.state.rawValue ?? -1,
                "subscribed": subscribed.map(\.uuid.uuidString),
            ])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        central.stopScan()
        self.peripheral = peripheral
        peripheral.delegate = self
        say("found", ["name": advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? ""])
        central.connect(peripheral, options: nil)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        say("connected")
        peripheral.discoverServices([service])
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        say("disconnected", ["code": (error as? CBError)?.errorCode ?? -1])
    }
}

extension SampleCentral: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        say("discovered", ["characteristics": (service.characteristics ?? []).map(\.uuid.uuidString)])
        for characteristic in service.characteristics ?? [] where [value, long].contains(characteristic.uuid) {
            peripheral.readValue(for: characteristic)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        say("value", ["uuid": characteristic.uuid.uuidString, "value": hex(characteristic.value)])
        guard characteristic.uuid == long else { return }
        if let target = characteristic.service?.characteristics?.first(where: { $0.uuid == value }) {
            peripheral.writeValue(Data([0x0A, 0x0B]), for: target, type: .withResponse)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {
        say("written", ["uuid": characteristic.uuid.uuidString, "code": (error as? CBATTError)?.errorCode ?? 0])
        if characteristic.uuid == value,
            let refusing = characteristic.service?.characteristics?.first(where: { $0.uuid == CBUUID(string: "FFF2") })
        {
            return peripheral.writeValue(Data([1]), for: refusing, type: .withResponse)
        }
        guard let target = characteristic.service?.characteristics?.first(where: { $0.uuid == notifying }) else {
            return
        }
        peripheral.setNotifyValue(true, for: target)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
    ) {
        say("subscribed", ["isNotifying": characteristic.isNotifying])
    }
}
