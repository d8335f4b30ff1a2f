// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanSensing
import CeruleanWire
import Foundation

/// Where recordings go and how long they are: `--format`, `--output` and `--seconds`.
struct RecordingOptions: Sendable {
    /// The options of the table.
    ///
    /// - Parameter seconds: how long is recorded without `--seconds`.
    static func specifications(seconds: String) -> [OptionSpecification] {
        [
            .value(
                "format", "LIST",
                "opensignals (default; csv where there is no fixed rate), csv, jsonl, edf, sqlite, lsl, or several with commas",
                choices: RecordingFormat.all.map(\.name)),
            .value("database", "FILE", "sqlite: add the session to this database, new or not"),
            .value("output", "DIR", "where the files go (default .); - writes one format to standard output"),
            .value(
                "seconds", "S",
                "record S seconds of the device's clock, lost samples counted; 0.001 or more (default \(seconds))"),
        ]
    }

    var formats: [RecordingFormat]
    /// True if nobody said which formats.
    var isDefault: Bool
    /// The database that takes sessions of the format sqlite.
    var database: String?
    /// Nil for standard output.
    var directory: String?
    /// Seconds of the device's clock.
    var seconds: Double?

    /// Reads the options.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage``.
    init(_ invocation: Invocation) throws(CommandError) {
        formats = []
        isDefault = !invocation.has("format") && !invocation.has("database")
        database = invocation.value("database")
        for name in (invocation.value("format") ?? "opensignals").split(separator: ",") {
            guard let format = RecordingFormat.named(String(name)) else {
                let known = RecordingFormat.all.map(\.name).joined(separator: ", ")
                throw .usage("--format takes \(known), not '\(name)'")
            }
            if !formats.contains(where: { $0.name == format.name }) { formats.append(format) }
        }
        // A database is wanted, then.
        if database != nil, !formats.contains(where: { $0.name == RecordingFormat.sqlite.name }) {
            formats = invocation.has("format") ? formats + [.sqlite] : [.sqlite]
        }
        guard !formats.isEmpty else { throw .usage("--format names no format") }
        let output = invocation.value("output") ?? "."
        directory = output == "-" ? nil : output
        guard directory != nil || formats.count == 1 else {
            throw .usage("--output - takes one format, not \(formats.count)")
        }
        seconds = try invocation.seconds("seconds", minimum: 0.001)?.inSeconds
    }

    /// The formats for a source: where nobody said which, or with `isLenient`, those that can hold it.
    func formats(for source: SourceDescription, isLenient: Bool = false) -> [RecordingFormat] {
        guard isDefault || isLenient, source.rate == nil else { return formats }
        let fitting = formats.filter { $0.name != RecordingFormat.openSignals.name }
        return fitting.isEmpty ? [.csv] : fitting
    }

    /// Makes the directory if it is not there.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/cannotWrite``.
    func prepare() throws(CommandError) {
        guard let directory else { return }
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw CommandError(.cannotWrite, "\(directory): the directory cannot be created: \(FileFault.text(error))")
        }
    }
}
