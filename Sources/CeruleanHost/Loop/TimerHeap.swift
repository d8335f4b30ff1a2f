// SPDX-License-Identifier: Apache-2.0

package import CeruleanWire

/// Scheduled jobs in the order in which they are due; equal moments in the order of scheduling.
///
/// Cancelling marks: a cancelled job leaves when it reaches the top, and when more than half are cancelled all of them do.
package struct TimerHeap: Sendable {
    private struct Entry: Sendable {
        var moment: MonotonicTime
        var number: UInt64

        static func < (a: Entry, b: Entry) -> Bool { (a.moment, a.number) < (b.moment, b.number) }
    }

    private var heap: [Entry] = []
    private var jobs: [UInt64: @Sendable () -> Void] = [:]
    private var nextNumber: UInt64 = 1

    /// Nothing waits.
    package init() {}

    /// When the next job is due; `distantFuture` when there is none.
    package var nextDeadline: MonotonicTime {
        mutating get {
            dropCancelled()
            return heap.first?.moment ?? .distantFuture
        }
    }

    /// Jobs that wait.
    package var count: Int { jobs.count }

    /// Adds a job for `moment`.
    package mutating func add(at moment: MonotonicTime, _ job: @escaping @Sendable () -> Void) -> LoopTimer {
        let number = nextNumber
        nextNumber += 1
        jobs[number] = job
        heap.append(Entry(moment: moment, number: number))
        siftUp(heap.count - 1)
        return LoopTimer(rawValue: number)
    }

    /// Returns the job, so that its owner lets go of it where the end of what it holds may call back.
    @discardableResult
    package mutating func cancel(_ timer: LoopTimer) -> (@Sendable () -> Void)? {
        guard let job = jobs.removeValue(forKey: timer.rawValue) else { return nil }
        if heap.count > 64, heap.count > 2 * jobs.count {
            heap = heap.filter { jobs[$0.number] != nil }.sorted { $0 < $1 }
        }
        return job
    }

    /// Takes the first job that is due at `now`.
    package mutating func popDue(at now: MonotonicTime) -> (@Sendable () -> Void)? {
        dropCancelled()
        guard let first = heap.first, first.moment <= now else { return nil }
        removeFirst()
        return jobs.removeValue(forKey: first.number)
    }

    // MARK: - private

    private mutating func dropCancelled() {
        while let first = heap.first, jobs[first.number] == nil { removeFirst() }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0, heap[child] < heap[(child - 1) / 2] {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }
}
