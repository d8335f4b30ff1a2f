// SPDX-License-Identifier: Apache-2.0

import CeruleanAdapters
import CeruleanBITalino
import CeruleanTesting
import Testing

@Suite struct ActivityTests {
    @Test func activitiesAreASequenceThatEndsWithTheLink() async throws {
        let seen = try await BoardRoom.run { room in
            let board = try await room.connect()
            #expect(board.activity == .idle)
            let activities = board.activities()
            async let all = {
                var seen: [BITalino.Activity] = []
                for await activity in activities { seen.append(activity) }
                return seen
            }()
            for try await frame in board.frames(channels: [.a1], rate: .hz100) where frame.index >= 20 { break }
            try await room.simulation.advance(by: .seconds(1))
            room.world.drop(room.phone, room.sensor)
            let seen = await all
            #expect(board.activity == .disconnected)
            return seen
        }
        #expect(seen == [.idle, .acquiring, .idle, .disconnected])
    }
}
