// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanSensing
import CeruleanWire
import Foundation
import Synchronization

/// A source that says what a test wants.
final class ScriptedSource: SampleSource {
    let info: SourceDescription
    private let script: [SampleEvent]
    private let isStopped = Mutex(false)

    init(_ script: [SampleEvent], info: SourceDescription = .board) {
        self.script = script
        self.info = info
    }

    func events() -> SampleEvents {
        SampleEvents { [script] in
            var rest = script[...]
            return { rest.popFirst() }
        }
    }

    func stop() async { isStopped.withLock { $0 = true } }

    var wasStopped: Bool { isStopped.withLock { $0 } }
}

extension SourceDescription {
    /// A BITalino with one input at 100 Hz.
    static let board = SourceDescription(
        kind: "bitalino", name: "BITalino BLE", address: BluetoothAddress("20:16:11:02:85:30"), firmware: "5.2",
        model: "bitalino_rev",
        channels: [
            Channel(name: "I1", quantity: .logicLevel, resolution: 1, rate: 100, role: .digitalInput),
            Channel(name: "I2", quantity: .logicLevel, resolution: 1, rate: 100, role: .digitalInput),
            Channel(name: "O1", quantity: .logicLevel, resolution: 1, rate: 100, role: .digitalOutput),
            Channel(name: "O2", quantity: .logicLevel, resolution: 1, rate: 100, role: .digitalOutput),
            Channel(
                name: "A2", quantity: .voltage, resolution: 10, rate: 100,
                conversion: Conversion(name: "ECG", unit: "mV", formula: .linear(slope: 0.5, intercept: -256)),
                sensor: "ECGBITREV"),
        ],
        rate: 100, sequenceBits: 4)
}

extension SampleEvent {
    /// Rows of `values` at A2 with the digital lines 1 1 0 0.
    static func rows(_ firstIndex: Int, _ values: [Double], gaps: [SampleBlock.Gap] = []) -> SampleEvent {
        .block(
            SampleBlock(
                firstIndex: firstIndex, deviceTime: Double(firstIndex) / 100,
                hostTime: MonotonicTime(nanoseconds: Int64(firstIndex) * 10_000_000), channelCount: 5,
                values: values.flatMap { [1, 1, 0, 0, $0] }, gaps: gaps))
    }
}

/// A directory that is removed with the value.
final class TemporaryDirectory {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("cerulean-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func text(_ name: String) throws -> String { try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }
}
