// SPDX-License-Identifier: Apache-2.0

#if canImport(CCeruleanJS)

import CoreBluetooth
import Foundation

extension ScriptRadio {
    private var on: CBPeripheralManager {
        get throws(ScriptFault) {
            guard let server, server.state == .poweredOn else { throw ScriptFault("the peripheral manager is not on") }
            return server
        }
    }

    func addServer(_ add: (String, @escaping ScriptEngine.Body) -> Void) {
        add("serverState") { [unowned self] engine, _ in engine.number(server?.state.rawValue ?? -1) }
        add("isAdvertising") { [unowned self] engine, _ in engine.bool(server?.isAdvertising ?? false) }
        add("initServer") { [unowned self] engine, arguments in
            var options: [String: Any] = [:]
            if let identifier = arguments.at(0, engine).ifText {
                options[CBPeripheralManagerOptionRestoreIdentifierKey] = runtime.files.restoreIdentifier(identifier)
            }
            if let adapter = runtime.options.adapter {
                server = CBPeripheralManager(delegate: self, queue: nil, options: options, linuxAdapter: adapter)
            } else {
                server = CBPeripheralManager(delegate: self, queue: nil, options: options)
            }
            return nil
        }
        add("releaseServer") { [unowned self] _, _ in
            server?.delegate = nil
            server = nil
            return nil
        }
        add("addService") { [unowned self] engine, arguments in
            let service = try service(arguments)
            try on.add(service)
            return number(service)
        }
        add("removeService") { [unowned self] engine, arguments in
            try on.remove(try object(arguments.at(0, engine), CBMutableService.self))
            return nil
        }
        add("removeAllServices") { [unowned self] _, _ in
            try on.removeAllServices()
            return nil
        }
        add("startAdvertising") { [unowned self] engine, arguments in
            try on.startAdvertising(
                try advertisement(arguments.at(0, engine), arguments.at(1, engine), arguments.at(2, engine)))
            return nil
        }
        add("stopAdvertising") { [unowned self] _, _ in
            try on.stopAdvertising()
            return nil
        }
        add("updateValue") { [unowned self] engine, arguments in
            let characteristic: CBMutableCharacteristic = try object(arguments.at(0, engine))
            var centrals: [CBCentral]?
            if let list = arguments.at(2, engine).elements {
                centrals = []
                for entry in list { centrals?.append(try object(entry)) }
            }
            let isSent = try on.updateValue(
                Data(arguments.at(1, engine).bytes ?? []), for: characteristic, onSubscribedCentrals: centrals)
            return engine.bool(isSent)
        }
        add("respond") { [unowned self] engine, arguments in
            let request: CBATTRequest = try object(arguments.at(0, engine))
            if let value = arguments.at(1, engine).bytes { request.value = Data(value) }
            let code = arguments.at(2, engine).ifInteger ?? 0
            server?.respond(to: request, withResult: CBATTError.Code(rawValue: code) ?? .unlikelyError)
            return nil
        }
        add("setLatency") { [unowned self] engine, arguments in
            let latency = CBPeripheralManagerConnectionLatency(rawValue: arguments.at(1, engine).ifInteger ?? 0)
            try on.setDesiredConnectionLatency(latency ?? .low, for: try object(arguments.at(0, engine)))
            return nil
        }
    }

    /// The service that a script described: its UUID, whether it is primary, its characteristics, what it includes.
    private func service(_ arguments: [ScriptValue]) throws(ScriptFault) -> CBMutableService {
        let service = CBMutableService(
            type: CBUUID(string: arguments.at(0, engine).text), primary: arguments.at(1, engine).bool)
        var characteristics: [CBMutableCharacteristic] = []
        for entry in arguments.at(2, engine).elements ?? [] {
            let parts = entry.elements ?? []
            let properties = UInt(truncatingIfNeeded: parts.at(1, engine).ifInteger ?? 0)
            let permissions = UInt(truncatingIfNeeded: parts.at(2, engine).ifInteger ?? 0)
            let characteristic = CBMutableCharacteristic(
                type: CBUUID(string: parts.at(0, engine).text),
                properties: CBCharacteristicProperties(rawValue: properties),
                value: parts.at(3, engine).bytes.map { Data($0) },
                permissions: CBAttributePermissions(rawValue: permissions))
            var descriptors: [CBMutableDescriptor] = []
            for descriptor in parts.at(4, engine).elements ?? [] {
                let pair = descriptor.elements ?? []
                let uuid = CBUUID(string: pair.at(0, engine).text)
                guard ["2901", "2904"].contains(uuid.uuidString) else {
                    throw ScriptFault("addService: a descriptor is 2901 or 2904, not \(uuid.uuidString)")
                }
                let value: Any = pair.at(1, engine).ifText ?? Data(pair.at(1, engine).bytes ?? [])
                guard (value is String) == (uuid.uuidString == "2901") else {
                    throw ScriptFault("addService: the value of 2901 is text, that of 2904 a Ti.Buffer")
                }
                descriptors.append(CBMutableDescriptor(type: uuid, value: value))
            }
            if !descriptors.isEmpty { characteristic.descriptors = descriptors }
            characteristics.append(characteristic)
        }
        service.characteristics = characteristics
        var included: [CBService] = []
        for entry in arguments.at(3, engine).elements ?? [] { included.append(try object(entry)) }
        if !included.isEmpty { service.includedServices = included }
        return service
    }

    private func advertisement(
        _ name: ScriptValue, _ services: ScriptValue, _ beacon: ScriptValue
    ) throws(ScriptFault) -> [String: Any] {
        var data: [String: Any] = [:]
        if let name = name.ifText { data[CBAdvertisementDataLocalNameKey] = name }
        if let services = uuids(services) { data[CBAdvertisementDataServiceUUIDsKey] = services }
        guard let parts = beacon.elements else { return data }
        let numbers = (1...3).map { parts.at($0, engine).ifInteger ?? 0 }
        var octets = Array(CBUUID(string: parts.at(0, engine).text).data)
        guard octets.count == 16 else { throw ScriptFault("startAdvertising: the region needs a UUID of 128 bits") }
        for number in numbers.prefix(2) {
            octets += [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
        }
        octets.append(UInt8(truncatingIfNeeded: numbers[2]))
        return [CBLinuxAdvertisementDataBeaconKey: Data(octets)]
    }
}

extension ScriptRadio: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ manager: CBPeripheralManager) {
        guard manager === server else { return }
        emit("serverState", engine.number(manager.state.rawValue))
    }

    func peripheralManager(_ manager: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
        let data = dict[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any]
        emit("serverRestore", numbers(services), data.map { dictionary($0) } ?? engine.null)
    }

    func peripheralManagerDidStartAdvertising(_ manager: CBPeripheralManager, error: (any Error)?) {
        emit("advertising", failure(error))
    }

    func peripheralManager(_ manager: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        emit("added", number(service), failure(error))
    }

    func peripheralManager(
        _ manager: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        emit("subscribed", number(central), number(characteristic), engine.bool(true))
    }

    func peripheralManager(
        _ manager: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        emit("subscribed", number(central), number(characteristic), engine.bool(false))
    }

    func peripheralManager(_ manager: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        emit("readRequest", number(request))
    }

    func peripheralManager(_ manager: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        emit("writeRequests", numbers(requests))
    }

    func peripheralManagerIsReady(toUpdateSubscribers manager: CBPeripheralManager) { emit("ready") }
}

#endif
