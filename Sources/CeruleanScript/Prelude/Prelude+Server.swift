// SPDX-License-Identifier: Apache-2.0

extension Prelude {
    /// The peripheral role of the module.
    static let server = #"""
        (function (native, internal, global) {
          'use strict';
          const BLE = internal.BluetoothLE.prototype;
          const target = internal.target;
          const isOn = function (call) { return internal.isOn(native.serverState(), call, 'peripheralManagerStateChange'); };
          const OFF = 'the adapter is not on';

          class Central extends internal.Proxied {
            get identifier() { return this.UUID; }
            get maximumUpdateValueLength() { return native.property(this._id, 'maximum'); }
            toString() { return '[object Central ' + this.UUID + ']'; }
          }
          class Request extends internal.Proxied {
            constructor(id) {
              super(id);
              const bytes = native.property(id, 'value');
              // To a read the script gives the value, a write brings it.
              this.value = bytes === null ? null : internal.buffer(bytes);
            }
            get characteristic() { return internal.proxy('Characteristic', native.property(this._id, 'characteristic')); }
            get central() { return internal.proxy('Central', native.property(this._id, 'central')); }
            get offset() { return native.property(this._id, 'offset'); }
            toString() { return '[object Request ' + this.characteristic + ']'; }
          }
          internal.Central = Central;
          internal.Request = Request;
          // A request is answered through the proxy that its event brought, however late.
          const open = new Map();

          Object.defineProperty(BLE, 'isAdvertising', { get() { return native.isAdvertising(); } });
          BLE.initPeripheralManager = function (options) {
            options = internal.options(options);
            const promise = internal.begin(target, 'peripheral', options.timeout);
            if (native.serverState() !== -1) {
              internal.end(target, 'peripheral', null, native.serverState(), true);
              return promise;
            }
            native.initServer(internal.identifier(options, 'peripheral'));
            return promise;
          };
          BLE.releasePeripheralManager = function () {
            native.releaseServer();
            open.clear();
            for (const key of ['peripheral', 'advertise']) {
              internal.end(target, key, [5, 'CBErrorDomain', 'the manager was released'], undefined, true);
            }
          };
          function array(value, what) {
            if (value === undefined || value === null) return [];
            if (!Array.isArray(value)) throw new TypeError(what + ' is no list');
            if (value.length > 1000) throw new RangeError(what + ': 1000 are enough');
            return value;
          }
          function descriptorValue(value) {
            return typeof value === 'string' ? value : internal.bytes(value, 'addService: the value of a descriptor');
          }
          BLE.addService = function (options) {
            options = internal.options(options);
            const uuid = internal.uuid(options.uuid === undefined ? options.UUID : options.uuid, 'addService');
            const characteristics = array(options.characteristics, 'addService: characteristics').map(function (one) {
              const properties = Number(one.properties);
              const permissions = Number(one.permissions === undefined ? 0 : one.permissions);
              if (!Number.isInteger(properties) || !Number.isInteger(permissions)) {
                throw new TypeError('addService: properties and permissions are sums of CHAR_PROP_* and CHAR_PERM_*, not ' + one.properties + ' and ' + one.permissions);
              }
              const value = one.value === undefined || one.value === null ? null : internal.bytes(one.value, 'addService: value').slice();
              const descriptors = array(one.descriptors, 'addService: descriptors').map(function (descriptor) {
                return [internal.uuid(descriptor.uuid === undefined ? descriptor.UUID : descriptor.uuid, 'addService'), descriptorValue(descriptor.value)];
              });
              return [internal.uuid(one.uuid === undefined ? one.UUID : one.uuid, 'addService'), properties, permissions, value, descriptors];
            });
            const included = array(options.includedServices, 'addService: includedServices').map(function (one) {
              return internal.instance(one, internal.Service, 'addService')._id;
            });
            if (!isOn('addService()')) return undefined;
            const id = native.addService(uuid, options.primary === undefined ? true : !!options.primary, characteristics, included);
            const service = internal.proxy('Service', id);
            services.set(id, service);
            return service;
          };
          // The objects that were published, kept as long as they are.
          const services = new Map();
          internal.published = services;
          BLE.publishService = function (options) {
            const service = target.addService(options);
            if (!service) return internal.rejected(3, OFF);
            return internal.begin(target, 'add ' + service._id, options.timeout);
          };
          BLE.removeService = function (options) {
            options = internal.options(options, 'service', internal.Service);
            const service = internal.instance(options.service, internal.Service, 'removeService');
            if (!isOn('removeService()')) return;
            native.removeService(service._id);
            services.delete(service._id);
          };
          BLE.removeAllServices = function () {
            if (!isOn('removeAllServices()')) return;
            native.removeAllServices();
            services.clear();
          };
          BLE.startAdvertising = function (options) {
            options = internal.options(options);
            const region = options.beaconRegion;
            let beacon = null;
            if (region !== undefined && region !== null) {
              internal.instance(region, internal.BeaconRegion, 'startAdvertising');
              const power = options.measuredPower === undefined || options.measuredPower === null ? -59 : Number(options.measuredPower);
              if (!Number.isInteger(power) || power < -128 || power > 127) throw new RangeError('startAdvertising: measuredPower is from -128 to 127 dBm');
              beacon = [region.UUID, region.major === undefined ? 0 : region.major, region.minor === undefined ? 0 : region.minor, power];
            }
            const name = options.kCBAdvDataLocalName;
            const uuids = internal.uuids(options.kCBAdvDataServiceUUIDs, 'startAdvertising');
            if (!isOn('startAdvertising()')) return internal.rejected(3, OFF);
            const promise = internal.begin(target, 'advertise', options.timeout);
            native.startAdvertising(name === undefined || name === null ? null : String(name), uuids, beacon);
            return promise;
          };
          BLE.stopAdvertising = function () { if (native.serverState() === 5) native.stopAdvertising(); };
          BLE.updateValue = function (options) {
            options = internal.options(options);
            const characteristic = internal.instance(options.characteristic, internal.Characteristic, 'updateValue');
            const bytes = internal.bytes(options.data === undefined ? options.value : options.data, 'updateValue').slice();
            const centrals = options.centrals === undefined || options.centrals === null ? null
              : array(options.centrals, 'updateValue: centrals').map(function (one) { return internal.instance(one, Central, 'updateValue')._id; });
            return native.updateValue(characteristic._id, bytes, centrals);
          };
          BLE.respondToRequest = function (options) {
            options = internal.options(options, 'request', Request);
            const request = internal.instance(options.request, Request, 'respondToRequest');
            const result = options.result === undefined ? 0 : Number(options.result);
            if (!Number.isInteger(result) || result < 0 || result > 255) throw new RangeError('respondToRequest: the result is one of ATT_*');
            open.delete(request._id);
            const value = request.value === null || request.value === undefined ? null : internal.bytes(request.value, 'respondToRequest').slice();
            native.respond(request._id, value, result);
          };
          BLE.setDesiredConnectionLatency = function (options) {
            options = internal.options(options);
            const central = internal.instance(options.central, Central, 'setDesiredConnectionLatency');
            const latency = Number(options.latency);
            if (![0, 1, 2].includes(latency)) throw new RangeError('setDesiredConnectionLatency: latency is one of PERIPHERAL_MANAGER_CONNECTION_LATENCY_*');
            if (isOn('setDesiredConnectionLatency()')) native.setLatency(central._id, latency);
          };

          const on = internal.on;
          on.serverState = function (state) {
            internal.emit('peripheralManagerStateChange', { state: state });
            if (state !== 0 && state !== 1) internal.end(target, 'peripheral', null, state, true);
          };
          on.serverRestore = function (ids, data) {
            for (const id of ids) services.set(id, internal.proxy('Service', id));
            internal.emit('peripheralWillRestoreState', { services: internal.proxies('Service', ids), advertisementData: data || {} });
          };
          on.added = function (id, error) {
            const service = internal.proxy('Service', id);
            if (error) services.delete(id);
            internal.emit('addedService', internal.errorKeys(error, { service: service }));
            internal.end(target, 'add ' + id, error, service, true);
          };
          on.advertising = function (error) {
            internal.emit('startedAdvertising', internal.errorKeys(error));
            internal.end(target, 'advertise', error);
          };
          on.subscribed = function (central, characteristic, isOn) {
            internal.emit(isOn ? 'centralSubscribed' : 'centralUnsubscribed', {
              central: internal.proxy('Central', central), characteristic: internal.proxy('Characteristic', characteristic),
            });
          };
          function incoming(id) {
            const request = internal.proxy('Request', id);
            // One that is never answered ends with its link; no peer makes these grow.
            if (open.size >= 1024) open.delete(open.keys().next().value);
            open.set(id, request);
            return request;
          }
          on.readRequest = function (id) {
            const request = incoming(id);
            if (!internal.emit('receivedReadRequest', { request: request })) target.respondToRequest({ request: request, result: 6 });
          };
          on.writeRequests = function (ids) {
            const requests = ids.map(incoming);
            if (!internal.emit('receivedWriteRequests', { requests: requests })) target.respondToRequest({ request: requests[0], result: 6 });
            for (const request of requests.slice(1)) open.delete(request._id);
          };
          on.ready = function () { internal.emit('readyToUpdateSubscribers', {}); };
        })
        """#
}
