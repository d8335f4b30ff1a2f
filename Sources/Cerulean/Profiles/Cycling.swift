// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Cycling Speed and Cadence Service (1816).
public enum CyclingSpeedCadence: ServiceProfile {
    /// 1816.
    public static let uuid: BluetoothUUID = 0x1816
    /// A measurement (2A5B).
    public static let measurement = CharacteristicProfile<CyclingSpeedCadenceMeasurement>(0x2A5B, .notify)
}

/// Cycling Power Service (1818).
public enum CyclingPower: ServiceProfile {
    /// 1818.
    public static let uuid: BluetoothUUID = 0x1818
    /// A measurement (2A63).
    public static let measurement = CharacteristicProfile<CyclingPowerMeasurement>(0x2A63, .notify)
}

/// Running Speed and Cadence Service (1814).
public enum RunningSpeedCadence: ServiceProfile {
    /// 1814.
    public static let uuid: BluetoothUUID = 0x1814
    /// A measurement (2A53).
    public static let measurement = CharacteristicProfile<RunningSpeedCadenceMeasurement>(0x2A53, .notify)
}

/// Revolutions of a wheel and when the last one ended.
public struct WheelRevolutions: Hashable, Sendable {
    /// Revolutions since a reset.
    public var count: UInt32
    /// In 1/1024 s (speed and cadence) or 1/2048 s (power).
    public var time: UInt16
    /// A count and a time.
    public init(count: UInt32, time: UInt16) {
        self.count = count
        self.time = time
    }
}

/// Revolutions of a crank and when the last one ended.
public struct CrankRevolutions: Hashable, Sendable {
    /// Revolutions.
    public var count: UInt16
    /// In 1/1024 s.
    public var time: UInt16
    /// A count and a time.
    public init(count: UInt16, time: UInt16) {
        self.count = count
        self.time = time
    }
}

/// What two measurements of a bicycle say about the time between them.
public struct CyclingRates: Hashable, Sendable {
    /// One of the rates.
    public enum Rate: Hashable, Sendable {
        /// One of the measurements lacks it.
        case missing
        /// The counter was reset.
        case reset
        /// The rate.
        case value(Double)

        var fieldValue: FieldValue? {
            switch self {
            case .missing: .none
            case .reset: .some(.null)
            case .value(let number): .some(.number(number))
            }
        }
    }

    /// Meters per second.
    public var speed: Rate
    /// Turns of the crank per minute.
    public var cadence: Rate

    /// The rates under the names `speed` and `crankCadence`; those that are missing are left out.
    public var fields: FieldValue {
        var members: [FieldValue.Member] = []
        if let value = speed.fieldValue { members.append(.init("speed", value)) }
        if let value = cadence.fieldValue { members.append(.init("crankCadence", value)) }
        return .object(members)
    }

    init(
        _ wheel: (WheelRevolutions?, WheelRevolutions?), unit: Double, circumference: Double,
        _ crank: (CrankRevolutions?, CrankRevolutions?)
    ) {
        if let before = wheel.0, let now = wheel.1 {
            // A counter that falls a little was reset; one that falls by almost its whole width went round.
            if now.count < before.count, before.count - now.count < 1 << 31 {
                speed = .reset
            } else {
                let time = Double(now.time &- before.time) / unit
                speed = .value(time == 0 ? 0 : Double(now.count &- before.count) * circumference / time)
            }
        } else {
            speed = .missing
        }
        if let before = crank.0, let now = crank.1 {
            let time = Double(now.time &- before.time) / 1024
            cadence = .value(time == 0 ? 0 : Double(now.count &- before.count) * 60 / time)
        } else {
            cadence = .missing
        }
    }
}

/// A measurement of speed and cadence (2A5B).
public struct CyclingSpeedCadenceMeasurement: ListedValue, Hashable {
    /// The wheel; times in 1/1024 s.
    public var wheel: WheelRevolutions?
    /// The crank.
    public var crank: CrankRevolutions?

    /// Neither.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.flags(1)
        try coder.wheel(&wheel, bit: 0)
        try coder.crank(&crank, bit: 1)
    }

    /// Speed and cadence since an earlier measurement. Counters and times go round.
    ///
    /// - Parameters:
    ///   - earlier: The measurement before.
    ///   - circumference: of the wheel in meters.
    public func rates(since earlier: Self, circumference: Double) -> CyclingRates {
        CyclingRates(
            (earlier.wheel, wheel), unit: 1024, circumference: circumference, (earlier.crank, crank))
    }
}

/// A measurement of power (2A63).
public struct CyclingPowerMeasurement: ListedValue, Hashable {
    /// Watts; negative when the rider is pushed.
    public var power: Int16 = 0
    /// Percent of the power.
    public var pedalPowerBalance: Double?
    /// The balance is that of the left pedal.
    public var isBalanceOfLeft = false
    /// Newton meters since the start.
    public var accumulatedTorque: Double?
    /// The torque was measured at the crank rather than the wheel.
    public var isTorqueAtCrank = false
    /// The wheel; times in 1/2048 s.
    public var wheel: WheelRevolutions?
    /// The crank.
    public var crank: CrankRevolutions?
    /// Greatest and smallest force in newtons.
    public var force: (max: Int16, min: Int16)?
    /// Greatest and smallest torque in newton meters.
    public var torque: (max: Double, min: Double)?
    /// Angles of the greatest and smallest force in degrees, 0 to 4095.
    public var angles: (max: UInt16, min: UInt16)?
    /// Degrees.
    public var topDeadSpot: UInt16?
    /// Degrees.
    public var bottomDeadSpot: UInt16?
    /// Kilojoules since the start.
    public var accumulatedEnergy: UInt16?
    /// The zero of the sensor must be set.
    public var needsOffsetCompensation = false

    /// No power.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.flags(2)
        try coder.integer("power", &power)
        try coder.scaled(
            "pedalPowerBalance", &pedalPowerBalance, bit: 0, octets: 1, signed: false, scale: .init(1, over: 2))
        coder.flag(1, &isBalanceOfLeft)
        coder.list("balanceReference", pedalPowerBalance == nil ? .null : isBalanceOfLeft ? "left" : "unknown")
        let torqueScale = ValueScale(1, over: 32)
        try coder.scaled("accumulatedTorque", &accumulatedTorque, bit: 2, octets: 2, signed: false, scale: torqueScale)
        coder.flag(3, &isTorqueAtCrank)
        coder.list("torqueSource", accumulatedTorque == nil ? .null : isTorqueAtCrank ? "crank" : "wheel")
        try coder.wheel(&wheel, bit: 4)
        try coder.crank(&crank, bit: 5)
        if coder.has(6, force != nil) {
            var value = force ?? (0, 0)
            try coder.integer("maxForce", &value.max)
            try coder.integer("minForce", &value.min)
            force = value
        } else {
            coder.absent("maxForce", "minForce")
        }
        if coder.has(7, torque != nil) {
            var value = torque ?? (0, 0)
            try coder.scaled("maxTorque", &value.max, octets: 2, signed: true, scale: torqueScale)
            try coder.scaled("minTorque", &value.min, octets: 2, signed: true, scale: torqueScale)
            torque = value
        } else {
            coder.absent("maxTorque", "minTorque")
        }
        if coder.has(8, angles != nil) {
            // Two numbers of 12 bits in three octets, the greatest in the low ones.
            let value = angles ?? (0, 0)
            guard value.max < 4096, value.min < 4096 else { throw WireError(offset: coder.position, reason: .tooLong) }
            var raw = UInt32(value.max) | UInt32(value.min) << 12
            try coder.integer("maxAngle", &raw, octets: 3)
            angles = (UInt16(raw & 0xFFF), UInt16(raw >> 12 & 0xFFF))
            coder.relist("maxAngle", FieldValue(integer: raw & 0xFFF))
            coder.list("minAngle", FieldValue(integer: raw >> 12 & 0xFFF))
        } else {
            coder.absent("maxAngle", "minAngle")
        }
        try coder.integer("topDeadSpot", &topDeadSpot, bit: 9)
        try coder.integer("bottomDeadSpot", &bottomDeadSpot, bit: 10)
        try coder.integer("accumulatedEnergy", &accumulatedEnergy, bit: 11)
        coder.flag(12, &needsOffsetCompensation, name: "offsetCompensation")
    }

    /// Speed and cadence since an earlier measurement. Counters and times go round.
    ///
    /// - Parameters:
    ///   - earlier: The measurement before.
    ///   - circumference: of the wheel in meters.
    public func rates(since earlier: Self, circumference: Double) -> CyclingRates {
        CyclingRates(
            (earlier.wheel, wheel), unit: 2048, circumference: circumference, (earlier.crank, crank))
    }

    /// Compares all fields.
    public static func == (a: Self, b: Self) -> Bool { (try? a.encoded()) == (try? b.encoded()) }

    /// Hashes the octets.
    public func hash(into hasher: inout Hasher) { hasher.combine(try? encoded()) }
}

/// A measurement of a runner (2A53).
public struct RunningSpeedCadenceMeasurement: ListedValue, Hashable {
    /// Meters per second, in steps of 1/256.
    public var speed = 0.0
    /// Steps per minute.
    public var cadence: UInt8 = 0
    /// Meters.
    public var strideLength: Double?
    /// Meters.
    public var totalDistance: Double?
    /// Running rather than walking.
    public var isRunning = false

    /// At rest.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.flags(1)
        try coder.scaled("speed", &speed, octets: 2, signed: false, scale: .init(1, over: 256))
        try coder.integer("cadence", &cadence)
        try coder.scaled("strideLength", &strideLength, bit: 0, octets: 2, signed: false, scale: .init(1, over: 100))
        try coder.scaled("totalDistance", &totalDistance, bit: 1, octets: 4, signed: false, scale: .init(1, over: 10))
        coder.flag(2, &isRunning, name: "isRunning")
    }
}

extension ValueCoder {
    fileprivate mutating func wheel(_ wheel: inout WheelRevolutions?, bit: Int) throws(WireError) {
        guard has(bit, wheel != nil) else { return absent("wheelRevolutions", "lastWheelEventTime") }
        var value = wheel ?? WheelRevolutions(count: 0, time: 0)
        try integer("wheelRevolutions", &value.count)
        try integer("lastWheelEventTime", &value.time)
        wheel = value
    }

    fileprivate mutating func crank(_ crank: inout CrankRevolutions?, bit: Int) throws(WireError) {
        guard has(bit, crank != nil) else { return absent("crankRevolutions", "lastCrankEventTime") }
        var value = crank ?? CrankRevolutions(count: 0, time: 0)
        try integer("crankRevolutions", &value.count)
        try integer("lastCrankEventTime", &value.time)
        crank = value
    }
}
