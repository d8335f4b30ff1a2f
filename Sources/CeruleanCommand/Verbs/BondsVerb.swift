// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Foundation

extension VerbSpecification {
    /// `bonds`: the devices that keys are kept for.
    static let bonds = VerbSpecification(
        name: "bonds",
        summary: "list the devices that keys are kept for",
        details: "Lists those of --adapter or of the file of --bonds, else those of all adapters. No radio is needed.",
        examples: ["bonds", "bonds --adapter hci:0 --json"],
        run: { invocation, console in
            let files = try BondFiles.all(invocation)
            var rows: [[String]] = []
            for file in files {
                for bond in file.content.database.bonds {
                    if invocation.has("json") {
                        try console.json(bond.fieldValue(adapter: file.content.adapter))
                    } else {
                        rows.append([
                            bond.identity.address.description, bond.identity.peerKind == .public ? "public" : "random",
                            TerminalText.escaped(bond.name ?? "-"), bond.strength?.text ?? "no key",
                            TerminalText.escaped(file.content.adapter),
                        ])
                    }
                }
            }
            for line in TerminalText.table(rows) { try console.line(line) }
            if rows.isEmpty, !invocation.has("json") { console.talk("no device is paired") }
            return .ok
        })

    /// `unpair`: forgets a device.
    static let unpair = VerbSpecification(
        name: "unpair",
        summary: "forget the keys of a device",
        details: "Forgets them on this side; the device keeps its own until it is told to forget. No radio is needed.",
        positionals: [
            PositionalSpecification(
                placeholder: "DEVICE", help: "its address, as 'bonds' lists it, or its name", isOptional: true)
        ],
        options: [.flag("all", "forget all devices")],
        changesBonds: true,
        examples: ["unpair C4:7C:8D:00:11:22", "unpair --all --adapter virtual"],
        run: { invocation, console in
            let wanted = invocation.positional(0)
            guard (wanted == nil) == invocation.has("all") else {
                throw CommandError.usage("unpair takes a DEVICE, or --all")
            }
            var forgotten = 0
            var matches: [(file: BondFiles.File, bond: Bond)] = []
            for file in try BondFiles.all(invocation) {
                for bond in file.content.database.bonds where wanted.map(bond.isMeant(by:)) ?? true {
                    matches.append((file, bond))
                }
            }
            if wanted != nil, Set(matches.map(\.bond.identity)).count > 1 {
                let list = matches.map { "\($0.bond.identity.address)" }.joined(separator: ", ")
                throw CommandError(.notFound, "'\(wanted ?? "")' is not unique: \(list)")
            }
            for (path, group) in Dictionary(grouping: matches, by: { $0.file.path }).sorted(by: { $0.key < $1.key }) {
                guard let file = group.first?.file else { continue }
                let store = ProgramBondStore(path: path, adapter: file.content.adapter)
                guard store.claim() else {
                    throw CommandError(.cannotWrite, "\(path): another cerulean uses these bonds")
                }
                var database = file.content.database
                for (_, bond) in group {
                    guard database.remove(bond.identity) != nil else { continue }
                    forgotten += 1
                    if invocation.has("json") {
                        var members: [FieldValue.Member] = [.init("event", "unpaired")]
                        members += bond.identity.members
                        if let name = bond.name { members.append(.init("name", .text(name))) }
                        try console.json(.object(members))
                    } else {
                        let text = "forgot \(bond.name.map { $0 + " " } ?? "")\(bond.identity.address)"
                        try console.line(TerminalText.escaped(text))
                    }
                }
                try await store.saveNow(database)
            }
            guard forgotten > 0 || invocation.has("all") else {
                throw CommandError(.notFound, "no keys are kept for '\(wanted ?? "")'; 'bonds' lists the devices")
            }
            return .ok
        })
}

/// The bond files that an invocation speaks of.
enum BondFiles {
    struct File: Sendable {
        var path: String
        var content: BondFile
    }

    /// - Throws: ``CommandError`` with ``ExitCode/badData`` for a file that cannot be read.
    static func all(_ invocation: Invocation) throws(CommandError) -> [File] {
        if let path = invocation.value("bonds") { return try file(path, invocation).map { [$0] } ?? [] }
        guard let directory = BondChoice.directory(invocation.environment) else { return [] }
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
        var files: [File] = []
        for name in names where name.hasSuffix(".bonds") {
            guard let file = try file(directory + "/" + name, invocation) else { continue }
            if let adapter = invocation.value("adapter") {
                let wanted = BondChoice.canonicalName(adapter)
                guard file.content.adapter == wanted || file.content.adapter.hasPrefix(wanted + "@") else { continue }
            }
            files.append(file)
        }
        return files
    }

    /// Nil when there is no such file.
    private static func file(_ path: String, _ invocation: Invocation) throws(CommandError) -> File? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let present = try octets(path)
        do throws(BondStoreError) {
            return File(path: path, content: try BondFile(present))
        } catch {
            if error.code == .damaged, let previous = try? BondFile(try octets(path + ".previous")) {
                invocation.notice(BondChoice.recovery(path))
                return File(path: path, content: previous)
            }
            throw .badData("\(path): \(error.reason)")
        }
    }

    private static func octets(_ path: String) throws(CommandError) -> [UInt8] {
        guard let handle = FileHandle(forReadingAtPath: path) else { throw .badData("\(path): cannot be opened") }
        defer { try? handle.close() }
        guard let data = try? handle.read(upToCount: BondFile.maximumSize + 1) else {
            throw .badData("\(path): cannot be read")
        }
        return Array(data)
    }
}

extension Bond {
    fileprivate func fieldValue(adapter: String) -> FieldValue {
        var members = identity.members
        if let name { members.append(.init("name", .text(name))) }
        if let strength {
            members.append(.init("level", FieldValue(integer: strength.securityLevel.rawValue)))
            members += strength.members
        }
        members.append(.init("adapter", .text(adapter)))
        return .object(members)
    }

    fileprivate func isMeant(by text: String) -> Bool {
        if let address = BluetoothAddress(text) { return identity.address == address }
        return name?.lowercased() == text.lowercased()
    }
}
