// SPDX-License-Identifier: Apache-2.0

extension HCI {
    /// Adds to the resolving list. Core 5.4, Vol 4, Part E, 7.8.38.
    public struct LEAddDeviceToResolvingList: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leAddDeviceToResolvingList
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// Public or random.
        public var peerAddressKind = DeviceAddress.Kind.public
        /// The identity.
        public var peerAddress = BluetoothAddress.zero
        /// Resolves the peer; zero: the peer uses its identity.
        public var peerKey = Value128.zero
        /// Makes our addresses for this peer; zero: we use our identity.
        public var localKey = Value128.zero

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(
            peerAddressKind: DeviceAddress.Kind, peerAddress: BluetoothAddress, peerKey: Value128, localKey: Value128
        ) {
            self.peerAddressKind = peerAddressKind
            self.peerAddress = peerAddress
            self.peerKey = peerKey
            self.localKey = localKey
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("peer identity address type", &peerAddressKind)
            try v.address("peer identity address", &peerAddress)
            try v.value128("peer IRK", &peerKey)
            try v.value128("local IRK", &localKey)
        }
    }

    /// Removes from the resolving list. Core 5.4, Vol 4, Part E, 7.8.39.
    public struct LERemoveDeviceFromResolvingList: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leRemoveDeviceFromResolvingList
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// Public or random.
        public var peerAddressKind = DeviceAddress.Kind.public
        /// The identity.
        public var peerAddress = BluetoothAddress.zero

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(peerAddressKind: DeviceAddress.Kind, peerAddress: BluetoothAddress) {
            self.peerAddressKind = peerAddressKind
            self.peerAddress = peerAddress
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("peer identity address type", &peerAddressKind)
            try v.address("peer identity address", &peerAddress)
        }
    }

    /// Empties the resolving list. Core 5.4, Vol 4, Part E, 7.8.40.
    public struct LEClearResolvingList: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leClearResolvingList
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Reads how many devices the resolving list holds. Core 5.4, Vol 4, Part E, 7.8.41.
    public struct LEReadResolvingListSize: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadResolvingListSize

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// Entries.
            public var size: UInt8 = 0

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(size: UInt8) {
                self.size = size
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.field("resolving list size", &size)
            }
        }

        /// The command; it has no parameters.
        @inlinable
        public init() {}

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {}
    }

    /// Reads the private address that a peer uses. Core 5.4, Vol 4, Part E, 7.8.42.
    public struct LEReadPeerResolvableAddress: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadPeerResolvableAddress

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// The address; zero when none is known.
            public var address = BluetoothAddress.zero

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(address: BluetoothAddress) {
                self.address = address
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.address("peer resolvable address", &address)
            }
        }

        /// Public or random.
        public var peerAddressKind = DeviceAddress.Kind.public
        /// The identity.
        public var peerAddress = BluetoothAddress.zero

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(peerAddressKind: DeviceAddress.Kind, peerAddress: BluetoothAddress) {
            self.peerAddressKind = peerAddressKind
            self.peerAddress = peerAddress
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("peer identity address type", &peerAddressKind)
            try v.address("peer identity address", &peerAddress)
        }
    }

    /// Reads the private address that is used for a peer. Core 5.4, Vol 4, Part E, 7.8.43.
    public struct LEReadLocalResolvableAddress: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leReadLocalResolvableAddress

        /// What Command Complete carries behind the status.
        public struct ReturnParameters: WirePacket, Hashable {
            /// The address; zero when none is used.
            public var address = BluetoothAddress.zero

            /// All zeros.
            @inlinable
            public init() {}

            /// Puts the fields together.
            public init(address: BluetoothAddress) {
                self.address = address
            }

            /// Shows every field in wire order.
            @inlinable
            public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
                try v.address("local resolvable address", &address)
            }
        }

        /// Public or random.
        public var peerAddressKind = DeviceAddress.Kind.public
        /// The identity.
        public var peerAddress = BluetoothAddress.zero

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(peerAddressKind: DeviceAddress.Kind, peerAddress: BluetoothAddress) {
            self.peerAddressKind = peerAddressKind
            self.peerAddress = peerAddress
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("peer identity address type", &peerAddressKind)
            try v.address("peer identity address", &peerAddress)
        }
    }

    /// Turns the resolution of private addresses on or off. Core 5.4, Vol 4, Part E, 7.8.44.
    public struct LESetAddressResolutionEnable: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetAddressResolutionEnable
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// True to resolve.
        public var enable = false

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(enable: Bool) {
            self.enable = enable
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.flag("address resolution enable", &enable)
        }
    }

    /// Sets after which time own private addresses change. Core 5.4, Vol 4, Part E, 7.8.45.
    public struct LESetResolvablePrivateAddressTimeout: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetResolvablePrivateAddressTimeout
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// Seconds, 0x0001 to 0x0E10.
        public var timeout: UInt16 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(timeout: UInt16) {
            self.timeout = timeout
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.field("RPA timeout", &timeout)
        }
    }

    /// Says whether a peer may still use its identity address. Core 5.4, Vol 4, Part E, 7.8.77.
    public struct LESetPrivacyMode: HCICommand, Hashable {
        /// The command's number.
        public static let opcode = Opcode.leSetPrivacyMode
        /// Nothing but the status.
        public typealias ReturnParameters = HCIEmpty
        /// Public or random.
        public var peerAddressKind = DeviceAddress.Kind.public
        /// The identity.
        public var peerAddress = BluetoothAddress.zero
        /// 0 network: no; 1 device: yes.
        public var mode: UInt8 = 0

        /// All zeros.
        @inlinable
        public init() {}

        /// Puts the fields together.
        public init(peerAddressKind: DeviceAddress.Kind, peerAddress: BluetoothAddress, mode: UInt8) {
            self.peerAddressKind = peerAddressKind
            self.peerAddress = peerAddress
            self.mode = mode
        }

        /// Shows every field in wire order.
        @inlinable
        public mutating func visit<V: FieldVisitor & ~Escapable>(_ v: inout V) throws(WireError) {
            try v.code("peer identity address type", &peerAddressKind)
            try v.address("peer identity address", &peerAddress)
            try v.field("privacy mode", &mode)
        }
    }
}
