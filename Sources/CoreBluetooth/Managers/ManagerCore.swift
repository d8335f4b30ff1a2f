// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

/// What stands between a manager and its radio: calls go to the radio's loop, events come back on the manager's queue,
/// both in order.
@usableFromInline
final class ManagerCore: Sendable {
    private static let numbers = Atomic<UInt64>(0)
    /// Values and requests that wait for the queue; more are dropped and reported.
    static let maximumBacklog = 65_536
    /// Sightings that wait for the queue; more are dropped.
    static let maximumSightings = 1024

    /// Names the manager among those of its radio.
    let number: UInt64
    let queue: DispatchQueue
    let source: RadioSource
    private let owner = Guarded(Weak<CBManager>(nil))
    private let waiting = Atomic<Int>(0)

    init(queue: DispatchQueue?, source: RadioSource) {
        number = Self.numbers.add(1, ordering: .relaxed).newValue
        self.queue = queue ?? .main
        self.source = source
    }

    func belongs(to manager: CBManager) { owner { $0.object = manager } }

    /// The manager, unless it is gone.
    var manager: CBManager? { owner { $0.object } }

    /// Runs `body` on the manager's queue behind everything that was delivered before.
    func deliver(_ body: @escaping @Sendable (CBManager) -> Void) {
        let hold = source.hold?()
        waiting.add(1, ordering: .relaxed)
        let job: @Sendable () -> Void = { [self] in
            waiting.subtract(1, ordering: .relaxed)
            withExtendedLifetime(hold) {
                if let manager { body(manager) }
            }
        }
        if let execute = source.execute { execute(job) } else { queue.async(execute: job) }
    }

    func deliver(toCentral body: @escaping @Sendable (CBCentralManager) -> Void) {
        deliver { manager in (manager as? CBCentralManager).map(body) }
    }

    func deliver(toServer body: @escaping @Sendable (CBPeripheralManager) -> Void) {
        deliver { manager in (manager as? CBPeripheralManager).map(body) }
    }

    /// Delivers unless `limit` deliveries wait already; false when it did not.
    func deliver(
        toCentralWithin limit: Int, _ body: @escaping @Sendable (CBCentralManager) -> Void
    ) -> Bool {
        guard waiting.load(ordering: .relaxed) < limit else { return false }
        deliver(toCentral: body)
        return true
    }

    /// Runs `body` on the radio's loop once it is open; never, if it cannot be opened.
    func onRadio(_ body: @escaping @Sendable (isolated Radio) -> Void) { source.run(body) }
}
