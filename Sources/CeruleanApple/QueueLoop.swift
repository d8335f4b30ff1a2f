// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreBluetooth)
public import CeruleanHost
public import CeruleanWire
public import Dispatch
import Foundation
import Synchronization

/// A loop on a serial dispatch queue: the one on which Apple's framework calls its delegates.
public final class QueueLoop: EventLoop {
    private static let key = DispatchSpecificKey<ObjectIdentifier>()
    private static let start = ContinuousClock.now

    /// The queue; serial.
    public let queue: DispatchQueue
    private let timers = Mutex<(next: UInt64, items: [UInt64: @Sendable () -> Void])>((0, [:]))

    /// A loop on a queue of its own.
    public init(label: String) {
        queue = DispatchQueue(label: label)
        queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
    }

    /// The time since the process began to use loops.
    public var now: MonotonicTime { .zero + (ContinuousClock.now - Self.start) }

    /// Runs a job behind those that wait.
    public func execute(_ job: @escaping @Sendable () -> Void) { queue.async(execute: job) }

    /// Runs a job at a moment.
    public func schedule(at moment: MonotonicTime, _ job: @escaping @Sendable () -> Void) -> LoopTimer {
        let number = timers.withLock { timers in
            timers.next += 1
            timers.items[timers.next] = job
            return timers.next
        }
        // What lies further away than a century is never.
        let wait = min(max(moment - now, .zero), .seconds(3_000_000_000)).components
        let deadline =
            DispatchTime.now() + .seconds(Int(wait.seconds)) + .nanoseconds(Int(wait.attoseconds / 1_000_000_000))
        queue.asyncAfter(deadline: deadline) { [weak self] in
            self?.timers.withLock { $0.items.removeValue(forKey: number) }?()
        }
        return LoopTimer(rawValue: number)
    }

    /// Forgets a job.
    public func cancel(_ timer: LoopTimer) {
        _ = timers.withLock { $0.items.removeValue(forKey: timer.rawValue) }
    }

    /// Waits for the jobs that were queued.
    public func shutdown() {
        if !isCurrent { queue.sync {} }
        timers.withLock { $0.items = [:] }
    }

    /// Runs a job of an actor on the queue.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// The queue as an executor.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    /// Whether the caller runs on the queue.
    public func isIsolatingCurrentContext() -> Bool? {
        DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self)
    }

    /// Ends the program when the caller does not run on the queue.
    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
#endif
