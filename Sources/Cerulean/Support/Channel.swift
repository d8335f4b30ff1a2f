// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What a full buffer does with one more value.
public enum OverflowRule: Hashable, Sendable {
    /// The oldest waiting value goes, so that what is read is as new as possible.
    case dropOldest
    /// The new value goes, so that what is read is gapless up to the first loss.
    case dropNewest
}

/// A bounded queue from a host's loop to consumers, handed over in batches: one wake-up, many elements.
///
/// Senders never wait. Several consumers may take turns; each element reaches one of them.
final class Channel<Element: Sendable>: Sendable {
    struct Entry: Sendable {
        var element: Element
        /// How many elements were dropped between the entry before and this one.
        var droppedBefore: Int
    }

    /// What a consumer got.
    enum Taken {
        case batch
        case empty
        case finished
        case failed(BluetoothError)
    }

    private struct State {
        var queue: [Entry] = []
        var head = 0
        var isOver = false
        var failure: BluetoothError?
        var dropped = 0
        var droppedSince = 0
        var nextWaiter: UInt64 = 0
        var waiters: [(id: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
        /// A wake-up was promised by `enqueue`.
        var isWakeDue = false
    }

    /// What became of an element.
    struct Sent {
        /// Nothing was dropped for it.
        var isKept: Bool
        /// A consumer waits: call ``wake()`` when no more elements come for now.
        var needsWake: Bool
    }

    let capacity: Int
    let overflow: OverflowRule
    private let state = Mutex(State())

    /// A queue of at most `capacity` elements, at least one.
    init(capacity: Int, overflow: OverflowRule) {
        self.capacity = max(1, capacity)
        self.overflow = overflow
    }

    /// How many elements were dropped so far.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Queues an element and wakes a consumer; false when one had to be dropped for it, or it was itself dropped.
    @discardableResult
    func send(_ element: Element) -> Bool {
        let sent = enqueue(element)
        if sent.needsWake { wake() }
        return sent.isKept
    }

    /// Queues an element. Waking costs far more than queueing: whoever has several elements wakes once behind the last.
    func enqueue(_ element: Element) -> Sent {
        state.withLock { state in
            guard !state.isOver else { return Sent(isKept: false, needsWake: false) }
            var isKept = true
            if state.queue.count - state.head >= capacity {
                isKept = false
                state.dropped += 1
                guard overflow == .dropOldest else {
                    state.droppedSince += 1
                    return Sent(isKept: false, needsWake: false)
                }
                Self.dropOldest(&state)
            }
            if state.head > capacity {
                state.queue.removeFirst(state.head)
                state.head = 0
            }
            state.queue.append(Entry(element: element, droppedBefore: state.droppedSince))
            state.droppedSince = 0
            let needsWake = !state.waiters.isEmpty && !state.isWakeDue
            if needsWake { state.isWakeDue = true }
            return Sent(isKept: isKept, needsWake: needsWake)
        }
    }

    /// Wakes the consumer that waits longest.
    func wake() {
        let woken = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.isWakeDue = false
            return state.waiters.isEmpty ? nil : state.waiters.removeFirst().continuation
        }
        woken?.resume()
    }

    /// The oldest goes; whoever is the next in line carries the count.
    private static func dropOldest(_ state: inout State) {
        let lost = state.queue[state.head].droppedBefore + 1
        state.head += 1
        if state.head < state.queue.count {
            state.queue[state.head].droppedBefore += lost
        } else {
            state.droppedSince += lost
        }
    }

    /// Ends the queue, with an error if there is one. What waits in it is still delivered. The first end counts.
    func end(_ failure: BluetoothError? = nil) {
        let woken = state.withLock { state in
            if !state.isOver {
                state.isOver = true
                state.failure = failure
            }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in woken { waiter.continuation.resume() }
    }

    /// Moves all that waits into `batch`, which must have been read to its end, and tells where it begins.
    func take(into batch: inout [Entry], from start: inout Int) -> Taken {
        batch.removeAll(keepingCapacity: true)
        return state.withLock { state in
            if state.head < state.queue.count {
                swap(&state.queue, &batch)
                start = state.head
                state.head = 0
                return .batch
            }
            guard state.isOver else { return .empty }
            if let failure = state.failure {
                // An error is told once; whoever asks again gets the end.
                state.failure = nil
                return .failed(failure)
            }
            return .finished
        }
    }

    /// Removes the oldest element alone.
    func takeFirst() -> Element? {
        state.withLock { state in
            guard state.head < state.queue.count else { return nil }
            let element = state.queue[state.head].element
            state.head += 1
            // What was taken does not stay alive for long, and each element is moved at most once on average.
            if state.head >= 64, state.head * 2 >= state.queue.count {
                state.queue.removeFirst(state.head)
                state.head = 0
            }
            return element
        }
    }

    /// The oldest element alone: whoever stops reading leaves the rest to others. Nil at the end and when the task is cancelled.
    func next(isolation: isolated (any Actor)? = #isolation) async throws(BluetoothError) -> Element? {
        while true {
            if Task.isCancelled { return nil }
            if let element = takeFirst() { return element }
            let (isOver, failure) = state.withLock { state -> (Bool, BluetoothError?) in
                guard state.isOver, state.head >= state.queue.count else { return (false, nil) }
                defer { state.failure = nil }
                return (true, state.failure)
            }
            if let failure { throw failure }
            if isOver { return nil }
            await wait()
        }
    }

    /// True when it was ended and everything was taken.
    var isFinished: Bool { state.withLock { $0.isOver && $0.head >= $0.queue.count } }

    /// Suspends until there may be something to take, or the task is cancelled.
    func wait(isolation: isolated (any Actor)? = #isolation) async {
        let id = state.withLock { state in
            state.nextWaiter &+= 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    // The flag is set before the handler below runs, and both hold the lock: one of the two sees the other.
                    if state.head < state.queue.count || state.isOver || Task.isCancelled { return true }
                    state.waiters.append((id, continuation))
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            let woken = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
                return state.waiters.remove(at: index).continuation
            }
            woken?.resume()
        }
    }
}

/// Reads a ``Channel`` one element at a time, a batch at each wake-up.
struct ChannelReader<Element: Sendable> {
    let channel: Channel<Element>
    private var batch: [Channel<Element>.Entry] = []
    private var index = 0

    init(_ channel: Channel<Element>) { self.channel = channel }

    /// The next entry of the batch at hand, without suspending; nil when there is none or the task is cancelled.
    @inline(__always)
    mutating func nextAtHand() -> Channel<Element>.Entry? {
        guard index < batch.count, !Task.isCancelled else { return nil }
        defer { index += 1 }
        return batch[index]
    }

    /// The next entry; nil at the end and when the task is cancelled, which discards the local batch.
    mutating func next(
        isolation: isolated (any Actor)? = #isolation
    ) async throws(BluetoothError) -> Channel<Element>.Entry? {
        while index >= batch.count {
            if Task.isCancelled { return nil }
            switch channel.take(into: &batch, from: &index) {
            case .batch: break
            case .finished:
                index = 0
                return nil
            case .failed(let error):
                index = 0
                throw error
            case .empty:
                index = 0
                await channel.wait()
            }
        }
        if Task.isCancelled {
            batch.removeAll()
            index = 0
            return nil
        }
        defer { index += 1 }
        return batch[index]
    }
}
