// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Generic Access Service (1800). Core 5.4, Vol 3, Part C, 12.
public enum GenericAccess: ServiceProfile {
    /// 1800.
    public static let uuid: BluetoothUUID = 0x1800
    /// The device's name (2A00).
    public static let deviceName = CharacteristicProfile<TextValue>(0x2A00, .read)
    /// What it looks like (2A01).
    public static let appearance = CharacteristicProfile<Appearance>(0x2A01, .read)
    /// Connection parameters that a peripheral prefers (2A04).
    public static let preferredConnectionParameters = CharacteristicProfile<PreferredConnectionParameters>(
        0x2A04, .read)
}

/// Generic Attribute Service (1801). Core 5.4, Vol 3, Part G, 7.
public enum GenericAttribute: ServiceProfile {
    /// 1801.
    public static let uuid: BluetoothUUID = 0x1801
    /// The part of the database that changed (2A05).
    public static let serviceChanged = CharacteristicProfile<ServiceChanged>(0x2A05, .indicate)
}

/// What a device looks like (2A01); names in `AssignedNumbers`.
public struct Appearance: ListedValue, RawRepresentable, Hashable {
    /// The number on the wire.
    public var rawValue: UInt16 = 0
    /// Unknown.
    public init() {}
    /// Wraps a number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The kind of device.
    public var category: UInt16 { rawValue >> 6 }
    /// More exactly within the category.
    public var subcategory: UInt16 { rawValue & 0x3F }
    /// The name of the subcategory or category, if known.
    public var name: String? { AssignedNumbers.appearance(rawValue)?.name }

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.integer("value", &rawValue)
    }
}

/// Connection parameters that a peripheral prefers (2A04).
public struct PreferredConnectionParameters: ListedValue, Hashable {
    /// Shortest interval in milliseconds, a multiple of 1.25; nil: none preferred.
    public var minInterval: Double?
    /// Longest interval in milliseconds, a multiple of 1.25; nil: none preferred.
    public var maxInterval: Double?
    /// Connection events that may be skipped.
    public var latency: UInt16 = 0
    /// Supervision timeout in milliseconds, a multiple of 10; nil: none preferred.
    public var timeout: Double?

    /// Nothing preferred.
    public init() {}

    /// Times in milliseconds.
    public init(minInterval: Double?, maxInterval: Double?, latency: UInt16, timeout: Double?) {
        self.minInterval = minInterval
        self.maxInterval = maxInterval
        self.latency = latency
        self.timeout = timeout
    }

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        let units = ValueScale(5, over: 4)
        try coder.scaled("minIntervalMs", &minInterval, octets: 2, signed: false, scale: units, unknown: 0xFFFF)
        try coder.scaled("maxIntervalMs", &maxInterval, octets: 2, signed: false, scale: units, unknown: 0xFFFF)
        try coder.integer("latency", &latency)
        try coder.scaled("timeoutMs", &timeout, octets: 2, signed: false, scale: .init(10), unknown: 0xFFFF)
    }
}

/// The part of a database that changed (2A05).
public struct ServiceChanged: ListedValue, Hashable {
    /// The first handle.
    public var start: UInt16 = 0x0001
    /// The last handle.
    public var end: UInt16 = 0xFFFF
    /// Everything.
    public init() {}
    /// From `start` to `end`.
    public init(start: UInt16, end: UInt16) {
        self.start = start
        self.end = end
    }

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.integer("start", &start)
        try coder.integer("end", &end)
    }
}
