// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Glucose Service (1808).
public enum Glucose: ServiceProfile {
    /// 1808.
    public static let uuid: BluetoothUUID = 0x1808
    /// A measurement (2A18).
    public static let measurement = CharacteristicProfile<GlucoseMeasurement>(0x2A18, .notify)
    /// What was eaten, done and taken with it (2A34).
    public static let context = CharacteristicProfile<GlucoseContext>(0x2A34, .notify)
    /// Asks for the records that the meter keeps (2A52).
    public static let recordAccess = CharacteristicProfile<RecordAccess>(0x2A52, [.write, .indicate])
}

/// A glucose measurement (2A18).
public struct GlucoseMeasurement: ListedValue, Hashable {
    /// Numbers the measurements.
    public var sequenceNumber: UInt16 = 0
    /// The meter's time when it was measured.
    public var baseTime = DateTime()
    /// Minutes to be added to the base time.
    public var timeOffset: Int16?
    /// In the unit of ``isMolesPerLiter``.
    public var concentration: MedicalFloat?
    /// Moles rather than kilograms per liter.
    public var isMolesPerLiter = false
    /// What was measured, 1 to 10; only with a concentration.
    public var type: UInt8 = 0
    /// Where, 1 to 15; only with a concentration.
    public var sampleLocation: UInt8 = 0
    /// Faults of the sensor, one bit each.
    public var status: UInt16?
    /// A ``GlucoseContext`` with the same number follows.
    public var contextFollows = false

    /// Without a concentration.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.flags(1)
        try coder.integer("sequenceNumber", &sequenceNumber)
        try coder.dateTime("baseTime", &baseTime)
        try coder.integer("timeOffsetMinutes", &timeOffset, bit: 0)
        coder.flag(2, &isMolesPerLiter)
        try coder.medical("concentration", &concentration, bit: 1)
        if concentration != nil {
            coder.list("unit", isMolesPerLiter ? "mol/L" : "kg/L")
            try coder.nibbles("type", &type, "sampleLocation", &sampleLocation)
        } else {
            for name in ["unit", "type", "sampleLocation"] { coder.list(name, .null) }
        }
        try coder.integer("status", &status, bit: 3)
        if let status { coder.relist("status", FlagWords.list(UInt32(status), Self.words)) }
        coder.flag(4, &contextFollows, name: "contextFollows")
    }

    private static let words = Array(
        [
            "deviceBatteryLow", "sensorMalfunction", "sampleSizeInsufficient", "stripInsertionError",
            "stripTypeIncorrect", "resultTooHigh", "resultTooLow", "temperatureTooHigh", "temperatureTooLow",
            "readInterrupted", "generalDeviceFault", "timeFault",
        ].enumerated().map { ($0.offset, $0.element) })
}

/// What was eaten, done and taken with a measurement (2A34).
public struct GlucoseContext: ListedValue, Hashable {
    /// The number of the measurement.
    public var sequenceNumber: UInt16 = 0
    /// Reserved.
    public var extendedFlags: UInt8?
    /// The kind of meal, 1 to 7; with ``carbohydrate``.
    public var carbohydrateID: UInt8 = 0
    /// Carbohydrates in kilograms.
    public var carbohydrate: MedicalFloat?
    /// Before or after a meal, 1 to 5.
    public var meal: UInt8?
    /// Who tested, 1 to 15; with ``health``.
    public var tester: UInt8 = 0
    /// Health, 1 to 15; nil leaves tester and health out.
    public var health: UInt8?
    /// Seconds of exercise; 65535 is that or more.
    public var exerciseSeconds: UInt16?
    /// Intensity of the exercise in percent; with ``exerciseSeconds``.
    public var exerciseIntensity: UInt8 = 0
    /// The medication, 1 to 5; with ``medication``.
    public var medicationID: UInt8 = 0
    /// How much of it.
    public var medication: MedicalFloat?
    /// The medication is in liters rather than kilograms.
    public var isMedicationInLiters = false
    /// Glycated hemoglobin in percent.
    public var hba1c: MedicalFloat?

    /// Nothing but a number.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.flags(1)
        try coder.integer("sequenceNumber", &sequenceNumber)
        try coder.integer("extendedFlags", &extendedFlags, bit: 7)
        if coder.has(0, carbohydrate != nil) {
            var amount = carbohydrate ?? MedicalFloat(.notANumber)
            try coder.integer("carbohydrateID", &carbohydrateID)
            try coder.medical("carbohydrateKg", &amount)
            carbohydrate = amount
        } else {
            coder.absent("carbohydrateID", "carbohydrateKg")
        }
        try coder.integer("meal", &meal, bit: 1)
        if coder.has(2, health != nil) {
            var state = health ?? 0
            try coder.nibbles("tester", &tester, "health", &state)
            health = state
        } else {
            coder.absent("tester", "health")
        }
        if coder.has(3, exerciseSeconds != nil) {
            var seconds = exerciseSeconds ?? 0
            try coder.integer("exerciseSeconds", &seconds)
            try coder.integer("exerciseIntensity", &exerciseIntensity)
            exerciseSeconds = seconds
        } else {
            coder.absent("exerciseSeconds", "exerciseIntensity")
        }
        coder.flag(5, &isMedicationInLiters)
        if coder.has(4, medication != nil) {
            var amount = medication ?? MedicalFloat(.notANumber)
            try coder.integer("medicationID", &medicationID)
            try coder.medical("medication", &amount)
            coder.list("medicationUnit", isMedicationInLiters ? "litre" : "kilogram")
            medication = amount
        } else {
            coder.absent("medicationID", "medication", "medicationUnit")
        }
        try coder.medical("hba1c", &hba1c, bit: 6)
    }
}

extension ValueCoder {
    /// Two numbers of four bits in one octet, the low one first.
    mutating func nibbles(
        _ lowName: String, _ low: inout UInt8, _ highName: String, _ high: inout UInt8
    ) throws(WireError) {
        guard low < 16, high < 16 else { throw WireError(offset: position, reason: .tooLong) }
        var octet = low | high << 4
        try integer(lowName, &octet)
        if isReading { (low, high) = (octet & 15, octet >> 4) }
        relist(lowName, FieldValue(integer: low))
        list(highName, FieldValue(integer: high))
    }

    /// Lists fields that are not there.
    mutating func absent(_ names: String...) {
        for name in names { list(name, .null) }
    }
}
