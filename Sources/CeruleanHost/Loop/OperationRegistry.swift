// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The operations that somebody waits for, by name: what a simulation tells when nothing can happen any more.
///
/// Real loops have none; keeping one costs a lock and a string for each operation.
public final class OperationRegistry: Sendable {
    private struct State {
        var next: UInt64 = 0
        var names: [UInt64: String] = [:]
    }

    private let state = Mutex(State())

    /// An empty registry.
    public init() {}

    /// Notes that an operation began.
    public func begin(_ name: String) -> UInt64 {
        state.withLock { state in
            state.next &+= 1
            state.names[state.next] = name
            return state.next
        }
    }

    /// Notes that an operation ended. Harmless when it was noted before.
    public func end(_ operation: UInt64) {
        state.withLock { _ = $0.names.removeValue(forKey: operation) }
    }

    /// The names of what is running, oldest first.
    public var pending: [String] {
        state.withLock { state in state.names.sorted { $0.key < $1.key }.map(\.value) }
    }
}
