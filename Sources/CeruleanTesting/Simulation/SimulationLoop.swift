// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// The serial executor of hosts and their actors in a simulation.
final class SimulationLoop: EventLoop {
    let core: SimulationCore
    let tasks: SimulationTasks

    init(_ core: SimulationCore, _ tasks: SimulationTasks) {
        self.core = core
        self.tasks = tasks
    }

    var now: MonotonicTime { core.now }
    var taskExecutor: (any TaskExecutor)? { tasks }
    var backgroundExecutor: (any TaskExecutor)? { tasks }
    var registry: OperationRegistry? { core.registry }

    func enqueue(_ job: consuming ExecutorJob) { core.enqueue(.loop(UnownedJob(job))) }
    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
    func isIsolatingCurrentContext() -> Bool? { core.isCurrent }
    func checkIsolated() { precondition(core.isCurrent, "not on the simulation's thread") }

    func execute(_ job: @escaping @Sendable () -> Void) { core.enqueue(.block(job)) }
    func schedule(at moment: MonotonicTime, _ job: @escaping @Sendable () -> Void) -> LoopTimer {
        core.schedule(at: moment, job)
    }
    func cancel(_ timer: LoopTimer) { core.cancel(timer) }
    func shutdown() {}
}

/// Where the tasks of a simulation run. Another object than the loop: were they one, every few awaits became a new job.
final class SimulationTasks: TaskExecutor {
    let core: SimulationCore
    init(_ core: SimulationCore) { self.core = core }
    func enqueue(_ job: consuming ExecutorJob) { core.enqueue(.task(UnownedJob(job))) }
    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}
