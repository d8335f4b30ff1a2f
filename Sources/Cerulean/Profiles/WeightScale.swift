// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Weight Scale Service (181D).
public enum WeightScale: ServiceProfile {
    /// 181D.
    public static let uuid: BluetoothUUID = 0x181D
    /// A measurement (2A9D).
    public static let measurement = CharacteristicProfile<WeightMeasurement>(0x2A9D, .indicate)
}

/// Body Composition Service (181B).
public enum BodyComposition: ServiceProfile {
    /// 181B.
    public static let uuid: BluetoothUUID = 0x181B
    /// A measurement (2A9C).
    public static let measurement = CharacteristicProfile<BodyCompositionMeasurement>(0x2A9C, .indicate)
}

/// A weight (2A9D).
public struct WeightMeasurement: ListedValue, Hashable {
    /// Kilograms, or pounds; nil when it could not be measured.
    public var weight: Double?
    /// Pounds and inches rather than kilograms and meters.
    public var isImperial = false
    /// When it was measured.
    public var timestamp: DateTime?
    /// The user; nil also when the scale does not know (255).
    public var userID: UInt8?
    /// Body mass index in kg/m²; with ``height``.
    public var bmi = 0.0
    /// Meters, or inches.
    public var height: Double?

    /// Not measured.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.flags(1)
        coder.flag(0, &isImperial)
        try coder.scaled("weight", &weight, octets: 2, signed: false, scale: .mass(isImperial), unknown: 0xFFFF)
        coder.list("unsuccessful", .bool(weight == nil))
        coder.list("unit", isImperial ? "lb" : "kg")
        try coder.dateTime("timestamp", &timestamp, bit: 1)
        try coder.integer("userID", &userID, bit: 2, unknown: 0xFF)
        if coder.has(3, height != nil) {
            var value = height ?? 0
            try coder.scaled("bmi", &bmi, octets: 2, signed: false, scale: .init(1, over: 10))
            try coder.scaled("height", &value, octets: 2, signed: false, scale: .length(isImperial))
            coder.list("heightUnit", isImperial ? "in" : "m")
            height = value
        } else {
            coder.absent("bmi", "height", "heightUnit")
        }
    }
}

/// What a body is made of (2A9C).
public struct BodyCompositionMeasurement: ListedValue, Hashable {
    /// Percent; nil when it could not be measured.
    public var bodyFat: Double?
    /// Pounds and inches rather than kilograms and meters.
    public var isImperial = false
    /// When it was measured.
    public var timestamp: DateTime?
    /// The user; nil also when the scale does not know (255).
    public var userID: UInt8?
    /// Kilojoules.
    public var basalMetabolism: UInt16?
    /// Percent.
    public var musclePercentage: Double?
    /// Kilograms, or pounds.
    public var muscleMass: Double?
    /// Kilograms, or pounds.
    public var fatFreeMass: Double?
    /// Kilograms, or pounds.
    public var softLeanMass: Double?
    /// Kilograms, or pounds.
    public var bodyWaterMass: Double?
    /// Ohms.
    public var impedance: Double?
    /// Kilograms, or pounds.
    public var weight: Double?
    /// Meters, or inches.
    public var height: Double?
    /// Another value belongs to this one.
    public var morePackets = false

    /// Not measured.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        let tenths = ValueScale(1, over: 10)
        try coder.flags(2)
        coder.flag(0, &isImperial)
        let mass = ValueScale.mass(isImperial)
        try coder.scaled("bodyFat", &bodyFat, octets: 2, signed: false, scale: tenths, unknown: 0xFFFF)
        coder.list("unsuccessful", .bool(bodyFat == nil))
        coder.list("unit", isImperial ? "lb" : "kg")
        try coder.dateTime("timestamp", &timestamp, bit: 1)
        try coder.integer("userID", &userID, bit: 2, unknown: 0xFF)
        try coder.integer("basalMetabolism", &basalMetabolism, bit: 3)
        try coder.scaled("musclePercentage", &musclePercentage, bit: 4, octets: 2, signed: false, scale: tenths)
        try coder.scaled("muscleMass", &muscleMass, bit: 5, octets: 2, signed: false, scale: mass)
        try coder.scaled("fatFreeMass", &fatFreeMass, bit: 6, octets: 2, signed: false, scale: mass)
        try coder.scaled("softLeanMass", &softLeanMass, bit: 7, octets: 2, signed: false, scale: mass)
        try coder.scaled("bodyWaterMass", &bodyWaterMass, bit: 8, octets: 2, signed: false, scale: mass)
        try coder.scaled("impedance", &impedance, bit: 9, octets: 2, signed: false, scale: tenths)
        try coder.scaled("weight", &weight, bit: 10, octets: 2, signed: false, scale: mass)
        try coder.scaled("height", &height, bit: 11, octets: 2, signed: false, scale: .length(isImperial))
        coder.flag(12, &morePackets, name: "morePackets")
    }
}

extension ValueScale {
    fileprivate static func mass(_ isImperial: Bool) -> Self { isImperial ? Self(1, over: 100) : Self(1, over: 200) }
    fileprivate static func length(_ isImperial: Bool) -> Self { isImperial ? Self(1, over: 10) : Self(1, over: 1000) }
}
