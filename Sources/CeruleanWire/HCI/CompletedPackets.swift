// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// A connection and how many of its packets are done.
    public struct CompletedCount: WirePacket, Hashable {
        /// The connection.
        public var handle: UInt16 = 0
        /// Packets.
        public var count: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        @inlinable
        public init(handle: UInt16, count: UInt16) {
            self.handle = handle
            self.count = count
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("connection handle", &handle)
            try v.field("num completed packets", &count)
        }
    }

    /// Gives credits back to the host. Core 5.4, Vol 4, Part E, 7.7.19. See ``CompletedPackets`` for the hot path.
    public struct NumberOfCompletedPackets: HCIEvent, Hashable {
        /// The event's number.
        public static let code = EventCode.numberOfCompletedPackets
        /// One entry for each connection.
        public var entries: [CompletedCount] = []

        /// No entry.
        public init() {}

        /// An event with these entries.
        public init(entries: [CompletedCount]) { self.entries = entries }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            var count = UInt8(truncatingIfNeeded: entries.count)
            try v.field("num handles", &count)
            try v.repeated("entries", &entries, count: v.remaining == nil ? entries.count : Int(count))
        }
    }

    /// Gives credits back to the controller; it is not answered. Core 5.4, Vol 4, Part E, 7.3.40.
    public struct HostNumberOfCompletedPackets: HCICommandPacket, Hashable {
        /// The command's number.
        public static let opcode = Opcode.hostNumberOfCompletedPackets
        /// One entry for each connection.
        public var entries: [CompletedCount] = []

        /// No entry.
        public init() {}

        /// A command with these entries.
        public init(entries: [CompletedCount]) { self.entries = entries }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            var count = UInt8(truncatingIfNeeded: entries.count)
            try v.field("num handles", &count)
            try v.repeated("entries", &entries, count: v.remaining == nil ? entries.count : Int(count))
        }
    }
}
