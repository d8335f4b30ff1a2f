// SPDX-License-Identifier: Apache-2.0

public import Cerulean
public import CeruleanWire
import Synchronization

/// A characteristic of a standard profile that measures, as channels in SI units or those that are usual.
///
/// ```swift
/// let measurement = StandardMeasurement.of(0x2A37)   // heart rate, energy, times between beats
/// ```
public struct StandardMeasurement: Sendable {
    /// The characteristic.
    public let characteristic: BluetoothUUID
    /// The channels that its values fill.
    public let channels: [Channel]
    /// The channel that numbers records which the device keeps and is to be asked for; nil where it sends by itself alone.
    let recordNumber: Int?
    private let makeDecoder: @Sendable () -> @Sendable ([UInt8]) -> [Double]?

    /// How octets become values, one source each: rates need the value before.
    public func decoder() -> @Sendable ([UInt8]) -> [Double]? { makeDecoder() }

    init(
        _ characteristic: BluetoothUUID, _ channels: [Channel], recordNumber: Int? = nil,
        _ makeDecoder: @escaping @Sendable () -> @Sendable ([UInt8]) -> [Double]?
    ) {
        self.characteristic = characteristic
        self.channels = channels
        self.recordNumber = recordNumber
        self.makeDecoder = makeDecoder
    }

    /// The measurement in a characteristic; nil if it is none that is known.
    ///
    /// - Parameters:
    ///   - uuid: Its type.
    ///   - wheel: The circumference of the wheel in meters, for the speed of bicycles.
    public static func of(_ uuid: BluetoothUUID, wheel: Double = 2.105) -> StandardMeasurement? {
        switch uuid {
        case 0x2A37: return heartRate
        case 0x2A1C, 0x2A1E: return temperature(uuid)
        case 0x2A35, 0x2A36: return bloodPressure(uuid)
        case 0x2A5B: return cycling(wheel)
        case 0x2A63: return cyclingPower(wheel)
        case 0x2A9D: return weight
        case 0x2A18: return glucose
        case 0x2AA7: return glucoseMonitoring
        default: return named(uuid) ?? scalar(uuid)
        }
    }

    /// A characteristic of any type whose presentation format (descriptor 2904) says what its number means; nil if it
    /// does not.
    public static func presented(
        _ uuid: BluetoothUUID, as format: PresentationFormat, named name: String? = nil
    ) -> StandardMeasurement? {
        guard (0x01...0x0A).contains(format.format) || (0x0C...0x12).contains(format.format) else { return nil }
        let unit = AssignedNumbers.unit(BluetoothUUID(format.unit))
        let known = AssignedNumbers.characteristic(uuid)?.name
        let channel = Channel(
            name: name ?? known ?? uuid.description, quantity: Quantity(unitOf: unit?.quantity ?? ""),
            unit: unit?.symbol ?? "")
        return StandardMeasurement(uuid, [channel]) {
            { bytes in
                switch format.value(of: bytes) {
                case .integer(let number)?: [Double(number)]
                case .number(let number)?: [number]
                case .bool(let flag)?: [flag ? 1 : 0]
                default: nil
                }
            }
        }
    }

    // MARK: - Private

    private static var heartRate: StandardMeasurement {
        let channels =
            [
                Channel(name: "heartRate", quantity: .heartRate, unit: "1/min", range: 0...300),
                Channel(name: "energyExpended", quantity: .count, unit: "kJ", range: 0...65535),
            ]
            + (1...4).map { Channel(name: "rr\($0)", quantity: .interval, unit: "s", range: 0...64) }
        return StandardMeasurement(0x2A37, channels) {
            { bytes in
                guard let value = try? HeartRateMeasurement(decoding: bytes) else { return nil }
                let intervals = (0..<4).map { index in
                    index < value.rrIntervals.count ? Double(value.rrIntervals[index]) / 1024 : .nan
                }
                return [Double(value.heartRate), value.energyExpended.map(Double.init) ?? .nan] + intervals
            }
        }
    }

    private static func temperature(_ uuid: BluetoothUUID) -> StandardMeasurement {
        let channel = Channel(name: "temperature", quantity: .temperature, unit: "°C", range: -50...150)
        return StandardMeasurement(uuid, [channel]) {
            { bytes in
                guard let value = try? TemperatureMeasurement(decoding: bytes) else { return nil }
                let number = value.temperature.value ?? .nan
                return [value.isFahrenheit ? (number - 32) / 1.8 : number]
            }
        }
    }

    private static func bloodPressure(_ uuid: BluetoothUUID) -> StandardMeasurement {
        let channels =
            ["systolic", "diastolic", "meanArterialPressure"].map {
                Channel(name: $0, quantity: .pressure, unit: "mmHg", range: 0...400)
            } + [Channel(name: "pulseRate", quantity: .heartRate, unit: "1/min", range: 0...300)]
        return StandardMeasurement(uuid, channels) {
            { bytes in
                guard let value = try? BloodPressureMeasurement(decoding: bytes) else { return nil }
                let scale = value.isKilopascal ? 7.500_615_758 : 1
                return [value.systolic, value.diastolic, value.mean].map { ($0.value ?? .nan) * scale }
                    + [value.pulseRate?.value ?? .nan]
            }
        }
    }

    private static let cyclingChannels = [
        Channel(name: "wheelRevolutions", quantity: .count), Channel(name: "crankRevolutions", quantity: .count),
        Channel(name: "speed", unit: "m/s", range: 0...50), Channel(name: "cadence", unit: "1/min", range: 0...300),
    ]

    private static func number(_ rate: CyclingRates.Rate) -> Double {
        if case .value(let number) = rate { number } else { .nan }
    }

    private static func cycling(_ wheel: Double) -> StandardMeasurement {
        StandardMeasurement(0x2A5B, cyclingChannels) {
            let before = Last<CyclingSpeedCadenceMeasurement>()
            return { bytes in
                guard let value = try? CyclingSpeedCadenceMeasurement(decoding: bytes) else { return nil }
                let rates = before.exchange(value).map { value.rates(since: $0, circumference: wheel) }
                return [
                    value.wheel.map { Double($0.count) } ?? .nan, value.crank.map { Double($0.count) } ?? .nan,
                    rates.map { number($0.speed) } ?? .nan, rates.map { number($0.cadence) } ?? .nan,
                ]
            }
        }
    }

    private static func cyclingPower(_ wheel: Double) -> StandardMeasurement {
        let power = Channel(name: "power", unit: "W", range: -1000...3000)
        return StandardMeasurement(0x2A63, [power] + cyclingChannels) {
            let before = Last<CyclingPowerMeasurement>()
            return { bytes in
                guard let value = try? CyclingPowerMeasurement(decoding: bytes) else { return nil }
                let rates = before.exchange(value).map { value.rates(since: $0, circumference: wheel) }
                return [
                    Double(value.power), value.wheel.map { Double($0.count) } ?? .nan,
                    value.crank.map { Double($0.count) } ?? .nan, rates.map { number($0.speed) } ?? .nan,
                    rates.map { number($0.cadence) } ?? .nan,
                ]
            }
        }
    }

    private static var weight: StandardMeasurement {
        let channels = [Channel(name: "weight", unit: "kg", range: 0...400), Channel(name: "bmi", range: 0...100)]
        return StandardMeasurement(0x2A9D, channels) {
            { bytes in
                guard let value = try? WeightMeasurement(decoding: bytes) else { return nil }
                let scale = value.isImperial ? 0.453_592_37 : 1
                return [value.weight.map { $0 * scale } ?? .nan, value.height == nil ? .nan : value.bmi]
            }
        }
    }

    /// Measurements whose fields need no more than their names.
    private static func named(_ uuid: BluetoothUUID) -> StandardMeasurement? {
        let fields: [(String, Quantity, String)]
        switch uuid {
        case 0x2A53:
            fields = [
                ("speed", .unspecified, "m/s"), ("cadence", .unspecified, "1/min"), ("strideLength", .unspecified, "m"),
                ("totalDistance", .unspecified, "m"),
            ]
        case 0x2A5E, 0x2A5F: fields = [("spO2", .ratio, "%"), ("pulseRate", .heartRate, "1/min")]
        case 0x2A67:
            fields = [
                ("latitude", .unspecified, "°"), ("longitude", .unspecified, "°"), ("elevation", .unspecified, "m"),
                ("speed", .unspecified, "m/s"), ("heading", .unspecified, "°"),
            ]
        case 0x2ACD:
            fields = [
                ("instantaneousSpeed", .unspecified, "km/h"), ("inclination", .unspecified, "%"),
                ("totalDistance", .unspecified, "m"), ("heartRate", .heartRate, "1/min"),
            ]
        case 0x2AD1:
            fields = [
                ("strokeRate", .unspecified, "1/min"), ("strokeCount", .count, ""),
                ("instantaneousPower", .unspecified, "W"), ("heartRate", .heartRate, "1/min"),
            ]
        case 0x2AD2:
            fields = [
                ("instantaneousSpeed", .unspecified, "km/h"), ("instantaneousCadence", .unspecified, "1/min"),
                ("instantaneousPower", .unspecified, "W"), ("heartRate", .heartRate, "1/min"),
            ]
        default: return nil
        }
        let channels = fields.map { Channel(name: $0.0, quantity: $0.1, unit: $0.2) }
        return StandardMeasurement(uuid, channels) {
            { bytes in
                guard let value = KnownCharacteristics.decode(uuid: uuid, bytes: bytes) else { return nil }
                return channels.map { channel in
                    switch value[channel.name] {
                    case .integer(let number)?: Double(number)
                    case .number(let number)?: number
                    default: .nan
                    }
                }
            }
        }
    }

    /// Characteristics that are one number.
    private static func scalar(_ uuid: BluetoothUUID) -> StandardMeasurement? {
        guard let format = ScalarFormat.of(uuid), let name = AssignedNumbers.characteristic(uuid)?.name else {
            return nil
        }
        let channel = Channel(name: name, quantity: Quantity(unitSymbol: format.unit), unit: format.unit)
        return StandardMeasurement(uuid, [channel]) {
            { bytes in
                switch KnownCharacteristics.decode(uuid: uuid, bytes: bytes)?["value"] {
                case .integer(let number)?: [Double(number)]
                case .number(let number)?: [number]
                case .null?: [.nan]
                default: nil
                }
            }
        }
    }

    /// The value before.
    private final class Last<Value: Sendable>: Sendable {
        private let value = Mutex<Value?>(nil)

        func exchange(_ new: Value) -> Value? {
            value.withLock { value in
                defer { value = new }
                return value
            }
        }
    }
}

extension Quantity {
    /// The quantity of a unit by its symbol.
    init(unitSymbol symbol: String) {
        switch symbol {
        case "°C", "degC", "K": self = .temperature
        case "Pa", "hPa", "mmHg": self = .pressure
        case "lx": self = .light
        case "V", "mV": self = .voltage
        default: self = .unspecified
        }
    }

    /// The quantity by the words of the assigned numbers.
    init(unitOf words: String) {
        let words = words.lowercased()
        if words.contains("temperature") {
            self = .temperature
        } else if words.contains("pressure") {
            self = .pressure
        } else if words.contains("electric potential") {
            self = .voltage
        } else if words.contains("acceleration") {
            self = .acceleration
        } else if words.contains("percentage") {
            self = .ratio
        } else {
            self = .unspecified
        }
    }
}
