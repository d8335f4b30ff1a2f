// SPDX-License-Identifier: Apache-2.0

/// The kind of an advertising data structure. Assigned Numbers, 2.3; layouts: Core Specification Supplement, Part A.
public struct ADType: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt8
    /// Wraps a number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Flags (0x01).
    public static let flags = Self(rawValue: 0x01)
    /// Incomplete list of 16-bit service UUIDs (0x02).
    public static let incompleteServices16 = Self(rawValue: 0x02)
    /// Complete list of 16-bit service UUIDs (0x03).
    public static let completeServices16 = Self(rawValue: 0x03)
    /// Incomplete list of 32-bit service UUIDs (0x04).
    public static let incompleteServices32 = Self(rawValue: 0x04)
    /// Complete list of 32-bit service UUIDs (0x05).
    public static let completeServices32 = Self(rawValue: 0x05)
    /// Incomplete list of 128-bit service UUIDs (0x06).
    public static let incompleteServices128 = Self(rawValue: 0x06)
    /// Complete list of 128-bit service UUIDs (0x07).
    public static let completeServices128 = Self(rawValue: 0x07)
    /// Shortened local name (0x08).
    public static let shortenedLocalName = Self(rawValue: 0x08)
    /// Complete local name (0x09).
    public static let completeLocalName = Self(rawValue: 0x09)
    /// TX power level (0x0A).
    public static let txPowerLevel = Self(rawValue: 0x0A)
    /// Class of device (0x0D).
    public static let classOfDevice = Self(rawValue: 0x0D)
    /// Simple pairing hash C-192 (0x0E).
    public static let simplePairingHash192 = Self(rawValue: 0x0E)
    /// Simple pairing randomizer R-192 (0x0F).
    public static let simplePairingRandomizer192 = Self(rawValue: 0x0F)
    /// Security Manager TK value, or device id in BR/EDR (0x10).
    public static let securityManagerTK = Self(rawValue: 0x10)
    /// Security Manager out of band flags (0x11).
    public static let securityManagerOOBFlags = Self(rawValue: 0x11)
    /// Peripheral connection interval range (0x12).
    public static let connectionIntervalRange = Self(rawValue: 0x12)
    /// List of 16-bit service solicitation UUIDs (0x14).
    public static let solicitation16 = Self(rawValue: 0x14)
    /// List of 128-bit service solicitation UUIDs (0x15).
    public static let solicitation128 = Self(rawValue: 0x15)
    /// Service data with a 16-bit UUID (0x16).
    public static let serviceData16 = Self(rawValue: 0x16)
    /// Public target address (0x17).
    public static let publicTargetAddress = Self(rawValue: 0x17)
    /// Random target address (0x18).
    public static let randomTargetAddress = Self(rawValue: 0x18)
    /// Appearance (0x19).
    public static let appearance = Self(rawValue: 0x19)
    /// Advertising interval (0x1A).
    public static let advertisingInterval = Self(rawValue: 0x1A)
    /// LE Bluetooth device address (0x1B).
    public static let leDeviceAddress = Self(rawValue: 0x1B)
    /// LE role (0x1C).
    public static let leRole = Self(rawValue: 0x1C)
    /// Simple pairing hash C-256 (0x1D).
    public static let simplePairingHash256 = Self(rawValue: 0x1D)
    /// Simple pairing randomizer R-256 (0x1E).
    public static let simplePairingRandomizer256 = Self(rawValue: 0x1E)
    /// List of 32-bit service solicitation UUIDs (0x1F).
    public static let solicitation32 = Self(rawValue: 0x1F)
    /// Service data with a 32-bit UUID (0x20).
    public static let serviceData32 = Self(rawValue: 0x20)
    /// Service data with a 128-bit UUID (0x21).
    public static let serviceData128 = Self(rawValue: 0x21)
    /// LE Secure Connections confirmation value (0x22).
    public static let secureConnectionsConfirm = Self(rawValue: 0x22)
    /// LE Secure Connections random value (0x23).
    public static let secureConnectionsRandom = Self(rawValue: 0x23)
    /// URI (0x24).
    public static let uri = Self(rawValue: 0x24)
    /// Indoor positioning (0x25).
    public static let indoorPositioning = Self(rawValue: 0x25)
    /// Transport discovery data (0x26).
    public static let transportDiscovery = Self(rawValue: 0x26)
    /// LE supported features (0x27).
    public static let leSupportedFeatures = Self(rawValue: 0x27)
    /// Channel map update indication (0x28).
    public static let channelMapUpdate = Self(rawValue: 0x28)
    /// Mesh provisioning over advertising (0x29).
    public static let pbADV = Self(rawValue: 0x29)
    /// Mesh message (0x2A).
    public static let meshMessage = Self(rawValue: 0x2A)
    /// Mesh beacon (0x2B).
    public static let meshBeacon = Self(rawValue: 0x2B)
    /// BIGInfo (0x2C).
    public static let bigInfo = Self(rawValue: 0x2C)
    /// Broadcast code (0x2D).
    public static let broadcastCode = Self(rawValue: 0x2D)
    /// Resolvable set identifier (0x2E).
    public static let resolvableSetIdentifier = Self(rawValue: 0x2E)
    /// Advertising interval, long form (0x2F).
    public static let advertisingIntervalLong = Self(rawValue: 0x2F)
    /// Broadcast name (0x30).
    public static let broadcastName = Self(rawValue: 0x30)
    /// Encrypted advertising data (0x31).
    public static let encryptedData = Self(rawValue: 0x31)
    /// Periodic advertising response timing information (0x32).
    public static let periodicResponseTiming = Self(rawValue: 0x32)
    /// Electronic shelf label (0x34).
    public static let electronicShelfLabel = Self(rawValue: 0x34)
    /// 3D information data (0x3D).
    public static let threeDInformation = Self(rawValue: 0x3D)
    /// Manufacturer specific data (0xFF).
    public static let manufacturerData = Self(rawValue: 0xFF)

    /// All types of the Core Specification Supplement, by number.
    public static let all: [Self] = [
        .flags, .incompleteServices16, .completeServices16, .incompleteServices32, .completeServices32,
        .incompleteServices128, .completeServices128, .shortenedLocalName, .completeLocalName, .txPowerLevel,
        .classOfDevice, .simplePairingHash192, .simplePairingRandomizer192, .securityManagerTK,
        .securityManagerOOBFlags, .connectionIntervalRange, .solicitation16, .solicitation128, .serviceData16,
        .publicTargetAddress, .randomTargetAddress, .appearance, .advertisingInterval, .leDeviceAddress, .leRole,
        .simplePairingHash256, .simplePairingRandomizer256, .solicitation32, .serviceData32, .serviceData128,
        .secureConnectionsConfirm, .secureConnectionsRandom, .uri, .indoorPositioning, .transportDiscovery,
        .leSupportedFeatures, .channelMapUpdate, .pbADV, .meshMessage, .meshBeacon, .bigInfo, .broadcastCode,
        .resolvableSetIdentifier, .advertisingIntervalLong, .broadcastName, .encryptedData, .periodicResponseTiming,
        .electronicShelfLabel, .threeDInformation, .manufacturerData,
    ]
}

extension ADType: CustomStringConvertible {
    /// The name in lower camel case, or the number for an unknown type.
    public var description: String {
        switch rawValue {
        case 0x01: "flags"
        case 0x02: "incompleteServices16"
        case 0x03: "completeServices16"
        case 0x04: "incompleteServices32"
        case 0x05: "completeServices32"
        case 0x06: "incompleteServices128"
        case 0x07: "completeServices128"
        case 0x08: "shortenedLocalName"
        case 0x09: "completeLocalName"
        case 0x0A: "txPowerLevel"
        case 0x0D: "classOfDevice"
        case 0x0E: "simplePairingHash192"
        case 0x0F: "simplePairingRandomizer192"
        case 0x10: "securityManagerTK"
        case 0x11: "securityManagerOOBFlags"
        case 0x12: "connectionIntervalRange"
        case 0x14: "solicitation16"
        case 0x15: "solicitation128"
        case 0x16: "serviceData16"
        case 0x17: "publicTargetAddress"
        case 0x18: "randomTargetAddress"
        case 0x19: "appearance"
        case 0x1A: "advertisingInterval"
        case 0x1B: "leDeviceAddress"
        case 0x1C: "leRole"
        case 0x1D: "simplePairingHash256"
        case 0x1E: "simplePairingRandomizer256"
        case 0x1F: "solicitation32"
        case 0x20: "serviceData32"
        case 0x21: "serviceData128"
        case 0x22: "secureConnectionsConfirm"
        case 0x23: "secureConnectionsRandom"
        case 0x24: "uri"
        case 0x25: "indoorPositioning"
        case 0x26: "transportDiscovery"
        case 0x27: "leSupportedFeatures"
        case 0x28: "channelMapUpdate"
        case 0x29: "pbADV"
        case 0x2A: "meshMessage"
        case 0x2B: "meshBeacon"
        case 0x2C: "bigInfo"
        case 0x2D: "broadcastCode"
        case 0x2E: "resolvableSetIdentifier"
        case 0x2F: "advertisingIntervalLong"
        case 0x30: "broadcastName"
        case 0x31: "encryptedData"
        case 0x32: "periodicResponseTiming"
        case 0x34: "electronicShelfLabel"
        case 0x3D: "threeDInformation"
        case 0xFF: "manufacturerData"
        default: "0x" + Hex.encode(CollectionOfOne(rawValue))
        }
    }
}
