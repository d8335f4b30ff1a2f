// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension SensorTag {
    /// Three axes.
    public struct Axes: Hashable, Sendable {
        /// Along x.
        public var x: Double
        /// Along y.
        public var y: Double
        /// Along z.
        public var z: Double

        /// Three numbers.
        public init(x: Double, y: Double, z: Double) {
            self.x = x
            self.y = y
            self.z = z
        }

        /// The three numbers in order.
        public var values: [Double] { [x, y, z] }

        func scaled(by factor: Double) -> Axes { Axes(x: x * factor, y: y * factor, z: z * factor) }
    }

    /// Which way the axes point.
    public enum Orientation: String, CaseIterable, Hashable, Sendable {
        /// As the SensorTag sends them.
        case raw
        /// As BlueCap shows them: x and y of acceleration, magnetic field and angular velocity of a CC2541 with the
        /// opposite sign.
        case blueCap
    }

    /// What one value of a sensor says.
    public enum Reading: Hashable, Sendable {
        /// Temperatures in °C; the object's is nil where the sensor's formula has no value.
        case irTemperature(ambient: Double, object: Double?)
        /// In g.
        case accelerometer(Axes)
        /// In °C and percent, not held to 0 to 100.
        case humidity(temperature: Double, humidity: Double)
        /// In µT.
        case magnetometer(Axes)
        /// In °C and hPa.
        case barometer(temperature: Double, pressure: Double)
        /// In °/s.
        case gyroscope(Axes)
        /// In lux.
        case luxometer(Double)
        /// In °/s, g and µT.
        case movement(gyroscope: Axes, accelerometer: Axes, magnetometer: Axes)
        /// Which are pressed; the reed contact is nil on a CC2541.
        case keys(left: Bool, right: Bool, reed: Bool?)

        /// The reading under the names that `decode` uses.
        public var fields: FieldValue {
            func list(_ axes: Axes) -> FieldValue { .list(axes.values.map { .number($0) }) }
            func members(_ axes: Axes) -> FieldValue {
                ["x": .number(axes.x), "y": .number(axes.y), "z": .number(axes.z)]
            }
            switch self {
            case .irTemperature(let ambient, let object):
                return ["ambient": .number(ambient), "object": object.map { .number($0) } ?? .null]
            case .accelerometer(let axes), .magnetometer(let axes), .gyroscope(let axes): return members(axes)
            case .humidity(let temperature, let humidity):
                return ["temperature": .number(temperature), "humidity": .number(humidity)]
            case .barometer(let temperature, let pressure):
                return ["temperature": .number(temperature), "pressureHPa": .number(pressure)]
            case .luxometer(let lux): return ["lux": .number(lux)]
            case .movement(let gyroscope, let accelerometer, let magnetometer):
                return ["gyro": list(gyroscope), "accel": list(accelerometer), "mag": list(magnetometer)]
            case .keys(let left, let right, let reed):
                var members: [FieldValue.Member] = [
                    .init("keyLeft", .bool(left)), .init("keyRight", .bool(right)),
                ]
                if let reed { members.append(.init("reed", .bool(reed))) }
                return .object(members)
            }
        }

        /// The numbers in the order of the sensor's channels; not a number where there is no value.
        public var values: [Double] {
            switch self {
            case .irTemperature(let ambient, let object): [object ?? .nan, ambient]
            case .accelerometer(let axes), .magnetometer(let axes), .gyroscope(let axes): axes.values
            case .humidity(let temperature, let humidity): [temperature, humidity]
            case .barometer(let temperature, let pressure): [temperature, pressure]
            case .luxometer(let lux): [lux]
            case .movement(let gyroscope, let accelerometer, let magnetometer):
                gyroscope.values + accelerometer.values + magnetometer.values
            case .keys(let left, let right, let reed):
                [left ? 1 : 0, right ? 1 : 0] + (reed.map { [$0 ? 1 : 0] } ?? [])
            }
        }
    }

    /// What must be known to read values.
    public struct Decoding: Hashable, Sendable {
        /// Which SensorTag.
        public var model: Model
        /// The version of its firmware, `1.4`; it decides the scale of a CC2541's accelerometer.
        public var firmware: String?
        /// The calibration of a CC2541's pressure sensor, 16 octets.
        public var calibration: [UInt8]?
        /// The range of a CC2650's accelerometer: it is not in the data.
        public var range: AccelerationRange
        /// Which way the axes point.
        public var orientation: Orientation

        /// What is known.
        public init(
            model: Model, firmware: String? = nil, calibration: [UInt8]? = nil, range: AccelerationRange = .g2,
            orientation: Orientation = .raw
        ) {
            self.model = model
            self.firmware = firmware
            self.calibration = calibration
            self.range = range
            self.orientation = orientation
        }

        /// Counts in one g of a CC2541: 64 before firmware 1.5, then 16.
        var countsPerG: Double {
            let parts = (firmware ?? "").split(separator: " ").first?.split(separator: ".") ?? []
            guard parts.count >= 2, let major = Int(parts[0]), let minor = Int(parts[1].prefix { $0.isNumber }) else {
                return 16
            }
            return (major, minor) < (1, 5) ? 64 : 16
        }

        /// Reads a value of a sensor; octets behind the last field are ignored.
        ///
        /// - Throws: ``SensorTagError`` `.truncated`, `.missingCalibration`, or `.unsupported` if the model has no
        /// such sensor.
        public func decode(_ bytes: [UInt8], of sensor: Sensor) throws(SensorTagError) -> Reading {
            guard Sensor.all(of: model).contains(sensor) else {
                throw SensorTagError(.unsupported, "a \(model.rawValue) has no \(sensor.rawValue)")
            }
            let view = Octets(bytes)
            switch sensor {
            case .irTemperature: return try infrared(view)
            case .accelerometer:
                try view.require(3)
                let axes = Axes(x: view.signed8(0), y: view.signed8(1), z: view.signed8(2))
                return .accelerometer(turned(axes.scaled(by: 1 / countsPerG)))
            case .humidity: return try humidity(view)
            case .magnetometer:
                try view.require(6)
                return .magnetometer(turned(view.axes(0).scaled(by: 2000 / 65536)))
            case .barometer: return try model.isFirst ? calibrated(view) : barometer(view)
            case .gyroscope:
                try view.require(6)
                return .gyroscope(turned(view.axes(0).scaled(by: 500 / 65536)))
            case .luxometer:
                try view.require(2)
                return .luxometer(Self.float16(view.unsigned16(0)))
            case .movement:
                try view.require(18)
                return .movement(
                    gyroscope: view.axes(0).scaled(by: 500 / 65536),
                    accelerometer: view.axes(6).scaled(by: Double(range.rawValue) / 32768),
                    magnetometer: view.axes(12).scaled(by: 4912 / 32760))
            case .keys:
                try view.require(1)
                let bits = bytes[0]
                return .keys(left: bits & 1 != 0, right: bits & 2 != 0, reed: model.isFirst ? nil : bits & 4 != 0)
            }
        }

        // MARK: - Private

        private func turned(_ axes: Axes) -> Axes {
            orientation == .raw ? axes : Axes(x: -axes.x, y: -axes.y, z: axes.z)
        }

        private func infrared(_ view: Octets) throws(SensorTagError) -> Reading {
            try view.require(4)
            guard model.isFirst else {
                // The two low bits are no part of the number.
                return .irTemperature(
                    ambient: Double(view.integer16(2) >> 2) * 0.03125, object: Double(view.integer16(0) >> 2) * 0.03125)
            }
            let ambient = view.signed16(2) / 128
            // The formula of the TMP006's user guide.
            let voltage = view.signed16(0) * 1.5625e-7
            let die = ambient + 273.15
            let t = die - 298.15
            let sensitivity = 6.4e-14 * (1 + 1.75e-3 * t - 1.678e-5 * t * t)
            let offset = -2.94e-5 - 5.7e-7 * t + 4.63e-9 * t * t
            let corrected = voltage - offset + 13.4 * (voltage - offset) * (voltage - offset)
            let radicand = die * die * die * die + corrected / sensitivity
            return .irTemperature(ambient: ambient, object: radicand >= 0 ? sqrt(sqrt(radicand)) - 273.15 : nil)
        }

        private func humidity(_ view: Octets) throws(SensorTagError) -> Reading {
            try view.require(4)
            let temperature = Double(view.unsigned16(0)) / 65536
            // The two low bits of the humidity are a status.
            let humidity = Double(view.unsigned16(2) & ~3) / 65536
            return model.isFirst
                ? .humidity(temperature: -46.85 + 175.72 * temperature, humidity: -6 + 125 * humidity)
                : .humidity(temperature: -40 + 165 * temperature, humidity: 100 * humidity)
        }

        private func calibrated(_ view: Octets) throws(SensorTagError) -> Reading {
            try view.require(4)
            guard let calibration, calibration.count >= 16 else {
                throw SensorTagError(.missingCalibration, "the pressure needs the 16 octets of the calibration")
            }
            let constants = Octets(calibration)
            let c = (0..<4).map { Double(constants.unsigned16($0 * 2)) } + (4..<8).map { constants.signed16($0 * 2) }
            let t = view.signed16(0)
            let p = Double(view.unsigned16(2))
            let temperature = c[0] * t / 0x1p24 + c[1] / 0x1p10
            let slope = c[2] + c[3] * t / 0x1p17 + c[4] * t * t / 0x1p34
            let offset = c[5] * 0x1p14 + c[6] * t / 0x1p3 + c[7] * t * t / 0x1p19
            return .barometer(temperature: temperature, pressure: (slope * p + offset) / 0x1p14 / 100)
        }

        private func barometer(_ view: Octets) throws(SensorTagError) -> Reading {
            try view.require(4)
            guard view.count >= 6 else {
                // Firmware 0.89.
                guard view.count == 4 else {
                    throw SensorTagError(.truncated, "5 octets: 4 or 6 are needed", offset: 5)
                }
                return .barometer(
                    temperature: Self.float16(view.unsigned16(0)), pressure: Self.float16(view.unsigned16(2)))
            }
            return .barometer(
                temperature: Double(view.integer24(0)) / 100, pressure: Double(view.integer24(3) & 0xFF_FFFF) / 100)
        }

        /// Hundredths with four bits of exponent and twelve of mantissa.
        private static func float16(_ word: UInt16) -> Double {
            Double(Int(word & 0x0FFF) << Int(word >> 12)) / 100
        }
    }

    /// Little-endian numbers in octets, read after the length was checked.
    struct Octets {
        private let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var count: Int { bytes.count }

        func require(_ count: Int) throws(SensorTagError) {
            guard bytes.count >= count else {
                throw SensorTagError(
                    .truncated, "\(bytes.count) octets: \(count) are needed", offset: bytes.count)
            }
        }

        func unsigned16(_ offset: Int) -> UInt16 { UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8 }
        func integer16(_ offset: Int) -> Int16 { Int16(bitPattern: unsigned16(offset)) }
        func signed16(_ offset: Int) -> Double { Double(integer16(offset)) }
        func signed8(_ offset: Int) -> Double { Double(Int8(bitPattern: bytes[offset])) }
        func axes(_ offset: Int) -> Axes {
            Axes(x: signed16(offset), y: signed16(offset + 2), z: signed16(offset + 4))
        }
        /// Signed, 24 bits.
        func integer24(_ offset: Int) -> Int {
            let value = Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2]) << 16
            return value >= 1 << 23 ? value - (1 << 24) : value
        }
    }
}
