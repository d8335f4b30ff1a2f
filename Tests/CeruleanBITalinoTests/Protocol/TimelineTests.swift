// SPDX-License-Identifier: Apache-2.0

import CeruleanBITalino
import CeruleanWire
import Testing

@Suite struct TimelineTests {
    private typealias Timeline = BITalino.FrameTimeline

    private static func frame(_ index: Int) -> BITalino.Frame {
        BITalino.Frame(inputs: [.a1], sequence: UInt8(index & 15))
    }

    private static func moment(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    /// Frames arrive one by one, `delay` after they were made; those in `missing` do not arrive.
    private static func run(
        _ count: Int, rate: BITalino.Rate, missing: Range<Int>, delay: (Int) -> Double = { _ in 0.01 }
    ) -> [BITalino.Frame] {
        var timeline = Timeline(rate: rate, frameSize: 3)
        var output: [BITalino.Frame] = []
        for index in 0..<count where !missing.contains(index) {
            timeline.receive(
                [frame(index)], breakBefore: index == missing.upperBound ? 0 : nil,
                at: moment(Double(index) / Double(rate.rawValue) + delay(index)), into: &output)
        }
        timeline.finish(into: &output)
        return output
    }

    @Test(arguments: [1, 15, 16, 17, 100, 160, 500, 1600])
    func countsGapsOfAnyLength(lost: Int) {
        let frames = Self.run(6000, rate: .hz1000, missing: 3000..<3000 + lost)
        #expect(frames.map(\.index) == Array(0..<3000) + Array(3000 + lost..<6000))
        #expect(frames.reduce(0) { $0 + $1.lostBefore } == lost)
        #expect(!frames.contains { $0.isLossAmbiguous })
    }

    /// The frames behind a gap come late, as from a full buffer that empties slowly.
    @Test func aLateBufferDoesNotCountAsLoss() {
        let frames = Self.run(6000, rate: .hz1000, missing: 3000..<3040) { index in
            index < 2900 ? 0.01 : max(0.01, 0.4 - Double(index - 2900) / 1000)
        }
        #expect(frames.last?.index == 5999)
        #expect(frames.reduce(0) { $0 + $1.lostBefore } == 40)
        #expect(!frames.contains { $0.isLossAmbiguous })
    }

    @Test func aSilenceWithoutLossCountsNothing() {
        let frames = Self.run(6000, rate: .hz1000, missing: 0..<0) { index in
            (2000..<2400).contains(index) ? 0.41 - Double(index - 2000) / 1000 : 0.01
        }
        #expect(frames.map(\.index) == Array(0..<6000))
        #expect(frames.allSatisfy { $0.lostBefore == 0 })
    }

    @Test func aRestartIsCountedByTheClock() {
        var timeline = Timeline(rate: .hz100, frameSize: 3)
        var output: [BITalino.Frame] = []
        for index in 0..<500 {
            timeline.receive([Self.frame(index)], at: Self.moment(Double(index) / 100), into: &output)
        }
        timeline.restart(into: &output)
        for index in 0..<100 {
            timeline.receive([Self.frame(index)], at: Self.moment(8 + Double(index) / 100), into: &output)
        }
        #expect(output.count == 600)
        #expect(output[500].index == 800)
        #expect(output[500].lostBefore == 300)
        #expect(output[599].index == 899)
        #expect(timeline.lost == 300)
    }

    @Test func atSlowRatesNothingIsHeldBack() {
        var timeline = Timeline(rate: .hz1, frameSize: 3)
        var output: [BITalino.Frame] = []
        for index in [0, 1, 4] { timeline.receive([Self.frame(index)], at: Self.moment(Double(index)), into: &output) }
        #expect(output.map(\.lostBefore) == [0, 0, 2])
        #expect(output.map(\.index) == [0, 1, 4])
    }
}
