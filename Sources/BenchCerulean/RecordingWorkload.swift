// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanAdapters
import CeruleanBITalino
import CeruleanHost
import CeruleanRecording
import CeruleanSensing
import CeruleanTesting
import CeruleanVirtual
import CeruleanWire
import Dispatch
import Foundation
import Synchronization

/// Several simulated BITalinos, six inputs each at 1000 Hz, through the virtual air, our stacks and drivers into EDF+
/// and SQLite,
/// on virtual time: as fast as it goes. One operation is a millisecond of all boards.
enum RecordingWorkload {
    static func record(_ milliseconds: Int, boards: Int) -> Measurement {
        let done = DispatchSemaphore(value: 0)
        let result = Mutex<Measurement?>(nil)
        Task.detached {
            do {
                let measured = try await Simulation.run(seed: 1, limit: .seconds(100_000)) { simulation in
                    try await run(simulation, milliseconds, boards)
                }
                result.withLock { $0 = measured }
            } catch {
                FileHandle.standardError.write(Data("\(error)\n".utf8))
            }
            done.signal()
        }
        done.wait()
        return result.withLock { $0 } ?? Measurement(nanoseconds: 0, isRight: false)
    }

    private static func run(_ simulation: Simulation, _ milliseconds: Int, _ boards: Int) async throws -> Measurement {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let world = VirtualWorld(on: simulation.loop, seed: 1)
        let phone = world.makeHost(name: "phone")
        let central = try await Central(
            Adapter(name: "phone") { () throws(HostError) -> any CeruleanHost.Host in phone })
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<boards {
                let host = world.makeHost(name: "board", position: Position(x: 1, y: Double(number)))
                let server = try await PeripheralServer(
                    Adapter(name: "board") { () throws(HostError) -> any CeruleanHost.Host in host })
                group.addTask { try await SimulatedBITalino(name: "Board \(number)").serve(on: server) }
            }
            defer { group.cancelAll() }
            var sources: [any SampleSource] = []
            for number in 0..<boards {
                let found = try await central.first(.name("Board \(number)"))
                sources.append(
                    try await BITalinoDriver().open(found.peripheral, options: SourceOptions(rate: 1000)))
            }
            let start = ContinuousClock.now
            let summaries = try await record(sources, Double(milliseconds) / 1000, in: folder.path)
            let time = ContinuousClock.now - start
            let isRight = summaries.allSatisfy { $0.samples == milliseconds && $0.lost == 0 }
            return Measurement(nanoseconds: time.wholeNanoseconds, isRight: isRight && summaries.count == boards)
        }
    }

    private static func record(
        _ sources: [any SampleSource], _ seconds: Double, in folder: String
    ) async throws -> [RecordingSummary] {
        try await withThrowingTaskGroup(of: RecordingSummary.self) { group in
            for source in sources {
                group.addTask {
                    try await Recorder(source: source, duration: seconds).run([.edf, .sqlite], in: folder)
                }
            }
            var summaries: [RecordingSummary] = []
            for try await summary in group { summaries.append(summary) }
            return summaries
        }
    }
}
