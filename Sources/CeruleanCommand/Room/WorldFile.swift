// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanBITalino
import CeruleanHost
import CeruleanSensing
import CeruleanWire

extension SimulatedRoom {
    /// Reads a room: `{seed, devices:[{kind|file, name, address, addressType, distance, options}]}`.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/badData`` that says what is wrong where.
    init(contentsOf path: String) throws(CommandError) {
        let reader = JSONReader(try TextFile.json(path), path: "\(path): ")
        self.init(places: [])
        if let value = try reader.optional("seed") { seed = try value.integer(UInt64.self) }
        if try reader.optional("devices") == nil {
            let members = try reader.members().map(\.name)
            if members.contains("services") || members.contains("advertising") {
                throw reader.fault("this is a device file; 'simulate \(path)' serves it")
            }
        }
        try reader.only("seed", "devices")
        for (index, entry) in try reader.required("devices").list().enumerated() {
            places.append(try Self.place(entry, number: index, beside: path))
        }
    }

    /// The built-in devices by name.
    static var builtInNames: [String] {
        var names = KnownDrivers.all.drivers.map(\.kind).filter { $0 != ProfileDriver.standard.kind }
        let others = ["heartrate", "thermometer", "lock", "bench", "uart", "glucose", "cgm", "ibeacon", "eddystone"]
        for name in others where !names.contains(name) { names.append(name) }
        return names
    }

    /// A built-in device; nil for an unknown name.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage`` when the options do not fit.
    static func builtIn(
        _ kind: String, name: String? = nil, settings: [String: String] = [:]
    ) throws(CommandError) -> (any SimulatedDevice)? {
        do {
            switch kind {
            case "bitalino": return try bitalino(name: name, settings: settings)
            case "heartrate": return SimulatedHeartRateStrap(name: name ?? "Cerulean Strap")
            case "thermometer": return SimulatedThermometer(name: name ?? "Cerulean Climate")
            case "lock": return SimulatedLock(name: name ?? "Cerulean Lock")
            case "bench": return SimulatedBench(name: name ?? "Cerulean Bench")
            case "glucose", "cgm": return SimulatedGlucoseMeter(name: name, isContinuous: kind == "cgm")
            case "uart":
                var device = SimulatedSerialPort(name: name ?? "Cerulean UART")
                if let text = settings["profile"] {
                    guard let profile = SerialProfile.all.first(where: { $0.name == text }) else {
                        let known = SerialProfile.all.map(\.name).joined(separator: ", ")
                        throw SensingError(.invalidOption, "profile=\(text): known are \(known)")
                    }
                    device.profile = profile
                }
                return device
            case "ibeacon":
                let uuid: BluetoothUUID = "A495B155-C5B1-4B44-B512-1370F02D74DE"
                return try SimulatedBeacon.iBeacon(uuid, major: 5, minor: 6, measuredPower: -59)
            case "eddystone": return try SimulatedBeacon.eddystone(host: "example.org", power: -20)
            default:
                guard let driver = KnownDrivers.all.driver(kind: kind) else { return nil }
                return try driver.makeSimulated(SimulationOptions(name: name, settings: settings))
            }
        } catch {
            throw CommandError(.usage, "\(kind): \(CommandError(describing: error).description)")
        }
    }

    private static func place(
        _ reader: JSONReader, number: Int, beside path: String
    ) throws(CommandError) -> Place {
        try reader.only("kind", "file", "name", "address", "addressType", "distance", "options")
        var settings: [String: String] = [:]
        for member in try reader.optional("options")?.members() ?? [] {
            settings[member.name] = try JSONReader(member.value, path: "\(reader.path).options.\(member.name)").text()
        }
        let name = try reader.optional("name")?.text()
        var device: any SimulatedDevice
        var address: DeviceAddress?
        if let file = try reader.optional("file")?.text() {
            // A file says all itself.
            for other in ["kind", "options"] {
                if let reader = try reader.optional(other) { throw reader.fault("does not go with 'file'") }
            }
            // Beside the world file, unless the path says otherwise.
            let directory = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
                separator: "/")
            var described = try DeviceFile(
                contentsOf: file.hasPrefix("/") || directory.isEmpty ? file : "\(directory)/\(file)")
            if let name { try described.rename(name) }
            address = described.address
            device = described
        } else {
            let kind = try reader.required("kind")
            let text = try kind.text()
            let builtIn: (any SimulatedDevice)?
            do { builtIn = try Self.builtIn(text, name: name, settings: settings) } catch {
                throw kind.fault("with these options: \(error.description)")
            }
            guard let known = builtIn else {
                throw kind.fault("'\(text)' is no device; known are \(builtInNames.joined(separator: ", "))")
            }
            device = known
        }
        if let text = try reader.optional("address") {
            address = try DeviceFile.address(text, try reader.optional("addressType"))
        }
        let distance = try reader.optional("distance")?.number(0...10_000) ?? 2
        return Place(
            device: device, address: address ?? Self.madeAddress(number), distance: distance)
    }
}
