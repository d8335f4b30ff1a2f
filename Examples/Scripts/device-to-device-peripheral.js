// SPDX-License-Identifier: Apache-2.0
// One half of a conversation: offers a text that is sent, a text that is received, and the time. The other half is
// device-to-device-central.js.
//
//     cerulean script --adapter tcp:127.0.0.1:6402 Examples/Scripts/device-to-device-peripheral.js [TEXT] [TIMES]
var BluetoothLE = require('com.logicallabs.bluetoothle');

var SERVICE = '3C9D1F54-0B4E-4E63-8A2E-6E5B4F2C7A10';
var SENT = '3C9D1F54-0B4E-4E63-8A2E-6E5B4F2C7A11';
var TIME = '3C9D1F54-0B4E-4E63-8A2E-6E5B4F2C7A12';
var RECEIVED = '3C9D1F54-0B4E-4E63-8A2E-6E5B4F2C7A13';
var text = Ti.Platform.cerulean.arguments[0] || 'hello';
var left = parseInt(Ti.Platform.cerulean.arguments[1] || 1, 10);
var subscribed = null, waiting = null;

// As fast as there is room: what could not be sent is sent again when there is.
function send(data) {
    if (!BluetoothLE.updateValue({ characteristic: subscribed, data: data })) {
        waiting = data;
    }
}

BluetoothLE.addEventListener('peripheralManagerStateChange', function (e) {
    var advertisement = {};
    if (e.state !== BluetoothLE.PERIPHERAL_MANAGER_STATE_POWERED_ON) { return; }
    BluetoothLE.addService({
        uuid: SERVICE,
        primary: true,
        characteristics: [
            { uuid: SENT, properties: BluetoothLE.CHAR_PROP_NOTIFY, permissions: BluetoothLE.CHAR_PERM_NONE },
            { uuid: TIME, properties: BluetoothLE.CHAR_PROP_READ, permissions: BluetoothLE.CHAR_PERM_READABLE },
            {
                uuid: RECEIVED,
                properties: BluetoothLE.CHAR_PROP_WRITE + BluetoothLE.CHAR_PROP_WRITE_WITHOUT_RESPONSE,
                permissions: BluetoothLE.CHAR_PERM_WRITEABLE
            }
        ]
    });
    advertisement[BluetoothLE.ADVERT_DATA_KEY_SERVICE_UUIDS] = [SERVICE];
    advertisement[BluetoothLE.ADVERT_DATA_KEY_LOCAL_NAME] = Ti.Platform.username;
    BluetoothLE.startAdvertising(advertisement);
});

BluetoothLE.addEventListener('startedAdvertising', function (e) {
    Ti.API.info(e.errorCode === undefined ? 'advertising' : 'not advertising: ' + e.errorDescription);
});

BluetoothLE.addEventListener('centralSubscribed', function (e) {
    Ti.API.info('somebody listens');
    subscribed = e.characteristic;
    send(Ti.createBuffer({ value: text }));
});

BluetoothLE.addEventListener('readyToUpdateSubscribers', function () {
    var data = waiting;
    waiting = null;
    if (data !== null && subscribed !== null) { send(data); }
});

BluetoothLE.addEventListener('receivedReadRequest', function (e) {
    var now = new Date(), buffer = Ti.createBuffer({ length: 5 });
    buffer[0] = now.getHours();
    buffer[1] = now.getMinutes();
    buffer[2] = now.getSeconds();
    buffer[3] = now.getMilliseconds() / 256;
    buffer[4] = now.getMilliseconds() % 256;
    e.request.value = buffer;
    BluetoothLE.respondToRequest({ request: e.request, result: BluetoothLE.ATT_SUCCESS });
});

BluetoothLE.addEventListener('receivedWriteRequests', function (e) {
    e.requests.forEach(function (request) { Ti.API.info('received: ' + request.value); });
    // One answer for all of them, with the first.
    BluetoothLE.respondToRequest({ request: e.requests[0], result: BluetoothLE.ATT_SUCCESS });
});

BluetoothLE.addEventListener('centralUnsubscribed', function () {
    Ti.API.info('nobody listens');
    subscribed = null;
    left -= 1;
    if (left === 0) {
        BluetoothLE.stopAdvertising();
        BluetoothLE.releasePeripheralManager();
    }
});

BluetoothLE.initPeripheralManager();
