// SPDX-License-Identifier: Apache-2.0
// Records two inputs of a BITalino and prints them as CSV; with promises, which this module has in addition.
//
//     cerulean script Examples/Scripts/bitalino-recorder.js [SAMPLES]
var BLE = require('com.logicallabs.bluetoothle');

const SERVICE = 'C566488A-0882-4E1B-A6D0-0B717E652234';
const COMMANDS = '4051EB11-BF0A-4C74-8730-A48F4193FCEA';
const FRAMES = '40FDBA6B-672E-47C4-808A-E529ADFF3633';
const SIZE = 4; // octets of a frame with two inputs
const RATE = 0x43; // 10 samples each second
const LIVE = 0x0D; // inputs 1 and 2, live
const IDLE = 0x00;
const wanted = parseInt(Ti.Platform.cerulean.arguments[0] || 20, 10);

function find() {
    return new Promise(function (resolve) {
        BLE.addEventListener('discoveredPeripheral', function found(e) {
            BLE.removeEventListener('discoveredPeripheral', found);
            BLE.stopScan();
            resolve(e.peripheral);
        });
        BLE.startScan({ UUIDs: [SERVICE] });
    });
}

// Frames are cut out of the stream; the last four bits of each are its checksum.
const STEP = [0, 3, 6, 5, 12, 15, 10, 9, 11, 8, 13, 14, 7, 4, 1, 2];
function isIntact(bytes) {
    let sum = 0;
    for (const byte of bytes.slice(0, SIZE - 1)) { sum = STEP[STEP[sum] ^ byte >> 4] ^ byte & 15; }
    return STEP[STEP[sum] ^ bytes[SIZE - 1] >> 4] === (bytes[SIZE - 1] & 15);
}

async function record() {
    if (await BLE.initCentralManager({ timeout: 10000 }) !== BLE.CENTRAL_MANAGER_STATE_POWERED_ON) {
        throw new Error('Bluetooth cannot be used');
    }
    const board = await find();
    await BLE.connect({ peripheral: board, timeout: 10000 });
    const service = (await board.discoverServices({ UUIDs: [SERVICE] }))[0];
    await board.discoverCharacteristics({ service: service });
    const commands = service.characteristics.find(one => one.UUID === COMMANDS);
    const frames = service.characteristics.find(one => one.UUID === FRAMES);
    const send = byte => board.writeValueForCharacteristic({
        characteristic: commands, data: Ti.createBuffer({ value: byte, type: Ti.Codec.TYPE_BYTE }), timeout: 5000
    });

    let samples = 0, pending = [];
    const finished = new Promise(function (resolve) {
        board.addEventListener('updatedValueForCharacteristic', function (e) {
            for (const byte of e.value) { pending.push(byte); }
            while (pending.length >= SIZE && samples < wanted) {
                if (!isIntact(pending)) {
                    pending.shift();
                    continue;
                }
                const frame = pending.splice(0, SIZE);
                const first = (frame[2] & 15) << 6 | frame[1] >> 2, second = (frame[1] & 3) << 8 | frame[0];
                console.log((frame[3] >> 4) + ',' + first + ',' + second);
                samples += 1;
                if (samples === wanted) { resolve(); }
            }
        });
    });
    await board.subscribeToCharacteristic(frames);
    await send(RATE);
    await send(LIVE);
    console.log('sequence,A1,A2');
    await finished;
    await send(IDLE);
    await BLE.disconnect(board);
    console.log('recorded ' + samples + ' samples');
    BLE.releaseCentralManager();
}

record();
