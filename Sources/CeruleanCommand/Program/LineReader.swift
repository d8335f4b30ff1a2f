// SPDX-License-Identifier: Apache-2.0

import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lines of standard input while other things go on: each is read on a thread of its own, so that nothing waits for it.
struct LineReader: Sendable {
    private let console: Console
    private let queue = DispatchQueue(label: "cerulean.lines")

    init(_ console: Console) { self.console = console }

    /// The next line; nil at the end of input, when the task is cancelled, and where input is a terminal that belongs to
    /// another program: reading it would stop this one.
    func next() async -> String? {
        if console.inputIsImmediate { return try? console.nextLine() }
        guard isatty(0) == 0 || tcgetpgrp(0) == getpgrp() else { return nil }
        let (stream, continuation) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingNewest(1))
        queue.async { [console] in
            continuation.yield(try? console.nextLine())
            continuation.finish()
        }
        for await line in stream { return line }
        return nil
    }
}
