// SPDX-License-Identifier: Apache-2.0

import CeruleanSensing
import CeruleanWire

/// The bookkeeping of one recording: passes events on to the writers, cut to the wanted length.
struct Recording {
    private let writers: [any RecordingWriter]
    private let source: SourceDescription
    private let duration: Double?
    /// The index behind the last sample wanted; nil without a duration or a rate.
    private let limit: Int?

    private var samples = 0
    private var lost = 0
    private var nextIndex = 0
    private var isAmbiguous = false
    private var isConnected = true
    private var connectionsLost = 0
    private var seconds = 0.0
    private var alignment = ClockAlignment()
    /// The host's clock and UTC at one moment.
    private var anchor: (host: MonotonicTime, wall: WallTime)?

    init(writers: [any RecordingWriter], source: SourceDescription, duration: Double?) {
        self.writers = writers
        self.source = source
        self.duration = duration
        if let duration, let rate = source.rate {
            let index = (duration * rate).rounded()
            limit = index < 0x1p53 ? Int(max(index, 0)) : nil
        } else {
            limit = nil
        }
    }

    var progress: RecordingProgress {
        RecordingProgress(samples: samples, lost: lost, seconds: seconds, isConnected: isConnected)
    }

    /// Takes an event; a reason if nothing more is wanted.
    mutating func take(_ event: SampleEvent, now: WallTime) throws(RecordingError) -> EndReason? {
        switch event {
        case .block(let block): return try write(block, now: now)
        case .marker(let marker):
            for writer in writers {
                try writer.writeMarker(marker.text, index: marker.index, arrival: arrival(marker.hostTime, now))
            }
        case .connectionLost(let text):
            isConnected = false
            connectionsLost += 1
            for writer in writers { try writer.writeMarker("connection lost: \(text)", index: nextIndex, arrival: now) }
        case .connectionResumed:
            isConnected = true
            for writer in writers { try writer.writeMarker("connection resumed", index: nextIndex, arrival: now) }
        case .ended(let reason): return reason
        }
        return nil
    }

    /// Notes something in front of the next sample.
    mutating func mark(_ text: String, now: WallTime) throws(RecordingError) {
        for writer in writers { try writer.writeMarker(text, index: nextIndex, arrival: now) }
    }

    /// Completes all files; the first error is thrown after all were tried.
    func finish(_ reason: EndReason) throws(RecordingError) {
        var failure: RecordingError?
        for writer in writers {
            do throws(RecordingError) {
                try writer.finish(samples: samples, lost: lost, reason: reason)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    func summary(_ reason: EndReason, start: WallTime) -> RecordingSummary {
        RecordingSummary(
            source: source, samples: samples, lost: lost, isAmbiguous: isAmbiguous, connectionsLost: connectionsLost,
            seconds: seconds, driftPartsPerMillion: alignment.driftPartsPerMillion, firstSampleTime: firstSampleTime,
            start: start, files: writers.compactMap(\.destination.path), reason: reason)
    }

    // MARK: - Private

    private var firstSampleTime: MonotonicTime? {
        samples > 0 ? MonotonicTime.zero + .seconds(alignment.host(atDevice: 0)) : nil
    }

    private mutating func arrival(_ hostTime: MonotonicTime, _ now: WallTime) -> WallTime {
        guard let anchor else {
            self.anchor = (hostTime, now)
            return now
        }
        let elapsed = (hostTime - anchor.host).wholeNanoseconds / 1_000_000
        return WallTime(milliseconds: anchor.wall.milliseconds &+ elapsed)
    }

    private mutating func write(_ block: SampleBlock, now: WallTime) throws(RecordingError) -> EndReason? {
        guard block.rowCount > 0 else { return nil }
        let arrival = arrival(block.hostTime, now)
        let indices = block.rowIndices
        var wanted = block
        var isComplete = false
        if let limit {
            // Rows behind the end are dropped; a gap that reaches over it counts up to it.
            let count = indices.firstIndex { $0 >= limit } ?? indices.count
            if count < indices.count || indices[count - 1] + 1 >= limit { isComplete = true }
            if count < indices.count { wanted = block.prefix(count) }
        } else if let duration {
            let count = (0..<block.rowCount).first {
                block.time(ofRow: $0, index: indices[$0], rate: source.rate) >= duration
            }
            if let count {
                isComplete = true
                wanted = block.prefix(count)
            }
        }
        if wanted.rowCount > 0 {
            for writer in writers { try writer.write(wanted, arrival: arrival) }
            samples += wanted.rowCount
            lost += wanted.lostCount
            isAmbiguous = isAmbiguous || wanted.isAmbiguous
            let last = wanted.rowCount - 1
            alignment.offset(
                device: block.time(ofRow: last, index: indices[last], rate: source.rate),
                host: (block.hostTime - .zero).inSeconds)
            nextIndex = indices[last] + 1
            seconds =
                source.rate.map { Double(nextIndex) / $0 } ?? block.time(ofRow: last, index: indices[last], rate: nil)
        }
        guard isComplete else { return nil }
        if let limit, nextIndex < limit {
            let rest = limit - nextIndex
            for writer in writers { try writer.writeGap(index: nextIndex, lost: rest) }
            lost += rest
            nextIndex = limit
            seconds = duration ?? seconds
        }
        return EndReason(.finished)
    }
}

extension SampleBlock {
    /// The first `count` rows with the gaps in front of them.
    func prefix(_ count: Int) -> SampleBlock {
        var part = self
        part.values = Array(values.prefix(count * channelCount))
        part.gaps = gaps.filter { $0.row < count }
        part.rowTimes = Array(rowTimes.prefix(count))
        return part
    }
}
