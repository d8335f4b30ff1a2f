// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanBITalino
import CeruleanHost
import CeruleanRecording
import CeruleanSensing
import CeruleanWire

extension VerbSpecification {
    /// `simulate DEVICE`: be a peripheral.
    static let simulate = VerbSpecification(
        name: "simulate",
        summary: "be a peripheral: a built-in device, a device file, or a recording",
        details: """
            DEVICE is the name of a built-in device, a device file (JSON, as 'info --clone' writes it), or a recording
            (OpenSignals text), which a simulated BITalino replays. A built-in name wins over a file; ./NAME is a file.
            A device file serves stored values only; a live board is 'simulate bitalino' or a recording.
            Prints 'advertising NAME ADDRESS' when it can be found, and runs until Ctrl-C or --seconds.
            No other process sees what runs on --adapter virtual. Without a radio, let processes share a simulated air:
              cerulean controller --listen 127.0.0.1:7400
              cerulean simulate bitalino --adapter tcp:127.0.0.1:7400
              cerulean record --adapter tcp:127.0.0.1:7400 --name bitalino --seconds 10
            """,
        positionals: [
            PositionalSpecification(
                placeholder: "DEVICE", help: SimulatedRoom.builtInNames.joined(separator: ", ") + ", or a file",
                choices: SimulatedRoom.builtInNames, isFile: true)
        ],
        options: [
            .value("device-name", "NAME", "advertise this name (default that of the device or file)"),
            .value(
                "set", "NAME=VALUE",
                "a setting of the simulated board; bitalino: firmware=5.0 to 5.9 (default 5.2); bluest: board, protocol, features, tick, drop, flash, timestamp, advertise, loader",
                repeats: true),
            .value("board", "NAME", "bluest: which board, such as SENSOR_TILE_BOX (default SENSOR_TILE_BOX_PRO)"),
            .value("features", "LIST", "bluest: its features with commas, such as acceleration,gyroscope"),
            .value("seconds", "S", "end after S seconds, such as 2.5 (default until Ctrl-C)"),
        ],
        examples: ["simulate heartrate --adapter hci:0", "simulate ./thermometer.json --adapter tcp:127.0.0.1:6402"],
        run: { invocation, console in
            let seconds = try invocation.seconds("seconds")
            let (device, address) = try SimulatedRoom.device(invocation)
            if (invocation.value("adapter") ?? "").split(separator: ":").first == "virtual" {
                console.talk(
                    """
                    no other process can see a device on --adapter virtual; to share a simulated air run \
                    'cerulean controller --listen 127.0.0.1:7400' and use --adapter tcp:127.0.0.1:7400 here and there
                    """, .warning)
            }
            return try await AdapterChoice.run(invocation, name: device.name, address: address) { adapter in
                let timeout = try invocation.seconds("timeout") ?? .seconds(10)
                let server = try await Session.openServer(adapter, timeout: max(timeout, .seconds(2)))
                let own = await server.localAddress
                if let address, let own, own.address != address.address {
                    console.talk("this adapter keeps its own address \(own) instead of \(address)", .warning)
                }
                let result = await Serving(device: device, server: server, console: console).run(
                    for: seconds, json: invocation.has("json"), address: own)
                await Session.finish { try? await server.shutdown(timeout: .seconds(2)) }
                try result.get()
                return .ok
            }
        })
}

extension SimulatedRoom {
    /// The device that `simulate` names, and the address it wants.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/badData`` for a file that cannot be read.
    static func device(
        _ invocation: Invocation
    ) throws(CommandError) -> (any SimulatedDevice, DeviceAddress?) {
        let text = invocation.positional(0) ?? ""
        let name = invocation.value("device-name")
        var settings = try SourceOptions(invocation).settings
        for option in ["board", "features"] { settings[option] = invocation.value(option) ?? settings[option] }
        if let device = try builtIn(text, name: name, settings: settings) { return (device, nil) }
        if text.lowercased().hasSuffix(".txt") {
            return (try recording(text, name: name, settings: settings), nil)
        }
        var file = try DeviceFile(contentsOf: text)
        if let name { try file.rename(name) }
        return (file, file.address)
    }

    /// A BITalino that replays a recording.
    private static func recording(
        _ path: String, name: String?, settings: [String: String]
    ) throws(CommandError) -> any SimulatedDevice {
        do {
            let recording = try OpenSignalsRecording(contentsOfFile: path)
            guard let device = recording.devices.first else { throw CommandError.badData("\(path): no device in it") }
            if recording.devices.count > 1 {
                throw CommandError.badData("\(path): several devices; one can be replayed")
            }
            var options = SimulationOptions(name: name, settings: settings)
            for column in device.columnNames where column.lowercased() != "nseq" {
                guard let values = device.column(named: column) else { continue }
                options.replays[column] = RecordedSignal(values: values, rate: device.rate ?? 1000)
            }
            return try BITalinoDriver().makeSimulated(options)
        } catch let error as RecordingError {
            throw CommandError(.badData, error.description)
        } catch {
            throw CommandError(.badData, "\(path): \(CommandError(describing: error).description)")
        }
    }
}

/// A simulated device at work.
private struct Serving: Sendable {
    let device: any SimulatedDevice
    let server: PeripheralServer
    let console: Console

    /// Serves until the time is over or the task is cancelled.
    func run(for seconds: Duration?, json: Bool, address: DeviceAddress?) async -> Result<Void, any Error> {
        let line: @Sendable () -> Void = { [console, device] in
            let name = device.name
            let text = address?.description ?? "-"
            if json {
                try? console.json(["event": "advertising", "name": .text(name), "address": .text(text)])
            } else {
                try? console.line("advertising \(TerminalText.escaped(name)) \(text)")
            }
        }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [device, server] in try await device.serve(on: server, ready: line) }
                group.addTask { [console, server] in
                    for await event in server.events() { console.talk(event.text) }
                    // The events end with the server; the device says why.
                    try await server.host.loop.sleep(for: .seconds(5))
                }
                if let seconds {
                    group.addTask { [server] in try await server.host.loop.sleep(for: seconds) }
                }
                // Whichever ends first ends the other.
                defer { group.cancelAll() }
                try await group.next()
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}

extension ServerEvent {
    /// One line for people.
    fileprivate var text: String {
        switch self {
        case .connected(let central): "connected: \(central.address?.description ?? "\(central.id)")"
        case .disconnected(let central, let reason):
            "disconnected: \(central.address?.description ?? "\(central.id)"), \(BluetoothError(reason, during: ""))"
        case .subscribed(let characteristic, _, let mode): "subscribed: \(characteristic.uuid), \(mode)"
        case .unsubscribed(let characteristic, _): "unsubscribed: \(characteristic.uuid)"
        case .written(let characteristic, let value, _): "written: \(characteristic.uuid) = \(Hex.encode(value))"
        case .advertisingRestarted: "advertising again"
        case .advertisingEnded: "advertising ended"
        }
    }
}
