// SPDX-License-Identifier: Apache-2.0

/// Text of the debug console: ISO 8859-1, in chunks. bluest.md §12.
public enum ConsoleText {
    /// Octets in a chunk.
    public static let chunkSize = 20

    /// The octets of a text. A character that the board's alphabet lacks becomes a question mark.
    public static func encode(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") }
    }

    /// The text of octets.
    public static func decode(_ bytes: some Sequence<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(Unicode.Scalar(byte)) }
        return String(text)
    }

    /// The chunks in which octets are written, one after the other.
    public static func chunks(_ bytes: [UInt8], size: Int = chunkSize) -> [[UInt8]] {
        let size = max(1, size)
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min(bytes.count, $0 + size)]) }
    }
}

/// Puts what a console sends into lines: an answer may span notifications.
public struct ConsoleLines: Sendable {
    private var pending: [UInt8] = []
    private let limit: Int

    /// Lines of at most `limit` octets; longer ones are cut there.
    public init(limit: Int = 4096) { self.limit = max(1, limit) }

    /// What has come since the last end of a line.
    public var partial: String { ConsoleText.decode(pending) }

    /// Takes octets; returns the lines that are now complete, without their ends. CR LF, LF CR, CR and LF all end a
    /// line, and so does NUL; empty lines are left out.
    public mutating func received(_ bytes: [UInt8]) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == 0x0D || byte == 0x0A || byte == 0 {
                if !pending.isEmpty { lines.append(ConsoleText.decode(pending)) }
                pending.removeAll(keepingCapacity: true)
            } else {
                pending.append(byte)
                if pending.count == limit {
                    lines.append(ConsoleText.decode(pending))
                    pending.removeAll(keepingCapacity: true)
                }
            }
        }
        return lines
    }

    /// What is left when no more comes, if anything is.
    public mutating func finish() -> String? {
        guard !pending.isEmpty else { return nil }
        defer { pending.removeAll() }
        return ConsoleText.decode(pending)
    }
}

/// The version of a board's firmware, as the console tells it. bluest.md §12.
///
/// ```swift
/// try FirmwareVersion("L476_ALLMEMS1_3.1.0\r\n").name   // "ALLMEMS1"
/// ```
public struct FirmwareVersion: Hashable, Sendable, CustomStringConvertible {
    /// The kind of microcontroller, `L476`.
    public var mcuType: String
    /// The firmware, `ALLMEMS1`.
    public var name: String
    /// The first number.
    public var major: Int
    /// The second number.
    public var minor: Int
    /// The third number.
    public var patch: Int

    /// A version from its parts.
    public init(mcuType: String, name: String, major: Int, minor: Int, patch: Int) {
        self.mcuType = mcuType
        self.name = name
        self.major = major
        self.minor = minor
        self.patch = patch
    }

    /// Reads `MCU_NAME_x.y.z`, in the first line that holds it. The name is what stands between the last two
    /// underscores in front of the numbers.
    ///
    /// - Throws: ``FeatureError`` with `unrecognisedVersion`.
    public init(_ text: some StringProtocol) throws(FeatureError) {
        for line in text.split(whereSeparator: { $0.isNewline || $0 == "\0" }) {
            if let version = Self.parse(line) {
                self = version
                return
            }
        }
        throw FeatureError(.unrecognisedVersion)
    }

    /// `L476_ALLMEMS1_3.1.0`.
    public var description: String { "\(mcuType)_\(name)_\(major).\(minor).\(patch)" }

    private static func parse(_ line: some StringProtocol) -> Self? {
        let parts = line.split(separator: "_", omittingEmptySubsequences: false)
        for index in parts.indices.reversed() where index >= 2 {
            guard let numbers = numbers(at: parts[index]) else { continue }
            return Self(
                mcuType: parts[..<(index - 1)].joined(separator: "_"), name: String(parts[index - 1]),
                major: numbers[0], minor: numbers[1], patch: numbers[2])
        }
        return nil
    }

    /// Three numbers with points between them, at the beginning of a text.
    private static func numbers(at text: some StringProtocol) -> [Int]? {
        let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let last = parts[2].prefix { $0.isASCII && $0.isNumber }
        let texts = [String(parts[0]), String(parts[1]), String(last)]
        let numbers = texts.compactMap { part in
            part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part) : nil
        }
        return numbers.count == 3 ? numbers : nil
    }
}
