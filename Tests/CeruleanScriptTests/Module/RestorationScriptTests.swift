// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanScript
import CeruleanStack
import CeruleanTesting
import CeruleanWire
import Testing

@Suite struct RestorationScriptTests {
    /// Connects and subscribes; started again, it goes on where it was.
    static let central = """
        var BLE = require('com.logicallabs.bluetoothle');
        function listen(p) {
            p.addEventListener('updatedValueForCharacteristic', function (e) { console.log('value ' + e.value); });
        }
        BLE.addEventListener('moduleReady', function () {
            console.log('ids', BLE.restoredCentralManagerIdentifiers.join());
            BLE.initCentralManager({ restoreIdentifier: 'central one' });
        });
        BLE.addEventListener('centralWillRestoreState', function (e) {
            var p = e.peripherals[0];
            var c = p.services.length ? p.services[0].characteristics[0] : null;
            console.log('restored', e.peripherals.length, e.serviceUUIDs.length, p.name, c && c.UUID, c && c.isNotifying);
            e.peripherals.forEach(listen);
        });
        BLE.addEventListener('centralManagerStateChange', function (e) {
            console.log('state', e.state);
            if (BLE.restoredCentralManagerIdentifiers.length === 0) { BLE.startScan({ UUIDs: ['FFF0'] }); }
        });
        BLE.addEventListener('discoveredPeripheral', function (e) { BLE.stopScan(); BLE.connectPeripheral({ peripheral: e.peripheral }); });
        BLE.addEventListener('connectedPeripheral', async function (e) {
            var p = e.peripheral;
            listen(p);
            var s = (await p.discoverServices({ UUIDs: ['FFF0'] }))[0];
            await p.discoverCharacteristics({ service: s, UUIDs: ['FFF3'] });
            await p.subscribeToCharacteristic(s.characteristics[0]);
            console.log('subscribed');
        });
        setTimeout(function () { if (BLE.restoredCentralManagerIdentifiers.length === 0) { BLE.killApp(); } }, 60000);
        """

    static let peripheral = """
        var BLE = require('com.logicallabs.bluetoothle'), n = 0;
        BLE.addEventListener('peripheralManagerStateChange', function () {
            BLE.addService({ uuid: 'FFF0', primary: true, characteristics: [
                { uuid: 'FFF3', properties: BLE.CHAR_PROP_NOTIFY, permissions: BLE.CHAR_PERM_READABLE }] });
            BLE.startAdvertising({ kCBAdvDataLocalName: 'Half', kCBAdvDataServiceUUIDs: ['FFF0'] });
        });
        BLE.addEventListener('startedAdvertising', function () { console.log('advertising'); });
        BLE.addEventListener('centralSubscribed', function (e) {
            n += 1;
            BLE.updateValue({ characteristic: e.characteristic, data: Ti.createBuffer({ value: '' + n }) });
        });
        BLE.initPeripheralManager();
        """

    @Test func aKilledCentralGoesOnWithItsSubscription() async throws {
        try await ScriptStage.run { stage in
            let server = try stage.script(Self.peripheral, name: "peripheral.js")
            async let served = server.run()
            await server.line(with: "advertising")
            let first = try stage.script(Self.central)
            let ending = try await first.run()
            #expect(ending == .exited(0))
            #expect(first.lines.sorted() == ["ids ", "state 5", "subscribed", "value 1"])
            let second = try stage.script(Self.central)
            async let end = second.run()
            await second.line(with: "value 2")
            // The name is the one that the host has, which was read meanwhile.
            #expect(
                second.lines == ["ids central one", "restored 1 0 script FFF3 true", "state 5", "value 2"])
            second.program.stop()
            _ = try await end
            // One that ended in order leaves nothing.
            let third = try stage.script(
                "var BLE = require('com.logicallabs.bluetoothle'); console.log(BLE.restoredCentralManagerIdentifiers.length);"
            )
            try await third.run()
            #expect(third.lines == ["0"])
            server.program.stop()
            _ = try await served
        }
    }

    @Test func aKilledPeripheralIsBackWithItsServices() async throws {
        let source = """
            var BLE = require('com.logicallabs.bluetoothle');
            BLE.addEventListener('moduleReady', function () {
                console.log('ids', BLE.restoredPeripheralManagerIdentifiers.join());
                BLE.initPeripheralManager({ restoreIdentifier: 'p' });
            });
            BLE.addEventListener('peripheralWillRestoreState', function (e) {
                console.log('restored', e.services.length, e.services[0].UUID, e.services[0].characteristics[0].UUID,
                    e.advertisementData[BLE.ADVERT_DATA_KEY_LOCAL_NAME]);
            });
            BLE.addEventListener('peripheralManagerStateChange', function (e) {
                console.log('state', e.state, BLE.isAdvertising);
                if (BLE.restoredPeripheralManagerIdentifiers.length) { return BLE.releasePeripheralManager(); }
                BLE.addService({ uuid: 'FFF0', characteristics: [{ uuid: 'FFF1', properties: 2, permissions: 1 }] });
                BLE.startAdvertising({ kCBAdvDataLocalName: 'Back' });
                setTimeout(function () { BLE.killApp(); }, 1000);
            });
            """
        try await ScriptStage.run { stage in
            let first = try stage.script(source)
            try await first.run()
            let second = try stage.script(source)
            try await second.run()
            #expect(second.lines == ["ids p", "restored 1 FFF0 FFF1 Back", "state 5 true"])
        }
    }

    @Test func monitoredRegionsAreKept() async throws {
        let source = """
            var BLE = require('com.logicallabs.bluetoothle');
            BLE.addEventListener('moduleReady', function () {
                console.log('launch', BLE.wasLocationLaunch);
                if (BLE.wasLocationLaunch) { return BLE.retrieveMonitoredRegions(); }
                BLE.startRegionMonitoring({ beaconRegion: BLE.createBeaconRegion({ UUID: '\(UUIDText.beacon)', identifier: 'door', major: 4 }) });
                setTimeout(function () { BLE.killApp(); }, 100);
            });
            BLE.addEventListener('retrievedMonitoredRegions', function (e) {
                console.log(e.beaconRegions.length, e.beaconRegions[0].identifier, e.beaconRegions[0].major, e.beaconRegions[0].minor);
                BLE.stopRegionMonitoring();
            });
            """
        try await ScriptStage.run { stage in
            let first = try stage.script(source)
            try await first.run()
            let second = try stage.script(source)
            try await second.run()
            #expect(second.lines == ["launch true", "1 door 4 undefined"])
            let third = try stage.script(source)
            try await third.run()
            #expect(third.lines == ["launch false"])
        }
    }

    private enum UUIDText {
        static let beacon = "B9407F30-F5F8-466E-AFF9-25556B57FE6D"
    }
}
