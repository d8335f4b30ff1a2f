// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanBITalino
import CeruleanHost
import CeruleanRecording
import CeruleanSensing
import CeruleanWire

extension VerbSpecification {
    /// `simulate DEVICE…`: be one or several peripherals.
    static let simulate = VerbSpecification(
        name: "simulate",
        summary: "be peripherals: built-in devices, profiles, device files, or recordings",
        details: """
            DEVICE is the name of a built-in device, a device file (JSON, as 'info --clone' writes it), a recording
            (OpenSignals text), which a simulated BITalino replays, or profile:WHAT[,WHAT…] with services of 'profiles'. A
            built-in name wins over a file; ./NAME is a file. A device file serves stored values only; a live board is
            'simulate bitalino' or a recording.
            Prints 'advertising NAME ADDRESS' when a device can be found, and runs until Ctrl-C or --seconds. Any number of
            devices can be served at once, each with a controller of its own on tcp:, unix: and virtual adapters; another
            adapter is one radio, where all share one address and one database.
            Lines on standard input change things while it runs: 'list' shows devices and values, 'set ATTRIBUTE VALUE' keeps
            a value and sends it to subscribers, 'set 2 ATTRIBUTE VALUE' that of the second device, 'stop 2' and 'start 2'
            take a device away and back with the values that were set, 'quit' ends. VALUE is as for 'write', or fields of
            the profile: 'set 2A19 value=50'.
            No other process sees what runs on --adapter virtual. Without a radio, let processes share a simulated air:
              cerulean controller --listen 127.0.0.1:7400
              cerulean simulate bitalino --adapter tcp:127.0.0.1:7400
              cerulean record --adapter tcp:127.0.0.1:7400 --name bitalino --seconds 10
            """,
        positionals: [
            PositionalSpecification(
                placeholder: "DEVICE",
                help: SimulatedRoom.builtInNames.joined(separator: ", ") + ", profile:WHAT, or a file",
                choices: SimulatedRoom.builtInNames, repeats: true, isFile: true)
        ],
        options: [
            .value(
                "device-name", "NAME", "advertise this name (default that of the device or file); once for each device",
                repeats: true),
            .value(
                "set", "NAME=VALUE",
                "a setting of the simulated board; bitalino: firmware=5.0 to 5.9 (default 5.2); bluest: board, "
                    + "protocol, features, tick, drop, flash, timestamp, advertise, loader, sound; redbear: mode, firmware, threshold, tags, signal, loss; sensortag: model, seed, firmware; uart: profile",
                repeats: true),
            .value("board", "NAME", "bluest: which board, such as SENSOR_TILE_BOX (default SENSOR_TILE_BOX_PRO)"),
            .value("features", "LIST", "bluest: its features with commas, such as acceleration,gyroscope"),
            .value("seconds", "S", "end after S seconds, such as 2.5 (default until Ctrl-C)"),
        ],
        examples: [
            "simulate heartrate --adapter hci:0", "simulate ./thermometer.json --adapter tcp:127.0.0.1:6402",
            "simulate heartrate profile:battery_service ibeacon --adapter tcp:127.0.0.1:7400",
        ],
        run: { invocation, console in
            try await Serving.run(try SimulatedRoom.devices(invocation), invocation, console)
        })
}

extension Serving {
    /// Serves devices on the adapter of the command line, until their time is over or the task is cancelled.
    static func run(
        _ devices: [(device: any SimulatedDevice, address: DeviceAddress?)], _ invocation: Invocation,
        _ console: Console
    ) async throws -> ExitCode {
        let seconds = try invocation.seconds("seconds")
        if (invocation.value("adapter") ?? "").split(separator: ":").first == "virtual" {
            console.talk(
                """
                no other process can see a device on --adapter virtual; to share a simulated air run \
                'cerulean controller --listen 127.0.0.1:7400' and use --adapter tcp:127.0.0.1:7400 here and there
                """, .warning)
        }
        let stations = devices.map { AdapterChoice.Station(name: $0.device.name, address: $0.address) }
        let timeout = try invocation.seconds("timeout") ?? .seconds(10)
        return try await AdapterChoice.run(invocation, stations: stations) { adapters in
            try await run(
                devices, on: adapters, for: seconds, timeout: max(timeout, .seconds(2)),
                json: invocation.has("json"), console)
        }
    }

    /// Serves devices, each on an adapter of its own or all on one radio.
    static func run(
        _ devices: [(device: any SimulatedDevice, address: DeviceAddress?)], on adapters: [Adapter],
        for seconds: Duration?, timeout: Duration = .seconds(10), json: Bool, _ console: Console
    ) async throws -> ExitCode {
        if adapters.count < devices.count {
            console.talk("this adapter is one radio: all devices share its address and their services", .warning)
        }
        var servers: [PeripheralServer] = []
        let result: Result<Void, any Error>
        do {
            for adapter in adapters { servers.append(try await Session.openServer(adapter, timeout: timeout)) }
            var served: [ServedDevice] = []
            for (index, entry) in devices.enumerated() {
                // One radio for all: each has its own part of it.
                if index >= servers.count { servers.append(await PeripheralServer(host: servers[0].host)) }
                let server = servers[index]
                let own = await server.localAddress
                if let address = entry.address, let own, own.address != address.address {
                    console.talk("this adapter keeps its own address \(own) instead of \(address)", .warning)
                }
                served.append(ServedDevice(number: index + 1, device: entry.device, server: server, address: own))
            }
            result = await Serving(devices: served, isJSON: json, console: console).run(for: seconds)
        } catch {
            result = .failure(error)
        }
        let opened = servers
        await Session.finish {
            for server in opened.reversed() { try? await server.shutdown(timeout: .seconds(2)) }
        }
        try result.get()
        return .ok
    }
}

extension SimulatedRoom {
    /// The devices that `simulate` names, and the address that each wants.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/badData`` for a file that cannot be read.
    static func devices(
        _ invocation: Invocation
    ) throws(CommandError) -> [(device: any SimulatedDevice, address: DeviceAddress?)] {
        let names = invocation.values("device-name")
        guard names.count <= invocation.positionals.count else {
            throw .usage("--device-name was given more often than there are devices")
        }
        guard invocation.positionals.count <= limit else {
            throw .usage("at most \(limit) devices can be served at once")
        }
        var devices: [(device: any SimulatedDevice, address: DeviceAddress?)] = []
        for (index, text) in invocation.positionals.enumerated() {
            devices.append(try device(text, name: index < names.count ? names[index] : nil, invocation))
        }
        return devices
    }

    /// Devices that one `simulate` serves.
    private static let limit = 256

    private static func device(
        _ text: String, name: String?, _ invocation: Invocation
    ) throws(CommandError) -> (any SimulatedDevice, DeviceAddress?) {
        if text.lowercased().hasPrefix("profile:") {
            return (try ProfileDevice(String(text.dropFirst(8)), name: name), nil)
        }
        var settings = try SourceOptions(invocation).settings
        for option in ["board", "features"] { settings[option] = invocation.value(option) ?? settings[option] }
        if let device = try builtIn(text, name: name, settings: settings) { return (device, nil) }
        if text.lowercased().hasSuffix(".txt") {
            return (try recording(text, name: name, settings: settings), nil)
        }
        if !text.contains("/"), !text.contains("."), !TextFile.exists(text) {
            throw .badData(
                "'\(text)' is neither a built-in device nor a file; built-in are "
                    + builtInNames.joined(separator: ", "))
        }
        var file = try DeviceFile(contentsOf: text)
        if let name { try file.rename(name) }
        return (file, file.address)
    }

    /// A board that replays a recording.
    private static func recording(
        _ path: String, name: String?, settings: [String: String]
    ) throws(CommandError) -> any SimulatedDevice {
        let sessions: [RecordedSession]
        do { sessions = try RecordedSession.read(path) } catch { throw CommandError(.badData, error.description) }
        guard sessions.count == 1 else { throw .badData("\(path): several devices; 'play --session N' takes one") }
        return try device(playing: sessions[0], name: name, settings: settings)
    }
}
