// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The files of a program of scripts, and the one that keeps its state.
struct ScriptFiles {
    /// What one file holds at most.
    static let maximumSize = 16 << 20

    /// The script as it was named.
    let path: String
    /// Where modules are looked for.
    let folder: String
    /// Names the state.
    let identifier: String

    init(_ path: String, _ options: ScriptOptions) {
        self.path = path
        folder = options.folder ?? Self.folder(of: path)
        identifier = options.identifier ?? Self.identifier(of: path)
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The name of the script and a number made of its whole path.
    private static func identifier(of path: String) -> String {
        let full = URL(fileURLWithPath: path).standardizedFileURL.path
        let name = full.split(separator: "/").last.map(String.init) ?? "script"
        return "\(name.prefix(16))-\(number(of: full))"
    }

    /// A number that stands for a text, as FNV-1a makes it.
    private static func number(of text: String) -> String {
        String(text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
    }

    /// - Throws: ``ScriptFault`` that names the file.
    func read(_ path: String) throws(ScriptFault) -> String {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let size = attributes?[.size] as? NSNumber, attributes?[.type] as? FileAttributeType != .typeDirectory
        else {
            throw ScriptFault("\(path) cannot be read", kind: .unreadable)
        }
        guard size.intValue <= Self.maximumSize else {
            throw ScriptFault("\(path) is larger than 16 MiB", kind: .unreadable)
        }
        guard let data = FileManager.default.contents(atPath: path), data.count <= Self.maximumSize else {
            throw ScriptFault("\(path) cannot be read", kind: .unreadable)
        }
        guard let text = String(bytes: data, encoding: .utf8) else {
            throw ScriptFault("\(path) is not UTF-8 text", kind: .unreadable)
        }
        return text
    }

    /// The file that a name stands for: from the folder of the script, or of the module that asks when the name begins with a dot.
    ///
    /// - Throws: ``ScriptFault`` when there is none, or it lies outside of the script's folder.
    func resolve(_ name: String, from inner: String) throws(ScriptFault) -> String {
        var parts: [Substring] = []
        let isRelative = name.hasPrefix("./") || name.hasPrefix("../")
        if isRelative, inner.hasPrefix(folder + "/") {
            parts = inner.dropFirst(folder.count + 1).split(separator: "/")
        }
        for part in name.split(separator: "/") where part != "." {
            if part != ".." {
                parts.append(part)
            } else if parts.popLast() == nil {
                throw ScriptFault("require: \(name) lies outside of \(folder)")
            }
        }
        let base = ([folder] + parts.map(String.init)).joined(separator: "/")
        for candidate in [base, base + ".js", base + ".json", base + "/index.js"] {
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder), !isFolder.boolValue {
                return candidate
            }
        }
        throw ScriptFault("require: there is no module \(name) (no file \(base).js)")
    }

    // MARK: State

    private var stateFile: String { "script-\(StateDirectory.fileName(identifier)).json" }

    /// What the run before left.
    var state: String? { StateDirectory.read(stateFile).map { String(decoding: $0, as: UTF8.self) } }

    func write(state: String) {
        guard state.utf8.count <= 4 << 20 else { return }
        StateDirectory.write(Data(state.utf8), to: stateFile)
    }

    /// The restore identifier of this script's manager among those of all programs.
    func restoreIdentifier(_ identifier: String) -> String {
        "\(Self.number(of: self.identifier)).\(identifier.prefix(16)).\(Self.number(of: identifier))"
    }
}
