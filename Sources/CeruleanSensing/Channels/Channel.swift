// SPDX-License-Identifier: Apache-2.0

/// One quantity that a device measures, or one line that it reads back.
///
/// ```swift
/// let beat = Channel(name: "Heart rate", quantity: .heartRate, unit: "bpm", range: 0...255)
/// ```
public struct Channel: Hashable, Sendable {
    /// What a channel stands for in the device.
    public enum Role: Hashable, Sendable {
        /// A measured value.
        case value
        /// A digital line, read by the device: 0 or 1.
        case digitalInput
        /// A digital line, driven by the device and read back: 0 or 1.
        case digitalOutput
    }

    /// The name, unique in its source: the column of a file, `A1`.
    public var name: String
    /// What is measured.
    public var quantity: Quantity
    /// The unit of the raw values as UCUM or common text, `°C`, `mV`; empty for plain counts.
    public var unit: String
    /// Bits of a raw value; nil if values are not whole numbers.
    public var resolution: Int?
    /// The least and greatest raw value, where known.
    public var range: ClosedRange<Double>?
    /// Values per second that the device intends; nil if they come irregularly.
    public var rate: Double?
    /// How raw values become a physical quantity; nil if they are one, or if it is not known. Raw values are always kept.
    public var conversion: Conversion?
    /// What the channel stands for.
    public var role: Role
    /// The code of the sensor in the recording formats that have one, `ECGBITREV`; `RAW` where nothing is known.
    public var sensor: String?

    /// Describes a channel.
    public init(
        name: String, quantity: Quantity = .unspecified, unit: String = "", resolution: Int? = nil,
        range: ClosedRange<Double>? = nil, rate: Double? = nil, conversion: Conversion? = nil, role: Role = .value,
        sensor: String? = nil
    ) {
        self.name = name
        self.quantity = quantity
        self.unit = unit
        self.resolution = resolution
        self.range = range
        self.rate = rate
        self.conversion = conversion
        self.role = role
        self.sensor = sensor
    }
}

/// A kind of physical quantity. An open set: make your own with ``init(rawValue:)``.
public struct Quantity: RawRepresentable, Hashable, Sendable {
    /// The name in lower camel case.
    public let rawValue: String
    /// A quantity by name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not known.
    public static let unspecified = Self(rawValue: "unspecified")
    /// A line that is low or high.
    public static let logicLevel = Self(rawValue: "logicLevel")
    /// Electric potential, as of ECG, EMG, EEG or a battery.
    public static let voltage = Self(rawValue: "voltage")
    /// Electric conductance, as of the skin.
    public static let conductance = Self(rawValue: "conductance")
    /// Acceleration.
    public static let acceleration = Self(rawValue: "acceleration")
    /// Angular velocity.
    public static let angularVelocity = Self(rawValue: "angularVelocity")
    /// Magnetic flux density.
    public static let magneticField = Self(rawValue: "magneticField")
    /// Temperature.
    public static let temperature = Self(rawValue: "temperature")
    /// Relative humidity.
    public static let humidity = Self(rawValue: "humidity")
    /// Pressure.
    public static let pressure = Self(rawValue: "pressure")
    /// Illuminance or light intensity.
    public static let light = Self(rawValue: "light")
    /// Heart rate.
    public static let heartRate = Self(rawValue: "heartRate")
    /// A time between events.
    public static let interval = Self(rawValue: "interval")
    /// A part of a whole.
    public static let ratio = Self(rawValue: "ratio")
    /// Something counted.
    public static let count = Self(rawValue: "count")
}
