// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The files that stand for what Apple's system remembers: the host's secret, bonds, and the state of managers that
/// restore.
///
/// In `CERULEAN_STATE_DIR`, else in `cerulean` of `XDG_STATE_HOME`, else in `~/.local/state/cerulean`; for the owner's
/// eyes alone.
package enum StateDirectory {
    /// What a file of the directory holds at most.
    static let maximumSize = 4 << 20

    static var path: String {
        let environment = ProcessInfo.processInfo.environment
        if let chosen = environment["CERULEAN_STATE_DIR"], !chosen.isEmpty { return chosen }
        if let state = environment["XDG_STATE_HOME"], !state.isEmpty { return state + "/cerulean" }
        return NSHomeDirectory() + "/.local/state/cerulean"
    }

    /// The path of a file; nil when the directory cannot be made.
    static func path(of file: String) -> String? {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            CBLinuxLog.write("nothing will be remembered: \(path) cannot be made: \(error)")
            return nil
        }
        return path + "/" + file
    }

    /// A file name that stands for any text, another one for each text of at most 60 octets; longer ones end with a
    /// hash (FNV-1a) of the whole.
    package static func fileName(_ text: String) -> String {
        guard text.utf8.count > 60 else { return fileName(Array(text.utf8)) }
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
        return fileName(Array(text.utf8.prefix(40))) + "-" + String(hash, radix: 16)
    }

    private static func fileName(_ octets: [UInt8]) -> String {
        var name = ""
        for byte in octets {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default: name += (byte < 16 ? "_0" : "_") + String(byte, radix: 16)
            }
        }
        return name.hasPrefix(".") ? "_" + name : name
    }

    package static func read(_ file: String) -> Data? {
        let path = path + "/" + file
        guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber,
            size.intValue <= maximumSize
        else { return nil }
        return try? Data(contentsOf: URL(fileURLWithPath: path))
    }

    /// Writes a file in one step; nil removes it. Says what went wrong in the log.
    package static func write(_ data: Data?, to file: String) {
        guard let path = path(of: file) else { return }
        do {
            guard let data else {
                if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
                return
            }
            let temporary = path + ".new"
            guard
                FileManager.default.createFile(
                    atPath: temporary, contents: data, attributes: [.posixPermissions: 0o600])
            else { throw CocoaError(.fileWriteUnknown) }
            guard rename(temporary, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            CBLinuxLog.write("\(path) could not be written: \(error)")
        }
    }
}
