// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Location and Navigation Service (1819).
public enum LocationNavigation: ServiceProfile {
    /// 1819.
    public static let uuid: BluetoothUUID = 0x1819
    /// Where it is and how fast (2A67).
    public static let locationAndSpeed = CharacteristicProfile<LocationAndSpeed>(0x2A67, .notify)
    /// Where to go (2A68).
    public static let navigation = CharacteristicProfile<NavigationValue>(0x2A68, .notify)
    /// How good the position is (2A69).
    public static let positionQuality = CharacteristicProfile<PositionQuality>(0x2A69, .read)

    static let statusWords = ["noPosition", "positionOK", "estimated", "lastKnown"]
    static func heading(_ isCompass: Bool) -> FieldValue { isCompass ? "magneticCompass" : "movement" }
}

/// Where something is and how fast it moves (2A67).
public struct LocationAndSpeed: ListedValue, Hashable {
    /// Meters per second.
    public var speed: Double?
    /// Meters.
    public var totalDistance: Double?
    /// Degrees to the north; with ``longitude``.
    public var latitude: Double?
    /// Degrees to the east.
    public var longitude = 0.0
    /// Meters.
    public var elevation: Double?
    /// Degrees.
    public var heading: Double?
    /// Seconds that went round, 0 to 255.
    public var rollingTime: UInt8?
    /// UTC.
    public var utcTime: DateTime?
    /// 0 no position, 1 right, 2 estimated, 3 the last known.
    public var positionStatus: UInt8 = 0
    /// The distance counts heights too.
    public var is3D = false
    /// 0 by the positions, 1 barometric, 2 by a database, 3 other.
    public var elevationSource: UInt8 = 0
    /// The heading is that of a compass rather than of the movement.
    public var isHeadingOfCompass = false

    /// Nothing known.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        let hundredth = ValueScale(1, over: 100)
        try coder.flags(2)
        try coder.scaled("speed", &speed, bit: 0, octets: 2, signed: false, scale: hundredth)
        try coder.scaled("totalDistance", &totalDistance, bit: 1, octets: 3, signed: false, scale: .init(1, over: 10))
        if coder.has(2, latitude != nil) {
            let scale = ValueScale(1, over: 10_000_000)
            var value = latitude ?? 0
            try coder.scaled("latitude", &value, octets: 4, signed: true, scale: scale)
            try coder.scaled("longitude", &longitude, octets: 4, signed: true, scale: scale)
            latitude = value
        } else {
            coder.absent("latitude", "longitude")
        }
        try coder.scaled("elevation", &elevation, bit: 3, octets: 3, signed: true, scale: hundredth)
        try coder.scaled("heading", &heading, bit: 4, octets: 2, signed: false, scale: hundredth)
        try coder.integer("rollingTime", &rollingTime, bit: 5)
        try coder.dateTime("utcTime", &utcTime, bit: 6)
        coder.flags(7...8, &positionStatus)
        coder.list("positionStatus", FlagWords.word(Int(positionStatus), LocationNavigation.statusWords))
        coder.flag(9, &is3D, name: "is3D")
        coder.flags(10...11, &elevationSource)
        coder.list("elevationSource", FlagWords.word(Int(elevationSource), Self.elevationWords))
        coder.flag(12, &isHeadingOfCompass)
        coder.list("headingSource", LocationNavigation.heading(isHeadingOfCompass))
    }

    private static let elevationWords = ["positioningSystem", "barometric", "database", "other"]
}

/// Where to go (2A68).
public struct NavigationValue: ListedValue, Hashable {
    /// Degrees to the goal.
    public var bearing = 0.0
    /// Degrees of the movement.
    public var heading = 0.0
    /// Meters.
    public var remainingDistance: Double?
    /// Meters.
    public var remainingVerticalDistance: Double?
    /// When the goal will be reached.
    public var eta: DateTime?
    /// 0 no position, 1 right, 2 estimated, 3 the last known.
    public var positionStatus: UInt8 = 0
    /// The heading is that of a compass rather than of the movement.
    public var isHeadingOfCompass = false
    /// The numbers are those to the destination rather than to the next waypoint.
    public var isToDestination = false
    /// A waypoint was reached.
    public var waypointReached = false
    /// The destination was reached.
    public var destinationReached = false

    /// Nothing known.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        let hundredth = ValueScale(1, over: 100)
        try coder.flags(2)
        try coder.scaled("bearing", &bearing, octets: 2, signed: false, scale: hundredth)
        try coder.scaled("heading", &heading, octets: 2, signed: false, scale: hundredth)
        try coder.scaled(
            "remainingDistance", &remainingDistance, bit: 0, octets: 3, signed: false, scale: .init(1, over: 10))
        try coder.scaled(
            "remainingVerticalDistance", &remainingVerticalDistance, bit: 1, octets: 3, signed: true, scale: hundredth)
        try coder.dateTime("eta", &eta, bit: 2)
        coder.flags(3...4, &positionStatus)
        coder.list("positionStatus", FlagWords.word(Int(positionStatus), LocationNavigation.statusWords))
        coder.flag(5, &isHeadingOfCompass)
        coder.list("headingSource", LocationNavigation.heading(isHeadingOfCompass))
        coder.flag(6, &isToDestination)
        coder.list("indicator", isToDestination ? "toDestination" : "toWaypoint")
        coder.flag(7, &waypointReached, name: "waypointReached")
        coder.flag(8, &destinationReached, name: "destinationReached")
    }
}

/// How good a position is (2A69).
public struct PositionQuality: ListedValue, Hashable {
    /// Satellites or beacons that are used.
    public var beaconsInSolution: UInt8?
    /// Satellites or beacons that are seen.
    public var beaconsInView: UInt8?
    /// Seconds.
    public var timeToFirstFix: Double?
    /// Expected horizontal error in meters.
    public var horizontalError: Double?
    /// Expected vertical error in meters.
    public var verticalError: Double?
    /// Horizontal dilution of precision.
    public var hdop: Double?
    /// Vertical dilution of precision.
    public var vdop: Double?
    /// 0 no position, 1 right, 2 estimated, 3 the last known.
    public var positionStatus: UInt8 = 0

    /// Nothing known.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        let hundredth = ValueScale(1, over: 100)
        try coder.flags(2)
        try coder.integer("beaconsInSolution", &beaconsInSolution, bit: 0)
        try coder.integer("beaconsInView", &beaconsInView, bit: 1)
        try coder.scaled("timeToFirstFix", &timeToFirstFix, bit: 2, octets: 2, signed: false, scale: .init(1, over: 10))
        try coder.scaled("ehpe", &horizontalError, bit: 3, octets: 4, signed: false, scale: hundredth)
        try coder.scaled("evpe", &verticalError, bit: 4, octets: 4, signed: false, scale: hundredth)
        try coder.scaled("hdop", &hdop, bit: 5, octets: 1, signed: false, scale: .init(1, over: 2))
        try coder.scaled("vdop", &vdop, bit: 6, octets: 1, signed: false, scale: .init(1, over: 2))
        coder.flags(7...8, &positionStatus)
        coder.list("positionStatus", FlagWords.word(Int(positionStatus), LocationNavigation.statusWords))
    }
}
