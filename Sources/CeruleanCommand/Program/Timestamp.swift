// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire
import Foundation

/// Turns moments of a host's clock into UTC.
struct WallClock: Sendable {
    private let offset: Double
    private let loop: any EventLoop

    /// Fixes how the host's clock and the wall clock stand to each other now.
    init(_ loop: any EventLoop) {
        self.loop = loop
        offset = Date().timeIntervalSince1970 - Double(loop.now.nanoseconds) / 1e9
    }

    /// The moment in RFC 3339, UTC, with milliseconds: `2026-11-30T17:22:30.500Z`.
    func text(_ moment: MonotonicTime) -> String {
        Self.text(secondsSince1970: offset + Double(moment.nanoseconds) / 1e9)
    }

    /// Now.
    var now: String { text(loop.now) }

    static func text(secondsSince1970 seconds: Double) -> String {
        let milliseconds = Int64((seconds * 1000).rounded(.down))
        let (days, ofDay) = milliseconds.quotientAndRemainderFloored(86_400_000)
        // Civil date from days since 1970-01-01, in eras of 400 years.
        let shifted = days + 719_468
        let (era, ofEra) = shifted.quotientAndRemainderFloored(146_097)
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        let day = ofYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        let time = "\(padded(ofDay / 3_600_000, 2)):\(padded(ofDay / 60_000 % 60, 2)):\(padded(ofDay / 1000 % 60, 2))"
        return "\(date)T\(time).\(padded(ofDay % 1000, 3))Z"
    }

    private static func padded(_ value: Int64, _ digits: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

extension Int64 {
    fileprivate func quotientAndRemainderFloored(_ divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
