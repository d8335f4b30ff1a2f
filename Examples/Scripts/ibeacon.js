// SPDX-License-Identifier: Apache-2.0
// Is an iBeacon. ibeacon-monitor.js finds it.
//
//     cerulean script --adapter tcp:127.0.0.1:6402 Examples/Scripts/ibeacon.js [MAJOR [MINOR]]
var BluetoothLE = require('com.logicallabs.bluetoothle');
var arguments_ = Ti.Platform.cerulean.arguments;

var region = BluetoothLE.createBeaconRegion({
    UUID: '8D1F2A60-4E1B-4F0B-9C1D-2B7E5A3C9F00',
    identifier: 'own beacon',
    major: parseInt(arguments_[0] || 1, 10),
    minor: parseInt(arguments_[1] || 1, 10)
});

BluetoothLE.addEventListener('peripheralManagerStateChange', function (e) {
    if (e.state === BluetoothLE.PERIPHERAL_MANAGER_STATE_POWERED_ON) {
        BluetoothLE.startAdvertising({ beaconRegion: region, measuredPower: -59 });
    }
});

BluetoothLE.addEventListener('startedAdvertising', function (e) {
    Ti.API.info(e.errorCode === undefined ? 'being ' + region.UUID + ' ' + region.major + ' ' + region.minor : e.errorDescription);
});

BluetoothLE.initPeripheralManager();
