// SPDX-License-Identifier: Apache-2.0

#if canImport(CCeruleanJS)

import CeruleanWire
import CoreBluetooth
import Foundation

/// The Bluetooth of a script: the two managers of the module, and what they tell. On the script's thread, delegates included:
/// the adapter calls them there.
final class ScriptRadio: NSObject {
    unowned let runtime: ScriptRuntime
    var objects = ScriptObjects()
    var central: CBCentralManager?
    var server: CBPeripheralManager?
    /// Connections that were given up after a timeout, which the script heard of already.
    var quiet: Set<ObjectIdentifier> = []
    var beacons: ScriptBeacons!

    var engine: ScriptEngine { runtime.engine }

    init(_ runtime: ScriptRuntime) {
        self.runtime = runtime
        super.init()
        beacons = ScriptBeacons(self)
    }

    /// Nothing can come from here any more.
    var isIdle: Bool { central == nil && server == nil && beacons.isIdle }

    func close() {
        beacons.close()
        central?.delegate = nil
        server?.delegate = nil
        central = nil
        server = nil
        objects.removeAll()
    }

    // MARK: Numbers and objects

    func number(_ object: AnyObject?) -> ScriptValue {
        guard let object else { return engine.null }
        return engine.number(objects.number(of: object))
    }

    func numbers(_ list: [some AnyObject]?) -> ScriptValue { engine.array((list ?? []).map { number($0) }) }

    /// The object behind a proxy.
    ///
    /// - Throws: ``ScriptFault`` when it is another kind, or gone.
    func object<Object>(_ value: ScriptValue, _ type: Object.Type = Object.self) throws(ScriptFault) -> Object {
        guard let number = value.ifInteger, let known = objects[number], let object = known as? Object else {
            throw ScriptFault("this object is not valid any more")
        }
        return object
    }

    /// The UUIDs of a list; nil for `null`.
    func uuids(_ value: ScriptValue) -> [CBUUID]? {
        value.elements?.compactMap { entry in
            ScriptText.uuid(entry.text).map { CBUUID(string: $0) }
        }
    }

    /// The code, the domain and the words of an error; `null` for none.
    func failure(_ error: (any Error)?) -> ScriptValue {
        guard let error else { return engine.null }
        let (code, domain): (Int, String) =
            switch error {
            case let error as CBError: (error.errorCode, CBErrorDomain)
            case let error as CBATTError: (error.errorCode, CBATTErrorDomain)
            default: ((error as NSError).code, (error as NSError).domain)
            }
        return engine.array([engine.number(code), engine.string(domain), engine.string(error.localizedDescription)])
    }

    func emit(_ name: String, _ arguments: ScriptValue...) { runtime.emit(name, arguments) }

    // MARK: Natives

    func addNatives(to native: ScriptValue) {
        func add(_ name: String, _ body: @escaping ScriptEngine.Body) { native[name] = engine.function(body) }
        add("forget") { [unowned self] _, arguments in
            if let number = arguments.first?.ifInteger { objects.forget(number) }
            return nil
        }
        add("uuidOf") { [unowned self] engine, arguments in
            switch try object(arguments.at(0, engine), AnyObject.self) {
            case let peer as CBPeer: engine.string(peer.identifier.uuidString)
            case let attribute as CBAttribute: engine.string(attribute.uuid.uuidString)
            default: engine.undefined
            }
        }
        add("property") { [unowned self] engine, arguments in
            property(try object(arguments.at(0, engine), AnyObject.self), arguments.at(1, engine).text)
        }
        add("hasRestoration") { [unowned self] engine, arguments in
            let role = RestorationFile.Role(rawValue: arguments.at(0, engine).text)
            let identifier = runtime.files.restoreIdentifier(arguments.at(1, engine).text)
            return engine.bool(role.map { RestorationFile.exists($0, identifier: identifier) } ?? false)
        }
        add("kill") { [unowned self] _, _ in
            // The files stay as they are: to them, the process has ended here.
            central?.restoration?.freeze()
            server?.restoration?.freeze()
            runtime.exit(0)
            return nil
        }
        addCentral(add)
        addPeripheral(add)
        addServer(add)
        beacons.addNatives(add)
    }

    // MARK: Properties

    private func property(_ object: AnyObject, _ name: String) -> ScriptValue {
        switch object {
        case let peripheral as CBPeripheral: property(peripheral, name)
        case let service as CBService: property(service, name)
        case let characteristic as CBCharacteristic: property(characteristic, name)
        case let descriptor as CBDescriptor: property(descriptor, name)
        case let request as CBATTRequest: property(request, name)
        case let central as CBCentral:
            name == "maximum" ? engine.number(central.maximumUpdateValueLength) : engine.undefined
        default: engine.undefined
        }
    }

    private func property(_ peripheral: CBPeripheral, _ name: String) -> ScriptValue {
        switch name {
        case "name": engine.optional(peripheral.name)
        case "state": engine.number(peripheral.state.rawValue)
        case "services": numbers(peripheral.services)
        case "rssi": engine.optional(ratings[ObjectIdentifier(peripheral)])
        case "address": engine.optional(peripheral.linuxAddress.map { "\($0.address)" })
        default: engine.undefined
        }
    }

    private func property(_ service: CBService, _ name: String) -> ScriptValue {
        switch name {
        case "characteristics": numbers(service.characteristics)
        case "included": numbers(service.includedServices)
        case "peripheral": number(service.peripheral)
        case "primary": engine.bool(service.isPrimary)
        case "mutable": engine.bool(service is CBMutableService)
        default: engine.undefined
        }
    }

    private func property(_ characteristic: CBCharacteristic, _ name: String) -> ScriptValue {
        switch name {
        case "properties": engine.number(Int(characteristic.properties.rawValue))
        case "permissions":
            engine.number(Int((characteristic as? CBMutableCharacteristic)?.permissions.rawValue ?? 0))
        case "value": characteristic.value.map { engine.bytes($0) } ?? engine.null
        case "notifying": engine.bool(characteristic.isNotifying)
        case "broadcasted": engine.bool(characteristic.properties.contains(.broadcast))
        case "mutable": engine.bool(characteristic is CBMutableCharacteristic)
        case "service": number(characteristic.service)
        case "descriptors": numbers(characteristic.descriptors)
        case "centrals": numbers((characteristic as? CBMutableCharacteristic)?.subscribedCentrals)
        default: engine.undefined
        }
    }

    private func property(_ descriptor: CBDescriptor, _ name: String) -> ScriptValue {
        switch name {
        case "characteristic": number(descriptor.characteristic)
        case "value":
            switch descriptor.value {
            case let text as String: engine.string(text)
            case let number as NSNumber: engine.number(number.doubleValue)
            case let data as Data: engine.bytes(data)
            default: engine.null
            }
        default: engine.undefined
        }
    }

    private func property(_ request: CBATTRequest, _ name: String) -> ScriptValue {
        switch name {
        case "characteristic": number(request.characteristic)
        case "central": number(request.central)
        case "offset": engine.number(request.offset)
        case "value": request.value.map { engine.bytes($0) } ?? engine.null
        default: engine.undefined
        }
    }

    /// Strengths that were read, of the peripherals that are connected.
    var ratings: [ObjectIdentifier: Int] = [:]
}

#endif
