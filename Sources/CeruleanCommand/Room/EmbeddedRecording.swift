// SPDX-License-Identifier: Apache-2.0

/// Readings of 10 bits that are part of the program: two letters each, of `A-Za-z0-9+/`.
struct EmbeddedRecording: Sendable {
    private let text: StaticString

    init(_ text: StaticString) { self.text = text }

    /// The readings, 0 to 1023.
    var readings: [UInt16] {
        text.withUTF8Buffer { buffer in
            var readings: [UInt16] = []
            readings.reserveCapacity(buffer.count / 2)
            var high: UInt16?
            for index in buffer.indices {
                let letter = unsafe buffer[index]
                guard let digit = Self.digit(letter) else { continue }
                if let first = high {
                    readings.append(first << 6 | digit)
                    high = nil
                } else {
                    high = digit
                }
            }
            return readings
        }
    }

    private static func digit(_ letter: UInt8) -> UInt16? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt16(letter - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt16(letter - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(letter - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
