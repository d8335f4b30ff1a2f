// SPDX-License-Identifier: Apache-2.0

/// Something that is due at a moment. It knows its place in the queue, so that moving it costs no allocation.
final class TimerNode {
    fileprivate(set) var time: Int64 = 0
    fileprivate var place = -1
    let action: (Int64) -> Void

    init(_ action: @escaping (Int64) -> Void) { self.action = action }

    var isScheduled: Bool { place >= 0 }
}

/// Timers ordered by moment, then by the order in which they were set: a binary heap.
struct TimerQueue {
    /// The keys lie beside the node, so that comparing does not touch it.
    private struct Entry {
        var time: Int64
        var sequence: UInt64
        var node: TimerNode

        func isBefore(_ other: Self) -> Bool {
            time != other.time ? time < other.time : sequence < other.sequence
        }
    }

    private var heap: [Entry] = []
    private var sequence: UInt64 = 0

    var first: Int64? { heap.first?.time }
    var count: Int { heap.count }

    /// Sets `node`, also when it is set already.
    mutating func schedule(_ node: TimerNode, at time: Int64) {
        sequence += 1
        node.time = time
        let entry = Entry(time: time, sequence: sequence, node: node)
        if node.place < 0 {
            heap.append(entry)
            siftUp(entry, from: heap.count - 1)
        } else {
            move(entry, from: node.place)
        }
    }

    mutating func cancel(_ node: TimerNode) {
        let place = node.place
        guard place >= 0 else { return }
        node.place = -1
        let last = heap.removeLast()
        if place < heap.count { move(last, from: place) }
    }

    /// Takes the first timer that is due at `time`.
    mutating func popDue(at time: Int64) -> TimerNode? {
        guard let first = heap.first, first.time <= time else { return nil }
        cancel(first.node)
        return first.node
    }

    // MARK: - private

    private mutating func put(_ entry: Entry, at place: Int) {
        heap[place] = entry
        entry.node.place = place
    }

    private mutating func move(_ entry: Entry, from place: Int) {
        if place > 0, entry.isBefore(heap[(place - 1) / 2]) {
            siftUp(entry, from: place)
        } else {
            siftDown(entry, from: place)
        }
    }

    private mutating func siftUp(_ entry: Entry, from start: Int) {
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard entry.isBefore(heap[parent]) else { break }
            put(heap[parent], at: place)
            place = parent
        }
        put(entry, at: place)
    }

    private mutating func siftDown(_ entry: Entry, from start: Int) {
        var place = start
        while true {
            var child = 2 * place + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(entry) else { break }
            put(heap[child], at: place)
            place = child
        }
        put(entry, at: place)
    }
}
