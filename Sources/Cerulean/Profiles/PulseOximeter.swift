// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Pulse Oximeter Service (1822).
public enum PulseOximeter: ServiceProfile {
    /// 1822.
    public static let uuid: BluetoothUUID = 0x1822
    /// One measurement (2A5E).
    public static let spotCheck = CharacteristicProfile<OximeterSpotCheck>(0x2A5E, .indicate)
    /// Measurements that go on (2A5F).
    public static let continuous = CharacteristicProfile<OximeterContinuous>(0x2A5F, .notify)
}

/// One measurement of a pulse oximeter (2A5E).
public struct OximeterSpotCheck: ListedValue, Hashable {
    /// Oxygen saturation in percent.
    public var spO2 = MedicalFloat(.notANumber)
    /// Beats per minute.
    public var pulseRate = MedicalFloat(.notANumber)
    /// When it was measured.
    public var timestamp: DateTime?
    /// How good the measurement is, one bit each from 5 on.
    public var measurementStatus: UInt16?
    /// Faults of device and sensor, 24 bits.
    public var sensorStatus: UInt32?
    /// Strength of the pulse in percent.
    public var pulseAmplitudeIndex: MedicalFloat?
    /// The device's clock was not set.
    public var clockNotSet = false

    /// Not numbers.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.flags(1)
        try coder.medical("spO2", &spO2)
        try coder.medical("pulseRate", &pulseRate)
        try coder.dateTime("timestamp", &timestamp, bit: 0)
        try OximeterStatus.visit(&coder, &measurementStatus, &sensorStatus, measurementBit: 1, sensorBit: 2)
        try coder.medical("pulseAmplitudeIndex", &pulseAmplitudeIndex, bit: 3)
        coder.flag(4, &clockNotSet, name: "deviceClockNotSet")
    }
}

/// A measurement of a pulse oximeter that goes on (2A5F).
public struct OximeterContinuous: ListedValue, Hashable {
    /// Oxygen saturation in percent and beats per minute.
    public struct Pair: Hashable, Sendable {
        /// Oxygen saturation in percent.
        public var spO2 = MedicalFloat(.notANumber)
        /// Beats per minute.
        public var pulseRate = MedicalFloat(.notANumber)
        /// Not numbers.
        public init() {}
        /// Two numbers.
        public init(spO2: MedicalFloat, pulseRate: MedicalFloat) {
            self.spO2 = spO2
            self.pulseRate = pulseRate
        }
    }

    /// With the usual averaging.
    public var normal = Pair()
    /// With fast response.
    public var fast: Pair?
    /// With slow response.
    public var slow: Pair?
    /// How good the measurement is, one bit each from 5 on.
    public var measurementStatus: UInt16?
    /// Faults of device and sensor, 24 bits.
    public var sensorStatus: UInt32?
    /// Strength of the pulse in percent.
    public var pulseAmplitudeIndex: MedicalFloat?

    /// Not numbers.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.flags(1)
        try coder.medical("spO2", &normal.spO2)
        try coder.medical("pulseRate", &normal.pulseRate)
        try Self.pair(&coder, &fast, bit: 0, "Fast")
        try Self.pair(&coder, &slow, bit: 1, "Slow")
        try OximeterStatus.visit(&coder, &measurementStatus, &sensorStatus, measurementBit: 2, sensorBit: 3)
        try coder.medical("pulseAmplitudeIndex", &pulseAmplitudeIndex, bit: 4)
    }

    private static func pair(
        _ coder: inout ValueCoder, _ pair: inout Pair?, bit: Int, _ suffix: String
    ) throws(WireError) {
        guard coder.has(bit, pair != nil) else { return coder.absent("spO2\(suffix)", "pulseRate\(suffix)") }
        var value = pair ?? Pair()
        try coder.medical("spO2\(suffix)", &value.spO2)
        try coder.medical("pulseRate\(suffix)", &value.pulseRate)
        pair = value
    }
}

private enum OximeterStatus {
    static func visit(
        _ coder: inout ValueCoder, _ measurement: inout UInt16?, _ sensor: inout UInt32?, measurementBit: Int,
        sensorBit: Int
    ) throws(WireError) {
        try coder.integer("measurementStatus", &measurement, bit: measurementBit)
        if let measurement {
            coder.relist("measurementStatus", FlagWords.list(UInt32(measurement) >> 5, measurementWords))
        }
        try coder.integer("deviceSensorStatus", &sensor, bit: sensorBit, octets: 3)
        if let sensor { coder.relist("deviceSensorStatus", FlagWords.list(sensor, sensorWords)) }
    }

    /// From bit 5 on.
    private static let measurementWords = numbered([
        "ongoing", "earlyEstimate", "validated", "fullyQualified", "fromStorage", "demo", "testing",
        "calibrationOngoing", "unavailable", "questionable", "invalid",
    ])

    private static let sensorWords = numbered([
        "extendedDisplayUpdate", "equipmentMalfunction", "signalProcessingIrregularity", "inadequateSignal",
        "poorSignal", "lowPerfusion", "erraticSignal", "nonPulsatile", "questionablePulse", "signalAnalysis",
        "sensorInterference", "sensorUnconnected", "unknownSensor", "sensorDisplaced", "sensorMalfunction",
        "sensorDisconnected",
    ])

    private static func numbered(_ words: [String]) -> [(Int, String)] {
        words.enumerated().map { ($0.offset, $0.element) }
    }
}
