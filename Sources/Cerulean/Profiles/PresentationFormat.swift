// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// How the value of a characteristic is to be shown: descriptor 2904. Core 5.4, Vol 3, Part G, 3.3.3.5.
public struct PresentationFormat: ListedValue, Hashable {
    /// The format's number; names in `AssignedNumbers`.
    public var format: UInt8 = 0
    /// The value is the number sent times ten to the power of this.
    public var exponent: Int8 = 0
    /// The unit's UUID in its short form; names in `AssignedNumbers`.
    public var unit: UInt16 = 0x2700
    /// Who numbers the descriptions: 1 Bluetooth SIG.
    public var namespace: UInt8 = 1
    /// Tells several values of one kind apart.
    public var description: UInt16 = 0

    /// A plain number of unknown format.
    public init() {}

    /// A format with a unit.
    public init(format: UInt8, exponent: Int8, unit: UInt16, namespace: UInt8 = 1, description: UInt16 = 0) {
        self.format = format
        self.exponent = exponent
        self.unit = unit
        self.namespace = namespace
        self.description = description
    }

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.integer("format", &format)
        try coder.integer("exponent", &exponent)
        try coder.integer("unit", &unit)
        let octets = [UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit)]
        coder.relist("unit", .text(Hex.encode(octets)))
        try coder.integer("namespace", &namespace)
        try coder.integer("description", &description)
    }

    /// Reads a value of this format: whole numbers with the exponent applied, and text.
    ///
    /// Nil for formats without a plain meaning (structures, lists of codes) and for octets that do not fit.
    public func value(of bytes: [UInt8]) -> FieldValue? {
        switch format {
        case 0x01: bytes.first.map { .bool($0 != 0) }
        case 0x02...0x0A, 0x0C...0x12: number(bytes)
        case 0x19: .text(TextValue.decoded(bytes))
        default: nil
        }
    }

    private func number(_ bytes: [UInt8]) -> FieldValue? {
        guard let known = AssignedNumbers.format(format) else { return nil }
        let octets = (known.bits + 7) / 8
        guard (1...8).contains(octets), bytes.count >= octets, (-18...18).contains(exponent) else { return nil }
        let power = (0..<abs(Int(exponent))).reduce(Int64(1)) { product, _ in product * 10 }
        let scale = exponent < 0 ? ValueScale(1, over: power) : ValueScale(power)
        var scalar = ScalarValue(nil, ScalarFormat(octets: octets, isSigned: format >= 0x0C, scale: scale))
        var coder = ValueCoder(reading: bytes)
        do { try scalar.visit(&coder) } catch { return nil }
        return coder.members.first?.value
    }
}

extension TextValue {
    static func decoded(_ bytes: [UInt8]) -> String {
        let end = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
