// SPDX-License-Identifier: Apache-2.0

#if canImport(CeruleanScript)

import CeruleanHost
import CeruleanScript
import CeruleanTesting
import CeruleanTransport
import CeruleanWire
import CoreBluetooth
import Dispatch
import Foundation
import Synchronization

/// Notifications of 20 octets from a host through the facade to a listener of a script, which reads each value.
enum ScriptWorkload {
    /// Memory that the process may gain between the first tenth of the notifications and the last.
    private static let growthLimit = 32 << 20

    private static let source = """
        var BLE = require('com.logicallabs.bluetoothle'), count = 0, wrong = 0;
        BLE.addEventListener('centralManagerStateChange', function () { BLE.startScan(); Ti.API.log('scan', ''); });
        BLE.addEventListener('discoveredPeripheral', function (e) { BLE.stopScan(); BLE.connectPeripheral({ peripheral: e.peripheral }); });
        BLE.addEventListener('connectedPeripheral', async function (e) {
            var p = e.peripheral, s = (await p.discoverServices())[0];
            await p.discoverCharacteristics({ service: s });
            p.addEventListener('updatedValueForCharacteristic', function (e) {
                if (e.value.length !== 20 || (e.value[0] | e.value[1] << 8) !== (count & 65535)) { wrong += 1; }
                count += 1;
                if ((count & 63) === 0) { Ti.API.log('count', count); }
            });
            await p.subscribeToCharacteristic(s.characteristics[0]);
            Ti.API.log('go', '');
        });
        setInterval(function () { Ti.API.log('wrong', wrong); }, 10);
        BLE.initCentralManager();
        """

    static func notify(_ operations: Int) -> Measurement {
        let done = DispatchSemaphore(value: 0)
        let box = Mutex(Measurement(nanoseconds: 0, isRight: false))
        // The bench has no asynchronous main: the one task of the workload, for which this thread waits.
        Task.detached {
            do {
                let measurement = try await run(operations)
                box.withLock { $0 = measurement }
            } catch {
                print("failed: \(error)")
            }
            done.signal()
        }
        done.wait()
        return box.withLock { $0 }
    }

    private static func run(_ operations: Int) async throws -> Measurement {
        // The script counts in steps of 64.
        let operations = max(64, operations & ~63)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-script-\(getpid())")
        setenv("CERULEAN_STATE_DIR", folder.path, 1)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("bench.js").path
        try source.write(toFile: path, atomically: true, encoding: .utf8)
        let (air, loop) = (try ThreadLoop(name: "bench"), try ThreadLoop(name: "script"))
        let host = ScriptedHost(
            loop: air,
            database: [
                ServiceDefinition(
                    uuid: 0x180D,
                    characteristics: [
                        CharacteristicDefinition(
                            uuid: 0x2A37, properties: .notify, permissions: AttributePermissions())
                    ])
            ])
        let adapter = Adapter(name: "scripted") { () throws(HostError) -> any CeruleanHost.Host in host }
        var options = ScriptOptions()
        options.adapter = CBLinuxAdapter(central: adapter) { loop.execute($0) }
        let feeder = Feeder(host, operations)
        let output = ScriptOutput(log: { feeder.heard($0, $1) }, talk: { print($0) })
        let program = ScriptProgram(path, options: options, output: output, loop: loop)
        feeder.begin(on: air) { program.stop() }
        _ = try await program.run()
        loop.shutdown()
        air.shutdown()
        return feeder.measurement(growthLimit: growthLimit)
    }
}

/// Sends notifications ahead of the script, and writes down how it gets on.
private final class Feeder: Sendable {
    private struct State {
        var start = MonotonicTime.zero
        var end = MonotonicTime.zero
        var wrong: String?
        var memory: (first: Int, last: Int) = (0, 0)
        var finished: (@Sendable () -> Void)?
        var loop: ThreadLoop?
    }

    private let host: ScriptedHost
    private let operations: Int
    private let consumed = Atomic<Int>(0)
    private let state = Mutex(State())

    init(_ host: ScriptedHost, _ operations: Int) {
        self.host = host
        self.operations = operations
    }

    func begin(on loop: ThreadLoop, _ finished: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.loop = loop
            state.finished = finished
        }
    }

    /// A line of the script, on its own thread.
    func heard(_ level: String, _ text: String) {
        switch level {
        case "SCAN": later { $0.advertise() }
        case "GO":
            state.withLock { $0.start = ThreadLoop.now }
            later { $0.send(0) }
        case "COUNT":
            let count = Int(text) ?? 0
            consumed.store(count, ordering: .relaxed)
            if count == operations / 640 * 64 { state.withLock { $0.memory.first = Self.residentMemory } }
            guard count == operations else { return }
            state.withLock { state in
                state.end = ThreadLoop.now
                state.memory.last = Self.residentMemory
            }
        case "WRONG":
            let finished = state.withLock { state -> (@Sendable () -> Void)? in
                guard state.end != .zero else { return nil }
                state.wrong = text
                return state.finished
            }
            finished?()
        default: print("[\(level)] \(text)")
        }
    }

    func measurement(growthLimit: Int) -> Measurement {
        state.withLock { state in
            let growth = state.memory.last - state.memory.first
            if growth > growthLimit { print("memory grew by \(growth) octets") }
            return Measurement(
                nanoseconds: state.end.nanoseconds - state.start.nanoseconds,
                isRight: state.wrong == "0" && growth <= growthLimit)
        }
    }

    private func later(_ job: @escaping @Sendable (Feeder) -> Void) {
        state.withLock { $0.loop }?.execute { [self] in job(self) }
    }

    private func advertise() {
        host.assumeIsolated { host in
            var fields = AdvertisementFields()
            fields.nameBytes = Array("Bench".utf8)
            host.advertise(fields)
        }
        // The scan may not have begun yet.
        later { feeder in
            if feeder.state.withLock({ $0.start == .zero }) { feeder.advertise() }
        }
    }

    /// 64 in each turn, as far ahead as the facade's queue goes without loss.
    private func send(_ sent: Int) {
        var sent = sent
        if sent - consumed.load(ordering: .relaxed) < 16_384 {
            host.assumeIsolated { host in
                guard let attribute = host.characteristic(0x2A37) else { return }
                for number in sent..<min(sent + 64, operations) {
                    host.send(
                        [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
                            + [UInt8](repeating: Checker.filling, count: 18), from: attribute)
                }
            }
            sent = min(sent + 64, operations)
        }
        guard sent < operations else { return }
        let next = sent
        later { $0.send(next) }
    }

    /// Resident octets of this process.
    private static var residentMemory: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}

#endif
