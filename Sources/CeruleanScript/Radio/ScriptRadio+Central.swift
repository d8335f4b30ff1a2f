// SPDX-License-Identifier: Apache-2.0

#if canImport(CCeruleanJS)

import CoreBluetooth
import Foundation

extension ScriptRadio {
    private var on: CBCentralManager {
        get throws(ScriptFault) {
            guard let central, central.state == .poweredOn else { throw ScriptFault("the central manager is not on") }
            return central
        }
    }

    func addCentral(_ add: (String, @escaping ScriptEngine.Body) -> Void) {
        add("centralState") { [unowned self] engine, _ in engine.number(central?.state.rawValue ?? -1) }
        add("initCentral") { [unowned self] engine, arguments in
            var options: [String: Any] = [:]
            if let identifier = arguments.at(0, engine).ifText {
                options[CBCentralManagerOptionRestoreIdentifierKey] = runtime.files.restoreIdentifier(identifier)
            }
            central = makeCentral(delegate: self, options)
            return nil
        }
        add("releaseCentral") { [unowned self] _, _ in
            central?.delegate = nil
            central = nil
            quiet = []
            ratings = [:]
            return nil
        }
        add("startScan") { [unowned self] engine, arguments in
            var options: [String: Any] = [CBCentralManagerScanOptionAllowDuplicatesKey: arguments.at(1, engine).bool]
            if let solicited = uuids(arguments.at(2, engine)) {
                options[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] = solicited
            }
            try on.scanForPeripherals(withServices: uuids(arguments.at(0, engine)), options: options)
            return nil
        }
        add("stopScan") { [unowned self] _, _ in
            try on.stopScan()
            return nil
        }
        add("connect") { [unowned self] engine, arguments in
            let peripheral: CBPeripheral = try object(arguments.at(0, engine))
            quiet.remove(ObjectIdentifier(peripheral))
            peripheral.delegate = self
            var options: [String: Any] = [:]
            let keys = [
                CBConnectPeripheralOptionNotifyOnConnectionKey, CBConnectPeripheralOptionNotifyOnDisconnectionKey,
                CBConnectPeripheralOptionNotifyOnNotificationKey,
            ]
            for (index, key) in keys.enumerated() where arguments.at(index + 1, engine).bool { options[key] = true }
            try on.connect(peripheral, options: options)
            return nil
        }
        add("cancel") { [unowned self] engine, arguments in
            let peripheral: CBPeripheral = try object(arguments.at(0, engine))
            if arguments.at(1, engine).bool, peripheral.state != .connected {
                quiet.insert(ObjectIdentifier(peripheral))
            }
            try on.cancelPeripheralConnection(peripheral)
            return nil
        }
        add("retrieve") { [unowned self] engine, arguments in
            let wanted = (arguments.at(0, engine).elements ?? []).compactMap { UUID(uuidString: $0.text) }
            return numbers(try on.retrievePeripherals(withIdentifiers: wanted))
        }
        add("retrieveConnected") { [unowned self] engine, arguments in
            numbers(try on.retrieveConnectedPeripherals(withServices: uuids(arguments.at(0, engine)) ?? []))
        }
    }

    /// A manager on the script's adapter.
    func makeCentral(delegate: any CBCentralManagerDelegate, _ options: [String: Any]) -> CBCentralManager {
        guard let adapter = runtime.options.adapter else {
            return CBCentralManager(delegate: delegate, queue: nil, options: options)
        }
        return CBCentralManager(delegate: delegate, queue: nil, options: options, linuxAdapter: adapter)
    }
}

extension ScriptRadio: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ manager: CBCentralManager) {
        guard manager === central else { return }
        if manager.state != .poweredOn {
            quiet = []
            ratings = [:]
        }
        emit("centralState", engine.number(manager.state.rawValue))
    }

    func centralManager(_ manager: CBCentralManager, willRestoreState dict: [String: Any]) {
        let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        for peripheral in peripherals { peripheral.delegate = self }
        let options = dict[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any]
        let services = dict[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID]
        let isScanning = options != nil || services != nil
        let duplicates = options?[CBCentralManagerScanOptionAllowDuplicatesKey]
        emit(
            "centralRestore", numbers(peripherals),
            isScanning ? engine.array((services ?? []).map { engine.string($0.uuidString) }) : engine.null,
            engine.bool((duplicates as? NSNumber)?.boolValue ?? (duplicates as? Bool) ?? false))
    }

    func centralManager(
        _ manager: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi: NSNumber
    ) {
        emit("discovered", number(peripheral), dictionary(advertisementData), engine.number(rssi.intValue))
    }

    func centralManager(_ manager: CBCentralManager, didConnect peripheral: CBPeripheral) {
        emit("connected", number(peripheral))
    }

    func centralManager(_ manager: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        quiet.remove(ObjectIdentifier(peripheral))
        emit("failedToConnect", number(peripheral), failure(error))
    }

    func centralManager(
        _ manager: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        ratings[ObjectIdentifier(peripheral)] = nil
        let isQuiet = quiet.remove(ObjectIdentifier(peripheral)) != nil
        emit("disconnected", number(peripheral), failure(error), engine.bool(isQuiet))
    }

    /// An advertisement as scripts see it.
    func dictionary(_ data: [String: Any]) -> ScriptValue {
        let object = engine.object
        for (key, value) in data {
            switch value {
            case let text as String: object[key] = engine.string(text)
            case let octets as Data: object[key] = engine.bytes(octets)
            case let uuids as [CBUUID]: object[key] = engine.array(uuids.map { engine.string($0.uuidString) })
            case let services as [CBUUID: Data]:
                let all = engine.object
                // Not through the names that are kept: what a peer sends must not make them grow.
                for (uuid, octets) in services { all.set(uuid.uuidString, engine.bytes(octets)) }
                object[key] = all
            case let number as NSNumber:
                object[key] =
                    key == CBAdvertisementDataIsConnectable
                    ? engine.bool(number.boolValue) : engine.number(number.doubleValue)
            default: break
            }
        }
        return object
    }
}

#endif
