// SPDX-License-Identifier: Apache-2.0

#if canImport(CCeruleanJS)

import CoreBluetooth
import Foundation

extension ScriptRadio {
    func addPeripheral(_ add: (String, @escaping ScriptEngine.Body) -> Void) {
        func operation(_ name: String, _ body: @escaping (CBPeripheral, [ScriptValue]) throws -> Void) {
            add(name) { [unowned self] engine, arguments in
                try body(
                    object(arguments.at(0, engine)), arguments + [engine.undefined, engine.undefined, engine.undefined])
                return nil
            }
        }
        operation("discoverServices") { [unowned self] peripheral, arguments in
            peripheral.discoverServices(uuids(arguments[1]))
        }
        operation("discoverIncluded") { [unowned self] peripheral, arguments in
            peripheral.discoverIncludedServices(uuids(arguments[2]), for: try object(arguments[1]))
        }
        operation("discoverCharacteristics") { [unowned self] peripheral, arguments in
            peripheral.discoverCharacteristics(uuids(arguments[2]), for: try object(arguments[1]))
        }
        operation("discoverDescriptors") { [unowned self] peripheral, arguments in
            peripheral.discoverDescriptors(for: try object(arguments[1]))
        }
        operation("read") { [unowned self] peripheral, arguments in
            peripheral.readValue(for: try object(arguments[1], CBCharacteristic.self))
        }
        operation("notify") { [unowned self] peripheral, arguments in
            peripheral.setNotifyValue(arguments[2].bool, for: try object(arguments[1]))
        }
        operation("write") { [unowned self] peripheral, arguments in
            peripheral.writeValue(
                Data(arguments[2].bytes ?? []), for: try object(arguments[1], CBCharacteristic.self),
                type: arguments[3].bool ? .withResponse : .withoutResponse)
        }
        operation("readDescriptor") { [unowned self] peripheral, arguments in
            peripheral.readValue(for: try object(arguments[1], CBDescriptor.self))
        }
        operation("writeDescriptor") { [unowned self] peripheral, arguments in
            peripheral.writeValue(Data(arguments[2].bytes ?? []), for: try object(arguments[1], CBDescriptor.self))
        }
        operation("readRSSI") { peripheral, _ in peripheral.readRSSI() }
    }
}

extension ScriptRadio: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        emit("services", number(peripheral), failure(error))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) {
        emit("included", number(peripheral), number(service), failure(error))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        emit("characteristics", number(peripheral), number(service), failure(error))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        emit("descriptors", number(peripheral), number(characteristic), failure(error))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        emit(
            "value", number(peripheral), number(characteristic),
            characteristic.value.map { engine.bytes($0) } ?? engine.null, failure(error))
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        emit("descriptorValue", number(peripheral), number(descriptor), failure(error))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        emit("wrote", number(peripheral), number(characteristic), failure(error))
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        emit("wroteDescriptor", number(peripheral), number(descriptor), failure(error))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        emit("notifying", number(peripheral), number(characteristic), failure(error))
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI rssi: NSNumber, error: (any Error)?) {
        if error == nil { ratings[ObjectIdentifier(peripheral)] = rssi.intValue }
        emit("rssi", number(peripheral), engine.number(rssi.intValue), failure(error))
    }

    func peripheralDidUpdateName(_ peripheral: CBPeripheral) { emit("renamed", number(peripheral)) }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        emit("modified", number(peripheral), numbers(invalidatedServices))
    }
}

#endif
