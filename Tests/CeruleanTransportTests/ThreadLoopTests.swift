// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanTransport
import CeruleanWire
import Synchronization
import Testing

@Suite struct ThreadLoopTests {
    final class Log: Sendable {
        private let entries = Mutex<[Int]>([])
        func add(_ number: Int) { entries.withLock { $0.append(number) } }
        var all: [Int] { entries.withLock { $0 } }
    }

    @Test func runsJobsInTheOrderOfTheCalls() throws {
        let loop = try ThreadLoop()
        let log = Log()
        for number in 0..<1_000 { loop.execute { log.add(number) } }
        loop.shutdown()
        #expect(log.all == Array(0..<1_000))
    }

    @Test func runsTimersInTheOrderOfTheirMoments() async throws {
        let loop = try ThreadLoop()
        let log = Log()
        let start = loop.now
        await withCheckedContinuation { continuation in
            _ = loop.schedule(at: start + .milliseconds(3)) {
                log.add(3)
                continuation.resume()
            }
            _ = loop.schedule(at: start + .milliseconds(1)) { log.add(1) }
            _ = loop.schedule(at: start + .milliseconds(2)) { log.add(2) }
            let cancelled = loop.schedule(at: start + .milliseconds(2)) { log.add(99) }
            loop.cancel(cancelled)
        }
        loop.shutdown()
        #expect(log.all == [1, 2, 3])
        #expect(loop.now >= start + .milliseconds(3))
    }

    @Test func isTheExecutorOfActors() async throws {
        actor Counter {
            nonisolated let loop: ThreadLoop
            nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
            var count = 0
            init(_ loop: ThreadLoop) { self.loop = loop }
            func add() -> Bool {
                count += 1
                return loop.isCurrent
            }
            nonisolated func addFromCallback() { assumeIsolated { $0.count += 1 } }
        }
        let loop = try ThreadLoop()
        let counter = Counter(loop)
        #expect(await counter.add())
        #expect(loop.isCurrent == false)
        await withCheckedContinuation { continuation in
            loop.execute {
                counter.addFromCallback()
                continuation.resume()
            }
        }
        #expect(await counter.count == 2)
        loop.shutdown()
    }

    @Test func runsTasksThatPreferItsThread() async throws {
        let loop = try ThreadLoop()
        let log = Log()
        #expect(!loop.isCurrent)
        await withTaskExecutorPreference(loop.taskExecutor) {
            log.add(loop.isCurrent ? 1 : 0)
            await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
            log.add(loop.isCurrent ? 2 : 0)
        }
        #expect(!loop.isCurrent)
        loop.shutdown()
        #expect(log.all == [1, 2])
    }

    @Test(.timeLimit(.minutes(1))) func workThatBringsWorkStarvesNoTimer() throws {
        let loop = try ThreadLoop()
        let log = Log()
        @Sendable func again() { if log.all.isEmpty { loop.execute(again) } }
        loop.execute(again)
        _ = loop.schedule(at: loop.now) { log.add(1) }
        loop.shutdown()
        #expect(log.all == [1])
    }

    @Test func sleepsUntilAMomentAndEndsEarlyWhenCancelled() async throws {
        let loop = try ThreadLoop()
        // A moment that has come already, and one that never comes.
        try await loop.sleep(until: .zero)
        let task = Task { try await loop.sleep(until: .distantFuture) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        loop.shutdown()
    }

    @Test func theEndOfTheLoopEndsSleeps() async throws {
        let loop = try ThreadLoop()
        let task = Task { try await loop.sleep(for: .seconds(3600)) }
        // Whether the sleep has begun by now or not, it ends.
        loop.shutdown()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func aJobAfterTheEndStillRuns() async throws {
        let loop = try ThreadLoop()
        let log = Log()
        loop.execute { log.add(1) }
        loop.shutdown()
        #expect(log.all == [1])
        await withCheckedContinuation { continuation in
            loop.execute {
                log.add(2)
                continuation.resume()
            }
        }
        #expect(log.all == [1, 2])
    }
}
