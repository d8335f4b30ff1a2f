// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// One whole number in the octets of its type, little-endian.
///
/// ```swift
/// let period = CharacteristicProfile<IntegerValue<UInt16>>("2F0A0002-69AA-F316-3E78-4194989A6C1A", [.read, .write],
/// initial: 5000)
/// ```
public struct IntegerValue<Number: FixedWidthInteger & Sendable>: ListedValue, Hashable, ExpressibleByIntegerLiteral {
    /// The number.
    public var number: Number = 0
    /// Zero.
    public init() {}
    /// A number.
    public init(_ number: Number) { self.number = number }
    /// A literal.
    public init(integerLiteral value: Number.IntegerLiteralType) { number = Number(integerLiteral: value) }

    /// Lists the field.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.integer("value", &number)
    }
}

/// One whole number in the octets of its type, the most significant first.
public struct BigEndianValue<Number: FixedWidthInteger & Sendable>: ListedValue, Hashable, ExpressibleByIntegerLiteral {
    /// The number.
    public var number: Number = 0
    /// Zero.
    public init() {}
    /// A number.
    public init(_ number: Number) { self.number = number }
    /// A literal.
    public init(integerLiteral value: Number.IntegerLiteralType) { number = Number(integerLiteral: value) }

    /// Lists the field.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        let before = coder.byteOrder
        coder.byteOrder = .big
        try coder.integer("value", &number)
        coder.byteOrder = before
    }
}

/// One case of a raw enumeration, which is the choice list of its text. Numbers without a case do not fit.
///
/// ```swift
/// enum Mode: UInt8, CaseIterable, Sendable { case off, on }
/// let enabled = CharacteristicProfile<CodeValue<Mode>>(0xFF12, [.read, .write], initial: CodeValue(.off))
/// ```
public struct CodeValue<Code: RawRepresentable & CaseIterable & Hashable & Sendable>: ListedValue, Hashable
where Code.RawValue: FixedWidthInteger & Sendable {
    private var stored: Code?

    /// The case; the first one before any was set.
    public var code: Code {
        get { stored ?? Code.allCases[Code.allCases.startIndex] }
        set { stored = newValue }
    }

    /// The first case. The enumeration must have one.
    public init() { stored = Code.allCases.first }
    /// A case.
    public init(_ code: Code) { stored = code }

    /// Lists the field.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        guard var code = stored else { throw WireError.invalid("code", at: coder.position) }
        try coder.code("value", &code)
        stored = code
    }
}

/// Whole numbers one behind the other. With a count, exactly that many; without, as many as there are octets for.
public struct ArrayValue<Number: FixedWidthInteger & Sendable>: ListedValue, Hashable, ExpressibleByArrayLiteral {
    /// The numbers.
    public var numbers: [Number] = []
    /// None.
    public init() {}
    /// Some numbers.
    public init(_ numbers: [Number]) { self.numbers = numbers }
    /// A literal.
    public init(arrayLiteral elements: Number...) { numbers = elements }

    /// Lists the field. Octets that do not fill a number are refused.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        let width = Number.bitWidth / 8
        if coder.isReading, coder.remaining % width != 0 {
            throw WireError(offset: coder.position + coder.remaining / width * width, reason: .truncated)
        }
        try coder.integers("values", &numbers, count: coder.remaining / width)
    }
}

/// One value behind another, as BlueCap's pairs. The first must know its own length: it must not take all that is left.
public struct PairValue<First: ListedValue & Hashable, Second: ListedValue & Hashable>: ListedValue, Hashable {
    /// What comes first.
    public var first = First()
    /// What comes behind it.
    public var second = Second()
    /// Zeros.
    public init() {}
    /// Two values.
    public init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    /// Lists the fields of both.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.group("first", &first)
        try coder.group("second", &second)
    }
}
