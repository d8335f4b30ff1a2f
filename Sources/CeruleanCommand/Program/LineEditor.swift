// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lines from a terminal with editing and history, by the editline library that is found at run time.
///
/// The library and the terminal belong to one thread: what others want to print goes through it.
final class LineEditor: Sendable {
    private typealias Handler = @convention(c) (UnsafeMutablePointer<CChar>?) -> Void
    private typealias Install = @convention(c) (UnsafePointer<CChar>?, Handler?) -> Void
    private typealias Act = @convention(c) () -> Void
    private typealias AddHistory = @convention(c) (UnsafePointer<CChar>?) -> Int32

    private struct State {
        var isOver = false
        /// A line is whole: libedit wants to be told that another is read.
        var isBetweenLines = false
        var output: [@Sendable () -> Void] = []
    }

    /// What was typed, line by line; ends with Ctrl-D and with ``stop()``.
    let lines: AsyncStream<String>
    private let typed: AsyncStream<String>.Continuation
    private let install: Install
    private let remove: Act
    private let readCharacter: Act
    private let redisplay: Act
    private let addHistory: AddHistory
    /// libedit, not GNU readline.
    private let isEditline: Bool
    private let settings: termios
    private let bell: (reading: Int32, writing: Int32)
    private let state = Mutex(State())
    private let isDone = DispatchSemaphore(value: 0)

    private static let outputLimit = 10_000

    /// The editor that has the terminal: the library's callback carries no context.
    private static let current = Mutex<LineEditor?>(nil)

    /// Nil where the library is not installed, or standard input is no terminal.
    init?() {
        var settings = termios()
        guard isatty(0) == 1, unsafe tcgetattr(0, &settings) == 0 else { return nil }
        let names = ["libedit.so.2", "libedit.so.0", "libedit.dylib", "libreadline.so.8"]
        guard let handle = unsafe names.lazy.compactMap({ unsafe dlopen($0, RTLD_NOW) }).first,
            let install = unsafe dlsym(handle, "rl_callback_handler_install"),
            let remove = unsafe dlsym(handle, "rl_callback_handler_remove"),
            let read = unsafe dlsym(handle, "rl_callback_read_char"),
            let redisplay = unsafe dlsym(handle, "rl_forced_update_display"),
            let add = unsafe dlsym(handle, "add_history")
        else { return nil }
        // Signals are the program's own.
        if let catches = unsafe dlsym(handle, "rl_catch_signals") {
            unsafe catches.assumingMemoryBound(to: Int32.self).pointee = 0
        }
        // The library's documented C interface.
        self.install = unsafe unsafeBitCast(install, to: Install.self)
        self.remove = unsafe unsafeBitCast(remove, to: Act.self)
        readCharacter = unsafe unsafeBitCast(read, to: Act.self)
        self.redisplay = unsafe unsafeBitCast(redisplay, to: Act.self)
        addHistory = unsafe unsafeBitCast(add, to: AddHistory.self)
        isEditline = unsafe dlsym(handle, "el_init") != nil
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        bell = (ends[0], ends[1])
        self.settings = settings
        (lines, typed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
    }

    deinit {
        close(bell.reading)
        close(bell.writing)
    }

    /// Shows the prompt and begins to read.
    func start(_ prompt: String) {
        Self.current.withLock { $0 = self }
        Thread { [self] in
            begin(prompt)
            while !state.withLock({ $0.isOver }) {
                let isNew = state.withLock { state in
                    defer { state.isBetweenLines = false }
                    return state.isBetweenLines
                }
                if isNew { begin(prompt) }
                step()
            }
            remove()
            var settings = settings
            unsafe tcsetattr(0, TCSANOW, &settings)
            typed.finish()
            isDone.signal()
        }.start()
    }

    /// Gives the terminal back as it was.
    func stop() {
        state.withLock { $0.isOver = true }
        ring()
        isDone.wait()
        Self.current.withLock { $0 = nil }
    }

    /// Prints something above the line that is being edited.
    func interject(_ body: @escaping @Sendable () -> Void) {
        state.withLock { state in
            // A terminal that is held takes nothing: the newest lines are kept.
            if state.output.count >= Self.outputLimit { state.output.removeFirst() }
            state.output.append(body)
        }
        ring()
    }

    // MARK: - On the thread

    private func begin(_ prompt: String) { unsafe install(prompt) { text in LineEditor.received(text) } }

    private func step() {
        var waits = [pollfd(fd: 0, events: Int16(POLLIN), revents: 0)]
        waits.append(pollfd(fd: bell.reading, events: Int16(POLLIN), revents: 0))
        guard unsafe poll(&waits, 2, -1) > 0 else { return }
        if waits[1].revents != 0 {
            var ignored = [UInt8](repeating: 0, count: 64)
            _ = unsafe read(bell.reading, &ignored, ignored.count)
            let output = state.withLock { state in
                defer { state.output = [] }
                return state.output
            }
            guard !output.isEmpty else { return }
            show("\r\u{1B}[K")
            for body in output { body() }
            redisplay()
        } else if waits[0].revents & Int16(POLLIN) != 0 {
            readCharacter()
        } else {
            // The terminal is gone.
            state.withLock { $0.isOver = true }
        }
    }

    private static func received(_ text: UnsafeMutablePointer<CChar>?) {
        let editor = current.withLock { $0 }
        guard let editor else { return unsafe free(text) }
        guard let text = unsafe text else {
            editor.show("\n")
            return editor.state.withLock { $0.isOver = true }
        }
        let line = unsafe String(cString: text)
        if !line.isEmpty { _ = unsafe editor.addHistory(text) }
        unsafe free(text)
        editor.state.withLock { $0.isBetweenLines = editor.isEditline }
        editor.typed.yield(line)
    }

    private func show(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe write(1, bytes, bytes.count)
    }

    private func ring() {
        let byte: [UInt8] = [0]
        _ = unsafe write(bell.writing, byte, 1)
    }
}
