// SPDX-License-Identifier: Apache-2.0
// Monitors two regions of iBeacons, and ranges the beacons of those that it is inside of.
//
//     cerulean script Examples/Scripts/ibeacon-monitor.js [COUNT]
//
// With COUNT it ends after so many reports that are not empty.
var BluetoothLE = require('com.logicallabs.bluetoothle');

var left = parseInt(Ti.Platform.cerulean.arguments[0], 10) || Infinity;
var uuids = ['8D1F2A60-4E1B-4F0B-9C1D-2B7E5A3C9F00', 'B9407F30-F5F8-466E-AFF9-25556B57FE6D'];
var states = ['unknown', 'inside', 'outside'], proximities = ['unknown', 'immediate', 'near', 'far'];
var tables = {};

BluetoothLE.addEventListener('enteredRegion', function (e) {
    Ti.API.info('entered ' + e.region.identifier);
    Ti.App.iOS.scheduleLocalNotification({ alertBody: 'Welcome to ' + e.region.identifier });
});

BluetoothLE.addEventListener('exitedRegion', function (e) {
    Ti.API.info('left ' + e.region.identifier);
});

BluetoothLE.addEventListener('regionStateUpdated', function (e) {
    Ti.API.info(e.region.identifier + ' is ' + states[e.state]);
    switch (e.state) {
    case BluetoothLE.REGION_STATE_INSIDE:
        BluetoothLE.startRangingBeacons({ beaconRegion: e.region });
        break;
    case BluetoothLE.REGION_STATE_OUTSIDE:
        BluetoothLE.stopRangingBeacons({ beaconRegion: e.region });
        break;
    }
});

BluetoothLE.addEventListener('rangedBeacons', function (e) {
    tables[e.region.UUID] = e.beacons;
    if (e.beacons.length === 0) { return; }
    e.beacons.forEach(function (beacon) {
        Ti.API.info(beacon.major + ' ' + beacon.minor + ': ' + beacon.accuracy.toFixed(2) + ' m');
    });
    left -= 1;
    if (left === 0) {
        BluetoothLE.stopRangingBeacons();
        BluetoothLE.stopRegionMonitoring();
    }
});

BluetoothLE.addEventListener('proximityChange', function (e) {
    e.beacons.forEach(function (beacon) {
        Ti.API.info(beacon.major + ' ' + beacon.minor + ' is ' + proximities[beacon.proximity]);
    });
});

BluetoothLE.addEventListener('locationManagerAuthorizationChanged', function (e) {
    if (e.status !== BluetoothLE.LOCATION_MANAGER_AUTHORIZATION_STATUS_AUTHORIZED) {
        Ti.API.error('not allowed');
        return;
    }
    uuids.forEach(function (uuid, index) {
        var region = BluetoothLE.createBeaconRegion({ UUID: uuid, identifier: 'region ' + (index + 1) });
        BluetoothLE.startRegionMonitoring({ beaconRegion: region });
        BluetoothLE.requestRegionState({ beaconRegion: region });
    });
});

BluetoothLE.requestAlwaysAuthorization();
