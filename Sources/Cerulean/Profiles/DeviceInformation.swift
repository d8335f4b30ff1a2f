// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Device Information Service (180A).
public enum DeviceInformation: ServiceProfile {
    /// 180A.
    public static let uuid: BluetoothUUID = 0x180A
    /// Who made it (2A29).
    public static let manufacturerName = CharacteristicProfile<TextValue>(0x2A29, .read)
    /// The model (2A24).
    public static let modelNumber = CharacteristicProfile<TextValue>(0x2A24, .read)
    /// The serial number (2A25).
    public static let serialNumber = CharacteristicProfile<TextValue>(0x2A25, .read)
    /// The hardware's revision (2A27).
    public static let hardwareRevision = CharacteristicProfile<TextValue>(0x2A27, .read)
    /// The firmware's revision (2A26).
    public static let firmwareRevision = CharacteristicProfile<TextValue>(0x2A26, .read)
    /// The software's revision (2A28).
    public static let softwareRevision = CharacteristicProfile<TextValue>(0x2A28, .read)
    /// A number made of the manufacturer's and its own (2A23).
    public static let systemID = CharacteristicProfile<SystemID>(0x2A23, .read)
    /// Regulatory certifications (2A2A).
    public static let regulatoryCertification = CharacteristicProfile<OpaqueValue>(0x2A2A, .read)
    /// Vendor, product and version (2A50).
    public static let pnpID = CharacteristicProfile<PnPID>(0x2A50, .read)
}

/// A device's number within its manufacturer's, and the manufacturer's own (2A23).
public struct SystemID: ListedValue, Hashable {
    /// 40 bits that the manufacturer gave.
    public var manufacturer: UInt64 = 0
    /// The 24 bits that the IEEE gave the manufacturer.
    public var oui: UInt32 = 0

    /// All zeros.
    public init() {}

    /// A number of 40 bits and one of 24 bits.
    public init(manufacturer: UInt64, oui: UInt32) {
        self.manufacturer = manufacturer
        self.oui = oui
    }

    /// Lists the fields in the order of the octets. Shown most significant octet first.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.integer("manufacturer", &manufacturer, octets: 5)
        coder.relist("manufacturer", .text(Self.hex(manufacturer, 5)))
        try coder.integer("oui", &oui, octets: 3)
        coder.relist("oui", .text(Self.hex(UInt64(oui), 3)))
    }

    private static func hex(_ value: UInt64, _ octets: Int) -> String {
        Hex.encode((0..<octets).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) })
    }
}

/// Vendor, product and version of a device (2A50).
public struct PnPID: ListedValue, Hashable {
    /// Who assigned the vendor's number.
    public struct Source: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8
        /// Wraps a number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Bluetooth SIG (1).
        public static let bluetoothSIG = Self(rawValue: 1)
        /// USB Implementers Forum (2).
        public static let usbIF = Self(rawValue: 2)
    }

    /// Who assigned the vendor's number.
    public var source = Source.bluetoothSIG
    /// The vendor.
    public var vendorID: UInt16 = 0
    /// The product.
    public var productID: UInt16 = 0
    /// 0xJJMN: version JJ.M.N.
    public var version: UInt16 = 0

    /// All zeros.
    public init() {}

    /// A product in a version 0xJJMN.
    public init(source: Source, vendorID: UInt16, productID: UInt16, version: UInt16) {
        self.source = source
        self.vendorID = vendorID
        self.productID = productID
        self.version = version
    }

    /// "1.1.0" for 0x0110.
    public var versionText: String { "\(version >> 8).\(version >> 4 & 15).\(version & 15)" }

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        var raw = source.rawValue
        try coder.integer("vendorIDSource", &raw)
        source = Source(rawValue: raw)
        switch source {
        case .bluetoothSIG: coder.relist("vendorIDSource", "bluetoothSIG")
        case .usbIF: coder.relist("vendorIDSource", "usbIF")
        default: break
        }
        try coder.integer("vendorID", &vendorID)
        try coder.integer("productID", &productID)
        try coder.integer("version", &version)
        coder.relist("version", .text(versionText))
    }
}
