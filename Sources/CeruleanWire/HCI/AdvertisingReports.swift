// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// What kind of packet an advertising report tells of. Core 5.4, Vol 4, Part E, 7.7.65.2.
    public struct AdvertisingReportType: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// ADV_IND: connectable, scannable (0x00).
        public static let connectable = Self(rawValue: 0)
        /// ADV_DIRECT_IND: connectable by one peer (0x01).
        public static let directed = Self(rawValue: 1)
        /// ADV_SCAN_IND: scannable (0x02).
        public static let scannable = Self(rawValue: 2)
        /// ADV_NONCONN_IND: neither (0x03).
        public static let nonConnectable = Self(rawValue: 3)
        /// SCAN_RSP: the answer to a scan request (0x04).
        public static let scanResponse = Self(rawValue: 4)
    }

    /// One report of an LE Advertising Report event, its data as a range into the event's parameters: no copy.
    public struct AdvertisingReportView: Hashable, Sendable {
        /// The kind of packet.
        public var type: AdvertisingReportType
        /// The advertiser.
        public var address: DeviceAddress
        /// Where the data lies in the span that ``AdvertisingReports`` was given.
        public var data: Range<Int>
        /// Received signal strength in dBm; 127 when it is not known.
        public var rssi: Int8

        /// Puts a report together.
        @inlinable
        public init(type: AdvertisingReportType, address: DeviceAddress, data: Range<Int>, rssi: Int8) {
            self.type = type
            self.address = address
            self.data = data
            self.rssi = rssi
        }
    }

    /// The reports of an LE Advertising Report event, read in place: nothing is allocated.
    ///
    /// Reports that do not fit wholly into the event are dropped, whatever their number says (security H5).
    /// ```swift
    /// var reports = HCI.AdvertisingReports(view.parameters)
    /// while let report = reports.next() { table.merge(report, view.parameters.extracting(report.data)) }
    /// ```
    public struct AdvertisingReports: ~Escapable {
        @usableFromInline let parameters: RawSpan
        @usableFromInline var position = 1
        @usableFromInline var left: Int

        /// Reads the parameters of the event, behind the subevent code.
        @inlinable
        @_lifetime(copy parameters)
        public init(_ parameters: RawSpan) {
            self.parameters = parameters
            left = parameters.byteCount > 0 ? Int(parameters[0]) : 0
        }

        /// The next report; nil at the end.
        @inlinable
        public mutating func next() -> AdvertisingReportView? {
            guard left > 0, parameters.byteCount - position >= 10 else { return nil }
            let start = position + 9
            let end = start + Int(parameters[position + 8])
            guard end < parameters.byteCount else {
                left = 0
                return nil
            }
            let low = UInt64(parameters.uint16(at: position + 2))
            let middle = UInt64(parameters.uint16(at: position + 4))
            let high = UInt64(parameters.uint16(at: position + 6))
            let report = AdvertisingReportView(
                type: AdvertisingReportType(rawValue: parameters[position]),
                address: DeviceAddress(
                    BluetoothAddress(rawValue: low | middle << 16 | high << 32),
                    DeviceAddress.Kind(rawValue: parameters[position + 1])),
                data: start..<end, rssi: Int8(bitPattern: parameters[end]))
            left -= 1
            position = end + 1
            return report
        }
    }

    /// Advertisements that were received. Core 5.4, Vol 4, Part E, 7.7.65.2.
    public struct LEAdvertisingReport: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.advertisingReport

        /// One advertisement.
        public struct Report: WirePacket, Hashable {
            /// The kind of packet.
            public var type = AdvertisingReportType(rawValue: 0)
            /// Public, random, or an identity of either.
            public var addressKind = DeviceAddress.Kind.public
            /// The advertiser.
            public var address = BluetoothAddress.zero
            /// Advertising or scan response data, at most 31 octets.
            public var data: [UInt8] = []
            /// Received signal strength in dBm; 127 when it is not known.
            public var rssi: Int8 = 127

            /// An empty report.
            public init() {}

            /// Puts a report together.
            public init(type: AdvertisingReportType, address: DeviceAddress, data: [UInt8], rssi: Int8) {
                self.type = type
                self.addressKind = address.kind
                self.address = address.address
                self.data = data
                self.rssi = rssi
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.code("event type", &type)
                try v.code("address type", &addressKind)
                try v.address("address", &address)
                try v.counted("data", &data)
                try v.field("RSSI", &rssi)
            }
        }

        /// The advertisements in the order of reception, 1 to 25.
        public var reports: [Report] = []

        /// No report.
        public init() {}

        /// An event with these reports.
        public init(reports: [Report]) { self.reports = reports }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            var count = UInt8(truncatingIfNeeded: reports.count)
            try v.field("number of reports", &count)
            try v.repeated("reports", &reports, count: v.remaining == nil ? reports.count : Int(count))
        }
    }
}
