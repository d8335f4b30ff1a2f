// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// Prepares extended scanning. Core 5.4, Vol 4, Part E, 7.8.64.
    public struct LESetExtendedScanParameters: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetExtendedScanParameters
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty

        /// How to scan in one mode.
        public struct PHYParameters: WirePacket, Hashable {
            /// Passive or active.
            public var type = ScanType(rawValue: 0)
            /// Units of 0.625 ms, 0x0004 to 0xFFFF.
            public var interval: UInt16 = 0
            /// Units of 0.625 ms, at most the interval.
            public var window: UInt16 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(type: ScanType, interval: UInt16, window: UInt16) {
                self.type = type
                self.interval = interval
                self.window = window
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.code("scan type", &type)
                try v.field("scan interval", &interval)
                try v.field("scan window", &window)
            }
        }

        /// Which own address to use.
        public var ownAddressType = OwnAddressType(rawValue: 0)
        /// Bit 0: only advertisers on the filter accept list; bit 1: also directed ones to an unresolved address.
        public var filterPolicy: UInt8 = 0
        /// LE 1M, LE Coded or both.
        public var phys = PHYMask(rawValue: 0)
        /// One for each bit in `phys`, lowest first.
        public var parameters: [PHYParameters] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(ownAddressType: OwnAddressType, filterPolicy: UInt8, phys: PHYMask, parameters: [PHYParameters]) {
            self.ownAddressType = ownAddressType
            self.filterPolicy = filterPolicy
            self.phys = phys
            self.parameters = parameters
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("own address type", &ownAddressType)
            try v.field("scanning filter policy", &filterPolicy)
            try v.code("scanning PHYs", &phys)
            try v.repeated(
                "PHYs", &parameters, count: v.remaining == nil ? parameters.count : phys.rawValue.nonzeroBitCount)
        }
    }

    /// Starts or stops extended scanning. Core 5.4, Vol 4, Part E, 7.8.65.
    public struct LESetExtendedScanEnable: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetExtendedScanEnable
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// True to start.
        public var enable = false
        /// 0: report all; 1: each once; 2: each once in a period.
        public var filterDuplicates: UInt8 = 0
        /// Units of 10 ms; 0: until stopped.
        public var duration: UInt16 = 0
        /// Units of 1.28 s from one start of scanning to the next; 0: only once.
        public var period: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(enable: Bool, filterDuplicates: UInt8, duration: UInt16, period: UInt16) {
            self.enable = enable
            self.filterDuplicates = filterDuplicates
            self.duration = duration
            self.period = period
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.flag("enable", &enable)
            try v.field("filter duplicates", &filterDuplicates)
            try v.field("duration", &duration)
            try v.field("period", &period)
        }
    }

    /// Connects to an advertiser of any kind. Core 5.4, Vol 4, Part E, 7.8.66.
    public struct LEExtendedCreateConnection: HCICommandWithStatus, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leExtendedCreateConnection

        /// How to look for it, and the connection to make, in one mode.
        public struct PHYParameters: WirePacket, Hashable {
            /// Units of 0.625 ms, 0x0004 to 0xFFFF.
            public var scanInterval: UInt16 = 0
            /// Units of 0.625 ms, at most the interval.
            public var scanWindow: UInt16 = 0
            /// Smallest interval in units of 1.25 ms, 6 to 3200.
            public var intervalMinimum: UInt16 = 0
            /// Largest interval in units of 1.25 ms, 6 to 3200.
            public var intervalMaximum: UInt16 = 0
            /// Events that the peripheral may skip, 0 to 499.
            public var latency: UInt16 = 0
            /// Units of 10 ms, 10 to 3200.
            public var supervisionTimeout: UInt16 = 0
            /// Hint in units of 0.625 ms.
            public var eventLengthMinimum: UInt16 = 0
            /// Hint in units of 0.625 ms.
            public var eventLengthMaximum: UInt16 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(
                scanInterval: UInt16, scanWindow: UInt16, intervalMinimum: UInt16, intervalMaximum: UInt16,
                latency: UInt16,
                supervisionTimeout: UInt16, eventLengthMinimum: UInt16, eventLengthMaximum: UInt16
            ) {
                self.scanInterval = scanInterval
                self.scanWindow = scanWindow
                self.intervalMinimum = intervalMinimum
                self.intervalMaximum = intervalMaximum
                self.latency = latency
                self.supervisionTimeout = supervisionTimeout
                self.eventLengthMinimum = eventLengthMinimum
                self.eventLengthMaximum = eventLengthMaximum
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("scan interval", &scanInterval)
                try v.field("scan window", &scanWindow)
                try v.field("connection interval min", &intervalMinimum)
                try v.field("connection interval max", &intervalMaximum)
                try v.field("max latency", &latency)
                try v.field("supervision timeout", &supervisionTimeout)
                try v.field("min CE length", &eventLengthMinimum)
                try v.field("max CE length", &eventLengthMaximum)
            }
        }

        /// 0: the peer named here; 1: any device on the filter accept list.
        public var filterPolicy: UInt8 = 0
        /// Which own address to use.
        public var ownAddressType = OwnAddressType(rawValue: 0)
        /// Public or random (identity).
        public var peerAddressKind = DeviceAddress.Kind.public
        /// The peer.
        public var peerAddress = BluetoothAddress.zero
        /// Where to look; LE 2M only for the connection.
        public var phys = PHYMask(rawValue: 0)
        /// One for each bit in `phys`, lowest first.
        public var parameters: [PHYParameters] = []

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(
            filterPolicy: UInt8, ownAddressType: OwnAddressType, peerAddressKind: DeviceAddress.Kind,
            peerAddress: BluetoothAddress, phys: PHYMask, parameters: [PHYParameters]
        ) {
            self.filterPolicy = filterPolicy
            self.ownAddressType = ownAddressType
            self.peerAddressKind = peerAddressKind
            self.peerAddress = peerAddress
            self.phys = phys
            self.parameters = parameters
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("initiator filter policy", &filterPolicy)
            try v.code("own address type", &ownAddressType)
            try v.code("peer address type", &peerAddressKind)
            try v.address("peer address", &peerAddress)
            try v.code("initiating PHYs", &phys)
            try v.repeated(
                "PHYs", &parameters, count: v.remaining == nil ? parameters.count : phys.rawValue.nonzeroBitCount)
        }
    }
}
