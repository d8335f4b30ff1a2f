// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanTesting
import Dispatch
import Synchronization
import Testing

/// An actor on the loop, as hosts are.
private actor Station {
    nonisolated let loop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var log: [String] = []

    init(_ loop: any EventLoop) { self.loop = loop }

    func note(_ text: String) { log.append("\(loop.now.nanoseconds) \(text)") }
    nonisolated func noteLater(_ text: String, after delay: Duration) {
        _ = loop.schedule(at: loop.now + delay) { [self] in assumeIsolated { $0.note(text) } }
    }
}

@Suite struct SimulationTests {
    @Test func anHourTakesNoTime() async throws {
        let elapsed = try await Simulation.run { simulation in
            let start = simulation.clock.now
            try await simulation.advance(by: .seconds(3600))
            return start.duration(to: simulation.clock.now)
        }
        #expect(elapsed == .seconds(3600))
    }

    @Test func timersFireInTheOrderOfTheirMomentsThenOfTheirMaking() async throws {
        let order = try await Simulation.run { simulation in
            let fired = Noted()
            for (name, delay) in [("c", 3), ("a", 1), ("b1", 2), ("b2", 2)] {
                _ = simulation.loop.schedule(at: simulation.now + .milliseconds(delay)) { fired.add(name) }
            }
            let cancelled = simulation.loop.schedule(at: simulation.now + .milliseconds(1)) { fired.add("never") }
            simulation.loop.cancel(cancelled)
            try await simulation.advance(by: .milliseconds(10))
            return fired.all
        }
        #expect(order == ["a", "b1", "b2", "c"])
    }

    @Test func theSameSeedGivesTheSameRun() async throws {
        func run(_ seed: UInt64) async throws -> [String] {
            try await Simulation.run(seed: seed) { simulation in
                let station = Station(simulation.loop)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<10 {
                        group.addTask {
                            for step in 0..<10 {
                                try await simulation.clock.sleep(
                                    for: .microseconds(simulation.random(in: 1...50)))
                                await station.note("\(task).\(step)")
                                station.noteLater("late \(task).\(step)", after: .microseconds(7))
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                return await station.log + ["\(simulation.jobCount)"]
            }
        }
        let first = try await run(3)
        for _ in 0..<20 { #expect(try await run(3) == first) }
        #expect(try await run(4) != first)
    }

    @Test func aStuckRunFailsAndNamesWhatIsPending() async throws {
        let error = await #expect(throws: SimulationError.self) {
            try await Simulation.run { simulation in
                let entry = simulation.loop.registry?.begin("read of 2A19 on C4:7C:8D:00:11:22")
                let never = AsyncStream<Int> { _ in }
                for await _ in never {}
                if let entry { simulation.loop.registry?.end(entry) }
            }
        }
        #expect(error?.reason == .stuck)
        #expect(error?.pending == ["read of 2A19 on C4:7C:8D:00:11:22"])
    }

    @Test func periodicTimersDoNotHideThatNothingHappens() async throws {
        let error = await #expect(throws: SimulationError.self) {
            try await Simulation.run(limit: .seconds(10)) { simulation in
                @Sendable func tick() {
                    _ = simulation.loop.schedule(at: simulation.now + .seconds(1)) { tick() }
                }
                tick()
                let never = AsyncStream<Int> { _ in }
                for await _ in never {}
            }
        }
        #expect(error?.reason == .beyondLimit)
    }

    @Test func errorsOfTheBodyComeOut() async throws {
        await #expect(throws: BluetoothError(.notFound, "here")) {
            try await Simulation.run { _ in throw BluetoothError(.notFound, "here") }
        }
    }

    @Test func aHoldKeepsTheClockForWorkOutside() async throws {
        let moment = try await Simulation.run { simulation in
            let hold = simulation.hold()
            let box = SharedMoment()
            DispatchQueue.global().async {
                simulation.loop.execute {
                    box.set(simulation.now)
                    hold.release()
                }
            }
            try await simulation.advance(by: .seconds(5))
            return box.value
        }
        #expect(moment == .zero)
    }

    @Test func sleepingTasksEndWhenCancelled() async throws {
        try await Simulation.run { simulation in
            let clock = simulation.clock
            let start = clock.now
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    do {
                        try await clock.sleep(for: .seconds(100))
                        return false
                    } catch is CancellationError { return true }
                }
                try await simulation.advance(by: .seconds(1))
                group.cancelAll()
                #expect(try await group.next() == true)
            }
            #expect(start.duration(to: clock.now) == .seconds(1))
        }
    }
}

private final class SharedMoment: Sendable {
    private let state = Mutex<MonotonicTime?>(nil)
    var value: MonotonicTime? { state.withLock { $0 } }
    func set(_ moment: MonotonicTime) { state.withLock { $0 = moment } }
}

/// A list that may be added to from anywhere.
final class Noted: Sendable {
    private let state = Mutex<[String]>([])
    var all: [String] { state.withLock { $0 } }
    func add(_ text: String) { state.withLock { $0.append(text) } }
}
