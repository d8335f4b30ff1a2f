// SPDX-License-Identifier: Apache-2.0

// A logger: records two inputs of a BITalino into files that other programs open.

import Cerulean
import CeruleanAdapters
import CeruleanBITalino
import CeruleanRecording
import Foundation

// A simulated board.
let world = try VirtualWorld()
let server = try await PeripheralServer(.virtual(world))
let simulation = Task { try await SimulatedBITalino(name: "BITalino").serve(on: server, ready: {}) }

let central = try await Central(.virtual(world))
let found = try await central.first(.services([BITalino.service]))
let board = try await BITalino(connecting: found, timeout: .seconds(10))
print("\(found.name ?? "board") with firmware \(board.version)")

// Any device is a source of samples, and any output takes one: the recorder knows neither BITalino nor CSV.
let source = BITalinoSource(
    board: board, inputs: [.a1, .a2], rate: .hz100, sensors: [.a1: .ecg], reconnectTimeout: .seconds(30))
for channel in source.info.channels {
    print("channel \(channel.name) \(channel.conversion.map { "in \($0.unit)" } ?? "raw")")
}

let directory = FileManager.default.temporaryDirectory.appendingPathComponent("SensorLogger-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
let recorder = Recorder(source: source, duration: 2)
let summary = try await recorder.run([.csv, .openSignals], in: directory.path)

// samples + lost is exactly duration times rate: what is missing is counted.
print("\(summary.samples) samples, \(summary.lost) lost, \(summary.reason)")
for file in summary.files {
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    print("\(URL(fileURLWithPath: file).pathExtension): \(lines.count) lines, the last \(lines.last ?? "")")
}
try FileManager.default.removeItem(at: directory)
simulation.cancel()
