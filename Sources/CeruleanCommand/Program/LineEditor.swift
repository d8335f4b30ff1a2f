// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lines from a terminal with editing and history, by the editline library that is found at run time.
final class LineEditor: Sendable {
    private typealias ReadLine = @convention(c) (UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>?
    private typealias AddHistory = @convention(c) (UnsafePointer<CChar>?) -> Int32

    private let readLine: ReadLine
    private let addHistory: AddHistory
    private let prompt = Mutex("")
    private let queue = DispatchQueue(label: "cerulean.line-editor")

    /// Nil where the library is not installed, or standard input is no terminal.
    init?() {
        guard isatty(0) == 1 else { return nil }
        let names = ["libedit.so.2", "libedit.so.0", "libedit.dylib", "libreadline.so.8"]
        guard let handle = unsafe names.lazy.compactMap({ unsafe dlopen($0, RTLD_NOW) }).first,
            let read = unsafe dlsym(handle, "readline"), let add = unsafe dlsym(handle, "add_history")
        else { return nil }
        // The library's documented C interface.
        readLine = unsafe unsafeBitCast(read, to: ReadLine.self)
        addHistory = unsafe unsafeBitCast(add, to: AddHistory.self)
    }

    /// The next line; nil at the end of input. It is read on a thread of its own.
    func read(_ text: String) async -> String? {
        prompt.withLock { $0 = text }
        return await withCheckedContinuation { continuation in
            queue.async { [self] in
                guard let line = unsafe readLine(text) else { return continuation.resume(returning: nil) }
                let result = unsafe String(cString: line)
                if !result.isEmpty { _ = unsafe addHistory(line) }
                unsafe free(line)
                continuation.resume(returning: result)
            }
        }
    }

    /// Prints something above the line that is being edited.
    func interject(_ body: () -> Void) {
        FileHandle.standardOutput.write(Data("\r\u{1B}[K".utf8))
        body()
        FileHandle.standardOutput.write(Data(prompt.withLock { $0 }.utf8))
    }
}
