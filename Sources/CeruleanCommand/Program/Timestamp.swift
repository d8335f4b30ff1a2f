// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanRecording
import CeruleanWire
import Foundation

/// Turns moments of a host's clock into UTC.
struct WallClock: Sendable {
    private let offset: Double
    /// The host's clock.
    let loop: any EventLoop

    /// Fixes how the host's clock and the wall clock stand to each other now.
    init(_ loop: any EventLoop) {
        self.loop = loop
        offset = Date().timeIntervalSince1970 - Double(loop.now.nanoseconds) / 1e9
    }

    /// The moment in RFC 3339, UTC, with milliseconds: `2026-11-30T17:22:30.500Z`.
    func text(_ moment: MonotonicTime) -> String {
        Self.text(secondsSince1970: offset + Double(moment.nanoseconds) / 1e9)
    }

    /// Now, in milliseconds.
    var wallTime: WallTime {
        WallTime(milliseconds: Int64(((offset + Double(loop.now.nanoseconds) / 1e9) * 1000).rounded(.down)))
    }

    /// Now.
    var now: String { text(loop.now) }

    static func text(secondsSince1970 seconds: Double) -> String {
        WallTime(milliseconds: Int64((seconds * 1000).rounded(.down))).rfc3339
    }
}
