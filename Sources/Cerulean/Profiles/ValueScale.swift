// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// How a number on the wire becomes a value: times `numerator`, divided by `denominator`.
public struct ValueScale: Hashable, Sendable {
    /// Multiplies the number on the wire.
    public var numerator: Int64
    /// Divides it.
    public var denominator: Int64

    /// A factor as a fraction; `denominator` is not 0.
    public init(_ numerator: Int64, over denominator: Int64 = 1) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The value of `raw`, rounded once: 2602 over 100 is exactly the number written 26.02.
    public func value(_ raw: Int64) -> Double {
        let (product, overflow) = raw.multipliedReportingOverflow(by: numerator)
        return (overflow ? Double(raw) * Double(numerator) : Double(product)) / Double(denominator)
    }

    /// The nearest number on the wire; nil when `value` is not finite or too large.
    public func raw(_ value: Double) -> Int64? {
        Int64(exactly: (value * Double(denominator) / Double(numerator)).rounded())
    }
}

/// A date and time as GATT sends it; year, month or day 0 mean "not known". Seven octets.
public struct DateTime: Hashable, Sendable {
    /// 1582 to 9999; 0 not known.
    public var year: UInt16 = 0
    /// 1 to 12; 0 not known.
    public var month: UInt8 = 0
    /// 1 to 31; 0 not known.
    public var day: UInt8 = 0
    /// 0 to 23.
    public var hours: UInt8 = 0
    /// 0 to 59.
    public var minutes: UInt8 = 0
    /// 0 to 59.
    public var seconds: UInt8 = 0

    /// Not known.
    public init() {}

    /// A date and time.
    public init(
        year: UInt16, month: UInt8, day: UInt8, hours: UInt8 = 0, minutes: UInt8 = 0, seconds: UInt8 = 0
    ) {
        self.year = year
        self.month = month
        self.day = day
        self.hours = hours
        self.minutes = minutes
        self.seconds = seconds
    }

    /// The six numbers by name.
    public var fields: FieldValue {
        [
            "year": FieldValue(integer: year), "month": FieldValue(integer: month), "day": FieldValue(integer: day),
            "hours": FieldValue(integer: hours), "minutes": FieldValue(integer: minutes),
            "seconds": FieldValue(integer: seconds),
        ]
    }
}
