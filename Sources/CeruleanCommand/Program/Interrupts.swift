// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

/// SIGINT, SIGTERM and SIGHUP (the terminal was closed): the first calls a handler, the second ends the process.
final class Interrupts: Sendable {
    private struct State {
        var count = 0
        var sources: [any DispatchSourceSignal] = []
    }

    private let state = Mutex(State())

    /// True once a signal came.
    var happened: Bool { state.withLock { $0.count > 0 } }

    /// Starts to listen. `handler` is called once, on a thread of Dispatch.
    func start(_ handler: @escaping @Sendable () -> Void) {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            state.withLock { state in
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                source.setEventHandler { [self] in
                    guard received() > 1 else { return handler() }
                    KeyInput.restore()
                    _exit(ExitCode.interrupted.rawValue)
                }
                source.resume()
                state.sources.append(source)
            }
        }
    }

    /// Stops to listen.
    func stop() {
        state.withLock { state in
            for source in state.sources { source.cancel() }
            state.sources = []
        }
    }

    private func received() -> Int {
        state.withLock { state in
            state.count += 1
            return state.count
        }
    }
}
