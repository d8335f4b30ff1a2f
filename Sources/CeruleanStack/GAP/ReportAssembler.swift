// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// Joins the parts of long advertisements, which controllers report one by one. Pure.
///
/// Bounded in all directions (security H6): ``limit`` octets of one set, above which it is cut and marked; ``capacity`` sets at
/// a time, above which the one that has waited for longest is dropped; parts that come later than ``patience`` begin anew.
struct ReportAssembler {
    /// Octets that an advertisement holds. Core 5.4, Vol 6, Part B, 2.3.4.9.
    static let limit = 1_650
    static let capacity = 16
    static let patience: Duration = .seconds(2)

    private struct Partial {
        var key: UInt64
        var data: [UInt8]
        var time: MonotonicTime
        /// It was given out at the limit; what still comes of it is swallowed.
        var isOver = false
    }

    private var partials: [Partial] = []
    /// Those that were dropped for want of room.
    private(set) var dropped: UInt64 = 0

    var isEmpty: Bool { partials.isEmpty }
    /// Sets of which more is to come.
    var count: Int { partials.count }
    /// Octets that are kept.
    var octets: Int { partials.reduce(0) { $0 + $1.data.count } }

    /// Takes a part. Nil while more is to come; else all of it, and whether its end was lost.
    ///
    /// - Parameter key: Tells apart what belongs together: advertiser, set, scan response or not.
    mutating func add(
        _ part: RawSpan, _ status: HCI.DataStatus, key: UInt64, now: MonotonicTime
    ) -> (data: [UInt8], isTruncated: Bool)? {
        let isLast = status != .moreToCome
        var partial = Partial(key: key, data: [], time: now)
        if let index = partials.firstIndex(where: { $0.key == key }) {
            let known = partials.remove(at: index)
            if now - known.time <= Self.patience { partial = known }
        } else if !isLast, partials.count >= Self.capacity {
            partials.removeFirst()
            dropped &+= 1
        }
        partial.time = now
        guard !partial.isOver else {
            if !isLast { partials.append(partial) }
            return nil
        }
        let count = min(part.byteCount, Self.limit - partial.data.count)
        let isCut = count < part.byteCount
        unsafe part.extracting(0..<count).withUnsafeBytes { unsafe partial.data.append(contentsOf: $0) }
        guard isLast || isCut else {
            // Those at the front have waited for longest.
            partials.append(partial)
            return nil
        }
        let data = partial.data
        if !isLast {
            partial.data = []
            partial.isOver = true
            partials.append(partial)
        }
        return (data, isCut || status != .complete)
    }

    mutating func removeAll() { partials.removeAll() }
}
