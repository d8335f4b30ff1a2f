// SPDX-License-Identifier: Apache-2.0

import CeruleanAdapters
import CeruleanScript
import CeruleanTesting
import CeruleanVirtual
import CeruleanWire
import Testing

/// A peripheral in a script, to be used by another.
enum Halves {
    static let peripheral = """
        var BLE = require('com.logicallabs.bluetoothle'), service;
        BLE.addEventListener('peripheralManagerStateChange', function (e) {
            if (e.state !== BLE.PERIPHERAL_MANAGER_STATE_POWERED_ON) { return; }
            service = BLE.addService({ uuid: 'fff0', primary: true, characteristics: [
                { uuid: 'FFF1', properties: BLE.CHAR_PROP_READ + BLE.CHAR_PROP_WRITE, permissions: BLE.CHAR_PERM_READABLE + BLE.CHAR_PERM_WRITEABLE,
                  descriptors: [{ uuid: '2901', value: 'a name' }] },
                { uuid: 'FFF2', properties: BLE.CHAR_PROP_READ, permissions: BLE.CHAR_PERM_READABLE },
                { uuid: 'FFF3', properties: BLE.CHAR_PROP_NOTIFY | BLE.CHAR_PROP_WRITE_WITHOUT_RESPONSE, permissions: BLE.CHAR_PERM_WRITEABLE },
                { uuid: 'FFF4', properties: BLE.CHAR_PROP_READ, permissions: BLE.CHAR_PERM_READABLE, value: Ti.createBuffer({ value: 'fixed' }) }
            ] });
            var a = {};
            a[BLE.ADVERT_DATA_KEY_LOCAL_NAME] = 'Half';
            a[BLE.ADVERT_DATA_KEY_SERVICE_UUIDS] = ['FFF0'];
            BLE.startAdvertising(a);
        });
        BLE.addEventListener('addedService', function (e) { console.log('added', e.service.UUID, e.errorCode, e.service.equals(service)); });
        BLE.addEventListener('startedAdvertising', function (e) { console.log('advertising', e.errorCode, BLE.isAdvertising); });
        BLE.addEventListener('receivedReadRequest', function (e) {
            var r = e.request;
            if (r.characteristic.UUID === 'FFF1') {
                r.value = Ti.createBuffer({ value: 'read' });
                BLE.respondToRequest({ request: r, result: BLE.ATT_SUCCESS });
            } else {
                BLE.respondToRequest({ request: r, result: BLE.ATT_READ_NOT_PERMITTED_ERROR });
            }
        });
        BLE.addEventListener('receivedWriteRequests', function (e) {
            e.requests.forEach(function (r) { console.log('write', r.characteristic.UUID, '' + r.value, r.offset, typeof r.central.UUID); });
            BLE.respondToRequest({ request: e.requests[0], result: BLE.ATT_SUCCESS });
        });
        BLE.addEventListener('centralSubscribed', function (e) {
            console.log('subscribed', e.characteristic.UUID, e.characteristic.subscribedCentrals.length, e.central.maximumUpdateValueLength > 19);
            console.log('sent', BLE.updateValue({ characteristic: e.characteristic, data: Ti.createBuffer({ value: 'one' }), centrals: [e.central] }),
                BLE.updateValue({ characteristic: e.characteristic, data: Ti.createBuffer({ value: 'two' }) }));
        });
        BLE.addEventListener('centralUnsubscribed', function (e) { console.log('unsubscribed', e.characteristic.subscribedCentrals.length); });
        BLE.initPeripheralManager();
        """

    /// Runs a central against it until the central has ended; the lines of both.
    static func run(_ central: String) async throws -> (central: [String], peripheral: [String]) {
        let (centralLines, peripheralLines) = (Box(), Box())
        try await ScriptStage.run { stage in
            let server = try stage.script(peripheral, name: "peripheral.js")
            let client = try stage.script(central, name: "central.js")
            async let end = server.run()
            await server.line(with: "advertising")
            do {
                try await client.run()
            } catch {
                Issue.record("\(error); \(client.lines)")
            }
            // What the link's end causes on the other side.
            try await stage.simulation.advance(by: .seconds(30))
            server.program.stop()
            _ = try await end
            centralLines.set(client.lines)
            peripheralLines.set(server.lines)
        }
        return (centralLines.value, peripheralLines.value)
    }

    /// Connects and finds everything, then calls `use`.
    static func connected(_ use: String) -> String {
        """
        var BLE = require('com.logicallabs.bluetoothle'), p;
        BLE.addEventListener('centralManagerStateChange', function (e) { if (e.state === 5) { BLE.startScan({ UUIDs: ['FFF0'] }); } });
        BLE.addEventListener('discoveredPeripheral', function (e) {
            BLE.stopScan();
            p = e.peripheral;
            BLE.connectPeripheral({ peripheral: p, autoConnect: false });
        });
        BLE.addEventListener('connectedPeripheral', function (e) {
            p.addEventListener('discoveredServices', function (e) { e.source.discoverCharacteristics({ service: p.services[0] }); });
            p.addEventListener('discoveredCharacteristics', function (e) { use(e.service, e.service.characteristics); });
            p.discoverServices({ UUIDs: ['fff0'] });
        });
        function end() { BLE.cancelPeripheralConnection(p); }
        BLE.addEventListener('disconnectedPeripheral', function (e) {
            console.log('disconnected', 'errorCode' in e, e.errorCode, e.errorDomain);
            BLE.releaseCentralManager();
        });
        BLE.initCentralManager();
        function use(service, c) {
        \(use)
        }
        """
    }
}

@Suite struct CentralTests {
    @Test func anUnfilteredScanTellsWhatWasAdvertised() async throws {
        let lines = try await Halves.run(
            """
            var BLE = require('com.logicallabs.bluetoothle');
            BLE.addEventListener('moduleReady', function () { console.log('ready', BLE.restoredCentralManagerIdentifiers.length, BLE.wasLocationLaunch); });
            BLE.stopScan();
            BLE.startScan();
            BLE.addEventListener('centralManagerStateChange', function (e) {
                console.log('state', e.state, BLE.centralManagerState, e.type, e.bubbles, e.source === BLE, this === BLE);
                BLE.startScan();
            });
            var first;
            BLE.addEventListener('discoveredPeripheral', function (e) {
                if (first || !e.peripheral.name) { return; }
                first = e.peripheral;
                console.log(e.peripheral.name, e.RSSI < 0, e.peripheral.UUID.length, e.peripheral.state, e.peripheral.isConnected,
                    e.advertisementData[BLE.ADVERT_DATA_KEY_SERVICE_UUIDS], e.advertisementData[BLE.ADVERT_DATA_KEY_LOCAL_NAME],
                    e.advertisementData[BLE.ADVERT_DATA_KEY_IS_CONNECTABLE], e.peripheral.services.length);
                BLE.retrievePeripherals({ UUIDs: [first.UUID] });
            });
            BLE.addEventListener('retrievedPeripherals', function (e) {
                console.log(e.peripherals.length, e.peripherals[0].equals(first), first.equals(null), first.equals(undefined));
                BLE.releaseCentralManager();
                setTimeout(function () { BLE.addEventListener('moduleReady', function () { console.log('again'); }); }, 5);
            });
            BLE.initCentralManager();
            """)
        #expect(
            lines.central == [
                "ready 0 false", "state 5 5 centralManagerStateChange false true true",
                "Half true 36 0 false [\"FFF0\"] Half true 0", "1 true false false", "again",
            ])
    }

    @Test func valuesAreReadWrittenAndNotified() async throws {
        let lines = try await Halves.run(
            Halves.connected(
                """
                console.log(c.map(function (one) { return one.UUID + ' ' + one.properties; }).join(), c[0].isNotifying, c[0].value);
                console.log(service.isPrimary, service.peripheral.equals(p), c[0].service.equals(service), '' + c[0], c[0] instanceof Object);
                function got(e) {
                    console.log(e.type, e.characteristic.UUID, '' + e.value, 'errorCode' in e, e.characteristic.equals(c[2]));
                    if ('' + e.value === 'two' && e.type === 'updatedValueForCharacteristics') { p.unsubscribeFromCharacteristic(c[2]); }
                }
                p.addEventListener('updatedValueForCharacteristic', got);
                p.addEventListener('updatedValueForCharacteristics', got);
                p.addEventListener('wroteValueForCharacteristics', function (e) {
                    console.log(e.type, e.characteristic.UUID, e.errorCode);
                    p.readRSSI();
                });
                p.addEventListener('updatedRSSI', function (e) { console.log(e.type, e.source.RSSI < 0, e.errorCode); p.readValueForCharacteristic(c[0]); p.subscribeToCharacteristic(c[2]); });
                p.addEventListener('updatedNotificationStateForCharacteristic', function (e) {
                    console.log('notifying', e.characteristic.isNotifying);
                    if (!e.characteristic.isNotifying) { end(); }
                });
                p.writeValueForCharacteristic({ characteristic: c[2], data: Ti.createBuffer({ value: 'w' }), type: BLE.CHARACTERISTIC_TYPE_WRITE_WITHOUT_RESPONSE });
                p.writeValueForCharacteristic({ characteristic: c[0], data: Ti.createBuffer({ value: 'hello' }), type: BLE.CHARACTERISTIC_TYPE_WRITE_WITH_RESPONSE });
                """))
        #expect(lines.central.first == "FFF1 10,FFF2 2,FFF3 20,FFF4 2 false null")
        #expect(lines.central[1] == "true true true [object Characteristic FFF1 properties 0xa] true")
        let rest = lines.central.dropFirst(2)
        #expect(rest.prefix(2) == ["wroteValueForCharacteristics FFF1 undefined", "updatedRSSI true undefined"])
        for expected in [
            "updatedValueForCharacteristic FFF1 read false false",
            "updatedValueForCharacteristics FFF1 read false false",
            "updatedValueForCharacteristic FFF3 one false true", "updatedValueForCharacteristics FFF3 two false true",
            "notifying true", "notifying false",
        ] {
            #expect(rest.count { $0 == expected } == 1, "\(expected): \(rest)")
        }
        #expect(rest.last == "disconnected false undefined undefined")
        #expect(
            lines.peripheral.prefix(4) == [
                "added FFF0 undefined true", "advertising undefined true", "write FFF3 w 0 string",
                "write FFF1 hello 0 string",
            ])
        #expect(lines.peripheral.suffix(3) == ["subscribed FFF3 1 true", "sent true true", "unsubscribed 0"])
    }

    @Test func failuresCarryTheThreeKeysAndPromisesReject() async throws {
        let lines = try await Halves.run(
            Halves.connected(
                """
                p.addEventListener('updatedValueForCharacteristic', function (e) {
                    console.log(e.errorCode, e.errorDomain, typeof e.errorDescription, e.errorCode === BLE.ATT_READ_NOT_PERMITTED);
                });
                (async function () {
                    try { await p.readValueForCharacteristic(c[1]); } catch (e) { console.log('rejected', e.errorCode, e instanceof Error); }
                    console.log('' + await p.readValueForCharacteristic(c[3]));
                    await p.discoverDescriptorsForCharacteristic(c[0]);
                    var d = c[0].descriptors.filter(function (one) { return one.UUID === '2901'; })[0];
                    console.log(await p.readValueForDescriptor(d), d.value, d.characteristic.equals(c[0]));
                    end();
                    try { await p.readValueForCharacteristic(c[1]); } catch (e) { console.log('gone', e.errorCode, e.errorDomain); }
                })();
                """))
        #expect(
            lines.central == [
                "2 CBATTErrorDomain string true", "rejected 2 true", "undefined undefined undefined false", "fixed",
                "a name a name true", "gone 3 CBErrorDomain", "3 CBErrorDomain string false",
                "disconnected false undefined undefined",
            ])
    }

    @Test func aConnectionIsGivenUpAfterItsTimeoutAndNeverComesLate() async throws {
        try await ScriptStage.run { stage in
            let server = try stage.script(Halves.peripheral, name: "peripheral.js")
            let client = try stage.script(
                """
                var BLE = require('com.logicallabs.bluetoothle');
                BLE.addEventListener('centralManagerStateChange', function () { BLE.startScan({ UUIDs: ['FFF0'] }); });
                BLE.addEventListener('failedToConnectPeripheral', function (e) { console.log('failed', e.errorCode, e.errorDomain, e.peripheral.state); });
                BLE.addEventListener('connectedPeripheral', function (e) { console.log('connected'); });
                BLE.addEventListener('disconnectedPeripheral', function (e) { console.log('disconnected'); });
                BLE.addEventListener('discoveredPeripheral', function (e) {
                    BLE.stopScan();
                    console.log('found');
                    setTimeout(function () {
                        BLE.connect({ peripheral: e.peripheral, timeout: 2000 }).catch(function (error) { console.log('rejected', error.errorCode); });
                        setTimeout(function () { BLE.releaseCentralManager(); }, 60000);
                    }, 5000);
                });
                BLE.initCentralManager();
                """, name: "central.js")
            async let end = server.run()
            async let done = client.run()
            await client.line(with: "found")
            stage.world.move(server.host, to: .init(x: 100_000))
            await client.line(with: "failed")
            stage.world.move(server.host, to: .init(x: 1))
            let doneEnding = try await done
            #expect(doneEnding == .finished)
            server.program.stop()
            _ = try await end
            #expect(client.lines.count == 3)
            #expect(client.lines.first == "found")
            #expect(client.lines.contains("rejected 6"))
            #expect(client.lines.contains { $0.hasPrefix("failed 6 CBErrorDomain") })
            #expect(!client.lines.contains("connected"))
            #expect(!client.lines.contains("disconnected"))
        }
    }

    @Test func aLostLinkCarriesAnErrorAndIsMadeAgain() async throws {
        try await ScriptStage.run { stage in
            let server = try stage.script(Halves.peripheral, name: "peripheral.js")
            let client = try stage.script(
                """
                var BLE = require('com.logicallabs.bluetoothle'), links = 0;
                BLE.addEventListener('centralManagerStateChange', function () { BLE.startScan({ UUIDs: ['FFF0'] }); });
                BLE.addEventListener('discoveredPeripheral', function (e) { BLE.stopScan(); BLE.connectPeripheral({ peripheral: e.peripheral }); });
                BLE.addEventListener('connectedPeripheral', function (e) {
                    links += 1;
                    console.log('connected ' + links);
                    if (links === 2) { BLE.cancelPeripheralConnection({ peripheral: e.peripheral }); }
                });
                BLE.addEventListener('disconnectedPeripheral', function (e) {
                    console.log('disconnected', e.errorCode, e.errorDomain);
                    if (links === 1) { BLE.connectPeripheral({ peripheral: e.peripheral }); } else { BLE.releaseCentralManager(); }
                });
                BLE.initCentralManager();
                """, name: "central.js")
            async let end = server.run()
            async let done = client.run()
            await client.line(with: "connected 1")
            stage.world.drop(client.host, server.host, reason: .connectionTimeout)
            let doneEnding = try await done
            #expect(doneEnding == .finished)
            server.program.stop()
            _ = try await end
            #expect(
                client.lines == [
                    "connected 1", "disconnected 6 CBErrorDomain", "connected 2", "disconnected undefined undefined",
                ])
        }
    }

    @Test func aMisspelledConstantIsWarnedOfOnce() async throws {
        try await ScriptStage.run { stage in
            let script = try stage.script(
                """
                var BLE = require('com.logicallabs.bluetoothle');
                console.log(BLE.CHAR_PROP_NOTFY, BLE.CHAR_PROP_NOTFY, BLE.CHAR_PROP_NOTIFY, typeof BLE.initCentralManager);
                """)
            try await script.run()
            #expect(script.lines == ["undefined undefined 16 function"])
            #expect(script.talk.count { $0.contains("CHAR_PROP_NOTFY") } == 1)
        }
    }
}
