// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire
import Glibc
import Synchronization

/// The loop that runs on the present thread, as a number; 0 on other threads. A thread-local of the C library.
private let currentLoopKey: pthread_key_t = {
    var key = pthread_key_t()
    unsafe pthread_key_create(&key, nil)
    return key
}()

extension ThreadLoop {
    /// Identity of the loop whose thread this is, 0 if it is none.
    var currentLoop: UInt { unsafe UInt(bitPattern: pthread_getspecific(currentLoopKey)) }

    /// The thread's body.
    func run() {
        unsafe pthread_setspecific(
            currentLoopKey, UnsafeRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier(self))))
        var batch: [Work] = []
        var polls: [pollfd] = []
        var ready: [Ready] = []
        var generations: [UInt64] = []
        while true {
            let wasBusy = performWork(&batch)
            runTimers()
            dispatch(ready)
            ready.removeAll(keepingCapacity: true)
            if !wasBusy, endIfDone() { return }
            poll(&polls, &generations, into: &ready)
        }
    }

    // MARK: - private

    /// A descriptor that was ready, and the watch that asked.
    private struct Ready {
        var descriptor: Int32
        var generation: UInt64
        var readiness: Readiness
    }

    /// How often new work goes first, before timers and descriptors have their turn: looking at them costs more than most work.
    private static var roundsOfWork: Int { 8 }

    /// Performs what waits, and what that adds. False when nothing waited.
    private func performWork(_ batch: inout [Work]) -> Bool {
        for round in 0..<Self.roundsOfWork {
            state.withLock { state in swap(&batch, &state.work) }
            if batch.isEmpty { return round > 0 }
            for work in batch { perform(work) }
            batch.removeAll(keepingCapacity: true)
        }
        return true
    }

    private func perform(_ work: Work) {
        switch work {
        case .job(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        case .task(let job, let executor): unsafe job.runSynchronously(on: executor)
        case .block(let block): block()
        }
    }

    /// Runs the timers that are due. One that they add for a moment that has passed runs in the next round.
    private func runTimers() {
        let now = self.now
        var left = state.withLock { $0.timers.count }
        while left > 0, let job = state.withLock({ $0.timers.popDue(at: now) }) {
            job()
            left -= 1
        }
    }

    private func dispatch(_ ready: [Ready]) {
        for entry in ready {
            // An earlier handler or job may have removed the watch, or the number may belong to a new one.
            guard let watch = state.withLock({ $0.watches[entry.descriptor] }), watch.generation == entry.generation
            else { continue }
            let wanted = entry.readiness.intersection(watch.interest.union(.failed))
            if !wanted.isEmpty { watch.handler(wanted) }
        }
    }

    private func endIfDone() -> Bool {
        // What timers and watches hold goes outside of the lock: its end may come back to the loop.
        let dropped = state.withLock { state -> (TimerHeap, [Int32: Watch])? in
            guard state.isStopping, state.work.isEmpty else { return nil }
            let dropped = (state.timers, state.watches)
            state.timers = TimerHeap()
            state.watches = [:]
            state.isEnded = true
            return dropped
        }
        return dropped != nil
    }

    private func poll(_ polls: inout [pollfd], _ generations: inout [UInt64], into ready: inout [Ready]) {
        polls.removeAll(keepingCapacity: true)
        generations.removeAll(keepingCapacity: true)
        polls.append(pollfd(fd: wakeUp.read, events: Int16(POLLIN), revents: 0))
        // With work waiting the descriptors are looked at without sleeping, so that neither starves the other.
        let deadline = state.withLock { state -> MonotonicTime in
            for (descriptor, watch) in state.watches {
                var events: Int32 = 0
                if watch.interest.contains(.readable) { events |= POLLIN }
                if watch.interest.contains(.writable) { events |= POLLOUT }
                polls.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
                generations.append(watch.generation)
            }
            guard state.work.isEmpty, !state.isStopping else { return .zero }
            state.isSleeping = true
            return state.timers.nextDeadline
        }
        let count = unsafe Glibc.poll(&polls, nfds_t(polls.count), milliseconds(until: deadline))
        state.withLock { $0.isSleeping = false }
        guard count > 0 else { return }
        if polls[0].revents != 0 { drainWakeUp() }
        for (entry, generation) in zip(polls.dropFirst(), generations) where entry.revents != 0 {
            var readiness: Readiness = []
            if entry.revents & Int16(POLLIN | POLLHUP) != 0 { readiness.insert(.readable) }
            if entry.revents & Int16(POLLOUT) != 0 { readiness.insert(.writable) }
            if entry.revents & Int16(POLLERR | POLLNVAL) != 0 { readiness.insert(.failed) }
            ready.append(Ready(descriptor: entry.fd, generation: generation, readiness: readiness))
        }
    }

    /// Whole milliseconds, rounded up so that a timer is due when the sleep ends; -1 without a deadline.
    private func milliseconds(until deadline: MonotonicTime) -> Int32 {
        guard deadline != .distantFuture else { return -1 }
        guard deadline != .zero else { return 0 }
        let nanoseconds = max(0, deadline.nanoseconds.subtractingReportingOverflow(now.nanoseconds).partialValue)
        return Int32(clamping: min(nanoseconds, 3_600_000_000_000) / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1))
    }

    private func drainWakeUp() {
        var octets = [UInt8](repeating: 0, count: 64)
        while unsafe Glibc.read(wakeUp.read, &octets, 64) == 64 {}
    }
}
