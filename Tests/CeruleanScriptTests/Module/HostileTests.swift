// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanScript
import CeruleanTesting
import CeruleanWire
import Foundation
import Testing

/// Wrong use, floods, and long runs.
@Suite struct HostileTests {
    @Test func wrongUseThrowsAndNothingTraps() async throws {
        let lines = try await ScriptStage.lines(
            """
            var BLE = require('com.logicallabs.bluetoothle'), T = BLE.types;
            [
                function () { BLE.connectPeripheral(); }, function () { BLE.connectPeripheral({ peripheral: {} }); },
                function () { BLE.addService({ uuid: 'zz' }); }, function () { BLE.addService({ uuid: '180F', characteristics: 5 }); },
                function () { BLE.addService({ uuid: '180F', characteristics: [{ uuid: '2A19', properties: NaN }] }); },
                function () { BLE.updateValue({}); }, function () { BLE.respondToRequest({}); },
                function () { Ti.createBuffer({ length: 1e15 }); }, function () { (function r() { r(); })(); },
                function () { for (var i = 0; i < 200000; i += 1) { setTimeout(function () {}, 1e9); } },
                function () { for (var i = 0; i < 20000; i += 1) { BLE.addEventListener('x', function () {}); } },
                function () { new T.Peripheral(-5).name; }, function () { new T.Service('x').characteristics; },
                function () { new T.Characteristic(1e300).value; }, function () { BLE.startScan({ UUIDs: [{}] }); },
                function () { BLE.startAdvertising({ beaconRegion: 4 }); }, function () { BLE.stopRangingBeacons({ beaconRegion: null }); },
                function () { require('../../../etc/passwd'); }, function () { BLE.addEventListener('x', 5); },
                function () { BLE.createBeaconRegion({ UUID: '180D', identifier: 'x' }); },
                function () { BLE.createBeaconRegion({ UUID: '8D1F2A60-4E1B-4F0B-9C1D-2B7E5A3C9F00', identifier: 'x', major: 65536 }); }
            ].forEach(function (one, index) {
                try { one(); console.log('no error', index); } catch (e) { if (!(e instanceof Error)) { console.log('strange', index); } }
            });
            console.log('survived');
            Ti.Platform.cerulean.exit(0);
            """)
        #expect(lines == ["survived"])
    }

    /// The queue of updates becomes full, says so, and says when there is room again.
    @Test func updatesWaitForRoom() async throws {
        try await ScriptStage.run { stage in
            let server = try stage.script(
                """
                var BLE = require('com.logicallabs.bluetoothle'), next = 0, refused = 0, c = null;
                BLE.addEventListener('peripheralManagerStateChange', function () {
                    BLE.addService({ uuid: 'FFF0', characteristics: [{ uuid: 'FFF1', properties: BLE.CHAR_PROP_NOTIFY, permissions: 0 }] });
                    BLE.startAdvertising({ kCBAdvDataServiceUUIDs: ['FFF0'] });
                });
                BLE.addEventListener('startedAdvertising', function () { console.log('advertising'); });
                function send() {
                    while (next < 200) {
                        if (!BLE.updateValue({ characteristic: c, data: Ti.createBuffer({ value: next, type: 'byte' }) })) { refused += 1; return; }
                        next += 1;
                    }
                    console.log('sent', refused > 0);
                }
                BLE.addEventListener('centralSubscribed', function (e) { c = e.characteristic; send(); });
                BLE.addEventListener('readyToUpdateSubscribers', function () { if (next < 200) { send(); } });
                BLE.initPeripheralManager();
                """, name: "server.js")
            let client = try stage.script(
                """
                var BLE = require('com.logicallabs.bluetoothle'), got = 0, right = true;
                BLE.addEventListener('centralManagerStateChange', function () { BLE.startScan({ UUIDs: ['FFF0'] }); });
                BLE.addEventListener('discoveredPeripheral', function (e) { BLE.stopScan(); BLE.connectPeripheral(e.peripheral); });
                BLE.addEventListener('connectedPeripheral', async function (e) {
                    var p = e.peripheral, s = (await p.discoverServices())[0];
                    await p.discoverCharacteristics({ service: s });
                    p.addEventListener('updatedValueForCharacteristic', function (e) {
                        if (e.value[0] !== got) { right = false; }
                        got += 1;
                        if (got === 200) { console.log('all', right); BLE.releaseCentralManager(); }
                    });
                    p.subscribeToCharacteristic(s.characteristics[0]);
                });
                BLE.initCentralManager();
                """, name: "client.js")
            async let served = server.run()
            await server.line(with: "advertising")
            try await client.run()
            server.program.stop()
            _ = try await served
            #expect(client.lines == ["all true"])
            #expect(server.lines == ["advertising", "sent true"])
        }
    }

    /// Sightings of ever new devices and a stream of values leave nothing behind.
    @Test func whatAScriptLetsGoIsGone() async throws {
        try await ScriptStage.run { stage in
            let scripted = ScriptedStage(
                stage,
                database: [
                    ServiceDefinition(
                        uuid: 0x180D,
                        characteristics: [
                            CharacteristicDefinition(uuid: 0x2A37, properties: .notify, permissions: .readable)
                        ])
                ])
            let script = try scripted.script(
                """
                var BLE = require('com.logicallabs.bluetoothle'), count = 0, devices = 0;
                BLE.addEventListener('centralManagerStateChange', function () { BLE.startScan({ allowDuplicates: true }); console.log('scanning'); });
                BLE.addEventListener('discoveredPeripheral', function (e) {
                    devices += 1;
                    if (devices === 1) { BLE.connectPeripheral({ peripheral: e.peripheral }); }
                });
                BLE.addEventListener('connectedPeripheral', async function (e) {
                    var p = e.peripheral, s = (await p.discoverServices())[0];
                    await p.discoverCharacteristics({ service: s });
                    p.addEventListener('updatedValueForCharacteristic', function (e) { count += e.value.length; });
                    await p.subscribeToCharacteristic(s.characteristics[0]);
                    console.log('subscribed');
                });
                Ti.App.addEventListener('tell', function () { console.log('count', count, devices); });
                setInterval(function () { console.log('tick', count, devices); }, 100000);
                BLE.initCentralManager();
                """)
            async let end = script.run()
            await script.line(with: "scanning")
            try await stage.simulation.advance(by: .seconds(1))
            await scripted.host.advertise(AdvertisementFields())
            await script.line(with: "subscribed")
            let attribute = try #require(scripted.host.characteristic(0x2A37))
            var most = 0
            for round in 0..<12 {
                for number in 0..<250 {
                    await scripted.host.send([UInt8](repeating: 7, count: 20), from: attribute)
                    let address = UInt64(0xC100_0000_0000 + round * 250 + number)
                    await scripted.host.advertise(
                        AdvertisementFields(), from: DeviceAddress(BluetoothAddress(rawValue: address), .random))
                }
                try await stage.simulation.advance(by: .seconds(1))
                most = max(most, script.program.countLiveObjects())
            }
            try await stage.simulation.advance(by: .seconds(100))
            #expect(script.lines.contains("tick \(12 * 250 * 20) \(12 * 250 + 1)"), "\(script.lines)")
            // Of 3,001 devices; proxies are looked through when there are 512.
            #expect(most < 1024, "\(most)")
            script.program.stop()
            _ = try await end
        }
    }
}
