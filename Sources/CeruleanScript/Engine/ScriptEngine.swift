// SPDX-License-Identifier: Apache-2.0

#if canImport(CCeruleanJS)

import CCeruleanJS

/// One JavaScript context. Made, used and closed on one and the same thread.
final class ScriptEngine {
    /// What a native function does with its arguments; nil is `undefined`. What it throws becomes an `Error` of the script.
    typealias Body = (ScriptEngine, [ScriptValue]) throws -> ScriptValue?

    /// A native function behind a callable object.
    private final class Function {
        let body: Body
        /// The engine outlives its functions: it ends with its context, and the context ends them.
        unowned let engine: ScriptEngine

        init(_ engine: ScriptEngine, _ body: @escaping Body) {
            self.engine = engine
            self.body = body
        }
    }

    private let group: JSContextGroupRef
    let context: JSGlobalContextRef
    private let functionClass: JSClassRef
    private var names: [String: JSStringRef] = [:]
    private var isClosed = false

    init() throws(ScriptFault) {
        cerulean_js_adopt_thread()
        var definition = JSClassDefinition()
        definition.callAsFunction = { context, function, _, count, arguments, exception in
            guard let context, let data = JSObjectGetPrivate(function) else { return nil }
            let function = Unmanaged<Function>.fromOpaque(data).takeUnretainedValue()
            return function.engine.perform(function.body, context, count, arguments, exception)
        }
        // Runs amid a collection: nothing here may call the engine.
        definition.finalize = { object in
            guard let data = JSObjectGetPrivate(object) else { return }
            Unmanaged<Function>.fromOpaque(data).release()
        }
        let made = "NativeFunction".withCString { name in
            definition.className = name
            return JSClassCreate(&definition)
        }
        guard let group = JSContextGroupCreate(), let context = JSGlobalContextCreateInGroup(group, nil),
            let functionClass = made
        else { throw ScriptFault("JavaScriptCore could not be started") }
        self.group = group
        self.context = context
        self.functionClass = functionClass
    }

    deinit { close() }

    /// Ends the context and all of its values, on the thread that made it: its collector has timers there, and the thread may be
    /// gone when the last reference to this object is.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        for name in names.values { JSStringRelease(name) }
        names = [:]
        JSClassRelease(functionClass)
        JSGlobalContextRelease(context)
        JSContextGroupRelease(group)
    }

    /// Ends scripts that do not return within some seconds of computing: with an exception that they cannot catch. False when
    /// this JavaScriptCore cannot.
    func limitTurns(to seconds: Double) -> Bool { cerulean_js_limit(group, seconds) { _, _ in true } }

    /// Lets the garbage collector do what it has put off.
    func pump() { cerulean_js_pump() }

    /// Collects garbage at once.
    func collect() { _ = cerulean_js_collect(context) }

    /// Calls `function` with each promise that was rejected and not handled, and the reason.
    func onUnhandledRejection(_ function: ScriptValue) { _ = cerulean_js_on_rejection(context, function.object) }

    // MARK: Running

    /// Runs a program, not in strict mode.
    func evaluate(_ source: String, file: String) throws(ScriptFault) -> ScriptValue {
        let text = JSStringCreateWithUTF8CString(source)
        let url = JSStringCreateWithUTF8CString(file)
        defer {
            JSStringRelease(text)
            JSStringRelease(url)
        }
        var exception: JSValueRef?
        let value = JSEvaluateScript(context, text, nil, url, 1, &exception)
        if let exception { throw fault(exception) }
        return ScriptValue(self, value)
    }

    /// Calls a function.
    @discardableResult
    func call(_ function: ScriptValue, _ arguments: [ScriptValue] = []) throws(ScriptFault) -> ScriptValue {
        var exception: JSValueRef?
        let references: [JSValueRef?] = arguments.map(\.reference)
        let value = JSObjectCallAsFunction(context, function.object, nil, references.count, references, &exception)
        if let exception { throw fault(exception) }
        return ScriptValue(self, value)
    }

    private func perform(
        _ body: Body, _ context: JSContextRef, _ count: Int, _ arguments: UnsafePointer<JSValueRef?>?,
        _ exception: UnsafeMutablePointer<JSValueRef?>?
    ) -> JSValueRef? {
        var values: [ScriptValue] = []
        values.reserveCapacity(count)
        for index in 0..<count { values.append(ScriptValue(self, arguments?[index])) }
        do {
            return try body(self, values)?.reference ?? JSValueMakeUndefined(context)
        } catch {
            let text = (error as? ScriptFault)?.message ?? "\(error)"
            var message: JSValueRef? = string(text).reference
            exception?.pointee = JSObjectMakeError(context, 1, &message, nil)
            return nil
        }
    }

    private func fault(_ exception: JSValueRef) -> ScriptFault {
        let value = ScriptValue(self, exception)
        var fault = ScriptFault(value.text)
        guard value.isObject else { return fault }
        fault.file = value["sourceURL"].ifText
        fault.line = value["line"].ifInteger
        fault.column = value["column"].ifInteger
        fault.stack = value["stack"].ifText ?? ""
        return fault
    }

    // MARK: Values

    var global: ScriptValue { ScriptValue(self, JSContextGetGlobalObject(context)) }
    var null: ScriptValue { ScriptValue(self, JSValueMakeNull(context)) }
    var undefined: ScriptValue { ScriptValue(self, JSValueMakeUndefined(context)) }
    var object: ScriptValue { ScriptValue(self, JSObjectMake(context, nil, nil)) }

    func number(_ value: Double) -> ScriptValue { ScriptValue(self, JSValueMakeNumber(context, value)) }
    func number(_ value: Int) -> ScriptValue { number(Double(value)) }
    func bool(_ value: Bool) -> ScriptValue { ScriptValue(self, JSValueMakeBoolean(context, value)) }

    func string(_ text: String) -> ScriptValue {
        // Through UTF-16: a text may hold NUL.
        let units = Array(text.utf16)
        let made = JSStringCreateWithCharacters(units, units.count)
        defer { JSStringRelease(made) }
        return ScriptValue(self, JSValueMakeString(context, made))
    }

    func optional(_ text: String?) -> ScriptValue { text.map { string($0) } ?? null }
    func optional(_ number: Int?) -> ScriptValue { number.map { self.number($0) } ?? null }

    func array(_ values: [ScriptValue]) -> ScriptValue {
        let references: [JSValueRef?] = values.map(\.reference)
        return ScriptValue(self, JSObjectMakeArray(context, references.count, references, nil))
    }

    /// A `Uint8Array` of its own.
    func bytes(_ octets: some Collection<UInt8>) -> ScriptValue {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(octets.count, 1), alignment: 8)
        memory.copyBytes(from: octets)
        return ScriptValue(
            self,
            JSObjectMakeTypedArrayWithBytesNoCopy(
                context, kJSTypedArrayTypeUint8Array, memory.baseAddress, octets.count,
                { memory, _ in memory?.deallocate() },
                nil, nil))
    }

    func function(_ body: @escaping Body) -> ScriptValue {
        let data = Unmanaged.passRetained(Function(self, body)).toOpaque()
        return ScriptValue(self, JSObjectMake(context, functionClass, data))
    }

    /// The name of a property, made once.
    func name(_ text: String) -> JSStringRef? {
        if let known = names[text] { return known }
        let made = JSStringCreateWithUTF8CString(text)
        names[text] = made
        return made
    }
}

#endif
