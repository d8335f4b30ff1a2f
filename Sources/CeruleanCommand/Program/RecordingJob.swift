// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanRecording
import CeruleanSensing
import CeruleanWire

/// Records one device, as `record` and `demo` do.
struct RecordingJob: Sendable {
    /// What the driver made of the device.
    var source: any SampleSource
    var options: RecordingOptions
    /// Tells the time in UTC by the host's clock, so that devices that are recorded together agree.
    var clock: WallClock
    /// The first part of the names of files; nil for the device's name.
    var base: String?
    /// True to leave out formats that cannot hold the samples, rather than to fail.
    var isLenient = false
    /// Markers of the user.
    var markers: MarkerInput?
    /// Shows what comes.
    var plot: LivePlot?

    /// Opens the source of a device that was found.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/notFound`` when no driver knows the device; errors of the driver
    /// and link.
    static func source(
        of discovery: Discovery, options: SourceOptions, timeout: Duration
    ) async throws -> any SampleSource {
        let drivers = KnownDrivers.all
        let peripheral = discovery.peripheral
        if let known = drivers.recognize(discovery.fields, address: discovery.address).first {
            return try await known.driver.open(peripheral, options: options)
        }
        try await peripheral.connect(timeout: timeout)
        let services = try await peripheral.discover(timeout: max(timeout, .seconds(2))).map(\.uuid)
        // Whatever notifies a number whose meaning is known can be recorded.
        let driver = drivers.driver(forServices: services) ?? ProfileDriver.standard
        do {
            return try await driver.open(peripheral, options: options)
        } catch let error as SensingError where error.code == .unsupported {
            let known = drivers.drivers.map(\.kind).joined(separator: ", ")
            throw CommandError(.notFound, "\(peripheral) cannot be recorded: \(error); known are \(known)")
        }
    }

    /// Records until the time is over, the source ends or the task is cancelled; the files are complete then.
    ///
    /// - Throws: ``/CeruleanRecording/RecordingError``.
    func run(progress: @escaping @Sendable (RecordingProgress) -> Void) async throws -> RecordingSummary {
        var recorder = Recorder(
            source: source, duration: options.seconds, clock: { [clock] in clock.wallTime }, markers: markers,
            progress: progress)
        if let plot { recorder.observe = { plot.add($0) } }
        guard let seconds = options.seconds, source.info.rate == nil else { return try await run(recorder) }
        // A source without a rate may have nothing more to say.
        let loop = clock.loop
        return try await withThrowingTaskGroup(of: RecordingSummary?.self) { [recorder] group in
            group.addTask { try await run(recorder) }
            group.addTask { [source] in
                // The first value begins the time, and may take a while.
                if (try? await loop.sleep(for: .seconds(seconds + 2))) != nil { await source.stop() }
                return nil
            }
            defer { group.cancelAll() }
            while let summary = try await group.next() {
                if let summary { return summary }
            }
            throw CancellationError()
        }
    }

    private func run(_ recorder: Recorder) async throws -> RecordingSummary {
        let formats = options.formats(for: source.info, isLenient: isLenient)
        guard let directory = options.directory else {
            return try await recorder.run(formats[0], to: .standardOutput)
        }
        return try await recorder.run(formats, in: directory, base: base, database: options.database)
    }
}

extension RecordingSummary {
    /// The object of `record --json` and `demo --json`.
    var fieldValue: FieldValue {
        var members: [FieldValue.Member] = [
            .init("name", .text(source.name)), .init("kind", .text(source.kind)),
            .init("samples", FieldValue(integer: samples)), .init("lost", FieldValue(integer: lost)),
        ]
        if let file = files.first { members.append(.init("file", .text(file))) }
        members.append(.init("files", .list(files.map { .text($0) })))
        if let first = firstSampleTime { members.append(.init("firstSample", .number((first - .zero).inSeconds))) }
        if let drift = driftPartsPerMillion { members.append(.init("driftPPM", .number((drift * 10).rounded() / 10))) }
        return .object(members)
    }

    /// Lines for people.
    var lines: [String] {
        let losses = lost == 0 ? "none lost" : "\(lost) lost\(isAmbiguous ? " (about)" : "")"
        return ["\(source.name): \(samples) samples, \(losses), \(seconds.plainText) s"] + files.map { "  \($0)" }
    }

    /// How the program ends after this recording.
    var exit: ExitCode {
        switch reason.code {
        case .connectionLost: .connectionLost
        case .failed: reason.error.map { CommandError(describing: $0).exit } ?? .internal
        default: .ok
        }
    }
}

extension Console {
    /// Prints what recordings came to: one object with `--json`, else lines. On standard error when standard output
    /// is data.
    func report(_ summaries: [RecordingSummary], json: Bool, outputIsData: Bool) throws(CommandError) {
        for summary in summaries where summary.exit != .ok { complain("\(summary.source.name): \(summary.reason)") }
        var text = ""
        if json {
            var seconds = 0.0
            for summary in summaries { seconds = max(seconds, summary.seconds) }
            let value: FieldValue = ["devices": .list(summaries.map(\.fieldValue)), "seconds": .number(seconds)]
            text = JSONText.encode(value) + "\n"
        } else {
            text = summaries.flatMap(\.lines).map { TerminalText.escaped($0) + "\n" }.joined()
        }
        if outputIsData { writeError(Array(text.utf8)) } else { try out(text) }
    }

    /// A line on standard error that the next one replaces; nothing where that is no terminal.
    func status(_ text: String) {
        if errorIsTerminal { writeError(Array("\r\u{1B}[K\(TerminalText.escaped(text))".utf8)) }
    }

    /// Ends a line that would be replaced.
    func endStatus() {
        if errorIsTerminal { writeError(Array("\r\u{1B}[K".utf8)) }
    }
}

extension RecordingProgress {
    /// One line for people.
    var text: String {
        let rate = seconds > 0 ? Int((Double(samples) / seconds).rounded()) : 0
        let link = isConnected ? "" : "  connection lost, trying again"
        return "\(samples) samples  \(rate)/s  \(lost) lost  \(Int(seconds)) s\(link)"
    }
}
