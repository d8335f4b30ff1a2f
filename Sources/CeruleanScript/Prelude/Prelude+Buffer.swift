// SPDX-License-Identifier: Apache-2.0

extension Prelude {
    /// `Ti.Buffer`: octets that are reached by index, as on Titanium for iOS.
    static let buffer = #"""
        (function (native, internal, global) {
          'use strict';
          const BYTES = Symbol('bytes');
          const LIMIT = 64 << 20;

          function size(value, what) {
            const count = Math.trunc(Number(value));
            if (!(count >= 0)) throw new RangeError(what + ': ' + String(value) + ' is no length');
            if (count > LIMIT) throw new RangeError(what + ': a buffer holds at most ' + LIMIT + ' bytes');
            return count;
          }
          // The bytes of another buffer, or a part of them.
          function part(source, offset, length, what) {
            const bytes = internal.bytes(source, what);
            if (offset === undefined) return bytes;
            if (length === undefined) throw new Error(what + ': an offset needs a length');
            offset = Math.trunc(Number(offset));
            length = Math.trunc(Number(length));
            if (!(offset >= 0) || !(length >= 0) || offset + length > bytes.length) {
              throw new RangeError(what + ': ' + offset + ' and ' + length + ' reach past ' + bytes.length + ' bytes');
            }
            return bytes.subarray(offset, offset + length);
          }
          function resized(bytes, count) {
            const made = new Uint8Array(count);
            made.set(bytes.subarray(0, count));
            return made;
          }

          class Buffer extends internal.Emitter {
            constructor(bytes, order) {
              super();
              Object.defineProperty(this, BYTES, { value: bytes, writable: true });
              Object.defineProperty(this, 'byteOrder', { value: order || 1, writable: true });
            }
            get length() { return this[BYTES].length; }
            set length(value) { this[BYTES] = resized(this[BYTES], size(value, 'length')); }
            append(source, offset, length) {
              const added = part(source, offset, length, 'append');
              const bytes = this[BYTES];
              size(bytes.length + added.length, 'append');
              const made = new Uint8Array(bytes.length + added.length);
              made.set(bytes);
              made.set(added, bytes.length);
              this[BYTES] = made;
              return added.length;
            }
            insert(source, at, offset, length) {
              const added = part(source, offset, length, 'insert');
              const bytes = this[BYTES];
              at = Math.trunc(Number(at));
              if (!(at >= 0 && at < bytes.length)) throw new RangeError('insert: ' + at + ' is not within ' + bytes.length + ' bytes');
              size(bytes.length + added.length, 'insert');
              const made = new Uint8Array(bytes.length + added.length);
              made.set(bytes.subarray(0, at));
              made.set(added, at);
              made.set(bytes.subarray(at), at + added.length);
              this[BYTES] = made;
              return added.length;
            }
            copy(source, at, offset, length) {
              const copied = part(source, offset, length, 'copy').slice();
              at = Math.trunc(Number(at));
              if (!(at >= 0 && at + copied.length <= this[BYTES].length)) {
                throw new RangeError('copy: ' + copied.length + ' bytes at ' + at + ' reach past ' + this[BYTES].length);
              }
              this[BYTES].set(copied, at);
              return copied.length;
            }
            clone(offset, length) { return internal.buffer(part(this, offset, length, 'clone').slice(), this.byteOrder); }
            slice(start, end) { return internal.buffer(this[BYTES].slice(start, end), this.byteOrder); }
            fill(value, offset, length) {
              const byte = Number(value);
              if (Number.isNaN(byte)) throw new TypeError('fill: not a byte');
              part(this, offset, length, 'fill').fill(Math.trunc(byte) & 255);
            }
            clear() { this[BYTES].fill(0); }
            release() { this[BYTES] = new Uint8Array(0); }
            toString() { return native.decode(this[BYTES], 'utf8'); }
            toBlob() {
              const bytes = this[BYTES].slice();
              return {
                length: bytes.length, size: bytes.length, mimeType: 'application/octet-stream',
                get text() { return native.decode(bytes, 'utf8'); },
                toString() { return native.decode(bytes, 'utf8'); },
              };
            }
            toJSON() { return Array.from(this[BYTES]); }
            *[Symbol.iterator]() { for (let index = 0; index < this[BYTES].length; index++) yield this[BYTES][index]; }
          }

          // An index is a whole number as it is written: "01" and "1a" are names like any other.
          function index(key) {
            if (typeof key !== 'string') return undefined;
            const first = key.charCodeAt(0);
            if (!(first >= 48 && first <= 57) && first !== 45) return undefined;
            const number = +key;
            return Number.isInteger(number) && String(number) === key ? number : undefined;
          }
          function check(target, at) {
            if (at < 0 || at >= target[BYTES].length) {
              throw new RangeError('index ' + at + ' is not within the ' + target[BYTES].length + ' bytes of the buffer');
            }
          }
          const handler = {
            get(target, key, receiver) {
              const at = index(key);
              if (at === undefined) return Reflect.get(target, key, target);
              check(target, at);
              return target[BYTES][at];
            },
            set(target, key, value) {
              const at = index(key);
              if (at === undefined) return Reflect.set(target, key, value, target);
              check(target, at);
              if (typeof value !== 'number') throw new TypeError('byte ' + at + ': ' + typeof value + ' is no number');
              target[BYTES][at] = Math.trunc(value) & 255;
              return true;
            },
            has(target, key) {
              const at = index(key);
              return at === undefined ? Reflect.has(target, key) : at >= 0 && at < target[BYTES].length;
            },
          };
          internal.buffer = function (bytes, order) { return new Proxy(new Buffer(bytes, order), handler); };
          internal.isBuffer = function (value) { return value instanceof Buffer; };
          internal.bytes = function (value, what) {
            if (value instanceof Buffer) return value[BYTES];
            if (value instanceof Uint8Array) return value;
            if (value instanceof ArrayBuffer) return new Uint8Array(value);
            throw new TypeError((what || 'value') + ': not a Ti.Buffer');
          };
          internal.replaceBytes = function (buffer, bytes) { buffer[BYTES] = bytes; };

          internal.Ti.createBuffer = function createBuffer(options) {
            options = options || {};
            const order = options.byteOrder === undefined ? 1 : options.byteOrder;
            const value = options.value;
            if (value === undefined || value === null) {
              return internal.buffer(new Uint8Array(size(options.length === undefined ? 0 : options.length, 'createBuffer')), order);
            }
            if (typeof value === 'string' || value instanceof String) {
              let bytes = native.encode(String(value), internal.charset(options.type === undefined ? 'utf8' : options.type));
              if (options.length !== undefined) bytes = resized(bytes, size(options.length, 'createBuffer'));
              return internal.buffer(bytes, order);
            }
            if (typeof value === 'number' || value instanceof Number) {
              if (options.type === undefined) throw new Error('createBuffer: a number needs a type, one of Ti.Codec.TYPE_*');
              const made = internal.buffer(new Uint8Array(internal.numberSize(options.type)), order);
              internal.Ti.Codec.encodeNumber({ source: Number(value), dest: made, type: options.type, byteOrder: order });
              return made;
            }
            throw new TypeError('createBuffer: a value is text or a number');
          };
        })
        """#

    /// `Ti.Codec`.
    static let codec = #"""
        (function (native, internal, global) {
          'use strict';
          const CHARSETS = {
            CHARSET_ASCII: 'ascii', CHARSET_ISO_LATIN_1: 'iso-latin-1', CHARSET_UTF8: 'utf8', CHARSET_UTF16: 'utf16',
            CHARSET_UTF16BE: 'utf16be', CHARSET_UTF16LE: 'utf16le',
          };
          const SIZES = { byte: 1, short: 2, int: 4, long: 8, float: 4, double: 8 };
          internal.numberSize = function (type) {
            if (!Object.prototype.hasOwnProperty.call(SIZES, type)) throw new Error('Ti.Codec: ' + String(type) + ' is no type of number');
            return SIZES[type];
          };
          internal.charset = function (name) {
            if (!Object.values(CHARSETS).includes(name)) throw new Error('Ti.Codec: ' + String(name) + ' is no character set');
            return name;
          };
          function view(buffer, position, type, what) {
            const bytes = internal.bytes(buffer, what);
            position = position === undefined ? 0 : Math.trunc(Number(position));
            const count = internal.numberSize(type);
            if (!(position >= 0 && position + count <= bytes.length)) {
              throw new RangeError(what + ': ' + count + ' bytes at ' + position + ' reach past ' + bytes.length);
            }
            return new DataView(bytes.buffer, bytes.byteOffset + position, count);
          }
          function isLittle(order, buffer) {
            if (order === undefined) order = internal.isBuffer(buffer) ? buffer.byteOrder : 1;
            if (order !== 1 && order !== 2) throw new Error('Ti.Codec: ' + String(order) + ' is no byte order');
            return order === 1;
          }
          const Codec = {
            TYPE_BYTE: 'byte', TYPE_SHORT: 'short', TYPE_INT: 'int', TYPE_LONG: 'long', TYPE_FLOAT: 'float',
            TYPE_DOUBLE: 'double', LITTLE_ENDIAN: 1, BIG_ENDIAN: 2,
            getNativeByteOrder() { return 1; },
            encodeNumber(options) {
              const at = view(options.dest, options.position, options.type, 'encodeNumber');
              const little = isLittle(options.byteOrder, options.dest);
              const number = Number(options.source);
              if (typeof options.source !== 'number' && Number.isNaN(number)) throw new TypeError('encodeNumber: the source is no number');
              const whole = Number.isFinite(number) ? Math.trunc(number) : 0;
              switch (options.type) {
                case 'byte': at.setUint8(0, whole & 255); break;
                case 'short': at.setUint16(0, whole & 65535, little); break;
                case 'int': at.setUint32(0, whole >>> 0, little); break;
                case 'long': at.setBigUint64(0, BigInt.asUintN(64, BigInt(whole)), little); break;
                case 'float': at.setFloat32(0, number, little); break;
                default: at.setFloat64(0, number, little);
              }
              return (options.position === undefined ? 0 : Math.trunc(Number(options.position))) + at.byteLength;
            },
            decodeNumber(options) {
              const at = view(options.source, options.position, options.type, 'decodeNumber');
              const little = isLittle(options.byteOrder, options.source);
              switch (options.type) {
                case 'byte': return at.getInt8(0);
                case 'short': return at.getInt16(0, little);
                case 'int': return at.getInt32(0, little);
                case 'long': return Number(at.getBigInt64(0, little));
                case 'float': return at.getFloat32(0, little);
                default: return at.getFloat64(0, little);
              }
            },
            encodeString(options) {
              const dest = internal.bytes(options.dest, 'encodeString');
              const encoded = native.encode(String(options.source), internal.charset(options.charset === undefined ? 'utf8' : options.charset));
              const from = options.sourcePosition === undefined ? 0 : Math.trunc(Number(options.sourcePosition));
              const count = options.sourceLength === undefined ? encoded.length - from : Math.trunc(Number(options.sourceLength));
              const at = options.destPosition === undefined ? 0 : Math.trunc(Number(options.destPosition));
              if (!(from >= 0 && count >= 0 && from + count <= encoded.length)) throw new RangeError('encodeString: past the end of the source');
              if (!(at >= 0 && at + count <= dest.length)) throw new RangeError('encodeString: past the end of the buffer');
              dest.set(encoded.subarray(from, from + count), at);
              return at + count;
            },
            decodeString(options) {
              const bytes = internal.bytes(options.source, 'decodeString');
              const at = options.position === undefined ? 0 : Math.trunc(Number(options.position));
              const count = options.length === undefined ? bytes.length - at : Math.trunc(Number(options.length));
              if (!(at >= 0 && count >= 0 && at + count <= bytes.length)) throw new RangeError('decodeString: past the end of the buffer');
              return native.decode(bytes.subarray(at, at + count), internal.charset(options.charset === undefined ? 'utf8' : options.charset));
            },
          };
          internal.Ti.Codec = Object.assign(Codec, CHARSETS);
        })
        """#
}
