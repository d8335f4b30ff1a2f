// SPDX-License-Identifier: Apache-2.0
// The other half of device-to-device-peripheral.js: receives its text, asks for the time, sends a text back letter by letter.
//
//     cerulean script --adapter tcp:127.0.0.1:6402 Examples/Scripts/device-to-device-central.js [TEXT]
var BluetoothLE = require('com.logicallabs.bluetoothle');

var SERVICE = '3C9D1F54-0B4E-4E63-8A2E-6E5B4F2C7A10';
var SENT = '3C9D1F54-0B4E-4E63-8A2E-6E5B4F2C7A11';
var TIME = '3C9D1F54-0B4E-4E63-8A2E-6E5B4F2C7A12';
var RECEIVED = '3C9D1F54-0B4E-4E63-8A2E-6E5B4F2C7A13';
var text = Ti.Platform.cerulean.arguments[0] || 'bye';
var peer = null, sent = 0, open = 2;

function two(number) { return (number < 10 ? '0' : '') + number; }

function characteristic(uuid) {
    return peer.services[0].characteristics.filter(function (one) { return one.UUID === uuid; })[0];
}

function done() {
    open -= 1;
    if (open === 0) { BluetoothLE.cancelPeripheralConnection(peer); }
}

function sendNext() {
    if (sent === text.length) { return done(); }
    sent += 1;
    peer.writeValueForCharacteristic({
        characteristic: characteristic(RECEIVED),
        data: Ti.createBuffer({ value: text.substring(0, sent) }),
        type: BluetoothLE.CHARACTERISTIC_TYPE_WRITE_WITH_RESPONSE
    });
}

function updatedValue(e) {
    if (e.errorCode !== undefined) {
        Ti.API.error('value: ' + e.errorDescription);
    } else if (e.characteristic.UUID === SENT) {
        Ti.API.info('received: ' + e.value);
        peer.readValueForCharacteristic(characteristic(TIME));
    } else if (e.characteristic.equals(characteristic(TIME))) {
        Ti.API.info('it is ' + two(e.value[0]) + ':' + two(e.value[1]) + ':' + two(e.value[2]) + ' there');
        done();
    }
}

BluetoothLE.addEventListener('centralManagerStateChange', function (e) {
    if (e.state === BluetoothLE.CENTRAL_MANAGER_STATE_POWERED_ON) {
        BluetoothLE.startScan({ UUIDs: [SERVICE] });
    }
});

BluetoothLE.addEventListener('discoveredPeripheral', function (e) {
    BluetoothLE.stopScan();
    peer = e.peripheral;
    BluetoothLE.connectPeripheral({ peripheral: peer });
});

BluetoothLE.addEventListener('connectedPeripheral', function () {
    Ti.API.info('connected');
    peer.addEventListener('discoveredServices', function (e) {
        e.source.discoverCharacteristics({ service: e.source.services[0] });
    });
    peer.addEventListener('discoveredCharacteristics', function () {
        peer.readRSSI();
        peer.subscribeToCharacteristic(characteristic(SENT));
        sendNext();
    });
    peer.addEventListener('updatedRSSI', function (e) {
        if (e.errorCode === undefined) { Ti.API.info('strength ' + (e.source.RSSI < 0 ? 'known' : 'unknown')); }
    });
    peer.addEventListener('updatedValueForCharacteristic', updatedValue);
    peer.addEventListener('wroteValueForCharacteristic', function (e) {
        if (e.errorCode !== undefined) { Ti.API.error('write: ' + e.errorDescription); }
        sendNext();
    });
    peer.discoverServices({ UUIDs: [SERVICE] });
});

BluetoothLE.addEventListener('disconnectedPeripheral', function (e) {
    Ti.API.info(e.errorCode === undefined ? 'done' : 'lost: ' + e.errorDescription);
    BluetoothLE.releaseCentralManager();
});

BluetoothLE.initCentralManager();
