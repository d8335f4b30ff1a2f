// SPDX-License-Identifier: Apache-2.0

import CeruleanBITalino
import CeruleanWire
import Testing

@Suite struct BoardTests {
    private static func moment(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(milliseconds) * 1_000_000)
    }

    /// Section 3.1: a full buffer drops whole new frames, and the counter goes on.
    @Test func aFullBufferDropsWholeFrames() {
        var board = BITalino.SimulatedBoard(signals: .tables)
        board.receive([0xC3, 0xFD], at: .zero)
        board.advance(to: Self.moment(1000))
        #expect(board.pendingOctets == 1496)
        #expect(board.droppedFrames == 1000 - 187)
        var frames: [BITalino.Frame] = []
        var receiver = BITalino.FrameReceiver(inputs: .all)
        receiver.receive(board.take()) { frame, _ in frames.append(frame) }
        #expect(frames.count == 187)
        board.advance(to: Self.moment(1001))
        board.advance(to: Self.moment(1002))
        receiver.receive(board.take()) { frame, _ in frames.append(frame) }
        #expect(frames.last?.sequence == UInt8(1001 % 16))
    }

    @Test func aLongSleepCostsLittle() {
        var board = BITalino.SimulatedBoard()
        board.receive([0xC3, 0xFD], at: .zero)
        board.advance(to: MonotonicTime(nanoseconds: .max - 1))
        #expect(board.pendingOctets <= BITalino.SimulatedBoard.bufferSize)
        #expect(board.isRunning)
    }

    /// Section 3.1, row 1: the octet behind A3 is a value, whatever it looks like.
    @Test func theOctetBehindA3IsAValue() {
        var board = BITalino.SimulatedBoard()
        board.receive([0xA3, 0x07, 0xA3, 0xFD], at: .zero)
        #expect(board.pwm == 0xFD)
        #expect(!board.isRunning)
        #expect(board.pendingOctets == 0)
    }

    /// Section 2: values of at most 20 octets; a lost link stops the board.
    @Test func theModuleCutsAt20OctetsAndStopsTheBoardWithTheLink() {
        var module = BITalino.SimulatedModule(board: BITalino.SimulatedBoard(signals: .tables))
        module.write([0xC3], at: .zero)
        module.write([0xFD], at: .zero)
        var sizes: [Int] = []
        var now = MonotonicTime.zero
        while now < Self.moment(200) {
            now = module.nextDeadline
            module.advance(to: now)
            while let value = module.readyValue {
                sizes.append(value.count)
                module.sent()
            }
        }
        #expect(sizes.allSatisfy { $0 == 20 })
        #expect(sizes.count >= 78)
        module.linkLost(at: now)
        #expect(!module.board.isRunning)
        #expect(module.nextDeadline == .distantFuture || module.readyValue == nil)
    }

    @Test(arguments: 0...20)
    func versionsAreFoundBehindAnything(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        let junk = (0..<64).map { _ -> UInt8 in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state)
        }
        let text = Array("BITalino_v5.2\n".utf8)
        #expect(BITalino.Version(answer: junk + Array("BITalino".utf8) + [10] + junk + text)?.description == "5.2")
        #expect(BITalino.Version(answer: junk + text.dropLast()) == nil)
    }
}
