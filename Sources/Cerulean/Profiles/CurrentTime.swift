// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Current Time Service (1805).
public enum CurrentTime: ServiceProfile {
    /// 1805.
    public static let uuid: BluetoothUUID = 0x1805
    /// The time (2A2B).
    public static let time = CharacteristicProfile<CurrentTimeValue>(0x2A2B, [.read, .notify])
    /// Zone and daylight saving (2A0F).
    public static let local = CharacteristicProfile<LocalTimeInformation>(0x2A0F, .read)
    /// How good the clock is (2A14).
    public static let reference = CharacteristicProfile<ReferenceTimeInformation>(0x2A14, .read)
}

/// A time with its fractions (2A2B).
public struct CurrentTimeValue: ListedValue, Hashable {
    /// Local time.
    public var dateTime = DateTime()
    /// 1 Monday to 7 Sunday; 0 not known.
    public var dayOfWeek: UInt8 = 0
    /// 1/256 s.
    public var fractions: UInt8 = 0
    /// Why the clock was set: bit 0 by hand, 1 by a reference, 2 another zone, 3 daylight saving.
    public var adjustReason: UInt8 = 0

    /// Not known.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.dateTime("dateTime", &dateTime)
        try coder.integer("dayOfWeek", &dayOfWeek)
        coder.relist("dayOfWeek", FlagWords.word(Int(dayOfWeek), Self.days))
        try coder.integer("fractions256", &fractions)
        try coder.integer("adjustReason", &adjustReason)
        coder.relist("adjustReason", FlagWords.list(UInt32(adjustReason), Self.reasons))
    }

    private static let days = [
        "unknown", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]
    private static let reasons = [
        (0, "manualUpdate"), (1, "externalReference"), (2, "timeZoneChange"), (3, "dstChange"),
    ]
}

/// Zone and daylight saving (2A0F).
public struct LocalTimeInformation: ListedValue, Hashable {
    /// Quarters of an hour east of UTC, -48 to 56; nil not known.
    public var quarters: Int8?
    /// Daylight saving in quarters of an hour: 0, 2, 4 or 8; 255 not known.
    public var daylightSaving: UInt8 = 255

    /// Not known.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.integer("timeZoneMinutes", &quarters, unknown: -128)
        if let quarters { coder.relist("timeZoneMinutes", FieldValue(integer: Int(quarters) * 15)) }
        try coder.integer("dst", &daylightSaving)
        switch daylightSaving {
        case 0: coder.relist("dst", "standard")
        case 2: coder.relist("dst", "halfHour")
        case 4: coder.relist("dst", "daylight")
        case 8: coder.relist("dst", "double")
        case 255: coder.relist("dst", "unknown")
        default: break
        }
    }
}

/// How good a clock is (2A14).
public struct ReferenceTimeInformation: ListedValue, Hashable {
    /// Where the time comes from: 0 unknown, 1 NTP, 2 GPS, 3 radio, 4 by hand, 5 atomic clock, 6 cellular network.
    public var source: UInt8 = 0
    /// Eighths of a second, up to 253; 254 out of range, 255 not known.
    public var accuracy: UInt8 = 255
    /// Days since it was set; nil 255 or more.
    public var daysSinceUpdate: UInt8?
    /// Hours since then; nil 255 or more days.
    public var hoursSinceUpdate: UInt8?

    /// Not known.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.integer("source", &source)
        try coder.integer("accuracySeconds", &accuracy)
        coder.relist("accuracySeconds", accuracy < 254 ? .number(Double(accuracy) / 8) : .null)
        coder.list("accuracyState", accuracy < 254 ? "value" : accuracy == 254 ? "outOfRange" : "unknown")
        try coder.integer("daysSinceUpdate", &daysSinceUpdate, unknown: 255)
        try coder.integer("hoursSinceUpdate", &hoursSinceUpdate, unknown: 255)
    }
}
