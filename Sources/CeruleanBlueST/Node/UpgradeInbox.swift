// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire
import Synchronization

/// What a board says during an upgrade, in order, until the procedure takes it.
final class UpgradeInbox: Sendable {
    private struct State {
        var values: [(UpgradeChannel, [UInt8])] = []
        var failure: BluetoothError?
        var bell: Answer<Void>?
    }

    /// Values beyond this are dropped: no board says so much.
    private static let limit = 1024
    private let state = Mutex(State())

    func put(_ channel: UpgradeChannel, _ bytes: [UInt8]) {
        let bell = state.withLock { state in
            if state.values.count < Self.limit { state.values.append((channel, bytes)) }
            return state.bell
        }
        bell?.resolve(.success(()))
    }

    func fail(_ error: BluetoothError) {
        let bell = state.withLock { state in
            state.failure = state.failure ?? error
            return state.bell
        }
        bell?.resolve(.success(()))
    }

    /// The next value; nil if there is none.
    ///
    /// - Throws: `BluetoothError` when the link is gone and nothing is left.
    func take() throws(BluetoothError) -> (UpgradeChannel, [UInt8])? {
        let (value, failure) = state.withLock { state in
            state.values.isEmpty ? (nil, state.failure) : (state.values.removeFirst(), nil)
        }
        if let failure { throw failure }
        return value
    }

    /// Waits until something is there, but not longer.
    func wait(on loop: any EventLoop, until deadline: MonotonicTime) async {
        let bell = Answer<Void>()
        let isThere = state.withLock { state in
            state.bell = bell
            return !state.values.isEmpty || state.failure != nil
        }
        if !isThere { _ = try? await bell.value(on: loop, timeout: deadline - loop.now, "waiting for the board") }
        state.withLock { $0.bell = nil }
    }
}
