// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// True once, for whoever asks first.
final class Once: Sendable {
    private let isTaken = Atomic(false)

    func isFirst() -> Bool {
        !isTaken.load(ordering: .relaxed) && !isTaken.exchange(true, ordering: .relaxed)
    }
}
