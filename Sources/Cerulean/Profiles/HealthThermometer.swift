// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Health Thermometer Service (1809).
public enum HealthThermometer: ServiceProfile {
    /// 1809.
    public static let uuid: BluetoothUUID = 0x1809
    /// A measurement (2A1C).
    public static let measurement = CharacteristicProfile<TemperatureMeasurement>(0x2A1C, .indicate)
    /// A measurement that is not settled yet (2A1E).
    public static let intermediate = CharacteristicProfile<TemperatureMeasurement>(0x2A1E, .notify)
}

/// A body temperature (2A1C, 2A1E).
public struct TemperatureMeasurement: ListedValue, Hashable {
    /// In the unit of ``isFahrenheit``.
    public var temperature = MedicalFloat(.notANumber)
    /// Degrees Fahrenheit rather than Celsius.
    public var isFahrenheit = false
    /// When it was measured.
    public var timestamp: DateTime?
    /// Where: 1 armpit, 2 body, 3 ear, 4 finger, 5 gastrointestinal, 6 mouth, 7 rectum, 8 toe, 9 tympanum.
    public var type: UInt8?

    /// Not a number.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.flags(1)
        coder.flag(0, &isFahrenheit)
        try coder.medical("temperature", &temperature, octets: 4)
        coder.list("unit", isFahrenheit ? "F" : "C")
        try coder.dateTime("timestamp", &timestamp, bit: 1)
        try coder.integer("temperatureType", &type, bit: 2)
    }
}

/// Blood Pressure Service (1810).
public enum BloodPressure: ServiceProfile {
    /// 1810.
    public static let uuid: BluetoothUUID = 0x1810
    /// A measurement (2A35).
    public static let measurement = CharacteristicProfile<BloodPressureMeasurement>(0x2A35, .indicate)
    /// The pressure in the cuff, while it is pumped up and let down (2A36).
    public static let intermediateCuff = CharacteristicProfile<BloodPressureMeasurement>(0x2A36, .notify)
}

/// A blood pressure (2A35), or the pressure in the cuff with the other two not a number (2A36).
public struct BloodPressureMeasurement: ListedValue, Hashable {
    /// The higher pressure, or that in the cuff.
    public var systolic = MedicalFloat(.notANumber)
    /// The lower pressure.
    public var diastolic = MedicalFloat(.notANumber)
    /// The mean arterial pressure.
    public var mean = MedicalFloat(.notANumber)
    /// Kilopascals rather than millimeters of mercury.
    public var isKilopascal = false
    /// When it was measured.
    public var timestamp: DateTime?
    /// Beats per minute.
    public var pulseRate: MedicalFloat?
    /// The user; nil also when the sensor does not know (255).
    public var userID: UInt8?
    /// Bits: 0 body movement, 1 cuff too loose, 2 irregular pulse, 3 and 4 pulse rate range, 5 improper position.
    public var status: UInt16?

    /// Not numbers.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.flags(1)
        coder.flag(0, &isKilopascal)
        try coder.medical("systolic", &systolic)
        try coder.medical("diastolic", &diastolic)
        try coder.medical("meanArterialPressure", &mean)
        coder.list("unit", isKilopascal ? "kPa" : "mmHg")
        try coder.dateTime("timestamp", &timestamp, bit: 1)
        try coder.medical("pulseRate", &pulseRate, bit: 2)
        try coder.integer("userID", &userID, bit: 3, unknown: 0xFF)
        try coder.integer("status", &status, bit: 4)
        guard let status else { return coder.list("pulseRateRange", .null) }
        coder.relist("status", FlagWords.list(UInt32(status), Self.words))
        coder.list(
            "pulseRateRange", FlagWords.word(Int(status >> 3 & 3), ["withinRange", "exceedsUpper", "belowLower"]))
    }

    private static let words = [
        (0, "bodyMovement"), (1, "cuffTooLoose"), (2, "irregularPulse"), (5, "improperPosition"),
    ]
}
