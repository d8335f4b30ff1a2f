// SPDX-License-Identifier: Apache-2.0

public import CeruleanSensing
import CeruleanWire

/// Records a source into one or several files.
///
/// ```swift
/// let recorder = Recorder(source: source, duration: 5)
/// let summary = try await recorder.run([.csv, .openSignals], in: "recordings")
/// print(summary.samples, summary.lost, summary.files)
/// ```
///
/// With a duration it ends at the sample with the index `duration · rate`, lost ones counted: `samples + lost` is exactly that,
/// also when it falls into a gap. Cancelling its task completes the files and returns. Every sample has reached the operating
/// system before the next is asked for: a process that is killed loses what was on its way, nothing that was written.
public struct Recorder: Sendable {
    /// What is recorded.
    public let source: any SampleSource
    /// Seconds of the device's clock to record; nil until the source ends or the task is cancelled.
    public var duration: Double?
    /// Tells the time in UTC; for tests that use another clock.
    public var clock: @Sendable () -> WallTime
    /// Called behind each block and each change of the link. Must not block.
    public var progress: @Sendable (RecordingProgress) -> Void

    /// Prepares a recording.
    public init(
        source: any SampleSource, duration: Double? = nil, clock: @escaping @Sendable () -> WallTime = { .now },
        progress: @escaping @Sendable (RecordingProgress) -> Void = { _ in }
    ) {
        self.source = source
        self.duration = duration
        self.clock = clock
        self.progress = progress
    }

    /// Records in several formats, each into a new file named `<base>-<time>.<ext>`.
    ///
    /// - Parameters:
    ///   - formats: One file for each.
    ///   - directory: Where the files are made.
    ///   - base: The first part of the names; nil for the device's name.
    /// - Throws: ``RecordingError``; what was written before is complete.
    public func run(
        _ formats: [RecordingFormat], in directory: String, base: String? = nil
    ) async throws(RecordingError) -> RecordingSummary {
        let header = RecordingHeader(source: source.info, start: clock())
        let base = base ?? RecordingName.sanitized(source.info.name)
        var writers: [any RecordingWriter] = []
        for format in formats {
            let path = RecordingName.path(directory: directory, base: base, start: header.start, format: format)
            do {
                writers.append(try format.makeWriter(header, to: .file(path)))
            } catch {
                for writer in writers {
                    try? writer.finish(samples: 0, lost: 0, reason: EndReason(.failed, error: error))
                }
                throw error
            }
        }
        return try await run(writers: writers, start: header.start)
    }

    /// Records in one format to any destination.
    ///
    /// - Throws: ``RecordingError``.
    public func run(
        _ format: RecordingFormat, to destination: RecordingDestination
    ) async throws(RecordingError) -> RecordingSummary {
        let header = RecordingHeader(source: source.info, start: clock())
        return try await run(writers: [try format.makeWriter(header, to: destination)], start: header.start)
    }

    // MARK: - Private

    private func run(
        writers: [any RecordingWriter], start: WallTime
    ) async throws(RecordingError) -> RecordingSummary {
        var recording = Recording(writers: writers, source: source.info, duration: duration)
        var failure: RecordingError?
        var reason = EndReason(.stopped)
        for await event in source.events() {
            do throws(RecordingError) {
                if let end = try recording.take(event, now: clock()) {
                    reason = end
                    break
                }
            } catch {
                failure = error
                reason = EndReason(.failed, error: error)
                break
            }
            progress(recording.progress)
        }
        await source.stop()
        do {
            try recording.finish(reason)
        } catch {
            failure = failure ?? error
        }
        if let failure { throw failure }
        return recording.summary(reason, start: start)
    }
}

/// How a recording is getting on.
public struct RecordingProgress: Hashable, Sendable {
    /// Samples written.
    public var samples: Int
    /// Samples lost.
    public var lost: Int
    /// Seconds of the device's clock since the first sample.
    public var seconds: Double
    /// True while the link is up.
    public var isConnected: Bool

    /// Describes the state of a recording.
    public init(samples: Int, lost: Int, seconds: Double, isConnected: Bool) {
        self.samples = samples
        self.lost = lost
        self.seconds = seconds
        self.isConnected = isConnected
    }
}

/// What a recording came to.
public struct RecordingSummary: Sendable {
    /// The device.
    public var source: SourceDescription
    /// Samples written.
    public var samples: Int
    /// Samples lost.
    public var lost: Int
    /// True if some losses are only the likeliest number.
    public var isAmbiguous: Bool
    /// How often the link was lost.
    public var connectionsLost: Int
    /// Seconds of the device's clock that were recorded.
    public var seconds: Double
    /// When it began.
    public var start: WallTime
    /// The files, in the order of the formats.
    public var files: [String]
    /// Why it ended.
    public var reason: EndReason
}
