// SPDX-License-Identifier: Apache-2.0

import CeruleanWire
import Foundation

/// A value to write, as text: `hex:0102`, `utf8:text`, `u16:500`, `be:u16:500`, `f32:1.5`, or `@FILE`.
enum ValueText {
    /// The longest value of an attribute. Core 5.4, Vol 3, Part F, 3.2.9.
    static let limit = 512

    /// Reads the text.
    ///
    /// - Throws: ``CommandError``: ``ExitCode/usage`` for anything else, ``ExitCode/badData`` for a file that cannot be read.
    static func bytes(_ text: String) throws(CommandError) -> [UInt8] {
        let bytes = try unlimited(text)
        guard bytes.count <= limit else {
            throw .usage("a value has at most \(limit) octets, '\(text.prefix(40))' has \(bytes.count)")
        }
        return bytes
    }

    private static func unlimited(_ text: String) throws(CommandError) -> [UInt8] {
        if text.hasPrefix("@") { return try file(String(text.dropFirst())) }
        var parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { throw usage(text) }
        switch parts[0] {
        case "hex":
            do { return try Hex.decode(parts[1]) } catch {
                throw .usage("'\(text)': no hexadecimal digits at character \(error.offset + 4)")
            }
        case "utf8": return Array(parts[1].utf8)
        default: break
        }
        let isBig = parts[0] == "be"
        if isBig {
            parts = parts[1].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw usage(text) }
        }
        var bytes: [UInt8] = []
        for number in parts[1].split(separator: ",", omittingEmptySubsequences: false) {
            let little = try Self.number(String(number), parts[0], text)
            bytes += isBig ? little.reversed() : little
        }
        return bytes
    }

    /// One number, least significant octet first.
    private static func number(_ digits: String, _ kind: String, _ text: String) throws(CommandError) -> [UInt8] {
        switch kind {
        case "u8": try integer(digits, UInt8.self, text)
        case "u16": try integer(digits, UInt16.self, text)
        case "u32": try integer(digits, UInt32.self, text)
        case "i8": try integer(digits, Int8.self, text)
        case "i16": try integer(digits, Int16.self, text)
        case "i32": try integer(digits, Int32.self, text)
        case "f32":
            if let value = Float(digits), value.isFinite || digits.lowercased().contains("inf") || value.isNaN {
                octets(value.bitPattern)
            } else {
                throw .usage("'\(text)': '\(digits)' is no number")
            }
        default: throw usage(text)
        }
    }

    private static func integer<T: FixedWidthInteger>(
        _ digits: String, _: T.Type, _ text: String
    ) throws(CommandError) -> [UInt8] {
        let value = digits.lowercased().hasPrefix("0x") ? T(digits.dropFirst(2), radix: 16) : T(digits)
        guard let value else {
            throw .usage("'\(text)': '\(digits)' is no whole number from \(T.min) to \(T.max)")
        }
        return octets(value)
    }

    private static func octets<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
        (0..<T.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> T($0 * 8)) }
    }

    private static func file(_ path: String) throws(CommandError) -> [UInt8] {
        guard let handle = FileHandle(forReadingAtPath: path) else { throw .badData("\(path): cannot be opened") }
        defer { try? handle.close() }
        do {
            return Array(try handle.read(upToCount: limit + 1) ?? Data())
        } catch {
            throw .badData("\(path): cannot be read: \(FileFault.text(error))")
        }
    }

    private static func usage(_ text: String) -> CommandError {
        .usage(
            "'\(text)' is no value; write hex:0102, utf8:text, u8: u16: u32: i8: i16: i32: f32: (be: in front), or @FILE"
        )
    }
}
