// SPDX-License-Identifier: Apache-2.0

import CeruleanBlueST
import CeruleanWire
import Testing

/// Timestamps and losses, bluest.md §5.2.
@Suite struct StreamTests {
    /// A stream of packets `period` ms apart on a clock with ticks of `tick` ms; `missing` says which never come.
    private func run(
        period: Double, tick: Double, count: Int, jitter: (Int) -> Double = { _ in 0 }, missing: (Int) -> Bool
    ) -> (detector: LossDetector, expected: Int, sum: Int) {
        var detector = LossDetector()
        var expected = 0
        var pending = 0
        var sum = 0
        for index in 0..<count {
            if missing(index) {
                pending += 1
                continue
            }
            if index > pending { expected += pending }
            pending = 0
            let ticks = Int64(((Double(index) * period + 3 + jitter(index)) / tick).rounded(.down))
            sum += detector.received(ticks).lost
        }
        return (detector, expected, sum)
    }

    @Test(arguments: [
        (10.0, 8.0), (10.0, 10.0), (20.0, 8.0), (20.0, 10.0), (30.0, 8.0), (100.0 / 3, 10.0), (40.0, 8.0),
        (1000.0, 8.0),
        (13.7, 8.0), (9.615, 8.0),
    ])
    func countsEachLossOfARegularStream(period: Double, tick: Double) {
        for offset in [3, 17, 40, 49] {
            let result = run(period: period, tick: tick, count: 3000) { $0 % 50 == offset }
            #expect(result.detector.lost == result.expected, "\(period) ms, offset \(offset)")
            #expect(result.sum == result.expected)
        }
    }

    @Test func countsNothingWhereNothingIsLost() {
        for period in [8.0, 10, 12, 12.5, 20, 40, 100] {
            #expect(run(period: period, tick: 8, count: 5000) { _ in false }.detector.lost == 0, "\(period)")
        }
    }

    @Test func countsLossesAtRandomAndInBursts() {
        var state: UInt64 = 1
        func random() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        var missing = Set<Int>()
        for index in 100..<6000 where random() % 50 == 0 {
            for next in index..<index + Int(random() % 4) + 1 { missing.insert(next) }
        }
        let result = run(period: 10, tick: 8, count: 6100) { missing.contains($0) }
        #expect(result.detector.lost == missing.count)
    }

    @Test func takesBackWhatJitterMadeItCount() {
        let result = run(period: 100, tick: 8, count: 2000, jitter: { $0 % 37 == 0 ? 60 : 0 }) { _ in false }
        #expect(result.detector.lost == 0)
    }

    @Test func countsNothingOfIrregularEvents() {
        var detector = LossDetector()
        var ticks: Int64 = 0
        for index in 0..<200 {
            ticks += Int64([3, 900, 40, 7000, 150, 12, 2300][index % 7])
            _ = detector.received(ticks)
        }
        #expect(detector.lost == 0)
        #expect(detector.period == nil)
    }

    @Test func learnsANewRate() {
        var detector = LossDetector()
        for index in 0..<200 { _ = detector.received(Int64(index) * 5) }
        for index in 0..<200 { _ = detector.received(1000 + Int64(index) * 50) }
        #expect(detector.lost == 0)
        #expect(detector.period == 50)
    }

    @Test func aLatePacketIsNoLoss() {
        var detector = LossDetector()
        for ticks: Int64 in 0..<100 where ticks != 80 { _ = detector.received(ticks * 10) }
        #expect(detector.lost == 1)
        let late = detector.received(800)
        #expect(late.isLate)
        #expect(late.lost == -1)
        #expect(detector.lost == 0)
        let next = detector.received(1000)
        #expect(next.lost == 0)
    }

    @Test func whatWasNotWantedIsNoLoss() {
        var detector = LossDetector()
        for ticks: Int64 in 0..<100 { _ = detector.received(ticks) }
        detector.interrupted()
        for ticks: Int64 in 500..<600 where ticks != 550 { _ = detector.received(ticks) }
        #expect(detector.lost == 1)
    }

    /// The rule of §5.2: a packet from before the wrap that comes late keeps its time.
    @Test func unwrapsAcrossReordering() {
        var unwrapper = TimestampUnwrapper()
        let counts = ([65530, 2, 65535, 5, 30000, 60000, 10] as [UInt16]).map { unwrapper.unwrap($0) }
        #expect(counts == [65530, 65538, 65535, 65541, 95536, 125536, 131082])
    }

    @Test func unwrapsALongSilenceByTheHostsClock() {
        var unwrapper = TimestampUnwrapper(tick: .milliseconds(10))
        let first = unwrapper.unwrap(100, at: .zero)
        #expect(first == 100)
        // 2000 s are 200000 ticks: three wraps and 3392 ticks.
        let late = MonotonicTime.zero + .seconds(2000)
        let second = unwrapper.unwrap(3492, at: late)
        #expect(second == 200_100)
    }
}

/// The stream that the protocol's users complain about: 100 Hz, losses, reordering and wraps together.
@Suite struct FusionStreamTests {
    @Test(arguments: [8, 10])
    func lossesAndTimesAreExactAcrossWrapsAndReordering(tick: Int64) throws {
        var decoder = NodeDecoder(
            device: 0x06, protocolVersion: 1, advertised: nil, options: .init(tick: .milliseconds(tick)))
        let added = decoder.add(BlueSTUUID.features(0x80))
        let channel = try #require(added)
        // The clock wraps soon after the start, and once more.
        let first: Int64 = 65_000
        let count = 65_536 * Int(tick) / 10 + 2_000
        var order = (0..<count).filter { $0 < 200 || !$0.isMultiple(of: 50) }
        for index in stride(from: 300, to: order.count - 1, by: 97) { order.swapAt(index, index + 1) }
        var next = 0
        var late = 0
        for number in order {
            let ticks = first + Int64(number) * 10 / tick
            let raw = UInt16(truncatingIfNeeded: ticks)
            let bytes = [UInt8(truncatingIfNeeded: raw), UInt8(truncatingIfNeeded: raw >> 8)]
            let time = MonotonicTime(nanoseconds: Int64(number) * 10_000_000)
            decoder.received(bytes + [UInt8](repeating: 0, count: 12), on: channel, at: time) { sample in
                if sample.timestamp != ticks { Issue.record("\(number): \(sample.timestamp ?? -1), not \(ticks)") }
            }
            // Packets with one and the same tick cannot be told to be out of order.
            if number < next, (first + Int64(next) * 10 / tick) > ticks { late += 1 }
            next = max(next, number)
        }
        let statistics = decoder.statistics(of: channel)
        #expect(statistics.received == order.count)
        #expect(statistics.lost == count - order.count)
        #expect(statistics.late == late)
        #expect(statistics.faulty == 0)
    }
}
