// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanSensing
import CeruleanWire
import Foundation
import Testing

@Suite struct ClockAlignmentTests {
    /// A device whose clock is slow or fast by some parts of a million, heard with delays of up to 30 ms.
    @Test(arguments: [-80.0, 0, 35, 200])
    func driftIsFoundThroughDelays(drift: Double) throws {
        var alignment = ClockAlignment()
        var state: UInt64 = 3
        for step in 0..<6000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let delay = Double(state >> 40) / Double(1 << 24) * 0.03
            let device = Double(step) * 0.1
            alignment.offset(device: device, host: 1000 + device * (1 + drift * 1e-6) + delay)
        }
        let found = try #require(alignment.driftPartsPerMillion)
        #expect(abs(found - drift) < 3)
        // Within a millisecond of the truth, ten minutes after the start.
        #expect(abs(alignment.host(atDevice: 600) - (1000 + 600 * (1 + drift * 1e-6))) < 0.001)
        #expect(abs(alignment.device(atHost: alignment.host(atDevice: 321)) - 321) < 1e-9)
    }

    @Test func hostileMomentsAreNoTrap() {
        var alignment = ClockAlignment()
        for value in [0, .nan, .infinity, -1e300, 1e300, 5, -5] {
            alignment.offset(device: value, host: 1)
            alignment.offset(device: 1, host: value)
        }
        #expect(alignment.host(atDevice: 0).isNaN || alignment.host(atDevice: 0) <= .infinity)
    }

    @Test func markersOfTheUserStandInFrontOfTheNextSample() async throws {
        let markers = MarkerInput()
        let source = SourceDescription(kind: "source", name: "x", channels: [Channel(name: "a")], rate: 10)
        let session = RecordedSession(source: source, values: (0..<2000).map(Double.init))
        let recorder = Recorder(
            source: ReplaySource(session), markers: markers,
            observe: { block in if block.firstIndex == 0 { markers.mark("now") } })
        let folder = "/tmp/markers-\(UInt64.random(in: 0...UInt64.max))"
        let summary = try await recorder.run([.jsonLines], in: try folderMade(folder))
        let read = try RecordedSession.read(summary.files[0])
        #expect(read[0].marks == [.init(index: 1000, text: "now")])
        try removeFolder(folder)
    }
}

private func folderMade(_ path: String) throws -> String {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
}

private func removeFolder(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }
