// SPDX-License-Identifier: Apache-2.0

extension Prelude {
    /// The central role of the module.
    static let central = #"""
        (function (native, internal, global) {
          'use strict';
          const BLE = internal.BluetoothLE.prototype;
          const target = internal.target;
          const isOn = function (call) { return internal.isOn(native.centralState(), call, 'centralManagerStateChange'); };
          const OFF = 'the adapter is not on';

          // Proxies. A peripheral that is connected, or is to be, is kept whatever the script does with its variables.
          const proxies = new Map();
          let purgeAt = 512;
          internal.kept = new Map();
          internal.proxy = function (kind, id) {
            if (id === null || id === undefined) return null;
            const known = proxies.get(id);
            const alive = known && known.deref();
            if (alive) return alive;
            if (proxies.size >= purgeAt) {
              for (const entry of proxies) {
                if (entry[1].deref()) continue;
                proxies.delete(entry[0]);
                native.forget(entry[0]);
              }
              purgeAt = Math.max(512, 2 * proxies.size);
            }
            const made = new internal[kind](id);
            proxies.set(id, new WeakRef(made));
            return made;
          };
          internal.proxies = function (kind, ids) { return ids.map(function (id) { return internal.proxy(kind, id); }); };

          Object.defineProperties(BLE, {
            centralManagerState: { get() { return native.centralState(); } },
            peripheralManagerState: { get() { return native.serverState(); } },
            restoredCentralManagerIdentifiers: { get() { return internal.restored.central.slice(); } },
            restoredPeripheralManagerIdentifiers: { get() { return internal.restored.peripheral.slice(); } },
          });
          internal.restored = { central: [], peripheral: [] };
          internal.prepareRestoration = function () {
            for (const role of ['central', 'peripheral']) {
              internal.restored[role] = internal.state[role].filter(function (id) { return native.hasRestoration(role, id); });
              internal.state[role] = internal.restored[role].slice();
            }
            internal.save();
            internal.prepareBeacons();
          };
          internal.identifier = function (options, role) {
            const id = options.restoreIdentifier;
            if (id === undefined || id === null) return null;
            const text = String(id);
            if (!internal.state[role].includes(text)) {
              if (internal.state[role].length >= 64) throw new RangeError('64 restore identifiers are enough');
              internal.state[role].push(text);
              internal.save();
              // The state of the radio must not be kept longer than the identifier under which it is found again.
              internal.saveNow();
            }
            return text;
          };

          BLE.initCentralManager = function (options) {
            options = internal.options(options);
            const promise = internal.begin(target, 'central', options.timeout);
            if (native.centralState() !== -1) {
              internal.end(target, 'central', null, native.centralState(), true);
              return promise;
            }
            native.initCentral(internal.identifier(options, 'central'));
            return promise;
          };
          BLE.releaseCentralManager = function () {
            native.releaseCentral();
            internal.end(target, 'central', [5, 'CBErrorDomain', 'the manager was released'], undefined, true);
            for (const peripheral of internal.kept.values()) internal.endAll(peripheral, [7, 'CBErrorDomain', 'the manager was released']);
            internal.kept.clear();
          };
          BLE.startScan = function (options) {
            options = internal.options(options);
            const uuids = internal.uuids(options.UUIDs || options.uuids, 'startScan');
            const solicited = internal.uuids(options.solicitedServiceUUIDs, 'startScan');
            if (!isOn('startScan()')) return internal.rejected(3, OFF);
            native.startScan(uuids, !!options.allowDuplicates, solicited);
            // With a timeout the scan ends, whether something was found or not.
            if (options.timeout === undefined) return Promise.resolve();
            return new Promise(function (resolve) {
              global.setTimeout(function () {
                target.stopScan();
                resolve();
              }, options.timeout);
            });
          };
          BLE.stopScan = function () {
            if (native.centralState() === 5) native.stopScan();
            return Promise.resolve();
          };
          BLE.connectPeripheral = function (options) {
            options = internal.options(options, 'peripheral', internal.Peripheral);
            const peripheral = internal.instance(options.peripheral, internal.Peripheral, 'connectPeripheral');
            if (!isOn('connectPeripheral()')) return internal.rejected(3, OFF);
            internal.kept.set(peripheral._id, peripheral);
            const promise = internal.begin(peripheral, 'connect', options.timeout, function (error) {
              native.cancel(peripheral._id, true);
              internal.kept.delete(peripheral._id);
              internal.emit('failedToConnectPeripheral', internal.errorKeys(error, { peripheral: peripheral }));
            });
            native.connect(peripheral._id, !!options.notifyOnConnection, !!options.notifyOnDisconnection, !!options.notifyOnNotification);
            return promise;
          };
          BLE.cancelPeripheralConnection = function (options) {
            options = internal.options(options, 'peripheral', internal.Peripheral);
            const peripheral = internal.instance(options.peripheral, internal.Peripheral, 'cancelPeripheralConnection');
            if (!isOn('cancelPeripheralConnection()')) return internal.rejected(3, OFF);
            if (peripheral.state === 0) return Promise.resolve();
            const promise = internal.begin(peripheral, 'disconnect', options.timeout);
            native.cancel(peripheral._id, false);
            return promise;
          };
          function list(argument, key) {
            if (Array.isArray(argument)) return argument;
            const options = internal.options(argument);
            return options[key] || options[key.toLowerCase()] || options.peripheralUUIDs || [];
          }
          function retrieved(event, ids) {
            const peripherals = internal.proxies('Peripheral', ids);
            return new Promise(function (resolve) {
              internal.later(function () {
                internal.emit(event, { peripherals: peripherals });
                resolve(peripherals);
              });
            });
          }
          BLE.retrievePeripherals = function (options) {
            const wanted = list(options, 'UUIDs').map(String);
            if (!isOn('retrievePeripherals()')) return internal.rejected(3, OFF);
            return retrieved('retrievedPeripherals', native.retrieve(wanted));
          };
          BLE.retrieveConnectedPeripherals = function (options) {
            const wanted = internal.uuids(list(options, 'UUIDs'), 'retrieveConnectedPeripherals') || [];
            if (!isOn('retrieveConnectedPeripherals()')) return internal.rejected(3, OFF);
            return retrieved('retrievedConnectedPeripherals', native.retrieveConnected(wanted));
          };
          BLE.killApp = function () {
            internal.saveNow();
            native.kill();
          };
          // Shorter words, for promises.
          BLE.connect = BLE.connectPeripheral;
          BLE.disconnect = BLE.cancelPeripheralConnection;
          // The names of Android, which a shared script asks for behind its own tests.
          BLE.isSupported = function () { return native.centralState() !== 2; };
          BLE.isEnabled = function () { return native.centralState() === 5; };
          BLE.enable = function () { internal.warn('enable(): the adapter is switched on by the system'); };
          BLE.disable = function () { internal.warn('disable(): the adapter is switched off by the system'); };

          const on = internal.on;
          on.centralState = function (state) {
            if (state !== 5) {
              for (const peripheral of Array.from(internal.kept.values())) internal.endAll(peripheral, [7, 'CBErrorDomain', OFF]);
              internal.kept.clear();
            }
            internal.emit('centralManagerStateChange', { state: state });
            internal.emit('stateChanged', { state: state === 5 ? 12 : 10 });
            if (state !== 0 && state !== 1) internal.end(target, 'central', null, state, true);
          };
          on.centralRestore = function (ids, services, allowsDuplicates) {
            const peripherals = internal.proxies('Peripheral', ids);
            for (const peripheral of peripherals) internal.kept.set(peripheral._id, peripheral);
            internal.emit('centralWillRestoreState', {
              peripherals: peripherals, serviceUUIDs: services || [], scanOptions: services ? { allowDuplicates: allowsDuplicates } : undefined,
            });
          };
          on.discovered = function (id, data, rssi) {
            if (!internal.hears(target, 'discoveredPeripheral')) return;
            for (const key of ['kCBAdvDataManufacturerData']) if (data[key]) data[key] = internal.buffer(data[key]);
            const service = data.kCBAdvDataServiceData;
            if (service) for (const uuid in service) service[uuid] = internal.buffer(service[uuid]);
            internal.emit('discoveredPeripheral', { peripheral: internal.proxy('Peripheral', id), advertisementData: data, RSSI: rssi });
          };
          on.connected = function (id) {
            const peripheral = internal.proxy('Peripheral', id);
            internal.kept.set(id, peripheral);
            internal.emit('connectedPeripheral', { peripheral: peripheral });
            internal.end(peripheral, 'connect', null, peripheral, true);
          };
          on.failedToConnect = function (id, error) {
            const peripheral = internal.proxy('Peripheral', id);
            internal.kept.delete(id);
            internal.emit('failedToConnectPeripheral', internal.errorKeys(error, { peripheral: peripheral }));
            internal.end(peripheral, 'connect', error || [10, 'CBErrorDomain', 'the connection failed'], undefined, true);
          };
          on.disconnected = function (id, error, isQuiet) {
            const peripheral = internal.proxy('Peripheral', id);
            internal.kept.delete(id);
            if (!isQuiet) internal.emit('disconnectedPeripheral', internal.errorKeys(error, { peripheral: peripheral }));
            internal.end(peripheral, 'disconnect', null, peripheral, true);
            // A listener may have asked for the next connection already: that one goes on.
            if (peripheral.state === 0) internal.endAll(peripheral, error || [7, 'CBErrorDomain', 'the peripheral was disconnected']);
          };
        })
        """#
}
