// SPDX-License-Identifier: Apache-2.0
// Reads the infrared thermometer and the keys of a TI SensorTag (CC2541 or CC2650), which does not advertise its services.
//
//     cerulean script Examples/Scripts/sensortag.js [COUNT]
var BluetoothLE = require('com.logicallabs.bluetoothle');

function ti(number) { return 'F000' + number + '-0451-4000-B000-000000000000'; }
var DATA = ti('AA01'), CONFIGURATION = ti('AA02'), KEYS = 'FFE1';
var left = parseInt(Ti.Platform.cerulean.arguments[0], 10) || Infinity;
var tag = null;

function on(characteristic) {
    if (characteristic.UUID === CONFIGURATION) {
        tag.writeValueForCharacteristic({
            characteristic: characteristic,
            data: Ti.createBuffer({ value: 1, type: Ti.Codec.TYPE_BYTE }),
            type: BluetoothLE.CHARACTERISTIC_TYPE_WRITE_WITH_RESPONSE
        });
    } else if (characteristic.UUID === DATA || characteristic.UUID === KEYS) {
        tag.subscribeToCharacteristic(characteristic);
    }
}

function temperature(value) {
    // Object and die, signed and little-endian; the die has 1/128 of a degree.
    return Ti.Codec.decodeNumber({ source: value, type: Ti.Codec.TYPE_SHORT, position: 2 }) / 128;
}

BluetoothLE.addEventListener('centralManagerStateChange', function (e) {
    if (e.state === BluetoothLE.CENTRAL_MANAGER_STATE_POWERED_ON) { BluetoothLE.startScan(); }
});

BluetoothLE.addEventListener('discoveredPeripheral', function (e) {
    if (tag !== null || !/SensorTag/i.test(e.peripheral.name || '')) { return; }
    BluetoothLE.stopScan();
    tag = e.peripheral;
    BluetoothLE.connectPeripheral({ peripheral: tag });
});

BluetoothLE.addEventListener('connectedPeripheral', function () {
    Ti.API.info('connected to ' + tag.name);
    tag.addEventListener('discoveredServices', function () {
        tag.services.forEach(function (service) { tag.discoverCharacteristics({ service: service }); });
    });
    tag.addEventListener('discoveredCharacteristics', function (e) { e.service.characteristics.forEach(on); });
    tag.addEventListener('updatedValueForCharacteristic', function (e) {
        if (e.characteristic.UUID === KEYS) {
            Ti.API.info('keys ' + e.value[0]);
            return;
        }
        Ti.API.info('ambient ' + temperature(e.value).toFixed(1) + ' °C');
        left -= 1;
        if (left === 0) { BluetoothLE.cancelPeripheralConnection(tag); }
    });
    tag.discoverServices();
});

BluetoothLE.addEventListener('disconnectedPeripheral', function (e) {
    Ti.API.info(e.errorCode === undefined ? 'done' : 'lost: ' + e.errorDescription);
    BluetoothLE.releaseCentralManager();
});

BluetoothLE.initCentralManager();
