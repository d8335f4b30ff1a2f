// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanWire
import Foundation

/// Options of scans that the user saved under a name.
///
/// A JSON file: for each name an object of options, `{"office": {"service": ["180D"], "watch": true, "show": "20"}}`.
struct ScanConfigurations: Sendable {
    /// The most that are kept.
    private static let limit = 1000
    /// Options that say what to do now rather than how to scan, or with which radio.
    private static let unsaved: Set<String> = [
        "config", "save", "forget", "configs", "adapter", "json", "trace", "log",
    ]

    /// The file; nil when the environment names no home.
    let path: String?

    /// The file of the user whose environment this is.
    init(environment: [String: String]) {
        if let home = environment["XDG_CONFIG_HOME"], !home.isEmpty {
            path = "\(home)/cerulean/scans.json"
        } else {
            path = environment["HOME"].flatMap { $0.isEmpty ? nil : "\($0)/.config/cerulean/scans.json" }
        }
    }

    /// Adds the options saved under a name to those given; given ones win.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/notFound`` for an unknown name, ``ExitCode/badData`` for a damaged file.
    func merged(_ name: String, into invocation: Invocation) throws(CommandError) -> Invocation {
        let all = try load()
        guard let saved = all.first(where: { $0.name == name }) else {
            let known = all.map(\.name)
            let hint = known.isEmpty ? "none is saved; --save NAME does" : "saved are \(known.joined(separator: ", "))"
            throw CommandError(.notFound, "no scan is saved as '\(name)'; \(hint)")
        }
        var merged = invocation
        for (option, values) in saved.options where merged.options[option] == nil { merged.options[option] = values }
        return merged
    }

    /// Saves the options of a scan under a name, in place of what was saved so.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/cannotWrite``, ``ExitCode/usage`` for a name that is empty or too long.
    func save(_ invocation: Invocation, as name: String) throws(CommandError) {
        guard !name.isEmpty, name.count <= 64 else { throw .usage("--save takes a name of 1 to 64 characters") }
        var all = try load().filter { $0.name != name }
        guard all.count < Self.limit else {
            throw CommandError(.cannotWrite, "\(Self.limit) scans are saved already; --forget NAME removes one")
        }
        let options = invocation.options.filter { !Self.unsaved.contains($0.key) }
        all.append(Entry(name: name, options: options))
        try store(all)
    }

    /// Removes what was saved under a name.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/notFound`` for an unknown name, ``ExitCode/cannotWrite``.
    func forget(_ name: String) throws(CommandError) {
        let all = try load()
        guard all.contains(where: { $0.name == name }) else {
            throw CommandError(.notFound, "no scan is saved as '\(name)'")
        }
        try store(all.filter { $0.name != name })
    }

    /// Prints what is saved.
    ///
    /// - Throws: ``CommandError``.
    func list(on console: Console, json: Bool) throws(CommandError) {
        for entry in try load() {
            if json {
                try console.json(["name": .text(entry.name), "options": entry.fieldValue])
            } else {
                let words = entry.sorted.flatMap { name, values in
                    values.map { $0.isEmpty ? "--\(name)" : "--\(name) \(TerminalText.quoted($0))" }
                }
                try console.line(
                    [entry.name, words.joined(separator: " ")].map(TerminalText.escaped).joined(separator: "\t"))
            }
        }
    }

    // MARK: - Private

    private struct Entry {
        var name: String
        var options: [String: [String]]

        var sorted: [(key: String, value: [String])] { options.sorted { $0.key < $1.key } }

        var fieldValue: FieldValue {
            .object(
                sorted.map { name, values in
                    let isFlag = values == [""]
                    return .init(
                        name, isFlag ? true : values.count == 1 ? .text(values[0]) : .list(values.map { .text($0) }))
                })
        }
    }

    private func load() throws(CommandError) -> [Entry] {
        guard let path, FileManager.default.fileExists(atPath: path) else { return [] }
        var entries: [Entry] = []
        for member in try JSONReader(try TextFile.json(path), path: "\(path): ").members() {
            var options: [String: [String]] = [:]
            let reader = JSONReader(member.value, path: "\(path): \(member.name)")
            for option in try reader.members() { options[option.name] = try Self.values(option, in: reader) }
            entries.append(Entry(name: member.name, options: options))
        }
        return entries
    }

    private static func values(_ option: FieldValue.Member, in reader: JSONReader) throws(CommandError) -> [String] {
        let all = VerbSpecification.scan.options + ProgramSpecification.cerulean.shared
        let known = (all + ProgramSpecification.cerulean.selectors).first { $0.name == option.name }
        guard let known, !unsaved.contains(option.name) else {
            throw reader.fault("has the unknown option '\(option.name)'")
        }
        switch option.value {
        case .bool(true) where known.placeholder == nil: return [""]
        case .text(let text) where known.placeholder != nil: return [text]
        case .list(let values) where known.repeats:
            var texts: [String] = []
            for value in values {
                guard case .text(let text) = value else {
                    throw reader.fault("'\(option.name)' must be a list of texts")
                }
                texts.append(text)
            }
            return texts
        default: throw reader.fault("'\(option.name)' must be \(known.placeholder == nil ? "true" : "text")")
        }
    }

    private func store(_ entries: [Entry]) throws(CommandError) {
        guard let path else {
            throw CommandError(.cannotWrite, "neither XDG_CONFIG_HOME nor HOME says where to save scans")
        }
        let url = URL(fileURLWithPath: path)
        let text = TextFile.pretty(.object(entries.map { .init($0.name, $0.fieldValue) })) + "\n"
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url, options: .atomic)
        } catch {
            throw CommandError(.cannotWrite, "\(path): \(FileFault.text(error))")
        }
    }
}
