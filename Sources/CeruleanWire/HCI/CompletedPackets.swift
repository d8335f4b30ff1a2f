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

    /// An extended advertisement, or a part of one. Core 5.4, Vol 4, Part E, 7.7.65.13.
    public struct LEExtendedAdvertisingReport: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.extendedAdvertisingReport

        /// One report.
        public struct Report: WirePacket, Hashable {
            /// Bits: 0 connectable, 1 scannable, 2 directed, 3 scan response, 4 legacy, 5 and 6 data status.
            public var type: UInt16 = 0
            /// Public, random, an identity, or anonymous.
            public var addressKind = DeviceAddress.Kind.public
            /// The advertiser.
            public var address = BluetoothAddress.zero
            /// Mode of the primary channel.
            public var primaryPHY = PHY(rawValue: 0)
            /// Mode of the secondary channel; 0 when there was none.
            public var secondaryPHY = PHY(rawValue: 0)
            /// The advertising set, 0 to 15; 0xFF when not told.
            public var setIdentifier: UInt8 = 0xFF
            /// dBm; 127 when not told.
            public var txPower: Int8 = 127
            /// dBm; 127 when not known.
            public var rssi: Int8 = 127
            /// Units of 1.25 ms; 0 without periodic advertising.
            public var periodicInterval: UInt16 = 0
            /// Whom a directed advertisement is for.
            public var directAddressKind = DeviceAddress.Kind.public
            /// Whom a directed advertisement is for.
            public var directAddress = BluetoothAddress.zero
            /// Advertising data, or a part of it.
            public var data: [UInt8] = []

            /// An empty report.
            public init() {}

            /// Shows every field in wire order.
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("event type", &type)
                try v.code("address type", &addressKind)
                try v.address("address", &address)
                try v.code("primary PHY", &primaryPHY)
                try v.code("secondary PHY", &secondaryPHY)
                try v.field("advertising SID", &setIdentifier)
                try v.field("TX power", &txPower)
                try v.field("RSSI", &rssi)
                try v.field("periodic advertising interval", &periodicInterval)
                try v.code("direct address type", &directAddressKind)
                try v.address("direct address", &directAddress)
                try v.counted("data", &data)
            }
        }

        /// The reports in the order of reception.
        public var reports: [Report] = []

        /// No report.
        public init() {}

        /// Shows every field in wire order.
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            var count = UInt8(truncatingIfNeeded: reports.count)
            try v.field("number of reports", &count)
            try v.repeated("reports", &reports, count: v.remaining == nil ? reports.count : Int(count))
        }
    }
}
