// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
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
                "format", "LIST", "opensignals (default), csv, jsonl, or several with commas",
                choices: RecordingFormat.all.map(\.name)),
            .value("output", "DIR", "where the files go (default .); - writes one format to standard output"),
            .value(
                "seconds", "S",
                "record S seconds of the device's clock, lost samples counted; 0.001 or more (default \(seconds))"),
        ]
    }

    var formats: [RecordingFormat]
    /// Nil for standard output.
    var directory: String?
    /// Seconds of the device's clock.
    var seconds: Double?

    /// Reads the options.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage``.
    init(_ invocation: Invocation) throws(CommandError) {
        formats = []
        for name in (invocation.value("format") ?? "opensignals").split(separator: ",") {
            guard let format = RecordingFormat.named(String(name)) else {
                let known = RecordingFormat.all.map(\.name).joined(separator: ", ")
                throw .usage("--format takes \(known), not '\(name)'")
            }
            if !formats.contains(where: { $0.name == format.name }) { formats.append(format) }
        }
        guard !formats.isEmpty else { throw .usage("--format names no format") }
        let output = invocation.value("output") ?? "."
        directory = output == "-" ? nil : output
        guard directory != nil || formats.count == 1 else {
            throw .usage("--output - takes one format, not \(formats.count)")
        }
        seconds = try invocation.seconds("seconds", minimum: 0.001)?.inSeconds
    }

    /// Makes the directory if it is not there.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/cannotWrite``.
    func prepare() throws(CommandError) {
        guard let directory else { return }
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw CommandError(.cannotWrite, "\(directory): cannot be created: \(error.localizedDescription)")
        }
    }
}
