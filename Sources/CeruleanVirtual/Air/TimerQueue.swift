// SPDX-License-Identifier: Apache-2.0

/// Something that is due at a moment. It knows its place in the queue, so that moving it costs no allocation.
final class TimerNode {
    fileprivate(set) var time: Int64 = 0
    fileprivate var sequence: UInt64 = 0
    fileprivate var place = -1
    let action: (Int64) -> Void

    init(_ action: @escaping (Int64) -> Void) { self.action = action }

    var isScheduled: Bool { place >= 0 }
}

/// Timers ordered by moment, then by the order in which they were set: a binary heap.
struct TimerQueue {
    private var heap: [TimerNode] = []
    private var sequence: UInt64 = 0

    var first: Int64? { heap.first?.time }
    var count: Int { heap.count }

    /// Sets `node`, also when it is set already.
    mutating func schedule(_ node: TimerNode, at time: Int64) {
        sequence += 1
        node.time = time
        node.sequence = sequence
        if node.place < 0 {
            node.place = heap.count
            heap.append(node)
            siftUp(node.place)
        } else {
            siftUp(node.place)
            siftDown(node.place)
        }
    }

    mutating func cancel(_ node: TimerNode) {
        let place = node.place
        guard place >= 0 else { return }
        node.place = -1
        let last = heap.removeLast()
        guard place < heap.count else { return }
        heap[place] = last
        last.place = place
        siftUp(place)
        siftDown(last.place)
    }

    /// Takes the first timer that is due at `time`.
    mutating func popDue(at time: Int64) -> TimerNode? {
        guard let node = heap.first, node.time <= time else { return nil }
        cancel(node)
        return node
    }

    // MARK: - private

    private func isBefore(_ a: TimerNode, _ b: TimerNode) -> Bool {
        a.time != b.time ? a.time < b.time : a.sequence < b.sequence
    }

    private mutating func siftUp(_ start: Int) {
        var place = start
        let node = heap[place]
        while place > 0 {
            let parent = (place - 1) / 2
            guard isBefore(node, heap[parent]) else { break }
            heap[place] = heap[parent]
            heap[place].place = place
            place = parent
        }
        heap[place] = node
        node.place = place
    }

    private mutating func siftDown(_ start: Int) {
        var place = start
        let node = heap[place]
        while true {
            var child = 2 * place + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, isBefore(heap[child + 1], heap[child]) { child += 1 }
            guard isBefore(heap[child], node) else { break }
            heap[place] = heap[child]
            heap[place].place = place
            place = child
        }
        heap[place] = node
        node.place = place
    }
}
