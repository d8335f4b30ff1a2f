// SPDX-License-Identifier: Apache-2.0

/// A moment in UTC, in milliseconds since the start of 1970, and the texts that files want of it.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var milliseconds: Int64

    /// A moment `milliseconds` after the start of 1970; held within the years 1970 to 9999.
    public init(milliseconds: Int64) { self.milliseconds = min(max(milliseconds, 0), 253_402_300_799_999) }

    /// Compares moments.
    public static func < (a: Self, b: Self) -> Bool { a.milliseconds < b.milliseconds }

    /// RFC 3339 with milliseconds, `2026-11-30T19:33:00.250Z`.
    public var rfc3339: String {
        let p = parts
        return "\(p.year)-\(two(p.month))-\(two(p.day))T\(two(p.hour)):\(two(p.minute)):\(two(p.second))."
            + "\(three(p.millisecond))Z"
    }

    /// For names of files, `20261130-193300`.
    public var compact: String {
        let p = parts
        return "\(p.year)\(two(p.month))\(two(p.day))-\(two(p.hour))\(two(p.minute))\(two(p.second))"
    }

    /// The date as OpenSignals writes it, `2026-11-3`.
    var openSignalsDate: String {
        let p = parts
        return "\(p.year)-\(p.month)-\(p.day)"
    }

    /// The time as OpenSignals writes it, `7:3:47.290`.
    var openSignalsTime: String {
        let p = parts
        return "\(p.hour):\(p.minute):\(p.second).\(three(p.millisecond))"
    }

    /// Year, month, day, hour, minute and second.
    var calendar: (year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        let p = parts
        return (p.year, p.month, p.day, p.hour, p.minute, p.second)
    }

    /// A moment by the parts of its date in UTC.
    init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, millisecond: Int = 0) {
        // Days from the start of 1970, the year beginning in March.
        let (y, m) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * m + 2) / 5 + day - 1
        let days = era * 146_097 + dayOfEra - 719_468
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second
        self.init(milliseconds: Int64(seconds) * 1000 + Int64(millisecond))
    }

    /// Reads RFC 3339 in UTC, `2026-11-30T19:33:00.250Z`, with or without a fraction; nil for anything else.
    public init?(rfc3339 text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.count <= 40, bytes.last == UInt8(ascii: "Z") else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            let digits = bytes[range]
            guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
        let marks: [(Int, Character)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")]
        guard marks.allSatisfy({ bytes[$0.0] == $0.1.asciiValue }), let year = number(0..<4), let month = number(5..<7),
            let day = number(8..<10), let hour = number(11..<13), let minute = number(14..<16),
            let second = number(17..<19), (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60,
            second < 61
        else { return nil }
        var milliseconds = 0
        if bytes.count > 20 {
            guard bytes[19] == UInt8(ascii: "."), let fraction = number(20..<min(23, bytes.count - 1)) else {
                return nil
            }
            milliseconds = fraction * [100, 10, 1][max(0, min(2, bytes.count - 22))]
        }
        self.init(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second, millisecond: milliseconds)
    }

    // MARK: - Private

    private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    private func three(_ number: Int) -> String {
        number < 10 ? "00\(number)" : number < 100 ? "0\(number)" : "\(number)"
    }

    private struct Parts {
        var year, month, day, hour, minute, second, millisecond: Int
    }

    /// Days to year, month and day in the Gregorian calendar, counted from March so that the leap day comes last.
    private var parts: Parts {
        let days = Int(milliseconds / 86_400_000)
        let rest = Int(milliseconds % 86_400_000)
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let march = (5 * dayOfYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        return Parts(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * march + 2) / 5 + 1,
            hour: rest / 3_600_000, minute: rest / 60_000 % 60, second: rest / 1000 % 60, millisecond: rest % 1000)
    }
}
