// SPDX-License-Identifier: Apache-2.0

extension Prelude {
    /// Regions, monitoring, ranging, and the permission to do so.
    static let beacons = #"""
        (function (native, internal, global) {
          'use strict';
          const BLE = internal.BluetoothLE.prototype;
          const target = internal.target;
          const NOT_DETERMINED = 0, DENIED = 2, AUTHORIZED = 3, WHEN_IN_USE = 4;
          const LIMIT = 20;
          let status = NOT_DETERMINED;

          function number(value, what) {
            if (value === undefined || value === null) return undefined;
            const whole = Number(value);
            if (!Number.isInteger(whole) || whole < 0 || whole > 65535) throw new RangeError('createBeaconRegion: ' + what + ' is from 0 to 65535');
            return whole;
          }
          class BeaconRegion extends internal.Emitter {
            constructor(options) {
              super();
              this.UUID = options.UUID;
              this.identifier = options.identifier;
              if (options.major !== undefined) this.major = options.major;
              if (options.minor !== undefined) this.minor = options.minor;
              this.notifyOnEntry = options.notifyOnEntry !== false;
              this.notifyOnExit = options.notifyOnExit !== false;
              this.notifyEntryStateOnDisplay = !!options.notifyEntryStateOnDisplay;
            }
            equals(other) { return other instanceof BeaconRegion && other.identifier === this.identifier; }
            toString() { return '[object BeaconRegion ' + JSON.stringify(this.identifier) + ' ' + this.UUID + ']'; }
          }
          class Beacon extends internal.Emitter {
            constructor(values) {
              super();
              const proximity = values[5];
              Object.assign(this, { UUID: values[0], major: values[1], minor: values[2], RSSI: values[3], accuracy: values[4], proximity: proximity });
            }
            equals(other) {
              return other instanceof Beacon && other.UUID === this.UUID && other.major === this.major && other.minor === this.minor;
            }
            toString() { return '[object Beacon ' + this.UUID + ' ' + this.major + ' ' + this.minor + ']'; }
          }
          internal.BeaconRegion = BeaconRegion;
          internal.Beacon = Beacon;
          const monitored = new Map();
          const ranged = new Map();

          BLE.createBeaconRegion = function (options) {
            options = internal.options(options);
            const uuid = internal.uuid(options.UUID === undefined ? options.uuid : options.UUID, 'createBeaconRegion');
            if (uuid.length !== 36) throw new TypeError('createBeaconRegion: a region needs a UUID of 128 bits');
            if (typeof options.identifier !== 'string' || !options.identifier || options.identifier.length > 1024) {
              throw new TypeError('createBeaconRegion: an identifier is needed');
            }
            const major = number(options.major, 'major'), minor = number(options.minor, 'minor');
            if (minor !== undefined && major === undefined) throw new Error('createBeaconRegion: a minor needs a major');
            return new BeaconRegion(Object.assign({}, options, { UUID: uuid, major: major, minor: minor }));
          };
          function regionOf(argument, call) {
            const options = internal.options(argument, 'beaconRegion', BeaconRegion);
            return internal.instance(options.beaconRegion, BeaconRegion, call);
          }
          function refuse(code, text, values) {
            const error = [code, 'kCLErrorDomain', text];
            internal.warn(text);
            internal.later(function () { internal.emit('regionMonitoringFailed', internal.errorKeys(error, values)); });
            const promise = Promise.reject(internal.failure.apply(null, error));
            promise.catch(function () {});
            return promise;
          }
          function isDenied(call, values, code, needsAlways) {
            if (status !== DENIED && !(needsAlways && status === WHEN_IN_USE)) return null;
            return refuse(code, call + ': ' + (status === DENIED ? 'location is denied' : 'monitoring needs requestAlwaysAuthorization()'), values);
          }
          BLE.startRegionMonitoring = function (argument) {
            const region = regionOf(argument, 'startRegionMonitoring');
            const denied = isDenied('startRegionMonitoring', { region: region }, 4, true);
            if (denied) return denied;
            if (!monitored.has(region.identifier) && monitored.size >= LIMIT) {
              return refuse(5, 'startRegionMonitoring: ' + LIMIT + ' regions are monitored already; stop one', { region: region });
            }
            monitored.set(region.identifier, region);
            internal.state.regions[region.identifier] = {
              UUID: region.UUID, major: region.major, minor: region.minor, notifyOnEntry: region.notifyOnEntry, notifyOnExit: region.notifyOnExit,
            };
            internal.save();
            native.monitor(region.identifier, region.UUID, region.major === undefined ? null : region.major, region.minor === undefined ? null : region.minor);
            return Promise.resolve();
          };
          function stop(argument, call, map, one) {
            const all = argument === undefined || argument === null ? Array.from(map.keys()) : [regionOf(argument, call).identifier];
            for (const identifier of all) {
              map.delete(identifier);
              one(identifier);
            }
            return Promise.resolve();
          }
          BLE.stopRegionMonitoring = function (argument) {
            return stop(argument, 'stopRegionMonitoring', monitored, function (identifier) {
              delete internal.state.regions[identifier];
              internal.save();
              native.stopMonitoring(identifier);
            });
          };
          BLE.startRangingBeacons = function (argument) {
            const region = regionOf(argument, 'startRangingBeacons');
            const denied = isDenied('startRangingBeacons', { region: region }, 16, false);
            if (denied) return denied;
            if (!ranged.has(region.identifier) && ranged.size >= 1000) return refuse(17, 'startRangingBeacons: 1000 regions are enough', { region: region });
            ranged.set(region.identifier, region);
            native.range(region.identifier, region.UUID, region.major === undefined ? null : region.major, region.minor === undefined ? null : region.minor);
            return Promise.resolve();
          };
          BLE.stopRangingBeacons = function (argument) {
            return stop(argument, 'stopRangingBeacons', ranged, function (identifier) { native.stopRanging(identifier); });
          };
          BLE.requestRegionState = function (argument) {
            const region = regionOf(argument, 'requestRegionState');
            const promise = internal.begin(target, 'region ' + region.identifier, argument.timeout);
            internal.later(function () {
              const state = native.regionState(region.identifier);
              internal.emit('regionStateUpdated', { region: monitored.get(region.identifier) || region, state: state });
              internal.end(target, 'region ' + region.identifier, null, state);
            });
            return promise;
          };
          BLE.retrieveMonitoredRegions = function () {
            return new Promise(function (resolve) {
              internal.later(function () {
                const regions = Array.from(monitored.values());
                internal.emit('retrievedMonitoredRegions', { beaconRegions: regions });
                resolve(regions);
              });
            });
          };

          function authorize(granted) {
            if (status === NOT_DETERMINED || (status === WHEN_IN_USE && granted === AUTHORIZED)) status = native.options.deniesLocation ? DENIED : granted;
            const now = status;
            return new Promise(function (resolve) {
              internal.later(function () {
                internal.emit('locationManagerAuthorizationChanged', { status: now });
                resolve(now);
              });
            });
          }
          BLE.requestAlwaysAuthorization = function () { return authorize(AUTHORIZED); };
          // Nobody is asked on Linux, and there is no foreground: both permissions are the same.
          BLE.requestWhenInUseAuthorization = function () { return authorize(AUTHORIZED); };
          Object.defineProperties(BLE, {
            locationManagerAuthorizationStatus: { get() { return status; } },
            backgroundDataAuthorizationStatus: { get() { return AUTHORIZED; } },
            wasLocationLaunch: { get() { return wasLocationLaunch; } },
          });
          let wasLocationLaunch = false;
          internal.prepareBeacons = function () {
            if (native.options.deniesLocation) status = DENIED;
            const kept = internal.state.regions;
            for (const identifier of Object.keys(kept).slice(0, LIMIT)) {
              try {
                const region = target.createBeaconRegion(Object.assign({ identifier: identifier }, kept[identifier]));
                target.startRegionMonitoring({ beaconRegion: region });
                wasLocationLaunch = true;
              } catch (error) {
                delete kept[identifier];
              }
            }
          };

          const on = internal.on;
          on.region = function (identifier, what, state) {
            const region = monitored.get(identifier);
            if (!region) return;
            if (what === 'entered') {
              if (region.notifyOnEntry) internal.emit('enteredRegion', { region: region });
            } else if (what === 'exited') {
              if (region.notifyOnExit) internal.emit('exitedRegion', { region: region });
            } else {
              internal.emit('regionStateUpdated', { region: region, state: state });
            }
          };
          on.ranged = function (identifier, beacons, changes) {
            const region = ranged.get(identifier);
            if (!region) return;
            internal.emit('rangedBeacons', { region: region, beacons: beacons.map(function (one) { return new Beacon(one); }) });
            if (changes.length) internal.emit('proximityChange', { region: region, beacons: changes.map(function (one) { return new Beacon(one); }) });
          };
        })
        """#
}
