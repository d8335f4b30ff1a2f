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
            .value(
                "rate", "HZ",
                "samples per second; BITalino: 1, 10, 100 or 1000 (default 1000); BlueST: what the board sends, measured"
            ),
            .value(
                "set", "NAME=VALUE",
                "a setting of the driver; BITalino: mode=live (default) or simulated, A1 to A6=SENSOR; BlueST: tick=MS",
                repeats: true),
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
            return try await Session.run(invocation) { session in
                let discovery = try await selector.find(with: session.central, timeout: session.timeout)
                try recording.prepare()
                let source = try await RecordingJob.source(of: discovery, options: options, timeout: session.timeout)
                console.talk(
                    "recording \(source.info.name): \(source.info.channels.map(\.name).joined(separator: " "))")
                let summary = try await RecordingJob(source: source, options: recording).run { progress in
                    console.status(progress.text)
                }
                console.endStatus()
                try console.report(
                    [summary], json: invocation.has("json"), outputIsData: recording.directory == nil)
                return summary.exit
            }
        })
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
