// SPDX-License-Identifier: Apache-2.0
// The names are those of the framework of Apple.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CoreBluetooth

/// A manager with more to it: it has the initializers of its class.
final class SharedManager: CBCentralManager {
    static let shared = SharedManager()
    let secondary = SharedServer()
}

final class SharedServer: CBPeripheralManager {
    var isOn = true
    override var state: CBManagerState { isOn ? super.state : .poweredOff }
}

/// As tests replace a manager.
final class ScriptedManager: CBCentralManager {
    private(set) var scans = 0
    override init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        super.init(delegate: delegate, queue: queue, options: options)
    }
    override var state: CBManagerState { .poweredOn }
    override func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
        scans += 1
    }
}

/// The classic shape: a manager made in an initializer with a queue of one's own, implicitly unwrapped, and callbacks
/// as closures.
class QueueScanner: NSObject {
    private var manager: CBCentralManager!
    private let queue = DispatchQueue(label: "scanner", qos: .utility)
    private(set) var peripherals = Set<CBPeripheral>()
    private var names: [UUID: String] = [:]
    private let services: [CBUUID]
    var onFound: ((CBPeripheral, [String: Any], Int) -> Void)?
    var onError: ((Error) -> Void)?

    init(services: [CBUUID] = [CBUUID(string: "180D")]) {
        self.services = services
        super.init()
        manager = CBCentralManager(
            delegate: self, queue: queue, options: [CBCentralManagerOptionShowPowerAlertKey: true])
    }

    func restart() {
        queue.async { [weak self] in
            guard let self = self else { return }
            if self.manager.isScanning { self.manager.stopScan() }
            self.manager.scanForPeripherals(
                withServices: self.services,
                options: [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: false)])
        }
    }
}

extension QueueScanner: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case .poweredOn: restart()
        case .poweredOff, .resetting, .unauthorized, .unsupported, .unknown: peripherals.removeAll()
        @unknown default: break
        }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        peripherals.insert(peripheral)
        names[peripheral.identifier] =
            advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name ?? "Unknown"
        if let data = advertisementData[CBAdvertisementDataManufacturerDataKey] as? Data, data.count >= 2 {
            _ = UInt16(data[0]) | UInt16(data[1]) << 8
        }
        if let serviceData = advertisementData[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] {
            _ = serviceData[CBUUID(string: "FEAA")]
        }
        let isConnectable = (advertisementData[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue ?? false
        guard isConnectable, RSSI.intValue != 127 else { return }
        onFound?(peripheral, advertisementData, RSSI.intValue)
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
        if let error = error { onError?(error) }
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        guard let error = error as? CBError else { return }
        switch error.code {
        case .connectionTimeout, .peripheralDisconnected: central.connect(peripheral)
        case .connectionFailed: central.connect(peripheral, options: nil)
        default: onError?(error)
        }
    }
}
