// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The example scripts and others under `cerulean script`, with Bumble and with each other.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ScriptTests {
    private final class Home: Sendable {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("cerulean-\(UUID().uuidString)").path
        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func write(_ source: String, to name: String = "app.js") throws -> String {
            try source.write(toFile: path + "/" + name, atomically: true, encoding: .utf8)
            return path + "/" + name
        }
    }

    private func script(
        _ path: String, _ arguments: [String] = [], on adapter: String, _ home: Home
    ) throws -> PeerProcess {
        try PeerProcess(
            Programs.cerulean, ["--adapter", adapter, "script", path] + arguments,
            environment: ["CERULEAN_STATE_DIR": home.path])
    }

    private func example(_ name: String) -> String { Programs.file("Examples/Scripts/\(name)") }

    /// Reads up to the line with this text.
    @discardableResult
    private func line(_ process: PeerProcess, with text: String) async throws -> String {
        var seen: [String] = []
        while let line = await process.line() {
            if line.contains(text) { return line }
            seen.append(line)
        }
        throw PeerError(description: "no line with \(text): \(seen) \(process.errorText)")
    }

    @Test func theSeedsPatternsWorkWithBumblesPeripheral() async throws {
        let home = try Home()
        let radio = try await AirProcess(.cerulean)
        let peer = try PeerProcess(
            Programs.python, [Programs.bumblePeer, "peripheral", radio.transport, "--name", "Bumble One"])
        _ = try await peer.event("ready")
        let path = try home.write(
            """
            var BluetoothLE = require('com.logicallabs.bluetoothle'), peripheral;
            BluetoothLE.addEventListener('centralManagerStateChange', function(e) {
                if (e.state === BluetoothLE.CENTRAL_MANAGER_STATE_POWERED_ON) { BluetoothLE.startScan(); }
            });
            BluetoothLE.addEventListener('discoveredPeripheral', function(e) {
                if (e.peripheral.name !== 'Bumble One') { return; }
                BluetoothLE.stopScan();
                peripheral = e.peripheral;
                BluetoothLE.connectPeripheral({ peripheral: e.peripheral });
            });
            BluetoothLE.addEventListener('connectedPeripheral', function() {
                peripheral.addEventListener('discoveredServices', function() {
                    peripheral.services.forEach(function(service) { peripheral.discoverCharacteristics({ service: service }); });
                });
                peripheral.addEventListener('discoveredCharacteristics', function(e) {
                    if (e.service.UUID !== 'FFF0') { return; }
                    e.service.characteristics.forEach(function(c) {
                        if (c.UUID === 'FFF1') { peripheral.readValueForCharacteristic(c); }
                        if (c.UUID === 'FFF2') { peripheral.writeValueForCharacteristic({ data: Ti.createBuffer({ value: 'x' }), characteristic: c }); }
                        if (c.properties & BluetoothLE.CHAR_PROP_NOTIFY && c.UUID === 'FFF3') { peripheral.subscribeToCharacteristic(c); }
                    });
                });
                peripheral.addEventListener('updatedValueForCharacteristics', function(e) {
                    Ti.API.info('value ' + e.characteristic.UUID + ' ' + e.value.length + ' first ' + e.value[0]);
                });
                peripheral.addEventListener('wroteValueForCharacteristic', function(e) { Ti.API.info('wrote ' + e.errorCode + ' ' + e.errorDomain); });
                peripheral.addEventListener('updatedNotificationStateForCharacteristic', function() { Ti.API.info('subscribed'); });
                peripheral.discoverServices();
            });
            BluetoothLE.addEventListener('disconnectedPeripheral', function(e) {
                Ti.API.info('disconnected ' + e.errorCode);
                BluetoothLE.releaseCentralManager();
            });
            BluetoothLE.initCentralManager();
            """)
        let app = try script(path, on: radio.adapter, home)
        try await line(app, with: "subscribed")
        _ = try await peer.ask("notify", "\"count\":3,\"length\":4")
        for number in 0..<3 { try await line(app, with: "value FFF3 4 first \(number)") }
        try peer.send("{\"op\":\"disconnect\"}")
        #expect(try await line(app, with: "disconnected").hasSuffix("disconnected 7"))
        #expect(await app.status() == 0)
        radio.stop()
    }

    @Test func aScriptServesBumblesCentral() async throws {
        let home = try Home()
        let radio = try await AirProcess(.cerulean)
        let app = try script(
            example("device-to-device-peripheral.js"), ["hello", "--username", "Script"], on: radio.adapter, home)
        try await line(app, with: "advertising")
        let central = try PeerProcess(
            Programs.python, [Programs.bumblePeer, "central", radio.transport, "--target", "Script"])
        _ = try await central.event("connected")
        let tree = try await central.ask("discover")
        let services = try #require(tree["services"] as? [[String: Any]])
        let service = try #require(services.first { ($0["uuid"] as? String)?.hasPrefix("3C9D1F54") == true })
        let characteristics = try #require(service["characteristics"] as? [[String: Any]])
        let handles = characteristics.compactMap { $0["handle"] as? Int }
        #expect(characteristics.map { $0["properties"] as? Int } == [0x10, 0x02, 0x0C])
        #expect((try await central.ask("read", "\"handle\":\(handles[1])")["value"] as? String)?.count == 10)
        _ = try await central.ask("subscribe", "\"handle\":\(handles[0]),\"count\":1")
        let values = try await central.event("values")
        #expect(values["values"] as? [String] == ["68656c6c6f"])
        try central.send("{\"op\":\"disconnect\"}")
        try await line(app, with: "nobody listens")
        #expect(await app.status() == 0)
        radio.stop()
    }

    @Test func twoProcessesTalkToEachOther() async throws {
        let home = try Home()
        let radio = try await AirProcess(.cerulean)
        let peripheral = try script(
            example("device-to-device-peripheral.js"), ["good morning"], on: radio.adapter, home)
        try await line(peripheral, with: "advertising")
        let central = try script(example("device-to-device-central.js"), ["hi"], on: radio.adapter, home)
        #expect(await central.rest().last == "[INFO] done")
        #expect(await central.status() == 0)
        #expect(await peripheral.rest().contains("[INFO] received: hi"))
        #expect(await peripheral.status() == 0)
        radio.stop()
    }

    @Test func beaconsOfAnotherProcessAreMonitoredAndRanged() async throws {
        let home = try Home()
        let radio = try await AirProcess(.cerulean)
        let beacon = try PeerProcess(
            Programs.cerulean,
            [
                "--adapter", radio.adapter, "beacon", "advertise", "ibeacon", "--uuid",
                "8D1F2A60-4E1B-4F0B-9C1D-2B7E5A3C9F00", "--major", "3", "--minor", "7",
            ])
        _ = await beacon.line()
        let monitor = try script(example("ibeacon-monitor.js"), ["2"], on: radio.adapter, home)
        let lines = await monitor.rest()
        #expect(await monitor.status() == 0)
        #expect(lines.contains("[INFO] entered region 1"))
        #expect(lines.contains("[INFO] region 1 is inside"))
        #expect(lines.count { $0.hasPrefix("[INFO] 3 7: ") } == 2)
        beacon.interrupt()
        radio.stop()
    }

    @Test func devicesOfTheSimulatedRoomAreUsed() async throws {
        let home = try Home()
        let strap = try script(example("heart-rate.js"), ["2"], on: "virtual", home)
        let lines = await strap.rest()
        #expect(lines.last == "[INFO] done", "\(lines) \(strap.errorText)")
        #expect(lines.count { $0.hasSuffix("beats per minute") } == 2)
        let tag = try script(example("sensortag.js"), ["1"], on: "virtual", home)
        #expect(await tag.rest().last == "[INFO] done")
        let board = try script(example("bitalino-recorder.js"), ["12"], on: "virtual", home)
        let table = await board.rest()
        #expect(table.first == "[INFO] sequence,A1,A2")
        #expect(table.last == "[INFO] recorded 12 samples")
        let sequence = table.dropFirst().dropLast().compactMap {
            $0.dropFirst(7).split(separator: ",").first.flatMap { Int($0) }
        }
        #expect(sequence.count == 12)
        #expect(zip(sequence, sequence.dropFirst()).allSatisfy { ($0 + 1) % 16 == $1 }, "\(sequence)")
    }

    @Test func errorsEndTheProgramWithOneAndTheirPlace() async throws {
        let home = try Home()
        let path = try home.write("console.log('before');\n\nthrow new Error('on purpose');\n")
        let run = try script(path, on: "virtual", home)
        #expect(await run.rest() == ["[INFO] before"])
        #expect(await run.status() == 1)
        #expect(run.errorText.contains("app.js:3:16: Error: on purpose"), "\(run.errorText)")
        let missing = try script(home.path + "/none.js", on: "virtual", home)
        #expect(await missing.status() == 8)
        let menu = try home.write(
            """
            var w = Ti.UI.createWindow(), b = Ti.UI.createButton({ title: 'Go' });
            b.addEventListener('click', function () { console.log('clicked'); });
            w.add(b);
            w.open();
            """, to: "menu.js")
        let clicked = try script(menu, ["--click", "Go"], on: "virtual", home)
        #expect(await clicked.rest() == ["[INFO] clicked"])
        #expect(await clicked.status() == 0)
        let lost = try script(menu, ["--click", "Stop"], on: "virtual", home)
        #expect(await lost.status() == 4)
        #expect(lost.errorText.contains("there is Go"))
    }
}
