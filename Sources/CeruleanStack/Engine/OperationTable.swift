// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// Something that somebody waits for. It ends exactly once: whoever takes it out of the table tells.
class PendingOperation {
    fileprivate(set) var id = OperationID(rawValue: 0)
    fileprivate var sequence: UInt64 = 0
    var deadline: MonotonicTime
    /// The link that it needs.
    var link: LinkID?

    init(deadline: MonotonicTime, link: LinkID?) {
        self.deadline = deadline
        self.link = link
    }

    /// Tells the error and stops what runs.
    func fail(_ error: HostError) {}
}

/// An operation that ends by a closure.
final class ClosureOperation: PendingOperation {
    var failed: (HostError) -> Void

    init(deadline: MonotonicTime, link: LinkID?, failed: @escaping (HostError) -> Void) {
        self.failed = failed
        super.init(deadline: deadline, link: link)
    }

    override func fail(_ error: HostError) { failed(error) }
}

/// The running operations: entering and taking out cost the same however many there are, and need no hashing.
struct OperationTable {
    private struct Slot {
        var generation: UInt32 = 1
        var operation: PendingOperation?
    }

    private var slots: [Slot] = []
    private var free: [Int] = []
    private var lastSequence: UInt64 = 0

    /// The earliest deadline.
    var nextDeadline: MonotonicTime {
        slots.reduce(.distantFuture) { min($0, $1.operation?.deadline ?? .distantFuture) }
    }

    /// Enters an operation and gives it its identifier.
    mutating func add(_ operation: PendingOperation) {
        let index: Int
        if let reused = free.popLast() {
            index = reused
        } else {
            index = slots.count
            slots.append(Slot())
        }
        lastSequence &+= 1
        operation.sequence = lastSequence
        operation.id = OperationID(rawValue: UInt64(slots[index].generation) << 32 | UInt64(index))
        slots[index].operation = operation
    }

    /// An identifier that belongs to nothing, for operations that end at once.
    mutating func unused() -> OperationID {
        lastSequence &+= 1
        return OperationID(rawValue: lastSequence << 32 | 0xFFFF_FFFF)
    }

    func contains(_ id: OperationID) -> Bool { self[id] != nil }

    subscript(id: OperationID) -> PendingOperation? {
        let index = Int(id.rawValue & 0xFFFF_FFFF)
        guard index < slots.count, UInt64(slots[index].generation) == id.rawValue >> 32 else { return nil }
        return slots[index].operation
    }

    /// Takes an operation out; nil for all but the first.
    mutating func remove(_ id: OperationID) -> PendingOperation? {
        guard let operation = self[id] else { return nil }
        let index = Int(id.rawValue & 0xFFFF_FFFF)
        slots[index].operation = nil
        slots[index].generation &+= 1
        free.append(index)
        return operation
    }

    /// Those that `matches`, oldest first.
    func all(where matches: (PendingOperation) -> Bool = { _ in true }) -> [OperationID] {
        slots.compactMap(\.operation).filter(matches).sorted { $0.sequence < $1.sequence }.map(\.id)
    }
}
