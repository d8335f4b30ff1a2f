// SPDX-License-Identifier: Apache-2.0

import CeruleanWire
public import Foundation
import Synchronization

/// How ST's programs write logs. bluest.md §15.
public enum FeatureLogFormat: String, Hashable, Sendable, CaseIterable {
    /// The Objective-C SDK for iOS: dates, both clocks and the raw octets.
    case legacy
    /// The Objective-C SDK of 2016: without dates.
    case legacy2016
    /// The Swift SDK.
    case swift
    /// The Kotlin SDK.
    case kotlin
}

/// Writes samples in ST's format, one file for each feature, which all nodes share.
///
/// ```swift
/// let log = try FeatureLog(directory: "logs", nodes: [node])
/// for try await sample in try await node.samples(of: [.acceleration]) { try log.append(sample, of: node) }
/// log.close()
/// print(log.files)
/// ```
/// Numbers have a point whatever the locale; texts with commas are quoted, which ST's programs forget.
public final class FeatureLog: Sendable {
    private struct State {
        var handles: [String: FileHandle] = [:]
        var files: [String] = []
        var isClosed = false
    }

    private let directory: String
    private let format: FeatureLogFormat
    private let nodes: [String]
    private let start: Date
    private let zone: TimeZone
    private let state = Mutex(State())

    /// A log that begins now.
    ///
    /// - Parameters:
    ///   - directory: Where the files go; it is made if it is not there.
    ///   - nodes: The nodes that may be logged, named in the head of each file.
    ///   - format: Which of ST's programs writes so.
    ///   - start: When logging began.
    ///   - zone: The zone of dates in files and their names.
    /// - Throws: The error of the file system.
    public init(
        directory: String, nodes: [String], format: FeatureLogFormat = .legacy, start: Date = Date(),
        zone: TimeZone = .current
    ) throws {
        self.directory = directory
        self.format = format
        self.nodes = nodes
        self.start = start
        self.zone = zone
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    /// As above, for nodes.
    ///
    /// - Throws: The error of the file system.
    public convenience init(directory: String, nodes: [Node], format: FeatureLogFormat = .legacy) throws {
        try self.init(directory: directory, nodes: nodes.map(\.friendlyName), format: format)
    }

    deinit { close() }

    /// The files written so far, in the order of their beginning.
    public var files: [String] { state.withLock { $0.files } }

    /// Appends a sample of a node.
    ///
    /// - Throws: The error of the file system.
    public func append(_ sample: FeatureSample, of node: Node) throws {
        try append(sample, nodeName: format == .legacy || format == .legacy2016 ? node.friendlyName : node.name)
    }

    /// Appends a sample of a node by its name. `date` is when it arrived.
    ///
    /// - Throws: The error of the file system.
    public func append(_ sample: FeatureSample, nodeName: String, date: Date = Date()) throws {
        let result = state.withLock { state -> Result<Void, any Error> in
            guard !state.isClosed else { return .success(()) }
            do {
                let handle = try handle(for: sample.feature, &state)
                try handle.write(contentsOf: Data((row(sample, nodeName, date) + "\n").utf8))
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Ends all files. Harmless when done before.
    public func close() {
        state.withLock { state in
            state.isClosed = true
            for handle in state.handles.values { try? handle.close() }
            state.handles = [:]
        }
    }

    /// Ends all files and removes them.
    ///
    /// - Throws: The error of the file system.
    public func remove() throws {
        close()
        for path in files { try FileManager.default.removeItem(atPath: path) }
        state.withLock { $0.files = [] }
    }

    // MARK: - Files of a directory

    /// The logs in a directory, oldest first.
    public static func logs(in directory: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { isLog($0) }.sorted().map { "\(directory)/\($0)" }
    }

    /// Removes the logs in a directory, and nothing else.
    ///
    /// - Returns: How many there were.
    /// - Throws: The error of the file system.
    @discardableResult
    public static func removeLogs(in directory: String) throws -> Int {
        let found = logs(in: directory)
        for path in found { try FileManager.default.removeItem(atPath: path) }
        return found.count
    }

    /// `yyyyMMdd_HHmmss_<feature>.csv`.
    private static func isLog(_ name: String) -> Bool {
        let parts = name.split(separator: "_", maxSplits: 2)
        return name.hasSuffix(".csv") && parts.count == 3 && parts[0].count == 8 && parts[1].count == 6
            && (parts[0] + parts[1]).allSatisfy(\.isNumber)
    }

    // MARK: - Private

    private func handle(for feature: Feature, _ state: inout State) throws -> FileHandle {
        if let handle = state.handles[feature.id] { return handle }
        let name = feature.name.map { $0 == " " || $0 == "/" ? "_" : String($0) }.joined()
        let path = "\(directory)/\(text(start, "yyyyMMdd_HHmmss"))_\(name).csv"
        // A log that exists is not overwritten.
        try Data(head(feature).utf8).write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
        guard let handle = FileHandle(forWritingAtPath: path) else { throw CocoaError(.fileWriteUnknown) }
        try handle.seekToEnd()
        state.handles[feature.id] = handle
        state.files.append(path)
        return handle
    }

    private func columns(of feature: Feature) -> [String] { feature.fields.map { Self.quoted($0.title) } }

    private func head(_ feature: Feature) -> String {
        let fields = columns(of: feature)
        switch format {
        case .legacy, .legacy2016:
            let names = format == .legacy ? ["Date"] : []
            let header = names + ["HostTimestamp", "NodeName", "NodeTimestamp", "RawData"] + fields
            return """
                Logged started on,\(text(start, "dd/MM/yyyy HH:mm:ss"))
                Feature,\(Self.quoted(feature.name))
                Nodes,\(nodes.map(Self.quoted).joined(separator: ","))

                \(header.joined(separator: ","))

                """
        case .swift:
            return """
                Logged started on: \(text(start, "dd/MM/yyyy HH:mm:ss"))
                Feature: \(feature.name)

                \((["Date", "HostTimestamp", "NodeName"] + fields).joined(separator: ","))

                """
        case .kotlin:
            return """
                Log start on, \(text(start, "dd/MM/yyyy HH:mm:ss"))
                Feature, \(Self.quoted(feature.name))
                \((["NodeName", "HostTimestamp (ms)"] + fields).joined(separator: ", "))

                """
        }
    }

    private func row(_ sample: FeatureSample, _ node: String, _ date: Date) -> String {
        let values = Self.values(of: sample)
        let milliseconds = Int64(max(0, date.timeIntervalSince(start) * 1000).rounded())
        switch format {
        case .legacy, .legacy2016:
            // Whole seconds since the start, directly followed by three digits of milliseconds.
            let digits = String(milliseconds % 1000)
            let host = "\(milliseconds / 1000)" + String(repeating: "0", count: 3 - digits.count) + digits
            let dates = format == .legacy ? [text(date, "dd/MM/yyyy HH:mm:ss.SSS")] : []
            let raw = Hex.encode(sample.raw).uppercased()
            let clock = sample.timestamp.map { "\($0)" } ?? ""
            return (dates + [host, Self.quoted(node), clock, raw] + values).joined(separator: ",")
        case .swift:
            let seconds = "\(Double(milliseconds) / 1000)"
            return ([text(date, "dd/MM/yyyy HH:mm:ss.SSS"), seconds, Self.quoted(node)] + values).joined(separator: ",")
        case .kotlin: return ([Self.quoted(node), "\(milliseconds)"] + values).joined(separator: ", ")
        }
    }

    private static func values(of sample: FeatureSample) -> [String] {
        sample.feature.fields.enumerated().map { index, field in
            switch field.form {
            case .list: return quoted(sample.values.list.map(number).joined(separator: " "))
            case .bytes: return Hex.encode(sample.values.bytes).uppercased()
            case .text: return quoted(String(decoding: sample.values.bytes, as: UTF8.self))
            default: return sample.values[index].map(number) ?? ""
            }
        }
    }

    private static func number(_ value: Double) -> String { Int64(exactly: value).map { "\($0)" } ?? "\(value)" }

    private static func quoted(_ text: String) -> String {
        guard text.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }

    private func text(_ date: Date, _ pattern: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = zone
        formatter.dateFormat = pattern
        return formatter.string(from: date)
    }
}
