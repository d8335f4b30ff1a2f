// SPDX-License-Identifier: Apache-2.0

/// Puts packets together to messages by the rule of RedBearLab's own library: a packet of exactly 20 octets is held,
/// a shorter
/// one completes the message, and 64 octets or more are delivered at once.
///
/// A message of exactly 20 or 40 octets therefore waits for the next one; call ``flush()`` after a silence.
public struct PacketAssembler: Hashable, Sendable {
    /// From so many octets on what is held is delivered.
    public static let limit = 64

    /// What is held.
    public private(set) var pending: [UInt8] = []

    /// Nothing is held.
    public init() {}

    /// Takes a packet; returns a message if it is complete. A packet longer than 20 octets is delivered behind what
    /// is held.
    public mutating func receive(_ packet: [UInt8]) -> [UInt8]? {
        pending += packet
        guard packet.count != RedBear.packetSize || pending.count >= Self.limit else { return nil }
        return take()
    }

    /// Gives up waiting: what is held, if there is something.
    public mutating func flush() -> [UInt8]? { pending.isEmpty ? nil : take() }

    private mutating func take() -> [UInt8] {
        defer { pending = [] }
        return pending
    }
}
