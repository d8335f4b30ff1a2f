// SPDX-License-Identifier: Apache-2.0

/// Hexadecimal text.
public enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Lower-case digits, two for each octet, no separators.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads pairs of digits; spaces, tabs and colons between pairs are skipped.
    ///
    /// - Throws: ``WireError`` whose offset counts characters of `text`: `.invalid("hexadecimal")` at a character that is
    ///   no digit, `.truncated` at the end when a digit is missing.
    public static func decode(_ text: some StringProtocol) throws(WireError) -> [UInt8] {
        var bytes: [UInt8] = []
        var pending: UInt8?
        var position = 0
        for character in text {
            if let digit = character.hexDigitValue, character.isASCII {
                if let high = pending {
                    bytes.append(high << 4 | UInt8(digit))
                    pending = nil
                } else {
                    pending = UInt8(digit)
                }
            } else if !(pending == nil && (character == " " || character == ":" || character == "\t")) {
                throw .invalid("hexadecimal", at: position)
            }
            position += 1
        }
        if pending != nil { throw WireError(offset: position, reason: .truncated) }
        return bytes
    }
}
