// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// The octet in which Estimote tells how long something lasts: six bits of a number, two of a unit.
private func duration(_ octet: UInt8) -> Duration {
    let number = Int64(octet & 0x3F)
    switch octet >> 6 {
    case 0: return .seconds(number)
    case 1: return .seconds(60 * number)
    case 2: return .seconds(3600 * number)
    default:
        // From 32 on weeks, as all who decode it do; the published comments contradict each other.
        return .seconds(number < 32 ? 86_400 * number : 604_800 * (number - 32))
    }
}

/// Twelve bits as a signed number of 1/16 °C.
private func temperature(_ bits: UInt16) -> Double { Double(Int16(bitPattern: bits << 4) >> 4) / 16 }

/// An Estimote sticker: manufacturer data of company 015D.
public struct EstimoteNearable: BeaconFrame {
    /// 8 octets.
    public var identifier: [UInt8]
    /// The model.
    public var hardware: UInt8
    /// The version of the firmware.
    public var firmware: UInt8
    /// In degrees Celsius.
    public var temperature: Double
    /// Whether it is being moved.
    public var isMoving: Bool
    /// Whether the battery was measured under load.
    public var isVoltageUnderLoad: Bool
    /// The battery in V.
    public var voltage: Double
    /// Acceleration along three axes in thousandths of the earth's.
    public var acceleration: [Double]
    /// How long it has been moving or at rest.
    public var currentState: Duration
    /// How long the state before lasted.
    public var previousState: Duration

    /// Reads manufacturer data of at least 19 octets behind the company. Nil when it is no such frame.
    public init?(company: UInt16, data: [UInt8]) {
        guard company == 0x015D, data.count >= 19, data[0] == 0x01 else { return nil }
        identifier = Array(data[1..<9])
        hardware = data[9]
        firmware = data[10]
        temperature = Cerulean.temperature(UInt16(data[11]) | UInt16(data[12] & 0x0F) << 8)
        voltage = 3.6 * Double(UInt16(data[12] >> 4) | UInt16(data[13] & 0x3F) << 4) / 1023
        isMoving = data[13] & 0x40 != 0
        isVoltageUnderLoad = data[13] & 0x80 != 0
        acceleration = data[14..<17].map { Double(Int8(bitPattern: $0)) * 15.625 }
        currentState = duration(data[17])
        previousState = duration(data[18])
    }

    /// `estimote-nearable`.
    public var kind: String { "estimote-nearable" }

    /// `identifier`, `hardware`, `firmware`, `temperature_c`, `moving`, `voltage_kind` (`idle`, `stress`), `voltage_v`,
    /// `accel_mg`, `current_state_s`, `previous_state_s`.
    public var members: [FieldValue.Member] {
        [
            .init("identifier", .bytes(identifier)), .init("hardware", FieldValue(integer: hardware)),
            .init("firmware", FieldValue(integer: firmware)), .init("temperature_c", .number(temperature)),
            .init("moving", .bool(isMoving)), .init("voltage_kind", isVoltageUnderLoad ? "stress" : "idle"),
            .init("voltage_v", .number(voltage)), .init("accel_mg", .list(acceleration.map { .number($0) })),
            .init("current_state_s", FieldValue(integer: currentState.components.seconds)),
            .init("previous_state_s", FieldValue(integer: previousState.components.seconds)),
        ]
    }
}

/// The first half of an Estimote beacon's telemetry: motion, pins, pressure. Service data of FE9A.
public struct EstimoteTelemetryA: BeaconFrame {
    /// The service of both halves.
    public static let service: BluetoothUUID = 0xFE9A

    /// The first 8 octets of the identifier.
    public var identifier: [UInt8]
    /// Version of the protocol, 0 to 2.
    public var version: UInt8
    /// Acceleration along three axes in units of the earth's.
    public var acceleration: [Double]
    /// How long the state before lasted.
    public var previousState: Duration
    /// How long it has been moving or at rest.
    public var currentState: Duration
    /// Whether it is being moved.
    public var isMoving: Bool
    /// The levels of four pins.
    public var pins: [Bool]
    /// Whether the firmware found a fault; nil in version 0.
    public var hasFirmwareError: Bool?
    /// Whether the clock is not set; nil in version 0.
    public var hasClockError: Bool?
    /// In Pa; nil before version 2 and when there is no sensor.
    public var pressure: Double?

    /// Reads service data of at least 20 octets. Nil for other frames.
    public init?(serviceData data: [UInt8]) {
        guard isTelemetry(data), data[9] & 0x03 == 0 else { return nil }
        version = data[0] >> 4
        identifier = Array(data[1..<9])
        acceleration = data[10..<13].map { Double(Int8(bitPattern: $0)) * 2 / 127 }
        previousState = duration(data[13])
        currentState = duration(data[14])
        isMoving = data[15] & 0x03 == 1
        pins = (4..<8).map { data[15] >> $0 & 1 == 1 }
        switch version {
        case 1:
            hasFirmwareError = data[16] & 1 != 0
            hasClockError = data[16] & 2 != 0
        case 2:
            hasFirmwareError = data[15] & 4 != 0
            hasClockError = data[15] & 8 != 0
            let raw = (16..<20).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(data[$1]) }
            pressure = raw == .max ? nil : Double(raw) / 256
        default: break
        }
    }

    /// `estimote-telemetry-a`.
    public var kind: String { "estimote-telemetry-a" }

    /// `identifier`, `protocol`, `accel_g`, `previous_state_s`, `current_state_s`, `moving`, `gpio`, `firmware_error`,
    /// `clock_error`, `pressure_pa`.
    public var members: [FieldValue.Member] {
        [
            .init("identifier", .bytes(identifier)), .init("protocol", FieldValue(integer: version)),
            .init("accel_g", .list(acceleration.map { .number($0) })),
            .init("previous_state_s", FieldValue(integer: previousState.components.seconds)),
            .init("current_state_s", FieldValue(integer: currentState.components.seconds)),
            .init("moving", .bool(isMoving)), .init("gpio", .list(pins.map { .bool($0) })),
            .init("firmware_error", FieldValue(optional: hasFirmwareError)),
            .init("clock_error", FieldValue(optional: hasClockError)),
            .init("pressure_pa", FieldValue(optional: pressure)),
        ]
    }
}

/// The second half of an Estimote beacon's telemetry: magnetic field, light, temperature, battery. Service data of FE9A.
public struct EstimoteTelemetryB: BeaconFrame {
    /// The first 8 octets of the identifier.
    public var identifier: [UInt8]
    /// Version of the protocol, 0 to 2.
    public var version: UInt8
    /// The magnetic field along three axes, -1 to 1 of the sensor's range; nil when unknown.
    public var magneticField: [Double]?
    /// In lx; nil when unknown.
    public var light: Double?
    /// The time since the beacon started, in the unit that the beacon chose.
    public var uptime: Duration
    /// In degrees Celsius.
    public var temperature: Double
    /// The battery in mV; nil when unknown.
    public var battery: UInt16?
    /// The battery in percent; nil when unknown and in version 0.
    public var batteryLevel: UInt8?
    /// Whether the firmware found a fault; nil from version 1 on.
    public var hasFirmwareError: Bool?
    /// Whether the clock is not set; nil from version 1 on.
    public var hasClockError: Bool?

    /// Reads service data of at least 20 octets. Nil for other frames.
    public init?(serviceData data: [UInt8]) {
        guard isTelemetry(data), data[9] & 0x03 == 1 else { return nil }
        version = data[0] >> 4
        identifier = Array(data[1..<9])
        let field = data[10..<13]
        magneticField = field.allSatisfy { $0 == 0xFF } ? nil : field.map { Double(Int8(bitPattern: $0)) / 128 }
        light = data[13] == 0xFF ? nil : Double(1 << Int(data[13] >> 4)) * Double(data[13] & 0x0F) * 0.72
        let units: [Int64] = [1, 60, 3600, 86_400]
        let number = Int64(data[14]) | Int64(data[15] & 0x0F) << 8
        uptime = .seconds(number * units[Int(data[15] >> 4 & 0x03)])
        temperature = Cerulean.temperature(
            UInt16(data[15] >> 6) | UInt16(data[16]) << 2 | UInt16(data[17] & 0x03) << 10)
        let millivolts = UInt16(data[17] >> 2) | UInt16(data[18]) << 6
        battery = millivolts == 0x3FFF ? nil : millivolts
        if version == 0 {
            hasFirmwareError = data[19] & 1 != 0
            hasClockError = data[19] & 2 != 0
        } else {
            batteryLevel = data[19] == 0xFF ? nil : data[19]
        }
    }

    /// `estimote-telemetry-b`.
    public var kind: String { "estimote-telemetry-b" }

    /// `identifier`, `protocol`, `magnetic`, `light_lux`, `uptime_s`, `temperature_c`, `battery_mv`, `battery_pct`,
    /// `firmware_error`, `clock_error`.
    public var members: [FieldValue.Member] {
        [
            .init("identifier", .bytes(identifier)), .init("protocol", FieldValue(integer: version)),
            .init("magnetic", magneticField.map { .list($0.map { .number($0) }) } ?? .null),
            .init("light_lux", FieldValue(optional: light)),
            .init("uptime_s", FieldValue(integer: uptime.components.seconds)),
            .init("temperature_c", .number(temperature)), .init("battery_mv", FieldValue(optional: battery)),
            .init("battery_pct", FieldValue(optional: batteryLevel)),
            .init("firmware_error", FieldValue(optional: hasFirmwareError)),
            .init("clock_error", FieldValue(optional: hasClockError)),
        ]
    }
}

/// Telemetry of a version that is known.
private func isTelemetry(_ data: [UInt8]) -> Bool { data.count >= 20 && data[0] & 0x0F == 2 && data[0] >> 4 <= 2 }
