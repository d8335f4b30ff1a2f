// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Battery Service (180F). A device may have several.
public enum Battery: ServiceProfile {
    /// 180F.
    public static let uuid: BluetoothUUID = 0x180F
    /// How full it is (2A19); notifying is optional for a device.
    public static let level = CharacteristicProfile<BatteryLevel>(0x2A19, [.read, .notify])
}

/// How full a battery is (2A19).
public struct BatteryLevel: ListedValue, Hashable {
    /// 0 to 100 %; more is reserved.
    public var percent: UInt8 = 0
    /// Empty.
    public init() {}
    /// A level of 0 to 100 %.
    public init(percent: UInt8) { self.percent = percent }

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.integer("value", &percent)
    }
}
