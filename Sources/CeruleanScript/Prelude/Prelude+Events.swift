// SPDX-License-Identifier: Apache-2.0

extension Prelude {
    /// Listeners, timers, promises of operations, and text for people.
    static let events = #"""
        (function (native, internal, global) {
          'use strict';
          const LISTENERS = Symbol('listeners');
          const LIMIT = 10000;

          class Emitter {
            addEventListener(name, listener) {
              if (typeof listener !== 'function') throw new TypeError('addEventListener: the listener of ' + name + ' is not a function');
              if (!this[LISTENERS]) Object.defineProperty(this, LISTENERS, { value: new Map() });
              const all = this[LISTENERS];
              name = String(name);
              const list = all.get(name) || [];
              if (list.length >= LIMIT) throw new RangeError('addEventListener: ' + LIMIT + ' listeners of ' + name + ' are enough');
              all.set(name, list.concat([listener]));
              if (this._listening) this._listening(name, listener);
            }
            removeEventListener(name, listener) {
              const list = this[LISTENERS] && this[LISTENERS].get(String(name));
              const at = list ? list.indexOf(listener) : -1;
              if (at < 0) return;
              if (list.length === 1) this[LISTENERS].delete(String(name));
              else this[LISTENERS].set(String(name), list.slice(0, at).concat(list.slice(at + 1)));
            }
            fireEvent(name, values) { internal.fire(this, String(name), values); }
          }
          internal.Emitter = Emitter;
          internal.hears = function (emitter, name) { return !!(emitter[LISTENERS] && emitter[LISTENERS].has(name)); };
          internal.hasListeners = function (emitter) { return !!(emitter[LISTENERS] && emitter[LISTENERS].size); };
          // Calls each listener with an event of its name.
          internal.fire = function (emitter, name, values) {
            const list = emitter[LISTENERS] && emitter[LISTENERS].get(name);
            if (!list) return false;
            const source = emitter === internal.target ? internal.module : emitter;
            const event = { type: name, source: source, bubbles: false, cancelBubble: false };
            if (values) for (const key in values) if (values[key] !== undefined && key !== 'type' && key !== 'source') event[key] = values[key];
            for (const listener of list) listener.call(source, event);
            return true;
          };

          // Timers.
          const timers = new Map();
          let lastTimer = 0;
          function add(callback, delay, repeats, extra) {
            if (typeof callback !== 'function') throw new TypeError('a timer needs a function');
            if (timers.size >= 100000) throw new RangeError('100000 timers are enough');
            const wait = Math.min(Math.max(Number(delay) || 0, repeats ? 1 : 0), 2147483647);
            const id = ++lastTimer;
            timers.set(id, { callback: callback, wait: wait, repeats: repeats, extra: extra });
            native.startTimer(id, wait);
            return id;
          }
          function clear(id) { if (timers.delete(id)) native.stopTimer(id); }
          global.setTimeout = function setTimeout(callback, delay, ...extra) { return add(callback, delay, false, extra); };
          global.setInterval = function setInterval(callback, delay, ...extra) { return add(callback, delay, true, extra); };
          global.clearTimeout = function clearTimeout(id) { clear(id); };
          global.clearInterval = function clearInterval(id) { clear(id); };
          global.setImmediate = function setImmediate(callback, ...extra) { return add(callback, 0, false, extra); };
          internal.on.timer = function (id) {
            const timer = timers.get(id);
            if (!timer) return;
            if (!timer.repeats) timers.delete(id);
            timer.callback.apply(global, timer.extra);
            if (timer.repeats && timers.has(id)) native.startTimer(id, timer.wait);
          };
          internal.timerCount = function () { return timers.size; };
          // A turn of its own, which does not keep the program alive.
          const tasks = [];
          internal.later = function (task) {
            tasks.push(task);
            if (tasks.length === 1) native.nextTurn();
          };
          internal.on.turn = function () { for (const task of tasks.splice(0)) task(); };

          // What a failed operation tells: the three keys of events, and the message of an error.
          internal.failure = function (code, domain, description) {
            const error = new Error(description);
            error.errorCode = code;
            error.errorDomain = domain;
            error.errorDescription = description;
            return error;
          };
          internal.errorKeys = function (error, values) {
            values = values || {};
            if (error) {
              values.errorCode = error[0];
              values.errorDomain = error[1];
              values.errorDescription = error[2];
            }
            return values;
          };

          // Operations that are under way. Each ends once: with its event, when its link is lost, or after its timeout.
          const PENDING = Symbol('pending');
          const ignore = function () {};
          internal.begin = function (owner, key, timeout, expired) {
            let entry;
            const promise = new Promise(function (resolve, reject) { entry = { resolve: resolve, reject: reject, timer: 0 }; });
            // A script that works with events alone has nobody who looks at the promise.
            promise.catch(ignore);
            if (!owner[PENDING]) Object.defineProperty(owner, PENDING, { value: new Map() });
            const list = owner[PENDING].get(key) || [];
            if (list.length >= 4096) {
              entry.reject(internal.failure(4, 'CBErrorDomain', 'too many operations are under way'));
              return promise;
            }
            list.push(entry);
            owner[PENDING].set(key, list);
            if (timeout !== undefined && timeout !== null) {
              if (!(Number(timeout) >= 0)) throw new TypeError('timeout is a number of milliseconds');
              entry.timer = global.setTimeout(function () {
                entry.timer = 0;
                const rest = owner[PENDING].get(key) || [];
                const at = rest.indexOf(entry);
                if (at < 0) return;
                rest.splice(at, 1);
                const error = [6, 'CBErrorDomain', 'the operation took longer than ' + timeout + ' ms'];
                entry.reject(internal.failure.apply(null, error));
                if (expired) expired(error);
              }, timeout);
            }
            return promise;
          };
          function finish(entry, error, value) {
            if (entry.timer) global.clearTimeout(entry.timer);
            if (error) entry.reject(internal.failure.apply(null, error));
            else entry.resolve(value);
          }
          // Ends the oldest operation of this key, or all of them.
          internal.end = function (owner, key, error, value, all) {
            const list = owner[PENDING] && owner[PENDING].get(key);
            if (!list) return;
            const ended = list.splice(0, all ? list.length : 1);
            if (!list.length) owner[PENDING].delete(key);
            for (const entry of ended) finish(entry, error, value);
          };
          internal.endAll = function (owner, error) {
            if (!owner[PENDING]) return;
            for (const key of Array.from(owner[PENDING].keys())) internal.end(owner, key, error, undefined, true);
          };
          internal.rejected = function (code, description) {
            const promise = Promise.reject(internal.failure(code, 'CBErrorDomain', description));
            promise.catch(ignore);
            return promise;
          };

          // Text for people: plain objects and arrays two levels deep, everything else as it prints itself.
          function show(value, depth) {
            if (typeof value === 'string') return depth ? JSON.stringify(value) : value;
            if (value === null || typeof value !== 'object') {
              return typeof value === 'function' ? '[function ' + (value.name || 'anonymous') + ']' : String(value);
            }
            if (value instanceof Error) return String(value);
            const plain = Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
            const isList = Array.isArray(value);
            if (!plain && !isList) return String(value);
            if (depth > 2) return isList ? '[…]' : '{…}';
            if (isList) {
              const shown = value.slice(0, 100).map(function (entry) { return show(entry, depth + 1); });
              if (value.length > 100) shown.push('… ' + (value.length - 100) + ' more');
              return '[' + shown.join(', ') + ']';
            }
            const keys = Object.keys(value);
            const parts = keys.slice(0, 100).map(function (key) { return key + ': ' + show(value[key], depth + 1); });
            return '{' + parts.join(', ') + '}';
          }
          internal.show = function (values) { return Array.prototype.map.call(values, function (v) { return show(v, 0); }).join(' '); };
          internal.warn = function (text) { native.talk('warning: ' + text); };
        })
        """#
}
