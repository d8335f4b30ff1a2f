// SPDX-License-Identifier: Apache-2.0

/// Lines of `key TAB column TAB column…`, sorted by key, searched where they lie in the program's read-only data.
///
/// A key has 4 or 32 hexadecimal digits; all short keys stand before the long ones.
struct NumberTable: Sendable {
    /// A key: short ones have `high` 0 and come first.
    struct Key: Comparable {
        var isLong: Bool
        var high: UInt64
        var low: UInt64

        init(_ short: UInt16) { (isLong, high, low) = (false, 0, UInt64(short)) }

        init(_ uuid: BluetoothUUID) {
            if let short = uuid.short {
                (isLong, high, low) = (false, 0, UInt64(short))
            } else {
                (isLong, high, low) = (true, uuid.high, uuid.low)
            }
        }

        /// Reads the digits up to the first TAB.
        init(_ line: UnsafeBufferPointer<UInt8>) {
            var digits = 0
            var high: UInt64 = 0
            var low: UInt64 = 0
            for index in line.indices {
                let byte = unsafe line[index]
                guard byte != 0x09 else { break }
                high = high << 4 | low >> 60
                low = low << 4 | UInt64(byte < 0x3A ? byte &- 0x30 : byte &- 0x37)
                digits += 1
            }
            (self.isLong, self.high, self.low) = (digits > 4, high, low)
        }

        /// The UUID that the key stands for.
        var uuid: BluetoothUUID {
            isLong ? BluetoothUUID(high: high, low: low) : BluetoothUUID(UInt16(truncatingIfNeeded: low))
        }

        static func < (a: Self, b: Self) -> Bool {
            a.isLong == b.isLong ? (a.high, a.low) < (b.high, b.low) : b.isLong
        }
    }

    /// One line.
    struct Row {
        var key: Key
        var columns: [String]
    }

    private let text: StaticString

    init(_ text: StaticString) { self.text = text }

    /// The columns behind the key, if the table has it. Takes some 12 comparisons for 4000 lines.
    func columns(_ key: Key) -> [String]? {
        text.withUTF8Buffer { bytes in
            var low = 0
            var high = bytes.count
            while low < high {
                let middle = low + (high - low) / 2
                let line = unsafe Self.line(around: middle, in: bytes)
                let found = unsafe Key(UnsafeBufferPointer(rebasing: bytes[line]))
                if found == key { return unsafe Self.columns(UnsafeBufferPointer(rebasing: bytes[line])) }
                if found < key { low = line.upperBound + 1 } else { high = line.lowerBound }
            }
            return nil
        }
    }

    /// The first line whose columns satisfy `condition`, in the order of the keys. Looks at every line: not for hot paths.
    func first(where condition: ([String]) -> Bool) -> Row? {
        text.withUTF8Buffer { bytes in
            var position = 0
            while position < bytes.count {
                let line = unsafe Self.line(around: position, in: bytes)
                let content = unsafe UnsafeBufferPointer(rebasing: bytes[line])
                let columns = unsafe Self.columns(content)
                if condition(columns) { return Row(key: unsafe Key(content), columns: columns) }
                position = line.upperBound + 1
            }
            return nil
        }
    }

    /// How many lines there are.
    var count: Int {
        text.withUTF8Buffer { bytes in
            unsafe bytes.isEmpty ? 0 : bytes.reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) }
        }
    }

    // MARK: - private

    private static func line(around position: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        var start = position
        while start > 0, unsafe bytes[start - 1] != 0x0A { start -= 1 }
        var end = position
        while end < bytes.count, unsafe bytes[end] != 0x0A { end += 1 }
        return start..<end
    }

    private static func columns(_ line: UnsafeBufferPointer<UInt8>) -> [String] {
        unsafe line.split(separator: 0x09, omittingEmptySubsequences: false).dropFirst()
            .map { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
