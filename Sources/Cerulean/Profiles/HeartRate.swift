// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Heart Rate Service (180D).
public enum HeartRate: ServiceProfile {
    /// 180D.
    public static let uuid: BluetoothUUID = 0x180D
    /// What the sensor measures (2A37).
    public static let measurement = CharacteristicProfile<HeartRateMeasurement>(0x2A37, .notify)
    /// Where it is worn (2A38).
    public static let bodySensorLocation = CharacteristicProfile<BodySensorLocation>(0x2A38, .read)
    /// Resets the energy (2A39); a sensor without energy answers with error 0x80.
    public static let controlPoint = CharacteristicProfile<HeartRateControlPoint>(0x2A39, .write)
}

/// One measurement of a heart rate sensor (2A37).
///
/// ```swift
/// let measurement = try HeartRateMeasurement(decoding: [0x10, 0x3C, 0x20, 0x03])
/// print(measurement.heartRate, measurement.rrIntervals)   // 60 [800]
/// ```
public struct HeartRateMeasurement: ListedValue, Hashable {
    /// Whether the sensor touches skin.
    public enum SensorContact: String, Hashable, Sendable {
        /// The sensor cannot tell.
        case notSupported
        /// It does not.
        case notDetected
        /// It does.
        case detected
    }

    /// Beats per minute. Sent in one octet up to 255.
    public var heartRate: UInt16 = 0
    /// Whether the sensor touches skin.
    public var sensorContact = SensorContact.notSupported
    /// Kilojoules since the last reset; stays at 65535 from there on.
    public var energyExpended: UInt16?
    /// Times between beats in units of 1/1024 s, oldest first.
    public var rrIntervals: [UInt16] = []

    /// Zero beats per minute.
    public init() {}

    /// A measurement.
    public init(
        heartRate: UInt16, sensorContact: SensorContact = .notSupported, energyExpended: UInt16? = nil,
        rrIntervals: [UInt16] = []
    ) {
        self.heartRate = heartRate
        self.sensorContact = sensorContact
        self.energyExpended = energyExpended
        self.rrIntervals = rrIntervals
    }

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.flags(1)
        let wide = coder.has(0, heartRate > 0xFF)
        try coder.integer("heartRate", &heartRate, octets: wide ? 2 : 1)
        var contact: UInt8 =
            switch sensorContact {
            case .notSupported: 0
            case .notDetected: 2
            case .detected: 3
            }
        coder.flags(1...2, &contact)
        sensorContact = contact < 2 ? .notSupported : contact == 2 ? .notDetected : .detected
        coder.list("sensorContact", .text(sensorContact.rawValue))
        try coder.integer("energyExpended", &energyExpended, bit: 3)
        // An empty list behind a set flag is legal, an odd octet at the end is ignored.
        if coder.has(4, !rrIntervals.isEmpty) {
            try coder.integers("rrIntervals", &rrIntervals, count: coder.remaining / 2)
        } else {
            rrIntervals = []
            coder.list("rrIntervals", [])
        }
    }
}

/// Where a heart rate sensor is worn (2A38).
public struct BodySensorLocation: ListedValue, RawRepresentable, Hashable {
    /// The number on the wire.
    public var rawValue: UInt8 = 0
    /// Other.
    public init() {}
    /// Wraps a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Somewhere else (0).
    public static let other = Self(rawValue: 0)
    /// On the chest (1).
    public static let chest = Self(rawValue: 1)
    /// On a wrist (2).
    public static let wrist = Self(rawValue: 2)
    /// On a finger (3).
    public static let finger = Self(rawValue: 3)
    /// On a hand (4).
    public static let hand = Self(rawValue: 4)
    /// On an ear (5).
    public static let ear = Self(rawValue: 5)
    /// On a foot (6).
    public static let foot = Self(rawValue: 6)

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.integer("value", &rawValue)
    }
}

/// A command to a heart rate sensor (2A39).
public struct HeartRateControlPoint: ListedValue, RawRepresentable, Hashable {
    /// The number on the wire.
    public var rawValue: UInt8 = 1
    /// Resets the energy.
    public init() {}
    /// Wraps a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Resets the energy that was expended (1).
    public static let resetEnergyExpended = Self(rawValue: 1)

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.integer("value", &rawValue)
    }
}
