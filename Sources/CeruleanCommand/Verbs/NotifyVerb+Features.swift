// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanBlueST
import CeruleanHost
import CeruleanWire
import Foundation
import Synchronization

/// `notify --feature`: samples of a BlueST board.
struct FeatureNotification: Sendable {
    private let names: [String]
    private let count: Int?
    private let seconds: Duration?
    private let isJSON: Bool
    private let logDirectory: String?
    private let wavePath: String?
    private let showsLevel: Bool
    private let console: Console

    /// Reads the options.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage``.
    init(_ invocation: Invocation, _ console: Console) throws(CommandError) {
        guard invocation.positional(0) == nil else {
            throw .usage("notify takes an ATTRIBUTE or --feature, not both")
        }
        names = (invocation.value("feature") ?? "").split(separator: ",").map { String($0.filter { $0 != " " }) }
        guard !names.isEmpty else { throw .usage("--feature names no feature") }
        let known = FeatureRegistry()
        for name in names where known.feature(id: name) == nil && KnownDrivers.catalog?.feature(id: name) == nil {
            throw CommandError(.notFound, "'\(name)' is no feature; 'feature list' shows all")
        }
        count = try invocation.integer("count", 1...Int.max)
        seconds = try invocation.seconds("seconds")
        isJSON = invocation.has("json")
        logDirectory = invocation.value("st-log")
        wavePath = invocation.value("wav")
        showsLevel = invocation.has("level")
        let audio = ["adpcmaudio", "opusaudio"]
        let isSound = names.count == 1 && audio.contains(names[0].lowercased())
        guard isSound || wavePath == nil && !showsLevel else {
            throw .usage("--wav and --level take the sound of one feature, adpcmAudio or opusAudio")
        }
        self.console = console
    }

    func run(_ invocation: Invocation) async throws -> ExitCode {
        try await Session.onBoard(invocation) { session, node in
            var features: [Feature] = []
            for name in names { features.append(try node.wanted(name).feature) }
            let samples = try await node.samples(of: features, timeout: session.timeout)
            var opus = OpusConfiguration()
            if features == [.opusAudio], let found = try? node.feature(.opusAudioConf), found.canRead {
                let read = (try? await node.read(.opusAudioConf, timeout: session.timeout)) ?? []
                opus = read.lazy.compactMap { OpusConfiguration($0) }.first ?? opus
            }
            let outputs = try FeatureOutputs(
                node, logDirectory: logDirectory, wavePath: wavePath, level: showsLevel, opus: opus, console)
            let clock = session.central.host.loop
            let deadline = seconds.map { clock.now + $0 }
            // Files are complete whatever ends the stream.
            let result: Result<Void, any Error>
            do {
                try await follow(samples, until: deadline, on: clock) { sample in
                    let level = try outputs.append(sample)
                    if let level, showsLevel { try print(level: level, of: sample, node, session) }
                    if level == nil { try print(sample, of: node, session) }
                }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            try outputs.finish()
            if samples.droppedCount > 0 { console.talk("\(samples.droppedCount) samples lost: output is too slow") }
            try Task.checkCancellation()
            try result.get()
            return .ok
        }
    }

    private func follow(
        _ samples: FeatureSamples, until deadline: MonotonicTime?, on loop: any EventLoop,
        _ body: @escaping @Sendable (FeatureSample) throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var seen = 0
                for try await sample in samples {
                    try body(sample)
                    seen += 1
                    if let count, seen >= count { break }
                }
            }
            if let deadline { group.addTask { try await loop.sleep(until: deadline) } }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func print(_ sample: FeatureSample, of node: Node, _ session: Session) throws(CommandError) {
        guard isJSON else { return try console.line("\(sample)" + lossText(sample)) }
        var members: [FieldValue.Member] = [.init("time", .text(session.clock.text(sample.time)))]
        if let address = node.peripheral?.address { members.append(.init("address", .text(address.description))) }
        members.append(.init("name", .text(node.name)))
        if let found = try? node.feature(sample.feature) {
            members.append(.init("uuid", .text(found.characteristic.description)))
        }
        members.append(.init("feature", .text(sample.feature.id)))
        if let timestamp = sample.timestamp { members.append(.init("timestamp", FieldValue(integer: timestamp))) }
        members.append(.init("lost", FieldValue(integer: sample.lostBefore)))
        members.append(.init("value", .bytes(Array(sample.raw))))
        members.append(.init("decoded", .object(sample.members)))
        try console.json(.object(members))
    }

    private func print(
        level: AudioLevel, of sample: FeatureSample, _ node: Node, _ session: Session
    ) throws(CommandError) {
        guard isJSON else { return }
        try console.json([
            "time": .text(session.clock.text(sample.time)), "name": .text(node.name),
            "feature": .text(sample.feature.id), "seconds": .number(level.seconds),
            "level": .number((level.decibels * 10).rounded() / 10),
        ])
    }

    private func lossText(_ sample: FeatureSample) -> String {
        sample.lostBefore > 0 ? "  (\(sample.lostBefore) lost before)" : ""
    }
}

/// How loud sound is now.
private struct AudioLevel: Sendable {
    /// Below full scale.
    var decibels: Double
    /// Since the beginning.
    var seconds: Double
}

/// ST's logs and sound files beside a stream of samples.
private final class FeatureOutputs: Sendable {
    private struct State {
        var recording = AudioRecording(rate: ADPCM.sampleRate, channels: 1)
        var newest: [Int16] = []
        var count = 0
        var opus: OpusDecoder?
    }

    private let node: Node
    private let log: FeatureLog?
    private let wavePath: String?
    private let showsLevel: Bool
    private let opus: OpusConfiguration
    private let console: Console
    private let state = Mutex(State())

    init(
        _ node: Node, logDirectory: String?, wavePath: String?, level: Bool, opus: OpusConfiguration,
        _ console: Console
    ) throws {
        self.node = node
        self.wavePath = wavePath
        self.opus = opus
        showsLevel = level
        self.console = console
        do {
            log = try logDirectory.map { try FeatureLog(directory: $0, nodes: [node]) }
        } catch {
            throw CommandError(.cannotWrite, "\(logDirectory ?? ""): \(FileFault.text(error))")
        }
        if let wavePath, FileManager.default.fileExists(atPath: wavePath) {
            throw CommandError(.cannotWrite, "\(wavePath): the file exists and is never overwritten")
        }
    }

    /// Takes a sample; returns the level of sound where sound is recorded or its level wanted.
    func append(_ sample: FeatureSample) throws -> AudioLevel? {
        do {
            try log?.append(sample, of: node)
        } catch {
            throw CommandError(.cannotWrite, "log: \(FileFault.text(error))")
        }
        guard wavePath != nil || showsLevel else { return nil }
        let level = try state.withLock { state in
            var samples: [Int16]
            if sample.feature === Feature.opusAudio {
                if state.opus == nil {
                    guard let decoder = OpusDecoder(opus) else {
                        throw CommandError(.refused, "libopus is not installed; install libopus0")
                    }
                    state.opus = decoder
                    state.recording = AudioRecording(rate: decoder.rate, channels: decoder.channels)
                }
                samples = state.opus?.decode(sample.values.bytes) ?? []
            } else {
                samples = sample.values.list.map { Int16(clamping: Int($0)) }
            }
            if wavePath != nil { state.recording.append(samples) }
            state.count += samples.count
            // A tenth of a second.
            let window = max(1, state.recording.rate * state.recording.channels / 10)
            state.newest = Array((state.newest + samples).suffix(window))
            let seconds = Double(state.count) / Double(state.recording.rate * state.recording.channels)
            return AudioLevel(decibels: AudioRecording.level(of: state.newest), seconds: seconds)
        }
        let bars = Int(max(0, (level.decibels + 60) / 2))
        console.status(
            String(repeating: "#", count: bars) + String(repeating: ".", count: max(0, 30 - bars))
                + "  \(Int(level.decibels)) dB  \(Int(level.seconds)) s")
        return level
    }

    func finish() throws {
        console.endStatus()
        log?.close()
        for path in log?.files ?? [] { console.talk("written: \(path)") }
        guard let wavePath else { return }
        let wave = state.withLock { $0.recording.wave }
        do {
            try Data(wave).write(to: URL(filePath: wavePath), options: .withoutOverwriting)
            console.talk("written: \(wavePath)")
        } catch {
            throw CommandError(.cannotWrite, "\(wavePath): \(FileFault.text(error))")
        }
    }
}

extension PositionalSpecification {
    /// An attribute, where something else may be named instead.
    static var optionalAttribute: Self {
        var attribute = attribute
        attribute.isOptional = true
        return attribute
    }
}
