// SPDX-License-Identifier: Apache-2.0

import Cerulean

/// The accelerometer service of TI's SensorTag, declared once: a central decodes with it, a peripheral serves it.
public enum Accelerometer: ServiceProfile {
    /// The type of the service.
    public static let uuid: BluetoothUUID = "F000AA10-0451-4000-B000-000000000000"
    /// What the sensor measures; comes by itself while it is on.
    public static let data = CharacteristicProfile<Reading>(
        "F000AA11-0451-4000-B000-000000000000", [.read, .notify])
    /// Switches the sensor on and off.
    public static let enabled = CharacteristicProfile<Enabled>(
        "F000AA12-0451-4000-B000-000000000000", [.read, .write])
    /// How often it measures.
    public static let period = CharacteristicProfile<Period>(
        "F000AA13-0451-4000-B000-000000000000", [.read, .write])
}

/// One measurement: acceleration in g, in steps of 1/64 g.
public struct Reading: ListedValue, Hashable {
    /// Along the x axis.
    public var x = 0.0
    /// Along the y axis.
    public var y = 0.0
    /// Along the z axis.
    public var z = 0.0

    /// Free fall.
    public init() {}
    /// A measurement.
    public init(x: Double, y: Double, z: Double) {
        (self.x, self.y, self.z) = (x, y, z)
    }

    /// The fields in the order of the octets: this one list reads, writes and shows them.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.scaled("x", &x, octets: 1, signed: true, scale: ValueScale(1, over: 64))
        try coder.scaled("y", &y, octets: 1, signed: true, scale: ValueScale(1, over: 64))
        try coder.scaled("z", &z, octets: 1, signed: true, scale: ValueScale(1, over: 64))
    }
}

/// Whether the sensor is on.
public struct Enabled: ListedValue, Hashable {
    /// True when it measures.
    public var isOn = false

    /// Off.
    public init() {}
    /// On or off.
    public init(_ isOn: Bool) { self.isOn = isOn }

    /// The one octet: 0 or 1.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        var octet: UInt8 = isOn ? 1 : 0
        try coder.integer("enabled", &octet)
        isOn = octet != 0
    }
}

/// The time between measurements.
public struct Period: ListedValue, Hashable {
    /// 100 to 2550 ms, in steps of 10 ms.
    public var milliseconds = 1000.0

    /// One second.
    public init() {}
    /// A period in milliseconds.
    public init(milliseconds: Double) { self.milliseconds = milliseconds }

    /// The one octet: tens of milliseconds.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.scaled("period", &milliseconds, octets: 1, signed: false, scale: ValueScale(10))
    }
}
