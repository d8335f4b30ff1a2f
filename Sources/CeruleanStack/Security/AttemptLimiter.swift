// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Holds back pairing after failures: the wait doubles from 1 s to 64 s for each device, and halves again for each such time
/// without failure. Core 5.4, Vol 3, Part H, 2.3.6; row S11.
public struct AttemptLimiter: Sendable {
    private struct Entry {
        var wait: Duration
        var until: MonotonicTime
    }

    /// Devices that are remembered; above it the one whose wait ends first is dropped.
    public static let capacity = 1_024
    /// The longest wait.
    public static let longest: Duration = .seconds(64)

    private var entries: [DeviceAddress: Entry] = [:]

    /// Nobody has failed.
    public init() {}

    /// When the device may try again; nil when it may now.
    public func blockedUntil(_ device: DeviceAddress, now: MonotonicTime) -> MonotonicTime? {
        guard let entry = entries[device], now < entry.until else { return nil }
        return entry.until
    }

    /// Pairing with the device failed.
    public mutating func failed(_ device: DeviceAddress, now: MonotonicTime) {
        var wait: Duration = .seconds(1)
        if let entry = entries[device] {
            wait = entry.wait
            var quiet = now - entry.until
            while quiet >= wait, wait > .seconds(1) {
                quiet -= wait
                wait = max(.seconds(1), wait / 2)
            }
            wait = min(wait * 2, Self.longest)
        } else if entries.count >= Self.capacity, let first = entries.min(by: { $0.value.until < $1.value.until }) {
            entries[first.key] = nil
        }
        entries[device] = Entry(wait: wait, until: now + wait)
    }

    /// Pairing with the device succeeded.
    public mutating func succeeded(_ device: DeviceAddress) { entries[device] = nil }
}
