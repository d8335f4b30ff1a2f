// SPDX-License-Identifier: Apache-2.0

#if canImport(CCeruleanJS)

import CCeruleanJS

/// A value of a script. It lives as long as the call in which it was obtained, unless it is kept.
struct ScriptValue {
    let engine: ScriptEngine
    let reference: JSValueRef?

    init(_ engine: ScriptEngine, _ reference: JSValueRef?) {
        self.engine = engine
        self.reference = reference
    }

    /// The collector leaves it alone from now on, until ``release()``.
    func keep() -> Self {
        JSValueProtect(engine.context, reference)
        return self
    }

    func release() { JSValueUnprotect(engine.context, reference) }

    var object: JSObjectRef? { isObject ? JSValueToObject(engine.context, reference, nil) : nil }
    var isObject: Bool { JSValueIsObject(engine.context, reference) }
    var isMissing: Bool {
        JSValueIsUndefined(engine.context, reference) || JSValueIsNull(engine.context, reference)
    }

    /// What a script can be told of it.
    var text: String {
        guard let copy = JSValueToStringCopy(engine.context, reference, nil) else { return "" }
        defer { JSStringRelease(copy) }
        guard let units = JSStringGetCharactersPtr(copy) else { return "" }
        return String(decoding: UnsafeBufferPointer(start: units, count: JSStringGetLength(copy)), as: UTF16.self)
    }

    var ifText: String? { JSValueIsString(engine.context, reference) ? text : nil }
    var ifNumber: Double? {
        JSValueIsNumber(engine.context, reference) ? JSValueToNumber(engine.context, reference, nil) : nil
    }
    /// A whole number; nil for anything else.
    var ifInteger: Int? { ifNumber.flatMap { Int(exactly: $0.rounded(.towardZero)) } }
    var bool: Bool { JSValueToBoolean(engine.context, reference) }

    /// The octets of a `Uint8Array`; nil for anything else.
    var bytes: [UInt8]? {
        guard JSValueGetTypedArrayType(engine.context, reference, nil) == kJSTypedArrayTypeUint8Array, let object else {
            return nil
        }
        let count = JSObjectGetTypedArrayByteLength(engine.context, object, nil)
        let offset = JSObjectGetTypedArrayByteOffset(engine.context, object, nil)
        guard count > 0, let base = JSObjectGetTypedArrayBytesPtr(engine.context, object, nil) else { return [] }
        // The pointer is that of the view's buffer.
        return Array(UnsafeRawBufferPointer(start: base, count: offset + count)[offset...])
    }

    /// The elements of an array; nil for anything else, and for one of more than a million.
    var elements: [Self]? {
        guard JSValueIsArray(engine.context, reference), let count = self["length"].ifInteger, count <= 1_000_000 else {
            return nil
        }
        return (0..<count).map { index in
            Self(engine, JSObjectGetPropertyAtIndex(engine.context, object, UInt32(index), nil))
        }
    }

    subscript(name: String) -> Self {
        get {
            guard let object else { return engine.undefined }
            return Self(engine, JSObjectGetProperty(engine.context, object, engine.name(name), nil))
        }
        nonmutating set {
            JSObjectSetProperty(engine.context, object, engine.name(name), newValue.reference, 0, nil)
        }
    }

    /// Sets a property whose name comes from outside, and is not worth keeping.
    func set(_ name: String, _ value: Self) {
        let text = JSStringCreateWithUTF8CString(name)
        defer { JSStringRelease(text) }
        JSObjectSetProperty(engine.context, object, text, value.reference, 0, nil)
    }
}

extension [ScriptValue] {
    /// The argument at `index`; `undefined` when there are fewer.
    func at(_ index: Int, _ engine: ScriptEngine) -> ScriptValue { index < count ? self[index] : engine.undefined }
}

#endif
