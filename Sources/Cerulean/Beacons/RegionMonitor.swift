// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Whether a beacon of a region is about.
public enum BeaconRegionState: String, Hashable, Sendable {
    /// Too early to say.
    case unknown
    /// One was heard lately.
    case inside
    /// None was heard lately.
    case outside
}

/// Times of region monitoring.
public struct MonitoringTimes: Hashable, Sendable {
    /// How long after the start a region that was not heard counts as left.
    public var initial: Duration
    /// How long after the last frame a region counts as left.
    public var exit: Duration

    /// By default 10 s and 30 s.
    public init(initial: Duration = .seconds(10), exit: Duration = .seconds(30)) {
        self.initial = initial
        self.exit = exit
    }
}

/// Decides whether a region is entered or left. Pure: the owner tells what was heard, and when ``deadline`` has passed.
public struct RegionMonitor: Sendable {
    /// What happened.
    public enum Event: Hashable, Sendable {
        /// The first beacon of the region was heard.
        case entered
        /// No beacon of the region was heard for a while.
        case exited
        /// The state, after a change or on request.
        case state(BeaconRegionState)
    }

    /// The present state.
    public private(set) var state = BeaconRegionState.unknown
    /// When something happens if nothing is heard; a frame heard at that very moment is in time.
    public private(set) var deadline: MonotonicTime?
    private let times: MonitoringTimes

    /// Starts monitoring.
    public init(times: MonitoringTimes = MonitoringTimes(), now: MonotonicTime) {
        self.times = times
        deadline = now + times.initial
    }

    /// A beacon of the region was heard.
    public mutating func heard(at now: MonotonicTime) -> [Event] {
        // A timer that comes late must not turn an exit and an entry into nothing.
        var events = deadline.map { $0 < now } == true ? passed() : []
        deadline = now + times.exit
        if state != .inside {
            state = .inside
            events += [.entered, .state(.inside)]
        }
        return events
    }

    /// Time has passed.
    public mutating func advance(to now: MonotonicTime) -> [Event] {
        guard let deadline, deadline <= now else { return [] }
        return passed()
    }

    /// Somebody asks for the state.
    public func request() -> Event { .state(state) }

    private mutating func passed() -> [Event] {
        deadline = nil
        switch state {
        case .unknown:
            state = .outside
            return [.state(.outside)]
        case .inside:
            state = .outside
            return [.exited, .state(.outside)]
        case .outside:
            return []
        }
    }
}
