// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import Foundation
import Testing

/// The official Python API reads our simulated board over the air, with Bumble as its radio.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct BITalinoClientTests {
    @Test func theOfficialAPIReadsTheRecordingThatIsReplayed() async throws {
        let file = Programs.file("data/bitalino/bvp_motion_artifact.txt")
        let recorded = try OpenSignalsRecording(contentsOfFile: file).devices[0]
        let expected = try #require(recorded.column(named: "A2"))
        let radio = try await AirProcess(.cerulean)
        let board = try PeerProcess(
            Programs.cerulean, ["--adapter", radio.adapter, "simulate", file, "--device-name", "BITalino", "--json"])
        _ = try await board.event("advertising")
        let client = try PeerProcess(
            Programs.python,
            [
                Programs.file("Tests/Peers/bitalino_client.py"), radio.transport, "--target", "BITalino", "--channels",
                "1", "--rate", "1000", "--samples", "3000",
            ])
        let done = try await client.event("done")
        #expect(done["error"] == nil, "\(done["error"] ?? "")")
        #expect((done["version"] as? String)?.hasPrefix("BITalino_v5.2") == true)
        let state = try #require(done["state"] as? [String: Any])
        #expect(state["battery"] != nil)
        let rows = try #require(done["rows"] as? [[Int]])
        #expect(rows.count == 3000)
        #expect(rows.map { $0[0] } == (0..<3000).map { $0 % 16 })
        #expect(rows.map { Double($0[5]) } == Array(expected.prefix(3000)))
        radio.stop()
    }
}
