// SPDX-License-Identifier: Apache-2.0

extension Prelude {
    /// The module object of `com.logicallabs.bluetoothle`, and how a dictionary of arguments is read.
    static let bluetooth = #"""
        (function (native, internal, global) {
          'use strict';
          class BluetoothLE extends internal.Emitter {
            toString() { return '[object BluetoothLE]'; }
            // A listener that comes after the event hears it nevertheless.
            _listening(name, listener) {
              if (name !== 'moduleReady' || !isReady) return;
              const module = internal.module;
              internal.later(function () {
                listener.call(module, { type: 'moduleReady', source: module, bubbles: false, cancelBubble: false });
              });
            }
          }
          let isReady = false;
          internal.BluetoothLE = BluetoothLE;
          const target = new BluetoothLE();
          const warned = new Set();
          // A misspelled constant would make NaN of a bit field, silently.
          const module = new Proxy(target, {
            get(object, key) {
              if (typeof key === 'string' && !(key in object) && /^[A-Z][A-Z0-9_]*_[A-Z0-9_]+$/.test(key) && warned.size < 1000 && !warned.has(key)) {
                warned.add(key);
                internal.warn('com.logicallabs.bluetoothle has no constant ' + key + '; it is undefined');
              }
              return Reflect.get(object, key, target);
            },
          });
          internal.module = module;
          internal.target = target;
          internal.emit = function (name, values) { return internal.fire(target, name, values); };
          internal.requireBluetooth = function () {
            if (internal.isRequired) return module;
            internal.isRequired = true;
            internal.prepareRestoration();
            internal.later(function () {
              isReady = true;
              internal.emit('moduleReady', {});
            });
            return module;
          };

          // A dictionary, or the bare object that stands for its key.
          internal.options = function (value, key, Kind) {
            if (value === undefined || value === null) return {};
            if (Kind && value instanceof Kind) return { [key]: value };
            if (typeof value !== 'object') throw new TypeError(key ? key + ' expected, not ' + typeof value : 'a dictionary expected');
            return value;
          };
          internal.instance = function (value, Kind, what) {
            if (!(value instanceof Kind)) throw new TypeError(what + ': no ' + Kind.name + ' was given');
            return value;
          };
          internal.uuid = function (value, what) {
            const text = native.uuid(String(value));
            if (text === null) throw new TypeError(what + ': ' + JSON.stringify(String(value)) + ' is no UUID');
            return text;
          };
          internal.uuids = function (list, what) {
            if (list === undefined || list === null) return null;
            if (!Array.isArray(list)) list = [list];
            return list.length ? list.map(function (one) { return internal.uuid(one, what); }) : null;
          };
          const ON = 5;
          // Commands before the adapter is on are refused with a line that says what to wait for.
          internal.isOn = function (state, call, event) {
            if (state === ON) return true;
            internal.warn(call + ' was called before the adapter is on and does nothing: wait for the event ' + event + ' with state 5 (POWERED_ON)');
            return false;
          };
        })
        """#

    /// Its constants.
    static let constants = #"""
        (function (native, internal, global) {
          'use strict';
          const target = internal.target;
          function family(prefix, values) {
            for (const name in values) {
              Object.defineProperty(target, prefix + name, { value: values[name], enumerable: true });
            }
          }
          const manager = { UNKNOWN: 0, RESETTING: 1, UNSUPPORTED: 2, UNAUTHORIZED: 3, POWERED_OFF: 4, POWERED_ON: 5 };
          family('CENTRAL_MANAGER_STATE_', manager);
          family('PERIPHERAL_MANAGER_STATE_', manager);
          family('PERIPHERAL_STATE_', { DISCONNECTED: 0, CONNECTING: 1, CONNECTED: 2, DISCONNECTING: 3 });
          family('CHAR_PROP_', {
            BROADCAST: 0x01, READ: 0x02, WRITE_WITHOUT_RESPONSE: 0x04, WRITE: 0x08, NOTIFY: 0x10, INDICATE: 0x20,
            AUTHENTICATED_SIGNED_WRITES: 0x40, EXTENDED_PROPERTIES: 0x80, NOTIFY_ENCRYPTION_REQUIRED: 0x100,
            INDICATE_ENCRYPTION_REQUIRED: 0x200,
          });
          family('CHAR_PERM_', { NONE: 0, READABLE: 1, WRITEABLE: 2, READ_ENCRYPTION_REQUIRED: 4, WRITE_ENCRYPTION_REQUIRED: 8 });
          family('CHARACTERISTIC_TYPE_', { WRITE_WITH_RESPONSE: 0, WRITE_WITHOUT_RESPONSE: 1 });
          const att = {
            INVALID_HANDLE: 0x01, READ_NOT_PERMITTED: 0x02, WRITE_NOT_PERMITTED: 0x03, INVALID_PDU: 0x04,
            INSUFFICIENT_AUTHENTICATION: 0x05, REQUEST_NOT_SUPPORTED: 0x06, INVALID_OFFSET: 0x07, INSUFFICIENT_AUTHORIZATION: 0x08,
            PREPARE_QUEUE_FULL: 0x09, ATTRIBUTE_NOT_FOUND: 0x0A, ATTRIBUTE_NOT_LONG: 0x0B, INSUFFICIENT_ENCRYPTION_KEY_SIZE: 0x0C,
            INVALID_ATTRIBUTE_VALUE_LENGTH: 0x0D, UNLIKELY: 0x0E, INSUFFICIENT_ENCRYPTION: 0x0F, UNSUPPORTED_GROUP_TYPE: 0x10,
            INSUFFICIENT_RESOURCES: 0x11,
          };
          family('ATT_', { SUCCESS: 0 });
          for (const name in att) family('ATT_', { [name]: att[name], [name + '_ERROR']: att[name] });
          family('ADVERT_DATA_KEY_', {
            LOCAL_NAME: 'kCBAdvDataLocalName', SERVICE_UUIDS: 'kCBAdvDataServiceUUIDs', MANUFACTURER_DATA: 'kCBAdvDataManufacturerData',
            SERVICE_DATA: 'kCBAdvDataServiceData', OVERFLOW_SERVICE_UUIDS: 'kCBAdvDataHashedServiceUUIDs',
            TX_POWER_LEVEL: 'kCBAdvDataTxPowerLevel', IS_CONNECTABLE: 'kCBAdvDataIsConnectable',
            SOLICITED_SERVICE_UUIDS: 'kCBAdvDataSolicitedServiceUUIDs',
          });
          family('REGION_STATE_', { UNKNOWN: 0, INSIDE: 1, OUTSIDE: 2 });
          family('BEACON_PROXIMITY_', { UNKNOWN: 0, IMMEDIATE: 1, NEAR: 2, FAR: 3 });
          family('LOCATION_MANAGER_AUTHORIZATION_STATUS_', {
            NOT_DETERMINED: 0, RESTRICTED: 1, DENIED: 2, AUTHORIZED: 3, AUTHORIZED_ALWAYS: 3, AUTHORIZED_WHEN_IN_USE: 4,
          });
          family('BACKGROUND_DATA_AUTHORIZATION_STATUS_', { NOT_DETERMINED: 0, RESTRICTED: 1, DENIED: 2, AUTHORIZED: 3 });
          family('PERIPHERAL_MANAGER_CONNECTION_LATENCY_', { LOW: 0, MEDIUM: 1, HIGH: 2 });
          // What only scripts for Android ask for.
          family('STATE_', { OFF: 10, TURNING_ON: 11, ON: 12, TURNING_OFF: 13 });
        })
        """#

    /// `require`, `Ti.include`, and the functions that the runtime calls.
    static let modules = #"""
        (function (native, internal, global) {
          'use strict';
          const loaded = new Map();
          function requireFrom(folder) {
            return function require(name) {
              name = String(name);
              if (name === 'com.logicallabs.bluetoothle') return internal.requireBluetooth();
              if (name === 'com.logicallabs.beacons') return internal.requireBluetooth();
              const path = native.resolve(name, folder);
              const known = loaded.get(path);
              if (known) return known.exports;
              if (loaded.size >= 10000) throw new RangeError('require: 10000 modules are enough');
              const module = { id: name, filename: path, loaded: false, exports: {} };
              loaded.set(path, module);
              try {
                if (path.endsWith('.json')) {
                  module.exports = JSON.parse(native.readFile(path));
                } else {
                  const inner = native.folder(path);
                  native.load(path).call(module.exports, module.exports, requireFrom(inner), module, path, inner);
                }
              } catch (error) {
                loaded.delete(path);
                throw error;
              }
              module.loaded = true;
              return module.exports;
            };
          }
          const main = { id: '.', filename: native.options.path, loaded: true, exports: {} };
          global.require = requireFrom('');
          global.module = main;
          global.exports = main.exports;
          global.__filename = native.options.path;
          global.__dirname = native.options.folder;
          internal.include = function (name) { native.run(native.resolve(name, '')); };
          global.Ti = internal.Ti;
          global.Titanium = internal.Ti;
          const kinds = ['Peripheral', 'Service', 'Characteristic', 'Descriptor', 'Central', 'Request', 'BeaconRegion', 'Beacon'];
          const types = Object.freeze(Object.fromEntries(kinds.map(function (kind) { return [kind, internal[kind]]; })));
          Object.defineProperty(internal.BluetoothLE.prototype, 'types', { value: types });
          // A script may not replace what its functions are made of.
          for (const name of ['Ti', 'Titanium', 'require', 'console']) {
            Object.defineProperty(global, name, { value: global[name], writable: name === 'console', configurable: false, enumerable: true });
          }
          Object.freeze(native);
        })
        """#
}
