// SPDX-License-Identifier: Apache-2.0

#if canImport(CCeruleanJS)

import CeruleanHost
import CeruleanWire
import CoreBluetooth
import Foundation

/// A running script: its engine, its timers, its radio. On the thread of its loop alone.
final class ScriptRuntime {
    /// How long a title may be waited for.
    static let clickLimit: Duration = .seconds(20)
    /// How often the collector is looked after while the script does something, and how often after it stopped.
    private static let pump: (interval: Duration, rest: Int) = (.milliseconds(50), 100)

    let engine: ScriptEngine
    let files: ScriptFiles
    let options: ScriptOptions
    let output: ScriptOutput
    let loop: any EventLoop
    private let ended: @Sendable (Result<ScriptEnd, ScriptFault>) -> Void
    /// This object, for jobs of the loop.
    let me: Confined<ScriptRuntime>

    private(set) var radio: ScriptRadio!
    private var handlers: [String: ScriptValue] = [:]
    private var on: ScriptValue?
    private var shared: ScriptValue?
    private var timers: [Int: LoopTimer] = [:]
    private var waitingTurns = 0
    private var pumpTimer: LoopTimer?
    private var pumpsLeft = 0
    private var clickTimer: LoopTimer?
    private var clicksLeft: Int
    private(set) var isOver = false
    private var isInTurn = false

    init(
        _ path: String, _ options: ScriptOptions, _ output: ScriptOutput, _ loop: any EventLoop,
        ended: @escaping @Sendable (Result<ScriptEnd, ScriptFault>) -> Void
    ) throws(ScriptFault) {
        self.options = options
        self.output = output
        self.loop = loop
        self.ended = ended
        files = ScriptFiles(path, options)
        clicksLeft = options.clicks.count
        engine = try ScriptEngine()
        me = Confined(loop)
        radio = ScriptRadio(self)
        try prepare()
    }

    /// Runs the script itself.
    func start() {
        me.value = self
        turn { () throws(ScriptFault) in
            let source = try files.read(files.path)
            if let shared { try engine.call(shared["start"]) }
            _ = try engine.evaluate(source, file: files.path)
        }
        armClicks()
    }

    /// Ends everything that could call the script.
    func close() {
        guard !isOver else { return }
        if let shared { _ = try? engine.call(shared["saveNow"]) }
        isOver = true
        for timer in timers.values { loop.cancel(timer) }
        for timer in [pumpTimer, clickTimer].compactMap({ $0 }) { loop.cancel(timer) }
        timers = [:]
        radio.close()
        for handler in handlers.values { handler.release() }
        handlers = [:]
        on?.release()
        on = nil
        shared?.release()
        shared = nil
        me.value = nil
        engine.close()
    }

    // MARK: Turns

    /// Calls a function that the module keeps for an event.
    func emit(_ name: String, _ arguments: [ScriptValue] = []) {
        guard !isOver else { return }
        let handler: ScriptValue
        if let known = handlers[name] {
            handler = known
        } else {
            guard let on else { return }
            handler = on[name].keep()
            handlers[name] = handler
        }
        turn { () throws(ScriptFault) in try engine.call(handler, arguments) }
    }

    private func turn(_ body: () throws(ScriptFault) -> Void) {
        guard !isOver else { return }
        isInTurn = true
        do throws(ScriptFault) {
            try body()
        } catch {
            isInTurn = false
            return fail(error)
        }
        isInTurn = false
        look()
        pumpsLeft = Self.pump.rest
        armPump()
    }

    /// Ends the script when nothing is left that could call it.
    private func look() {
        guard !isOver, timers.isEmpty, waitingTurns == 0, radio.isIdle else { return }
        if clicksLeft > 0 { return missedClick() }
        ended(.success(.finished))
    }

    func fail(_ fault: ScriptFault) {
        var fault = fault
        if fault.message.contains("execution terminated") {
            fault = ScriptFault(
                "the script computed for \(options.turnLimit) s without returning", kind: .endless, file: files.path)
        } else {
            fault.locate(in: files)
        }
        ended(.failure(fault))
    }

    func exit(_ code: Int32) { ended(.success(.exited(code))) }

    func nextTurn() {
        waitingTurns += 1
        loop.execute { [me] in
            guard let runtime = me.value else { return }
            runtime.waitingTurns -= 1
            runtime.emit("turn")
        }
    }

    func startTimer(_ id: Int, _ milliseconds: Double) {
        timers[id] = loop.schedule(at: loop.now + .seconds(milliseconds / 1000)) { [me] in
            guard let runtime = me.value, runtime.timers.removeValue(forKey: id) != nil else { return }
            runtime.emit("timer", [runtime.engine.number(id)])
        }
    }

    func stopTimer(_ id: Int) {
        if let timer = timers.removeValue(forKey: id) { loop.cancel(timer) }
    }

    private func armPump() {
        guard pumpTimer == nil, !isOver else { return }
        pumpTimer = loop.schedule(at: loop.now + Self.pump.interval) { [me] in
            guard let runtime = me.value else { return }
            runtime.pumpTimer = nil
            runtime.engine.pump()
            runtime.pumpsLeft -= 1
            if runtime.pumpsLeft > 0 { runtime.armPump() }
        }
    }

    // MARK: Clicks

    func clicked(_ title: String) {
        clicksLeft -= 1
        output.talk("click \(title)")
        armClicks()
    }

    private func armClicks() {
        if let clickTimer { loop.cancel(clickTimer) }
        clickTimer = nil
        guard clicksLeft > 0, !isOver else { return }
        clickTimer = loop.schedule(at: loop.now + Self.clickLimit) { [me] in me.value?.missedClick() }
    }

    private func missedClick() {
        let title = options.clicks[options.clicks.count - clicksLeft]
        let found = shared.flatMap { try? engine.call($0["clickable"]) }?.elements?.map(\.text) ?? []
        let list = found.isEmpty ? "nothing can be clicked" : "there is \(found.prefix(20).joined(separator: ", "))"
        ended(
            .failure(
                ScriptFault("--click: nothing with the title \(title) could be clicked; \(list)", kind: .notClickable)))
    }

    /// What can be seen, as a tree of text.
    var dump: String { shared.flatMap { try? engine.call($0["dump"]) }?.text ?? "" }

    // MARK: - Private

    private func prepare() throws(ScriptFault) {
        let internals = engine.object
        let on = engine.object.keep()
        internals["on"] = on
        internals["Ti"] = engine.object
        self.on = on
        shared = internals.keep()
        let native = engine.object
        addNatives(to: native)
        radio.addNatives(to: native)
        for (name, source) in Prelude.parts {
            let part = try engine.evaluate(source, file: "cerulean:\(name)")
            try engine.call(part, [native, internals, engine.global])
        }
        try watchRejections()
        if options.turnLimit > 0, !engine.limitTurns(to: options.turnLimit) {
            output.talk("warning: this JavaScriptCore cannot end a script that does not return")
        }
    }

    private func watchRejections() throws(ScriptFault) {
        let report = engine.function { [unowned self] _, arguments in
            let reason = arguments.at(1, engine)
            var fault = ScriptFault("unhandled rejection: \(reason.text)")
            if reason.isObject {
                fault.file = reason["sourceURL"].ifText
                fault.line = reason["line"].ifInteger
                fault.column = reason["column"].ifInteger
                fault.stack = reason["stack"].ifText ?? ""
            }
            fail(fault)
            return nil
        }
        // The engine takes nothing but a function that is written in JavaScript.
        let wrap = try engine.evaluate(
            "(function (report) { return function (promise, reason) { report(promise, reason); }; })",
            file: "cerulean:rejections")
        engine.onUnhandledRejection(try engine.call(wrap, [report]))
    }
}

extension ScriptFault {
    /// Completes the place: what the engine leaves out of errors of syntax, and what the wrapper of a module adds.
    mutating func locate(in files: ScriptFiles) {
        if file?.hasPrefix("cerulean:") == true { locateCaller() }
        guard let line, let file else { return }
        if line == 1, file != files.path, let column { self.column = max(1, column - ScriptRuntime.moduleHead.count) }
        guard column == nil, let source = try? files.read(file) else { return }
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.indices.contains(line - 1) else { return }
        column = 1
        // "Unexpected token ';'" names what stands there.
        let quoted = message.split(separator: "'", omittingEmptySubsequences: false)
        if quoted.count >= 3, let place = lines[line - 1].range(of: quoted[1]) {
            column = lines[line - 1].distance(from: lines[line - 1].startIndex, to: place.lowerBound) + 1
        }
    }

    /// What the module throws is a mistake of who called it: the first place in the stack that is the script's own.
    private mutating func locateCaller() {
        (file, line, column) = (nil, nil, nil)
        for call in stack.split(separator: "\n") where !call.contains("cerulean:") && !call.contains("[native code]") {
            let place = call.split(separator: "@", maxSplits: 1).last ?? call
            let parts = place.split(separator: ":")
            guard parts.count >= 3, let line = Int(parts[parts.count - 2]), let column = Int(parts[parts.count - 1])
            else {
                continue
            }
            (file, self.line, self.column) = (parts.dropLast(2).joined(separator: ":"), line, column)
            return
        }
    }
}

#endif
