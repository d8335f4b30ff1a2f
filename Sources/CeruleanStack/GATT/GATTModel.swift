// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// The Generic Attribute Profile: what databases are made of. Core 5.4, Vol 3, Part G.
public enum GATT {
    /// Type of a primary service's declaration.
    public static let primaryService: BluetoothUUID = 0x2800
    /// Type of a secondary service's declaration.
    public static let secondaryService: BluetoothUUID = 0x2801
    /// Type of an include's declaration.
    public static let include: BluetoothUUID = 0x2802
    /// Type of a characteristic's declaration.
    public static let characteristic: BluetoothUUID = 0x2803
    /// Characteristic Extended Properties.
    public static let extendedProperties: BluetoothUUID = 0x2900
    /// Client Characteristic Configuration.
    public static let clientConfiguration: BluetoothUUID = 0x2902
    /// Client Supported Features.
    public static let clientSupportedFeatures: BluetoothUUID = 0x2B29
    /// Database Hash.
    public static let databaseHash: BluetoothUUID = 0x2B2A
    /// Service Changed.
    public static let serviceChanged: BluetoothUUID = 0x2A05
    /// Server Supported Features.
    public static let serverSupportedFeatures: BluetoothUUID = 0x2B3A
}

extension GATT {
    /// A service that was found.
    public struct Service: Hashable, Sendable {
        /// Its declaration.
        public var start: UInt16
        /// Its last handle.
        public var end: UInt16
        /// Its type.
        public var uuid: BluetoothUUID
        /// Primary, or only there to be included.
        public var isPrimary: Bool

        /// Describes a service.
        public init(start: UInt16, end: UInt16, uuid: BluetoothUUID, isPrimary: Bool = true) {
            self.start = start
            self.end = end
            self.uuid = uuid
            self.isPrimary = isPrimary
        }
    }

    /// A service named in another one.
    public struct Include: Hashable, Sendable {
        /// The declaration of the include.
        public var handle: UInt16
        /// First handle of the included service.
        public var start: UInt16
        /// Last handle of the included service.
        public var end: UInt16
        /// Type of the included service.
        public var uuid: BluetoothUUID

        /// Describes an include.
        public init(handle: UInt16, start: UInt16, end: UInt16, uuid: BluetoothUUID) {
            self.handle = handle
            self.start = start
            self.end = end
            self.uuid = uuid
        }
    }

    /// A characteristic that was found.
    public struct Characteristic: Hashable, Sendable {
        /// Its declaration.
        public var declaration: UInt16
        /// Its value.
        public var handle: UInt16
        /// Its last handle, descriptors included.
        public var end: UInt16
        /// Its type.
        public var uuid: BluetoothUUID
        /// What it can do; the high octet only after a full discovery.
        public var properties: CharacteristicProperties

        /// Describes a characteristic.
        public init(
            declaration: UInt16, handle: UInt16, end: UInt16, uuid: BluetoothUUID, properties: CharacteristicProperties
        ) {
            self.declaration = declaration
            self.handle = handle
            self.end = end
            self.uuid = uuid
            self.properties = properties
        }
    }

    /// A descriptor that was found.
    public struct Descriptor: Hashable, Sendable {
        /// Its handle.
        public var handle: UInt16
        /// Its type.
        public var uuid: BluetoothUUID

        /// Describes a descriptor.
        public init(handle: UInt16, uuid: BluetoothUUID) {
            self.handle = handle
            self.uuid = uuid
        }
    }

    /// A value that was found by its type.
    public struct FoundValue: Hashable, Sendable {
        /// Its attribute.
        public var handle: UInt16
        /// The value, cut by the server to at most 253 octets.
        public var value: [UInt8]

        /// Pairs a handle with a value.
        public init(handle: UInt16, value: [UInt8]) {
            self.handle = handle
            self.value = value
        }
    }

    /// A whole database.
    public struct Database: Hashable, Sendable {
        /// A service with what is in it.
        public struct ServiceNode: Hashable, Sendable {
            /// The service.
            public var service: Service
            /// The services that it includes.
            public var includes: [Include] = []
            /// Its characteristics in handle order.
            public var characteristics: [CharacteristicNode] = []

            /// A service with nothing in it.
            public init(_ service: Service) { self.service = service }
        }

        /// A characteristic with its descriptors.
        public struct CharacteristicNode: Hashable, Sendable {
            /// The characteristic.
            public var characteristic: Characteristic
            /// Its descriptors in handle order.
            public var descriptors: [Descriptor] = []

            /// A characteristic without descriptors.
            public init(_ characteristic: Characteristic) { self.characteristic = characteristic }
        }

        /// The services in handle order.
        public var services: [ServiceNode] = []
        /// The value of Server Supported Features (2B3A); empty when there is none.
        public var serverFeatures: [UInt8] = []

        /// An empty database.
        public init() {}
    }
}

extension RawSpan {
    /// The UUID of 2 or 16 octets at `range`, least significant first; nil for other lengths.
    func uuid(in range: Range<Int>) -> BluetoothUUID? {
        switch range.count {
        case 2: return BluetoothUUID(uint16(at: range.lowerBound))
        case 16:
            var low: UInt64 = 0
            var high: UInt64 = 0
            for index in (0..<8).reversed() {
                low = low << 8 | UInt64(self[range.lowerBound + index])
                high = high << 8 | UInt64(self[range.lowerBound + 8 + index])
            }
            return BluetoothUUID(high: high, low: low)
        default: return nil
        }
    }

    /// A copy of the octets at `range`.
    func array(in range: Range<Int>) -> [UInt8] { extracting(range).array }
}
