// SPDX-License-Identifier: Apache-2.0
// Shows the heart rate of the first strap that is heard, and looks for it again when it is gone.
//
//     cerulean script Examples/Scripts/heart-rate.js [COUNT]
//
// With COUNT it ends after so many measurements.
var BluetoothLE = require('com.logicallabs.bluetoothle');

var HEART_RATE = '180D', MEASUREMENT = '2A37', BATTERY = '180F', LEVEL = '2A19';
var left = parseInt(Ti.Platform.cerulean.arguments[0], 10) || Infinity;
// Kept in a variable, as on a phone: an object that nobody holds is lost with its listeners.
var strap = null;

function scan() {
    Ti.API.info('looking for a strap');
    BluetoothLE.startScan({ UUIDs: [HEART_RATE] });
}

function failed(e, what) {
    if (e.errorCode === undefined) { return false; }
    Ti.API.error(what + ': ' + e.errorDomain + ' ' + e.errorCode + ' ' + e.errorDescription);
    return true;
}

// Flags, then the rate in one octet or, little-endian, in two.
function rate(value) {
    return value[0] & 1 ? value[1] | value[2] << 8 : value[1];
}

function discoveredServices(e) {
    if (failed(e, 'services')) { return; }
    e.source.services.forEach(function (service) {
        e.source.discoverCharacteristics({ service: service });
    });
}

function discoveredCharacteristics(e) {
    if (failed(e, 'characteristics')) { return; }
    e.service.characteristics.forEach(function (characteristic) {
        if (characteristic.UUID === MEASUREMENT && characteristic.properties & BluetoothLE.CHAR_PROP_NOTIFY) {
            e.source.subscribeToCharacteristic(characteristic);
        } else if (characteristic.UUID === LEVEL) {
            e.source.readValueForCharacteristic(characteristic);
        }
    });
}

function updatedValue(e) {
    if (failed(e, 'value')) { return; }
    if (e.characteristic.UUID === LEVEL) {
        Ti.API.info('battery ' + e.value[0] + ' %');
        return;
    }
    Ti.API.info(rate(e.value) + ' beats per minute');
    left -= 1;
    if (left === 0) {
        BluetoothLE.cancelPeripheralConnection(e.source);
    }
}

BluetoothLE.addEventListener('centralManagerStateChange', function (e) {
    if (e.state === BluetoothLE.CENTRAL_MANAGER_STATE_POWERED_ON) {
        scan();
    } else {
        Ti.API.warn('Bluetooth cannot be used: state ' + e.state);
    }
});

BluetoothLE.addEventListener('discoveredPeripheral', function (e) {
    BluetoothLE.stopScan();
    strap = e.peripheral;
    Ti.API.info('connecting to ' + strap.name);
    BluetoothLE.connectPeripheral({ peripheral: strap });
});

BluetoothLE.addEventListener('connectedPeripheral', function (e) {
    strap.addEventListener('discoveredServices', discoveredServices);
    strap.addEventListener('discoveredCharacteristics', discoveredCharacteristics);
    strap.addEventListener('updatedValueForCharacteristic', updatedValue);
    strap.discoverServices({ UUIDs: [HEART_RATE, BATTERY] });
});

BluetoothLE.addEventListener('failedToConnectPeripheral', function (e) {
    failed(e, 'connection');
    scan();
});

BluetoothLE.addEventListener('disconnectedPeripheral', function (e) {
    strap.removeEventListener('discoveredServices', discoveredServices);
    strap.removeEventListener('discoveredCharacteristics', discoveredCharacteristics);
    strap.removeEventListener('updatedValueForCharacteristic', updatedValue);
    strap = null;
    if (left <= 0) {
        Ti.API.info('done');
        BluetoothLE.releaseCentralManager();
    } else {
        failed(e, 'link');
        scan();
    }
});

BluetoothLE.initCentralManager();
