// SPDX-License-Identifier: Apache-2.0

extension Prelude {
    /// Peripherals, services, characteristics, descriptors.
    static let proxies = #"""
        (function (native, internal, global) {
          'use strict';
          class Proxied extends internal.Emitter {
            constructor(id) {
              super();
              Object.defineProperty(this, '_id', { value: id });
            }
            get UUID() { return native.uuidOf(this._id); }
            // Two proxies may stand for one object.
            equals(other) {
              return other !== null && other !== undefined && (other === this || (other instanceof this.constructor && other._id === this._id));
            }
          }
          internal.Proxied = Proxied;
          const read = function (id, name) { return native.property(id, name); };
          const list = function (kind, id, name) { return internal.proxies(kind, native.property(id, name) || []); };
          const GONE = 'the peripheral is not connected';

          class Peripheral extends Proxied {
            get name() { const name = read(this._id, 'name'); return name === null ? undefined : name; }
            get identifier() { return this.UUID; }
            get address() { return read(this._id, 'address') || this.UUID; }
            get services() { return list('Service', this._id, 'services'); }
            get state() { return read(this._id, 'state'); }
            get isConnected() { return this.state === 2; }
            get RSSI() { const value = read(this._id, 'rssi'); return value === null ? undefined : value; }
            toString() { return '[object Peripheral ' + this.UUID + (this.name ? ' ' + JSON.stringify(this.name) : '') + ']'; }

            discoverServices(options) {
              if (Array.isArray(options)) options = { UUIDs: options };
              options = internal.options(options);
              const uuids = internal.uuids(options.UUIDs, 'discoverServices');
              return this._do('services', options, 'discoveredServices', {}, function (id) { native.discoverServices(id, uuids); });
            }
            discoverIncludedServices(options) {
              options = internal.options(options, 'service', Service);
              const service = internal.instance(options.service, Service, 'discoverIncludedServices');
              const uuids = internal.uuids(options.UUIDs, 'discoverIncludedServices');
              return this._do('included ' + service._id, options, 'discoveredIncludedServices', { service: service }, function (id) {
                native.discoverIncluded(id, service._id, uuids);
              });
            }
            discoverCharacteristics(options) {
              options = internal.options(options, 'service', Service);
              const service = internal.instance(options.service, Service, 'discoverCharacteristics');
              const uuids = internal.uuids(options.UUIDs, 'discoverCharacteristics');
              return this._do('characteristics ' + service._id, options, 'discoveredCharacteristics', { service: service }, function (id) {
                native.discoverCharacteristics(id, service._id, uuids);
              });
            }
            discoverDescriptorsForCharacteristic(options) {
              return this._on(options, 'discoverDescriptorsForCharacteristic', 'descriptors ', ['discoveredDescriptorsForCharacteristic'], native.discoverDescriptors);
            }
            readValueForCharacteristic(options) { return this._on(options, 'readValueForCharacteristic', 'read ', UPDATED, native.read); }
            subscribeToCharacteristic(options) {
              return this._on(options, 'subscribeToCharacteristic', 'notify ', ['updatedNotificationStateForCharacteristic'], function (id, which) {
                native.notify(id, which, true);
              });
            }
            unsubscribeFromCharacteristic(options) {
              return this._on(options, 'unsubscribeFromCharacteristic', 'notify ', ['updatedNotificationStateForCharacteristic'], function (id, which) {
                native.notify(id, which, false);
              });
            }
            writeValueForCharacteristic(options) {
              options = internal.options(options);
              const characteristic = internal.instance(options.characteristic, Characteristic, 'writeValueForCharacteristic');
              const bytes = internal.bytes(options.data, 'writeValueForCharacteristic').slice();
              const type = options.type === undefined ? 0 : Number(options.type);
              if (type !== 0 && type !== 1) throw new TypeError('writeValueForCharacteristic: ' + options.type + ' is no CHARACTERISTIC_TYPE_*');
              if (type === 1) {
                if (!this.isConnected) return this._refuse(WROTE, { characteristic: characteristic });
                native.write(this._id, characteristic._id, bytes, false);
                return Promise.resolve();
              }
              return this._do('write ' + characteristic._id, options, WROTE, { characteristic: characteristic }, function (id) {
                native.write(id, characteristic._id, bytes, true);
              });
            }
            readValueForDescriptor(options) {
              options = internal.options(options, 'descriptor', Descriptor);
              const descriptor = internal.instance(options.descriptor, Descriptor, 'readValueForDescriptor');
              return this._do('read ' + descriptor._id, options, 'updatedValueForDescriptor', { descriptor: descriptor }, function (id) {
                native.readDescriptor(id, descriptor._id);
              });
            }
            writeValueForDescriptor(options) {
              options = internal.options(options);
              const descriptor = internal.instance(options.descriptor, Descriptor, 'writeValueForDescriptor');
              const bytes = internal.bytes(options.data, 'writeValueForDescriptor').slice();
              if (descriptor.UUID === '2902') throw new Error('writeValueForDescriptor: 2902 cannot be written; use subscribeToCharacteristic()');
              return this._do('write ' + descriptor._id, options, 'wroteValueForDescriptor', { descriptor: descriptor }, function (id) {
                native.writeDescriptor(id, descriptor._id, bytes);
              });
            }
            readRSSI(options) { return this._do('rssi', internal.options(options), 'updatedRSSI', {}, native.readRSSI); }

            // Starts an operation; what it ends with without an answer is told as if it were one.
            _do(key, options, events, values, start) {
              const peripheral = this;
              if (!this.isConnected) return this._refuse(events, values);
              const promise = internal.begin(this, key, options.timeout, function (error) { peripheral._tell(events, internal.errorKeys(error, Object.assign({}, values))); });
              start(this._id);
              return promise;
            }
            _on(options, call, key, events, start) {
              options = internal.options(options, 'characteristic', Characteristic);
              const characteristic = internal.instance(options.characteristic, Characteristic, call);
              return this._do(key + characteristic._id, options, events, { characteristic: characteristic }, function (id) { start(id, characteristic._id); });
            }
            _refuse(events, values) {
              const peripheral = this;
              internal.later(function () { peripheral._tell(events, internal.errorKeys([3, 'CBErrorDomain', GONE], Object.assign({}, values))); });
              return internal.rejected(3, GONE);
            }
            _tell(events, values) {
              for (const name of Array.isArray(events) ? events : [events]) internal.fire(this, name, values);
            }
          }
          // Both spellings are in use.
          const UPDATED = ['updatedValueForCharacteristic', 'updatedValueForCharacteristics'];
          const WROTE = ['wroteValueForCharacteristic', 'wroteValueForCharacteristics'];

          class Service extends Proxied {
            get characteristics() { return list('Characteristic', this._id, 'characteristics'); }
            get includedServices() { return list('Service', this._id, 'included'); }
            get peripheral() { return internal.proxy('Peripheral', read(this._id, 'peripheral')); }
            get isPrimary() { return read(this._id, 'primary'); }
            get isMutable() { return read(this._id, 'mutable'); }
            toString() { return '[object Service ' + this.UUID + ']'; }
          }
          class Characteristic extends Proxied {
            get properties() { return read(this._id, 'properties'); }
            get permissions() { return read(this._id, 'permissions'); }
            get value() {
              const bytes = read(this._id, 'value');
              return bytes === null ? null : internal.buffer(bytes);
            }
            get isNotifying() { return read(this._id, 'notifying'); }
            get isBroadcasted() { return read(this._id, 'broadcasted'); }
            get isMutable() { return read(this._id, 'mutable'); }
            get service() { return internal.proxy('Service', read(this._id, 'service')); }
            get descriptors() { return list('Descriptor', this._id, 'descriptors'); }
            get subscribedCentrals() { return list('Central', this._id, 'centrals'); }
            toString() { return '[object Characteristic ' + this.UUID + ' properties 0x' + this.properties.toString(16) + ']'; }
          }
          class Descriptor extends Proxied {
            get characteristic() { return internal.proxy('Characteristic', read(this._id, 'characteristic')); }
            get value() {
              const value = read(this._id, 'value');
              return value instanceof Uint8Array ? internal.buffer(value) : value;
            }
            toString() { return '[object Descriptor ' + this.UUID + ']'; }
          }
          Object.assign(internal, { Peripheral: Peripheral, Service: Service, Characteristic: Characteristic, Descriptor: Descriptor });

          const on = internal.on;
          function told(key, events, result) {
            return function (id, which, error) {
              const peripheral = internal.proxy('Peripheral', id);
              const values = result(which);
              peripheral._tell(events, internal.errorKeys(error, values));
              internal.end(peripheral, key + which, error, values.service || values.characteristic || values.descriptor);
            };
          }
          const service = function (id) { return { service: internal.proxy('Service', id) }; };
          const characteristic = function (id) { return { characteristic: internal.proxy('Characteristic', id) }; };
          const descriptor = function (id) { return { descriptor: internal.proxy('Descriptor', id) }; };
          on.services = function (id, error) {
            const peripheral = internal.proxy('Peripheral', id);
            internal.fire(peripheral, 'discoveredServices', internal.errorKeys(error));
            internal.end(peripheral, 'services', error, error ? undefined : peripheral.services);
          };
          on.included = told('included ', 'discoveredIncludedServices', service);
          on.characteristics = told('characteristics ', 'discoveredCharacteristics', service);
          on.descriptors = told('descriptors ', 'discoveredDescriptorsForCharacteristic', characteristic);
          on.notifying = told('notify ', 'updatedNotificationStateForCharacteristic', characteristic);
          on.wrote = told('write ', WROTE, characteristic);
          on.wroteDescriptor = told('write ', 'wroteValueForDescriptor', descriptor);
          on.value = function (id, which, bytes, error) {
            const peripheral = internal.proxy('Peripheral', id);
            for (const name of UPDATED) {
              if (!internal.hears(peripheral, name)) continue;
              // A snapshot for each: what one listener does to it, the other does not see.
              const values = { characteristic: internal.proxy('Characteristic', which), value: bytes ? internal.buffer(bytes.slice()) : null };
              internal.fire(peripheral, name, error ? internal.errorKeys(error, values) : values);
            }
            internal.end(peripheral, 'read ' + which, error, bytes && !error ? internal.buffer(bytes) : undefined);
          };
          on.descriptorValue = function (id, which, error) {
            const peripheral = internal.proxy('Peripheral', id);
            const proxy = internal.proxy('Descriptor', which);
            internal.fire(peripheral, 'updatedValueForDescriptor', internal.errorKeys(error, { descriptor: proxy, value: error ? undefined : proxy.value }));
            internal.end(peripheral, 'read ' + which, error, error ? undefined : proxy.value);
          };
          on.rssi = function (id, rssi, error) {
            const peripheral = internal.proxy('Peripheral', id);
            internal.fire(peripheral, 'updatedRSSI', internal.errorKeys(error, { RSSI: error ? undefined : rssi }));
            internal.end(peripheral, 'rssi', error, rssi);
          };
          on.renamed = function (id) { internal.fire(internal.proxy('Peripheral', id), 'updatedName', {}); };
          on.modified = function (id, ids) {
            internal.fire(internal.proxy('Peripheral', id), 'modifiedServices', { services: internal.proxies('Service', ids) });
          };
        })
        """#
}
