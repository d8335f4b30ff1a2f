// SPDX-License-Identifier: Apache-2.0

public import CeruleanSensing

/// Writes one recording of one source. Each call has reached the operating system when it returns.
///
/// Not safe for concurrent use; a ``Recorder`` uses it from one task.
public protocol RecordingWriter: AnyObject {
    /// Where it writes.
    var destination: RecordingDestination { get }

    /// Appends samples and the gaps in front of them.
    ///
    /// - Parameters:
    ///   - block: The samples. A gap in front of row 0 stands in `gaps` with row 0.
    ///   - arrival: When they arrived.
    /// - Throws: ``RecordingError``.
    func write(_ block: SampleBlock, arrival: WallTime) throws(RecordingError)

    /// Notes samples lost behind the last one, when a recording ends in a gap.
    ///
    /// - Throws: ``RecordingError``.
    func writeGap(index: Int, lost: Int) throws(RecordingError)

    /// Notes that something happened in front of the sample `index`. Formats without a place for it ignore it.
    ///
    /// - Throws: ``RecordingError``.
    func writeMarker(_ text: String, index: Int, arrival: WallTime) throws(RecordingError)

    /// Completes the recording and closes it. Must be called once; nothing may be written afterwards.
    ///
    /// - Throws: ``RecordingError``.
    func finish(samples: Int, lost: Int, reason: EndReason) throws(RecordingError)
}

/// What is known before the first sample.
public struct RecordingHeader: Hashable, Sendable {
    /// The device and its channels.
    public var source: SourceDescription
    /// When the recording began.
    public var start: WallTime

    /// Describes a recording.
    public init(source: SourceDescription, start: WallTime) {
        self.source = source
        self.start = start
    }
}

/// A format of recordings. An open set: make your own from a name and a factory.
public struct RecordingFormat: Sendable {
    /// Makes a writer; the file is created and its header written.
    public typealias Factory =
        @Sendable (RecordingHeader, RecordingDestination) throws(RecordingError) -> any RecordingWriter

    /// The name in lower case, `opensignals`.
    public var name: String
    /// The extension of its files, `txt`.
    public var fileExtension: String
    /// What it is, in a few words.
    public var title: String
    private let factory: Factory

    /// A format by name.
    public init(name: String, fileExtension: String, title: String, factory: @escaping Factory) {
        self.name = name
        self.fileExtension = fileExtension
        self.title = title
        self.factory = factory
    }

    /// Creates a file and writes its header.
    ///
    /// - Throws: ``RecordingError`` `.fileExists`, `.cannotWrite`, `.diskFull`, or `.unsupported` before a file is
    /// created.
    public func makeWriter(
        _ header: RecordingHeader, to destination: RecordingDestination
    ) throws(RecordingError) -> any RecordingWriter {
        try factory(header, destination)
    }

    /// The text format of OpenSignals, which the usual programs for biosignals read.
    public static let openSignals = Self(
        name: "opensignals", fileExtension: "txt", title: "OpenSignals text",
        factory: { (header, destination) throws(RecordingError) in try OpenSignalsWriter(header, to: destination) })
    /// Comma-separated values with a line of names.
    public static let csv = Self(
        name: "csv", fileExtension: "csv", title: "comma-separated values",
        factory: { (header, destination) throws(RecordingError) in try CSVWriter(header, to: destination) })
    /// One JSON object on each line.
    public static let jsonLines = Self(
        name: "jsonl", fileExtension: "jsonl", title: "JSON Lines",
        factory: { (header, destination) throws(RecordingError) in try JSONLinesWriter(header, to: destination) })

    /// EDF+, 16 bits for each sample with physical units, annotations for markers and gaps; one
    /// sample a second of sources without a rate.
    public static let edf = Self(
        name: "edf", fileExtension: "edf", title: "EDF+",
        factory: { (header, destination) throws(RecordingError) in try EDFWriter(header, to: destination) })
    /// An SQLite database; the one format that adds sessions to a file, see ``RecordingDestination/addition(_:)``.
    public static let sqlite = Self(
        name: "sqlite", fileExtension: "sqlite", title: "SQLite database",
        factory: { (header, destination) throws(RecordingError) in try SQLiteWriter(header, to: destination) })
    /// A stream of the Lab Streaming Layer instead of a file; needs liblsl when it is used.
    public static let lsl = Self(
        name: "lsl", fileExtension: "lsl", title: "Lab Streaming Layer",
        factory: { (header, destination) throws(RecordingError) in try LSLWriter(header, to: destination) })

    /// The formats that are built in.
    public static let all = [openSignals, csv, jsonLines, edf, sqlite, lsl]

    /// True if it makes a file.
    public var isFile: Bool { name != "lsl" }

    /// The built-in format of a name, in any case.
    public static func named(_ name: String) -> Self? { all.first { $0.name == name.lowercased() } }
}
