// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// Where a node stands. bluest.md §16.1.
public enum NodeState: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// It was made, and nothing is known yet.
    case `init` = 0
    /// It advertises, or was disconnected as wished.
    case idle = 1
    /// It is being connected to, up to the end of the discovery of its characteristics.
    case connecting = 2
    /// It is ready. May be told twice when pairing happens.
    case connected = 3
    /// It is being disconnected from.
    case disconnecting = 4
    /// It advertised, but was not heard lately.
    case lost = 5
    /// The link went down without our asking, or the discovery failed.
    case unreachable = 6
    /// The connection could not be made, or ended with an error. Its next advertisement makes it idle.
    case dead = 7

    /// The name of the state.
    public var description: String {
        switch self {
        case .`init`: "init"
        case .idle: "idle"
        case .connecting: "connecting"
        case .connected: "connected"
        case .disconnecting: "disconnecting"
        case .lost: "lost"
        case .unreachable: "unreachable"
        case .dead: "dead"
        }
    }
}

/// A change of a node's state.
public struct NodeStateChange: Hashable, Sendable {
    /// The state now.
    public var state: NodeState
    /// The state before.
    public var previous: NodeState

    /// Describes a change.
    public init(state: NodeState, previous: NodeState) {
        self.state = state
        self.previous = previous
    }
}

/// Decides about the state of a node. Pure.
struct NodeStateMachine: Hashable, Sendable {
    /// Silence after which a node that advertised counts as lost.
    static let patience: Duration = .seconds(4)

    private(set) var state = NodeState.`init`
    private(set) var lastSeen: MonotonicTime?

    enum Input: Hashable, Sendable {
        case advertised
        /// Nothing was heard up to the present moment.
        case silence
        case connectRequested
        case connectFailed
        case discoveryFailed
        case discovered
        case disconnectRequested
        case disconnected
        case disconnectFailed
        case linkLost
    }

    /// Takes an input; returns the change if there is one. What does not fit the state is passed over: events of a link
    /// may come late.
    mutating func handle(_ input: Input, at now: MonotonicTime) -> NodeStateChange? {
        if input == .advertised { lastSeen = now }
        guard let next = next(input, at: now), next != state else { return nil }
        defer { state = next }
        return NodeStateChange(state: next, previous: state)
    }

    private func next(_ input: Input, at now: MonotonicTime) -> NodeState? {
        switch (input, state) {
        case (.advertised, .`init`), (.advertised, .lost), (.advertised, .unreachable), (.advertised, .dead): .idle
        case (.silence, .idle): lastSeen.map { now >= $0 + Self.patience } == true ? .lost : nil
        case (.connectRequested, .`init`), (.connectRequested, .idle), (.connectRequested, .lost),
            (.connectRequested, .unreachable), (.connectRequested, .dead):
            .connecting
        case (.connectFailed, .connecting): .dead
        case (.discoveryFailed, .connecting): .unreachable
        case (.discovered, .connecting): .connected
        case (.disconnectRequested, .connecting), (.disconnectRequested, .connected): .disconnecting
        case (.disconnected, .disconnecting): .idle
        case (.disconnectFailed, .disconnecting): .dead
        case (.linkLost, .connecting), (.linkLost, .connected): .unreachable
        case (.linkLost, .disconnecting): .idle
        default: nil
        }
    }
}
