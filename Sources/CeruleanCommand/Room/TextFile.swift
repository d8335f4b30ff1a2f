// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
import CeruleanWire
import Foundation

/// Files that the user names.
enum TextFile {
    /// The most that is read of a device or world file.
    private static let limit = 16 << 20

    /// Reads a JSON file.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/badData`` that names the file.
    static func json(_ path: String) throws(CommandError) -> FieldValue {
        let data = try bytes(path, limit: limit)
        do {
            return try JSONText.parse(utf8: data)
        } catch {
            throw .badData("\(path): \(error)")
        }
    }

    /// True for what is in the file system.
    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Reads the octets of a file.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/badData`` that names the file, also for more than `limit` octets.
    static func bytes(_ path: String, limit: Int) throws(CommandError) -> [UInt8] {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            let reason = FileManager.default.fileExists(atPath: path) ? "cannot be opened" : "no such file"
            throw .badData("\(path): \(reason)")
        }
        defer { try? handle.close() }
        let data: Data
        do {
            data = try handle.read(upToCount: limit + 1) ?? Data()
        } catch {
            throw .badData("\(path): cannot be read: \(FileFault.text(error))")
        }
        guard data.count <= limit else { throw .badData("\(path): larger than \(limit) octets") }
        return Array(data)
    }

    /// Writes a new file. One that exists is never overwritten.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/cannotWrite``.
    static func write(_ text: String, to path: String) throws(CommandError) {
        let file = try NewFile(path)
        do {
            try file.write(Array(text.utf8))
        } catch {
            file.remove()
            throw error
        }
    }

    /// JSON with one member on each line, for people.
    static func pretty(_ value: FieldValue, indent: String = "") -> String {
        let inner = indent + "  "
        switch value {
        case .object(let members) where !members.isEmpty:
            let lines = members.map { "\(inner)\(JSONText.encode(.text($0.name))): \(pretty($0.value, indent: inner))" }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        case .list(let values) where values.contains { if case .object = $0 { true } else { false } }:
            return "[\n" + values.map { inner + pretty($0, indent: inner) }.joined(separator: ",\n") + "\n\(indent)]"
        default:
            return JSONText.encode(value)
        }
    }
}

/// Reads members of JSON objects and says what is wrong where.
struct JSONReader: Sendable {
    /// Where the value stands: `FILE: services[0].characteristics[1]`.
    let path: String
    private let value: FieldValue

    init(_ value: FieldValue, path: String) {
        self.value = value
        self.path = path
    }

    /// The members of an object.
    func members() throws(CommandError) -> [FieldValue.Member] {
        guard case .object(let members) = value else { throw fault("must be an object") }
        return members
    }

    /// Refuses members with other names: what is misspelled would not count.
    func only(_ known: String...) throws(CommandError) {
        guard let member = try members().first(where: { !known.contains($0.name) }) else { return }
        throw fault("has the unknown key '\(member.name)'; known are \(known.joined(separator: ", "))")
    }

    /// A member that may be missing or null.
    func optional(_ name: String) throws(CommandError) -> JSONReader? {
        guard let member = try members().first(where: { $0.name == name }), member.value != .null else { return nil }
        return JSONReader(member.value, path: path.hasSuffix(": ") ? path + name : "\(path).\(name)")
    }

    /// A member that must be there.
    func required(_ name: String) throws(CommandError) -> JSONReader {
        guard let reader = try optional(name) else { throw fault("'\(name)' is missing") }
        return reader
    }

    /// The elements of a list.
    func list() throws(CommandError) -> [JSONReader] {
        guard case .list(let values) = value else { throw fault("must be a list") }
        return values.enumerated().map { JSONReader($0.element, path: "\(path)[\($0.offset)]") }
    }

    /// Text.
    func text() throws(CommandError) -> String {
        guard case .text(let text) = value else { throw fault("must be text") }
        return text
    }

    /// True or false.
    func bool() throws(CommandError) -> Bool {
        guard case .bool(let flag) = value else { throw fault("must be true or false") }
        return flag
    }

    /// A number within a range.
    func number(_ range: ClosedRange<Double>) throws(CommandError) -> Double {
        let number: Double
        switch value {
        case .integer(let whole): number = Double(whole)
        case .number(let any): number = any
        default: throw fault("must be a number")
        }
        guard range.contains(number) else { throw fault("must be from \(range.lowerBound) to \(range.upperBound)") }
        return number
    }

    /// A whole number of a type's range.
    func integer<T: FixedWidthInteger>(_: T.Type) throws(CommandError) -> T {
        guard case .integer(let number) = value, let exact = T(exactly: number) else {
            throw fault("must be a whole number from \(T.min) to \(T.max)")
        }
        return exact
    }

    /// A UUID in any case.
    func uuid() throws(CommandError) -> BluetoothUUID {
        let text = try text()
        guard let uuid = BluetoothUUID(text) else { throw fault("'\(text)' is no UUID") }
        return uuid
    }

    /// Octets in hexadecimal, at most `limit`.
    func bytes(limit: Int) throws(CommandError) -> [UInt8] {
        let text = try text()
        let bytes: [UInt8]
        do { bytes = try Hex.decode(text) } catch { throw fault("no hexadecimal at character \(error.offset)") }
        guard bytes.count <= limit else { throw fault("has \(bytes.count) octets, at most \(limit) fit") }
        return bytes
    }

    /// An error about this value.
    func fault(_ text: String) -> CommandError {
        .badData(path.hasSuffix(": ") ? path + text : "\(path) \(text)")
    }
}
