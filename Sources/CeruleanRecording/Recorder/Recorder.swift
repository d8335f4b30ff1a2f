// SPDX-License-Identifier: Apache-2.0

public import CeruleanSensing
public import CeruleanWire
import Synchronization

/// Records a source into one or several files.
///
/// ```swift
/// let recorder = Recorder(source: source, duration: 5)
/// let summary = try await recorder.run([.csv, .openSignals], in: "recordings")
/// print(summary.samples, summary.lost, summary.files)
/// ```
///
/// With a duration it ends at the sample with the index `duration · rate`, lost ones counted: `samples + lost` is
/// exactly that,
/// also when it falls into a gap. Cancelling its task completes the files and returns. Every sample has reached the
/// operating
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
    /// Called with each block that was written, for a live view. Must not block.
    public var observe: (@Sendable (SampleBlock) -> Void)?
    /// Where markers come from that are none of the source, such as those of the keyboard.
    public var markers: MarkerInput?

    /// Prepares a recording.
    public init(
        source: any SampleSource, duration: Double? = nil,
        clock: @escaping @Sendable () -> WallTime = { .now }, markers: MarkerInput? = nil,
        observe: (@Sendable (SampleBlock) -> Void)? = nil,
        progress: @escaping @Sendable (RecordingProgress) -> Void = { _ in }
    ) {
        self.source = source
        self.markers = markers
        self.observe = observe
        self.duration = duration
        self.clock = clock
        self.progress = progress
    }

    /// Records in several formats, each into a new file named `<base>-<time>.<ext>`.
    ///
    /// - Parameters:
    ///   - formats: What is written; ``RecordingFormat/lsl`` streams instead.
    ///   - directory: Where the files go.
    ///   - base: The first part of the names; nil for the device's name.
    ///   - database: Adds the session to this database, new or not, instead of making one for the recording.
    /// - Throws: ``RecordingError``; what was written before is complete.
    public func run(
        _ formats: [RecordingFormat], in directory: String, base: String? = nil, database: String? = nil
    ) async throws(RecordingError) -> RecordingSummary {
        let header = RecordingHeader(source: source.info, start: clock())
        let base = base ?? RecordingName.sanitized(source.info.name)
        var writers: [any RecordingWriter] = []
        for format in formats {
            var destination = RecordingDestination.file(
                RecordingName.path(directory: directory, base: base, start: header.start, format: format))
            if !format.isFile { destination = .network(source.info.name) }
            if format.name == RecordingFormat.sqlite.name, let database { destination = .addition(database) }
            do {
                writers.append(try format.makeWriter(header, to: destination))
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
                for text in markers?.take() ?? [] { try recording.mark(text, now: clock()) }
                if case .block(let block) = event { observe?(block) }
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

/// Markers on their way into recordings: any task or thread puts them in, the recorder takes them with the next
/// samples.
public final class MarkerInput: Sendable {
    private let waiting = Mutex<[String]>([])

    /// Nothing waits.
    public init() {}

    /// Marks this moment. Of more than 1000 that wait, the newest are left out; a text is cut at 200 characters.
    public func mark(_ text: String) {
        waiting.withLock { if $0.count < 1000 { $0.append(String(text.prefix(200))) } }
    }

    /// What waits, in order; it is gone afterwards.
    func take() -> [String] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
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
    /// How much faster the host's clock goes than the device's, in parts of a million; nil where less than half a
    /// minute was
    /// recorded.
    public var driftPartsPerMillion: Double?
    /// Where sample 0 lies on the host's clock, which all devices of one adapter share; nil without a sample.
    public var firstSampleTime: MonotonicTime?
    /// When it began.
    public var start: WallTime
    /// The files, in the order of the formats.
    public var files: [String]
    /// Why it ended.
    public var reason: EndReason
}
