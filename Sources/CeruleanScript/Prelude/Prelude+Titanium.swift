// SPDX-License-Identifier: Apache-2.0

extension Prelude {
    /// `Ti.API`, `Ti.App`, `Ti.Platform`, `console`.
    static let titanium = #"""
        (function (native, internal, global) {
          'use strict';
          const Ti = internal.Ti;
          const Emitter = internal.Emitter;

          function log(level, values) { native.log(String(level).toUpperCase(), internal.show(values)); }
          Ti.API = {};
          for (const level of ['info', 'warn', 'error', 'debug', 'trace', 'notice', 'critical']) {
            Ti.API[level] = function () { log(level, arguments); };
          }
          Ti.API.timestamp = function () { log('timestamp', arguments); };
          Ti.API.log = function (level) {
            if (arguments.length < 2) log('info', arguments);
            else log(level, Array.prototype.slice.call(arguments, 1));
          };
          global.console = {
            log() { log('info', arguments); }, info() { log('info', arguments); }, warn() { log('warn', arguments); },
            error() { log('error', arguments); }, debug() { log('debug', arguments); }, trace() { log('trace', arguments); },
            assert(holds) { if (!holds) log('error', ['assertion failed:'].concat(Array.prototype.slice.call(arguments, 1))); },
          };

          // What is kept from one run to the next.
          let state = {};
          try {
            state = JSON.parse(native.readState() || '{}');
          } catch (error) {
            internal.warn('what was kept of the run before is unreadable and is not used');
          }
          if (state === null || typeof state !== 'object' || Array.isArray(state)) state = {};
          for (const key of ['properties', 'regions']) {
            if (state[key] === null || typeof state[key] !== 'object' || Array.isArray(state[key])) state[key] = {};
          }
          for (const key of ['central', 'peripheral']) {
            state[key] = Array.isArray(state[key]) ? state[key].filter(function (id) { return typeof id === 'string'; }).slice(0, 64) : [];
          }
          let isDirty = false;
          internal.state = state;
          internal.save = function () {
            if (isDirty) return;
            isDirty = true;
            internal.later(internal.saveNow);
          };
          internal.saveNow = function () {
            if (!isDirty) return;
            isDirty = false;
            native.writeState(JSON.stringify(state));
          };

          class Properties extends Emitter {}
          const has = function (name) { return Object.prototype.hasOwnProperty.call(state.properties, name); };
          const kinds = {
            String(value) { return String(value); },
            Int(value) { return Math.trunc(Number(value)) || 0; },
            Double(value) { return Number(value); },
            Bool(value) { return !!value; },
            List(value) { return JSON.parse(JSON.stringify(value)); },
            Object(value) { return JSON.parse(JSON.stringify(value)); },
          };
          for (const kind of Object.keys(kinds)) {
            Properties.prototype['get' + kind] = function (name, fallback) {
              if (!has(name)) return fallback === undefined ? null : fallback;
              return kinds[kind](state.properties[name]);
            };
            Properties.prototype['set' + kind] = function (name, value) {
              if (value === null || value === undefined) return this.removeProperty(name);
              if (!has(name) && Object.keys(state.properties).length >= 10000) throw new RangeError('10000 properties are enough');
              state.properties[name] = kinds[kind](value);
              internal.save();
              this.fireEvent('change', { property: name });
            };
          }
          Properties.prototype.hasProperty = function (name) { return has(name); };
          Properties.prototype.listProperties = function () { return Object.keys(state.properties); };
          Properties.prototype.removeProperty = function (name) {
            delete state.properties[name];
            internal.save();
          };
          Properties.prototype.removeAllProperties = function () {
            state.properties = {};
            internal.save();
          };

          class App extends Emitter {
            // The bus of the program: listeners get plain data that is theirs alone.
            fireEvent(name, values) {
              if (!internal.hears(this, String(name))) return;
              internal.fire(this, String(name), values === undefined ? undefined : JSON.parse(JSON.stringify(values)));
            }
          }
          Ti.App = new App();
          Ti.App.Properties = new Properties();
          Object.assign(Ti.App, {
            id: native.options.id, name: native.options.name, version: '1.0', guid: native.options.id, deployType: 'development',
            keyboardVisible: false, idleTimerDisabled: false,
            getArguments() { return { url: null }; },
            iOS: Object.assign(new Emitter(), {
              scheduleLocalNotification(options) {
                options = options || {};
                const when = options.date instanceof Date ? options.date.getTime() - Date.now() : 0;
                const tell = function () { native.log('NOTIFICATION', String(options.alertBody || '')); };
                const timer = when > 0 ? global.setTimeout(tell, when) : (tell(), 0);
                return { cancel() { if (timer) global.clearTimeout(timer); } };
              },
              cancelAllLocalNotifications() {}, cancelLocalNotification() {}, registerUserNotificationSettings() {},
              registerBackgroundService() { return { stop() {}, unregister() {} }; },
              USER_NOTIFICATION_TYPE_ALERT: 4, USER_NOTIFICATION_TYPE_BADGE: 1, USER_NOTIFICATION_TYPE_SOUND: 2,
            }),
          });

          Ti.Platform = Object.assign(new Emitter(), {
            osname: native.options.osname, name: 'iOS', version: native.options.version, username: native.options.username,
            model: 'iPhone', id: native.options.machine, manufacturer: 'Apple', locale: 'en', architecture: native.options.architecture,
            processorCount: native.options.processors, batteryMonitoring: false, batteryLevel: -1, batteryState: 0,
            displayCaps: { platformWidth: 320, platformHeight: 568, density: 'high', dpi: 320, logicalDensityFactor: 2 },
            createUUID() { return native.makeUUID(); },
            // What the machine is, and what only this runtime has.
            cerulean: {
              version: native.options.release, os: native.options.system, arguments: native.options.arguments,
              exit(code) { native.exit(Math.trunc(Number(code)) || 0); },
              collectGarbage() { native.collect(); },
            },
          });
          Ti.Network = Object.assign(new Emitter(), { online: false, networkType: 0, NETWORK_NONE: 0 });
          Ti.version = '7.1.0';
          Ti.userAgent = 'Cerulean';
          Ti.include = function () {
            for (const name of arguments) internal.include(String(name));
          };
          Ti.API.getApiName = function () { return 'Ti.API'; };

          global.L = function (key, hint) { return hint === undefined ? key : hint; };
          global.alert = function alert(message) { native.log('ALERT', internal.show([message])); };
          global.Alloy = { Globals: {}, CFG: {} };
          global.OS_IOS = true;
          global.OS_ANDROID = false;
          global.ENV_DEV = true;
          internal.start = function () {
            internal.later(function () {
              Ti.App.fireEvent('resume', {});
              Ti.App.fireEvent('resumed', {});
            });
          };
        })
        """#
}
