// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanSensing
import CeruleanWire

extension VerbSpecification {
    /// `convert FILE…`: recordings into other formats.
    static let convert = VerbSpecification(
        name: "convert",
        summary: "turn recordings into other formats",
        details: """
            Reads OpenSignals text, CSV, JSON Lines, EDF+ and SQLite, told apart by their content. Each device or session
            becomes a file NAME-yyyyMMdd-HHmmss.EXT with the time at which it was recorded. With --join, all become one
            OpenSignals file with several devices: their rates must be equal, and the time that all share is written.
            """,
        positionals: [
            PositionalSpecification(placeholder: "FILE", help: "a recording", repeats: true, isFile: true)
        ],
        options: [
            .value(
                "format", "LIST", "opensignals, csv, jsonl, edf, sqlite, or several with commas",
                choices: RecordingFormat.all.filter(\.isFile).map(\.name)),
            .value("output", "DIR", "where the files go (default .); - writes one format to standard output"),
            .value("database", "FILE", "sqlite: add the sessions to this database, new or not"),
            .flag("join", "one OpenSignals file with all devices side by side"),
        ],
        examples: ["convert ecg.txt --format edf,sqlite", "convert left.sqlite right.sqlite --join"],
        run: { invocation, console in
            var options = try RecordingOptions(invocation)
            guard invocation.has("format") || invocation.has("join") else {
                throw CommandError.usage("convert needs --format, or --join")
            }
            guard options.formats.allSatisfy(\.isFile) else {
                throw CommandError.usage("convert makes files; 'play FILE --lsl' streams a recording")
            }
            options.seconds = nil
            try options.prepare()
            var sessions: [RecordedSession] = []
            for path in invocation.positionals { sessions += try RecordedSession.read(path) }
            for session in sessions where session.isCut {
                console.talk("\(session.source.name): the recording was cut off; what is there is used", .warning)
            }
            if invocation.has("join") {
                let path = try OpenSignalsJoin.write(sessions, in: options.directory ?? ".")
                try console.line(path)
                return .ok
            }
            guard options.directory != nil || sessions.count == 1 else {
                throw CommandError.usage("--output - takes one device, not \(sessions.count)")
            }
            var summaries: [RecordingSummary] = []
            let bases = RecordingName.bases(of: sessions.map(\.source))
            for (session, base) in zip(sessions, bases) {
                let start = session.start
                let recorder = Recorder(source: ReplaySource(session), clock: { start ?? .now })
                let formats = options.formats(for: session.source)
                if let directory = options.directory {
                    summaries.append(
                        try await recorder.run(formats, in: directory, base: base, database: options.database))
                } else {
                    summaries.append(try await recorder.run(formats[0], to: .standardOutput))
                }
            }
            try Task.checkCancellation()
            try console.report(summaries, json: invocation.has("json"), outputIsData: options.directory == nil)
            return summaries.first { $0.exit != .ok }?.exit ?? .ok
        })
}
