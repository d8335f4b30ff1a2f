// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// A radio mode: LE 1M, LE 2M or LE Coded.
public typealias PHY = HCI.PHY
/// A set of radio modes.
public typealias PHYSet = HCI.PHYMask

/// The radio modes of a link, one for each direction.
public struct LinkPHY: Hashable, Sendable {
    /// The mode that we send with.
    public var transmit: PHY
    /// The mode that we receive with.
    public var receive: PHY

    /// Pairs both directions.
    public init(transmit: PHY, receive: PHY) {
        self.transmit = transmit
        self.receive = receive
    }
}

/// Radio modes wished for a link; the peer has a say too. Core 5.4, Vol 4, Part E, 7.8.49.
public struct PHYRequest: Hashable, Sendable {
    /// How LE Coded sends. Slower reaches further.
    public enum Coding: Hashable, Sendable {
        /// The controller chooses.
        case automatic
        /// Two symbols for each bit: 500 kbit/s.
        case s2
        /// Eight symbols for each bit: 125 kbit/s.
        case s8
    }

    /// Modes to send with; empty: no preference.
    public var transmit: PHYSet
    /// Modes to receive with; empty: no preference.
    public var receive: PHYSet
    /// How LE Coded sends, if it is chosen.
    public var coding: Coding

    /// Modes for both directions.
    public init(transmit: PHYSet, receive: PHYSet, coding: Coding = .automatic) {
        self.transmit = transmit
        self.receive = receive
        self.coding = coding
    }

    /// LE 2M both ways: the fastest.
    public static let fast = Self(transmit: .le2M, receive: .le2M)
    /// LE Coded with eight symbols both ways: the farthest.
    public static let far = Self(transmit: .leCoded, receive: .leCoded, coding: .s8)
}

/// Octets of data that one packet of the link layer carries, in each direction: 27 to 251. Core 5.4, Vol 6, Part B, 4.5.10.
public struct LinkDataLength: Hashable, Sendable {
    /// Octets in packets that we send.
    public var transmit: Int
    /// Octets in packets that we receive.
    public var receive: Int

    /// Pairs both directions.
    public init(transmit: Int = 27, receive: Int = 27) {
        self.transmit = transmit
        self.receive = receive
    }
}
