// SPDX-License-Identifier: Apache-2.0

public import CeruleanSensing
public import CeruleanWire

extension SensorTag {
    /// A sensor and its characteristics.
    public enum Sensor: String, CaseIterable, Hashable, Sendable {
        /// Temperature of an object in front, and of the sensor itself.
        case irTemperature
        /// Acceleration (CC2541).
        case accelerometer
        /// Relative humidity and temperature.
        case humidity
        /// Magnetic field (CC2541).
        case magnetometer
        /// Pressure and temperature.
        case barometer
        /// Angular velocity (CC2541).
        case gyroscope
        /// Illuminance (CC2650).
        case luxometer
        /// Angular velocity, acceleration and magnetic field together (CC2650).
        case movement
        /// The keys, and the reed contact of the CC2650.
        case keys

        /// The sensors of a model.
        public static func all(of model: Model) -> [Sensor] {
            model.isFirst
                ? [.accelerometer, .gyroscope, .magnetometer, .irTemperature, .humidity, .barometer, .keys]
                : [.movement, .irTemperature, .humidity, .barometer, .luxometer, .keys]
        }

        private var number: UInt16 {
            switch self {
            case .irTemperature: 0xAA00
            case .accelerometer: 0xAA10
            case .humidity: 0xAA20
            case .magnetometer: 0xAA30
            case .barometer: 0xAA40
            case .gyroscope: 0xAA50
            case .luxometer: 0xAA70
            case .movement: 0xAA80
            case .keys: 0xFFE0
            }
        }

        /// The service.
        public var service: BluetoothUUID { self == .keys ? keysService : uuid(number) }
        /// What the sensor measured.
        public var data: BluetoothUUID { self == .keys ? keysData : uuid(number + 1) }
        /// Switches the sensor; nil for the keys.
        public var configuration: BluetoothUUID? { self == .keys ? nil : uuid(number + 2) }
        /// How often it measures; nil for the keys.
        public var period: BluetoothUUID? {
            switch self {
            case .keys: nil
            case .barometer: uuid(0xAA44)
            default: uuid(number + 3)
            }
        }
        /// The calibration of the pressure sensor (CC2541).
        public static let calibration = uuid(0xAA43)

        /// The sensor whose data a characteristic holds.
        public init?(data: BluetoothUUID) {
            guard let known = Self.allCases.first(where: { $0.data == data }) else { return nil }
            self = known
        }

        /// The shortest period that the firmware takes.
        public var minimumPeriod: Duration { self == .irTemperature ? .milliseconds(300) : .milliseconds(100) }

        /// The octet of a period: tens of milliseconds, held within what the firmware takes.
        public func encodedPeriod(_ period: Duration) -> UInt8 {
            let tens = (max(period, minimumPeriod).wholeNanoseconds + 5_000_000) / 10_000_000
            return UInt8(min(tens, 255))
        }

        /// The channels of its readings, in SI units or those that are usual for the quantity.
        public func channels(of model: Model, range: AccelerationRange) -> [Channel] {
            func axes(_ name: String, _ quantity: Quantity, _ unit: String, _ limit: Double) -> [Channel] {
                ["x", "y", "z"].map {
                    Channel(name: "\(name).\($0)", quantity: quantity, unit: unit, range: -limit...limit)
                }
            }
            switch self {
            case .irTemperature:
                return [
                    Channel(name: "objectTemperature", quantity: .temperature, unit: "°C", range: -100...300),
                    Channel(name: "ambientTemperature", quantity: .temperature, unit: "°C", range: -50...150),
                ]
            case .accelerometer: return axes("acceleration", .acceleration, "g", 8)
            case .humidity:
                return [
                    Channel(name: "humidityTemperature", quantity: .temperature, unit: "°C", range: -50...150),
                    Channel(name: "humidity", quantity: .humidity, unit: "%", range: -10...120),
                ]
            case .magnetometer: return axes("magneticField", .magneticField, "µT", 1000)
            case .barometer:
                return [
                    Channel(name: "barometerTemperature", quantity: .temperature, unit: "°C", range: -50...150),
                    Channel(name: "pressure", quantity: .pressure, unit: "hPa", range: 0...2000),
                ]
            case .gyroscope: return axes("angularVelocity", .angularVelocity, "°/s", 250)
            case .luxometer: return [Channel(name: "light", quantity: .light, unit: "lx", range: 0...100_000)]
            case .movement:
                return axes("angularVelocity", .angularVelocity, "°/s", 250)
                    + axes("acceleration", .acceleration, "g", Double(range.rawValue))
                    + axes("magneticField", .magneticField, "µT", 5000)
            case .keys:
                let names = model.isFirst ? ["keyLeft", "keyRight"] : ["keyLeft", "keyRight", "reed"]
                return names.map {
                    Channel(name: $0, quantity: .logicLevel, resolution: 1, range: 0...1, role: .digitalInput)
                }
            }
        }
    }

    /// The full scale of a CC2650's accelerometer in g.
    public enum AccelerationRange: Int, CaseIterable, Hashable, Sendable {
        /// ±2 g.
        case g2 = 2
        /// ±4 g.
        case g4 = 4
        /// ±8 g.
        case g8 = 8
        /// ±16 g.
        case g16 = 16

        /// Bits 8 and 9 of the movement sensor's configuration.
        var bits: UInt16 {
            switch self {
            case .g2: 0
            case .g4: 1
            case .g8: 2
            case .g16: 3
            }
        }

        /// The range in a configuration as read from AA82.
        public init(configuration: UInt16) {
            self = [.g2, .g4, .g8, .g16][Int(configuration >> 8 & 3)]
        }
    }

    /// What is written to a sensor's configuration.
    public enum Configuration: Hashable, Sendable {
        /// Off.
        case off
        /// On, with all axes; the movement sensor at ±2 g.
        case on
        /// A CC2541's gyroscope, some axes.
        case axes(x: Bool, y: Bool, z: Bool)
        /// A CC2541's barometer puts its calibration out to be read.
        case calibrate
        /// A CC2650's movement sensor.
        case movement(gyroscope: Bool, accelerometer: Bool, magnetometer: Bool, wakeOnMotion: Bool, AccelerationRange)

        /// The octets for a sensor.
        ///
        /// - Throws: ``SensorTagError`` `.unsupported` if the sensor has no such setting.
        public func encoded(for sensor: Sensor) throws(SensorTagError) -> [UInt8] {
            switch (self, sensor) {
            case (_, .keys): throw SensorTagError(.unsupported, "keys cannot be configured")
            case (.off, .movement): return [0, 0]
            case (.off, _): return [0]
            case (.on, .movement): return [0x7F, 0]
            case (.on, .gyroscope): return [7]
            case (.on, _): return [1]
            case (.axes(let x, let y, let z), .gyroscope): return [(x ? 1 : 0) | (y ? 2 : 0) | (z ? 4 : 0)]
            case (.calibrate, .barometer): return [2]
            case (.movement(let gyroscope, let accelerometer, let magnetometer, let wake, let range), .movement):
                let bits: UInt16 =
                    (gyroscope ? 0x07 : 0) | (accelerometer ? 0x38 : 0) | (magnetometer ? 0x40 : 0)
                    | (wake ? 0x80 : 0) | range.bits << 8
                return [UInt8(truncatingIfNeeded: bits), UInt8(bits >> 8)]
            default: throw SensorTagError(.unsupported, "\(sensor.rawValue) has no such setting")
            }
        }
    }

    /// Who drives LEDs and buzzer.
    public enum IOMode: UInt8, CaseIterable, Hashable, Sendable {
        /// The SensorTag itself; writes are ignored.
        case local = 0
        /// We do.
        case remote = 1
        /// They show the result of the self-test.
        case selfTest = 2
    }

    /// LEDs and buzzer.
    public struct Outputs: OptionSet, Hashable, Sendable {
        /// The bits on the air.
        public let rawValue: UInt8
        /// Outputs by their bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The red LED.
        public static let red = Self(rawValue: 1)
        /// The green LED.
        public static let green = Self(rawValue: 2)
        /// The buzzer.
        public static let buzzer = Self(rawValue: 4)
    }

    /// A request for connection parameters in four words, held within what the words can carry.
    public static func connectionRequest(
        minimumInterval: Duration, maximumInterval: Duration, latency: Int, timeout: Duration
    ) -> [UInt8] {
        func units(_ duration: Duration, _ unit: Int64) -> Int64 { duration.wholeNanoseconds / unit }
        let words = [
            units(minimumInterval, 1_250_000), units(maximumInterval, 1_250_000), Int64(latency),
            units(timeout, 10_000_000),
        ]
        return words.flatMap { word -> [UInt8] in
            let word = UInt16(min(max(word, 0), 65535))
            return [UInt8(truncatingIfNeeded: word), UInt8(word >> 8)]
        }
    }
}
