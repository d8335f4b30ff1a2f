// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanRecording
import CeruleanSensing
import Synchronization

extension VerbSpecification {
    /// `record`: a board's samples into files.
    static let record = VerbSpecification(
        name: "record",
        summary: "record a board into files",
        details: """
            Files are NAME-yyyyMMdd-HHmmss.EXT in the directory of --output; one that exists is never overwritten. Ends after
            --seconds of the device's clock, or by Ctrl-C; the files are complete then. A lost connection is tried again.
            """,
        options: [
            .value("channels", "LIST", "channels with commas, such as 1,2,3 or A1,A2 (default all)"),
            .value("feature", "LIST", "BlueST: features with commas, such as acceleration,gyroscope,magnetometer"),
            .catalog,
            .value(
                "rate", "HZ",
                "samples per second; BITalino: 1, 10, 100 or 1000 (default 1000); BlueST: what the board sends, measured"
            ),
            .value(
                "set", "NAME=VALUE",
                "a setting of the driver; BITalino: mode=live (default) or simulated, A1 to A6=SENSOR; BlueST: tick=MS",
                repeats: true),
            .flag("all", "record all devices that fit at once, each into files of its own, on one clock"),
            .flag("join", "--all: also one OpenSignals file with all devices side by side"),
            .flag("markers", "markers from the keyboard (m, Enter, 1 to 9), or lines of standard input"),
            .flag("plot", "draw the samples while they come; space stops and goes on"),
            .value("reconnect", "S", "how long to try to get a lost connection back (default 30, 0 not at all)"),
        ] + RecordingOptions.specifications(seconds: "until Ctrl-C"),
        selectsDevice: true,
        examples: [
            "record --name bitalino --adapter virtual --channels 1,2,3 --rate 1000 --seconds 10 --format opensignals,csv",
            "record --feature acceleration,gyroscope --format csv --seconds 10",
        ],
        run: { invocation, console in
            let recording = try RecordingOptions(invocation)
            var selector = try DeviceSelector(invocation)
            // Features are what BlueST boards have.
            if invocation.has("feature") { selector.onlyKind = selector.isAny ? "bluest" : nil }
            selector.onlyRecordable = selector.isAny && selector.onlyKind == nil
            let options = try SourceOptions(invocation)
            guard invocation.has("all") || !invocation.has("join") else {
                throw CommandError.usage("--join goes with --all")
            }
            if invocation.has("all") {
                guard recording.directory != nil, !invocation.has("plot"), !invocation.has("markers") else {
                    throw CommandError.usage("--all goes with files alone: no --output -, --plot or --markers")
                }
                let chosen = selector
                return try await Session.run(invocation) { session in
                    let found = try await chosen.findAll(with: session.central, timeout: session.timeout)
                    try recording.prepare()
                    return try await RecordingJob.record(found, session, options, recording, invocation, console)
                }
            }
            return try await Session.run(invocation) { session in
                let discovery = try await selector.find(with: session.central, timeout: session.timeout)
                try recording.prepare()
                let source = try await RecordingJob.source(of: discovery, options: options, timeout: session.timeout)
                console.talk(
                    "recording \(source.info.name): \(source.info.channels.map(\.name).joined(separator: " "))")
                let job = RecordingJob(source: source, options: recording, clock: session.clock)
                let summary = try await job.run(with: invocation, console)
                console.endStatus()
                try console.report(
                    [summary], json: invocation.has("json"), outputIsData: recording.directory == nil)
                return summary.exit
            }
        })
}

extension RecordingJob {
    /// Records several devices at once.
    static func record(
        _ found: [Discovery], _ session: Session, _ options: SourceOptions, _ recording: RecordingOptions,
        _ invocation: Invocation, _ console: Console
    ) async throws -> ExitCode {
        var jobs: [RecordingJob] = []
        for discovery in found {
            let source = try await source(of: discovery, options: options, timeout: session.timeout)
            jobs.append(RecordingJob(source: source, options: recording, clock: session.clock, isLenient: true))
        }
        for (index, base) in RecordingName.bases(of: jobs.map(\.source.info)).enumerated() { jobs[index].base = base }
        if invocation.has("join"), let directory = recording.directory {
            let together = try OpenSignalsTogether(jobs.map(\.source.info), in: directory)
            for index in jobs.indices { jobs[index].options.formats.append(together.format(of: index)) }
        }
        console.talk("recording \(jobs.map(\.source.info.name).joined(separator: ", "))")
        let summaries = try await run(jobs, console)
        console.endStatus()
        try console.report(summaries, json: invocation.has("json"), outputIsData: false)
        return summaries.first { $0.exit != .ok }?.exit ?? .ok
    }

    /// Runs jobs side by side; the summaries are in their order. The status line is that of the first.
    static func run(_ jobs: [RecordingJob], _ console: Console) async throws -> [RecordingSummary] {
        try await withThrowingTaskGroup(of: (Int, RecordingSummary).self) { group in
            for (index, job) in jobs.enumerated() {
                group.addTask {
                    let shows = index == 0
                    return (index, try await job.run { progress in if shows { console.status(progress.text) } })
                }
            }
            var summaries: [Int: RecordingSummary] = [:]
            for try await (index, summary) in group { summaries[index] = summary }
            return jobs.indices.compactMap { summaries[$0] }
        }
    }

    /// Records with what `--plot` and `--markers` ask for.
    func run(with invocation: Invocation, _ console: Console) async throws -> RecordingSummary {
        let plot = invocation.has("plot") && console.errorIsTerminal ? LivePlot(source.info, console) : nil
        if plot == nil, invocation.has("plot") {
            console.talk("--plot draws on a terminal; standard error is none", .warning)
        }
        guard plot != nil || invocation.has("markers") else { return try await run { console.status($0.text) } }
        let markers = MarkerInput()
        let job = RecordingJob(
            source: source, options: options, clock: clock, base: base, markers: markers, plot: plot)
        return try await KeyMarkers(markers: markers, plot: plot, console: console).run {
            try await job.run { progress in
                if let plot { plot.tell(progress.text) } else { console.status(progress.text) }
            }
        }
    }
}

extension SourceOptions {
    /// Reads `--channels`, `--rate`, `--set`, `--reconnect` and `--timeout`.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage``.
    init(_ invocation: Invocation) throws(CommandError) {
        self.init()
        if let list = invocation.value("feature") ?? invocation.value("channels") {
            channels = list.split(separator: ",", omittingEmptySubsequences: false).map { String($0.trimmedBlanks) }
            guard !channels.contains(""), Set(channels).count == channels.count else {
                throw .usage("'\(list)' is no list of channels: each once, with commas between, such as 1,2,3")
            }
        }
        if let text = invocation.value("rate") {
            guard let number = Double(text), number.isFinite, number > 0 else {
                throw .usage("--rate takes samples per second, not '\(text)'")
            }
            rate = number
        }
        for text in invocation.values("set") {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else { throw .usage("--set takes NAME=VALUE, not '\(text)'") }
            settings[String(parts[0])] = String(parts[1])
        }
        let reconnect = try invocation.seconds("reconnect") ?? .seconds(30)
        reconnectTimeout = reconnect == .zero ? nil : reconnect
        timeout = try invocation.seconds("timeout") ?? .seconds(10)
    }
}

extension Substring {
    fileprivate var trimmedBlanks: Substring { drop { $0 == " " }.dropLastBlanks }
    private var dropLastBlanks: Substring { last == " " ? dropLast().dropLastBlanks : self }
}
