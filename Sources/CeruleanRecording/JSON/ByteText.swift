// SPDX-License-Identifier: Apache-2.0

/// Fast appending of text to octets: what the writers of recordings spend their time with.
extension [UInt8] {
    /// Appends ASCII text.
    @inline(__always)
    mutating func append(ascii text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }

    /// Appends a whole number in decimal digits.
    mutating func append(decimal number: Int64) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        if rest < 10 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest))
            return
        }
        let start = count
        while rest > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        }
        self[start...].reverse()
    }

    /// Appends a number: whole ones as digits alone, others as the shortest text that reads back the same.
    mutating func append(number: Double) {
        if let whole = Int64(exactly: number), whole.magnitude < 1 << 53 {
            append(decimal: whole)
        } else {
            append(contentsOf: number.description.utf8)
        }
    }

    /// Appends a count of milliseconds, not negative, as seconds with three digits behind the point.
    mutating func append(milliseconds: Int64) {
        append(decimal: milliseconds / 1000)
        append(UInt8(ascii: "."))
        let rest = milliseconds % 1000
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / 100))
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / 10 % 10))
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
    }

    /// Appends lower-case hexadecimal digits.
    mutating func append(hexadecimal bytes: some Collection<UInt8>) {
        for byte in bytes {
            append(Self.digit(byte >> 4))
            append(Self.digit(byte & 15))
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }
}
