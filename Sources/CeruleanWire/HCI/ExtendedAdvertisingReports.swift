// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// One report of an LE Extended Advertising Report event, its data as a range into the event's parameters: no copy.
    public struct ExtendedAdvertisingReportView: Hashable, Sendable {
        /// The kind of packet, and whether the data are whole.
        public var type: ExtendedReportType
        /// The advertiser; the kind is `.anonymous` when it sent no address.
        public var address: DeviceAddress
        /// Mode of the advertising channel: LE 1M or LE Coded.
        public var primaryPHY: PHY
        /// Mode of the data; 0 when all came on the advertising channel.
        public var secondaryPHY: PHY
        /// Number of the advertiser's set, 0x00 to 0x0F; 0xFF when it sent none.
        public var sid: UInt8
        /// dBm as the advertiser tells it; 127 when it does not.
        public var txPower: Int8
        /// Received signal strength in dBm; 127 when it is not known.
        public var rssi: Int8
        /// Interval of the set's periodic advertising in units of 1.25 ms; 0 when there is none.
        public var periodicInterval: UInt16
        /// The peer of directed advertising; its kind is 0xFE when the controller could not resolve it.
        public var target: DeviceAddress
        /// Where the data lie in the span that ``ExtendedAdvertisingReports`` was given.
        public var data: Range<Int>

        /// Puts a report together.
        @inlinable
        public init(
            type: ExtendedReportType, address: DeviceAddress, primaryPHY: PHY, secondaryPHY: PHY, sid: UInt8,
            txPower: Int8, rssi: Int8, periodicInterval: UInt16, target: DeviceAddress, data: Range<Int>
        ) {
            self.type = type
            self.address = address
            self.primaryPHY = primaryPHY
            self.secondaryPHY = secondaryPHY
            self.sid = sid
            self.txPower = txPower
            self.rssi = rssi
            self.periodicInterval = periodicInterval
            self.target = target
            self.data = data
        }
    }

    /// The reports of an LE Extended Advertising Report event, read in place: nothing is allocated.
    ///
    /// Reports that do not fit wholly into the event are dropped, whatever their number says (security H5). The parts of
    /// long data come as several reports; who joins them needs limits (security H6).
    /// ```swift
    /// var reports = HCI.ExtendedAdvertisingReports(view.parameters)
    /// while let report = reports.next() { table.merge(report, view.parameters.extracting(report.data)) }
    /// ```
    public struct ExtendedAdvertisingReports: ~Escapable {
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
        public mutating func next() -> ExtendedAdvertisingReportView? {
            guard left > 0, parameters.byteCount - position >= 24 else { return nil }
            let start = position + 24
            let end = start + Int(parameters[position + 23])
            guard end <= parameters.byteCount else {
                left = 0
                return nil
            }
            let report = ExtendedAdvertisingReportView(
                type: ExtendedReportType(rawValue: parameters.uint16(at: position)),
                address: address(kindAt: position + 2),
                primaryPHY: PHY(rawValue: parameters[position + 9]),
                secondaryPHY: PHY(rawValue: parameters[position + 10]), sid: parameters[position + 11],
                txPower: Int8(bitPattern: parameters[position + 12]), rssi: Int8(bitPattern: parameters[position + 13]),
                periodicInterval: parameters.uint16(at: position + 14), target: address(kindAt: position + 16),
                data: start..<end)
            left -= 1
            position = end
            return report
        }

        @inlinable
        func address(kindAt place: Int) -> DeviceAddress {
            let low = UInt64(parameters.uint16(at: place + 1))
            let middle = UInt64(parameters.uint16(at: place + 3))
            let high = UInt64(parameters.uint16(at: place + 5))
            return DeviceAddress(
                BluetoothAddress(rawValue: low | middle << 16 | high << 32),
                DeviceAddress.Kind(rawValue: parameters[place]))
        }
    }

    /// Advertisements that extended scanning received. Core 5.4, Vol 4, Part E, 7.7.65.13.
    public struct LEExtendedAdvertisingReport: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.extendedAdvertisingReport
        /// Octets of data that one report holds at most.
        public static let maximumData = 229

        /// One advertisement, or a part of it.
        public struct Report: WirePacket, Hashable {
            /// The kind of packet, and whether the data are whole.
            public var type = ExtendedReportType(rawValue: 0)
            /// Public, random, an identity of either, or anonymous.
            public var addressKind = DeviceAddress.Kind.public
            /// The advertiser.
            public var address = BluetoothAddress.zero
            /// Mode of the advertising channel: LE 1M or LE Coded.
            public var primaryPHY = PHY.le1M
            /// Mode of the data; 0 when all came on the advertising channel.
            public var secondaryPHY = PHY(rawValue: 0)
            /// Number of the advertiser's set, 0x00 to 0x0F; 0xFF when it sent none.
            public var sid: UInt8 = 0xFF
            /// dBm as the advertiser tells it; 127 when it does not.
            public var txPower: Int8 = 127
            /// Received signal strength in dBm; 127 when it is not known.
            public var rssi: Int8 = 127
            /// Interval of the set's periodic advertising in units of 1.25 ms; 0 when there is none.
            public var periodicInterval: UInt16 = 0
            /// Kind of the peer's address; 0xFE: a private address that was not resolved.
            public var targetKind = DeviceAddress.Kind.public
            /// The peer of directed advertising.
            public var target = BluetoothAddress.zero
            /// Advertising or scan response data, at most 229 octets.
            public var data: [UInt8] = []

            /// An empty report.
            public init() {}

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.code("event type", &type)
                try v.code("address type", &addressKind)
                try v.address("address", &address)
                try v.code("primary PHY", &primaryPHY)
                try v.code("secondary PHY", &secondaryPHY)
                try v.field("advertising SID", &sid)
                try v.field("TX power", &txPower)
                try v.field("RSSI", &rssi)
                try v.field("periodic advertising interval", &periodicInterval)
                try v.code("direct address type", &targetKind)
                try v.address("direct address", &target)
                try v.counted("data", &data)
            }
        }

        /// The advertisements in the order of reception, 1 to 10.
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

    /// Directed advertisements to a private address that was not resolved. Core 5.4, Vol 4, Part E, 7.7.65.11.
    public struct LEDirectedAdvertisingReport: HCILEEvent, Hashable {
        /// The subevent's number.
        public static let subevent = LESubevent.directedAdvertisingReport

        /// One advertisement.
        public struct Report: WirePacket, Hashable {
            /// The kind of packet: directed.
            public var type = AdvertisingReportType.directed
            /// Public, random, or an identity of either.
            public var addressKind = DeviceAddress.Kind.public
            /// The advertiser.
            public var address = BluetoothAddress.zero
            /// Random.
            public var targetKind = DeviceAddress.Kind.random
            /// The private address that the advertiser looks for.
            public var target = BluetoothAddress.zero
            /// Received signal strength in dBm; 127 when it is not known.
            public var rssi: Int8 = 127

            /// An empty report.
            public init() {}

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.code("event type", &type)
                try v.code("address type", &addressKind)
                try v.address("address", &address)
                try v.code("direct address type", &targetKind)
                try v.address("direct address", &target)
                try v.field("RSSI", &rssi)
            }
        }

        /// The advertisements in the order of reception, 1 to 15.
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
