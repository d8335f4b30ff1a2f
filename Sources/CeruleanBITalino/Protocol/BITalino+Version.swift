// SPDX-License-Identifier: Apache-2.0

extension BITalino {
    /// The firmware version that a board reports, `BITalino_v5.2`.
    public struct Version: Hashable, Sendable, Comparable, CustomStringConvertible {
        /// The whole text without the line feed.
        public let text: String
        /// The number in front of the dot.
        public let major: Int
        /// The number behind the dot.
        public let minor: Int

        /// The version as current boards write it.
        public init(major: Int, minor: Int) {
            self.init(text: "BITalino_v\(major).\(minor)", major: major, minor: minor)
        }

        private init(text: String, major: Int, minor: Int) {
            self.text = text
            self.major = major
            self.minor = minor
        }

        /// Finds a whole version text, from the word `BITalino` to a line feed, anywhere in `bytes`; nil if there is none.
        ///
        /// What stands in front is skipped: frames that were still on their way when the board was asked. A frame may hold a
        /// line feed, and by chance the word too, so a text that does not fit is passed over and the search goes on.
        public init?(answer bytes: some Collection<UInt8>) {
            let bytes = Array(bytes)
            var start = 0
            while let word = Self.find(in: bytes, from: start) {
                if let version = Self.parse(bytes[word...]) {
                    self = version
                    return
                }
                start = word + 1
            }
            return nil
        }

        /// True for a (r)evolution board.
        public var isRevolution: Bool { (major, minor) >= (4, 2) }
        /// True if the state reply has 17 octets with the PWM value in it; 16 before version 5.2.
        public var hasLongState: Bool { (major, minor) >= (5, 2) }

        /// The number alone, `5.2`.
        public var description: String { "\(major).\(minor)" }

        /// Orders by number.
        public static func < (a: Self, b: Self) -> Bool { (a.major, a.minor) < (b.major, b.minor) }

        // MARK: - Private

        private static let word = Array("BITalino".utf8)
        /// Longer texts are no versions: it keeps the search linear.
        private static let longest = 32

        private static func find(in bytes: [UInt8], from start: Int) -> Int? {
            guard bytes.count >= word.count else { return nil }
            return (start..<max(start, bytes.count - word.count + 1)).first {
                bytes[$0..<$0 + word.count].elementsEqual(word)
            }
        }

        /// `BITalino`, then `_v` or `V`, digits, dot, digits, line feed.
        private static func parse(_ bytes: ArraySlice<UInt8>) -> Self? {
            guard let end = bytes.prefix(longest).firstIndex(of: 0x0A) else { return nil }
            let line = bytes[..<end]
            var rest = line.dropFirst(word.count)
            if rest.starts(with: "_v".utf8) {
                rest = rest.dropFirst(2)
            } else if rest.first == UInt8(ascii: "V") {
                rest = rest.dropFirst()
            } else {
                return nil
            }
            let numbers = rest.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard numbers.count == 2, let major = number(numbers[0]), let minor = number(numbers[1]) else { return nil }
            return Self(text: String(decoding: line, as: UTF8.self), major: major, minor: minor)
        }

        private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
            guard (1...3).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
    }
}
