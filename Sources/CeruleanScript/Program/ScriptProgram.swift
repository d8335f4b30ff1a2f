// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
import Synchronization

/// How a script ended that nothing went wrong in.
public enum ScriptEnd: Hashable, Sendable {
    /// Nothing was left that could call it.
    case finished
    /// It asked to end, with a status; `killApp()` does so with 0.
    case exited(Int32)
    /// It was stopped.
    case stopped
}

/// A program for Titanium without a screen: the script, the module `com.logicallabs.bluetoothle`, and JavaScriptCore.
///
/// Everything of the script happens on the loop that it is given, Bluetooth included.
/// ```swift
/// let output = ScriptOutput(log: { print("[\($0)] \($1)") }, talk: { print($0) })
/// let program = ScriptProgram("app.js", output: output, loop: try ThreadLoop(name: "script"))
/// let end = try await program.run()
/// ```
public final class ScriptProgram: Sendable {
    /// Whether there is a JavaScriptCore to run scripts with: it is looked for when this module is compiled.
    public static var isAvailable: Bool {
        #if canImport(CCeruleanJS)
        return true
        #else
        return false
        #endif
    }

    private struct State {
        var continuation: CheckedContinuation<Result<ScriptEnd, ScriptFault>, Never>?
        var result: Result<ScriptEnd, ScriptFault>?
        var isStarted = false
    }

    private let path: String
    private let options: ScriptOptions
    private let output: ScriptOutput
    private let loop: any EventLoop
    private let state = Mutex(State())
    #if canImport(CCeruleanJS)
    private let runtime: Confined<ScriptRuntime>
    #endif

    /// A script that has not begun.
    ///
    /// - Parameters:
    ///   - path: The file of the script.
    ///   - options: How it is run.
    ///   - output: Where its lines go.
    ///   - loop: The thread that it runs on; JavaScriptCore wants one thread from beginning to end.
    public init(
        _ path: String, options: ScriptOptions = ScriptOptions(), output: ScriptOutput, loop: any EventLoop
    ) {
        self.path = path
        self.options = options
        self.output = output
        self.loop = loop
        #if canImport(CCeruleanJS)
        runtime = Confined(loop)
        #endif
    }

    /// Runs the script until it ends: when nothing is left that could call it, when it asks to, when an error is not caught, or
    /// when the task is cancelled. Once.
    ///
    /// - Throws: ``ScriptFault``: the script cannot be read, or an error was not caught.
    public func run() async throws(ScriptFault) -> ScriptEnd {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> Result<ScriptEnd, ScriptFault>? in
                    if state.isStarted, state.result == nil { return .failure(ScriptFault("a program runs once")) }
                    state.isStarted = true
                    if state.result == nil { state.continuation = continuation }
                    return state.result
                }
                if let known { continuation.resume(returning: known) } else { start() }
            }
        } onCancel: {
            stop()
        }
        return try result.get()
    }

    /// Ends the script between two of its turns.
    public func stop() { end(.success(.stopped)) }

    #if canImport(CCeruleanJS)
    /// How many objects of Bluetooth the script's proxies keep alive, after what nobody reaches any more was collected. On the loop.
    package func countLiveObjects() -> Int {
        guard let runtime = runtime.value else { return 0 }
        runtime.engine.collect()
        runtime.engine.pump()
        return runtime.radio.objects.count
    }
    #endif

    // MARK: - Private

    private func start() {
        #if canImport(CCeruleanJS)
        let (path, options, output, loop) = (path, options, output, loop)
        loop.execute { [self] in
            do throws(ScriptFault) {
                let made = try ScriptRuntime(path, options, output, loop) { [weak self] in self?.end($0) }
                let isWanted = state.withLock { $0.result == nil }
                guard isWanted else { return made.close() }
                runtime.value = made
                made.start()
            } catch {
                end(.failure(error))
            }
        }
        #else
        end(
            .failure(
                ScriptFault(
                    "this program was built without JavaScriptCore; install libjavascriptcoregtk-4.1-dev and build it again",
                    kind: .unavailable)))
        #endif
    }

    private func end(_ result: Result<ScriptEnd, ScriptFault>) {
        let continuation = state.withLock { state -> CheckedContinuation<Result<ScriptEnd, ScriptFault>, Never>? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.continuation = nil }
            return state.continuation
        }
        #if canImport(CCeruleanJS)
        guard let continuation else { return }
        // The radio is let go before anybody goes on.
        loop.execute { [self] in
            runtime.value?.close()
            runtime.value = nil
            continuation.resume(returning: result)
        }
        #else
        continuation?.resume(returning: result)
        #endif
    }
}

/// A value that only jobs of one loop touch.
///
/// `@unchecked Sendable`: every access checks that it happens on the loop, whose jobs run one after the other.
final class Confined<Value>: @unchecked Sendable {
    private let loop: any EventLoop
    private var storage: Value?

    init(_ loop: any EventLoop) { self.loop = loop }

    var value: Value? {
        get {
            precondition(loop.isCurrent)
            return storage
        }
        set {
            precondition(loop.isCurrent)
            storage = newValue
        }
    }
}
