// SPDX-License-Identifier: Apache-2.0

public import CeruleanSensing
import CeruleanWire
import Synchronization

/// Plays a recording as a source of samples: as fast as it is asked for, or at the pace at which it was recorded.
///
/// ```swift
/// let session = try RecordedSession.read("ecg.txt")[0]
/// let summary = try await Recorder(source: ReplaySource(session)).run([.edf], in: "converted")
/// ```
public struct ReplaySource: SampleSource {
    /// The device and its channels, as recorded.
    public var info: SourceDescription { session.source }
    /// What is played.
    public let session: RecordedSession
    /// How many times faster than recorded; nil as fast as it is asked for.
    public let speed: Double?

    private let state = Stop()

    private final class Stop: Sendable {
        private let flag = Mutex(false)
        var isOn: Bool { flag.withLock { $0 } }
        func set() { flag.withLock { $0 = true } }
    }

    /// A source that plays a recording.
    public init(_ session: RecordedSession, speed: Double? = nil) {
        self.session = session
        self.speed = speed
    }

    /// The events; blocks hold up to 1000 rows, at a pace 50 ms.
    public func events() -> SampleEvents {
        SampleEvents { [self] in
            let run = Run(self)
            return { await run.next() }
        }
    }

    /// Ends the playing; the events then end with `.stopped`.
    public func stop() async { state.set() }

    private final class Run {
        private let source: ReplaySource
        private var row = 0
        private var mark = 0
        private var isOver = false
        private let begin = ContinuousClock.now

        init(_ source: ReplaySource) { self.source = source }

        func next() async -> SampleEvent? {
            if isOver { return nil }
            let session = source.session
            let stopped = source.state.isOn || Task.isCancelled
            guard !stopped, row < session.rowCount else {
                if !stopped, mark < session.marks.count { return nextMark() }
                isOver = true
                return .ended(EndReason(stopped ? .stopped : .finished))
            }
            let start = row
            let index = index(of: start)
            if mark < session.marks.count, session.marks[mark].index <= index { return nextMark() }
            let end = blockEnd(from: start)
            row = end
            let time = time(of: start, index)
            if let speed = source.speed, speed > 0 {
                let due = begin.advanced(by: .seconds(self.time(of: end - 1, self.index(of: end - 1)) / speed))
                do { try await Task.sleep(until: due, clock: .continuous) } catch {
                    isOver = true
                    return .ended(EndReason(.stopped))
                }
            }
            let count = session.source.channels.count
            return .block(
                SampleBlock(
                    firstIndex: index, deviceTime: time, hostTime: MonotonicTime.zero + .seconds(time),
                    channelCount: count, values: Array(session.values[start * count..<end * count]),
                    gaps: gaps(start, end),
                    rowTimes: session.times.isEmpty
                        ? [] : session.times[start..<end].map { $0 - (session.times.first ?? 0) }))
        }

        private func nextMark() -> SampleEvent {
            let marked = source.session.marks[mark]
            mark += 1
            let rate = source.info.rate
            let seconds = rate.map { Double(marked.index) / $0 } ?? 0
            return .marker(
                Marker(text: marked.text, index: marked.index, hostTime: MonotonicTime.zero + .seconds(seconds)))
        }

        private func index(of row: Int) -> Int {
            source.session.indices.isEmpty ? row : source.session.indices[row] - source.session.indices[0]
        }

        private func time(of row: Int, _ index: Int) -> Double {
            let session = source.session
            if !session.times.isEmpty { return session.times[row] - session.times[0] }
            return session.source.rate.map { Double(index) / $0 } ?? 0
        }

        private func blockEnd(from start: Int) -> Int {
            let session = source.session
            var size = 1000
            if source.speed != nil { size = session.source.rate.map { max(1, Int($0 / 20)) } ?? 1 }
            var end = min(start + size, session.rowCount)
            // A mark stands in front of its sample.
            if mark < session.marks.count {
                let next = session.marks[mark].index
                while end > start + 1, index(of: end - 1) >= next { end -= 1 }
            }
            return end
        }

        private func gaps(_ start: Int, _ end: Int) -> [SampleBlock.Gap] {
            guard !source.session.indices.isEmpty else { return [] }
            var gaps: [SampleBlock.Gap] = []
            for row in start..<end where row > 0 {
                let lost = index(of: row) - index(of: row - 1) - 1
                if lost > 0 { gaps.append(.init(row: row - start, lost: lost)) }
            }
            return gaps
        }
    }
}
