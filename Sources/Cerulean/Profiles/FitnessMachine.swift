// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Fitness Machine Service (1826).
public enum FitnessMachine: ServiceProfile {
    /// 1826.
    public static let uuid: BluetoothUUID = 0x1826
    /// A bicycle (2AD2).
    public static let indoorBike = CharacteristicProfile<IndoorBikeData>(0x2AD2, .notify)
    /// A treadmill (2ACD).
    public static let treadmill = CharacteristicProfile<TreadmillData>(0x2ACD, .notify)
    /// A rower (2AD1).
    public static let rower = CharacteristicProfile<RowerData>(0x2AD1, .notify)
}

/// Energy that was spent on a machine; nil where the machine does not know.
public struct ExpendedEnergy: Hashable, Sendable {
    /// Kilocalories since the start.
    public var total: UInt16?
    /// Kilocalories per hour.
    public var perHour: UInt16?
    /// Kilocalories per minute.
    public var perMinute: UInt8?
    /// Not known.
    public init(total: UInt16? = nil, perHour: UInt16? = nil, perMinute: UInt8? = nil) {
        self.total = total
        self.perHour = perHour
        self.perMinute = perMinute
    }
}

/// What a bicycle says (2AD2).
public struct IndoorBikeData: ListedValue, Hashable {
    /// Kilometers per hour; nil when more data follows in another value.
    public var instantaneousSpeed: Double?
    /// Kilometers per hour.
    public var averageSpeed: Double?
    /// Turns per minute.
    public var instantaneousCadence: Double?
    /// Turns per minute.
    public var averageCadence: Double?
    /// Meters.
    public var totalDistance: UInt32?
    /// As sent: versions of the service differ in size and step.
    public var resistanceLevel: Int16?
    /// Watts.
    public var instantaneousPower: Int16?
    /// Watts.
    public var averagePower: Int16?
    /// Energy since the start.
    public var energy: ExpendedEnergy?
    /// Beats per minute.
    public var heartRate: UInt8?
    /// Metabolic equivalent.
    public var metabolicEquivalent: Double?
    /// Seconds.
    public var elapsedTime: UInt16?
    /// Seconds.
    public var remainingTime: UInt16?

    /// Nothing.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.flags(2)
        let moreData = coder.hasNot(0, instantaneousSpeed == nil)
        try coder.present("instantaneousSpeed", &instantaneousSpeed, !moreData, octets: 2, over: 100)
        try coder.scaled("averageSpeed", &averageSpeed, bit: 1, octets: 2, signed: false, scale: .init(1, over: 100))
        try coder.scaled(
            "instantaneousCadence", &instantaneousCadence, bit: 2, octets: 2, signed: false, scale: .init(1, over: 2))
        try coder.scaled("averageCadence", &averageCadence, bit: 3, octets: 2, signed: false, scale: .init(1, over: 2))
        try coder.integer("totalDistance", &totalDistance, bit: 4, octets: 3)
        let behind = [6: 2, 7: 2, 8: 5, 9: 1, 10: 1, 11: 2, 12: 2]
        try coder.disputed("resistanceLevel", &resistanceLevel, bit: 5, behind: behind)
        try coder.integer("instantaneousPower", &instantaneousPower, bit: 6)
        try coder.integer("averagePower", &averagePower, bit: 7)
        try coder.energy(&energy, bit: 8)
        try coder.effort(&heartRate, &metabolicEquivalent, &elapsedTime, &remainingTime, firstBit: 9)
        coder.list("moreData", .bool(moreData))
    }
}

/// What a treadmill says (2ACD).
public struct TreadmillData: ListedValue, Hashable {
    /// Kilometers per hour; nil when more data follows in another value.
    public var instantaneousSpeed: Double?
    /// Kilometers per hour.
    public var averageSpeed: Double?
    /// Meters.
    public var totalDistance: UInt32?
    /// Percent; with ``rampAngle``.
    public var inclination: Double?
    /// Degrees.
    public var rampAngle = 0.0
    /// Meters; with ``negativeElevationGain``.
    public var positiveElevationGain: Double?
    /// Meters.
    public var negativeElevationGain = 0.0
    /// As sent: versions of the service differ in size and unit.
    public var instantaneousPace: Int16?
    /// As sent: versions of the service differ in size and unit.
    public var averagePace: Int16?
    /// Energy since the start.
    public var energy: ExpendedEnergy?
    /// Beats per minute.
    public var heartRate: UInt8?
    /// Metabolic equivalent.
    public var metabolicEquivalent: Double?
    /// Seconds.
    public var elapsedTime: UInt16?
    /// Seconds.
    public var remainingTime: UInt16?
    /// Newtons; with ``powerOutput``.
    public var forceOnBelt: Int16?
    /// Watts.
    public var powerOutput: Int16 = 0

    /// Nothing.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        let tenth = ValueScale(1, over: 10)
        try coder.flags(2)
        let moreData = coder.hasNot(0, instantaneousSpeed == nil)
        try coder.present("instantaneousSpeed", &instantaneousSpeed, !moreData, octets: 2, over: 100)
        try coder.scaled("averageSpeed", &averageSpeed, bit: 1, octets: 2, signed: false, scale: .init(1, over: 100))
        try coder.integer("totalDistance", &totalDistance, bit: 2, octets: 3)
        if coder.has(3, inclination != nil) {
            var value = inclination ?? 0
            try coder.scaled("inclination", &value, octets: 2, signed: true, scale: tenth)
            try coder.scaled("rampAngle", &rampAngle, octets: 2, signed: true, scale: tenth)
            inclination = value
        } else {
            coder.absent("inclination", "rampAngle")
        }
        if coder.has(4, positiveElevationGain != nil) {
            var value = positiveElevationGain ?? 0
            try coder.scaled("positiveElevationGain", &value, octets: 2, signed: false, scale: tenth)
            try coder.scaled("negativeElevationGain", &negativeElevationGain, octets: 2, signed: false, scale: tenth)
            positiveElevationGain = value
        } else {
            coder.absent("positiveElevationGain", "negativeElevationGain")
        }
        let behind = [7: 5, 8: 1, 9: 1, 10: 2, 11: 2, 12: 4]
        try coder.disputed("instantaneousPace", &instantaneousPace, bit: 5, behind: behind, pair: 6)
        try coder.disputed("averagePace", &averagePace, bit: 6, behind: behind)
        try coder.energy(&energy, bit: 7)
        try coder.effort(&heartRate, &metabolicEquivalent, &elapsedTime, &remainingTime, firstBit: 8)
        if coder.has(12, forceOnBelt != nil) {
            var value = forceOnBelt ?? 0
            try coder.integer("forceOnBelt", &value)
            try coder.integer("powerOutput", &powerOutput)
            forceOnBelt = value
        } else {
            coder.absent("forceOnBelt", "powerOutput")
        }
    }
}

/// What a rower says (2AD1).
public struct RowerData: ListedValue, Hashable {
    /// Strokes per minute, with ``strokeCount``; nil when more data follows in another value.
    public var strokeRate: Double?
    /// Strokes since the start.
    public var strokeCount: UInt16 = 0
    /// Strokes per minute.
    public var averageStrokeRate: Double?
    /// Meters.
    public var totalDistance: UInt32?
    /// Seconds for 500 m.
    public var instantaneousPace: UInt16?
    /// Seconds for 500 m.
    public var averagePace: UInt16?
    /// Watts.
    public var instantaneousPower: Int16?
    /// Watts.
    public var averagePower: Int16?
    /// As sent: versions of the service differ in size and step.
    public var resistanceLevel: Int16?
    /// Energy since the start.
    public var energy: ExpendedEnergy?
    /// Beats per minute.
    public var heartRate: UInt8?
    /// Metabolic equivalent.
    public var metabolicEquivalent: Double?
    /// Seconds.
    public var elapsedTime: UInt16?
    /// Seconds.
    public var remainingTime: UInt16?

    /// Nothing.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.flags(2)
        let moreData = coder.hasNot(0, strokeRate == nil)
        try coder.present("strokeRate", &strokeRate, !moreData, octets: 1, over: 2)
        if moreData { coder.absent("strokeCount") } else { try coder.integer("strokeCount", &strokeCount) }
        try coder.scaled(
            "averageStrokeRate", &averageStrokeRate, bit: 1, octets: 1, signed: false, scale: .init(1, over: 2))
        try coder.integer("totalDistance", &totalDistance, bit: 2, octets: 3)
        try coder.integer("instantaneousPace", &instantaneousPace, bit: 3)
        try coder.integer("averagePace", &averagePace, bit: 4)
        try coder.integer("instantaneousPower", &instantaneousPower, bit: 5)
        try coder.integer("averagePower", &averagePower, bit: 6)
        let behind = [8: 5, 9: 1, 10: 1, 11: 2, 12: 2]
        try coder.disputed("resistanceLevel", &resistanceLevel, bit: 7, behind: behind)
        try coder.energy(&energy, bit: 8)
        try coder.effort(&heartRate, &metabolicEquivalent, &elapsedTime, &remainingTime, firstBit: 9)
    }
}

extension ValueCoder {
    /// The flag "more data": when it is clear, the first field is there.
    fileprivate mutating func hasNot(_ bit: Int, _ absent: Bool) -> Bool { has(bit, absent) }

    fileprivate mutating func present(
        _ name: String, _ value: inout Double?, _ isPresent: Bool, octets: Int, over denominator: Int64
    ) throws(WireError) {
        guard isPresent else {
            value = nil
            return list(name, .null)
        }
        var number = value ?? 0
        try scaled(name, &number, octets: octets, signed: false, scale: .init(1, over: denominator))
        value = number
    }

    /// A field of one octet in one version of the service and of two in another: what is left decides. Listed only when there.
    ///
    /// - Parameters:
    ///   - behind: octets of the fields behind it, by their bit.
    ///   - pair: the bit of a field of the same kind right behind it.
    fileprivate mutating func disputed(
        _ name: String, _ value: inout Int16?, bit: Int, behind: [Int: Int], pair: Int? = nil
    ) throws(WireError) {
        guard has(bit, value != nil) else {
            if isReading { value = nil }
            return
        }
        var octets = 2
        if isReading {
            var left = remaining
            for (other, size) in behind where has(other, false) { left -= size }
            if let pair, has(pair, false) { left /= 2 }
            if left == 1 { octets = 1 }
        }
        var number = value ?? 0
        try integer(name, &number, octets: octets)
        value = number
    }

    fileprivate mutating func energy(_ energy: inout ExpendedEnergy?, bit: Int) throws(WireError) {
        guard has(bit, energy != nil) else { return absent("totalEnergy", "energyPerHour", "energyPerMinute") }
        var value = energy ?? ExpendedEnergy()
        try integer("totalEnergy", &value.total, unknown: 0xFFFF)
        try integer("energyPerHour", &value.perHour, unknown: 0xFFFF)
        try integer("energyPerMinute", &value.perMinute, unknown: 0xFF)
        energy = value
    }

    fileprivate mutating func effort(
        _ heartRate: inout UInt8?, _ equivalent: inout Double?, _ elapsed: inout UInt16?, _ remaining: inout UInt16?,
        firstBit bit: Int
    ) throws(WireError) {
        try integer("heartRate", &heartRate, bit: bit)
        try scaled(
            "metabolicEquivalent", &equivalent, bit: bit + 1, octets: 1, signed: false, scale: .init(1, over: 10))
        try integer("elapsedTime", &elapsed, bit: bit + 2)
        try integer("remainingTime", &remaining, bit: bit + 3)
    }
}
