// SPDX-License-Identifier: Apache-2.0

/// Relates a device's clock to the host's: an offset and a drift, estimated from the moments at which samples arrive.
///
/// Samples never arrive early: in each stretch of time the least delay tells most, so the line lies through the
/// earliest arrivals
/// of windows of ten seconds (of at most the last 64 windows, some ten minutes). Pure: no clock inside.
public struct ClockAlignment: Hashable, Sendable {
    private struct Point: Hashable, Sendable {
        var device: Double
        var offset: Double
    }

    /// Seconds of a window.
    private static let window = 10.0
    private static let limit = 64

    private var points: [Point] = []
    private var current: Point?
    private var windowStart = 0.0
    private var line: (slope: Double, intercept: Double) = (0, 0)
    private var first: Double?

    /// Nothing is known yet.
    public init() {}

    /// Takes an arrival: a moment of the device's clock and the host's moment at which it was there, in seconds. Returns what to add
    /// to the device's clock for the host's.
    @discardableResult
    public mutating func offset(device: Double, host: Double) -> Double {
        guard device.isFinite, host.isFinite else { return 0 }
        let offset = host - device
        if first == nil {
            first = device
            windowStart = device
            line = (0, offset)
        }
        if device - windowStart >= Self.window || device < windowStart {
            if let current { points.append(current) }
            if points.count > Self.limit { points.removeFirst() }
            current = nil
            windowStart = device
        }
        if offset < current?.offset ?? .infinity { current = Point(device: device, offset: offset) }
        fit()
        return line.intercept + line.slope * device
    }

    /// How much faster the host's clock goes than the device's, in parts of a million; nil before three windows are known. At
    /// 1000 Hz, 20 ppm are one sample in 50 seconds.
    public var driftPartsPerMillion: Double? { points.count >= 3 ? line.slope * 1e6 : nil }

    /// The device's moment for one of the host.
    public func device(atHost host: Double) -> Double { (host - line.intercept) / (1 + line.slope) }

    /// The host's moment for one of the device.
    public func host(atDevice device: Double) -> Double { device + line.intercept + line.slope * device }

    // MARK: - Private

    private mutating func fit() {
        guard points.count >= 3 else {
            // Too early for a slope: the least offset so far.
            let least = (points + [current].compactMap(\.self)).map(\.offset).min()
            line = (0, least ?? line.intercept)
            return
        }
        let all = points
        let n = Double(all.count)
        let meanDevice = all.reduce(0) { $0 + $1.device } / n
        let meanOffset = all.reduce(0) { $0 + $1.offset } / n
        var over = 0.0
        var under = 0.0
        for point in all {
            over += (point.device - meanDevice) * (point.offset - meanOffset)
            under += (point.device - meanDevice) * (point.device - meanDevice)
        }
        let slope = under > 0 ? over / under : 0
        line = (slope, meanOffset - slope * meanDevice)
    }

    /// Compares the estimates and what they are made of.
    public static func == (a: Self, b: Self) -> Bool {
        a.points == b.points && a.current == b.current && a.windowStart == b.windowStart && a.first == b.first
            && a.line == b.line
    }

    /// Hashes the estimate.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(points)
        hasher.combine(current)
    }
}
