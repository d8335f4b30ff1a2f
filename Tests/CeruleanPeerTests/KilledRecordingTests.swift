// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `cerulean record` is killed: what it leaves opens. Fifty times in `make soak`.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct KilledRecordingTests {
    @Test func filesOfAKilledProcessOpenAndLackLessThanASecond() async throws {
        let process = try PeerProcess(
            Programs.python, [Programs.file("Tests/Peers/kill_recordings.py"), Programs.cerulean, "4"])
        let lines = await process.rest()
        let status = await process.status()
        #expect(status == 0, "\(process.errorText)")
        #expect(lines.count == 4)
    }
}
