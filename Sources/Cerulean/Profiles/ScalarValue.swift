// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// How one number is sent: octets, sign, scale, and the number that means "not known".
public struct ScalarFormat: Hashable, Sendable {
    /// 1 to 8 octets.
    public var octets: Int
    /// Two's complement.
    public var isSigned: Bool
    /// From the number on the wire to the value.
    public var scale: ValueScale
    /// The number on the wire that means "not known".
    public var unknown: Int64?
    /// The unit's sign, "°C"; empty for a plain number.
    public var unit: String

    /// A format.
    public init(
        octets: Int, isSigned: Bool = false, scale: ValueScale = .init(1), unknown: Int64? = nil, unit: String = ""
    ) {
        self.octets = octets
        self.isSigned = isSigned
        self.scale = scale
        self.unknown = unknown
        self.unit = unit
    }

    /// The formats of all characteristics that hold a single number, by their short UUID.
    ///
    /// Environmental sensing, user data and others; see `Documentation/Protocols/gatt-profiles.md`.
    public static func of(_ uuid: BluetoothUUID) -> ScalarFormat? {
        switch uuid.short {
        case 0x2A01: .init(octets: 2)
        case 0x2A06, 0x2A38, 0x2A39, 0x2A1D, 0x2A5D, 0x2A4E, 0x2A4C, 0x2AA6, 0x2AC9, 0x2A8C, 0x2AA3, 0x2909:
            .init(octets: 1)
        case 0x2A9A: .init(octets: 1, unknown: 0xFF)
        case 0x2A07: .init(octets: 1, isSigned: true, unit: "dBm")
        case 0x2A19: .init(octets: 1, unit: "%")
        case 0x2A21: .init(octets: 2, unit: "s")
        case 0x2A2C, 0x2A71, 0x2A73: .init(octets: 2, scale: .init(1, over: 100), unit: "°")
        case 0x2A58: .init(octets: 2)
        case 0x2A6C: .init(octets: 3, isSigned: true, scale: .init(1, over: 100), unit: "m")
        case 0x2A6D: .init(octets: 4, scale: .init(1, over: 10), unit: "Pa")
        case 0x2A6E: .init(octets: 2, isSigned: true, scale: .init(1, over: 100), unknown: -0x8000, unit: "°C")
        case 0x2A6F: .init(octets: 2, scale: .init(1, over: 100), unknown: 0xFFFF, unit: "%")
        case 0x2A70, 0x2A72: .init(octets: 2, scale: .init(1, over: 100), unit: "m/s")
        case 0x2A74: .init(octets: 1, scale: .init(1, over: 10))
        case 0x2A75: .init(octets: 3, unit: "1/m³")
        case 0x2A76: .init(octets: 1)
        case 0x2A77: .init(octets: 2, scale: .init(1, over: 10), unit: "W/m²")
        case 0x2A78: .init(octets: 2, scale: .init(1, over: 1000), unit: "m")
        case 0x2A79, 0x2A7A, 0x2A7B: .init(octets: 1, isSigned: true, unit: "°C")
        case 0x2A80: .init(octets: 1, unit: "a")
        case 0x2A8D, 0x2A91: .init(octets: 1, unit: "1/min")
        case 0x2A8E: .init(octets: 2, scale: .init(1, over: 100), unit: "m")
        case 0x2A98: .init(octets: 2, scale: .init(1, over: 200), unit: "kg")
        case 0x2A99: .init(octets: 4)
        case 0x2AAB: .init(octets: 2, unit: "h")
        case 0x2AFB: .init(octets: 3, scale: .init(1, over: 100), unknown: 0xFF_FFFF, unit: "lx")
        default: nil
        }
    }
}

/// A single number in a format that is known at run time.
public struct ScalarValue: Hashable, Sendable {
    /// How it is sent.
    public var format: ScalarFormat
    /// The value; nil when it is not known.
    public var value: Double?

    /// A number.
    public init(_ value: Double?, _ format: ScalarFormat) {
        self.value = value
        self.format = format
    }

    /// Lists the number, under the name "value".
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.scaled(
            "value", &value, octets: format.octets, signed: format.isSigned, scale: format.scale,
            unknown: format.unknown)
        if format.scale == ValueScale(1), let value, let whole = Int64(exactly: value) {
            coder.relist("value", .integer(whole))
        }
    }

    /// The octets of the number.
    public func encoded() throws(WireError) -> [UInt8] {
        var coder = ValueCoder.writing()
        var copy = self
        try copy.visit(&coder)
        return coder.bytes
    }
}

/// Text in UTF-8. Invalid octets are repaired, NULs at the end are left out.
public struct TextValue: ListedValue, Hashable, ExpressibleByStringLiteral {
    /// The text.
    public var text = ""
    /// Empty.
    public init() {}
    /// Some text.
    public init(_ text: String) { self.text = text }
    /// A literal.
    public init(stringLiteral value: String) { text = value }

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.string("value", &text)
    }
}

/// Octets without a meaning that is known here.
public struct OpaqueValue: ListedValue, Hashable {
    /// The octets.
    public var octets: [UInt8] = []
    /// Empty.
    public init() {}
    /// Some octets.
    public init(_ octets: [UInt8]) { self.octets = octets }

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.rest("value", &octets)
    }
}
