// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// A number of medical devices: a whole number times a power of ten, or a word. IEEE 11073-20601; sent as SFLOAT (16
/// bits) or FLOAT (32 bits).
///
/// ```swift
/// MedicalFloat(sfloat: 0xF16D).value   // 36.5
/// ```
public struct MedicalFloat: Hashable, Sendable {
    /// What is no number.
    public enum Special: String, Hashable, Sendable, CaseIterable {
        /// Not a number.
        case notANumber = "NaN"
        /// Beyond the greatest number.
        case positiveInfinity = "+INF"
        /// Beyond the smallest number.
        case negativeInfinity = "-INF"
        /// Cannot be told at this resolution.
        case notAtThisResolution = "NRes"
        /// Reserved.
        case reserved
    }

    private enum Storage: Hashable, Sendable {
        case number(mantissa: Int32, exponent: Int8)
        case special(Special)
    }

    private var storage: Storage

    /// `mantissa` times ten to the power of `exponent`.
    public init(mantissa: Int32, exponent: Int8) { storage = .number(mantissa: mantissa, exponent: exponent) }

    /// What is no number.
    public init(_ special: Special) { storage = .special(special) }

    /// `value` rounded to some digits behind the point, 0 to 9. Not finite or too large: not a number.
    public init(_ value: Double, digits: Int) {
        let digits = max(0, min(9, digits))
        let scaled = value * Self.power(digits)
        guard let mantissa = Int32(exactly: scaled.rounded()) else {
            self.init(.notANumber)
            return
        }
        self.init(mantissa: mantissa, exponent: Int8(-digits))
    }

    /// Reads 16 bits: 4 of exponent, 12 of mantissa. Words hold with exponent 0 only.
    public init(sfloat raw: UInt16) {
        switch raw {
        case 0x07FF: self.init(.notANumber)
        case 0x07FE: self.init(.positiveInfinity)
        case 0x0800: self.init(.notAtThisResolution)
        case 0x0801: self.init(.reserved)
        case 0x0802: self.init(.negativeInfinity)
        default:
            let mantissa = Int32(Int16(truncatingIfNeeded: raw << 4) >> 4)
            self.init(mantissa: mantissa, exponent: Int8(Int16(bitPattern: raw) >> 12))
        }
    }

    /// Reads 32 bits: 8 of exponent, 24 of mantissa. Words hold with exponent 0 only.
    public init(float raw: UInt32) {
        switch raw {
        case 0x007F_FFFF: self.init(.notANumber)
        case 0x007F_FFFE: self.init(.positiveInfinity)
        case 0x0080_0000: self.init(.notAtThisResolution)
        case 0x0080_0001: self.init(.reserved)
        case 0x0080_0002: self.init(.negativeInfinity)
        default:
            let mantissa = Int32(bitPattern: raw << 8) >> 8
            self.init(mantissa: mantissa, exponent: Int8(truncatingIfNeeded: Int32(bitPattern: raw) >> 24))
        }
    }

    /// The number; nil for a word.
    public var value: Double? {
        guard case .number(let mantissa, let exponent) = storage else { return nil }
        // One rounding: 365 over 10 is exactly the number written 36.5.
        return exponent < 0
            ? Double(mantissa) / Self.power(-Int(exponent)) : Double(mantissa) * Self.power(Int(exponent))
    }

    /// The word; nil for a number.
    public var special: Special? {
        if case .special(let special) = storage { special } else { nil }
    }

    /// The 16 bits; nil when the mantissa or exponent does not fit.
    public var sfloat: UInt16? {
        switch storage {
        case .special(.notANumber): return 0x07FF
        case .special(.positiveInfinity): return 0x07FE
        case .special(.notAtThisResolution): return 0x0800
        case .special(.reserved): return 0x0801
        case .special(.negativeInfinity): return 0x0802
        case .number(let mantissa, let exponent):
            guard (-2048...2047).contains(mantissa), (-8...7).contains(exponent) else { return nil }
            let raw = UInt16(truncatingIfNeeded: Int32(exponent) << 12) | UInt16(truncatingIfNeeded: mantissa & 0x0FFF)
            return Self(sfloat: raw) == self ? raw : nil
        }
    }

    /// The 32 bits; nil when the mantissa does not fit.
    public var float: UInt32? {
        switch storage {
        case .special(.notANumber): return 0x007F_FFFF
        case .special(.positiveInfinity): return 0x007F_FFFE
        case .special(.notAtThisResolution): return 0x0080_0000
        case .special(.reserved): return 0x0080_0001
        case .special(.negativeInfinity): return 0x0080_0002
        case .number(let mantissa, let exponent):
            guard (-0x80_0000...0x7F_FFFF).contains(mantissa) else { return nil }
            let raw =
                UInt32(UInt8(bitPattern: exponent)) << 24 | UInt32(truncatingIfNeeded: mantissa & 0x00FF_FFFF)
            return Self(float: raw) == self ? raw : nil
        }
    }

    /// The number, or the word as text.
    public var fieldValue: FieldValue {
        if let value { return .number(value) }
        return .text(special?.rawValue ?? "NaN")
    }

    private static func power(_ exponent: Int) -> Double {
        (0..<exponent).reduce(1.0) { product, _ in product * 10 }
    }
}

extension ValueCoder {
    /// A number of 2 octets (SFLOAT) or 4 (FLOAT).
    public mutating func medical(
        _ name: String, _ value: inout MedicalFloat, octets: Int = 2
    ) throws(WireError) {
        if direction == .texts {
            field = name
            return try text(
                name, &value, show: { $0.value.map { "\($0)" } ?? ($0.special ?? .notANumber).rawValue },
                parse: { Self.medical($0, octets) })
        }
        var raw: UInt32 = 0
        if isWriting {
            guard let known = octets == 2 ? value.sfloat.map(UInt32.init) : value.float else {
                throw WireError(offset: position, reason: .tooLong)
            }
            raw = known
        }
        try integer(name, &raw, octets: octets)
        if isReading {
            value = octets == 2 ? MedicalFloat(sfloat: UInt16(truncatingIfNeeded: raw)) : MedicalFloat(float: raw)
        }
        relist(name, value.fieldValue)
    }

    /// A number of 2 octets that is there when `bit` is set; without a bit when it is there at all.
    public mutating func medical(_ name: String, _ value: inout MedicalFloat?, bit: Int) throws(WireError) {
        if direction == .texts {
            field = name
            return try optionalText(
                name, &value, show: { $0.value.map { "\($0)" } ?? ($0.special ?? .notANumber).rawValue },
                parse: { Self.medical($0, 2) })
        }
        guard has(bit, value != nil) else {
            if isReading { value = nil }
            return list(name, .null)
        }
        var number = value ?? MedicalFloat(.notANumber)
        try medical(name, &number)
        value = number
    }
}

/// Lists of words for sets of flags.
enum FlagWords {
    /// The words of the bits that are set, least significant first; bits without a word are left out.
    static func list(_ bits: UInt32, _ words: [(Int, String)]) -> FieldValue {
        .list(words.filter { bits >> UInt32($0.0) & 1 == 1 }.map { .text($0.1) })
    }

    /// The word of a number; null when it has none.
    static func word(_ number: Int, _ words: [String]) -> FieldValue {
        words.indices.contains(number) ? .text(words[number]) : .null
    }
}
