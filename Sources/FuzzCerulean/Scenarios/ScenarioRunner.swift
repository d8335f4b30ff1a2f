// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanStack
import CeruleanTesting
import CeruleanWire
import Synchronization

/// Random scenarios of two whole stacks on virtual time.
enum ScenarioRunner {
    static func run(seed: UInt64, count: Int) -> [String] {
        CrashReport.target.store(FuzzTarget.all.count, ordering: .relaxed)
        CrashReport.seed.store(seed, ordering: .relaxed)
        var failures: [String] = []
        for number in 0..<count {
            CrashReport.input.store(number, ordering: .relaxed)
            let scenarioSeed = seed &* 1_000_003 &+ UInt64(number)
            do {
                let found = try Simulation.runBlocking(seed: scenarioSeed, limit: .seconds(7200)) { simulation in
                    try await Scenario(simulation).run()
                }
                failures += found.map { "scenario seed=\(seed) number=\(number): \($0)" }
            } catch {
                failures.append("scenario seed=\(seed) number=\(number): \(error)")
            }
        }
        return failures
    }
}

/// One scenario: a central that does everything at once, a server that answers, and an air where anything may happen.
///
/// What must hold: each operation ends once and in time; notifications arrive in order, without a gap that is not told, and
/// as they were sent; a write that succeeded was received; nothing is pending at the end; after all that, a connection works.
final class Scenario: Sendable {
    private struct State {
        var failures: [String] = []
        /// The faults so far, by their numbers in `disturb`.
        var faults: [Int] = []
        var begun = 0
        var ended = 0
        /// Numbers of writes that the server's handler took.
        var taken: Set<UInt32> = []
        var nextWrite: UInt32 = 0
        var sent: UInt32 = 0
    }

    private let simulation: Simulation
    private let hosts: TwoHosts
    private let stream = LocalCharacteristic(0x2A37, .notify)
    private let state: Shared
    private let sink: LocalCharacteristic

    private final class Shared: Sendable {
        let value = Mutex(State())
    }

    init(_ simulation: Simulation) async throws {
        self.simulation = simulation
        hosts = try await TwoHosts(simulation)
        let shared = Shared()
        state = shared
        sink = LocalCharacteristic(
            0x2A39, [.write, .writeWithoutResponse],
            onWrite: { request in
                guard request.value.count >= 4 else { throw RequestFailure.invalidValueLength }
                let number = request.value.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                shared.value.withLock { _ = $0.taken.insert(number) }
            })
    }

    func run() async throws -> [String] {
        let (stream, sink) = (stream, sink)
        try await hosts.server.publish {
            LocalService(0x180D) {
                stream
                sink
            }
            LocalService(0x180F) {
                LocalCharacteristic(0x2A19, [.read, .notify], value: [50])
                LocalCharacteristic(0x2A19, [.read], value: [UInt8](repeating: 3, count: 400))
            }
        }
        try await hosts.server.advertise(name: "scenario")
        let peripheral = await hosts.central.retrieve(PeerID(hosts.serverAddress))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.serve() }
            for _ in 0..<simulation.random(in: 1...3) { group.addTask { await self.use(peripheral) } }
            await self.disturb()
            group.cancelAll()
            await group.waitForAll()
        }
        try await recover(peripheral)
        await settle()
        return state.value.withLock { $0.failures }
    }

    // MARK: - what happens

    /// Sends numbered values as long as the scenario goes.
    private func serve() async {
        while !Task.isCancelled {
            let number = state.value.withLock { state in
                state.sent += 1
                return state.sent
            }
            do {
                try await hosts.server.update(stream, to: Self.value(number), timeout: .seconds(60))
            } catch {
                // It was not sent: its number is the last, since calls come one after the other.
                state.value.withLock { $0.sent -= 1 }
                if error.code != .cancelled, error.code != .timedOut { fail("update: \(error)") }
            }
            try? await simulation.advance(by: .milliseconds(simulation.random(in: 0...50)))
        }
    }

    /// Faults, one after the other.
    private func disturb() async {
        for _ in 0..<simulation.random(in: 2...8) {
            try? await simulation.advance(by: .milliseconds(simulation.random(in: 0...6000)))
            let fault = simulation.random(in: 0...8)
            state.value.withLock { $0.faults.append(fault) }
            switch fault {
            case 0: hosts.dropLink()
            case 1:
                hosts.goOutOfRange()
                try? await simulation.advance(by: .milliseconds(simulation.random(in: 100...20_000)))
                hosts.move(to: 1)
            case 2: hosts.setLoss(Double(simulation.random(in: 0...60)) / 100, burstLength: 3)
            case 3:
                hosts.silenceServer()
                try? await simulation.advance(by: .milliseconds(simulation.random(in: 100...15_000)))
                hosts.silenceServer(false)
            case 4:
                hosts.silenceCentral()
                try? await simulation.advance(by: .milliseconds(simulation.random(in: 100...15_000)))
                hosts.silenceCentral(false)
            case 5:
                hosts.powerOffServer()
                try? await simulation.advance(by: .milliseconds(simulation.random(in: 100...15_000)))
                hosts.powerOnServer()
            default: break
            }
        }
    }

    /// Uses the peripheral until it is told to end.
    private func use(_ peripheral: Peripheral) async {
        while !Task.isCancelled {
            let seconds = simulation.random(in: 1...20)
            guard await attempt("connect", { try await peripheral.connect(timeout: .seconds(seconds)) }) != nil else {
                try? await simulation.advance(by: .milliseconds(simulation.random(in: 10...2000)))
                continue
            }
            for _ in 0..<simulation.random(in: 1...6) where !Task.isCancelled { await act(peripheral) }
            if simulation.random(in: 0...3) == 0 {
                _ = await attempt("disconnect", { try await peripheral.disconnect(timeout: .seconds(30)) })
            }
        }
    }

    private func act(_ peripheral: Peripheral) async {
        switch simulation.random(in: 0...7) {
        case 0: _ = await attempt("discover", { try await peripheral.discover(timeout: .seconds(60)) })
        case 1:
            let value = await attempt("read", { try await peripheral.read(Battery.level, timeout: .seconds(40)) })
            if let value, value.percent != 50 { fail("read \(value)") }
        case 2:
            let value = await attempt(
                "long read",
                {
                    _ = try await peripheral.findCharacteristic(0x2A19)
                    guard let found = peripheral.characteristics(0x2A19).last else { return [UInt8]() }
                    return try await peripheral.read(found, timeout: .seconds(40))
                })
            if let value, !value.isEmpty, value != [UInt8](repeating: 3, count: 400), value != [50] {
                fail("read \(value.count) octets")
            }
        case 3: await write(peripheral)
        case 4: _ = await attempt("rssi", { try await peripheral.readRSSI(timeout: .seconds(10)) })
        case 5:
            _ = await attempt(
                "parameters",
                { try await peripheral.requestParameters(ConnectionParameterRequest(), timeout: .seconds(20)) })
        default: await listen(peripheral)
        }
    }

    private func write(_ peripheral: Peripheral) async {
        let number = state.value.withLock { state in
            state.nextWrite += 1
            return state.nextWrite
        }
        let length = simulation.random(in: 0...1) == 0 ? 20 : simulation.random(in: 20...512)
        let value = Self.value(number) + [UInt8](repeating: 9, count: length - 8)
        let written: Void? = await attempt(
            "write",
            {
                let found = try await peripheral.findCharacteristic(0x2A39)
                try await peripheral.write(value, to: found, mode: .withResponse, timeout: .seconds(40))
            })
        guard written != nil else { return }
        if !state.value.withLock({ $0.taken.contains(number) }) {
            fail("write \(number) succeeded but was not received")
        }
    }

    /// Reads values for a while: whole, in order, without an untold gap.
    private func listen(_ peripheral: Peripheral) async {
        let wanted = simulation.random(in: 1...60)
        let capacity = simulation.random(in: 0...3) == 0 ? 2 : 1024
        _ = await attempt(
            "listen",
            {
                let found = try await peripheral.findCharacteristic(0x2A37)
                let values = try await peripheral.notifications(of: found, capacity: capacity, timeout: .seconds(40))
                var before: UInt32?
                var count = 0
                for try await notification in values {
                    guard let number = Self.number(notification.value) else {
                        self.fail("a value was damaged: \(notification.value)")
                        return
                    }
                    // A controller that hangs loses what its host gave it: nobody can tell of that.
                    let mayLose = self.state.value.withLock { $0.faults.contains(3) }
                    if let before,
                        number <= before || !mayLose && number != before &+ 1 &+ UInt32(notification.droppedBefore)
                    {
                        self.fail("\(number) follows \(before), \(notification.droppedBefore) told as lost")
                        return
                    }
                    before = number
                    count += 1
                    if count == wanted { return }
                    if capacity == 2 { try await self.simulation.advance(by: .milliseconds(20)) }
                }
            })
    }

    // MARK: - the end

    /// Whatever happened, a connection works afterwards.
    private func recover(_ peripheral: Peripheral) async throws {
        hosts.move(to: 1)
        hosts.setLoss(0)
        hosts.silenceServer(false)
        hosts.silenceCentral(false)
        try await simulation.advance(by: .seconds(40))
        // A host cannot know what a controller forgot while it hung or had no power.
        if state.value.withLock({ $0.faults.contains(3) || $0.faults.contains(5) }) { try await hosts.restartServer() }
        do {
            // The central's host gave up a controller that hung.
            if hosts.central.state != .poweredOn { try await hosts.central.start() }
            try await peripheral.disconnect(timeout: .seconds(30))
            try await simulation.advance(by: .seconds(40))
            try await peripheral.connect(timeout: .seconds(60))
            let level = try await peripheral.read(Battery.level, timeout: .seconds(40))
            if level.percent != 50 { fail("read \(level) at the end") }
            try await peripheral.disconnect(timeout: .seconds(30))
        } catch let error as BluetoothError {
            let links = await hosts.serverHost.links.count
            let centrals = await hosts.server.centrals().count
            fail(
                "no connection after the scenario: \(error); central \(hosts.central.state), server \(hosts.server.state)"
                    + " with \(links) links and \(centrals) centrals, advertising \(await hosts.server.isAdvertising)")
        }
    }

    private func settle() async {
        await simulation.settle()
        let (begun, ended) = state.value.withLock { ($0.begun, $0.ended) }
        if begun != ended { fail("\(begun - ended) operations never ended") }
        if !simulation.pendingOperations.isEmpty { fail("pending: \(simulation.pendingOperations)") }
        do {
            try await hosts.central.shutdown()
            try await hosts.server.shutdown()
        } catch {
            fail("shutdown: \(error)")
        }
    }

    // MARK: -

    private func attempt<Value>(_ what: String, _ body: () async throws -> Value) async -> Value? {
        state.value.withLock { $0.begun += 1 }
        defer { state.value.withLock { $0.ended += 1 } }
        do {
            return try await body()
        } catch let error as BluetoothError {
            let expected: [BluetoothError.Code] = [
                .timedOut, .cancelled, .disconnected, .connectionFailed, .adapterFailed, .poweredOff, .staleAttribute,
                .wrongState,
            ]
            if !expected.contains(error.code) { fail("\(what): \(error)") }
        } catch is CancellationError {
        } catch {
            fail("\(what): \(error)")
        }
        return nil
    }

    private func fail(_ text: String) {
        let moment = (simulation.now - .zero).inSeconds
        state.value.withLock { $0.failures.append("at \(moment) s after faults \($0.faults): \(text)") }
    }

    /// Eight octets: the number, and the number again turned over.
    private static func value(_ number: UInt32) -> [UInt8] {
        let octets = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
        return octets + octets.map { ~$0 }
    }

    private static func number(_ value: [UInt8]) -> UInt32? {
        guard value.count == 8, zip(value.prefix(4), value.suffix(4)).allSatisfy({ $0 == ~$1 }) else { return nil }
        return value.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
}
